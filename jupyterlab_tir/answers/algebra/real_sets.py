"""Sets of real numbers made of finitely many intervals and points, and their algebra.

Pure bookkeeping: who makes a set knows the size of its ends. Ends keep the tree that they were
written as; they are ordered, and told apart, by their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby, pairwise

from msgspec import Struct

from .tree import Call, Constant, Node, Number, call

_SAME = Fraction(1, 10**50)
_HEADS = {
    (False, False): "open",
    (True, True): "closed",
    (False, True): "open_closed",
    (True, False): "closed_open",
}


class End(Struct, frozen=True):
    """Where a set may begin or stop.

    Attributes
    ----------
    value
        Its size: exact, or to 60 digits.
    tree
        The number as written.
    """

    value: Fraction
    tree: Node

    def compare(self, other: End) -> int:
        """-1, 0 or 1; numbers that agree to 50 digits are one number unless both are exact."""
        gap = self.value - other.value
        if isinstance(self.tree, Number) and isinstance(other.tree, Number):
            close = not gap
        else:
            close = abs(gap) <= _SAME * max(abs(self.value), abs(other.value))
        return 0 if close else (1 if gap > 0 else -1)


class RealSet(Struct, frozen=True):
    """A set of real numbers.

    Attributes
    ----------
    ends
        The numbers at which membership changes, ascending.
    cells
        Membership of what lies below the first end, of that end, of what lies between it and the
        second, and so on: one more than twice as many as ends.
    """

    ends: tuple[End, ...]
    cells: tuple[bool, ...]


EVERYTHING = RealSet((), (True,))
NOTHING = RealSet((), (False,))


def interval(low: End | None, high: End | None, *, low_in: bool, high_in: bool) -> RealSet:
    """All numbers between two ends; None is an end at infinity.

    >>> zero, one = (End(Fraction(n), Number(Fraction(n))) for n in (0, 1))
    >>> interval(zero, one, low_in=True, high_in=False).cells
    (False, True, True, False, False)
    """
    ends: list[End] = []
    cells: list[bool] = []
    if low is not None:
        ends, cells = [low], [False, low_in]
    cells.append(True)
    if high is not None:
        ends.append(high)
        cells += [high_in, False]
    return RealSet(tuple(ends), tuple(cells))


def points(ends: Iterable[End]) -> RealSet:
    """The set of some numbers."""
    return union_all(RealSet((end,), (False, True, False)) for end in ends)


def union(first: RealSet, second: RealSet) -> RealSet:
    """Numbers in either set."""
    return combined(first, second, lambda one, other: one or other)


def intersection(first: RealSet, second: RealSet) -> RealSet:
    """Numbers in both sets."""
    return combined(first, second, lambda one, other: one and other)


def difference(first: RealSet, second: RealSet) -> RealSet:
    """Numbers in the first set and not in the second."""
    return combined(first, second, lambda one, other: one and not other)


def complement(numbers: RealSet) -> RealSet:
    """All other real numbers."""
    return RealSet(numbers.ends, tuple(not cell for cell in numbers.cells))


def union_all(sets: Iterable[RealSet]) -> RealSet:
    """Numbers in any of the sets, joined by halves: a thousand sets are little work."""
    waiting = list(sets)
    while len(waiting) > 1:
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        odd = waiting[-1:] if len(waiting) % 2 else []
        waiting = [union(one, other) for one, other in pairs] + odd
    return waiting[0] if waiting else NOTHING


def combined(first: RealSet, second: RealSet, belongs: Callable[[bool, bool], bool]) -> RealSet:
    """Numbers for which a condition on membership in two sets holds."""
    at_first = at_second = 0
    ends: list[End] = []
    cells = [belongs(first.cells[0], second.cells[0])]
    while at_first < len(first.ends) or at_second < len(second.ends):
        order = _order(first.ends, at_first, second.ends, at_second)
        end = (first.ends[at_first]) if order <= 0 else second.ends[at_second]
        in_first = first.cells[2 * at_first + (order <= 0)]
        in_second = second.cells[2 * at_second + (order >= 0)]
        at_first += order <= 0
        at_second += order >= 0
        at = belongs(in_first, in_second)
        above = belongs(first.cells[2 * at_first], second.cells[2 * at_second])
        if at != cells[-1] or above != at:
            ends.append(end)
            cells += [at, above]
    return RealSet(tuple(ends), tuple(cells))


def _order(first: Sequence[End], at_first: int, second: Sequence[End], at_second: int) -> int:
    """Which of the next ends comes first: -1, 1, or 0 for both."""
    if at_first == len(first):
        return 1
    if at_second == len(second):
        return -1
    return first[at_first].compare(second[at_second])


def ascending(ends: Iterable[End]) -> list[End]:
    """Ends in order, those that are one number given once."""
    kept: list[End] = []
    for end in sorted(ends, key=lambda end: end.value):
        if not kept or kept[-1].compare(end):
            kept.append(end)
    return kept


class Piece(Struct, frozen=True):
    """One interval or point of a set; None is an end at infinity."""

    low: End | None
    high: End | None
    low_in: bool
    high_in: bool

    @property
    def is_point(self) -> bool:
        """Whether it is a single number."""
        return self.low is not None and self.low is self.high


def pieces(numbers: RealSet) -> Iterator[Piece]:
    """Intervals and points of a set, ascending, none touching the next."""
    at = 0
    for member, run in groupby(numbers.cells):
        last = at + len(list(run)) - 1
        if member:
            low = None if at == 0 else numbers.ends[(at - 1) // 2]
            high = None if last == 2 * len(numbers.ends) else numbers.ends[last // 2]
            yield Piece(low, high, bool(at % 2), bool(last % 2))
        at = last + 1


def as_tree(numbers: RealSet) -> Node:
    """The set as a tree: `empty`, `reals`, one interval or `set`, or an ascending `union` of them.

    >>> two = End(Fraction(2), Number(Fraction(2)))
    >>> [part.head for part in as_tree(complement(points([two]))).args]
    ['open', 'open']
    """
    parts: list[Node] = []
    for is_point, run in groupby(pieces(numbers), key=lambda piece: piece.is_point):
        if is_point:
            parts.append(Call("set", tuple(piece.low.tree for piece in run if piece.low)))
        else:
            parts += [_interval_tree(piece) for piece in run]
    if not parts:
        return call("empty")
    return parts[0] if len(parts) == 1 else Call("union", tuple(parts))


def _interval_tree(piece: Piece) -> Node:
    if piece.low is None and piece.high is None:
        return call("reals")
    infinity = Constant("infinity")
    low = call("neg", infinity) if piece.low is None else piece.low.tree
    high = infinity if piece.high is None else piece.high.tree
    return call(_HEADS[piece.low_in, piece.high_in], low, high)


def samples(numbers: Sequence[End]) -> Iterator[tuple[Fraction, ...]]:
    """Three numbers in each of the gaps that ends leave, from the lowest gap to the highest."""
    if not numbers:
        yield Fraction(-987, 40), Fraction(13, 37), Fraction(1013, 30)
        return
    low, high = numbers[0].value, numbers[-1].value
    yield low - 31, low - 4, low - Fraction(1, 17)
    for one, other in pairwise(numbers):
        width = other.value - one.value
        yield tuple(one.value + width * part for part in _PARTS)
    yield high + Fraction(1, 17), high + 4, high + 31


_PARTS = (Fraction(1, 9), Fraction(6, 13), Fraction(7, 8))
