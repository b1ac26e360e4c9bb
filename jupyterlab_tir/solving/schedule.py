"""Which samples of a run start, and when: the plan, the places in flight, kernels started ahead.

Samples start in launch order. As many are in flight as the stop rules need at the least before one
of them can fire, and a few more (`ahead`): whoever finishes early is short, not typical, and what
is in flight when a rule fires is wasted. Where the deadline leaves no time for another sample, none
starts any more, and the plan is lowered to what has begun.
"""

from __future__ import annotations

import asyncio
import math
import statistics
from collections.abc import Callable, Collection, Iterable
from typing import Any

import msgspec

from ..events import CodeEnded, Event, PlanChanged, SampleEnded, TallyChanged
from ..in_words import number_of, part_of
from ..sandbox import CellStatus
from .context import RunContext
from .counting import Count
from .sample import Sample

_REPLAYS_AHEAD = 2


class Flight(msgspec.Struct, frozen=True):
    """A sample in flight: its launch index, and the clock's time at which it began."""

    sample: int
    since: float


class Schedule:
    """Launches the samples of one run, on the engine's thread.

    Parameters
    ----------
    context
        What the samples share.
    count
        What has come of the run so far; its plan is lowered here.
    deadline, clock
        When the run is over, in seconds of the clock.
    launched
        Samples that had begun before, where a run goes on.
    """

    def __init__(
        self,
        context: RunContext,
        count: Count,
        *,
        deadline: float,
        clock: Callable[[], float],
        launched: int = 0,
    ) -> None:
        self.launched = launched
        self.running: dict[asyncio.Task[SampleEnded], Flight] = {}
        self._context = context
        self._count = count
        self._deadline = deadline
        self._clock = clock
        self._taken_s: list[float] = []
        self._replays_ahead = 0

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, 0 once it is over."""
        return max(0.0, self._deadline - self._clock())

    def launch(self) -> bool:
        """Start what may start now; true where the plan was lowered because time is short."""
        lowered = self._has_place and self._lower_if_short_of_time()
        while self._has_place:
            sample = Sample(self._context, self.launched)
            flight = Flight(sample.index, self._clock())
            self.running[asyncio.create_task(sample.run())] = flight
            self.launched += 1
        self._start_kernels_ahead()
        return lowered

    def landed(self, done: Iterable[asyncio.Future[Any]]) -> list[SampleEnded]:
        """Take those out that are done, in launch order: what ended together has one order."""
        tasks = sorted(self.running.keys() & set(done), key=lambda task: self.running[task].sample)
        ends = []
        for task in tasks:
            flight, end = self.running.pop(task), task.result()
            # What the server lost says how long a failure takes.
            if end.outcome.finished:
                self._taken_s.append(self._clock() - flight.since)
            ends.append(end)
        return ends

    @property
    def _has_place(self) -> bool:
        """Whether another sample may start now."""
        return self._waiting > 0 and len(self.running) < self._places

    @property
    def _waiting(self) -> int:
        """Samples of the plan that have not begun."""
        return self._count.planned - self.launched

    @property
    def _places(self) -> int:
        """How many samples may be in flight now."""
        config = self._context.config
        return places_in_flight(self._count.short(), ahead=config.ahead, parallel=config.parallel)

    def _lower_if_short_of_time(self) -> bool:
        now = self._clock()
        ages = [now - flight.since for flight in self.running.values()]
        needs_s = usual_seconds(self._taken_s, ages)
        if needs_s is None or self.left_s >= needs_s:
            return False
        words = (
            f"{part_of(self._waiting, self._count.planned, 'sample')} "
            f"{'is' if self._waiting == 1 else 'are'} not started: "
            f"{_seconds(self.left_s)} are left, and a sample takes about {_seconds(needs_s)}"
        )
        self._count.lower(self.launched, f"{words}.")
        emit = self._context.journal.emit
        title = f"plan: {number_of(self.launched, 'sample')}"
        emit(PlanChanged(title=title, detail=words, planned=self.launched))
        emit(TallyChanged(title="tally", tally=self._count.tally()))
        return True

    def _start_kernels_ahead(self) -> None:
        """Have kernels started while the model thinks: for the samples in flight and the next."""
        kernels = self._context.kernels
        if kernels is not None:
            following = min(self._places, self._waiting)
            kernels.prepare(len(self.running) + following, replays=self._replays_ahead)

    def foresee_replays(self, event: Event) -> None:
        """Have kernels for replays started once a cell has computed something; a listener."""
        if (
            self._replays_ahead == 0
            and not self._context.ending
            and self._context.config.verify
            and isinstance(event, CodeEnded)
            and event.result.status == CellStatus.OK
        ):
            self._replays_ahead = min(_REPLAYS_AHEAD, self._count.planned)
            self._start_kernels_ahead()


def places_in_flight(short: int, *, ahead: float, parallel: int) -> int:
    """How many samples may be in flight, where the rules need `short` more at the least.

    Parameters
    ----------
    short
        Further samples that must finish before a stop rule can fire (`voting.samples_short`).
    ahead
        Samples in flight for each of them, from 1.
    parallel
        Most samples in flight.

    Examples
    --------
    >>> [places_in_flight(short, ahead=1.25, parallel=16) for short in (1, 4, 5, 100)]
    [2, 5, 7, 16]
    """
    # A product that is whole but for rounding is whole: 1.1 * 50 is a hair above 55.
    return min(parallel, max(1, math.ceil(round(ahead * short, 9))))


def usual_seconds(taken_s: Collection[float], ages_s: Iterable[float]) -> float | None:
    """What a sample takes: the median over those that finished and those that already take longer.

    Samples that finish first are short ones. So whatever has been running for longer than the
    median of the finished ones counts as well, with the time that it has taken by now, which is the
    least that it will take. A sample that starts with that much time left has about an even chance
    to finish.

    Parameters
    ----------
    taken_s
        Seconds that the finished ones took.
    ages_s
        Seconds since each of those in flight began.

    Returns
    -------
    float or None
        Seconds; None where nothing is known.

    Examples
    --------
    >>> usual_seconds([2.0, 3.0, 4.0], [1.0, 9.0, 9.0])  # of 2, 3, 4, 9, 9
    4.0
    >>> usual_seconds([], []) is None
    True
    """
    least = statistics.median(taken_s) if taken_s else 0.0
    known = [*taken_s, *(age for age in ages_s if age > least)]
    return statistics.median(known) if known else None


def _seconds(seconds: float) -> str:
    shown = round(seconds) if seconds >= 10 else round(seconds, 1)  # noqa: PLR2004 - two digits
    return f"{shown:,g} s"
