"""Sums, products, integrals, limits and derivatives as what they equal.

SymPy proposes, numbers dispose: a closed form replaces a call only where it agrees with what the
call's own definition gives at sample points: terms added up, quadrature, values on the way to a
limit, differences. What cannot be checked stays as it was. Trees without such calls come back
untouched, and SymPy is not imported for them.
"""

from __future__ import annotations

from .critical import substituted
from .loading import load_sympy
from .polynomials import BeyondError, size
from .tree import Call, Name, Node, walk

HEADS = frozenset({"sum", "product", "integral", "limit", "derivative"})
_MAX_TERMS = 1_000
_MAX_DEPTH = 100
_END = "last index"
"""No name that an answer can have."""


def closed_form(node: Node) -> Node:
    """The tree with each sum, product, integral, limit and derivative replaced by its value.

    Innermost calls come first; one whose value is not found, or not confirmed, is left as it is.
    So is a sum or product of a known number of terms that can be added up as it stands.

    >>> from .tree import Constant, call, whole
    >>> squares = call("pow", Name("k"), whole(-2))
    >>> found = closed_form(call("sum", squares, Name("k"), whole(1), Constant("infinity")))
    >>> sorted({part.name for part in walk(found) if isinstance(part, Constant)})
    ['pi']
    """
    if not any(isinstance(part, Call) and part.head in HEADS for part in walk(node)):
        return node
    return _closed(node, 0)


def _closed(node: Node, depth: int) -> Node:
    if not isinstance(node, Call) or depth > _MAX_DEPTH:
        return node
    inside = Call(node.head, tuple(_closed(arg, depth + 1) for arg in node.args))
    if node.head not in HEADS or _can_be_added_up(inside):
        return inside
    # Importing SymPy takes half a second, which most answers need not wait for.
    load_sympy()
    from . import confirming, sympy_questions  # noqa: PLC0415

    general, bound = _with_general_end(inside)
    try:
        found = sympy_questions.value_of_call(general)
        if confirming.confirmed(general, found):
            return _replaced(found, bound)
    except BeyondError:
        return inside
    return inside


def _can_be_added_up(node: Call) -> bool:
    """Whether a sum or product has few terms, so that its value at any point is no problem."""
    match node:
        case Call("sum" | "product", (_, _, low, high)):
            first, last = size(low), size(high)
            return first is not None and last is not None and last - first < _MAX_TERMS
    return False


def _with_general_end(node: Call) -> tuple[Call, Node | None]:
    """A sum of very many terms as one up to a variable, and what that variable stands for.

    So it is checked at small ends, and no sum is ever worked out term by term by SymPy.
    """
    match node:
        case Call("sum" | "product", (body, index, low, high)):
            known = size(low), size(high)
            if all(end is not None and end.denominator == 1 for end in known):
                return Call(node.head, (body, index, low, Name(_END))), high
    return node, None


def _replaced(found: Node, end: Node | None) -> Node:
    return found if end is None else substituted(found, _END, end)
