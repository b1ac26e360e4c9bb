"""Adding `%%tir`, `%tir` and `%config TIR` to a shell, and taking them away.

Everything that is added is found again by its class or name, so that loading twice, reloading and
unloading leave one of each or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from IPython.core.magic import no_var_expand

from .session import TIR
from .transform import CellTransformer
from .usage import help_text

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Configurable

REQUEST = "tir_request"
"""What pages ask about runs is a message of this type; see `control`."""

_sessions: WeakKeyDictionary[InteractiveShell, Configurable] = WeakKeyDictionary()
"""Session settings by shell; they outlive a reload, which is no reason to lose them."""


@no_var_expand
def tir(line: str, cell: str | None = None) -> object:  # noqa: D103 - its docstring is the help, made at loading
    if cell is None:
        from .subcommands import run_line  # noqa: PLC0415 - with its first use

        return run_line(line)
    from .cell import run_blocking  # noqa: PLC0415 - the same

    return run_blocking(line, cell)


def _serve_pages(shell: InteractiveShell) -> None:
    """Answer pages over the control channel of the shell's kernel, if it has one."""
    kernel: Any = getattr(shell, "kernel", None)
    if kernel is None:
        return

    def answer(stream: Any, ident: Any, message: dict[str, Any]) -> None:  # noqa: ANN401 - ZeroMQ's
        from .control import answer_message  # noqa: PLC0415 - loads the engine

        answer_message(kernel, stream, ident, message)

    kernel.control_handlers[REQUEST] = answer


def load(shell: InteractiveShell) -> None:
    """Add the magics, the transformer, settings, the display of results, and answers to pages."""
    from . import shown_results  # noqa: PLC0415 - next to its use

    unload(shell)
    tir.__doc__ = help_text()
    # Its annotation takes the first argument for the shell.
    register: Any = shell.register_magic_function
    register(tir, "line_cell", "tir")
    # First, since the others strip prompts and indents from what they take for code.
    shell.input_transformer_manager.cleanup_transforms.insert(0, CellTransformer(shell))
    if shell not in _sessions:
        _sessions[shell] = TIR(parent=shell)
    configurables: list[Any] = shell.configurables
    configurables.append(_sessions[shell])
    shown_results.register(shell)
    _serve_pages(shell)


def unload(shell: InteractiveShell) -> None:
    """Take away what `load` added, if anything."""
    from . import shown_results  # noqa: PLC0415 - next to its use

    manager: Any = shell.magics_manager
    for kind in ("line", "cell"):
        manager.magics[kind].pop("tir", None)
    transforms = shell.input_transformer_manager.cleanup_transforms
    transforms[:] = [each for each in transforms if not isinstance(each, CellTransformer)]
    configurables: list[Any] = shell.configurables
    configurables[:] = [each for each in configurables if not isinstance(each, TIR)]
    shown_results.unregister(shell)
    kernel: Any = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel.control_handlers.pop(REQUEST, None)
