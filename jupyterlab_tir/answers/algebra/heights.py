"""A body of an integral as a fast function of floats, and its area where it oscillates for ever.

Good for about ten digits. Only closed forms are checked with it, never answers computed. What
overflows is infinite, as far out it does; heads without a float function raise `BeyondError`.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise

from . import values
from .polynomials import BeyondError
from .tree import Call, Name, Node, names, walk

Height = Callable[[float], complex]
_Function = Callable[..., complex]

_NODES = 24
_HALF_PERIODS = 40
_FIRST_AVERAGED = 10
_SETTLED = 1e-11


def height_of(body: Node, variable: str, at: Mapping[str, Fraction]) -> Height:
    """The body as a function of its variable, other variables fixed.

    Raises
    ------
    BeyondError
        If a part has no float function.
    EvaluationError
        If a constant part has no value.

    >>> from .tree import call
    >>> height_of(call("exp", call("neg", Name("x"))), "x", {})(0.0)
    1.0
    """
    if variable not in names(body):
        constant = _constant(body, at)
        return lambda _: constant
    if isinstance(body, Name):
        return lambda x: x
    if not isinstance(body, Call) or body.head not in _FUNCTIONS:
        raise BeyondError("no float function")
    parts = [height_of(arg, variable, at) for arg in body.args]
    function = _FUNCTIONS[body.head]
    if len(parts) == 1:
        (only,) = parts
        return lambda x: function(only(x))
    return lambda x: function(*(part(x) for part in parts))


def _constant(node: Node, at: Mapping[str, Fraction]) -> complex:
    real, imaginary = values.parts(values.evaluate(node, at, 20))
    try:
        return complex(real, imaginary) if imaginary else float(real)
    except OverflowError as error:
        raise BeyondError("a constant that is no float") from error


def _raised(base: complex, exponent: complex) -> complex:
    try:
        return base**exponent
    except OverflowError:
        return math.inf


def _root(base: complex, degree: complex) -> complex:
    return base ** (1 / degree)


def _log(x: complex, base: complex = math.e) -> complex:
    return _plain(cmath.log)(x) / _plain(cmath.log)(base)


def _total(*parts: complex) -> complex:
    return sum(parts)


def _times(*parts: complex) -> complex:
    return math.prod(parts)


def _plain(function: Callable[[complex], complex]) -> _Function:
    """A complex function that gives plain floats where it can."""

    def called(x: complex) -> complex:
        try:
            value = function(x)
        except OverflowError:
            return math.inf
        return value if value.imag else value.real

    return called


def _upside_down(function: Callable[[complex], complex]) -> _Function:
    return _plain(lambda x: 1 / function(x))


_FUNCTIONS: dict[str, _Function] = {
    "add": _total,
    "mul": _times,
    "neg": lambda x: -x,
    "div": lambda a, b: a / b,
    "pow": _raised,
    "root": _root,
    "log": _log,
    "abs": abs,
    "cot": _upside_down(cmath.tan),
    "sec": _upside_down(cmath.cos),
    "csc": _upside_down(cmath.sin),
    "exp": _plain(cmath.exp),
    "sin": _plain(cmath.sin),
    "cos": _plain(cmath.cos),
    "tan": _plain(cmath.tan),
    "asin": _plain(cmath.asin),
    "acos": _plain(cmath.acos),
    "atan": _plain(cmath.atan),
    "sinh": _plain(cmath.sinh),
    "cosh": _plain(cmath.cosh),
    "tanh": _plain(cmath.tanh),
    "asinh": _plain(cmath.asinh),
    "acosh": _plain(cmath.acosh),
    "atanh": _plain(cmath.atanh),
}


# Oscillation


def frequency(body: Node, variable: str, at: Mapping[str, Fraction]) -> float:
    """How fast the first sine or cosine of a linear function turns, in radians; 0 without one.

    >>> from .tree import call, whole
    >>> frequency(call("sin", call("mul", whole(2), Name("x"))), "x", {})
    2.0
    """
    for part in walk(body):
        if isinstance(part, Call) and part.head in {"sin", "cos"}:
            inside = height_of(part.args[0], variable, at)
            one, two, four = (complex(inside(x)).real for x in (1.0, 2.0, 4.0))
            if two != one and math.isclose(four - two, 2 * (two - one)):
                return abs(two - one)
    return 0.0


def oscillating_area(height: Height, low: float, turning: float) -> complex | None:
    """Area from a bound to infinity of what changes sign every half period, or None.

    Areas of half periods are an alternating series, which Euler's transformation adds up.

    >>> round(oscillating_area(lambda x: math.sin(x) / x, 0.0, 1.0).real, 10)
    1.5707963268
    """
    half = math.pi / turning
    first = math.floor(low / half) + 1
    places = [low, *(half * (first + turn) for turn in range(_HALF_PERIODS))]
    sums: list[complex] = [0.0]
    for start, stop in pairwise(places):
        centre, radius = (start + stop) / 2, (stop - start) / 2
        parts = (weight * height(centre + radius * node) for node, weight in _gauss_legendre())
        sums.append(sums[-1] + radius * sum(parts))
    averaged = sums[_FIRST_AVERAGED:]
    before = averaged[-1]
    while len(averaged) > 1:
        before = averaged[-1]
        averaged = [(one + two) / 2 for one, two in pairwise(averaged)]
    return averaged[0] if abs(averaged[0] - before) < _SETTLED else None


@cache
def _gauss_legendre() -> tuple[tuple[float, float], ...]:
    """Nodes and weights on (-1, 1), by Newton's method on Legendre's recurrence."""
    found = []
    for turn in range(_NODES):
        node = math.cos(math.pi * (turn + 0.75) / (_NODES + 0.5))
        slope = 1.0
        for _ in range(8):
            before, value = 1.0, node
            for n in range(2, _NODES + 1):
                before, value = value, ((2 * n - 1) * node * value - (n - 1) * before) / n
            slope = _NODES * (node * value - before) / (node * node - 1)
            node -= value / slope
        found.append((node, 2 / ((1 - node * node) * slope * slope)))
    return tuple(found)
