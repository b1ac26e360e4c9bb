"""Conditions on one real variable as sets of numbers, and the algebra of such sets.

A condition is solved by its critical points: the numbers at which it can change are found from its
terms, and between and at them its truth is what its values say there. So a critical point too many
does no harm, and one that is missing shows where two samples of one gap differ. Nothing is
believed of a solver but the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, floor

from . import real_sets
from .critical import TRUE_FOR, check_depth, critical_points, holds
from .polynomials import BeyondError, size
from .real_sets import EVERYTHING, NOTHING, End, RealSet
from .tree import (
    CONDITIONS,
    RELATIONS,
    Call,
    Constant,
    Name,
    Node,
    Number,
    call,
    names,
    walk,
    whole,
)

_MAX_DEPTH = 40
_MAX_NODES = 20_000
_MAX_WHOLE_NUMBERS = 1_000
_WHOLE = frozenset({"integers", "naturals"})
_INTERVALS = {
    "open": (False, False),
    "tuple": (False, False),
    "closed": (True, True),
    "list": (True, True),
    "open_closed": (False, True),
    "closed_open": (True, False),
}


def solution_set(condition: Node, variable: str | None = None) -> Node | None:
    """The real numbers for which a condition in one variable holds.

    Parameters
    ----------
    condition
        Relations, `in`, `notin`, and what `and`, `or` and `not` make of them.
    variable
        Its unknown; None for the only one that is in it.

    Returns
    -------
    Node or None
        As `normal_set` gives it; None where it is not worked out, as with a second variable.

    >>> found = solution_set(call("lt", call("neg", Name("x")), whole(4)))
    >>> found.head, found.args[0].value
    ('open', Fraction(-4, 1))
    """
    try:
        _check_size(condition)
        return real_sets.as_tree(_solution(condition, _unknown(condition, variable), 0))
    except BeyondError:
        return None


def normal_set(node: Node) -> Node | None:
    """A set of real numbers in canonical form, or a union of explicit sets as one set.

    Intervals and sets of points stand in ascending order, disjoint and as few as can be, in a
    `union` where there are several; else the tree is `empty`, `reals`, one interval or one `set`.
    Two numbers in round or square brackets within a union, intersection or difference, or after
    `in`, are the ends of an interval. What is not made of numbers is joined in the order written.

    >>> two = call("set", whole(2))
    >>> [part.head for part in normal_set(call("difference", call("reals"), two)).args]
    ['open', 'open']
    """
    if not isinstance(node, Call) or node.head in {"tuple", "list"}:
        return None
    try:
        _check_size(node)
        return real_sets.as_tree(_numbers(node, 0))
    except BeyondError:
        return _explicit(node)


def _check_size(node: Node) -> None:
    if len(list(islice(walk(node), _MAX_NODES + 1))) > _MAX_NODES:
        raise BeyondError("too many parts")


def _explicit(node: Call) -> Node | None:
    """Elements of a union of sets in braces, in the order written."""
    elements: list[Node] = []
    for part in _flat(node, "union"):
        if not isinstance(part, Call) or part.head not in {"set", "empty"}:
            return None
        elements += part.args
    return Call("set", tuple(elements)) if elements else call("empty")


def _flat(node: Node, head: str) -> list[Node]:
    """Arguments of nested calls of one head, in order: of a union of a union and C, A, B and C."""
    waiting, found = [node], []
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call) and part.head == head:
            waiting.extend(reversed(part.args))
        else:
            found.append(part)
    return found


# Sets


def _numbers(node: Node, depth: int) -> RealSet:
    if depth > _MAX_DEPTH:
        raise BeyondError("nested too deeply")
    match node:
        case Call("setof", (pattern, condition)):
            return _described(pattern, condition, depth)
        case Call("in", (Name(_), numbers)):
            return _numbers(numbers, depth + 1)
        case Call(head, (low, high)) if head in _INTERVALS:
            return _interval(low, high, *_INTERVALS[head])
        case Call(head, _) if head in CONDITIONS:
            return _solution(node, _unknown(node, None), depth + 1)
        case Call(head, _) if head in _SETS:
            return _SETS[head](node, depth)
    raise BeyondError("no set of real numbers")


def _end(node: Node) -> End:
    value = size(node)
    if value is None:
        raise BeyondError("no real number")
    return End(value, node)


def _infinite(node: Node) -> int:
    """1 for infinity, -1 for its negative, else 0."""
    sign = 1
    while isinstance(node, Call) and node.head == "neg":
        (node,), sign = node.args, -sign
    return sign if node == Constant("infinity") else 0


def _interval(low: Node, high: Node, low_in: bool, high_in: bool) -> RealSet:  # noqa: FBT001 - brackets
    # Infinity is no number: [2, ∞] says what [2, ∞) says.
    from_below, to_above = _infinite(low) < 0, _infinite(high) > 0
    below = None if from_below else _end(low)
    above = None if to_above else _end(high)
    if below is not None and above is not None:
        order = below.compare(above)
        if order == 0 and low_in and high_in:
            return real_sets.points([below])
        if order >= 0:
            raise BeyondError("ends that bound nothing")
    return real_sets.interval(below, above, low_in=low_in, high_in=high_in)


def _difference(node: Call, depth: int) -> RealSet:
    whole_set: Node = node
    taken: list[Node] = []
    while isinstance(whole_set, Call) and whole_set.head == "difference":
        whole_set, less = whole_set.args
        taken.append(less)
    removed = real_sets.union_all([_numbers(part, depth + 1) for part in taken])
    return real_sets.difference(_numbers(whole_set, depth + 1), removed)


def _common(parts: list[Node], depth: int) -> RealSet:
    """What sets have in common, integers or naturals among them."""
    domains = {part.head for part in parts if isinstance(part, Call) and part.head in _WHOLE}
    found = EVERYTHING
    for part in parts:
        if not (isinstance(part, Call) and part.head in _WHOLE):
            found = real_sets.intersection(found, _numbers(part, depth + 1))
    return _whole_numbers(found, domains)


def _whole_numbers(numbers: RealSet, domains: Iterable[str]) -> RealSet:
    """The members that are whole, where they are few."""
    domains = set(domains)
    if not domains:
        return numbers
    found: list[int] = []
    for piece in real_sets.pieces(numbers):
        if "naturals" in domains:
            # Whether 0 is one of them is a matter of taste, and nobody's taste is asked here.
            first = 0 if piece.low is None else max(0, _first_whole(piece.low))
        elif piece.low is None:
            raise BeyondError("infinitely many numbers")
        else:
            first = _first_whole(piece.low)
        if piece.high is None:
            raise BeyondError("infinitely many numbers")
        last = _last_whole(piece.high)
        if last - first >= _MAX_WHOLE_NUMBERS or len(found) > _MAX_WHOLE_NUMBERS:
            raise BeyondError("too many numbers")
        found += range(first, last + 1)
    ends = [End(Fraction(number), whole(number)) for number in found]
    inside = real_sets.intersection(numbers, real_sets.points(ends))
    if "naturals" in domains and any(not end.value for end in inside.ends):
        raise BeyondError("zero may be a natural number")
    return inside


def _first_whole(end: End) -> int:
    return floor(end.value)


def _last_whole(end: End) -> int:
    return ceil(end.value)


def _described(pattern: Node, condition: Node, depth: int) -> RealSet:
    """The set {pattern : condition}."""
    match pattern:
        case Name(variable):
            return _solution(condition, variable, depth + 1)
        case Call("in", (Name(variable), _)):
            return _solution(call("and", pattern, condition), variable, depth + 1)
    raise BeyondError("a pattern that is no variable")


def _joined(node: Call, depth: int) -> RealSet:
    return real_sets.union_all([_numbers(part, depth + 1) for part in _flat(node, "union")])


_SETS: dict[str, Callable[[Call, int], RealSet]] = {
    "empty": lambda _, __: NOTHING,
    "reals": lambda _, __: EVERYTHING,
    "set": lambda node, _: real_sets.points(map(_end, node.args)),
    "union": _joined,
    "intersection": lambda node, depth: _common(_flat(node, "intersection"), depth),
    "difference": _difference,
}


# Conditions


def _unknown(condition: Node, variable: str | None) -> str:
    found = names(condition)
    if variable is None and len(found) == 1:
        (variable,) = found
    if variable is None:
        raise BeyondError("not one variable")
    return variable


def _solution(node: Node, variable: str, depth: int) -> RealSet:
    if depth > _MAX_DEPTH:
        raise BeyondError("nested too deeply")
    match node:
        case Call("and", _):
            return _all_hold(_flat(node, "and"), variable, depth)
        case Call("bare", parts):
            return _all_hold(parts, variable, depth)
        case Call("or", _):
            return real_sets.union_all(
                [_solution(part, variable, depth + 1) for part in _flat(node, "or")]
            )
        case Call("in", (inner, numbers)):
            return _lies_in(inner, _numbers(numbers, depth + 1), variable)
        case Call(head, (left, right)) if head in RELATIONS:
            return _relation(head, left, right, variable)
    return real_sets.complement(_solution(_denied(node), variable, depth + 1))


def _denied(node: Node) -> Node:
    match node:
        case Call("not", (part,)):
            return part
        case Call("notin", args):
            return Call("in", args)
    raise BeyondError("no condition on a number")


def _all_hold(parts: Sequence[Node], variable: str, depth: int) -> RealSet:
    domains: set[str] = set()
    found = EVERYTHING
    for part in parts:
        match part:
            case Call("in", (Name(name), Call(head, ()))) if name == variable and head in _WHOLE:
                domains.add(head)
            case _:
                found = real_sets.intersection(found, _solution(part, variable, depth + 1))
    return _whole_numbers(found, domains)


def _lies_in(inner: Node, numbers: RealSet, variable: str) -> RealSet:
    if inner == Name(variable):
        return numbers
    found: list[RealSet] = []
    for piece in real_sets.pieces(numbers):
        inside = EVERYTHING
        if piece.low is not None:
            head = "ge" if piece.low_in else "gt"
            inside = _relation(head, inner, piece.low.tree, variable)
        if piece.high is not None:
            head = "le" if piece.high_in else "lt"
            below = _relation(head, inner, piece.high.tree, variable)
            inside = real_sets.intersection(inside, below)
        found.append(inside)
    return real_sets.union_all(found)


def _relation(head: str, left: Node, right: Node, variable: str) -> RealSet:
    """The set for one relation: what holds at the critical points and at samples between them."""
    if not names(left) | names(right) <= {variable}:
        raise BeyondError("a second variable")
    for side, other, sign in (left, right, -1), (right, left, 1):
        if side == Name(variable) and _infinite(other):
            return EVERYTHING if TRUE_FOR[head](sign * _infinite(other)) else NOTHING
    check_depth(left)
    check_depth(right)
    ends = real_sets.ascending(map(_end, critical_points(left, right, variable)))
    cells: list[bool] = []
    for at, gap in enumerate(real_sets.samples(ends)):
        found = {holds(head, left, right, variable, Number(point)) for point in gap}
        if len(found) > 1:
            raise BeyondError("a critical point is missing")
        cells += found
        if at < len(ends):
            cells.append(holds(head, left, right, variable, ends[at].tree))
    # Joining with nothing leaves out the ends at which nothing changes.
    return real_sets.union(NOTHING, RealSet(tuple(ends), tuple(cells)))
