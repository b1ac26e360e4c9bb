"""Fingerprints: text that is equal for equal values, and differs where values differ.

Of a constant, its value: ``q:3/4`` (as `forms.rational_key`), ``r:1.4142…e0`` to 50 digits,
``r2:…`` to 350 where a term is too small for 50 to show, ``c:(q:1,r:1.41…e0)`` of a complex
number's parts, ``k:infinity``, ``k:-infinity``, ``k:complex_infinity``. Of an expression
in variables, ``x:`` and a digest of its values at fixed pseudo-random points; an expression that
has the same value at all of them has that constant's fingerprint. No simplifier takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .. import forms
from .functions import absolute
from .infinities import infinite_sign
from .kinks import KINKED, growth
from .points import Point
from .precision import (
    LEVELS,
    Arithmetic,
    Ball,
    Budget,
    EvaluationError,
    Exact,
    TooBigError,
    Value,
    magnitude,
    recognised,
)
from .programs import Program, climbed, compiled
from .rounding import digits_of
from .samples import (
    AGREEING_POINTS,
    UNDEFINED,
    Compute,
    bound,
    complex_at,
    digest,
    is_hidden,
    sampled,
    spread,
    spread_near,
)
from .tree import Node
from .wholeness import running_names, with_running

__all__ = ["EvaluationError", "fingerprint", "relation"]

_MARGIN_BITS = 300
_LONG_BITS = 90
_MOST_DIGITS = 300
_ZERO = "0,0,0"


def fingerprint(node: Node) -> str:
    """Text that two trees share exactly when they have the same value.

    Raises
    ------
    UndefinedError
        It has no value, or not at two of the points.
    UnknownError
        A part has no number as its value.
    TooBigError
        It takes more than we spend.

    >>> from .tree import Name, call, whole
    >>> fingerprint(call("root", whole(9), whole(2)))
    'q:3'
    >>> x, one = Name("x"), whole(1)
    >>> square = call("pow", call("add", x, one), whole(2))
    >>> expanded = call("add", call("pow", x, whole(2)), call("mul", whole(2), x), one)
    >>> fingerprint(square) == fingerprint(expanded)
    True
    """
    sign = infinite_sign(node)
    if sign is not None:
        return {1: "k:infinity", -1: "k:-infinity", 0: "k:complex_infinity"}[sign]
    node = with_running(node, running_names(node))
    program, budget = compiled(node), Budget()
    if not program.free:
        return _constant(bound(program, None), budget)
    try:
        points, texts, level = spread(program, budget, growth=growth(node))
    except TooBigError:
        if program.heads & KINKED:
            raise
        points, texts, level = spread_near(program, Budget())
    defined = [text for text in texts if text != UNDEFINED]
    if len(set(defined)) == 1 and not program.heads & KINKED:
        return _constant(bound(program, points[texts.index(defined[0])]), budget)
    return "x:" + digest([points[0].seed, str(level.digits), *texts])


def _constant(compute: Compute, budget: Budget) -> str:
    def key(arithmetic: Arithmetic) -> str | None:
        value = compute(arithmetic)
        if isinstance(value, Exact) and value.power == 0 and not arithmetic.absorbed:
            return forms.complex_key(forms.rational_key(value.re), forms.rational_key(value.im))
        if isinstance(value, Fraction) and not arithmetic.absorbed:
            return forms.rational_key(value)
        if is_hidden(arithmetic):
            return None
        ball = arithmetic.ball(value)
        if isinstance(value, Ball) and not arithmetic.top and _may_be_rational(arithmetic, ball):
            highest = Arithmetic(level, level.ladder[-1], budget=budget)
            return key(highest)
        return _computed_key(arithmetic, ball)

    for level in LEVELS:
        found, _ = climbed(level, key, budget=budget)
        if found is not None:
            return found
    raise TooBigError("a term is too small beside the rest to be compared")


def _components(ball: Ball) -> list[Ball]:
    if hasattr(ball.mid, "_mpf_"):
        return [ball]
    return [Ball(ball.mid.real, ball.error), Ball(ball.mid.imag, ball.error)]


def _may_be_rational(arithmetic: Arithmetic, ball: Ball) -> bool:
    """Whether a part looks like a rational, or is too long to tell, at a low precision."""
    if arithmetic.took_high_power:
        return True
    for part in _components(ball):
        bits = magnitude(part.mid)
        if bits - 2 <= part.error or _LONG_BITS < bits < arithmetic.level.ladder[-1]:
            return True
        if recognised(part) is not None:
            return True
    return False


def _computed_key(arithmetic: Arithmetic, ball: Ball) -> str:
    real, imaginary, place = digits_of(arithmetic, ball)
    scale = magnitude(ball.mid)
    letter = "r" if arithmetic.level is LEVELS[0] else "r2"
    keys = []
    for part, digits in zip(_components(ball), (real, imaginary), strict=False):
        found = _exact_part(arithmetic, part, scale)
        keys.append(
            f"{letter}:{_decimal(digits, place)}" if found is None else forms.rational_key(found)
        )
    return keys[0] if len(keys) == 1 or keys[1] == "q:0" else forms.complex_key(*keys)


def _exact_part(arithmetic: Arithmetic, part: Ball, scale: int) -> Fraction | None:
    """The rational that a part of a number is, if it is one; scale is the number's magnitude."""
    bits = magnitude(part.mid)
    if bits - 2 <= part.error:
        is_zero = max(part.error, bits) <= scale - arithmetic.level.zero_bits
        return Fraction(0) if is_zero else arithmetic.more()
    if part.error > bits - _MARGIN_BITS:
        return None
    if 0 < bits <= arithmetic.bits - _MARGIN_BITS and part.error < -_MARGIN_BITS // 2:
        nearest = arithmetic.context.nint(part.mid)
        if magnitude(part.mid - nearest) <= part.error + 1:
            return Fraction(int(nearest))
    # Twenty digits to spare: that none of them is wrong is no accident.
    spare_bits = bits - part.error - 70
    return recognised(part, min(spare_bits * 3 // 10, _MOST_DIGITS))


def _decimal(digits: int, place: int) -> str:
    text = str(abs(digits))
    sign = "-" if digits < 0 else ""
    return f"{sign}{text[0]}.{text[1:] or '0'}e{place + len(text) - 1}"


def relation(difference: Node, *, sign_matters: bool) -> str:
    """Fingerprint of f up to a factor: what the equation f = 0 or the inequality f < 0 says.

    Parameters
    ----------
    difference
        The tree of f.
    sign_matters
        Whether the factor must be positive, as in an inequality.

    >>> from .tree import Name, call, whole
    >>> x = Name("x")
    >>> half, double = call("div", x, whole(2)), call("mul", whole(-2), x)
    >>> relation(half, sign_matters=False) == relation(double, sign_matters=False)
    True
    >>> relation(half, sign_matters=True) == relation(double, sign_matters=True)
    False
    """
    difference = with_running(difference, running_names(difference))
    program, budget = compiled(difference), Budget()
    points: Sequence[Point | None] = [None]
    if program.free:
        points, texts, _ = spread(program, budget, growth=growth(difference))
    else:
        texts, _ = sampled([(bound(program, None), True)], budget, least=1)
    first = next(
        (index for index, found in enumerate(texts) if found not in {UNDEFINED, _ZERO}), None
    )
    if first is None:
        return "zero"
    computes = [
        (
            _scaled(program, point, points[first], sign_matters=sign_matters),
            complex_at(program, point),
        )
        for point in points
    ]
    least = AGREEING_POINTS if program.free else 1
    scaled, level = sampled(computes, budget, least=least)
    return "z:" + digest([str(level.digits), *scaled])


def _scaled(
    program: Program, point: Point | None, pivot: Point | None, *, sign_matters: bool
) -> Compute:
    def compute(arithmetic: Arithmetic) -> Value:
        arithmetic.complex_allowed = complex_at(program, pivot)
        unit = bound(program, pivot)(arithmetic)
        arithmetic.complex_allowed = complex_at(program, point)
        value = bound(program, point)(arithmetic)
        return arithmetic.divide(value, absolute(arithmetic, unit) if sign_matters else unit)

    return compute
