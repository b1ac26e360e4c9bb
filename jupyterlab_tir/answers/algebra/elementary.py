"""Exponentials, logarithms, powers, sines and cosines of values.

Exact arguments give exact values where a person would expect one: cos(pi/3), 8^(2/3), e^(i*pi).
Branches are the principal ones, with one exception that people mean: the root of a
negative number of odd degree is real, whether written as root(-8, 3) or as (-8)^(1/3).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath.libmp import NoConvergence

from ..bigint import MAX_BITS
from .precision import (
    NOTHING,
    Arithmetic,
    Ball,
    Exact,
    NotRealError,
    TooBigError,
    UndefinedError,
    Value,
    exact,
    magnitude,
    parts,
    size,
)

ONE = Fraction(1)
HALF = Fraction(1, 2)
_MAX_ROOT_DEGREE = 1_000
_HIGH_POWER = 16
_MAX_ARGUMENT_BITS = 400

SINES = {Fraction(0): Fraction(0), HALF: Fraction(1, 6), ONE: HALF}
"""Rational sines and the angles in units of pi (Niven: there are no others)."""


def smooth(
    arithmetic: Arithmetic,
    function: Callable[[Any], Any],
    argument: Value,
    *,
    relative: bool = False,
    is_real: bool = True,
) -> Value:
    """An analytic function of a value; its error is measured beside the argument.

    Parameters
    ----------
    relative
        Whether the function's error depends on the argument's relative error (logarithms) rather
        than on its absolute one.
    is_real
        Whether a complex value of a real argument counts as not real.
    """
    x = arithmetic.ball(argument)
    scale = magnitude(x.mid)
    if x.error > (scale if relative else min(scale, 0)) - 16:
        arithmetic.more()
    note_flat(arithmetic, scale)
    arithmetic.budget.charge(12 * arithmetic.cost)
    context = arithmetic.context
    mid = _called(function, x.mid)
    error = magnitude(mid) - arithmetic.bits + 4
    if x.error > NOTHING // 2:
        step = max(x.error, scale - arithmetic.bits + 1)
        arithmetic.budget.charge(12 * arithmetic.cost)
        beside = _called(function, x.mid + context.ldexp(context.one, step))
        error = max(error, magnitude(beside - mid) + 2)
    if is_real and hasattr(x.mid, "_mpf_") and hasattr(mid, "_mpc_"):
        require_complex(arithmetic)
    return arithmetic.decided(mid, error, max(scale, 1))


def _called(function: Callable[[Any], Any], argument: Any) -> Any:  # noqa: ANN401 - mpf or mpc
    try:
        found = function(argument)
    except (ValueError, ZeroDivisionError) as error:
        raise UndefinedError(f"the function has no value there: {error}") from error
    except (NoConvergence, OverflowError) as error:
        raise TooBigError("the function takes more work than we spend") from error
    # Infinities and nan have no mantissa but an exponent.
    for _, mantissa, exponent, _ in getattr(found, "_mpc_", None) or (found._mpf_,):
        if not mantissa and exponent:
            raise UndefinedError("the function has a pole there")
    return found


def note_flat(arithmetic: Arithmetic, scale: int) -> None:
    """Mark an argument so small or so large that the function's value may hide it."""
    if scale != NOTHING and abs(scale) > arithmetic.level.bits // 2:
        arithmetic.absorbed = True


def require_complex(arithmetic: Arithmetic) -> None:
    """Raise where only real values count."""
    if not arithmetic.complex_allowed:
        raise NotRealError("the value is not real")


def is_real(value: Value) -> bool:
    """Whether a value is on the real line for certain."""
    if isinstance(value, Ball):
        return hasattr(value.mid, "_mpf_")
    return not parts(value)[1]


def sign_of(arithmetic: Arithmetic, value: Value) -> int:
    """-1, 0 or 1 of a real value."""
    if isinstance(value, Fraction):
        return (value > 0) - (value < 0)
    if isinstance(value, Exact):
        return 1 if value.re > 0 else -1
    if magnitude(value.mid) - 2 <= value.error:
        settled = arithmetic.settled(value)
        return arithmetic.more() if isinstance(settled, Ball) else sign_of(arithmetic, settled)
    return 1 if value.mid > 0 else -1


