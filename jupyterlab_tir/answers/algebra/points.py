"""Where variables are tried: fixed pseudo-random numbers that depend on a name and a point only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256

from msgspec import Struct

_BITS = 57
_UNIT = 1 << _BITS
_SMOOTH = 2**7 * 3**4 * 5**5 * 7**2 * 11 * 13
_WHOLE_LOW, _WHOLE_HIGH = 2, 60


WHOLE_NAME = "whole:"
"""What names begin with that stand for whole numbers, whatever the point."""


class Point(Struct, frozen=True):
    """One choice of numbers for all variables.

    Attributes
    ----------
    seed
        Names the point.
    low, high
        Its numbers are between low and high tenths.
    complex_allowed
        Whether a value that is complex on the way counts here.
    is_whole
        Whether its numbers are whole.
    multiple
        What its whole numbers are multiples of.
    """

    seed: str
    low: int
    high: int
    complex_allowed: bool
    is_whole: bool = False
    multiple: int = 1


POSITIVE = tuple(Point(f"positive {index}", 3, 60, complex_allowed=True) for index in range(3))
MIXED = (
    *(Point(f"mixed {index}", -60, 60, complex_allowed=False) for index in range(4)),
    Point("right", 110, 250, complex_allowed=False),
    Point("left", -250, -110, complex_allowed=False),
)
"""Of either sign; the last two tell abs(x - 10) from 10 - x."""

NEAR_ONE = tuple(Point(f"near one {index}", 9, 11, complex_allowed=False) for index in range(3))
"""For high powers: here x^2025 and 1 can be seen side by side."""

REAL = (
    *(Point(f"positive {index}", 3, 60, complex_allowed=False) for index in range(3)),
    *MIXED,
    *(Point(f"unit {index}", -10, 10, complex_allowed=False) for index in range(3)),
    *(Point(f"far {index}", 60, 600, complex_allowed=False) for index in range(3)),
    *(Point(f"wide {index}", -600, 600, complex_allowed=False) for index in range(2)),
)
WHOLE = tuple(
    Point(f"whole {index}", 20, 20 + 60 * (index + 1), complex_allowed=False, is_whole=True)
    for index in range(8)
)
"""Whole numbers from 2 on, of either parity: sums up to a variable need them."""


DECADES = tuple(
    Point(f"decade {power} {side}", min(low, high), max(low, high), complex_allowed=False)
    for power in (2, 3, 4, 6, 9)
    for side, low, high in (
        ("right", 10 * 10**power, 100 * 10**power),
        ("left", -10 * 10**power, -100 * 10**power),
    )
)
"""Far away, for what is made of pieces."""

STEPS = (
    Point("steps right", 20, 6_000, complex_allowed=False, is_whole=True),
    Point("steps far", 10**6, 10**10, complex_allowed=False, is_whole=True),
    *(
        Point(f"smooth {index}", 20, 900, complex_allowed=False, is_whole=True, multiple=_SMOOTH)
        for index in range(2)
    ),
)
"""Whole numbers, where steps are; two with many divisors: gcd(n, 1000) is not gcd(n, 2000)."""


@lru_cache(maxsize=4096)
def number_at(name: str, point: Point) -> Fraction:
    """The variable's number at a point.

    >>> from fractions import Fraction
    >>> Fraction(3, 10) <= number_at("x", POSITIVE[0]) <= 6
    True
    """
    digest = sha256(f"{point.seed}|{name}".encode(errors="surrogatepass")).digest()
    random = int.from_bytes(digest[:12])
    if name.startswith(WHOLE_NAME):
        high = max(abs(point.low), abs(point.high)) // 10 * point.multiple
        low, high = (_WHOLE_LOW, _WHOLE_HIGH) if high < _WHOLE_HIGH else (high // 10, high)
        return Fraction(low + random % (high - low))
    if point.is_whole:
        number = point.low // 10 + random % ((point.high - point.low) // 10)
        return Fraction(number * point.multiple)
    low, high = point.low * _UNIT // 10, point.high * _UNIT // 10
    # An odd numerator keeps it away from every number with a short expansion.
    return Fraction((low + random % (high - low)) | 1, _UNIT)


def numbers_at(names: Iterable[str], point: Point) -> Mapping[str, Fraction]:
    """Numbers of several variables at a point."""
    return {name: number_at(name, point) for name in names}
