"""Results as a shell displays them: the static bundle, but not a second time in the cell that ran.

A cell's value must be its result, for `_`, and its output is displayed already when it ends.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyterlab_tir import RunResult
    from jupyterlab_tir.viewing.wire import Snapshot

    from .publishing import Bundle

RESULT_TYPE = ("jupyterlab_tir.solving.result", "RunResult")

_log = logging.getLogger(__name__)

_shown: tuple[RunResult, int] | None = None


def remember(result: RunResult, shell: InteractiveShell) -> None:
    """Note that the cell that is running has displayed a result."""
    global _shown  # noqa: PLW0603 - a process has one shell, and a shell runs one cell
    _shown = (result, shell.execution_count)


def register(shell: InteractiveShell) -> None:
    """Display results as their static bundle from now on; loads nothing."""
    formatter: Any = shell.display_formatter

    def skip_if_shown(result: RunResult) -> None:
        if _shown is None or _shown[0] is not result or _shown[1] != shell.execution_count:
            # IPython's word for: go on with the other forms.
            raise NotImplementedError

    formatter.ipython_display_formatter.for_type_by_name(*RESULT_TYPE, skip_if_shown)
    formatter.mimebundle_formatter.for_type_by_name(*RESULT_TYPE, bundle_of)


def unregister(shell: InteractiveShell) -> None:
    """Display them as Python does again."""
    formatter: Any = shell.display_formatter
    for each in (formatter.ipython_display_formatter, formatter.mimebundle_formatter):
        each.type_printers = {
            k: v for k, v in each.type_printers.items() if k.__name__ != "RunResult"
        }
        each.deferred_printers.pop(RESULT_TYPE, None)


def bundle_of(result: RunResult) -> tuple[Bundle, Bundle]:
    """The static bundle of a result that was made in Python, and its metadata.

    It is drawn from the run's record; where that is gone, damaged or of another run it shows what
    the result holds alone.
    """
    from .bundle import metadata_of, static_bundle  # noqa: PLC0415 - loads the engine
    from .static_run import of_result  # noqa: PLC0415 - the same

    bundle = static_bundle(_recorded(result) or of_result(result))
    return bundle, metadata_of(bundle)


def _recorded(result: RunResult) -> Snapshot | None:
    from jupyterlab_tir.errors import RecordError  # noqa: PLC0415 - loads the engine
    from jupyterlab_tir.record import read_record  # noqa: PLC0415 - the same

    from .static_run import of_record  # noqa: PLC0415 - the same

    try:
        return of_record(read_record(result.record).events, result)
    except RecordError as error:
        _log.info("a result is shown without its record (%s)", error)
        return None
