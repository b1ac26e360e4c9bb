"""Exact arithmetic of numbers as people, models and Python write them: integers, fractions, roots.

Takes text that `plain.plain` has tidied and gives a rational number, or None for everything that
is not one (variables, π, irrational roots) or is too big. It never evaluates code, its work is
bounded by `bigint.MAX_BITS` and its depth by `MAX_DEPTH`.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from .bigint import MAX_BITS, MAX_DIGITS, read_digits

MAX_DEPTH = 40
MAX_CHARS = 20_000
_MAX_FACTORIAL = 2_000
_MAX_BINOMIAL = 20_000
_MAX_OPERATIONS = 500
_NUMBER = re.compile(
    r"(\d*)\.(\d*)\\(?:overline|bar|dot)\{(\d+)\}"
    r"|(\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,6})(?![A-Za-z0-9.]))?",
)
_SPACE = re.compile(r"\s*")
_FUNCTION = re.compile(r"\\?(frac|binom|sqrt|floor|ceil|abs)(?![A-Za-z])")
_TIMES = ("*", "\\cdot", "\\times")


class _NotRationalError(Exception):
    """The text is not a rational number that we compute."""


def rational(text: str) -> Fraction | None:
    r"""Exact value of an arithmetic expression, or None.

    >>> rational("2^{10}-24"), rational(r"\frac12"), rational("sqrt(2)"), rational("9^9^9")
    (Fraction(1000, 1), Fraction(1, 2), None, None)
    """
    text = _without_outer_brackets(text.strip())
    if not text or len(text) > MAX_CHARS:
        return None
    try:
        return _Reader(text).whole()
    except _NotRationalError:
        return None


def _without_outer_brackets(text: str) -> str:
    """Drop brackets around the whole, of which hostile answers have thousands."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for index, sign in enumerate(text):
        if sign in "({":
            stack.append(index)
        elif sign in ")}":
            if not stack:
                return text
            pairs[stack.pop()] = index
    low, high = 0, len(text) - 1
    while low < high and text[low] + text[high] in {"()", "{}"} and pairs.get(low) == high:
        low, high = low + 1, high - 1
    return text[low : high + 1]


