"""Critical points of a relation in one real variable, and whether it holds at a point.

The points are where the truth of the relation can change: zeros of the difference of its sides,
zeros of denominators, ends of the domain. Polynomials, quotients and absolute values are done
here; for logarithms, roots and the like SymPy names the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product

from . import values
from .isolating import can_be_isolated, isolated
from .loading import load_sympy
from .polynomials import BeyondError, Polynomial, Rational, RootsError, rational_function, size
from .roots import real_roots
from .tree import Call, Name, Node, Number, call, names

_MAX_VARIANTS = 32
_MAX_EQUATIONS = 40
_MAX_DEPTH = 100
_NEAR = Fraction(1, 10**30)


def critical_points(left: Node, right: Node, variable: str) -> list[Node]:
    """Numbers between which a relation of both sides neither begins nor stops to hold.

    Raises
    ------
    BeyondError
        If they are not found, or there are infinitely many.

    >>> found = critical_points(call("abs", Name("x")), Number(Fraction(2)), "x")
    >>> sorted({point.value.numerator for point in found})
    [-2, 2]
    """
    check_depth(left)
    check_depth(right)
    try:
        return _points(left, right, variable)
    except RootsError:
        # SymPy would write down the roots of a quartic for minutes.
        raise
    except BeyondError:
        # Importing SymPy takes half a second, which most answers need not wait for.
        load_sympy()
        from . import sympy_questions  # noqa: PLC0415

        return sympy_questions.points_of_change(_less(left, right), variable)


def _points(left: Node, right: Node, variable: str) -> list[Node]:
    """Points of a relation of quotients of polynomials, or of functions of such a quotient."""
    found: list[Node] = []
    waiting = [(left, right)]
    for _ in range(_MAX_EQUATIONS):
        if not waiting:
            return found
        one, other = waiting.pop()
        try:
            found += _direct_points(one, other, variable)
        except BeyondError as error:
            if isinstance(error, RootsError) and not can_be_isolated(one, other, variable):
                raise
            waiting += isolated(one, other, variable)
    raise BeyondError("too many cases")


def _direct_points(left: Node, right: Node, variable: str) -> list[Node]:
    for side, other in (left, right), (right, left):
        if side == Name(variable) and variable not in names(other):
            return [other]
    quotients = _quotients(_less(left, right), variable)
    return [root for parts in quotients for part in parts for root in _roots(part)]


def _less(left: Node, right: Node) -> Node:
    return call("add", left, call("neg", right))


def check_depth(node: Node) -> None:
    """Refuse a tree that is too deep to be worked on by recursion."""
    level = [node]
    for _ in range(_MAX_DEPTH):
        level = [arg for part in level if isinstance(part, Call) for arg in part.args]
        if not level:
            return
    raise BeyondError("nested too deeply")


def _quotients(difference: Node, variable: str) -> list[Rational]:
    variants = list(islice(_without_cases(difference, variable), _MAX_VARIANTS + 1))
    if len(variants) > _MAX_VARIANTS:
        raise BeyondError("too many absolute values")
    return [rational_function(variant, variable) for variant in variants]


def _roots(polynomial: Polynomial) -> list[Node]:
    """Real roots; by its factors where there is no short way."""
    try:
        return real_roots(polynomial)
    except RootsError:
        if not all(isinstance(part, Number) for part in polynomial):
            raise
        load_sympy()
        from . import sympy_questions  # noqa: PLC0415 - as above

        factors = sympy_questions.irreducible_factors(polynomial)
        if len(factors) == 1:
            raise
    return [root for factor in factors for root in real_roots(factor)]


def _without_cases(node: Node, variable: str) -> Iterator[Node]:
    """What an expression with absolute values, maxima and minima can be, each case once.

    It is continuous where its cases meet, so their own critical points are all there are.
    """
    if not isinstance(node, Call) or variable not in names(node):
        yield node
        return
    for args in product(*(list(_few_cases(arg, variable)) for arg in node.args)):
        if node.head == "abs":
            yield args[0]
            yield call("neg", args[0])
        elif node.head in {"max", "min"}:
            yield from args
        else:
            yield Call(node.head, args)


def _few_cases(node: Node, variable: str) -> Iterator[Node]:
    return islice(_without_cases(node, variable), _MAX_VARIANTS + 1)


def substituted(node: Node, variable: str, point: Node) -> Node:
    """The tree with a variable replaced."""
    if isinstance(node, Name):
        return point if node.name == variable else node
    if not isinstance(node, Call):
        return node
    return Call(node.head, tuple(substituted(arg, variable, point) for arg in node.args))


def holds(head: str, left: Node, right: Node, variable: str, point: Node) -> bool:
    """Whether a relation is true at a point; where a side has no real value it is not.

    Raises
    ------
    BeyondError
        If that cannot be computed.

    >>> holds("lt", Name("x"), Number(Fraction(2)), "x", Number(Fraction(2)))
    False
    """
    one, other = (substituted(side, variable, point) for side in (left, right))
    try:
        first, second = real_value(one), real_value(other)
    except BeyondError:
        return TRUE_FOR[head](_order(one, other))
    if first is None or second is None:
        return False
    gap = first - second
    if gap and abs(gap) < _NEAR * max(abs(first), abs(second)):
        # Both are known to 60 digits; whether they differ at all needs the difference itself.
        return TRUE_FOR[head](_order(one, other))
    return TRUE_FOR[head]((gap > 0) - (gap < 0))


def _order(left: Node, right: Node) -> int:
    """-1, 0 or 1, of numbers that may be too large to be written as well."""
    order = values.compare(left, right)
    if order is None:
        raise BeyondError("numbers that are not compared")
    return order


TRUE_FOR: dict[str, Callable[[int], bool]] = {
    "eq": lambda sign: sign == 0,
    "ne": lambda sign: sign != 0,
    "lt": lambda sign: sign < 0,
    "le": lambda sign: sign <= 0,
    "gt": lambda sign: sign > 0,
    "ge": lambda sign: sign >= 0,
}
"""Whether a relation holds, by the sign of its left side less its right side."""


def real_value(node: Node) -> Fraction | None:
    """Value of a constant to 60 digits, or None where it is undefined or not real.

    Raises
    ------
    BeyondError
        If it cannot be computed.
    """
    found = size(node)
    if found is not None:
        return found
    try:
        value = values.evaluate(node, {}, 60)
    except values.UndefinedError:
        return None
    except values.EvaluationError as error:
        raise BeyondError("a value that is not computed") from error
    if not value.imag:
        raise BeyondError("a value that is not settled")
    return None
