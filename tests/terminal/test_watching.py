"""Watching a run: every event arrives, and Ctrl-C keeps what there is."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from rich.console import Console

from jupyterlab_tir.errors import NoServerError, StoppedError
from jupyterlab_tir.solving import RunHandle
from jupyterlab_tir.terminal import watching
from jupyterlab_tir.terminal.watching import watch

Events = Callable[..., list[Any]]


class ScriptedHandle:
    """A run that sends its events when it is watched, and is over when they are sent."""

    def __init__(self, events: list[Any], error: Exception | None = None) -> None:
        self._events = events
        self._error = error
        self._over = threading.Event()
        self.waits_for_stop = False
        self.heeds_stop = True
        self.stops = 0

    @property
    def done(self) -> bool:
        return self._over.is_set()

    def listen(self, listener: Callable[[Any], None]) -> None:
        for event in self._events:
            listener(event)

    def when_done(self, function: Callable[[], object]) -> None:
        if not self.waits_for_stop:
            self._over.set()
            function()

    def stop(self) -> None:
        self.stops += 1
        if self.heeds_stop:
            self._over.set()

    def wait(self, timeout_s: float) -> bool:
        return self._over.wait(min(timeout_s, 0.01))

    def result(self) -> str:
        if self._error is not None:
            raise self._error
        return "result"


def seen(handle: ScriptedHandle, *, live: bool = False) -> tuple[Any, Any, str]:
    console = Console(file=io.StringIO(), width=80, force_terminal=live)
    result, state = watch(cast("RunHandle", handle), console, live=live)
    return result, state, cast("io.StringIO", console.file).getvalue()


def interrupt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    gather, interrupts = watching._gather, [KeyboardInterrupt]

    def interrupted(*arguments: Any) -> None:
        if interrupts:
            raise interrupts.pop()
        gather(*arguments)

    monkeypatch.setattr(watching, "_gather", interrupted)


def test_events_that_came_before_anyone_looked_are_not_lost(run_events: Events) -> None:
    result, state, drawn = seen(ScriptedHandle(run_events()))
    assert result == "result"
    assert state.ended is not None
    assert state.counted().finished == 4
    assert drawn == ""


def test_interrupt_stops_the_run_and_keeps_its_events(
    run_events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_once(monkeypatch)
    handle = ScriptedHandle(run_events())
    handle.waits_for_stop = True
    result, state, drawn = seen(handle, live=True)
    assert handle.stops == 1
    assert result == "result"
    assert state.ended is not None
    # The cursor that was hidden is shown again.
    assert drawn.rindex("\x1b[?25h") > drawn.rindex("\x1b[?25l")


def test_run_that_does_not_stop_is_left_in_words(
    run_events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_once(monkeypatch)
    handle = ScriptedHandle(run_events())
    handle.waits_for_stop, handle.heeds_stop = True, False
    with pytest.raises(StoppedError, match="did not stop in time"):
        seen(handle)


def test_run_that_cannot_begin_raises_its_reason() -> None:
    with pytest.raises(NoServerError, match="no server"):
        seen(ScriptedHandle([], NoServerError("no server")))
