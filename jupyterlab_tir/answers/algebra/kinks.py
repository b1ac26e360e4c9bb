"""Expressions made of pieces: what is the same near zero may be another thing far away."""

from __future__ import annotations

from .tree import Call, Node, Number, names, walk

KINKED = frozenset({"max", "min", "abs", "floor", "ceiling", "sign", "mod", "gcd", "lcm"})
"""Heads whose values are made of pieces: max(x, 100) is 100 at all small numbers."""


_GROWING = frozenset({"exp", "sinh", "cosh", "gamma", "factorial", "factorial2"})


def growth(node: Node) -> int:
    """How many exponentials of variables stand in each other: 0 for a polynomial, 1 for e^x.

    >>> from .tree import Name, call
    >>> growth(call("exp", call("exp", Name("x")))), growth(call("sin", Name("x")))
    (2, 0)
    """
    if not isinstance(node, Call):
        return 0
    inside = max(map(growth, node.args), default=0)
    if node.head == "pow":
        return inside + bool(names(node.args[1]))
    return inside + (node.head in _GROWING and bool(names(node)))


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
