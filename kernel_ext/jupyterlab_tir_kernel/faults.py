"""Errors as a cell shows them: one line, no traceback. Raises and shows nothing by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jupyterlab_tir.errors import TirError

if TYPE_CHECKING:
    from jupyterlab_tir import RunResult


class OneLine(BaseException):
    """An exception that IPython shows as one sentence (its `_render_traceback_` protocol)."""

    def _render_traceback_(self) -> list[str]:
        from jupyterlab_tir.terminal.plain import plain  # noqa: PLC0415 - only on an error

        return [plain(str(self))]


class TirStopped(OneLine, KeyboardInterrupt):
    """The run of a cell was stopped; `result` holds what had finished, or None.

    It is a `KeyboardInterrupt`, so that "Run All" does not go on to the next cell.
    """

    def __init__(self, words: str, result: RunResult | None = None) -> None:
        super().__init__(words)
        self.result = result


def in_one_line(error: TirError) -> TirError:
    """The same error, of the same class and name, that a cell shows as one line.

    >>> from jupyterlab_tir.errors import UsageError
    >>> error = in_one_line(UsageError("No."))
    >>> isinstance(error, UsageError), type(error).__name__, error._render_traceback_()
    (True, 'UsageError', ['No.'])
    """
    kind = type(error)
    if issubclass(kind, OneLine):
        return error
    shown: TirError = type(kind.__name__, (OneLine, kind), {})(*error.args)
    return shown


def shown_in_one_line(error: BaseException, words: str) -> None:
    """Have a cell show an error that is not ours as one line of our own.

    >>> error = ValueError()
    >>> shown_in_one_line(error, "No.")
    >>> error._render_traceback_()
    ['No.']
    """
    vars(error)["_render_traceback_"] = lambda: [words]
