"""Expressions made of pieces: what is the same near zero may be another thing far away."""

from __future__ import annotations

from .tree import Call, Node, Number, names, walk

KINKED = frozenset({"max", "min", "abs", "floor", "ceiling", "sign", "mod", "gcd", "lcm"})
"""Heads whose values are made of pieces: max(x, 100) is 100 at all small numbers."""


def has_kinks(node: Node) -> bool:
    """Whether a tree is made of pieces, or may be: of a root, as in sqrt((x - 100)^2), it may.

    >>> from .tree import Name, call, whole
    >>> has_kinks(call("abs", Name("x"))), has_kinks(call("pow", Name("x"), whole(2)))
    (True, False)
    """
    return any(isinstance(part, Call) and _is_kinked(part) for part in walk(node))


def _is_kinked(node: Call) -> bool:
    if node.head in KINKED:
        return True
    if node.head not in {"root", "pow"} or not names(node.args[0]):
        return False
    if node.head == "root":
        return True
    return any(
        (isinstance(part, Number) and part.value.denominator > 1)
        or (isinstance(part, Call) and part.head == "div")
        for part in walk(node.args[1])
    )
