"""Numbers of trees: values, their order, and whether two trees have the same ones.

Errors are all `EvaluationError`s: `UndefinedError` where mathematics gives no value,
`UnknownError` for what is no number, `TooBigError` for what takes more than we spend.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..bigint import MAX_BITS
from .elementary import is_real
from .infinities import constant_sign, infinite_sign
from .kinks import has_kinks
from .points import DECADES, POSITIVE, REAL, STEPS, WHOLE, Point
from .precision import (
    LEVELS,
    Arithmetic,
    Ball,
    Budget,
    EvaluationError,
    Level,
    MorePrecisionError,
    TooBigError,
    UndefinedError,
    UnknownError,
    Value,
    magnitude,
)
from .programs import Program, climbed, compiled, run
from .rounding import digits_of, rounded
from .samples import AGREEING_POINTS, bound, complex_at, is_hidden
from .tree import Node, call
from .wholeness import running_names, with_running

__all__ = [
    "EvaluationError",
    "TooBigError",
    "UndefinedError",
    "UnknownError",
    "agree",
    "approximate",
    "compare",
    "evaluate",
    "infinite_sign",
    "parts",
]

_MAX_DIGITS = 2_000
_DIGITS = Level(60, 200, (320, 640, 1536), 1130)
_MAX_PLACE = 10_000
_WHOLE_HEADS = frozenset(
    {"sum", "product", "factorial", "factorial2", "binomial", "permutations", "gcd", "lcm", "mod"}
)


def evaluate(node: Node, at: Mapping[str, Fraction], digits: int) -> Any:  # noqa: ANN401 - mpmath has no types
    """Value of a scalar tree.

    Parameters
    ----------
    node
        The tree; 10**10 terms, infinite bounds and integrals are not computed.
    at
        Values of its variables.
    digits
        Significant decimal digits that are right, at most 2,000.

    Returns
    -------
    Fraction | mpmath.mpf | mpmath.mpc
        A `Fraction` where the value is rational and stays short on the way.

    Raises
    ------
    UndefinedError
        Mathematics gives no value.
    UnknownError
        A part has no number as its value.
    TooBigError
        It takes more than we spend.

    >>> from .tree import call
    >>> from .tree import Name, Number
    >>> evaluate(call("div", Name("x"), Number(Fraction(6))), {"x": Fraction(4)}, 50)
    Fraction(2, 3)
    """
    if not 0 < digits <= _MAX_DIGITS:
        raise TooBigError(f"between 1 and {_MAX_DIGITS} digits are computed")
    bits = digits * 3322 // 1000 + 2
    ladder = (bits + 96, 2 * bits + 400, 4 * bits + 900)
    level = Level(digits, bits, ladder, 3 * bits + 600)
    program = compiled(node)
    value, arithmetic = climbed(
        level, lambda numbers: _precise(run(program, numbers, at), numbers, bits)
    )
    return value if isinstance(value, Fraction) else arithmetic.ball(value).mid


def _precise(value: Value, arithmetic: Arithmetic, bits: int) -> Value:
    """The value, with so many right bits and with parts that are surely not zero, or are."""
    if not isinstance(value, Ball):
        return value
    if value.error > magnitude(value.mid) - bits:
        arithmetic.more()
    value = arithmetic.real(value)
    if is_real(value) or not isinstance(value, Ball):
        return value
    if magnitude(value.mid.real) - 2 > value.error:
        return value
    if not arithmetic.top:
        raise MorePrecisionError
    return Ball(arithmetic.context.mpc(0, value.mid.imag), value.error)


def parts(value: Any) -> tuple[Fraction, Fraction]:  # noqa: ANN401 - mpmath has no types
    """Real and imaginary part of what `evaluate` gives, as the fractions that they are.

    Raises
    ------
    TooBigError
        If one is too long to be written.

    >>> parts(Fraction(1, 2))
    (Fraction(1, 2), Fraction(0, 1))
    """
    if isinstance(value, Fraction):
        return value, Fraction()
    raws = getattr(value, "_mpc_", None) or (value._mpf_,)
    found = [Fraction()] * 2
    for index, (sign, mantissa, exponent, _) in enumerate(raws):
        if abs(exponent) > MAX_BITS:
            raise TooBigError("the number has too many digits to be written")
        found[index] = Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** exponent
    return found[0], found[1]


def approximate(node: Node) -> Fraction | None:
    """The value of a real constant to 60 digits; None for anything else.

    >>> from .tree import Constant
    >>> round(float(approximate(Constant("pi"))), 5)
    3.14159
    """

    def shown(arithmetic: Arithmetic) -> tuple[int, int, int]:
        value = run(program, arithmetic, {})
        if isinstance(value, Fraction):
            exactly.append(value)
            return 0, 0, 0
        return digits_of(arithmetic, value)

    exactly: list[Fraction] = []
    try:
        program = compiled(node)
        (real, imaginary, place), _ = climbed(_DIGITS, shown)
    except EvaluationError:
        return None
    if exactly:
        return exactly[-1]
    if imaginary or abs(place) > _MAX_PLACE:
        return None
    return real * Fraction(10) ** place


def compare(left: Node, right: Node) -> int | None:
    """-1, 0 or 1 as left is below, at or above right; None where they have no order.

    >>> from .tree import Constant
    >>> compare(Constant("pi"), Constant("infinity"))
    -1
    """
    try:
        ends = infinite_sign(left), infinite_sign(right)
        if ends != (None, None):
            if 0 in ends:
                return None
            far, near = (end or 0 for end in ends)
            return (far > near) - (far < near)
        return constant_sign(call("add", left, call("neg", right)))
    except EvaluationError:
        return None


def agree(left: Node, right: Node) -> bool | None:
    """Whether two trees have the same values wherever both have one.

    Real values count before complex ones, so that log(x^2) and 2*log(x) agree: where both are
    real, they are equal. Sums and factorials are compared at whole numbers.

    Returns
    -------
    bool or None
        None where they have no two points in common.

    >>> from .tree import Name, call, whole
    >>> x = Name("x")
    >>> agree(call("log", call("pow", x, whole(2))), call("mul", whole(2), call("log", x)))
    True
    """
    signs = infinite_sign(left), infinite_sign(right)
    if signs != (None, None):
        return signs[0] == signs[1]
    running = running_names(left) | running_names(right)
    left, right = with_running(left, running), with_running(right, running)
    one, two, budget = compiled(left), compiled(right), Budget()
    if not one.free and not two.free:
        return _same_at(one, two, None, budget)
    needs_whole = bool((one.heads | two.heads) & _WHOLE_HEADS)
    far = DECADES + STEPS if has_kinks(left) or has_kinks(right) else ()
    counted = WHOLE + tuple(point for point in far if point.is_whole and point.low > 0)
    tried = (counted,) if needs_whole else (REAL + far, POSITIVE, WHOLE)
    for points in tried:
        common = 0
        for point in points:
            same = _same_at(one, two, point, budget)
            if same is False:
                return False
            common += same is True
        if common >= AGREEING_POINTS:
            return True
    return None


def _same_at(left: Program, right: Program, point: Point | None, budget: Budget) -> bool | None:
    is_complex = any(complex_at(program, point) for program in (left, right))
    sides = [bound(program, point) for program in (left, right)]

    def is_same(arithmetic: Arithmetic) -> bool:
        one, two = (rounded(arithmetic, compute(arithmetic)) for compute in sides)
        return one == two

    for level in LEVELS:
        try:
            same, arithmetic = climbed(level, is_same, complex_allowed=is_complex, budget=budget)
        except (UndefinedError, TooBigError):
            budget.charge(0)
            return None
        if not same or not is_hidden(arithmetic):
            return same
    return None
