"""Variables that can only be whole numbers: the n of (-1)^n, of cos(n*pi) and of floor(n/2)."""

from __future__ import annotations

from .points import WHOLE_NAME
from .tree import Call, Constant, Name, Node, Number, names, walk

_COUNTERS = frozenset({"j", "k", "l", "m", "n"})
_STEPPED = frozenset({"floor", "ceiling"})
_PERIODIC = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})


def running_names(node: Node) -> frozenset[str]:
    """Variables in the exponent of a negative number; counters beside pi in a sine, or in a floor.

    sin(pi*x) is a wave, where x is no letter that counts.

    >>> from .tree import call, whole
    >>> running_names(call("pow", call("neg", whole(1)), Name("n")))
    frozenset({'n'})
    """
    found: frozenset[str] = frozenset()
    for part in walk(node):
        if isinstance(part, Call) and part.args:
            found |= _running_in(part)
    return found


def with_running(node: Node, running: frozenset[str]) -> Node:
    """The tree with these variables renamed so that they are tried at whole numbers only."""
    if isinstance(node, Name):
        return Name(WHOLE_NAME + node.name) if node.name in running else node
    if isinstance(node, Call) and running:
        return Call(node.head, tuple(with_running(arg, running) for arg in node.args))
    return node


def _running_in(node: Call) -> frozenset[str]:
    if node.head == "pow" and _is_negative(node.args[0]):
        return names(node.args[1])
    if node.head in _STEPPED:
        return names(node) & _COUNTERS
    if node.head in _PERIODIC and any(part == Constant("pi") for part in walk(node.args[0])):
        return _beside_pi(node.args[0]) & _COUNTERS
    return frozenset()


def _is_negative(node: Node) -> bool:
    match node:
        case Number(value, _):
            return value < 0
        case Call("neg", (inner,)):
            return not names(inner) and not _is_negative(inner)
        case Call("div", (upper, lower)):
            return _is_negative(upper) != _is_negative(lower) and not names(node)
    return False


def _beside_pi(node: Node) -> frozenset[str]:
    """Variables of terms that have a factor pi."""
    if isinstance(node, Call) and node.head in {"add", "neg"}:
        return frozenset().union(*(_beside_pi(arg) for arg in node.args))
    return names(node) if any(part == Constant("pi") for part in walk(node)) else frozenset()
