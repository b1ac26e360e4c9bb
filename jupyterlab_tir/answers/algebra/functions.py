"""The heads of `tree` that stand for a function of numbers, and how each is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct

from . import wholes
from .elementary import (
    HALF,
    ONE,
    SINES,
    cosine,
    exponential,
    is_real,
    logarithm,
    power,
    sign_of,
    sine,
    smooth,
    turned,
)
from .precision import (
    Arithmetic,
    Ball,
    Exact,
    TooBigError,
    UndefinedError,
    Value,
    exact,
    magnitude,
)

_ZERO = Fraction(0)
_HALF_PI = Exact(HALF, _ZERO, 1)
_MAX_ZETA = 2_000
_ANY = 1_000_000


class Function(Struct, frozen=True):
    """A head's least and greatest number of arguments, and its value."""

    least: int
    most: int
    value: Callable[[Arithmetic, Sequence[Value]], Value]


def _is_angle(value: Value) -> bool:
    return isinstance(value, Exact) and value.power == 1 and not value.im


def tangent(arithmetic: Arithmetic, x: Value) -> Value:
    """The tangent; no value where the cosine is zero."""
    if isinstance(x, Exact) and _is_angle(x):
        return turned(arithmetic, "tan", x)
    return arithmetic.divide(sine(arithmetic, x), cosine(arithmetic, x))


def _cotangent(arithmetic: Arithmetic, x: Value) -> Value:
    if _is_angle(x):
        return tangent(arithmetic, arithmetic.add([_HALF_PI, arithmetic.negative(x)]))
    return arithmetic.divide(cosine(arithmetic, x), sine(arithmetic, x))


def _secant(arithmetic: Arithmetic, x: Value) -> Value:
    return arithmetic.divide(ONE, cosine(arithmetic, x))


def _cosecant(arithmetic: Arithmetic, x: Value) -> Value:
    return arithmetic.divide(ONE, sine(arithmetic, x))


def inverse(arithmetic: Arithmetic, name: str, x: Value) -> Value:
    """An inverse trigonometric or hyperbolic function, surely away from its branch points."""
    x = away_from(arithmetic, x, (1, -1))
    if isinstance(x, Fraction):
        known = _known_angle(name, x)
        if known is not None:
            return known
    return smooth(arithmetic, getattr(arithmetic.context, name), arithmetic.real(x))


def away_from(arithmetic: Arithmetic, value: Value, points: Sequence[int]) -> Value:
    """The value; settled, if it cannot be told from one of the integers given."""
    if not isinstance(value, Ball):
        return value
    for point in points:
        if magnitude(value.mid - point) - 2 <= value.error:
            return arithmetic.settled(value)
    return value


def _known_angle(name: str, value: Fraction) -> Value | None:
    if value == 0 and name in {"asin", "atan", "asinh", "atanh"}:
        return _ZERO
    if name in {"asin", "acos"} and abs(value) in SINES:
        angle = SINES[abs(value)] * (1 if value > 0 else -1)
        return exact(HALF - angle if name == "acos" else angle, _ZERO, 1)
    if name == "atan" and abs(value) == 1:
        return exact(value / 4, _ZERO, 1)
    return _ZERO if name == "acosh" and value == 1 else None


def _arc_cotangent(arithmetic: Arithmetic, x: Value) -> Value:
    # Between -pi/2 and pi/2, as SymPy and mpmath have it.
    return _HALF_PI if x == 0 else inverse(arithmetic, "atan", arithmetic.divide(ONE, x))


def _arc_secant(arithmetic: Arithmetic, x: Value) -> Value:
    return inverse(arithmetic, "acos", arithmetic.divide(ONE, x))


def _arc_cosecant(arithmetic: Arithmetic, x: Value) -> Value:
    return inverse(arithmetic, "asin", arithmetic.divide(ONE, x))


