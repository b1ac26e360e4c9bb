"""The one place where a run's events are numbered, timed and handed on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from ..events import LIVE_ONLY, Event

Listener = Callable[[Event], None]


class Journal:
    """Numbers events and hands them to listeners, on the engine's thread, in order.

    The events that a record keeps are kept here as well, for listeners that come late.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._listeners: list[Listener] = []
        self.kept: list[Event] = []
        self._count = 0

    @property
    def elapsed_s(self) -> float:
        """Seconds since the run started."""
        return time.monotonic() - self._started

    def listen(self, listener: Listener, *, since: int = 0) -> None:
        """Hand a listener the events so far, from number `since` on, and those to come."""
        for event in self.kept[since:]:
            listener(event)
        self._listeners.append(listener)

    def go_on_from(self, events: Sequence[Event]) -> None:
        """Go on where another journal ended, with its numbers and its time; before all else.

        Seconds that have passed here already are added to its own.
        """
        for event in events:
            for listener in tuple(self._listeners):
                listener(event)
        self.kept = [*events]
        self._count = len(events)
        self._started -= events[-1].at_s

    def leave(self, listener: Listener) -> None:
        """Hand a listener no more events."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def emit(self, event: Event) -> None:
        """Number and time an event and hand it on.

        Live-only events carry the number of the next kept one, so that a record has no gaps.
        """
        live = isinstance(event, LIVE_ONLY)
        stamped = msgspec.structs.replace(event, seq=self._count, at_s=round(self.elapsed_s, 4))
        if not live:
            self._count += 1
            self.kept.append(stamped)
        for listener in tuple(self._listeners):
            listener(stamped)
