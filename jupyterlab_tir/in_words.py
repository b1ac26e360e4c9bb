"""Counts and parts as sentences write them: singular, plural and rounding in one place. Pure."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal


def number_of(number: int, noun: str, plural: str | None = None) -> str:
    """A number with what it counts; the plural has an s where none is given.

    Examples
    --------
    >>> number_of(1, "sample"), number_of(2_048, "token"), number_of(0, "reply", "replies")
    ('1 sample', '2,048 tokens', '0 replies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def part_of(number: int, whole: int, noun: str) -> str:
    """A number of a whole, with what both count.

    Examples
    --------
    >>> part_of(1, 4, "finished sample"), part_of(1, 1, "finished sample")
    ('1 of 4 finished samples', '1 of 1 finished sample')
    """
    return f"{number:,} of {number_of(whole, noun)}"


def percent(part: float) -> str:
    """A part of 1 in whole per cent; half of one counts as a whole, as in the page's charts.

    The decimal number as it is written is rounded, not its binary neighbour: 0.285 is 28.5 %.

    Examples
    --------
    >>> percent(0.625), percent(0.285), percent(2 / 3), percent(1.0)
    ('63%', '29%', '67%', '100%')
    """
    whole = Decimal(repr(part)).scaleb(2).quantize(Decimal(1), ROUND_HALF_UP)
    return f"{whole}%"
