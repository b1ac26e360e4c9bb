"""A cell's run while it goes on: waited for, stopped, left to itself.

Each method that waits is a part of the cell's steps (`driving`); none of them blocks. Showing it
goes on by itself (`showing`).
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from jupyterlab_tir.config import ResolvedConfig
from jupyterlab_tir.errors import StoppedError, TirError

from .driving import Signal, Steps
from .notebook_cell import NotebookCell
from .waiting import begin_waiting, started_server

if TYPE_CHECKING:
    from jupyterlab_tir import RunHandle, RunResult

    from .display import CellOutput
    from .hub import WatchedRun
    from .showing import Showing

STOPPING_S = 3.0
"""Longest wait for a run that was stopped; it takes a fraction of a second as a rule."""

NOT_BEGUN = "The run did not begin."
STOPPED_EARLY = "Stopped before the run began."
SLOW_TO_END = "Stopped; the run is slow to end, and shows what it has when it does."


def _when_done(register: Callable[[Callable[[], object]], object]) -> Signal:
    """A future that is done when something else is, and cannot fail with it."""
    done: Signal = Signal()
    register(lambda: done.set_result(None))
    return done


class Following:
    """A cell's run while it goes on, and its output.

    Parameters
    ----------
    output, cell
        The output of the notebook's cell, and that cell.
    """

    def __init__(self, output: CellOutput, cell: NotebookCell) -> None:
        self._output = output
        self._cell = cell
        self._run: WatchedRun | None = None
        self._showing: Showing | None = None
        self._begun: Signal = Signal()
        self._done: Signal = Signal()
        self._left = False
        self._cancel_loading: Callable[[], object] = lambda: None

    def to_end(self, begin: Callable[[], RunHandle], resolved: ResolvedConfig) -> Steps[RunResult]:
        """Wait for the server, start the run, or go on with one, and wait for its result.

        Raises
        ------
        TirError
            If it could not begin, or failed.
        """
        yield from self._loading(resolved)
        yield from self._beginning(begin)
        while not self._done.done():
            yield self._done
        return self._watched.handle.result()

    def to_beginning(
        self, begin: Callable[[], RunHandle], resolved: ResolvedConfig
    ) -> Steps[WatchedRun]:
        """Wait for the server, start the run, and have it go on when its cell has ended.

        Raises
        ------
        TirError
            If it could not begin.
        """
        yield from self._loading(resolved)
        yield from self._beginning(begin)
        if not self._watched.begun:
            self._watched.handle.result()
        self._left = True
        return self._watched

    def _loading(self, resolved: ResolvedConfig) -> Steps[None]:
        """Wait until a server that was started, and still loads its model, answers."""
        server = started_server(resolved)
        if server is None:
            return
        said = deque(["Asking the server"], maxlen=1)
        future = begin_waiting(server, said.append)
        self._cancel_loading = future.cancel
        answered = _when_done(lambda done: future.add_done_callback(lambda _: done()))
        while not future.done():
            yield answered
            self._output.wait(said[-1])
        future.result()

    def _beginning(self, begin: Callable[[], RunHandle]) -> Steps[None]:
        """Start the run and wait until it has begun or failed to."""
        from .hub import WatchedRun  # noqa: PLC0415 - with the first run
        from .showing import Showing  # noqa: PLC0415 - the same

        self._run = WatchedRun(begin(), self._cell)
        self._showing = Showing(self._run, self._output, self._begun)
        self._run.handle.when_done(self._end)
        while not self._begun.done():
            yield self._begun
            self._output.wait("Finding the server")

    def _end(self) -> None:
        for each in (self._begun, self._done):
            if not each.done():
                each.set_result(None)

    def stopping(self) -> Steps[None]:
        """Stop the run and wait, a bounded time, for what it has; further interrupts are heard."""
        self._cancel_loading()
        if self._run is None:
            return
        self._run.stop()
        until = time.monotonic() + STOPPING_S
        while not self._done.done() and time.monotonic() < until:
            # It is being stopped already.
            with contextlib.suppress(KeyboardInterrupt):
                yield self._done

    def conclude_stopped(self) -> tuple[str, RunResult | None]:
        """Show what a stopped run has; the words for it, and the result if there is one."""
        if self._run is not None and not self._done.done():
            return SLOW_TO_END, None
        try:
            result = None if self._run is None else self._run.handle.result()
        except StoppedError:
            result = None
        if result is None:
            self._output.withdraw(STOPPED_EARLY)
            return STOPPED_EARLY, None
        self.show_end()
        if result.status != "stopped":
            return "Stopped by the user when the run had ended.", result
        return result.reason, result

    def conclude_failed(self, error: TirError) -> None:
        """Show what a run has that failed, or that it did not begin."""
        if self._run is None or not self._run.begun:
            self._output.withdraw(NOT_BEGUN)
            return
        self._run.cut_short(str(error))
        self.show_end()

    def show_end(self) -> None:
        """Replace the live view by the static bundle."""
        if self._showing is not None:
            self._showing.conclude()

    def release(self) -> None:
        """Stop what is still going on, whatever ended the cell, unless it was left to itself.

        Nothing stays live that is over, even if what ended it is a fault of ours.
        """
        self._cancel_loading()
        if self._run is None or self._showing is None:
            self._output.withdraw(NOT_BEGUN)
            return
        if not self._left and not self._run.handle.done:
            self._run.stop()
        self._showing.conclude_when_done()

    @property
    def _watched(self) -> WatchedRun:
        if self._run is None:
            raise RuntimeError("the run was not started")
        return self._run
