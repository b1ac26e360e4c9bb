"""The runs of this kernel by their ids, each for any number of pages that watch it.

A run's events come in on the engine's thread; pages ask from the control channel's thread and the
main one. Each run has one lock, and holds it for moments only. Nothing here sends a message.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from jupyterlab_tir.events import Event, RunContinued
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.saved import project, saved_snapshot
from jupyterlab_tir.viewing.watcher import Watcher

from .notebook_cell import NOWHERE, NotebookCell

if TYPE_CHECKING:
    from jupyterlab_tir import RunHandle
    from jupyterlab_tir.viewing.wire import Batch, Snapshot

    from .publishing import Bundle

LEASE_S = 30.0
"""Seconds after which a page that was not heard of is told nothing more."""

MOST_PAGES = 32
"""Pages that watch one run at once; the one unheard of for the longest makes room."""

KEPT_RUNS = 8
"""Runs that are kept when they are over, for pages that were reloaded meanwhile."""

Clock = Callable[[], float]
Deliver = Callable[[dict[str, Any]], object]
"""Sends one batch, as JSON holds it, to one page."""

CONCLUDED: dict[str, Any] = {"over": True}
"""Told in place of a batch: what the run's output shows for good can be asked for."""


class _Page:
    """A page that watches: what it has been told, how it is reached, when it was heard of."""

    def __init__(self, watcher: Watcher, deliver: Deliver, heard_at: float) -> None:
        self.watcher = watcher
        self.deliver = deliver
        self.heard_at = heard_at