def _arc_tangent_of_two(arithmetic: Arithmetic, y: Value, x: Value) -> Value:
    if not is_real(y) or not is_real(x):
        raise UndefinedError("atan2 of complex numbers")
    across = sign_of(arithmetic, x)
    if across == 0:
        up = sign_of(arithmetic, y)
        if up == 0:
            raise UndefinedError("the direction of 0")
        return Exact(HALF * up, _ZERO, 1)
    angle = inverse(arithmetic, "atan", arithmetic.divide(y, x))
    if across > 0:
        return angle
    half_turn = ONE if sign_of(arithmetic, y) >= 0 else -ONE
    return arithmetic.add([angle, Exact(half_turn, _ZERO, 1)])


def _hyperbolic(arithmetic: Arithmetic, name: str, x: Value) -> Value:
    if x == 0:
        return ONE if name == "cosh" else _ZERO
    ball = arithmetic.ball(x)
    # Beyond, e^-|x| is lost beside e^|x|: 346/1000 is half of log 2.
    if abs(ball.mid.real) * 1000 > arithmetic.level.bits * 346:
        arithmetic.absorbed = True
    return smooth(arithmetic, getattr(arithmetic.context, name), x)


def _over(name: str) -> Callable[[Arithmetic, Value], Value]:
    def found(arithmetic: Arithmetic, x: Value) -> Value:
        return arithmetic.divide(ONE, _hyperbolic(arithmetic, name, x))

    return found


def _error_function(arithmetic: Arithmetic, x: Value) -> Value:
    if x == 0:
        return _ZERO
    ball = arithmetic.ball(x)
    # 1 - erf(x) is about e^-x^2.
    if abs(ball.mid) ** 2 * 1000 > arithmetic.level.bits * 693:
        arithmetic.absorbed = True
    return smooth(arithmetic, arithmetic.context.erf, x)


def _zeta(arithmetic: Arithmetic, x: Value) -> Value:
    ball = arithmetic.ball(x)
    if ball.mid.real > arithmetic.level.bits:
        arithmetic.absorbed = True
    if abs(ball.mid.imag) > 1 or abs(ball.mid) > _MAX_ZETA:
        raise TooBigError("zeta is computed near the real axis only")
    arithmetic.budget.charge(1000 * arithmetic.cost)
    return smooth(arithmetic, arithmetic.context.zeta, x)


def _lambert(arithmetic: Arithmetic, x: Value) -> Value:
    arithmetic.budget.charge(200 * arithmetic.cost)
    return _ZERO if x == 0 else smooth(arithmetic, arithmetic.context.lambertw, x)


def _log(arithmetic: Arithmetic, arguments: Sequence[Value]) -> Value:
    value = logarithm(arithmetic, arguments[0])
    if len(arguments) == 1:
        return value
    base = logarithm(arithmetic, arguments[1])
    return arithmetic.divide(value, base)


def _root(arithmetic: Arithmetic, x: Value, degree: Value) -> Value:
    return power(arithmetic, x, arithmetic.divide(ONE, degree))


def absolute(arithmetic: Arithmetic, x: Value) -> Value:
    """The absolute value."""
    if is_real(x):
        return arithmetic.negative(x) if sign_of(arithmetic, x) < 0 else x
    if isinstance(x, Exact):
        square = x.re * x.re + x.im * x.im
        length = power(arithmetic, square, HALF)
        return arithmetic.multiply(length, exact(ONE, _ZERO, x.power))
    ball = arithmetic.ball(x)
    return Ball(abs(ball.mid), max(ball.error, magnitude(ball.mid) - arithmetic.bits) + 1)


def _sign(arithmetic: Arithmetic, x: Value) -> Value:
    if is_real(x):
        return Fraction(sign_of(arithmetic, x))
    return arithmetic.divide(x, absolute(arithmetic, x))


def _part(arithmetic: Arithmetic, x: Value, name: str) -> Value:
    if is_real(x):
        return x if name == "re" else _ZERO
    if isinstance(x, Exact):
        return exact(x.re if name == "re" else x.im, _ZERO, x.power)
    ball = arithmetic.ball(x)
    part = ball.mid.real if name == "re" else ball.mid.imag
    return arithmetic.decided(part, ball.error, magnitude(ball.mid))