def exponential(arithmetic: Arithmetic, argument: Value) -> Value:
    """E to a power; exact at 0 and at rational multiples of i*pi."""
    if argument == 0:
        return ONE
    if isinstance(argument, Exact) and argument.power == 1 and not argument.re:
        cosine, sine = (
            turned(arithmetic, name, Exact(argument.im, Fraction(0), 1)) for name in ("cos", "sin")
        )
        return arithmetic.add([cosine, arithmetic.multiply(exact(Fraction(0), ONE, 0), sine)])
    x = arithmetic.ball(argument)
    scale = magnitude(x.mid)
    if scale > _MAX_ARGUMENT_BITS // 2:
        raise TooBigError("the exponential is too long a number")
    if x.error > -8:  # noqa: PLR2004 - not even its first digits are known
        arithmetic.more()
    if scale < -arithmetic.level.bits:
        arithmetic.absorbed = True
    arithmetic.budget.charge(10 * arithmetic.cost)
    mid = arithmetic.context.exp(x.mid)
    return arithmetic.limited(
        Ball(mid, magnitude(mid) + max(x.error + 1, -arithmetic.bits + 1) + 2)
    )


def logarithm(arithmetic: Arithmetic, argument: Value) -> Value:
    """Principal natural logarithm."""
    if argument == 0:
        raise UndefinedError("the logarithm of 0")
    if argument == 1:
        return Fraction(0)
    if isinstance(argument, Ball) and hasattr(argument.mid, "_mpc_") and argument.mid.real <= 0:
        argument = arithmetic.real(argument)
    if isinstance(argument, Exact) and argument.im and not argument.re:
        angle = exact(Fraction(0), HALF if argument.im > 0 else -HALF, 1)
        length = exact(abs(argument.im), Fraction(0), argument.power)
        return arithmetic.add([logarithm(arithmetic, length), angle])
    if not is_real(argument):
        return smooth(arithmetic, arithmetic.context.log, argument, relative=True)
    sign = sign_of(arithmetic, argument)
    if sign == 0:
        raise UndefinedError("the logarithm of 0")
    if sign > 0:
        return _positive_logarithm(arithmetic, argument)
    require_complex(arithmetic)
    positive = logarithm(arithmetic, arithmetic.negative(argument))
    return arithmetic.add([positive, exact(Fraction(0), ONE, 1)])


def _positive_logarithm(arithmetic: Arithmetic, argument: Value) -> Value:
    x = arithmetic.ball(argument)
    arithmetic.budget.charge(10 * arithmetic.cost)
    mid = arithmetic.context.log(x.mid)
    error = max(x.error - magnitude(x.mid) + 2, magnitude(mid) - arithmetic.bits) + 1
    return arithmetic.decided(mid, error, 1)


def power(arithmetic: Arithmetic, base: Value, exponent: Value) -> Value:
    """A power; see the module for roots of negative numbers. 0^0 has no value."""
    if base == 0:
        return _power_of_zero(arithmetic, exponent)
    if exponent == 0 or base == 1:
        return ONE
    if isinstance(exponent, Fraction):
        if exponent.denominator == 1:
            return _whole_power(arithmetic, base, exponent.numerator)
        return _rational_power(arithmetic, base, exponent)
    if is_real(base) and is_real(exponent) and sign_of(arithmetic, base) < 0:
        settled = arithmetic.settled(exponent)
        if isinstance(settled, Fraction):
            return power(arithmetic, base, settled)
        require_complex(arithmetic)
    product = arithmetic.multiply(exponent, logarithm(arithmetic, base))
    return exponential(arithmetic, product)


def _power_of_zero(arithmetic: Arithmetic, exponent: Value) -> Value:
    if not is_real(exponent) or sign_of(arithmetic, exponent) <= 0:
        raise UndefinedError("0 to a power that is not positive")
    return Fraction(0)


def _whole_power(arithmetic: Arithmetic, base: Value, exponent: int) -> Value:
    if isinstance(base, Fraction) and size(base) * abs(exponent) <= MAX_BITS:
        arithmetic.budget.charge(1 + (size(base) * abs(exponent) >> 7))
        return base**exponent
    if isinstance(base, Exact) and (size(base.re) + size(base.im)) * abs(exponent) <= MAX_BITS:
        return _repeated(arithmetic, base, exponent)
    x = arithmetic.ball(base)
    if exponent.bit_length() > _MAX_ARGUMENT_BITS // 2:
        raise TooBigError("the power is too long a number")
    arithmetic.took_high_power |= abs(exponent) >= _HIGH_POWER
    arithmetic.budget.charge((4 + exponent.bit_length()) * arithmetic.cost)
    mid = x.mid**exponent
    relative = max(x.error - magnitude(x.mid) + 2, -arithmetic.bits) + exponent.bit_length() + 3
    if relative > -8:  # noqa: PLR2004 - not even its first digits are known
        arithmetic.more()
    return arithmetic.limited(Ball(mid, magnitude(mid) + relative))


