"""The two infinities and the complex one, as far as signs, sums and products go."""

from __future__ import annotations

from .elementary import is_real, sign_of
from .precision import LEVELS, Arithmetic, UndefinedError, UnknownError
from .programs import climbed, compiled, run
from .tree import Call, Constant, Node, walk

_MAX_DEPTH = 50


def infinite_sign(node: Node, depth: int = 0) -> int | None:
    """1 or -1 of an infinite tree, 0 of complex infinity, None of a finite one.

    Raises `UndefinedError` where infinities meet without a value, `UnknownError` where one is
    inside something else than signs, sums and products.

    >>> from .tree import call
    >>> infinite_sign(call("neg", Constant("infinity")))
    -1
    """
    if not any(isinstance(part, Constant) and "infinity" in part.name for part in walk(node)):
        return None
    if isinstance(node, Constant):
        return 1 if node.name == "infinity" else 0
    if not isinstance(node, Call) or depth > _MAX_DEPTH:
        raise UnknownError("infinity inside an expression")
    signs = [infinite_sign(part, depth + 1) for part in node.args]
    if node.head == "neg" and signs[0] is not None:
        return -signs[0]
    if node.head == "add":
        infinite = {sign for sign in signs if sign is not None}
        if len(infinite) == 1 and (0 not in infinite or signs.count(0) == 1):
            return infinite.pop()
        raise UndefinedError("infinities of different signs in a sum")
    if node.head == "mul" or (node.head == "div" and signs[1] is None):
        found = 1
        for part, sign in zip(node.args, signs, strict=True):
            found *= _finite_sign(part) if sign is None else sign
        return found
    raise UnknownError("infinity inside an expression")


def _finite_sign(node: Node) -> int:
    sign = constant_sign(node)
    if not sign:
        raise UndefinedError("infinity times 0, or times what has no sign")
    return sign


def constant_sign(node: Node) -> int | None:
    """-1, 0 or 1 of a real constant; None of a complex number or an expression."""
    program = compiled(node)
    if program.free:
        return None

    def sign(arithmetic: Arithmetic) -> int | None:
        value = run(program, arithmetic, {})
        value = arithmetic.real(value)
        return sign_of(arithmetic, value) if is_real(value) else None

    for level in LEVELS:
        found, arithmetic = climbed(level, sign)
        if not arithmetic.absorbed:
            break
    return found