class _Reader:
    """Recursive descent over one expression, with guards on depth, size and number of steps."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.operations = 0

    def whole(self) -> Fraction:
        value = self._sum()
        self._skip()
        if self.at < len(self.text):
            raise _NotRationalError
        return value

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _takes(self, *signs: str) -> str | None:
        self._skip()
        for sign in signs:
            if self.text.startswith(sign, self.at):
                end = self.at + len(sign)
                if sign[-1].isalpha() and self.text[end : end + 1].isalpha():
                    continue
                self.at = end
                return sign
        return None

    def _guard(self, value: Fraction) -> Fraction:
        self.operations += 1
        size = value.numerator.bit_length() + value.denominator.bit_length()
        if self.operations > _MAX_OPERATIONS or size > MAX_BITS:
            raise _NotRationalError
        return value

    def _sum(self) -> Fraction:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NotRationalError
        value = self._product()
        while sign := self._takes("+", "-"):
            term = self._product()
            value = self._guard(value + term if sign == "+" else value - term)
        self.depth -= 1
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        divided = False
        while True:
            if self._takes(*_TIMES):
                value = self._guard(value * self._signed())
            elif self._takes("/", "\\div"):
                value = self._guard(_quotient(value, self._signed()))
                divided = True
            elif self._starts_factor():
                # 1/2(3) is read both ways by people.
                if divided:
                    raise _NotRationalError
                value = self._guard(value * self._power())
            else:
                return value

    def _starts_factor(self) -> bool:
        self._skip()
        return self.text[self.at : self.at + 1] in {"(", "{"} or bool(
            _FUNCTION.match(self.text, self.at)
        )

    def _signed(self) -> Fraction:
        negative = False
        while sign := self._takes("-", "+"):
            negative ^= sign == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Fraction:
        base = self._factorial()
        if not self._takes("**", "^"):
            return base
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NotRationalError
        exponent = self._signed()
        self.depth -= 1
        return self._guard(_raised(base, exponent))

    def _factorial(self) -> Fraction:
        value = self._atom()
        if self._takes("!!"):
            raise _NotRationalError
        if self._takes("!"):
            if value.denominator != 1 or not 0 <= value <= _MAX_FACTORIAL:
                raise _NotRationalError
            value = self._guard(Fraction(math.factorial(value.numerator)))
        return value

    def _atom(self) -> Fraction:
        self._skip()
        if self.text[self.at : self.at + 1].isdecimal() or self.text[self.at : self.at + 1] == ".":
            return self._mixed(self._number())
        function = _FUNCTION.match(self.text, self.at)
        if function is not None:
            self.at = function.end()
            return self._call(function[1])
        if self._takes("("):
            return self._until(")")
        if self._takes("{"):
            return self._until("}")
        raise _NotRationalError

    def _until(self, closing: str) -> Fraction:
        value = self._sum()
        if not self._takes(closing):
            raise _NotRationalError
        return value

    def _number(self) -> Fraction:
        match = _NUMBER.match(self.text, self.at)
        if match is None or match.end() == self.at:
            raise _NotRationalError
        self.at = match.end()
        before, after, period, whole, fraction, exponent = match.groups()
        if fraction is not None and self.text[self.at : self.at + 1] == "(":
            # 0.1(6) is 1/6 to some and 0.6 to others.
            raise _NotRationalError
        if period:
            fixed = _read((before or "") + (after or ""))
            both = _read((before or "") + (after or "") + period)
            return Fraction(both - fixed, 10 ** len(after or "") * (10 ** len(period) - 1))
        digits = (whole or "").replace(",", "") + (fraction or "")
        if not digits:
            raise _NotRationalError
        scale = int(exponent or 0) - len(fraction or "")
        if abs(scale) > MAX_DIGITS:
            raise _NotRationalError
        value = Fraction(_read(digits))
        return self._guard(value * 10**scale if scale >= 0 else value / 10**-scale)

    def _mixed(self, whole: Fraction) -> Fraction:
        """A whole number before a proper fraction is a mixed number."""
        self._skip()
        match = _FUNCTION.match(self.text, self.at)
        if match is None or match[1] != "frac" or whole.denominator != 1:
            return whole
        back = self.at
        self.at = match.end()
        part = self._call("frac")
        if 0 < part < 1:
            return whole + part
        self.at = back
        return whole

    def _argument(self) -> Fraction:
        self._skip()
        if self.text[self.at : self.at + 1].isdecimal():
            # \frac12 takes one digit at a time.
            self.at += 1
            return Fraction(int(self.text[self.at - 1]))
        if self._takes("{"):
            return self._until("}")
        if self._takes("("):
            return self._until(")")
        raise _NotRationalError

    def _call(self, name: str) -> Fraction:
        if name == "sqrt":
            degree = Fraction(2)
            if self._takes("["):
                degree = self._until("]")
            return self._guard(_raised(self._argument(), _quotient(Fraction(1), degree)))
        first = self._argument()
        if name == "floor":
            return Fraction(math.floor(first))
        if name == "ceil":
            return Fraction(math.ceil(first))
        if name == "abs":
            return abs(first)
        second = self._argument()
        if name == "frac":
            return self._guard(_quotient(first, second))
        if (
            first.denominator != 1
            or second.denominator != 1
            or not 0 <= first <= _MAX_BINOMIAL
            or second < 0
        ):
            raise _NotRationalError
        return self._guard(Fraction(math.comb(first.numerator, second.numerator)))


def _read(digits: str) -> int:
    value = read_digits(digits)
    if value is None:
        raise _NotRationalError
    return value


def _quotient(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise _NotRationalError
    return a / b


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        base = _root(base, exponent.denominator)
    power = exponent.numerator
    if base == 0:
        if power <= 0:
            raise _NotRationalError
        return base
    if abs(base) == 1:
        return base if power % 2 else Fraction(1)
    size = max(abs(base.numerator).bit_length(), base.denominator.bit_length())
    if abs(power) * (size - 1) > MAX_BITS:
        raise _NotRationalError
    return base**power


def _root(base: Fraction, degree: int) -> Fraction:
    """Exact root of a non-negative rational; there is none for most."""
    if base < 0 or degree > MAX_BITS:
        raise _NotRationalError
    return Fraction(_integer_root(base.numerator, degree), _integer_root(base.denominator, degree))


def _integer_root(value: int, degree: int) -> int:
    if degree == 2:  # noqa: PLR2004 - the square root has its own function
        root = math.isqrt(value)
    else:
        low, high = 0, 1 << (value.bit_length() // degree + 1)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if middle**degree <= value else (low, middle - 1)
        root = low
    if root**degree != value:
        raise _NotRationalError
    return root
