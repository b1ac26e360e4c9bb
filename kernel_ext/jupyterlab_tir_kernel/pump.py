"""Telling pages what is new of a run: on the engine's loop, at most so many times a second.

Nothing is sent where nothing changed, and nothing to a page that was not heard of for a while. It
rests on timers of the loop, which need no ending.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from jupyterlab_tir.solving.engine import Engine
from jupyterlab_tir.viewing.wire import to_page

if TYPE_CHECKING:
    from .hub import WatchedRun

FRAME_S = 1 / 15
"""Least seconds between two messages to a page."""


class Pump:
    """Sends a run's batches; make it on the engine's thread."""

    def __init__(self, run: WatchedRun, engine: Engine) -> None:
        self._run = run
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._sent_at = self._loop.time() - FRAME_S

    def wake(self) -> None:
        """Say that there may be something new; on the engine's thread."""
        if self._timer is None and self._run.watched:
            self._timer = self._loop.call_at(self._sent_at + FRAME_S, self._send)

    def wake_soon(self) -> None:
        """The same from any thread."""
        self._engine.call(self.wake)

    def _send(self) -> None:
        self._timer = None
        if self._engine.closing:
            # The kernel exits: nobody listens, and its sockets go.
            return
        batches = self._run.batches()
        for deliver, batch in batches:
            deliver(to_page(batch))
        self._sent_at = self._loop.time()
        if batches:
            # What had no room comes with the next ones.
            self.wake()
