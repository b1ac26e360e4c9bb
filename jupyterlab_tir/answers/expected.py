r"""What a problem expects of its answers: a kind, a range, a modulus.

An answer outside them votes for nobody, and the reason is said. Nothing is repaired: whoever asked
for a remainder wants it from the sample, not from us. Pure.
"""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec
from msgspec import Struct

from ..config.declared import AnswerKind
from ..config.ranges import parse_range
from .canonical import Canonical
from .forms import form_of, is_float_of, rational_key, value_of

_REAL = re.compile(r"r2?:(.*?)e([+-]?\d+)")
_LETTER = re.compile(r"t:[A-J]")
_MOST_EXPONENT = 2_000
"""Beyond what a bound's digits (see `config`) can reach, so that 10^(10^9) need not be built."""
_MAX_SHOWN_CHARS = 60


class Expected(Struct, frozen=True):
    """What answers of a run must be; None leaves it open.

    Attributes
    ----------
    kind
        "integer"; "choice", one letter from A to J; "expression", mathematics but no words and no
        letter of a choice; "text", anything that is not empty.
    low, high
        Least and greatest number.
    modulus
        N, where answers are integers from 0 to N - 1.
    """

    kind: AnswerKind | None = None
    low: Fraction | None = None
    high: Fraction | None = None
    modulus: int | None = None


def expect(kind: AnswerKind | None, bounds: str | None, modulus: int | None) -> Expected:
    """What the settings of these names say together.

    >>> expect("integer", "0..999", None).high
    Fraction(999, 1)
    """
    low, high = (None, None) if bounds is None else parse_range(bounds)
    return Expected(kind=kind, low=low, high=high, modulus=modulus)


def reason_against(answer: Canonical, raw: str, expected: Expected) -> str | None:
    """Why an answer is not what was asked for, in words; None where it is.

    Parameters
    ----------
    answer
        The answer as `canonical` reads it for the expected kind.
    raw
        The answer as written.
    expected
        What is asked.

    >>> from .canonical import canonical
    >>> reason_against(canonical("7/2"), "7/2", Expected(kind="integer"))
    'It answered 7/2, which is not an integer.'
    >>> reason_against(canonical("6/2"), "6/2", Expected(kind="integer", high=Fraction(9)))
    """
    # What can be read in two ways is as asked if one of them is.
    reasons = [_against(key, expected) for key in answer.keys]
    words = None if None in reasons else reasons[0]
    if expected.kind in ("text", "expression") and not answer.shown.strip():
        words = "empty"
    if words is None:
        return None
    shown = " ".join((answer.shown or raw).split())
    if len(shown) > _MAX_SHOWN_CHARS:
        shown = shown[:_MAX_SHOWN_CHARS] + "…"
    return f"It answered {shown}, which is {words}." if shown else f"Its answer is {words}."


def as_expected(answer: Canonical, expected: Expected) -> Canonical:
    """The answer with those of its readings that are what was asked for, if any is.

    >>> from .canonical import canonical
    >>> as_expected(canonical("[5]"), Expected(kind="integer")).keys
    ('q:5',)
    """
    fitting = tuple(key for key in answer.keys if _against(key, expected) is None)
    if not fitting or fitting == answer.keys:
        return answer
    return msgspec.structs.replace(
        answer, key=fitting[0], form=form_of(fitting[0]), readings=fitting[1:]
    )


def _against(key: str, expected: Expected) -> str | None:
    return _against_kind(key, expected) or _against_bounds(key, expected)


def _against_kind(key: str, expected: Expected) -> str | None:
    match expected.kind:
        case "integer" if _integer(key) is None:
            return "not an integer"
        case "choice" if not _LETTER.fullmatch(key):
            return "none of the letters A to J"
        case "expression" if form_of(key) == "text":
            return "not a mathematical expression"
    return None


def _against_bounds(key: str, expected: Expected) -> str | None:
    low, high, modulus = expected.low, expected.high, expected.modulus
    if modulus is not None:
        remainder = _integer(key)
        if remainder is None or not 0 <= remainder < modulus:
            return f"not an integer from 0 to {modulus - 1}, as remainders of {modulus} are"
    if low is None and high is None:
        return None
    value = _number(key)
    if value is None:
        return "not a number"
    if (low is not None and value < low) or (high is not None and value > high):
        if any(is_float_of(key, rational_key(b)) for b in (low, high) if b is not None):
            return None
        return f"outside the range {_shown(low)}..{_shown(high)}"
    return None


def _integer(key: str) -> int | None:
    value = value_of(key) if key.startswith(("q:", "f:")) else None
    if value is None:
        return None
    nearest = round(value)
    # 12.000000000000002 is the integer that a computation with floats came to.
    fits = value == nearest or is_float_of(key, rational_key(Fraction(nearest)))
    return nearest if fits else None


def _number(key: str) -> Fraction | None:
    """The real number of a key, or one on the same side of every bound."""
    integer = _integer(key)
    if integer is not None:
        return Fraction(integer)
    real = _REAL.fullmatch(key)
    if real is None:
        return value_of(key)
    exponent = max(-_MOST_EXPONENT, min(int(real[2]), _MOST_EXPONENT))
    return Fraction(f"{real[1]}e{exponent}")


def _shown(bound: Fraction | None) -> str:
    if bound is None:
        return ""
    if bound.denominator == 1:
        return str(bound.numerator)
    places = 0
    while (bound * 10**places).denominator != 1:
        places += 1
    digits = str(abs(bound.numerator) * 10**places // bound.denominator).rjust(places + 1, "0")
    return f"{'-' if bound < 0 else ''}{digits[:-places]}.{digits[-places:]}"
