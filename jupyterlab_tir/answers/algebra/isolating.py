"""Equations in which one function of the unknown equals a constant, a step nearer to the unknown.

A step undoes what is done last to the part that has the unknown in it. It may name points at which
nothing happens, but leaves out none: besides the solutions these are the ends of where a logarithm,
a root or a power is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .polynomials import BeyondError, size
from .tree import Call, Node, call, names, whole

Equation = tuple[Node, Node]
"""What has the unknown in it, and the constant that it equals."""

_ZERO = whole(0)


def isolated(left: Node, right: Node, variable: str) -> list[Equation]:
    """Simpler equations whose critical points are all that those of left = right are.

    Raises
    ------
    BeyondError
        If both sides, or several parts of one, have the variable in them, or no step is known.

    >>> from .tree import Name
    >>> (domain, solution) = isolated(call("log", Name("x")), whole(1), "x")
    >>> solution[1]
    Call(head='exp', args=(Number(value=Fraction(1, 1), decimal=''),))
    """
    if variable in names(right):
        left, right = right, left
    if not can_be_isolated(left, right, variable) or not isinstance(left, Call):
        raise BeyondError("nothing to undo, or in several parts")
    (at,) = _places(left, variable)
    return _STEPS[left.head](left.args, at, right)


def can_be_isolated(left: Node, right: Node, variable: str) -> bool:
    """Whether one side is a constant and the other has a step that can be undone.

    >>> from .tree import Name
    >>> x = Name("x")
    >>> can_be_isolated(call("exp", x), whole(1), "x"), can_be_isolated(call("exp", x), x, "x")
    (True, False)
    """
    if variable in names(right):
        left, right = right, left
    if variable in names(right) or not isinstance(left, Call) or left.head not in _STEPS:
        return False
    return len(_places(left, variable)) == 1


def _places(node: Call, variable: str) -> list[int]:
    return [at for at, arg in enumerate(node.args) if variable in names(arg)]


def _of_sum(args: Sequence[Node], at: int, value: Node) -> list[Equation]:
    others = [call("neg", arg) for place, arg in enumerate(args) if place != at]
    return [(args[at], call("add", value, *others))]


def _of_product(args: Sequence[Node], at: int, value: Node) -> list[Equation]:
    others = [arg for place, arg in enumerate(args) if place != at]
    if any(size(other) in {None, 0} for other in others):
        raise BeyondError("a factor that is zero or not real")
    return [(args[at], call("div", value, call("mul", *others)))]


def _of_quotient(args: Sequence[Node], at: int, value: Node) -> list[Equation]:
    top, bottom = args
    if at == 0:
        return [(top, call("mul", value, bottom))]
    found: list[Equation] = [(bottom, _ZERO)]
    if _sign(value):
        found.append((bottom, call("div", top, value)))
    return found


def _of_absolute(args: Sequence[Node], _: int, value: Node) -> list[Equation]:
    return [(args[0], value), (args[0], call("neg", value))]


def _of_exponential(args: Sequence[Node], _: int, value: Node) -> list[Equation]:
    # Without a solution, the exponent still has its own points.
    return [(args[0], call("log", value) if _sign(value) > 0 else _ZERO)]


def _of_logarithm(args: Sequence[Node], at: int, value: Node) -> list[Equation]:
    if at:
        raise BeyondError("a variable base")
    if len(args) == 1:
        return [(args[0], _ZERO), (args[0], call("exp", value))]
    base = size(args[1])
    if base is None or base <= 0 or base == 1:
        raise BeyondError("no base of logarithms")
    return [(args[0], _ZERO), (args[0], call("pow", args[1], value))]


def _of_power(args: Sequence[Node], at: int, value: Node) -> list[Equation]:
    base, exponent = args
    if at:
        known = size(base)
        if known is None or known <= 0 or known == 1:
            raise BeyondError("no base of an exponential function")
        if _sign(value) <= 0:
            return [(exponent, _ZERO)]
        return [(exponent, call("div", call("log", value), call("log", base)))]
    if size(exponent) in {None, 0}:
        raise BeyondError("no exponent")
    return _undone(base, call("div", whole(1), exponent), value)


def _of_root(args: Sequence[Node], at: int, value: Node) -> list[Equation]:
    if at or size(args[1]) in {None, 0}:
        raise BeyondError("no degree of a root")
    return _undone(args[0], args[1], value)


def _undone(base: Node, power: Node, value: Node) -> list[Equation]:
    """Of base^(1/power) = value: either sign, for even powers and odd roots have both."""
    sign = _sign(value)
    if not sign:
        return [(base, _ZERO)]
    raised = call("pow", value if sign > 0 else call("neg", value), power)
    return [(base, _ZERO), (base, raised), (base, call("neg", raised))]


def _sign(value: Node) -> int:
    known = size(value)
    if known is None:
        raise BeyondError("a constant that is no real number")
    return (known > 0) - (known < 0)


_STEPS: dict[str, Callable[[Sequence[Node], int, Node], list[Equation]]] = {
    "add": _of_sum,
    "neg": lambda args, _, value: [(args[0], call("neg", value))],
    "mul": _of_product,
    "div": _of_quotient,
    "abs": _of_absolute,
    "exp": _of_exponential,
    "log": _of_logarithm,
    "pow": _of_power,
    "root": _of_root,
}
