"""What a live view shows of a run that is going on: one small, bounded struct. Pure."""

from __future__ import annotations

import msgspec

from jupyterlab_tir.terminal.plain import one_line, plain
from jupyterlab_tir.terminal.state import RunState

from .wording import Row

LIVE_SCHEMA = 1
MOST_CANDIDATES = 12
ANSWER_CHARS = 80
MOST_NOTICES = 4


class LiveCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate so far: raw count and weight side by side, share of the weight in [0, 1]."""

    answer: str
    samples: int
    code_verified: int
    weight: float
    share: float


class LiveRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run so far.

    Parameters
    ----------
    phase
        What it is doing, in words.
    finished, running, planned
        Samples.
    tokens, seconds
        What it took so far; tokens of turns that go on are counted by chunks.
    candidates
        The first ones by weight; `more` are not listed.
    over
        Whether nothing more will come.
    """

    schema: int = LIVE_SCHEMA
    phase: str
    run_id: str | None = None
    model: str = ""
    finished: int = 0
    running: int = 0
    planned: int = 0
    tokens: int = 0
    seconds: float = 0.0
    candidates: tuple[LiveCandidate, ...] = ()
    more: int = 0
    notices: tuple[str, ...] = ()
    over: bool = False

    @property
    def line(self) -> str:
        """The numbers on one line.

        >>> LiveRun(phase="Loading", seconds=2.04).line
        'Loading · 2.0 s'
        """
        parts = [self.phase]
        if self.planned:
            parts += [
                f"{self.finished} finished",
                f"{self.running} running",
                f"{self.planned} planned",
                f"{self.tokens:,} tokens",
            ]
        return " · ".join([*parts, f"{self.seconds:.1f} s"])

    @property
    def rows(self) -> list[Row]:
        """The candidates as lines of a tally."""
        return [
            Row(
                answer=candidate.answer,
                samples=candidate.samples,
                code_verified=str(candidate.code_verified),
                weight=f"{candidate.weight:.2f}",
                share=candidate.share,
            )
            for candidate in self.candidates
        ]


def live_run(state: RunState, seconds: float, *, stopping: bool = False) -> LiveRun:
    """What `state` looks like after `seconds` of the cell."""
    started, begun = state.started, state.begun
    if started is None or begun is None:
        return LiveRun(phase="Stopping" if stopping else "Finding the server", seconds=seconds)
    tally = state.tally()
    first = tally.candidates[:MOST_CANDIDATES]
    return LiveRun(
        phase="Stopping" if stopping else _doing(state),
        run_id=started.run_id,
        model=one_line(begun.server.model, ANSWER_CHARS),
        finished=len(state.outcomes),
        running=state.running,
        planned=state.planned,
        tokens=state.tokens,
        seconds=round(seconds, 1),
        candidates=tuple(
            LiveCandidate(
                answer=one_line(candidate.shown, ANSWER_CHARS),
                samples=candidate.count,
                code_verified=candidate.code_verified,
                weight=round(candidate.weight, 4),
                share=round(candidate.share, 4),
            )
            for candidate in first
        ),
        more=len(tally.candidates) - len(first),
        notices=tuple(plain(one_line(each, 300)) for each in state.notices[-MOST_NOTICES:]),
        over=state.ended is not None,
    )


def _doing(state: RunState) -> str:
    return "Over" if state.ended is not None else state.work or "Counting"
