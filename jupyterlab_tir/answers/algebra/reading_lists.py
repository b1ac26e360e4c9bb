r"""What stands in a list or a chain together: shared left sides, a common modulus, named counts.

Trees in, a tree out; the parser reads their parts.
"""

from __future__ import annotations

import re

from .reading_groups import is_set
from .reading_values import counted_apart
from .tokens import ReadError
from .tree import Call, Name, Node, Text, call, is_statement

UNNAMED = Name("x")
"""What a residue without a name is the value of."""


def listed(items: list[Node], joined: str) -> Node:
    """Elements without brackets as one answer."""
    if len(items) == 1:
        return items[0]
    if all(is_statement(item) for item in items):
        heads = {item.head for item in items if isinstance(item, Call)}
        if heads - {"eq", "ne"} and set(joined) <= {"a", ","} and "a" in joined:
            return Call("and", tuple(items))
        if heads - {"eq"} and set(joined) <= {"o", ","} and "o" in joined:
            return Call("or", tuple(items))
        return _alternatives(items, joined) or Call("bare", tuple(items))
    return _shared_left(items) or Call("bare", counted_apart(items))


def _alternatives(items: list[Node], joined: str) -> Node | None:
    """Read "x = 1, y = 2 or x = 3, y = 4": what holds together, or else. "x = 1 or 2" is a list."""
    lefts = [item.args[0] for item in items if isinstance(item, Call)]
    if "o" not in joined or all(left == lefts[0] for left in lefts):
        return None
    groups = [[items[0]]]
    each_is_one_sign = len(joined) == len(items) - 1
    separators = list(joined) if each_is_one_sign else re.findall("[,;a]*o|[,;aw]+", joined)
    if len(separators) != len(items) - 1:
        return None
    for item, separator in zip(items[1:], separators, strict=True):
        if "o" in separator:
            groups.append([item])
        else:
            groups[-1].append(item)
    return Call("or", tuple(g[0] if len(g) == 1 else Call("and", tuple(g)) for g in groups))


def _shared_left(items: list[Node]) -> Node | None:
    """Read "x = 1, 2" and "x ≠ 0, 1": a relation of one left side to several values."""
    first = items[0]
    if not isinstance(first, Call) or any(is_statement(item) for item in items[1:]):
        return None
    if first.head == "eq":
        return call("eq", first.args[0], call("bare", first.args[1], *items[1:]))
    if first.head == "ne" and not any(isinstance(item, Text) for item in items[1:]):
        return Call("and", (first, *(call("ne", first.args[0], item) for item in items[1:])))
    return None


def all_modulo(items: list[Node]) -> list[Node]:
    r"""The list where its last element's modulus is that of all: `x \equiv 1, 2 \pmod 5`."""
    *_, last = items
    if not isinstance(last, Call):
        return items
    _, value, modulus = last.args
    subject: Node = UNNAMED
    first = items[0]
    if isinstance(first, Call) and first.head == "eq":
        subject, first = first.args
    values = [first, *items[1:-1]] if items[1:] else []
    if any(is_statement(each) or isinstance(each, Text) for each in values):
        return items
    if not values:
        return items
    return [
        Call("bare", tuple(call("congruent", subject, each, modulus) for each in [*values, value]))
    ]


def joined(head: str, left: Node, right: Node) -> Node:
    """An n-ary call, its left side's arguments taken in."""
    before = left.args if isinstance(left, Call) and left.head == head else (left,)
    return Call(head, (*before, right))


def logic(statements: str, sets: str, parts: list[Node]) -> Node:
    """What a sign of logic makes of statements or of sets.

    Raises
    ------
    ReadError
        Between values.
    """
    if len(parts) == 1:
        return parts[0]
    if all(is_set(part) for part in parts):
        return Call(sets, tuple(parts))
    if not any(is_statement(part) or isinstance(part, Text) for part in parts):
        raise ReadError("a bar or an ampersand between values")
    return Call(statements, tuple(parts))


def chained(values: list[Node], signs: list[str]) -> Node:
    """The relations of a chain; what is said to be about a value stays with the value.

    Raises
    ------
    ReadError
        Where something is said of a rounded value.
    """
    while signs and signs[-1] == "approx":
        about = values.pop()
        signs.pop()
        if not isinstance(values[-1], Call) or values[-1].head != "approx":
            values[-1] = call("approx", values[-1], about)
    heads = ["eq" if sign == "equiv" else sign for sign in signs]
    last = values[-1]
    if signs == ["equiv"] and isinstance(last, Call) and last.head == "mod":
        return call("congruent", values[0], *last.args)
    if "approx" in heads:
        raise ReadError("a relation after a rounded value")
    pairs = [call(heads[at], values[at], values[at + 1]) for at in range(len(heads))]
    if not pairs:
        return values[0]
    return pairs[0] if len(pairs) == 1 else Call("and", tuple(pairs))
