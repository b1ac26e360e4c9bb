"""What answers must be: kinds, ranges and remainders, and why an answer is none of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from jupyterlab_tir.answers import Canonical, canonical
from jupyterlab_tir.answers.expected import (
    Expected,
    as_expected,
    expect,
    reason_against,
)
from jupyterlab_tir.config.ranges import parse_range
from jupyterlab_tir.errors import UsageError


def against(raw: str, expected: Expected) -> str | None:
    return reason_against(canonical(raw, kind=expected.kind), raw, expected)


@pytest.mark.parametrize(
    "raw",
    [
        "3.0", "6/2", "2^{10}", "1,234", "12 cm", r"\$5", "-0", "n = 17", r"\frac{10}{5}", "1e3",
        "12.000000000000002", "9" * 900, r"$42$", "101_2",
    ],
)  # fmt: skip
def test_integers_however_they_are_written(raw: str) -> None:
    assert against(raw, Expected(kind="integer")) is None


@pytest.mark.parametrize(
    "raw",
    [
        "3.5",
        "1/3",
        "x",
        "yes",
        "(1, 2)",
        "1, 2",
        r"\sqrt{2}",
        "12.1",
        "12.0000001",
        "C",
        "",
        "1..2",
    ],
)
def test_what_is_no_integer(raw: str) -> None:
    assert "not an integer" in (against(raw, Expected(kind="integer")) or "")


@pytest.mark.parametrize(
    "raw", ["C", "(C)", r"\text{C}", "C) 12", r"C: 3\sqrt2", r"\textbf{(C)}\ 12"]
)
def test_letters_of_a_choice(raw: str) -> None:
    assert against(raw, Expected(kind="choice")) is None
    assert canonical(raw, kind="choice").key == canonical("C", kind="choice").key


@pytest.mark.parametrize("raw", ["K", "12", "Cat", "A, B", "both A and B", r"3\sqrt2", "AB"])
def test_what_is_no_letter_of_a_choice(raw: str) -> None:
    assert "none of the letters A to J" in (against(raw, Expected(kind="choice")) or "")


@pytest.mark.parametrize("raw", ["1/2", "x^2 - 1", r"\frac{\pi}{4}", "(1, 2)", r"\sqrt{2}+1", "-7"])
def test_expressions_are_mathematics(raw: str) -> None:
    assert against(raw, Expected(kind="expression")) is None


@pytest.mark.parametrize("raw", ["yes", "no idea", r"\text{Tuesday}", "(C)", "B"])
def test_words_and_letters_are_no_expressions(raw: str) -> None:
    assert against(raw, Expected(kind="expression")) == (
        f"It answered {canonical(raw).shown}, which is not a mathematical expression."
    )


@pytest.mark.parametrize(
    ("raw", "is_text"), [("yes", True), ("12", True), ("", False), (" $ ", True)]
)
def test_text_is_anything_but_empty(raw: str, *, is_text: bool) -> None:
    assert (against(raw, Expected(kind="text")) is None) is is_text


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0..99999", 0, 99999),
        ("-5..5", -5, 5),
        ("1..", 1, None),
        ("..0.5", None, Fraction(1, 2)),
        ("-0.25..+1.50", Fraction(-1, 4), Fraction(3, 2)),
        (" 0 .. 1 ", 0, 1),
        ("7..7", 7, 7),
    ],
)
def test_ranges(text: str, low: Any, high: Any) -> None:
    assert parse_range(text) == (low, high)


@pytest.mark.parametrize(
    "text", ["", "..", "5", "1...2", ".5..1", "a..b", "1..2..3", "1-2", "٣..٤"]
)
def test_what_is_no_range_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="two numbers with two dots between"):
        parse_range(text)


def test_range_that_ends_below_its_beginning_is_refused() -> None:
    with pytest.raises(UsageError, match="ends below its beginning"):
        parse_range("2..1.5")


@pytest.mark.parametrize(
    ("raw", "bounds", "is_inside"),
    [
        ("0", "0..99999", True),
        ("99999", "0..99999", True),
        ("100000", "0..99999", False),
        ("-1", "0..99999", False),
        ("1/2", "..0.5", True),
        ("0.5000001", "..0.5", False),
        ("0.30000000000000004", "..0.3", True),  # the float of 0.1 + 0.2
        ("0.3000000000001", "..0.3", False),
        ("1000000", "1..", True),
        ("0", "1..", False),
        ("12.000000000000002", "0..12", True),
        ("3.5", "0..5", True),
        (r"2\sqrt{2}", "0..3", True),
        (r"\pi", "0..3", False),
        (r"10^{10^{6}}\pi", "0..3", False),
        ("9" * 5000, "0..99999", False),
        ("9" * 5000, "0..", True),
    ],
)
def test_bounds_belong_to_the_range(raw: str, bounds: str, *, is_inside: bool) -> None:
    assert (against(raw, expect(None, bounds, None)) is None) is is_inside


@pytest.mark.parametrize("raw", ["x", "yes", "(1, 2)", "C", "1, 2"])
def test_a_range_implies_numbers(raw: str) -> None:
    assert against(raw, expect(None, "0..9", None)) == f"It answered {raw}, which is not a number."


@pytest.mark.parametrize(
    ("key", "is_inside"),
    [
        ("r:1.4142135623730950488016887242096980785696718753769", True),
        ("r:3.1415926535897932384626433832795028841971693993751", False),
        ("r:-1.4142135623730950488016887242096980785696718753769", False),
        ("r2:1.0e+369693099", False),
        ("r:1.0e-369693099", True),
        ("r:-1.0e-369693099", False),
        ("k:infinity", False),
        ("c:1|2", False),
    ],
)
def test_irrational_numbers_lie_where_their_digits_say(key: str, *, is_inside: bool) -> None:
    exponent = "" if "e" in key or key[0] != "r" else "e+0"
    answer = Canonical(key=key + exponent, shown="?", form="text")
    assert (reason_against(answer, "?", expect(None, "0..3", None)) is None) is is_inside


@pytest.mark.parametrize(
    ("raw", "is_remainder"),
    [
        ("0", True),
        ("6", True),
        ("7", False),
        ("-1", False),
        ("701", False),
        ("1/2", False),
        ("x", False),
    ],
)
def test_nobody_reduces_an_answer_to_a_remainder(raw: str, *, is_remainder: bool) -> None:
    reason = against(raw, expect(None, None, 7))
    assert (reason is None) is is_remainder
    if reason is not None:
        assert reason.endswith("which is not an integer from 0 to 6, as remainders of 7 are.")


def test_kind_range_and_modulus_hold_together() -> None:
    expected = expect("integer", "2..4", 7)
    assert against("3", expected) is None
    assert against("3.5", expected) == "It answered 3.5, which is not an integer."
    assert against("5", expected) == "It answered 5, which is outside the range 2..4."


def test_an_answer_with_two_readings_has_the_one_that_was_asked_for() -> None:
    assert against("[5]", Expected(kind="integer")) is None
    assert as_expected(canonical("[5]"), Expected(kind="integer")).keys == ("q:5",)
    pair = canonical("(0, 1)")
    assert as_expected(pair, Expected(kind="integer")) == pair
    assert as_expected(pair, Expected()) == pair


def test_nothing_expected_takes_anything() -> None:
    for raw in ("", "x", "12", "C", "yes"):
        assert against(raw, Expected()) is None


@pytest.mark.parametrize(
    ("bounds", "shown"),
    [("-0.05..12", "-0.05..12"), ("1.50..", "1.5.."), ("..100", "..100"), ("0.001..1", "0.001..1")],
)
def test_reason_names_the_range(bounds: str, shown: str) -> None:
    reason = against("-1000" if not bounds.startswith("..") else "1000", expect(None, bounds, None))
    assert (reason or "").endswith(f"outside the range {shown}.")


def test_reason_shows_a_long_answer_in_short() -> None:
    reason = against("9" * 5000, expect("integer", "0..9", None))
    assert reason == f"It answered {'9' * 60}…, which is outside the range 0..9."
