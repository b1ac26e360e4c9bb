"""The notebook's cell that a run is begun in, as its front end says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from IPython.core.interactiveshell import InteractiveShell


class NotebookCell(NamedTuple):
    """A cell that is executed; None stands for what the front end does not say.

    Attributes
    ----------
    id
        As the notebook's file has it.
    number
        The number that the cell has from this execution.
    session
        The client that executes it: a page of JupyterLab's has another one once it is loaded anew.
    """

    id: str | None = None
    number: int | None = None
    session: str | None = None


NOWHERE = NotebookCell()


def running_cell(shell: InteractiveShell) -> NotebookCell:
    """The cell that is running; call it on the thread that runs it."""
    history: Any = shell.history_manager
    # The shell's own count is one ahead from some IPython 9 on, as it is raised before a cell runs.
    number = len(history.input_hist_parsed) - 1
    kernel: Any = getattr(shell, "kernel", None)
    parent = {} if kernel is None else kernel.get_parent()
    id_ = _said(parent.get("metadata", {}), "cellId")
    return NotebookCell(id_, number, _said(parent.get("header", {}), "session"))


def _said(fields: Mapping[str, object], name: str) -> str | None:
    found = fields.get(name)
    return found if isinstance(found, str) else None
