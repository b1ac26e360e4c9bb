"""Arithmetic of matrices on trees: 2·A, A + B, A/3, A·B, a transpose, a determinant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from .tree import Call, Name, Node, call, walk

_MAX_CELLS = 400
_MAX_ORDER = 5

Rows = list[list[Node]]


def has_matrix(node: Node) -> bool:
    """Whether a matrix stands anywhere in a tree."""
    return any(isinstance(part, Call) and part.head == "matrix" for part in walk(node))


def as_one_matrix(node: Node) -> Call | None:
    """The matrix that an expression in matrices and numbers is; None where it is none.

    >>> from .tree import whole
    >>> twice = as_one_matrix(call("mul", whole(2), call("matrix", call("tuple", Name("x")))))
    >>> twice == call("matrix", call("tuple", call("mul", whole(2), Name("x"))))
    True
    """
    rows = _rows(node)
    if rows is None:
        return None
    return call("matrix", *(call("tuple", *row) for row in rows))


def without_determinants(node: Node) -> Node:
    """The tree with each determinant written out as a sum, where its order is at most five."""
    if not isinstance(node, Call):
        return node
    inside = Call(node.head, tuple(map(without_determinants, node.args)))
    if node.head != "determinant":
        return inside
    rows = _rows(inside.args[0])
    if rows is None or not len(rows) == len(rows[0]) <= _MAX_ORDER:
        return inside
    return _expanded(rows)


def _expanded(rows: Rows) -> Node:
    """By the first row."""
    if len(rows) == 1:
        return rows[0][0]
    terms: list[Node] = []
    for column, cell in enumerate(rows[0]):
        minor = [[*row[:column], *row[column + 1 :]] for row in rows[1:]]
        term = call("mul", cell, _expanded(minor))
        terms.append(call("neg", term) if column % 2 else term)
    return call("add", *terms)


def _rows(node: Node) -> Rows | None:
    if not isinstance(node, Call):
        return None
    if node.head == "matrix":
        rows: Rows = [list(row.args) if isinstance(row, Call) else [row] for row in node.args]
        return rows if sum(map(len, rows)) <= _MAX_CELLS and _is_rectangle(rows) else None
    known = _BY_HEAD.get(node.head)
    return known(node.args) if known else None


def _is_rectangle(rows: Rows) -> bool:
    return len({len(row) for row in rows}) == 1


def _negated(args: Sequence[Node]) -> Rows | None:
    rows = _rows(args[0])
    return rows and [[call("neg", cell) for cell in row] for row in rows]


def _quotient(args: Sequence[Node]) -> Rows | None:
    rows, by = _rows(args[0]), args[1]
    if rows is None or has_matrix(by):
        return None
    return [[call("div", cell, by) for cell in row] for row in rows]


def _sum(args: Sequence[Node]) -> Rows | None:
    terms = [rows for rows in map(_rows, args) if rows is not None]
    if len(terms) < len(args) or len({(len(rows), len(rows[0])) for rows in terms}) != 1:
        return None
    return [
        [call("add", *cells) for cells in zip(*lines, strict=True)]
        for lines in zip(*terms, strict=True)
    ]


def _product(args: Sequence[Node]) -> Rows | None:
    scalars = [arg for arg in args if not has_matrix(arg)]
    factors = [_rows(arg) for arg in args if has_matrix(arg)]
    whole = reduce(_times, factors) if factors else None
    if whole is None or not scalars:
        return whole
    return [[call("mul", *scalars, cell) for cell in row] for row in whole]


def _times(left: Rows | None, right: Rows | None) -> Rows | None:
    if not left or not right or len(left[0]) != len(right):
        return None
    return [
        [
            call("add", *(call("mul", a, line[column]) for a, line in zip(row, right, strict=True)))
            for column in range(len(right[0]))
        ]
        for row in left
    ]


def _transposed(args: Sequence[Node]) -> Rows | None:
    rows = _rows(args[0])
    if rows is None or args[1] not in (Name("T"), call("apply:T")):
        return None
    return [list(column) for column in zip(*rows, strict=True)]


_BY_HEAD: dict[str, Callable[[Sequence[Node]], Rows | None]] = {
    "neg": _negated,
    "div": _quotient,
    "add": _sum,
    "mul": _product,
    "pow": _transposed,
}
