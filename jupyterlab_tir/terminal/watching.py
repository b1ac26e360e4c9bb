"""Watching a run in a terminal: one thread that waits, draws, and hears Ctrl-C."""

from __future__ import annotations

import queue
import time

from rich.console import Console
from rich.live import Live

from ..errors import StoppedError
from ..events import Event
from ..solving import RunHandle, RunResult
from ..viewing.projection import Projection
from .render import live_view

FRAME_S = 0.1
STOPPING_S = 5.0


def watch(handle: RunHandle, console: Console, *, live: bool) -> tuple[RunResult, Projection]:
    """Wait for a run, drawing it if `live`; Ctrl-C stops it and waits for what it has.

    Raises
    ------
    TirError
        If the run could not begin.
    """
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    handle.listen(events.put)
    handle.when_done(lambda: events.put(None))
    made = Projection()
    started = time.monotonic()
    view = Live(console=console, auto_refresh=False, transient=True) if live else None
    try:
        if view is not None:
            view.start()
            # rich hides the cursor; a process that is suspended or killed would leave it so.
            console.show_cursor()
        while not handle.done:
            # The inner loop stands inside the try, so that no moment between two frames is bare.
            try:
                while not handle.done:
                    _gather(events, made)
                    if view is not None:
                        view.update(live_view(made, time.monotonic() - started), refresh=True)
            except KeyboardInterrupt:
                _stop(handle)
    finally:
        if view is not None:
            # Emptied first: rich draws once more, and what is higher than the screen would stay.
            view.update("")
            view.stop()
    result = handle.result()
    _drain(events, made)
    return result, made


def _gather(events: queue.SimpleQueue[Event | None], made: Projection) -> None:
    """Take the events of one frame; return early when the run is over."""
    until = time.monotonic() + FRAME_S
    while (left := until - time.monotonic()) > 0:
        try:
            event = events.get(timeout=left)
        except queue.Empty:
            return
        if event is None:
            return
        made.take(event)


def _drain(events: queue.SimpleQueue[Event | None], made: Projection) -> None:
    while not events.empty():
        event = events.get()
        if event is not None:
            made.take(event)


def _stop(handle: RunHandle) -> None:
    handle.stop()
    if not handle.wait(STOPPING_S):
        raise StoppedError("The run did not stop in time; the process ends with it.")
