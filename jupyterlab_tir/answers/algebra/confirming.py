"""Whether a closed form is what a sum, product, integral, limit or derivative equals, by numbers.

Each call is computed as it is defined, at a few values of its variables; nothing here knows how
the closed form was found.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from . import values
from .heights import Height, frequency, height_of, oscillating_area
from .polynomials import BeyondError
from .tree import Call, Constant, Name, Node, Text, names

_DIGITS = 25
_EXACT = Fraction(1, 10**20)
_NUMERIC = Fraction(1, 10**9)
_NEEDED = 2
_WHOLE_SAMPLES = (3, 4, 6, 9, 5)
_SAMPLES = tuple(Fraction(*pair) for pair in ((2, 7), (3, 8), (-1, 3), (5, 4), (19, 7)))
_MAX_QUADRATURE = 6
_FAR = 100
_MAX_ERROR = 1e-7
_STEP = Fraction(1, 10**20)
_APPROACHES = 5
_NEEDED_APPROACHES = 3
_SHRINKS = Fraction(2, 3)

At = Mapping[str, Fraction]
Complex = tuple[Fraction, Fraction]


def confirmed(node: Call, closed: Node) -> bool:
    """Whether values of a call agree with those of its closed form wherever both are computed.

    >>> from .tree import call, whole
    >>> upto = call("sum", Name("k"), Name("k"), whole(1), Name("n"))
    >>> confirmed(upto, call("pow", Name("n"), whole(2)))
    False
    """
    agreeing = 0
    wanted = _NEEDED if _free(node) else 1
    for at in _samples(node):
        agrees = _agrees_at(node, closed, at)
        if agrees is False:
            return False
        agreeing += agrees is True
        if agreeing >= wanted + 1 or (agreeing and not _free(node)):
            break
    return agreeing >= wanted


def _free(node: Call) -> list[str]:
    _, index, *rest = node.args
    bound = (
        names(index) if node.head != "derivative" and (rest or node.head != "integral") else set()
    )
    return sorted(names(node) - bound)


def _samples(node: Call) -> Iterator[dict[str, Fraction]]:
    in_ends: set[str] = set()
    if node.head in {"sum", "product"}:
        in_ends = {name for end in node.args[2:] for name in names(end)}
    for turn in range(len(_SAMPLES)):
        yield {
            name: Fraction(_WHOLE_SAMPLES[(turn + place) % len(_SAMPLES)])
            if name in in_ends
            else _SAMPLES[(turn + place) % len(_SAMPLES)]
            for place, name in enumerate(_free(node))
        }


def _agrees_at(node: Call, closed: Node, at: At) -> bool | None:
    """None where one of both is not computed."""
    try:
        return _CHECKS[node.head](node, closed, at)
    except values.EvaluationError:
        return None


def _value(node: Node, at: At, digits: int = _DIGITS) -> Complex:
    return values.parts(values.evaluate(node, at, digits))


def _close(one: Complex, other: Complex, tolerance: Fraction) -> bool:
    gap = max(abs(one[0] - other[0]), abs(one[1] - other[1]))
    scale = max(*map(abs, one), *map(abs, other))
    return gap <= tolerance * scale or gap <= tolerance**2


# Sums and products


def _terms_agree(node: Call, closed: Node, at: At) -> bool | None:
    body, index, low, high = node.args
    if high != Constant("infinity"):
        return _close(_value(node, at), _value(closed, at), _EXACT)
    if not isinstance(index, Name):
        return None
    mp = _context()
    add_up = mp.nsum if node.head == "sum" else mp.nprod
    first = int(_value(low, at)[0])
    found = add_up(lambda k: _number(body, {**at, index.name: Fraction(int(k))}), [first, mp.inf])
    return _close(_from(found), _value(closed, at), _NUMERIC)


# Integrals


def _areas_agree(node: Call, closed: Node, at: At) -> bool | None:
    body, index, *ends = node.args
    if not isinstance(index, Name):
        return None
    if not ends:
        return _close(_slope(closed, index.name, at, 1), _value(body, at), _NUMERIC)
    wanted = _value(closed, at)
    quick = _quick_area(body, index.name, ends, at)
    if quick is not None and not cmath.isfinite(quick):
        return None
    if quick is not None and _close(_of_float(quick), wanted, _NUMERIC):
        return True
    return _slow_area_agrees(body, index.name, ends, at, wanted)


def _quick_area(body: Node, name: str, ends: list[Node], at: At) -> complex | None:
    """The integral by floats, infinite where it diverges; None where floats do not do."""
    from mpmath import fp  # noqa: PLC0415

    try:
        inside = height_of(body, name, at)
        bounds = [float(_bound(end, at)) for end in ends]
        turning = frequency(body, name, at) if bounds[1] == math.inf else 0.0
        if turning and bounds[0] != -math.inf:
            found = oscillating_area(inside, bounds[0], turning)
        else:
            found = _area(fp, _vanishing_far_out(inside), bounds)[0]
    except (ArithmeticError, BeyondError, TypeError, ValueError):
        # Overflow, a pole, an end that is complex: exact numbers may still do.
        return None
    return found


def _of_float(value: complex) -> Complex:
    value = complex(value)
    return Fraction(value.real), Fraction(value.imag)


def _vanishing_far_out(inside: Height) -> Height:
    def height(x: float) -> complex:
        value = inside(x)
        # 0 times infinity, where e^(-x^2) is too small to be written.
        return 0.0 if cmath.isnan(value) and abs(x) > _FAR else value

    return height


def _slow_area_agrees(
    body: Node, name: str, ends: list[Node], at: At, wanted: Complex
) -> bool | None:
    mp = _context()

    def height(x: Any) -> Any:  # noqa: ANN401 - mpmath has no types
        place = _from(x)[0]
        try:
            return _number(body, {**at, name: place})
        except values.TooBigError:
            # As above; were it large instead, nearer areas would tell.
            if abs(place) < _FAR:
                raise
            return mp.mpf(0)

    bounds = [_bound(end, at) for end in ends]
    found, error = _area(mp, height, bounds)
    if error > _MAX_ERROR * max(1, abs(found)):
        return None
    return _close(_from(found), wanted, _NUMERIC)


def _area(mp: Any, height: Callable[[Any], Any], bounds: list[Any]) -> tuple[Any, Any]:  # noqa: ANN401 - mpmath has no types
    """Integral and an estimate of its error."""
    low, high = bounds
    middle = [mp.mpf(0)] if low == -mp.inf and high == mp.inf else []
    found, error = mp.quad(height, [low, *middle, high], error=True, maxdegree=_MAX_QUADRATURE)
    return found, error


def _bound(end: Node, at: At) -> Any:  # noqa: ANN401 - mpmath has no types
    mp = _context()
    sign = values.infinite_sign(end)
    return sign * mp.inf if sign else _number(end, at)


# Derivatives


def _slopes_agree(node: Call, closed: Node, at: At) -> bool | None:
    body, index, order = node.args
    if not isinstance(index, Name):
        return None
    times = _value(order, {})[0]
    return _close(_slope(body, index.name, at, int(times)), _value(closed, at), _NUMERIC)


def _slope(body: Node, name: str, at: At, order: int) -> Complex:
    """Derivative by differences on both sides, to about forty digits."""
    real = imaginary = Fraction(0)
    for turn in range(order + 1):
        shifted = {**at, name: at[name] + (Fraction(order, 2) - turn) * _STEP}
        weight = (-1) ** turn * math.comb(order, turn)
        parts = _value(body, shifted, 20 * order + 80)
        real, imaginary = real + weight * parts[0], imaginary + weight * parts[1]
    return real / _STEP**order, imaginary / _STEP**order


# Limits


def _approaches(node: Call, closed: Node, at: At) -> bool | None:
    body, index, point, direction = node.args
    if not isinstance(index, Name) or not isinstance(direction, Text):
        return None
    sides = {"+": (1,), "-": (-1,)}.get(direction.words, (1, -1))
    found = [_comes_close(body, index.name, point, side, closed, at) for side in sides]
    return None if None in found else all(found)


def _comes_close(
    body: Node, name: str, point: Node, side: int, closed: Node, at: At
) -> bool | None:
    far = values.infinite_sign(closed)
    wanted = None if far else _value(closed, at, 200)
    gaps: list[Fraction] = []
    for x in _way_to(point, side, at):
        try:
            real, imaginary = _value(body, {**at, name: x}, 200)
        except values.TooBigError:
            break
        if wanted is None:
            if real * (far or 1) <= 0:
                return False
            gaps.append(1 / abs(real))
        else:
            gaps.append(max(abs(real - wanted[0]), abs(imaginary - wanted[1])))
    if len(gaps) < _NEEDED_APPROACHES:
        return None
    shrinks = all(after <= before * _SHRINKS for before, after in pairwise(gaps))
    return shrinks or gaps[-1] < _NUMERIC


def _way_to(point: Node, side: int, at: At) -> Iterator[Fraction]:
    """Numbers on the way to a point: 4, 8, 16, … digits close to it, or as large."""
    far = values.infinite_sign(point)
    for turn in range(_APPROACHES):
        distance = Fraction(10) ** (2 ** (turn + 2))
        if far:
            yield far * distance
        else:
            yield _value(point, at, 200)[0] + side / distance


# mpmath


@cache
def _context() -> Any:  # noqa: ANN401 - mpmath has no types
    """A context of our own: the common one may be set by anyone."""
    from mpmath import MPContext  # noqa: PLC0415

    context = MPContext()
    context.dps = 20
    return context


def _number(node: Node, at: At) -> Any:  # noqa: ANN401 - mpmath has no types
    mp = _context()
    real, imaginary = _value(node, at)
    found = mp.mpf(real.numerator) / real.denominator
    return (
        mp.mpc(found, mp.mpf(imaginary.numerator) / imaginary.denominator) if imaginary else found
    )


def _from(value: Any) -> Complex:  # noqa: ANN401 - mpmath has no types
    return values.parts(value)


_CHECKS: dict[str, Callable[[Call, Node, At], bool | None]] = {
    "sum": _terms_agree,
    "product": _terms_agree,
    "integral": _areas_agree,
    "derivative": _slopes_agree,
    "limit": _approaches,
}
