"""Running a cell in the shell, from the request's content to the reply's. No socket."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import getpass
import sys
from typing import Any, NoReturn

import msgspec
from IPython.core.error import StdinNotImplementedError

from ..result_channel import CELL_REPORT, CellReport
from .capture import Capture
from .errors import ErrorReport, report_error
from .interrupts import Interrupts
from .memory import PeakMemory
from .shell import ChildShell
from .streams import CellStream
from .wire import encode

Content = dict[str, Any]


class CellRequest(msgspec.Struct, frozen=True):
    """The content of an execute_request.

    Attributes
    ----------
    code
        The cell.
    silent
        Whether the code is nobody's cell: it has no number, value or report.
    store_history
        Whether it counts in IPython's history; by default unless it is silent.
    user_expressions
        Evaluated after the cell.
    stop_on_error
        Whether requests that wait are dropped if it raises.
    """

    code: str
    silent: bool = False
    store_history: bool | None = None
    user_expressions: dict[str, str] | None = None
    stop_on_error: bool = True


class Executor:
    """Runs cells.

    Parameters
    ----------
    shell
        Runs the code.
    interrupts
        Ends it.
    stdout, stderr
        What Python writes to.
    capture
        What is written elsewhere; None to leave it alone.
    """

    def __init__(
        self,
        shell: ChildShell,
        interrupts: Interrupts,
        stdout: CellStream,
        stderr: CellStream,
        capture: Capture | None,
    ) -> None:
        self._shell = shell
        self._interrupts = interrupts
        self._stdout = stdout
        self._stderr = stderr
        self._capture = capture
        self._peak_memory = PeakMemory()

    async def execute(self, request: CellRequest) -> Content:
        """Run a cell to its end; return the content of the reply.

        Whatever the code raises is in there. Its output has been published when this returns.
        """
        shell = self._shell
        shell.begin_cell(silent=request.silent)
        refuse_input()
        expressions: Content = {}
        try:
            # Nothing is called between a disarming and what comes before it: an interrupt can only
            # come at a call.
            self._interrupts.arm(_this_task())
            succeeded = await self._run(request)
            if succeeded and request.user_expressions:
                expressions = shell.evaluate(request.user_expressions)
            self._interrupts.cell = None
            self._interrupts.hold()
        except BaseException:  # noqa: BLE001 - the code can make IPython itself raise anything
            self._interrupts.cell = None
            self._interrupts.hold()
            shell.use_rest()
            succeeded = False
            with contextlib.suppress(BaseException):  # the same
                shell.showtraceback()
        shell.use_rest()
        if self._capture is not None:
            self._capture.drain()
        cut = self._stdout.end_cell(), self._stderr.end_cell()
        return self._reply(request, succeeded, expressions, *cut)

    async def _run(self, request: CellRequest) -> bool:
        shell: Any = self._shell
        transformed, failure = request.code, None
        try:
            transformed = shell.transform_cell(request.code)
        except Exception:  # noqa: BLE001 - as IPython's own callers do; the shell shows it
            failure = sys.exc_info()
        store_history = request.store_history
        result = None
        try:
            result = await shell.run_cell_async(
                request.code,
                store_history=not request.silent if store_history is None else store_history,
                silent=request.silent,
                transformed_cell=transformed,
                preprocessing_exc_tuple=failure,
            )
        finally:
            shell.events.trigger("post_execute")
            if not request.silent:
                shell.events.trigger("post_run_cell", result)
        # Exceptions hold frames, and frames the cell's memory.
        for where in ("error_before_exec", "error_in_exec"):
            error = getattr(result, where)
            if error is not None:
                report = shell.error or report_error(type(error), error, None)
                setattr(result, where, report.plain())
        return bool(result.success and not shell.display_failed)

    def _reply(
        self,
        request: CellRequest,
        succeeded: bool,  # noqa: FBT001 - the caller names it
        expressions: Content,
        stdout_cut: int,
        stderr_cut: int,
    ) -> Content:
        shell = self._shell
        reply: Content = {
            "status": "ok" if succeeded else "error",
            "execution_count": shell.execution_count - 1,
            "user_expressions": expressions,
            "payload": shell.take_payload(),
        }
        if not request.silent:
            report: CellReport = {
                "source": CELL_REPORT,
                "out_of_memory": shell.out_of_memory,
                "stdout_cut": stdout_cut,
                "stderr_cut": stderr_cut,
                "value_cut": shell.formatter.cut_chars,
                "peak_memory_bytes": self._peak_memory.bytes(),
            }
            reply["payload"].append(report)
        if not succeeded:
            reply |= msgspec.structs.asdict(shell.error or ErrorReport("Error", "", []))
        try:
            encode(reply)
        except (TypeError, ValueError):  # the code has put something else into it
            reply["user_expressions"] = {}
            reply["payload"] = reply["payload"][-1:] if not request.silent else []
        return reply


def _this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    if task is None:
        raise AssertionError  # called by a coroutine
    return task


def _no_input(_prompt: object = "", /) -> NoReturn:
    raise StdinNotImplementedError(
        "raw_input was called, but this frontend does not support input requests."
    )


def _no_getpass(*_args: object, **_kwargs: object) -> NoReturn:
    raise StdinNotImplementedError(
        "getpass was called, but this frontend does not support input requests."
    )


def refuse_input() -> None:
    """Refuse to ask the user: there is none. Each time, as a stock kernel does it."""
    builtins.input = _no_input
    getpass.getpass = _no_getpass