def _conjugate(arithmetic: Arithmetic, x: Value) -> Value:
    if is_real(x):
        return x
    if isinstance(x, Exact):
        return exact(x.re, -x.im, x.power)
    ball = arithmetic.ball(x)
    return Ball(ball.mid.conjugate(), ball.error)


def _argument(arithmetic: Arithmetic, x: Value) -> Value:
    return _arc_tangent_of_two(arithmetic, _part(arithmetic, x, "im"), _part(arithmetic, x, "re"))


def _one(value: Callable[[Arithmetic, Value], Value]) -> Function:
    return Function(1, 1, lambda arithmetic, arguments: value(arithmetic, arguments[0]))


def _two(value: Callable[[Arithmetic, Value, Value], Value]) -> Function:
    return Function(
        2, 2, lambda arithmetic, arguments: value(arithmetic, arguments[0], arguments[1])
    )


def _many(value: Callable[[Arithmetic, Sequence[Value]], Value]) -> Function:
    return Function(1, _ANY, value)


def _named(value: Callable[[Arithmetic, str, Value], Value], name: str) -> Function:
    return Function(1, 1, lambda arithmetic, arguments: value(arithmetic, name, arguments[0]))


def _product(arithmetic: Arithmetic, factors: Sequence[Value]) -> Value:
    # By halves: the bound on the error grows with every step that a factor goes through.
    found = list(factors) or [ONE]
    while len(found) > 1:
        paired = [
            arithmetic.multiply(one, two) for one, two in zip(found[::2], found[1::2], strict=False)
        ]
        found = paired + found[len(paired) * 2 :]
    return found[0]


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        "add": Function(0, _ANY, lambda arithmetic, terms: arithmetic.add(terms)),
        "mul": Function(0, _ANY, _product),
        "neg": _one(lambda arithmetic, x: arithmetic.negative(x)),
        "div": _two(lambda arithmetic, a, b: arithmetic.divide(a, b)),
        "pow": _two(power),
        "root": _two(_root),
        "exp": _one(exponential),
        "log": Function(1, 2, _log),
        "sin": _one(sine),
        "cos": _one(cosine),
        "tan": _one(tangent),
        "cot": _one(_cotangent),
        "sec": _one(_secant),
        "csc": _one(_cosecant),
        "acot": _one(_arc_cotangent),
        "asec": _one(_arc_secant),
        "acsc": _one(_arc_cosecant),
        "atan2": _two(_arc_tangent_of_two),
        "coth": _one(
            lambda arithmetic, x: arithmetic.divide(ONE, _hyperbolic(arithmetic, "tanh", x))
        ),
        "sech": _one(_over("cosh")),
        "csch": _one(_over("sinh")),
        "gamma": _one(wholes.gamma),
        "zeta": _one(_zeta),
        "erf": _one(_error_function),
        "lambertw": _one(_lambert),
        "abs": _one(absolute),
        "sign": _one(_sign),
        "re": _one(lambda arithmetic, x: _part(arithmetic, x, "re")),
        "im": _one(lambda arithmetic, x: _part(arithmetic, x, "im")),
        "conjugate": _one(_conjugate),
        "arg": _one(_argument),
        "factorial": _one(wholes.factorial),
        "factorial2": _one(wholes.double_factorial),
        "binomial": _two(wholes.binomial),
        "permutations": _two(wholes.permutations),
        "floor": _one(wholes.floor),
        "ceiling": _one(wholes.ceiling),
        "mod": _two(wholes.modulo),
        "power_mod": Function(3, 3, wholes.power_modulo),
        "gcd": _many(wholes.greatest_divisor),
        "lcm": _many(wholes.least_multiple),
        "max": _many(lambda arithmetic, values: wholes.extreme(arithmetic, values, 1)),
        "min": _many(lambda arithmetic, values: wholes.extreme(arithmetic, values, -1)),
        **{name: _named(inverse, name) for name in ("asin", "acos", "atan")},
        **{name: _named(inverse, name) for name in ("asinh", "acosh", "atanh")},
        **{name: _named(_hyperbolic, name) for name in ("sinh", "cosh", "tanh")},
    }
)
"""Every head of arithmetic and functions that has a number as its value."""