def _repeated(arithmetic: Arithmetic, base: Value, exponent: int) -> Value:
    if exponent < 0:
        return arithmetic.divide(ONE, _repeated(arithmetic, base, -exponent))
    found: Value = ONE
    for bit in f"{exponent:b}":
        found = arithmetic.multiply(found, found)
        if bit == "1":
            found = arithmetic.multiply(found, base)
    return found


def _rational_power(arithmetic: Arithmetic, base: Value, exponent: Fraction) -> Value:
    if isinstance(base, Ball) and hasattr(base.mid, "_mpc_") and base.mid.real <= 0:
        base = arithmetic.real(base)
    if not is_real(base):
        return exponential(arithmetic, arithmetic.multiply(exponent, logarithm(arithmetic, base)))
    if sign_of(arithmetic, base) > 0:
        return _positive_power(arithmetic, base, exponent)
    length = _positive_power(arithmetic, arithmetic.negative(base), exponent)
    if exponent.denominator % 2:
        return arithmetic.negative(length) if exponent.numerator % 2 else length
    require_complex(arithmetic)
    turn = exponential(arithmetic, Exact(Fraction(0), exponent, 1))
    return arithmetic.multiply(length, turn)


def _positive_power(arithmetic: Arithmetic, base: Value, exponent: Fraction) -> Value:
    if isinstance(base, Fraction):
        root = _exact_root(base, exponent.denominator)
        if root is not None:
            return _whole_power(arithmetic, root, exponent.numerator)
    if exponent == HALF:
        x = arithmetic.ball(base)
        arithmetic.budget.charge(2 * arithmetic.cost)
        mid = arithmetic.context.sqrt(x.mid)
        relative = max(x.error - magnitude(x.mid) + 1, -arithmetic.bits) + 1
        return Ball(mid, magnitude(mid) + relative)
    product = arithmetic.multiply(exponent, logarithm(arithmetic, base))
    return exponential(arithmetic, product)


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    if degree > _MAX_ROOT_DEGREE:
        return None
    numerator = _integer_root(value.numerator, degree)
    if numerator is None:
        return None
    denominator = _integer_root(value.denominator, degree)
    return None if denominator is None else Fraction(numerator, denominator)


def _integer_root(value: int, degree: int) -> int | None:
    """The root of a positive integer if it is whole, by Newton's method from above."""
    if value == 1:
        return 1
    if value.bit_length() <= degree:
        return None
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess if guess**degree == value else None
        guess = better


def turned(arithmetic: Arithmetic, name: str, angle: Exact) -> Value:
    """Sine, cosine or tangent of a rational multiple of pi."""
    quarter = Fraction(1, 4)
    turn = angle.re % 2
    if name == "tan":
        if turn % 1 == HALF:
            raise UndefinedError("the tangent of a right angle")
        if turn % HALF == quarter:
            return ONE if turn % 1 == quarter else -ONE
        return arithmetic.divide(turned(arithmetic, "sin", angle), turned(arithmetic, "cos", angle))
    if name == "cos":
        turn = (turn + HALF) % 2
    sign = 1 if turn < 1 else -1
    turn %= 1
    turn = min(turn, 1 - turn)
    for sine, known in SINES.items():
        if turn == known:
            return sign * sine
    x = arithmetic.ball(Exact(turn, Fraction(0), 1))
    arithmetic.budget.charge(10 * arithmetic.cost)
    mid = sign * arithmetic.context.sin(x.mid)
    return Ball(mid, max(x.error, magnitude(mid) - arithmetic.bits) + 2)


def sine(arithmetic: Arithmetic, argument: Value) -> Value:
    """The sine."""
    if argument == 0:
        return Fraction(0)
    if isinstance(argument, Exact) and argument.power == 1 and not argument.im:
        return turned(arithmetic, "sin", argument)
    return smooth(arithmetic, arithmetic.context.sin, argument)


def cosine(arithmetic: Arithmetic, argument: Value) -> Value:
    """The cosine."""
    if argument == 0:
        return ONE
    if isinstance(argument, Exact) and argument.power == 1 and not argument.im:
        return turned(arithmetic, "cos", argument)
    return smooth(arithmetic, arithmetic.context.cos, argument)
