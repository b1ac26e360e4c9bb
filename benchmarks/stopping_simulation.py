"""Runs over stored samples, many at once: launched, finished, counted and stopped as runs are.

A run takes N of a problem's samples in random launch order. The first are launched at time 0. When
a sample finishes it is counted, the rule decides, and free places are filled; what finishes at one
moment is counted in launch order before anything is launched. Once the rule has fired nothing is
counted, whether it ends in the same moment or not: a sample that is in flight then has cost what it
had generated until then. Time is counted in tokens: the server gives
every sample in flight the same speed, however many they are.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from .stopping_pools import NO_ANSWER, Numbers, Pool
from .stopping_rules import Counts, Flags, Ramp, Short

Order = Literal["random", "finish"]
"""How long a sample takes: its own tokens, so that short ones finish first; or, by lot, those of
any sample of its problem, so that finishing early says nothing.
"""

Commit = Literal["finish", "launch"]
"""When a sample is counted: as it finishes, or once all that were launched before it have too."""

_ENDLESS = np.iinfo(np.int64).max


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """How runs are made; `parallel` caps the places that the ramp gives."""

    planned: int
    parallel: int
    order: Order
    commit: Commit
    short: Short
    ramp: Ramp


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of many runs.

    Parameters
    ----------
    problem
        Each run's problem.
    answers, tokens
        Runs x samples, in launch order.
    dealt
        Tokens of samples of the same problem by lot: the times of order ``random``.
    """

    problem: Numbers
    answers: Numbers
    tokens: Numbers
    dealt: Numbers

    def first(self, planned: int) -> Draw:
        """The same runs with fewer samples."""
        return Draw(
            problem=self.problem,
            answers=self.answers[:, :planned],
            tokens=self.tokens[:, :planned],
            dealt=self.dealt[:, :planned],
        )


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What became of each run.

    Parameters
    ----------
    winner
        The leading answer when it stopped, or NO_ANSWER.
    finished, launched
        Samples that finished, and those that were started.
    spent, wasted
        Tokens of all samples, the cancelled ones' until they were; and of the cancelled ones alone.
    time
        When it ended, in tokens of one sample after the other.
    """

    winner: Numbers
    finished: Numbers
    launched: Numbers
    spent: Numbers
    wasted: Numbers
    time: Numbers


class Votes:
    """Counts of runs to which ballots are added one at a time, with the tally's order of ties."""

    def __init__(self, runs: int, candidates: int, planned: int) -> None:
        self._count = np.zeros((runs, candidates), dtype=np.int64)
        self._first = np.full((runs, candidates), planned, dtype=np.int64)
        # One more column, which never comes.
        self._came = np.zeros((runs, planned + 1), dtype=bool)
        self._last = np.full(runs, NO_ANSWER, dtype=np.int64)
        self._streak = np.zeros(runs, dtype=np.int64)
        self.winner = np.full(runs, NO_ANSWER, dtype=np.int64)
        self.leader = np.zeros(runs, dtype=np.int64)
        self.second = np.zeros(runs, dtype=np.int64)
        self.answered = np.zeros(runs, dtype=np.int64)
        self.finished = np.zeros(runs, dtype=np.int64)

    def add(self, runs: Numbers, answers: Numbers, launch: Numbers) -> None:
        """Count one sample for each of these runs."""
        self.finished[runs] += 1
        self._came[runs, launch] = True
        same = (answers == self._last[runs]) & (answers != NO_ANSWER)
        self._streak[runs] = np.where(same, self._streak[runs] + 1, answers != NO_ANSWER)
        self._last[runs] = answers
        voting = answers != NO_ANSWER
        runs, answers, launch = runs[voting], answers[voting], launch[voting]
        self.answered[runs] += 1
        self._count[runs, answers] += 1
        self._first[runs, answers] = np.minimum(self._first[runs, answers], launch)
        count, winner = self._count[runs, answers], self.winner[runs]
        leader, second = self.leader[runs], self.second[runs]
        ahead = (count > leader) | (
            (count == leader) & (self._first[runs, answers] < self._first[runs, winner])
        )
        again = answers == winner
        # A new leader was level with the old one before or is level with it now.
        self.second[runs] = np.where(
            again, second, np.where(ahead, leader, np.maximum(second, count))
        )
        self.leader[runs] = np.where(again | ahead, count, leader)
        self.winner[runs] = np.where(ahead, answers, winner)

    def counts(self) -> Counts:
        rows = np.arange(len(self.winner))
        voted = self._last != NO_ANSWER
        of_second = self._count == self.second[:, None]
        of_second[rows, self.winner] = False
        planned = self._came.shape[1] - 1
        return Counts(
            leader=self.leader,
            second=self.second,
            answered=self.answered,
            finished=self.finished,
            last=np.where(voted, self._count[rows, self._last], 0),
            beside=np.where(voted & (self._last == self.winner), self.second, self.leader),
            streak=self._streak,
            leader_first=np.where(self.leader > 0, self._first[rows, self.winner], planned),
            second_first=np.where(of_second, self._first, planned).min(axis=1),
            coming_first=self._came.argmin(axis=1),
        )

    def keep(self, these: Numbers) -> None:
        """Forget all other runs."""
        for name, values in vars(self).items():
            setattr(self, name, values[these])


