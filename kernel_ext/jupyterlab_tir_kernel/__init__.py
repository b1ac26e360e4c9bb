"""The notebook's face of `jupyterlab_tir`: what runs in the user's kernel.

It turns cells and magics into calls of the engine and shows what comes back; it counts no votes and
asks no model. Loading it costs little: everything heavy is imported when a cell first needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add `%%tir`, `%tir` and `%config TIR` to a shell; doing it twice changes nothing."""
    from .extension import load  # noqa: PLC0415 - what imports this package may not need a shell

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take them away again."""
    from .extension import unload  # noqa: PLC0415 - see above

    unload(shell)
