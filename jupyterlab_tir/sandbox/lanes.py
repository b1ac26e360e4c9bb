"""Measuring in threads, so that no measurement can keep the event loop or the others waiting.

To read about a process can mean to wait for it: a hostile one makes that long. A thread measures
one subject after the other; where it is held up another goes on with the rest.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Generic, TypeVar

HELD_UP_S: Final = 0.1
_MOST_THREADS: Final = 32

T = TypeVar("T")


class _Busy:
    """Since when a subject is measured, and how often that was asked."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self.asked = 0


class Lanes(Generic[T]):
    """Measures subjects, each in one thread at a time."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="tir-watch")
        self._busy: dict[T, _Busy] = {}
        self._lanes: set[asyncio.Future[None]] = set()

    def is_busy(self, subject: T) -> bool:
        """Say whether a subject is being measured still."""
        return subject in self._busy

    def overdue(self, seconds: float) -> list[T]:
        """Return the subjects whose measurement takes longer.

        Asked ten times at least: while the machine is so loaded that we ourselves hardly run, a
        measurement that takes long is nobody's fault.
        """
        now = time.monotonic()
        late: list[T] = []
        for subject, busy in list(self._busy.items()):
            busy.asked += 1
            if now - busy.since > seconds and busy.asked >= seconds / HELD_UP_S:
                late.append(subject)
        return late

    async def measure(self, how: Callable[[T], None], subjects: Iterable[T]) -> None:
        """Measure those that are not being measured still; does not wait for one held up.

        What `how` raises is raised here, or by the next call where it came late.
        """
        waiting = deque(subject for subject in subjects if subject not in self._busy)
        loop = asyncio.get_running_loop()
        while waiting:
            try:
                lane = loop.run_in_executor(self._threads, self._go_along, how, waiting)
            except RuntimeError:  # Python is ending, starts no more threads, and ends the kernels
                return
            self._lanes.add(lane)
            await asyncio.wait({lane}, timeout=HELD_UP_S)
        ended = {lane for lane in self._lanes if lane.done()}
        self._lanes -= ended
        for lane in ended:
            lane.result()

    async def close(self) -> None:
        """Start no further measurement, and give those under way a second to end."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._lanes:
            await asyncio.wait(self._lanes, timeout=1)
            for lane in self._lanes:
                if lane.done() and not lane.cancelled():
                    lane.exception()  # looked at, so that asyncio does not report it as lost

    def _go_along(self, how: Callable[[T], None], waiting: deque[T]) -> None:
        while True:
            try:
                subject = waiting.popleft()
            except IndexError:
                return
            self._busy[subject] = _Busy()
            try:
                how(subject)
            finally:
                del self._busy[subject]
