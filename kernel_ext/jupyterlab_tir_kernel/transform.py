r"""Reading a `%%tir` cell and rewriting it into a top-level `await`.

A cell magic cannot be awaited, and a cell that blocks keeps the kernel from handling the widget's
messages; hence the rewriting. The text and the option line are taken literally. Nothing here runs
a problem, and no other cell is touched.

>>> split_cell("%%tir --samples 4\nWhat is $2^{10}$?\n")
(' --samples 4', 'What is $2^{10}$?\n')
>>> split_cell("x = 1\n%%tir\n") is None
True
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

MAGIC = "%%tir"


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


def rewrite(source: str) -> str | None:
    """One line of Python that awaits the cell's run; None if it is not a `%%tir` cell."""
    parts = split_cell(source)
    if parts is None:
        return None
    line, text = parts
    # Imported in place: no name in the user's namespace could be shadowed or reset away.
    home = "__import__('jupyterlab_tir_kernel.cell', fromlist=['run_awaited'])"
    return f"await {home}.run_awaited({line!r}, {text!r})\n"


class CellTransformer:
    """IPython's hook: it stands first, since the later ones strip prompts and indents from text."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines of the cell that IPython goes on with."""
        if not any(line.lstrip().startswith(MAGIC) for line in lines):
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
