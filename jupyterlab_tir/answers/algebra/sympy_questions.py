"""The few questions that only SymPy answers. What it says is checked by who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .polynomials import Polynomial
from .sympy_trees import UntranslatableError, from_sympy, sympy_failures, to_sympy
from .tree import Call, Name, Node, Number, names, walk

if TYPE_CHECKING:
    import sympy

_MAX_NODES = 60
_MAX_EXPONENT = 12
_MAX_DERIVED = 80


def points_of_change(difference: Node, variable: str) -> list[Node]:
    """Real zeros and singularities of an expression, and the ends of where it is defined.

    Raises
    ------
    UntranslatableError
        If SymPy does not find them, or they are infinitely many.

    >>> from .tree import call
    >>> sorted({point.value.numerator for point in points_of_change(call("log", Name("x")), "x")})
    [0, 1]
    """
    import sympy  # noqa: PLC0415
    from sympy.calculus.util import continuous_domain  # noqa: PLC0415

    _refuse_long_work(difference)
    x = sympy.Symbol(variable, real=True)
    expression = to_sympy(difference, {variable: x})
    with sympy_failures():
        found = [
            sympy.solveset(expression, x, sympy.S.Reals),
            sympy.singularities(expression, x, sympy.S.Reals),
            continuous_domain(expression, x, sympy.S.Reals).boundary,
        ]
    if not all(
        isinstance(points, sympy.FiniteSet) or points is sympy.S.EmptySet for points in found
    ):
        raise UntranslatableError("no finite list of points")
    return [from_sympy(point) for points in found for point in points.args]


def _refuse_long_work(node: Node) -> None:
    """Refuse what SymPy would multiply out for minutes."""
    if sum(1 for _ in walk(node)) > _MAX_NODES:
        raise UntranslatableError("too many parts")
    for part in walk(node):
        match part:
            case Call("pow", (_, Number(exponent))) if abs(exponent) > _MAX_EXPONENT:
                raise UntranslatableError("too high a power")


def irreducible_factors(polynomial: Polynomial) -> list[Polynomial]:
    """Factors over the rationals, each once; constants are left out.

    Raises
    ------
    UntranslatableError
        If a coefficient is not rational.

    >>> from .tree import whole
    >>> [len(factor) for factor in irreducible_factors(tuple(map(whole, (6, 0, -5, 0, 1))))]
    [3, 3]
    """
    import sympy  # noqa: PLC0415

    if not all(isinstance(part, Number) for part in polynomial):
        raise UntranslatableError("a coefficient that is not rational")
    coefficients = [to_sympy(part) for part in reversed(polynomial)]
    with sympy_failures():
        _, factors = sympy.Poly(coefficients, sympy.Symbol("x")).factor_list()
    return [
        tuple(from_sympy(part) for part in reversed(factor.all_coeffs())) for factor, _ in factors
    ]


def value_of_call(node: Call) -> Node:
    """What SymPy says that a sum, product, integral, limit or derivative equals.

    Free variables of sums, products and definite integrals are taken to be positive, those in
    bounds of sums whole. It may be wrong.

    Raises
    ------
    UntranslatableError
        If it does not say.

    >>> from .tree import call, whole
    >>> value_of_call(call("integral", Name("x"), Name("x"), whole(0), whole(2)))
    Number(value=Fraction(2, 1), decimal='')
    """
    import sympy  # noqa: PLC0415

    _refuse_hopeless(node)
    expression = to_sympy(node, _assumed(node))
    with sympy_failures():
        found = sympy.piecewise_fold(expression.doit())
    if not isinstance(found, sympy.Piecewise):
        return from_sympy(found)
    for value, condition in found.args:
        # An equality holds at one point only, which is not what a formula is for.
        if not isinstance(condition, sympy.Eq) and not value.has(sympy.Sum, sympy.Integral):
            return from_sympy(value)
    raise UntranslatableError("no closed form")


def _refuse_hopeless(node: Call) -> None:
    """Refuse what SymPy would search for, or multiply out, for minutes."""
    body, *rest = node.args
    size = sum(1 for _ in walk(body))
    match node.head, rest:
        case "derivative", (_, Number(order)) if order * size > _MAX_DERIVED:
            raise UntranslatableError("too long a derivative")
        case "integral", (Name(variable), *_):
            for part in walk(body):
                if isinstance(part, Call) and part.head == "pow":
                    base, exponent = part.args
                    # Of x^x and its kind there is no integral in known functions.
                    if variable in names(base) and variable in names(exponent):
                        raise UntranslatableError("a power of x to the x")


def _assumed(node: Call) -> dict[str, sympy.Symbol]:
    import sympy  # noqa: PLC0415

    _, index, *ends = node.args
    if node.head not in {"sum", "product", "integral"} or not ends:
        return {}
    whole_numbers = node.head != "integral"
    in_ends = names(ends[0]) | names(ends[1]) if whole_numbers else frozenset[str]()
    return {
        name: sympy.Symbol(name, positive=True, integer=True if name in in_ends else None)
        for name in names(node) - names(index)
    }
