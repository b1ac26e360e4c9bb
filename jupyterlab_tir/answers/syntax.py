"""Parsing Python that a model wrote, without running it and without surprises."""

from __future__ import annotations

import ast
import re
import warnings

_FILENAME = "<code of a model>"
_FILTER = ("ignore", None, Warning, re.compile(_FILENAME), 0)

MAX_CODE_CHARS = 200_000
"""Longer code is not parsed: no program that a model writes is, and parsing costs memory."""


def parse_quietly(code: str) -> ast.Module | None:
    """Syntax tree of the code, or None where Python would refuse it.

    Parameters
    ----------
    code
        Source text of any origin; more than `MAX_CODE_CHARS` characters count as unparsable.
    """
    if len(code) > MAX_CODE_CHARS:
        return None
    _ignore_warnings_about_it()
    try:
        return ast.parse(code, filename=_FILENAME)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # ValueError: null bytes, lone surrogates; the last two: nesting beyond the parser's limits.
        return None


def _ignore_warnings_about_it() -> None:
    r"""Let Python keep what it has against "\d" in a model's string to itself.

    The filter is for that code alone, and stays: `warnings.catch_warnings` restores the whole
    process's filters, which the user's own thread may be changing at the same moment.
    """
    if _FILTER not in warnings.filters:
        warnings.filterwarnings("ignore", module=_FILENAME)


def is_program(code: str) -> bool:
    """Whether untagged text is a Python program: it parses, and imports, defines, loops or prints.

    A bare number, a name or a formula parses as Python too, and is not meant to be run.

    >>> is_program("print(2 + 2)"), is_program("5050"), is_program("need the sum")
    (True, False, False)
    """
    tree = parse_quietly(code)
    if tree is None:
        return False
    return any(_is_programs_own(node) for node in ast.walk(tree))


def _is_programs_own(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "print"
    return isinstance(
        node,
        ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.For | ast.While,
    )
