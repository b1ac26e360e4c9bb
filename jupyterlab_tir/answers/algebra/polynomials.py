"""Polynomials in one real variable, and their quotients, read off a tree.

Coefficients are trees without the variable, rational ones folded to numbers. `BeyondError` says
that something is not of that form, or too large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice, zip_longest

from . import values
from .tree import Call, Name, Node, Number, call, names, walk, whole

Polynomial = tuple[Node, ...]
"""Coefficients, that of the constant term first."""

Rational = tuple[Polynomial, Polynomial]
"""Numerator and denominator, nothing cancelled."""

MAX_DEGREE = 60
_MAX_TREE_DEGREE = 4
_MAX_COEFFICIENT_BITS = 4_000
_MAX_COEFFICIENT_NODES = 500
ZERO, ONE = whole(0), whole(1)
_UNIT: Polynomial = (ONE,)


class BeyondError(Exception):
    """A condition that is not worked out here."""


class RootsError(BeyondError):
    """A polynomial with roots that have no short form."""


def rational_function(node: Node, variable: str) -> Rational:
    """A tree as a quotient of two polynomials, which have every zero of a denominator in it.

    Raises
    ------
    BeyondError
        If it is none, or has too high a degree.

    >>> x = Name("x")
    >>> top, bottom = rational_function(call("div", whole(3), call("neg", x)), "x")
    >>> [part.value.numerator for part in bottom]
    [0, -1]
    """
    if variable not in names(node) and not _is_arithmetic(node):
        return (node,), _UNIT
    match node:
        case Number(value):
            return (Number(value),), _UNIT
        case Name(_):
            return (ZERO, ONE), _UNIT
        case Call(head, args) if head in _OPERATIONS:
            return _OPERATIONS[head]([rational_function(arg, variable) for arg in args])
        case Call("pow", (base, exponent)):
            return _power(rational_function(base, variable), _exponent(exponent))
    raise BeyondError("no quotient of polynomials")


def _is_arithmetic(node: Node) -> bool:
    """Whether a constant may be a rational number, which is folded."""
    return isinstance(node, Number) or (isinstance(node, Call) and node.head in _OPERATIONS)


def _exponent(node: Node) -> int:
    sign = 1
    if isinstance(node, Call) and node.head == "neg":
        (node,), sign = node.args, -1
    if isinstance(node, Number) and node.value.denominator == 1 and abs(node.value) <= MAX_DEGREE:
        return sign * node.value.numerator
    raise BeyondError("no small whole exponent")


def _sum(parts: Sequence[Rational]) -> Rational:
    top: Polynomial = (ZERO,)
    bottom = _UNIT
    for other_top, other_bottom in parts:
        if other_bottom == bottom:
            top = _plus(top, other_top)
        else:
            top = _plus(_times(top, other_bottom), _times(other_top, bottom))
            bottom = _times(bottom, other_bottom)
    return top, bottom


def _product(parts: Sequence[Rational]) -> Rational:
    top, bottom = _UNIT, _UNIT
    for other_top, other_bottom in parts:
        top, bottom = _times(top, other_top), _times(bottom, other_bottom)
    return top, bottom


def _inverse(part: Rational) -> Rational:
    top, bottom = part
    if len(top) > 1:
        return bottom, top
    constant = top[0]
    if size(constant) == 0:
        raise BeyondError("a division by zero")
    under = (
        Number(1 / constant.value)
        if isinstance(constant, Number)
        else call("pow", constant, whole(-1))
    )
    return _times(bottom, (under,)), _UNIT


def _power(base: Rational, exponent: int) -> Rational:
    if exponent < 0:
        base, exponent = _inverse(base), -exponent
    return _product([base] * exponent)


_OPERATIONS: dict[str, Callable[[Sequence[Rational]], Rational]] = {
    "add": _sum,
    "mul": _product,
    "neg": lambda parts: _product([((whole(-1),), _UNIT), *parts]),
    "div": lambda parts: _product([parts[0], _inverse(parts[1])]),
}


def _plus(first: Polynomial, second: Polynomial) -> Polynomial:
    return _trimmed([added(a, b) for a, b in zip_longest(first, second, fillvalue=ZERO)])


def _times(first: Polynomial, second: Polynomial) -> Polynomial:
    if _UNIT in (first, second):
        return second if first == _UNIT else first
    degree = len(first) + len(second) - 2
    exact = all(isinstance(part, Number) for part in (*first, *second))
    if degree > (MAX_DEGREE if exact else _MAX_TREE_DEGREE):
        raise BeyondError("too high a degree")
    found: list[Node] = [ZERO] * (degree + 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            found[i + j] = added(found[i + j], multiplied(a, b))
    return _trimmed(found)


def _trimmed(parts: list[Node]) -> Polynomial:
    while len(parts) > 1 and parts[-1] == ZERO:
        parts.pop()
    for part in parts:
        if isinstance(part, Number):
            large = part.value.numerator.bit_length() + part.value.denominator.bit_length()
            if large > _MAX_COEFFICIENT_BITS:
                raise BeyondError("too large a coefficient")
        elif len(list(islice(walk(part), _MAX_COEFFICIENT_NODES))) == _MAX_COEFFICIENT_NODES:
            raise BeyondError("too long a coefficient")
    return tuple(parts)


def added(a: Node, b: Node) -> Node:
    """The sum of two coefficients.

    >>> added(whole(1), whole(2)).value
    Fraction(3, 1)
    """
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    if ZERO in (a, b):
        return b if a == ZERO else a
    return call("add", a, b)


def multiplied(a: Node, b: Node) -> Node:
    """The product of two coefficients.

    >>> multiplied(whole(3), whole(2)).value
    Fraction(6, 1)
    """
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value * b.value)
    if ZERO in (a, b):
        return ZERO
    if ONE in (a, b):
        return b if a == ONE else a
    if isinstance(b, Number):
        a, b = b, a
    match a, b:
        case Number(factor), Call("mul", (Number(other), rest)):
            return multiplied(Number(factor * other), rest)
    return call("mul", a, b)


def size(node: Node) -> Fraction | None:
    """Value of a real constant, exact where it is written as a number, else to 60 digits."""
    match node:
        case Number(value):
            return value
        case Call("neg", (Number(value),)):
            return -value
        case Call("div", (Number(top), Number(bottom))) if bottom:
            return top / bottom
    return values.approximate(node)
