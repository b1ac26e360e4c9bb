r"""The language of keys: how the key of a whole is made of its parts, and read again.

A key begins with its type:

- ``q:3/4`` an exact rational, in lowest terms (hexadecimal beyond 600 digits);
- ``f:1.4142135623730951`` a decimal of 12 to 60 significant digits, as a float prints (15 to 17,
  less the zeros at its end): it may stand for another exact number. A shorter decimal is exact
  mathematics: 0.5 is 1/2 and 0.333 is not 1/3;
- ``r:…`` an irrational real by its first 50 digits, ``c:…`` a complex number, ``k:…`` an infinity,
  ``x:…`` an expression in variables, by its values at fixed points (`algebra.fingerprint`);
- ``e:…`` an equation or another relation, up to a factor;
- ``s:…`` a set ``{…}``, tuple ``(…)`` or matrix ``[…;…]`` of keys, a system, a ratio;
- ``i:…`` a set of real numbers as disjoint intervals and points, in order;
- ``t:…`` words; ``o:…`` a formula that was not understood, as tidied text.

Pure text work; what parts mean is decided where they are keyed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from .bigint import show_integer

Form = Literal[
    "exact", "float", "real", "complex", "expression", "relation", "structure", "text", "opaque"
]
"""What kind of thing a key stands for."""

_FORMS: dict[str, Form] = {
    "q": "exact",
    "f": "float",
    "r": "real",
    "r2": "real",
    "c": "complex",
    "k": "real",
    "x": "expression",
    "e": "relation",
    "s": "structure",
    "i": "structure",
    "t": "text",
    "o": "opaque",
}
_LEAF = re.compile(r"(?<![0-9A-Za-z:])(q|f|r2?):([-+0-9a-fx./e]+)")
_DECIMAL = re.compile(r"([+-]?)(\d*)\.(\d+)(?:e([+-]?\d{1,4}))?", re.IGNORECASE)
_FLOAT_DIGITS = range(12, 61)
_REPR_DIGITS = 17
_EXPONENT_CHARS = 5


def form_of(key: str) -> Form:
    """Type of a key.

    >>> form_of("q:1/2"), form_of("s:{q:1,q:2}")
    ('exact', 'structure')
    """
    return _FORMS[key.partition(":")[0]]


def rational_key(value: Fraction) -> str:
    """Key of an exact rational.

    >>> rational_key(Fraction(6, 8))
    'q:3/4'
    """
    numerator, denominator = show_integer(value.numerator), show_integer(value.denominator)
    return f"q:{numerator}" if value.denominator == 1 else f"q:{numerator}/{denominator}"


def float_key(decimal: str) -> str | None:
    """Key of a decimal that is long enough to be a float's, or None.

    >>> float_key("0.33333333333333331"), float_key("0.333")
    ('f:0.3333333333333333', None)
    """
    match = _DECIMAL.fullmatch(decimal)
    if match is None or not match[0].isascii():
        return None
    sign, whole, fraction, exponent = match.groups()
    digits = (whole + fraction).lstrip("0").rstrip("0")
    if len(digits) not in _FLOAT_DIGITS:
        return None
    if len(digits) <= _REPR_DIGITS:
        rounded = float(decimal)
        if math.isinf(rounded) or rounded == 0.0:
            return None
        # 0.99999999999999999 is no float: as one, it would print as 1.0.
        printed = f"{rounded:.{len(digits) - 1}e}"
        return "f:" + repr(rounded) if Fraction(printed) == Fraction(decimal) else None
    scale = (
        int(exponent or 0)
        - len(fraction)
        + len(whole + fraction)
        - len((whole + fraction).rstrip("0"))
    )
    return f"f:{'-' if sign == '-' else ''}{digits}e{scale}"


@lru_cache(maxsize=4096)
def value_of(key: str) -> Fraction | None:
    """The number that a key stands for: of ``f:`` the decimal written, of ``r:`` its 50 digits.

    None for anything else, and for a real number too large or small to be written out.

    >>> value_of("q:3/4"), value_of("f:0.25"), value_of("t:yes")
    (Fraction(3, 4), Fraction(1, 4), None)
    """
    match = _LEAF.fullmatch(key)
    if match is None:
        return None
    kind, text = match.groups()
    if kind != "q":
        exponent = text.partition("e")[2]
        return Fraction(text) if len(exponent) <= _EXPONENT_CHARS else None
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator, 0), int(denominator or "1", 0))


def _in_order(keys: Iterable[str]) -> list[str]:
    """Numbers by size and then the rest by text: a float stands where its exact number would."""
    numbers, others = [], []
    for key in set(keys):
        value = value_of(key)
        if value is None:
            others.append(key)
        else:
            numbers.append((value, key))
    return [key for _, key in sorted(numbers)] + sorted(others)


def set_key(keys: Iterable[str]) -> str:
    """Key of a set: order and repetitions do not count.

    >>> set_key(["q:10", "q:9", "q:10"])
    's:{q:9,q:10}'
    """
    return "s:{" + ",".join(_in_order(keys)) + "}"


def tuple_key(keys: Iterable[str], name: str = "") -> str:
    """Key of a tuple, or of what else is told by its parts in order and a name.

    >>> tuple_key(["q:1", "q:2"]), tuple_key(["q:1", "q:2"], "ratio")
    ('s:(q:1,q:2)', 's:ratio(q:1,q:2)')
    """
    return f"s:{name}(" + ",".join(keys) + ")"


def matrix_key(rows: Iterable[Iterable[str]]) -> str:
    """Key of a matrix, row by row.

    >>> matrix_key([["q:1", "q:2"], ["q:3", "q:4"]])
    's:[q:1,q:2;q:3,q:4]'
    """
    return "s:[" + ";".join(",".join(row) for row in rows) + "]"


def complex_key(real: str, imaginary: str) -> str:
    """Key of a complex number with the keys of its parts.

    >>> complex_key("q:3", "q:-4")
    'c:(q:3,q:-4)'
    """
    return f"c:({real},{imaginary})"


def interval_key(opening: str, low: str, high: str, closing: str) -> str:
    """Key of an interval with the keys of its ends; an infinite end is open, whatever is written.

    >>> interval_key("[", "q:0", "k:infinity", "]")
    'i:[q:0,k:infinity)'
    """
    opening = "(" if low == "k:-infinity" else opening
    closing = ")" if high == "k:infinity" else closing
    return f"i:{opening}{low},{high}{closing}"


def list_readings(opening: str, keys: Sequence[str], closing: str) -> tuple[str, ...]:
    """What elements between brackets, or between none, may stand for, the likeliest first.

    Parameters
    ----------
    opening, closing
        ``(`` ``)``, ``[`` ``]``, ``{`` ``}``, one of each for a half-open interval, or two empty
        strings for a bare list.
    keys
        Keys of the elements in the order written.

    >>> list_readings("(", ["q:0", "q:1"], ")")
    ('s:(q:0,q:1)', 'i:(q:0,q:1)')
    >>> list_readings("", ["q:2", "q:1"], "")
    ('s:{q:1,q:2}', 's:(q:2,q:1)')
    """
    interval: tuple[str, ...] = ()
    if _can_be_ends(keys):
        interval = (interval_key(opening, keys[0], keys[1], closing),)
    single = len(set(keys)) == 1 and not keys[0].startswith("s:")
    one = tuple(keys[:1]) if single else ()
    plain, ordered = set_key(keys), tuple_key(keys)
    infinite = any(key.startswith("k:") for key in keys)
    found = {
        "{}": (plain, *one),
        "()": interval if interval and infinite else (ordered, *interval),
        "[]": interval or (ordered, plain, *one),
        "": (*one, plain, ordered),
    }.get(opening + closing)
    return found or interval or (tuple_key(keys, opening + closing),)


def _can_be_ends(keys: Sequence[str]) -> bool:
    if len(keys) != 2:  # noqa: PLR2004 - an interval has two ends
        return False
    low, high = map(value_of, keys)
    from_below = keys[0] == "k:-infinity" or low is not None
    to_above = keys[1] == "k:infinity" or high is not None
    return from_below and to_above and (low is None or high is None or low < high)


def is_float_of(decimal: str, exact: str) -> bool:
    """Whether a key with floats in it is what Python would print for another key, part by part.

    A float is the number that it rounds: both agree as floats, or to 15 significant digits.

    >>> is_float_of("f:0.3333333333333333", "q:1/3"), is_float_of("q:1/3", "q:1/3")
    (True, False)
    >>> is_float_of("s:(f:0.3333333333333333,q:1)", "s:(q:1/3,q:1)")
    True
    """
    if "f:" not in decimal or skeleton(decimal) != skeleton(exact):
        return False
    found = False
    for one, other in zip(_LEAF.finditer(decimal), _LEAF.finditer(exact), strict=True):
        if one.group() == other.group():
            continue
        if one[1] != "f" or not _prints_as(one.group(), other.group()):
            return False
        found = True
    return found


def _prints_as(decimal: str, exact: str) -> bool:
    written, value = value_of(decimal), value_of(exact)
    if written is None or value is None:
        return False
    digits, _, scale = decimal[2:].lstrip("-").partition("e")
    if digits.isdecimal() and len(digits) > _REPR_DIGITS:
        return bool(abs(written - value) * 2 <= Fraction(10) ** int(scale))
    try:
        rounded, shown = float(value), float(written)
    except OverflowError:
        # Beyond 1e308 there is no float that the text could have come from.
        return False
    return rounded == shown or f"{rounded:.14e}" == f"{shown:.14e}"


def has_float(key: str) -> bool:
    """Whether a part of the key is a float, which may stand for another exact number."""
    # A tally asks this of every ballot at every look, and hardly any key has the two letters.
    return "f:" in key and any(leaf[1] == "f" for leaf in _LEAF.finditer(key))


def skeleton(key: str) -> str:
    """The key with its numbers taken out: a float's whole has the skeleton of its exact whole.

    >>> skeleton("s:{q:1,f:0.3333333333333333}")
    's:{#,#}'
    """
    return _LEAF.sub("#", key)
