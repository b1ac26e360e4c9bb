"""Runs as a kernel keeps them for the pages that watch, without a kernel and without solving."""

from __future__ import annotations

from typing import Any

from jupyterlab_tir.events import AnyEvent
from jupyterlab_tir_kernel.hub import WatchedRun

from .static_runs import RUN_ID


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Handle:
    """A run's handle, without a run."""

    def __init__(self, run_id: str = RUN_ID) -> None:
        self.run_id = run_id
        self.done = False
        self.stops = 0

    def stop(self) -> None:
        self.stops += 1


def watched(run_id: str = RUN_ID, clock: Clock | None = None, **about: Any) -> WatchedRun:
    return WatchedRun(Handle(run_id), clock=clock or Clock(), **about)  # type: ignore[arg-type]


def begun(events: list[AnyEvent], **about: Any) -> WatchedRun:
    run = watched(**about)
    for event in events:
        run.take(event)
    run.begin(lambda: None)
    return run
