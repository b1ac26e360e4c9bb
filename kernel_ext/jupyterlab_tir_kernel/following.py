"""A cell's run while it goes on: waited for, shown, stopped.

Each method that waits is a part of the cell's steps (`driving`); none of them blocks.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from jupyterlab_tir.config import ResolvedConfig
from jupyterlab_tir.errors import StoppedError
from jupyterlab_tir.problem import Problem

from .driving import Signal, Steps
from .waiting import begin_waiting, started_server

if TYPE_CHECKING:
    from jupyterlab_tir import RunHandle, RunResult
    from jupyterlab_tir.events import Event
    from jupyterlab_tir.terminal.state import RunState

    from .display import CellOutput

STOPPING_S = 3.0
"""Longest wait for a run that was stopped; it takes a fraction of a second as a rule."""

NOT_BEGUN = "Stopped before the run began."


def _when_done(register: Callable[[Callable[[], object]], object]) -> Signal:
    """A future that is done when something else is, and cannot fail with it."""
    done: Signal = Signal()
    register(lambda: done.set_result(None))
    return done


class Following:
    """A cell's run while it goes on: its handle, its events so far, its output."""

    def __init__(self, output: CellOutput) -> None:
        from jupyterlab_tir.terminal.state import RunState  # noqa: PLC0415 - with the first run

        self._output = output
        self._state: RunState = RunState()
        self._events: deque[Event] = deque()
        self._handle: RunHandle | None = None
        self._done: Signal = Signal()
        self._cancel_loading: Callable[[], object] = lambda: None

    def loading(self, resolved: ResolvedConfig) -> Steps[None]:
        """Wait until a server that was started answers."""
        from .live import LiveRun  # noqa: PLC0415 - with the first run

        server = started_server(resolved)
        if server is None:
            return
        said = deque(["Asking the server"], maxlen=1)
        future = begin_waiting(server, said.append)
        self._cancel_loading = future.cancel
        answered = _when_done(lambda done: future.add_done_callback(lambda _: done()))
        while not future.done():
            yield answered
            self._output.show(LiveRun(phase=said[-1], seconds=self._output.seconds))
        future.result()

    def running(self, problem: Problem, resolved: ResolvedConfig) -> Steps[None]:
        """Start the run and show it until it is over."""
        from jupyterlab_tir import start  # noqa: PLC0415 - loads the engine

        self._handle = start(problem, resolved=resolved)
        self._handle.listen(self._events.append)
        self._done = _when_done(self._handle.when_done)
        while not self._handle.done:
            yield self._done
            self._show()

    def stopping(self) -> Steps[None]:
        """Stop the run and wait, a bounded time, for what it has; further interrupts are heard."""
        self._cancel_loading()
        if self._handle is None:
            return
        self._handle.stop()
        until = time.monotonic() + STOPPING_S
        while not self._handle.done and time.monotonic() < until:
            # It is being stopped already.
            with contextlib.suppress(KeyboardInterrupt):
                yield self._done
                self._show(stopping=True)

    def conclude_stopped(self) -> tuple[str, RunResult | None]:
        """Show what a stopped run has; the words for it, and the result if there is one."""
        if self._handle is None:
            self._output.withdraw(NOT_BEGUN)
            return NOT_BEGUN, None
        if not self._handle.done:
            self.show_end()
            return "Stopped; the run is slow to end, and its record tells what it has.", None
        try:
            result = self._handle.result()
        except StoppedError:
            self._output.withdraw(NOT_BEGUN)
            return NOT_BEGUN, None
        self.show_end()
        if result.status != "stopped":
            return "Stopped by the user when the run had ended.", result
        return result.reason, result

    def result(self) -> RunResult:
        """The result of a run that is over, or what kept it from beginning."""
        if self._handle is None:
            raise RuntimeError("a run that was not started has no result")
        return self._handle.result()

    def show_end(self) -> None:
        """Replace the live view by the static bundle, or by a word if the run never began."""
        from .bundle import static_bundle  # noqa: PLC0415 - with the first run
        from .live import live_run  # noqa: PLC0415 - the same
        from .static_run import of_state  # noqa: PLC0415 - the same

        self._gather()
        if self._state.started is None:
            self._output.withdraw(NOT_BEGUN)
            return
        last = live_run(self._state, self._output.seconds)
        self._output.finish(static_bundle(of_state(self._state)), last)

    def release(self) -> None:
        """Stop what is still going on, whatever ended the cell."""
        self._cancel_loading()
        if self._handle is not None and not self._handle.done:
            self._handle.stop()

    def _gather(self) -> None:
        while self._events:
            self._state.take(self._events.popleft())

    def _show(self, *, stopping: bool = False) -> None:
        from .live import live_run  # noqa: PLC0415 - with the first run

        self._gather()
        self._output.show(live_run(self._state, self._output.seconds, stopping=stopping))
