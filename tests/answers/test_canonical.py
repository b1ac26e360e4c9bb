# ruff: noqa: RUF001 - typographic signs are what models write
"""Keys of answers, and comparing by them."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import canonical, equivalent, rounds_to
from jupyterlab_tir.answers.arithmetic import rational
from jupyterlab_tir.answers.forms import form_of

FRACTIONS = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**6)
ANSWERS = st.one_of(
    FRACTIONS.map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            [*"0123456789.,+-*/^!(){}[]=xi e%$_\\", "\\frac", "\\sqrt", "\\pm", " and "]
        ),
        max_size=12,
    ).map("".join),
)


def spellings(value: Fraction) -> list[str]:
    n, d = value.numerator, value.denominator
    sign = "-" if n < 0 else ""
    whole, rest = divmod(abs(n), d)
    texts = [f"{n}/{d}", rf"\frac{{{n}}}{{{d}}}", rf"$\dfrac{{{n}}}{{{d}}}$", f"**{n}/{d}**"]
    texts += [rf"\boxed{{{n}/{d}}}", f"x = {n}/{d}", f"({n}/{d})", f"{3 * n}/{3 * d}"]
    texts += [f"{n}/{d}".replace("-", "−"), rf"{n}/{d}\text{{ cm}}^2", rf"\left({n}/{d}\right)"]
    if whole and rest:
        texts += [rf"{sign}{whole}\frac{{{rest}}}{{{d}}}", f"{sign}{whole} {rest}/{d}"]
    if d == 1:
        texts += [
            f"{n:,}",
            f"{n:,}".replace(",", "{,}"),
            f"{n:,}".replace(",", "\\,"),
            f"{n}.0",
            f"{n}.",
        ]
        texts += [f"{sign}00{abs(n)}", f"{n}\\%", rf"{sign}\${abs(n)}", f"{n} apples"]
    return texts


@given(FRACTIONS)
def test_a_rational_has_one_key_in_all_spellings(value: Fraction) -> None:
    expected = f"q:{value}"
    assert {text: canonical(text).key for text in spellings(value)} == dict.fromkeys(
        spellings(value),
        expected,
    )
    assert canonical(f"{value}").value == value


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("3.0", "q:3"),
        (".5", "q:1/2"),
        ("-0", "q:0"),
        ("0.333", "q:333/1000"),
        ("0.3333333333333333", "f:0.3333333333333333"),
        ("3.00000000000000", "q:3"),
        ("1e5", "q:100000"),
        (r"3.0 \cdot 10^{-2}", "q:3/100"),
        (r"0.1\overline{6}", "q:1/6"),
        ("5!", "q:120"),
        ("5!!", "q:15"),
        ("-2^2", "q:-4"),
        ("2^-1", "q:1/2"),
        ("1/2(3)", "q:3/2"),
        ("0.1(6)", "q:1/6"),
        ("2 3", "o:2 3"),
        (r"\binom{10}{3}", "q:120"),
        (r"\sqrt[3]{27}", "q:3"),
        (r"\sqrt{\frac{4}{9}}", "q:2/3"),
        (r"\frac12", "q:1/2"),
        ("1/0", "o:1/0"),
        ("0^0", "o:0^(0)"),
        ("1011_2", "q:11"),
        ("1021_2", "o:1021_(2)"),
        ("3:4", "q:3/4"),
        ("p+q = 181+24 = 205", "q:205"),
        ("5 if n is even", "o:5ifniseven"),
        ("12 mod 5", "q:2"),
        ("1,234", "q:1234"),
        ("(1,234)", "s:(q:1,q:234)"),
        ("12,34", "s:{q:12,q:34}"),
        ("3, 1, 3", "s:{q:1,q:3}"),
        (r"15 \text{ and } 28", "s:{q:15,q:28}"),
        (r"\pm 3", "s:{q:-3,q:3}"),
        ("(1, 0.5)", "s:(q:1,q:1/2)"),
        ("(0,1]", "i:(q:0,q:1]"),
        ("(3+4j)", "c:(q:3,q:4)"),
        ("(2+0j)", "q:2"),
        (r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", "s:[q:1,q:2;q:3,q:4]"),
        (r"\text{Tuesday}", "t:tuesday"),
        ("(C)", "t:C"),
        ("i", "c:(q:0,q:1)"),
        ("", "t:"),
        ("2024-05-01", "t:2024-05-01"),
        ("2:30 PM", "t:2:30 pm"),
        (r"2:30\text{ p.m.}", "t:2:30 pm"),
        ("0.99999999999999999", "q:99999999999999999/100000000000000000"),
        ("0.(3)", "q:1/3"),
        ("x = 0.3333333333333333", "f:0.3333333333333333"),
        ("9^9^9^9", "o:9^(9)^(9)^(9)"),
    ],
)
def test_key(raw: str, key: str) -> None:
    assert canonical(raw).key == key


def test_kind_choice_reads_the_letter_of_an_option_with_its_text() -> None:
    assert canonical(r"C: 3\sqrt{2}", kind="choice").key == "t:C"
    assert canonical("(b) 12", kind="choice").key == "t:B"
    assert canonical("Every option", kind="choice").key == "t:every option"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # What loses spacing or braces must not lose meaning.
        ("x^{1}0", "x^{10}"),
        (r"\log_2 83", r"\log_{28} 3"),
        ("2^{3} 4", "2^{34}"),
        ("1/2*x", "1/(2x)"),
        ("(x+1)/2", "x+1/2"),
        (r"\frac{1}{2}x", "1/(2x)"),
        (r"\sqrt{2}3", r"\sqrt{23}"),
        ("2(3)x", "23x"),
        ("-1^{2}x", "(-1)^2x"),
    ],
)
def test_different_formulas_keep_different_keys(a: str, b: str) -> None:
    assert canonical(a).key != canonical(b).key
    assert equivalent(a, b) is not True


@given(ANSWERS, st.sampled_from([None, "integer", "expression", "choice", "text"]))
def test_any_text_has_a_key(text: str, kind: str | None) -> None:
    answer = canonical(text, kind=kind)
    assert answer.form == form_of(answer.key)
    assert (answer.value is not None) >= (answer.form in {"exact", "float"})
    assert answer.key not in answer.readings


@given(ANSWERS, ANSWERS)
def test_equivalence_is_reflexive_symmetric_and_holds_for_equal_keys(a: str, b: str) -> None:
    assert equivalent(a, a) is True
    assert equivalent(a, b) is equivalent(b, a)
    if canonical(a).key == canonical(b).key:
        assert equivalent(a, b) is True


@given(st.fractions(max_denominator=10**4), st.fractions(max_denominator=10**4))
def test_numbers_are_equal_only_if_they_are(a: Fraction, b: Fraction) -> None:
    assert equivalent(str(a), str(b)) is (a == b)


@given(st.fractions(min_value=-1000, max_value=1000, max_denominator=997))
def test_a_printed_float_is_the_number_that_it_rounds(value: Fraction) -> None:
    assert equivalent(repr(float(value)), str(value)) is True


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("0.30000000000000004", "3/10", True),
        ("0.333333333333333", "1/3", True),
        ("0.3333333333333", "1/3", False),
        ("0.95822454308094", "367/383", True),
        ("0.33333333333333333333", "1/3", True),
        ("0.33333333333333333334", "1/3", False),
        ("none", "0", False),
        ("yes", "no", False),
        (r"\pm 2021", "2021", False),
        ("(0,1)", "[0,1]", False),
        ("(1,2)", r"\{1,2\}", False),
        ("x+1", "1+x", True),
        ("2\\pi", "6.283185", False),
    ],
)
def test_verdict(a: str, b: str, *, expected: bool | None) -> None:
    assert equivalent(a, b) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("1/3", "0.33", True),
        ("1/3", "0.34", False),
        ("2/3", "0.67", True),
        ("2.5", "3", True),
        ("1/8", "0.13", True),
        ("1/8", "0.12", True),
        ("0.33", "1/3", False),
        ("1/2", "0.5", False),
        ("1234", "1200", False),
        ("12345", "1.2e4", True),
        ("Tuesday", "0.5", False),
    ],
)
def test_rounding_to_the_digits_given(a: str, b: str, *, expected: bool) -> None:
    assert rounds_to(a, b) is expected


@pytest.mark.parametrize(
    "raw",
    [
        "9**9**9",
        "2^" * 5000 + "2",
        "999999999!",
        "9" * 10000000,
        "(" * 5000 + "1" + ")" * 5000,
        "(" * 5000 + "1",
        "1+" * 1000000 + "1",
        "-" * 90000 + "1",
        "10^6000*" * 100 + "1",
        "\\frac{" * 10000,
        "{" * 90000,
        "$" * 90000,
        "1 " * 40000,
        "1," * 40000,
        "a " * 40000,
    ],
    ids=lambda raw: raw[:8],
)
def test_hostile_answer_comes_back_soon(raw: str) -> None:
    start = time.perf_counter()
    key = canonical(raw)
    assert len(key.key) < 20_000
    assert time.perf_counter() - start < 10


def test_thousands_of_brackets_around_a_number_are_nothing() -> None:
    assert canonical("(" * 5_000 + "1" + ")" * 5_000).key == "q:1"


def test_sizes_are_guarded_exactly() -> None:
    assert rational("2^{19000}") == 2**19000
    assert rational("2^{30000}") is None
    assert rational("2001!") is None
    assert equivalent("2^{19000}", str(2**4000) + "^{4}*2^{3000}") is True


def test_sixty_four_integer_ballots_are_keyed_in_no_time() -> None:
    start = time.thread_time()
    for index in range(64):
        canonical(str(100_000 + index))
    assert time.thread_time() - start < 0.05
