"""Counts and parts in sentences: singular and plural, and what lies half-way."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyterlab_tir.events import Saved
from jupyterlab_tir.in_words import number_of, part_of, percent
from jupyterlab_tir.voting.rules_look import RuleDecision


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 samples"), (1, "1 sample"), (2, "2 samples"), (1_024, "1,024 samples")],
)
def test_one_is_singular_and_all_else_plural(number: int, words: str) -> None:
    assert number_of(number, "sample") == words


def test_a_plural_without_an_s_is_given() -> None:
    assert (number_of(1, "reply", "replies"), number_of(2, "reply", "replies")) == (
        "1 reply",
        "2 replies",
    )


def test_the_whole_says_whether_a_part_of_it_is_plural() -> None:
    assert (part_of(1, 2, "sample"), part_of(1, 1, "sample")) == ("1 of 2 samples", "1 of 1 sample")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (5 / 8, "63%"),
        (1 / 8, "13%"),
        (3 / 8, "38%"),
        # 0.285 * 100 is a hair below 28.5 in binary.
        (57 / 200, "29%"),
        (1 / 3, "33%"),
        (0.005, "1%"),
        (1e-9, "0%"),
        (0.0, "0%"),
        (1.0, "100%"),
    ],
)
def test_half_of_a_per_cent_counts_as_a_whole(part: float, words: str) -> None:
    assert percent(part) == words


def test_what_was_saved_is_counted_in_words() -> None:
    saved = Saved(not_started=1, cancelled=1, wasted_tokens=1, saved_tokens_estimated=1)
    assert saved.in_words(1) == (
        "Saved: 1 of 1 sample, never started, about 1 token. Wasted: 1 token of 1 sample in flight."
    )
    many = Saved(not_started=2, cancelled=3, wasted_tokens=4_000, saved_tokens_estimated=50)
    assert many.in_words(8) == (
        "Saved: 2 of 8 samples, never started, about 50 tokens. "
        "Wasted: 4,000 tokens of 3 samples in flight."
    )


def test_a_rule_fired_after_one_sample_of_one() -> None:
    fired = RuleDecision(rule="lossless", words="It is 5.", after=1, numbers={})
    assert fired.in_words(1) == "The rule lossless fired after 1 of 1 sample: It is 5."


def test_no_face_rounds_parts_by_itself() -> None:
    root = Path(__file__).parent.parent
    for package in ("jupyterlab_tir", "kernel_ext"):
        for path in (root / package).rglob("*.py"):
            assert ":.0%}" not in path.read_text(encoding="utf-8"), path
