"""Which candidate an answer counts for, where that depends on the others."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import Canonical, canonical, forms
from jupyterlab_tir.answers.joining import candidate_keys, float_joins

FRACTIONS = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**6)
MIXED = [
    "(0, 1)",
    "Interval.open(0, 1)",
    "[0, 1]",
    "0, 1",
    r"\{0, 1\}",
    "1, 0",
    "0.3333333333333333",
    "1/3",
    "y = 2x + 1",
    "2x + 1",
    r"\sqrt{2}",
    "1.4142135623730951",
    "(1.4142135623730951, 0)",
    r"(\sqrt2, 0)",
    r"\log 100",
    "2",
    "E",
    r"\mathrm{e}",
]


def keys(*answers: str) -> list[str]:
    return candidate_keys([canonical(answer) for answer in answers])


@pytest.mark.parametrize(
    ("ambiguous", "other"),
    [
        ("(0, 1)", "Interval.open(0, 1)"),
        ("1, 2", "(1, 2)"),
        ("y = 2x + 1", "2x + 1"),
        (r"\{5\}", "5"),
        (r"\log 100", "2"),
        ("E", r"\mathrm{e}"),
        ("0.3333333333333333", r"\frac13"),
        ("1.4142135623730951", r"\sqrt2"),
        ("[0.7071067811865476, 1)", r"[\frac{\sqrt2}{2}, 1)"),
        ("0.5 + 0.8660254037844386*I", r"\frac{1+\sqrt3 i}{2}"),
    ],
)
def test_answer_joins_the_candidate_that_it_can_be_read_as(ambiguous: str, other: str) -> None:
    assert len(set(keys(ambiguous, other))) == 1
    assert len(set(keys(other, ambiguous, ambiguous))) == 1
    assert keys(ambiguous) == [canonical(ambiguous).key]


def test_first_reading_that_other_ballots_have_is_kept() -> None:
    assert keys("(0, 1)", "Interval.open(0, 1)", "D=(0,1)") == [
        "i:(q:0,q:1)",
        "i:(q:0,q:1)",
        "i:(q:0,q:1)",
    ]
    one_set = keys("1, 2", r"\{1, 2\}", "(1, 2)")
    assert one_set[0] == one_set[1] != one_set[2]


def test_float_of_two_exact_candidates_joins_none() -> None:
    near = "3333333333333333333/10000000000000000000"
    assert len(set(keys("1/3", near, "0.3333333333333333"))) == 3


def test_short_decimal_joins_nothing() -> None:
    assert len(set(keys("1/3", "0.333", r"2\pi", "6.283185"))) == 4


@given(st.lists(st.sampled_from(MIXED), max_size=10), st.randoms(use_true_random=False))
def test_order_and_number_of_ballots_do_not_count(answers: list[str], random: Random) -> None:
    before = dict(zip(answers, keys(*answers), strict=True))
    shuffled = [*answers, *random.sample(answers, len(answers) // 2)]
    random.shuffle(shuffled)
    assert dict(zip(shuffled, keys(*shuffled), strict=True)) == before


@given(st.lists(st.sampled_from(MIXED), max_size=10))
def test_candidate_is_somebodys_own_key(answers: list[str]) -> None:
    read = [canonical(answer) for answer in answers]
    found = candidate_keys(read)
    assert set(found) <= {answer.key for answer in read}
    for key, answer in zip(found, read, strict=True):
        assert key in answer.keys or any(forms.is_float_of(reading, key) for reading in answer.keys)


@given(st.lists(FRACTIONS, max_size=8), st.lists(st.integers(11, 30), max_size=8))
def test_float_joins_whatever_is_exactly_one_candidates_float(
    exact: list[Fraction], digits: list[int]
) -> None:
    decimals: list[Canonical] = [
        canonical(f"{Decimal(x.numerator) / Decimal(x.denominator):.{places}f}")
        for x, places in zip(exact, digits, strict=False)
    ]
    candidates = {c.key for c in [*map(canonical, map(str, exact)), *decimals]}
    fitting = {
        key: {f"q:{x}" for x in exact if forms.is_float_of(key, f"q:{x}")}
        for key in candidates
        if forms.has_float(key)
    }
    assert float_joins(candidates) == {k: min(v) for k, v in fitting.items() if len(v) == 1}


def test_a_thousand_different_answers_are_counted_at_once() -> None:
    answers = [f"{k}.3333333333333333" for k in range(500)] + [f"{k}/7" for k in range(1, 3500, 7)]
    read = [canonical(answer) for answer in answers]
    started = time.thread_time()
    assert float_joins({answer.key for answer in read}) == {}
    assert time.thread_time() - started < 2