def draw(pool: Pool, *, planned: int, shuffles: int, seed: int, problems: Numbers) -> Draw:
    """Draw runs of these problems, so many each; the same for the same seed and problem.

    Each of them must have so many stored samples.
    """
    orders = []
    for problem in problems:
        chance = np.random.default_rng([seed, int(problem)])
        stored = np.tile(np.arange(pool.stored[problem]), (2, shuffles, 1))
        orders.append(chance.permuted(stored, axis=2)[:, :, :planned])
    launched, dealt = np.concatenate(orders, axis=1)
    rows = np.repeat(problems, shuffles)[:, None]
    return Draw(
        problem=rows[:, 0],
        answers=pool.answers[rows, launched],
        tokens=pool.tokens[rows, launched],
        dealt=pool.tokens[rows, dealt],
    )


def candidates_of(draw: Draw) -> int:
    """Different answers of one problem at the most; one where nobody answered."""
    return max(1, int(draw.answers.max()) + 1)


def full_vote(draw: Draw) -> Numbers:
    """The winner of each run if all its samples are counted."""
    runs, planned = draw.answers.shape
    votes = Votes(runs, candidates_of(draw), planned)
    for launch in range(planned):
        votes.add(np.arange(runs), draw.answers[:, launch], np.full(runs, launch))
    return votes.winner


class _Flight:
    """Runs under way: the clock, who is in flight, and what is counted."""

    def __init__(self, draw: Draw, setup: Setup) -> None:
        self._setup = setup
        self._answers, self._tokens = draw.answers, draw.tokens
        self._times = draw.tokens if setup.order == "finish" else draw.dealt
        runs, planned = draw.answers.shape
        self.run = np.arange(runs)
        self._start = np.full((runs, planned), _ENDLESS, dtype=np.int64)
        self._end = np.full((runs, planned), _ENDLESS, dtype=np.int64)
        self._done = np.zeros((runs, planned + 1), dtype=bool)
        self.launched = np.zeros(runs, dtype=np.int64)
        self.now = np.zeros(runs, dtype=np.int64)
        self._next = np.zeros(runs, dtype=np.int64)
        self.votes = Votes(runs, candidates_of(draw), planned)

    def launch(self, finished: int) -> None:
        """Fill the free places, once all that finish now have been counted."""
        setup, planned = self._setup, self._setup.planned
        short = setup.short(self.votes.counts(), planned)
        places = setup.ramp(short, np.full_like(short, finished), setup.parallel)
        places[self._end.min(axis=1) == self.now] = 0
        upto = np.minimum(np.maximum(finished + places, self.launched), planned)
        column = np.arange(planned)
        new = (column >= self.launched[:, None]) & (column < upto[:, None])
        self._start = np.where(new, self.now[:, None], self._start)
        self._end = np.where(new, self.now[:, None] + self._times, self._end)
        self.launched = upto

    def finish_next(self) -> Numbers:
        """Go on to when the next sample of each run finishes; return which one that is."""
        rows = np.arange(len(self.run))
        sample: Numbers = self._end.argmin(axis=1)
        self.now = self._end[rows, sample]
        self._end[rows, sample] = _ENDLESS
        self._done[rows, sample] = True
        return sample

    def count(self, sample: Numbers) -> Flags:
        """Count what can be counted now; return which runs stop."""
        rows, setup = np.arange(len(self.run)), self._setup
        if setup.commit == "finish":
            self.votes.add(rows, self._answers[rows, sample], sample)
            return self._fired()
        stops = np.zeros(len(rows), dtype=bool)
        while len(rows := rows[self._done[rows, self._next[rows]]]):
            sample = self._next[rows]
            self.votes.add(rows, self._answers[rows, sample], sample)
            self._next[rows] += 1
            stops = self._fired()
            rows = rows[~stops[rows]]
        return stops

    def _fired(self) -> Flags:
        fired: Flags = self._setup.short(self.votes.counts(), self._setup.planned) <= 0
        return fired

    def spent(self) -> Numbers:
        """Tokens of each sample so far: runs x samples."""
        run = np.where(self._start == _ENDLESS, 0, self.now[:, None] - self._start)
        run = np.minimum(run, self._times)
        return np.rint(self._tokens * run / self._times).astype(np.int64)

    def in_flight(self) -> Flags:
        """Which samples are not done: runs x samples."""
        return ~self._done[:, :-1]

    def keep(self, these: Numbers) -> None:
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                setattr(self, name, values[these])
        self.votes.keep(these)


def simulate(draw: Draw, setup: Setup) -> Ended:
    """Make these runs."""
    runs, planned = draw.answers.shape
    ended = {name: np.zeros(runs, dtype=np.int64) for name in Ended.__struct_fields__}
    flight = _Flight(draw, setup)
    flight.launch(0)
    for finished in range(1, planned + 1):
        stops = flight.count(flight.finish_next())
        if finished == planned:
            stops[:] = True
        if stops.any():
            over, spent = flight.run[stops], flight.spent()[stops]
            ended["winner"][over] = flight.votes.winner[stops]
            ended["finished"][over] = finished
            ended["launched"][over] = flight.launched[stops]
            ended["spent"][over] = spent.sum(axis=1)
            ended["wasted"][over] = (spent * flight.in_flight()[stops]).sum(axis=1)
            ended["time"][over] = flight.now[stops]
            flight.keep(np.flatnonzero(~stops))
        if not len(flight.run):
            break
        flight.launch(finished)
    return Ended(**ended)