class WatchedRun:
    """One run and the pages that watch it; every method may be called from any thread.

    Parameters
    ----------
    cell
        The notebook's cell that it was begun in.
    clock
        Seconds, for the pages' leases.

    Attributes
    ----------
    bundle
        What its output shows for good; None until that is made. `metadata` goes with it.
    unshown
        What is said in its place where it could not be made.
    faulty
        Whether it shows no more than what came before an event that could not be taken.
    stopping
        Whether it was asked to stop.
    heard
        Whether any page has ever watched it.
    """

    def __init__(
        self,
        handle: RunHandle,
        cell: NotebookCell = NOWHERE,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self.handle = handle
        self.run_id = handle.run_id
        self.cell = cell
        self.bundle: Bundle | None = None
        self.metadata: Bundle = {}
        self.unshown: str | None = None
        self.faulty = False
        self.stopping = False
        self.heard = False
        self._clock = clock
        self._lock = threading.Lock()
        self._pages: dict[str, _Page] = {}
        self._curious: dict[str, Deliver] = {}
        self._projection = Projection()
        self._early: list[Event] | None = []
        self._coming: deque[Event] = deque()
        self._wake: Callable[[], object] = lambda: None

    @property
    def begun(self) -> bool:
        """Whether a page can see anything of it."""
        return self._early is None and self._projection.head is not None

    @property
    def concluded(self) -> bool:
        """Whether its output shows for good what it will."""
        return self.bundle is not None or self.unshown is not None

    @property
    def watched(self) -> bool:
        """Whether a page watches it."""
        return bool(self._pages)

    def take(self, event: Event) -> None:
        """Be given one more event; `catch_up` takes it, and no fault there reaches the run."""
        with self._lock:
            (self._coming if self._early is None else self._early).append(event)

    def catch_up(self) -> None:
        """Bring it up to date with the events that came.

        Raises
        ------
        Exception
            Once, if the view has a fault; from then on it stays as it was.
        """
        with self._lock:
            self._catch_up()

    def _catch_up(self) -> None:
        if self.faulty:
            self._coming.clear()
        while self._coming:
            event = self._coming.popleft()
            # Until it is taken: what was taken by half is not gone on from.
            self.faulty = True
            self._projection.take(event)
            self.faulty = False

    def begin(self, wake: Callable[[], object]) -> None:
        """Let pages see it from now on; `wake` is called when one of them is to be told more.

        What came before is taken at once: a run that goes on brings its earlier part, without
        tallies.
        """
        with self._lock:
            early, self._early = self._early or [], None
            resumed = [n for n, event in enumerate(early) if isinstance(event, RunContinued)]
            if resumed:
                self.faulty = True
                self._projection = project(early[: resumed[-1]])
                self.faulty = False
                early = early[resumed[-1] :]
            self._coming.extend(early)
            self._wake = wake
            self._catch_up()

    def hello(self, page: str, opened: Iterable[int], deliver: Deliver) -> Snapshot | None:
        """Have a page watch, or begin anew; the run so far, or None where it has not begun."""
        if not self.begun:
            return None
        with self._lock:
            self._catch_up()
            watcher = Watcher(self._projection)
            watcher.open(opened)
            self._pages.pop(page, None)
            self._pages[page] = _Page(watcher, deliver, self._clock())
            if len(self._pages) > MOST_PAGES:
                del self._pages[min(self._pages, key=lambda each: self._pages[each].heard_at)]
            self.heard = True
            snapshot = watcher.snapshot()
        # Of many transcripts some come later.
        self._wake()
        return snapshot

    def open(self, page: str, opened: Iterable[int]) -> bool:
        """Have a page told these samples' transcripts; False if it does not watch."""
        with self._lock:
            known = self._hear(page)
            if known is None:
                return False
            known.watcher.open(opened)
        self._wake()
        return True

    def alive(self, page: str) -> bool:
        """Prolong a page's lease; False if it does not watch."""
        with self._lock:
            return self._hear(page) is not None

    def bye(self, page: str) -> None:
        """Tell a page nothing more."""
        with self._lock:
            self._pages.pop(page, None)

    def wait_for_conclusion(self, page: str, deliver: Deliver) -> bool:
        """Have a page told once when it has concluded; False if it has already."""
        with self._lock:
            if self.concluded:
                return False
            self._curious.pop(page, None)
            self._curious[page] = deliver
            if len(self._curious) > MOST_PAGES:
                del self._curious[next(iter(self._curious))]
            return True

    def tell_conclusion(self) -> None:
        """Tell the pages that wait for it that it has concluded."""
        with self._lock:
            curious, self._curious = self._curious, {}
        for deliver in curious.values():
            deliver(CONCLUDED)

    def batches(self) -> list[tuple[Deliver, Batch]]:
        """What is new for each page that watches; those whose lease ran out are dropped."""
        with self._lock:
            self._drop()
            self._catch_up()
            told = [(each.deliver, each.watcher.batch()) for each in self._pages.values()]
        return [(deliver, batch) for deliver, batch in told if batch is not None]

    def snapshot(self) -> Snapshot | None:
        """The run so far; None before it began."""
        with self._lock:
            self._catch_up()
            return self._projection.snapshot() if self._early is None else None

    def saved(self) -> Snapshot | None:
        """The run as a notebook keeps it; None if it did not begin."""
        with self._lock:
            self._catch_up()
            return saved_snapshot(self._projection)

    def cut_short(self, reason: str) -> None:
        """Say that it failed, and so has no end of its own."""
        with self._lock:
            self._catch_up()
            self._projection.cut_short(reason)
        self._wake()

    def stop(self) -> None:
        """End it and keep what it has; returns at once."""
        self.stopping = True
        self.handle.stop()

    def _hear(self, page: str) -> _Page | None:
        self._drop()
        known = self._pages.get(page)
        if known is not None:
            known.heard_at = self._clock()
        return known

    def _drop(self) -> None:
        oldest = self._clock() - LEASE_S
        self._pages = {n: page for n, page in self._pages.items() if page.heard_at > oldest}


class Hub:
    """The runs of this kernel; all that go on, and the last ones that are over."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, WatchedRun] = {}

    def add(self, run: WatchedRun) -> None:
        """Make a run known; one that goes on after an end takes its own place."""
        with self._lock:
            self._runs.pop(run.run_id, None)
            self._runs[run.run_id] = run
            over = [each.run_id for each in self._runs.values() if each.handle.done]
            for run_id in over[: max(0, len(over) - KEPT_RUNS)]:
                del self._runs[run_id]

    def find(self, run_id: str) -> WatchedRun | None:
        """The run of an id; None where it is not known, or no more."""
        with self._lock:
            return self._runs.get(run_id)

    def runs(self) -> list[WatchedRun]:
        """All that are known, in the order in which they began."""
        with self._lock:
            return list(self._runs.values())

    def is_last_of_cell(self, run: WatchedRun) -> bool:
        """Whether no later run was begun in the same cell."""
        of_cell = [each for each in self.runs() if each.cell.id == run.cell.id]
        return bool(of_cell) and of_cell[-1] is run

    def going_on(self) -> list[WatchedRun]:
        """Those that are not over."""
        return [run for run in self.runs() if not run.handle.done]


_hub = Hub()


def hub() -> Hub:
    """The hub of this process: a kernel has one."""
    return _hub
