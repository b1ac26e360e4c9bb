"""Telling a computed value from one that was only written down.

A sample whose cell shows a literal, or a name bound to one, verified nothing: its code is an echo
of what the model already believed. Found on the syntax tree by following the values through the
code, as an abstract interpreter does; nothing runs. Its parts, each on top of the one before:

1. `echo_values`, `echo_containers`, `echo_elements`: what is known of a value and its elements;
2. `echo_names`, `echo_printing`, `own_code`: names, the last line printed, what a call may run;
3. `echo_interpreter`: the state of a run;
4. `known_conversions`, `known_calls`, `known_methods`: what Python and libraries make of values;
5. `echo_conditions`, `written`: expressions; `own_calls`, `flow`: own functions and statements.

Written down, so an echo: literals, and what copies, converts, formats, parses, picks from or lists
them; what a loop merely counts to; what a condition on it lets through. Computed: arithmetic and
comparisons, calls of other functions, and whatever a condition chooses, so "Yes" or "No", and what
a search finds. The last binding of a name counts. docs/voting.md has the list, with its limits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from .echo_values import (
    Kind,
    made_of,
)
from .flow import Flow
from .syntax import parse_quietly

_TIMED = re.compile(r"^([ \t]*)%time\b", re.MULTILINE)
_COMMAND = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.*]+\?{1,2}[ \t]*;?[ \t]*$)", re.MULTILINE)
_CAPTURED = re.compile(r"^([ \t]*[\w, \t]+=)[ \t]*[%!].*", re.MULTILINE)


def is_echo(
    cells: Sequence[str], *, printed: bool | None = None, failed: Collection[int] = ()
) -> bool:
    r"""Whether the value that the last cell shows is only a literal.

    Parameters
    ----------
    cells
        A sample's cells, in the order in which they ran.
    printed
        Whether the value is what the last cell printed last, or else that of its last expression.
        None where it is not known: then the last expression counts, unless it prints.
    failed
        Places of the cells that raised or were ended: how far they came is not known.

    Returns
    -------
    bool
        True too if the last cell shows nothing or does not parse: then nothing was computed. Lines
        for IPython alone are passed over; if what is left does not parse, it is in doubt: False.

    >>> is_echo(["x = 42", "print(x)"]), is_echo(["print(6 * 7)"])
    (True, False)
    >>> is_echo(["x = 42\nx = undefined(3)", "print(x)"], failed=[0])
    True
    """
    last = _parsed(cells[-1]) if cells else None
    if last is None:
        return not (cells and _has_commands(cells[-1]))
    flow = Flow()
    for place, code in enumerate(cells[:-1]):
        tree = _parsed(code)
        if tree is not None:
            (flow.run_failed_cell if place in failed else flow.run_cell)(tree.body)
    value = flow.run_cell(last.body)
    shown = flow.shown.is_written
    if shown is None and printed:
        shown = _printed_out_of_sight(flow)
    if flow.lost:
        return False
    if printed is None:
        printed = value is None or (shown is not None and _may_print(last.body[-1]))
    if printed or value is None:
        return shown is not False
    return made_of(value) is Kind.WRITTEN


def _printed_out_of_sight(flow: Flow) -> bool:
    """Whether a cell that printed something repeats a literal, though no print of it was found."""
    if flow.written_elsewhere is not None:
        return made_of(flow.written_elsewhere) is Kind.WRITTEN
    flow.run_what_was_not_run()
    # Code that is nowhere to be seen is given the benefit of the doubt.
    return flow.shown.is_written is True


def _may_print(statement: ast.stmt) -> bool:
    """Whether an expression is one that prints and has no value, as `main()` usually is."""
    match statement:
        case ast.Expr(value=ast.Call() | ast.Constant(value=None)):
            return True
    return False


def _parsed(code: str) -> ast.Module | None:
    tree = parse_quietly(code)
    if tree is not None:
        return tree
    # What IPython alone understands is left out, so that the rest can be read.
    for pattern, kept in ((_TIMED, r"\1pass;"), (_COMMAND, r"\1pass"), (_CAPTURED, r"\1f()")):
        code = pattern.sub(kept, code)
    return parse_quietly(code)


def _has_commands(code: str) -> bool:
    return any(pattern.search(code) is not None for pattern in (_COMMAND, _CAPTURED))
