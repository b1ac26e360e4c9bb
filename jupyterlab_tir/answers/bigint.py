"""Integers as text without Python's 4,300-digit limit, and the sizes that we reach."""

from __future__ import annotations

MAX_BITS = 20_000
"""No number longer than this (about 6,000 digits) is computed; such answers stay text."""

MAX_DIGITS = MAX_BITS * 3 // 10
_CHUNK_DIGITS = 600
_PLAIN_BITS = 1_990


def read_digits(digits: str) -> int | None:
    """Value of a string of decimal digits; None if it is longer than we compute with.

    >>> read_digits("007")
    7
    """
    digits = digits.lstrip("0")
    if len(digits) > MAX_DIGITS:
        return None
    value = 0
    # Chunks stay under the lowest value to which a user can set int's digit limit (640).
    for start in range(0, len(digits), _CHUNK_DIGITS):
        chunk = digits[start : start + _CHUNK_DIGITS]
        value = value * 10 ** len(chunk) + int(chunk)
    return value


def show_integer(value: int) -> str:
    """The integer in decimal, or in hexadecimal beyond 600 digits, where decimal costs too much.

    >>> show_integer(-12), show_integer(2**4000)[:6]
    ('-12', '0x1000')
    """
    return str(value) if value.bit_length() <= _PLAIN_BITS else hex(value)
