r"""Reading a `%%tir` cell, or `%tir continue`, and rewriting it into a top-level `await`.

A magic cannot be awaited, and a cell that blocks keeps the kernel from handling the widget's
messages; hence the rewriting. The text and the option line are taken literally. Nothing here runs
a problem, and no other cell is touched.

>>> split_cell("%%tir --samples 4\nWhat is $2^{10}$?\n")
(' --samples 4', 'What is $2^{10}$?\n')
>>> split_cell("x = 1\n%%tir\n") is None
True
"""

from __future__ import annotations

import re
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

MAGIC, LINE_MAGIC = "%%tir", "%tir"
_CONTINUE = re.compile(r"\s*%tir[ \t]+continue(?=\s|\Z)")


def split_cell(source: str) -> tuple[str, str] | None:
    """Divide a cell into its option line and its text; None if it is not a `%%tir` cell.

    Empty lines before the magic and blanks before it are passed over, as IPython does.
    """
    first, _, text = source.lstrip().partition("\n")
    rest = first.removeprefix(MAGIC)
    # `%%tir?` asks for help, and `%%tirade` would be another magic.
    if rest == first or (rest and not rest[0].isspace()):
        return None
    return rest.removesuffix("\r"), text


def split_continue(source: str) -> str | None:
    r"""The options of a cell that only continues a run; None of any other.

    Comments and empty lines around it are passed over. Beside other code the magic itself waits.

    >>> split_continue("# more of them\n%tir continue 2026 --samples +4\n")
    ' 2026 --samples +4'
    >>> split_continue("%tir continue 2026\nprint(_)\n") is None
    True
    """
    lines = [line for line in source.splitlines() if line.strip() and line.strip()[0] != "#"]
    found = _CONTINUE.match(lines[0]) if len(lines) == 1 else None
    return None if found is None else lines[0][found.end() :]


def rewrite(source: str) -> str | None:
    """One line of Python that awaits the cell's run; None if it is no such cell."""
    if (parts := split_cell(source)) is not None:
        return _awaiting("cell", "run_awaited", *parts)
    if (options := split_continue(source)) is not None:
        return _awaiting("continuing", "continue_awaited", options)
    return None


def _awaiting(module: str, function: str, *arguments: str) -> str:
    # Imported in place: no name in the user's namespace could be shadowed or reset away.
    home = f"__import__('jupyterlab_tir_kernel.{module}', fromlist=[{function!r}])"
    return f"await {home}.{function}({', '.join(map(repr, arguments))})\n"


class CellTransformer:
    """IPython's hook: it stands first, since the later ones strip prompts and indents from text."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines of the cell that IPython goes on with."""
        if not any(line.lstrip().startswith((MAGIC, LINE_MAGIC)) for line in lines):
            return lines
        if not self._can_await(sys._getframe(1)):  # noqa: SLF001 - the documented way to one's caller
            return lines
        rewritten = rewrite("".join(lines))
        return lines if rewritten is None else [rewritten]

    def _can_await(self, caller: FrameType | None) -> bool:
        """Whether this is a whole cell of a kernel, about to run.

        Elsewhere the magic itself waits: in a shell without a kernel, where `await` is off, and
        inside a cell that is running (`%%capture`, `run_cell`), whose loop is busy with it. What
        only asks whether the text is complete must see the magic.
        """
        from IPython.core.interactiveshell import InteractiveShell  # noqa: PLC0415 - loaded by then

        if getattr(self._shell, "kernel", None) is None or not self._shell.autoawait:
            return False
        if caller is not None and caller.f_code.co_name == "check_complete":
            return False
        running = InteractiveShell.run_code.__code__
        while caller is not None:
            if caller.f_code is running:
                return False
            caller = caller.f_back
        return True
