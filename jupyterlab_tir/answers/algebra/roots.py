"""Real roots of polynomials as trees, where they have a short exact form.

Those are rational roots, roots of linear and quadratic factors, and roots of such numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from .polynomials import ZERO, Polynomial, RootsError, added, multiplied, size
from .tree import Node, Number, call, whole

_MAX_DIVISIBLE = 10**8
_MAX_CANDIDATES = 2_000


def _known_size(node: Node) -> Fraction:
    found = size(node)
    if found is None:
        raise RootsError("a coefficient that is no real number")
    return found


def real_roots(polynomial: Polynomial) -> list[Node]:
    """All real roots; none for a constant, be it zero.

    Raises
    ------
    RootsError
        If some have no short exact form.

    >>> found = real_roots((whole(-4), whole(0), whole(1)))
    >>> sorted(root.value.numerator for root in found)
    [-2, 2]
    """
    parts = list(polynomial)
    while len(parts) > 1 and _known_size(parts[-1]) == 0:
        parts.pop()
    roots: list[Node] = []
    if len(parts) > 1 and _known_size(parts[0]) == 0:
        roots.append(ZERO)
        while _known_size(parts[0]) == 0:
            parts.pop(0)
    if all(isinstance(part, Number) for part in parts):
        rest, rational = _without_rational_roots([_known_size(part) for part in parts])
        roots += map(Number, rational)
        parts = list(map(Number, rest))
    return roots + _irrational_roots(parts)


def _irrational_roots(parts: list[Node]) -> list[Node]:
    """Roots of what has none that is zero, and none that is rational where it is rational."""
    step = math.gcd(*(at for at, part in enumerate(parts) if part != ZERO))
    powers = parts[:: step or 1]
    if len(powers) == 1:
        return []
    if len(powers) <= 3:  # noqa: PLR2004 - a quadratic has three coefficients
        found = _quadratic_roots(powers) if len(powers) == 3 else [_linear_root(powers)]  # noqa: PLR2004
        return [root for power in found for root in _roots_of_number(power, step)]
    if all(isinstance(part, Number) for part in parts):
        exact = [_known_size(part) for part in parts]
        if not _number_of_real_roots(exact):
            return []
    raise RootsError("degree or coefficients")


def _linear_root(parts: list[Node]) -> Node:
    constant, slope = parts
    if isinstance(slope, Number):
        return multiplied(Number(-1 / slope.value), constant)
    return call("div", call("neg", constant), slope)


def _quadratic_roots(parts: list[Node]) -> list[Node]:
    constant, slope, square = parts
    product = multiplied(multiplied(whole(-4), square), constant)
    inside = added(multiplied(slope, slope), product)
    discriminant = _known_size(inside)
    if discriminant < 0:
        return []
    over, under = multiplied(whole(-1), slope), multiplied(whole(2), square)
    if discriminant == 0:
        return [_linear_root([slope, under])]
    root = _square_root(inside)
    return [_quotient(added(over, multiplied(whole(sign), root)), under) for sign in (-1, 1)]


def _quotient(top: Node, bottom: Node) -> Node:
    if isinstance(top, Number) and isinstance(bottom, Number):
        return Number(top.value / bottom.value)
    return call("div", top, bottom)


def _square_root(node: Node) -> Node:
    if isinstance(node, Number):
        top, bottom = node.value.numerator, node.value.denominator
        root = Fraction(math.isqrt(top), math.isqrt(bottom))
        if root * root == node.value:
            return Number(root)
    return call("root", node, whole(2))


def _roots_of_number(node: Node, degree: int) -> list[Node]:
    """All real x with x^degree = the number."""
    if degree == 1:
        return [node]
    value = _known_size(node)
    if degree % 2:
        if value < 0:
            return [call("neg", call("root", multiplied(whole(-1), node), whole(degree)))]
        return [call("root", node, whole(degree))]
    if value < 0:
        return []
    root = _square_root(node) if degree == 2 else call("root", node, whole(degree))  # noqa: PLR2004 - a square
    return [multiplied(whole(-1), root), root]


def _without_rational_roots(parts: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """The polynomial divided by its rational linear factors, and their roots, each once."""
    roots: list[Fraction] = []
    for root in _candidates(parts):
        while len(parts) > 1:
            quotient, rest = _divided(parts, root)
            if rest:
                break
            parts = quotient
            if root not in roots:
                roots.append(root)
    return parts, roots


def _candidates(parts: list[Fraction]) -> Iterator[Fraction]:
    """All rationals that can be roots, by the divisors of the first and last coefficient."""
    if len(parts) <= 2:  # noqa: PLR2004 - a linear polynomial has two coefficients
        if len(parts) == 2:  # noqa: PLR2004
            yield -parts[0] / parts[1]
        return
    common = math.lcm(*(part.denominator for part in parts))
    scaled = [int(part * common) for part in parts]
    shared = math.gcd(*scaled)
    first, last = abs(scaled[0] // shared), abs(scaled[-1] // shared)
    unders, overs = _divisors(last), _divisors(first)
    if not 0 < len(unders) * len(overs) <= _MAX_CANDIDATES:
        if len(parts) == 3:  # noqa: PLR2004 - the formula finds them
            return
        raise RootsError("coefficients too large to factor")
    for under in unders:
        for over in overs:
            if math.gcd(over, under) == 1:
                yield Fraction(over, under)
                yield Fraction(-over, under)


def _divisors(number: int) -> list[int]:
    """All divisors, or none of a number that is too large to take apart."""
    if number > _MAX_DIVISIBLE:
        return []
    low = [part for part in range(1, math.isqrt(number) + 1) if number % part == 0]
    return sorted({*low, *(number // part for part in low)})


def _divided(parts: list[Fraction], root: Fraction) -> tuple[list[Fraction], Fraction]:
    """Quotient and remainder of a division by x - root."""
    carried = Fraction(0)
    found: list[Fraction] = []
    for part in reversed(parts):
        carried = carried * root + part
        found.append(carried)
    return found[-2::-1], found[-1]


def _number_of_real_roots(parts: list[Fraction]) -> int:
    """Sturm's theorem: sign changes of the chain far below less those far above."""
    slope = [at * part for at, part in enumerate(parts)][1:]
    chain = [parts, slope]
    while len(chain[-1]) > 1:
        rest = _remainder(chain[-2], chain[-1])
        if not rest:
            break
        chain.append([-part for part in rest])
    above = [part[-1] > 0 for part in chain]
    below = [positive ^ (len(part) % 2 == 0) for positive, part in zip(above, chain, strict=True)]
    return _changes(below) - _changes(above)


def _changes(signs: list[bool]) -> int:
    return sum(one != other for one, other in pairwise(signs))


def _remainder(top: list[Fraction], bottom: list[Fraction]) -> list[Fraction]:
    rest = list(top)
    while len(rest) >= len(bottom):
        factor = rest[-1] / bottom[-1]
        shift = len(rest) - len(bottom)
        for at, part in enumerate(bottom):
            rest[shift + at] -= factor * part
        rest.pop()
        while rest and not rest[-1]:
            rest.pop()
    return rest
