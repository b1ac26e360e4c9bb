"""Telling a computed value from one that was only written down.

A sample whose cell shows a literal, or a name bound to one, verified nothing: its code is an echo
of what the model already believed. Found on the syntax tree by following the values through the
code (`flow`); nothing runs.

Written down, so an echo: literals, and what copies, converts, formats, parses, picks from or lists
them, through names, conditions on literals, comprehensions and functions of the code's own; what a
loop merely counts out (`for n in range(1000): print(n)`) or finds by comparing it with a literal;
a number in the text that is printed behind what was computed.

Computed: arithmetic, calls of other functions, and whatever a computed condition chooses, so "Yes"
or "No", and what a search finds. The last binding of a name counts.

Limits. Arithmetic of literals counts as computation, and so does a function that is given them, so
`42 + 0`, `chr(52) + chr(50)` and `math.lcm(42)` pass. So does a computation made up to give a value
that was known. Values that travel through `globals()`, attributes, generators, class bodies or
files are not followed and count as computed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from .flow import Flow
from .syntax import parse_quietly

_MAGIC = re.compile(r"^([ \t]*)(?:%{1,2}(?:time|timeit|capture)\b|[%!].*)", re.MULTILINE)


def is_echo(cells: Sequence[str], *, printed: bool | None = None) -> bool:
    """Whether the value that the last cell shows is only a literal.

    Parameters
    ----------
    cells
        A sample's cells, in the order in which they ran.
    printed
        Whether the value is what the last cell printed last, or else that of its last expression.
        None where it is not known: then the last expression counts, unless it prints.

    Returns
    -------
    bool
        True too if the last cell shows nothing or does not parse: then nothing was computed.

    >>> is_echo(["x = 42", "print(x)"]), is_echo(["print(6 * 7)"])
    (True, False)
    """
    last = _parsed(cells[-1]) if cells else None
    if last is None:
        return True
    flow = Flow()
    for code in cells[:-1]:
        tree = _parsed(code)
        if tree is not None:
            flow.run_cell(tree.body)
    value, shown = flow.run_cell(last.body)
    if flow.lost:
        return False
    if printed is None:
        printed = value is None or (shown is not None and _may_print(last.body[-1]))
    if printed or value is None:
        return shown is not False
    return value


def _may_print(statement: ast.stmt) -> bool:
    """Whether an expression is one that prints and has no value, as `main()` usually is."""
    match statement:
        case ast.Expr(value=ast.Call() | ast.Constant(value=None)):
            return True
    return False


def _parsed(code: str) -> ast.Module | None:
    tree = parse_quietly(code)
    # What IPython alone understands is left out, so that the rest can be read.
    return parse_quietly(_MAGIC.sub(r"\1pass;", code)) if tree is None else tree
