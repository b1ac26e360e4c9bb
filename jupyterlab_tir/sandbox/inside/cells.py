"""How the code of a cell is compiled: its name, and modules that it forgot to import."""

# mypy: disallow-untyped-calls=False
# ruff: noqa: D102 - what is overridden is documented where it comes from

from __future__ import annotations

import ast
import contextlib
import importlib
import itertools
from typing import Any

from IPython.core.compilerop import CachingCompiler

from ..aliases import MODULE_ALIASES


class CellCompiler(CachingCompiler):
    """Names code after its cell instead of a file that does not exist.

    Attributes
    ----------
    silent
        Whether the code is nobody's cell, and does not count.
    """

    def __init__(self) -> None:
        super().__init__()
        self.silent = False
        self._numbers = itertools.count(1)

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:  # noqa: ARG002
        return "<no cell>" if self.silent else f"<cell {next(self._numbers)}>"

    def begin(self) -> None:
        """Count from 1 again."""
        self._filename_map.clear()
        self._numbers = itertools.count(1)


def bind_aliases(node: ast.AST, namespace: dict[str, Any]) -> None:
    """Bind each customary module name (`MODULE_ALIASES`) that a cell reads and nothing binds.

    Parameters
    ----------
    node
        The cell.
    namespace
        The cell's; the names are bound in it.
    """
    read: set[str] = set()
    bound: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            (read if isinstance(part.ctx, ast.Load) else bound).add(part.id)
        elif isinstance(part, ast.arg):
            bound.add(part.arg)
        elif isinstance(part, ast.alias):
            bound.add(part.asname or part.name.partition(".")[0])
        elif isinstance(part, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            bound.add(part.name)
    for name in sorted((read & MODULE_ALIASES.keys()) - bound - namespace.keys()):
        with contextlib.suppress(ImportError):  # then the cell raises its own NameError
            namespace[name] = importlib.import_module(MODULE_ALIASES[name])
