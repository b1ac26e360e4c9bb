"""Functions that begin with whole numbers: factorials, binomials, divisors, rounding.

Beyond whole numbers, factorials and binomials go on as the gamma function does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..bigint import MAX_BITS
from .elementary import is_real, power, sign_of, smooth
from .precision import (
    Arithmetic,
    Ball,
    TooBigError,
    UndefinedError,
    Value,
    magnitude,
    size,
)

_ONE = Fraction(1)
_MAX_FACTORS = 2_000
_MAX_MODULAR_WORK = 10**9
_MAX_GAMMA_BITS = 150


def _whole(value: Value) -> int | None:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else None


def _integers(arithmetic: Arithmetic, values: Sequence[Value]) -> list[int]:
    found = []
    for value in values:
        integer = _whole(arithmetic.settled(value))
        if integer is None:
            raise UndefinedError("a divisor is asked of what is not a whole number")
        found.append(integer)
    return found


def gamma(arithmetic: Arithmetic, x: Value) -> Value:
    """Euler's gamma function, (x - 1)! at whole numbers."""
    return factorial(arithmetic, arithmetic.add([x, -_ONE]))


def factorial(arithmetic: Arithmetic, x: Value) -> Value:
    """N! of whole numbers, gamma(x + 1) of others."""
    n = _whole(x)
    if n is not None:
        if n < 0:
            raise UndefinedError("the factorial of a negative whole number")
        # n! has at most n * log2(n) bits.
        if n * n.bit_length() <= MAX_BITS * 5 // 4:
            arithmetic.budget.charge(1 + n // 10)
            return Fraction(math.factorial(n))
    return _smooth_gamma(arithmetic, arithmetic.add([x, _ONE]), "gamma")


def _smooth_gamma(arithmetic: Arithmetic, x: Value, name: str) -> Value:
    if isinstance(x, Ball) and is_real(x) and x.mid < 1:
        nearest = arithmetic.context.nint(x.mid)
        if magnitude(x.mid - nearest) - 2 <= x.error:
            x = arithmetic.settled(x)
            n = _whole(x)
            if n is not None and n <= 0:
                if name == "rgamma":
                    return Fraction(0)
                raise UndefinedError("a pole of the gamma function")
    if arithmetic.magnitude(x) > _MAX_GAMMA_BITS:
        raise TooBigError("the factorial is too long a number")
    arithmetic.budget.charge(30 * arithmetic.cost * (1 + arithmetic.bits // 512) ** 3)
    return smooth(arithmetic, getattr(arithmetic.context, name), x)


def _reciprocal_gamma(arithmetic: Arithmetic, x: Value) -> Value:
    n = _whole(x)
    if n is not None and n <= 0:
        return Fraction(0)
    return _smooth_gamma(arithmetic, x, "rgamma")


def double_factorial(arithmetic: Arithmetic, x: Value) -> Value:
    """N!! = n(n - 2)(n - 4)…; only of whole numbers from -1."""
    n = _whole(arithmetic.settled(x))
    if n is None or n < -1:
        raise UndefinedError("the double factorial of what is not a whole number")
    if n * n.bit_length() > 2 * MAX_BITS:
        raise TooBigError("the double factorial is too long a number")
    arithmetic.budget.charge(1 + n)
    return Fraction(math.prod(range(n, 0, -2)))


def _falling(arithmetic: Arithmetic, n: Value, k: int) -> Value:
    if isinstance(n, Fraction) and n.denominator == 1 and 0 <= n < k:
        return Fraction(0)
    found: Value = _ONE
    for step in range(k):
        found = arithmetic.multiply(found, arithmetic.add([n, Fraction(-step)]))
    return found


def permutations(arithmetic: Arithmetic, n: Value, k: Value) -> Value:
    """n!/(n - k)!: n(n - 1)…(n - k + 1) where k is whole."""
    count = _whole(k)
    if count is not None and 0 <= count <= _MAX_FACTORS:
        return _falling(arithmetic, n, count)
    rest = arithmetic.add([n, arithmetic.negative(k), _ONE])
    return arithmetic.multiply(factorial(arithmetic, n), _reciprocal_gamma(arithmetic, rest))


def binomial(arithmetic: Arithmetic, n: Value, k: Value) -> Value:
    """n!/(k!(n - k)!); zero for whole numbers k below 0, and above n where n is whole too."""
    count, whole = _whole(k), _whole(n)
    if count is not None and count < 0:
        return Fraction(0)
    if whole is not None and whole >= 0 and count is not None:
        if count > whole:
            return Fraction(0)
        count = min(count, whole - count)
        if count * whole.bit_length() <= 2 * MAX_BITS:
            arithmetic.budget.charge(1 + count)
            return arithmetic.limited(Fraction(math.comb(whole, count)))
    if count is not None and count <= _MAX_FACTORS:
        below = factorial(arithmetic, Fraction(count))
        return arithmetic.divide(_falling(arithmetic, n, count), below)
    rest = arithmetic.add([n, arithmetic.negative(k), _ONE])
    under = arithmetic.multiply(
        _reciprocal_gamma(arithmetic, arithmetic.add([k, _ONE])),
        _reciprocal_gamma(arithmetic, rest),
    )
    return arithmetic.multiply(factorial(arithmetic, n), under)


def floor(arithmetic: Arithmetic, x: Value) -> Value:
    """The greatest whole number not above x."""
    if not is_real(x):
        raise UndefinedError("rounding a complex number")
    if isinstance(x, Fraction):
        return Fraction(x.numerator // x.denominator)
    ball = arithmetic.ball(x)
    if magnitude(ball.mid) > MAX_BITS:
        raise TooBigError("rounding a number that is too long")
    if magnitude(ball.mid) > arithmetic.bits or ball.error > -2:  # noqa: PLR2004 - quarters
        arithmetic.more()
    step = arithmetic.context.ldexp(1, max(ball.error, magnitude(ball.mid) - arithmetic.bits) + 1)
    low, high = (int(arithmetic.context.floor(end)) for end in (ball.mid - step, ball.mid + step))
    if low == high:
        if magnitude(ball.mid) > arithmetic.level.bits:
            arithmetic.absorbed_exactly = True
        return Fraction(low)
    settled = arithmetic.settled(ball)
    return floor(arithmetic, settled) if isinstance(settled, Fraction) else arithmetic.more()


def ceiling(arithmetic: Arithmetic, x: Value) -> Value:
    """The least whole number not below x."""
    return arithmetic.negative(floor(arithmetic, arithmetic.negative(x)))


def modulo(arithmetic: Arithmetic, a: Value, b: Value) -> Value:
    """A - b*floor(a/b): from 0 up to a positive b."""
    turns = floor(arithmetic, arithmetic.divide(a, b))
    return arithmetic.add([a, arithmetic.negative(arithmetic.multiply(b, turns))])


def power_modulo(arithmetic: Arithmetic, arguments: Sequence[Value]) -> Value:
    """base^exponent mod modulus, without the power where all are whole."""
    base, exponent, modulus = arguments
    a, n, m = _whole(base), _whole(exponent), _whole(modulus)
    if a is None or n is None or m is None or n < 0 or m <= 0:
        return modulo(arithmetic, power(arithmetic, base, exponent), modulus)
    if n.bit_length() * m.bit_length() ** 2 > _MAX_MODULAR_WORK:
        raise TooBigError("the power takes more work than we spend")
    arithmetic.budget.charge(1 + n.bit_length() * m.bit_length() ** 2 // 1000)
    if a == 0 and n == 0:
        raise UndefinedError("0 to a power that is not positive")
    return Fraction(pow(a, n, m))


def greatest_divisor(arithmetic: Arithmetic, values: Sequence[Value]) -> Value:
    """The greatest common divisor of whole numbers."""
    return Fraction(math.gcd(*_integers(arithmetic, values)))


def least_multiple(arithmetic: Arithmetic, values: Sequence[Value]) -> Value:
    """The least common multiple of whole numbers."""
    found = Fraction(math.lcm(*_integers(arithmetic, values)))
    if size(found) > MAX_BITS:
        raise TooBigError("the common multiple is too long a number")
    return found


def extreme(arithmetic: Arithmetic, values: Sequence[Value], sign: int) -> Value:
    """The greatest (sign 1) or the least (sign -1) of real values."""
    found = values[0]
    if not all(is_real(value) for value in values):
        raise UndefinedError("complex numbers have no order")
    for value in values[1:]:
        difference = arithmetic.add([value, arithmetic.negative(found)])
        if sign_of(arithmetic, difference) == sign:
            found = value
    return found
