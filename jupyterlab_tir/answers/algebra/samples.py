"""An expression's values at the points where variables are tried, as text that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from .points import (
    DECADES,
    MIXED,
    NEAR_ONE,
    POSITIVE,
    STEPS,
    WHOLE,
    Point,
    numbers_at,
)
from .precision import (
    LEVELS,
    Arithmetic,
    Budget,
    EvaluationError,
    Level,
    TooBigError,
    UndefinedError,
    Value,
)
from .programs import Program, climbed, run
from .rounding import rounded

AGREEING_POINTS = 2
"""Values at one point alone say nothing."""

UNDEFINED = "u"

_DOUBLE = 2

Compute = Callable[[Arithmetic], Value]


def digest(texts: Iterable[str]) -> str:
    """32 hexadecimal digits of the texts."""
    return sha256("|".join(texts).encode()).hexdigest()[:32]


def bound(program: Program, point: Point | None) -> Compute:
    """The program with its variables' numbers put in."""
    numbers = numbers_at(program.free, point) if point else {}
    return lambda arithmetic: run(program, arithmetic, numbers)


def complex_at(program: Program, point: Point | None) -> bool:
    """Whether complex values count: at points that say so, and where the imaginary unit is used."""
    return point is None or point.complex_allowed or "i" in program.heads


def spread(
    program: Program, budget: Budget, *, growth: int
) -> tuple[Sequence[Point], list[str], Level]:
    """The first sort of points at which the program has values, with their texts and level.

    Far away and at whole numbers as well: what is made of pieces is another thing there.

    Parameters
    ----------
    growth
        Exponentials in each other: e^(e^x) cannot be followed far.
    """
    more = DECADES + STEPS if growth < _DOUBLE else ()
    last: EvaluationError = UndefinedError("the expression has a value nearly nowhere")
    for points in (POSITIVE + MIXED + more, NEAR_ONE, WHOLE + more):
        computes = [(bound(program, point), complex_at(program, point)) for point in points]
        try:
            texts, level = sampled(computes, budget)
        except (UndefinedError, TooBigError) as error:
            budget.charge(0)
            last = error
            continue
        return points, texts, level
    raise last


def spread_near(program: Program, budget: Budget) -> tuple[Sequence[Point], list[str], Level]:
    """As `spread`, near zero only: for what takes too much work far away, as long sums do."""
    points = POSITIVE + MIXED
    computes = [(bound(program, point), complex_at(program, point)) for point in points]
    return points, *sampled(computes, budget)


def sampled(
    computes: Sequence[tuple[Compute, bool]],
    budget: Budget,
    *,
    levels: Sequence[Level] = LEVELS,
    least: int = AGREEING_POINTS,
) -> tuple[list[str], Level]:
    """Rounded values, "u" where there is none, at the first level that shows all their terms.

    A term that is too small to be seen at some points is seen at others, and there two different
    expressions differ; only one that is hidden nearly everywhere calls for more digits. So the
    level depends little on how an expression is written.

    Parameters
    ----------
    computes
        For each point the value, and whether complex ones count.
    least
        Points with values, and with all terms in sight, that are enough.
    """
    for level in levels:
        texts, in_sight = [], 0
        error: EvaluationError = UndefinedError("no value at the points tried")
        for compute, complex_allowed in computes:
            try:
                shown, is_clear = _shown(compute, level, budget, complex_allowed=complex_allowed)
            except (UndefinedError, TooBigError) as caught:
                budget.charge(0)
                error = caught
                shown, is_clear = UNDEFINED, False
            texts.append(shown)
            in_sight += is_clear
        if len(texts) - texts.count(UNDEFINED) < least:
            raise error
        if in_sight >= least:
            return texts, level
    raise TooBigError("a term is too small beside the rest to be compared")


def _shown(
    compute: Compute, level: Level, budget: Budget, *, complex_allowed: bool
) -> tuple[str, bool]:
    def shown(arithmetic: Arithmetic) -> str:
        return rounded(arithmetic, compute(arithmetic))

    found, arithmetic = climbed(level, shown, complex_allowed=complex_allowed, budget=budget)
    return found, not is_hidden(arithmetic)


def is_hidden(arithmetic: Arithmetic) -> bool:
    """Whether the digits of a rounded value do not show all that went into it."""
    return arithmetic.absorbed or arithmetic.absorbed_exactly
