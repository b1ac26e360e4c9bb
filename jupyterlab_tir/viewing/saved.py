"""A run as a saved notebook keeps it: its snapshot, transcripts included as far as a budget goes.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..events import Event, SampleEnded
from .clipping import clip
from .projection import Projection
from .wire import Snapshot, ViewTranscript

BUDGET_CHARS = 300_000
"""Characters of all transcripts together in a saved notebook."""

ROWS_CHARS = 100_000
"""Characters of all samples' answers and reasons together, and of all details of the trace."""

MOST_STEPS = 1_000
SEGMENT_CHARS = 8_000
LEAST_CHARS = 200
MOST_COUNTS = 128
GOING_ON = "The run is still going on: this is what it has so far."
CUT_SHORT = "The record ends before the run did: its process was killed."


def project(events: Sequence[Event], *, going_on: bool = False) -> Projection:
    """The projection of a record: whole, of a run that is going on, or cut short by a death.

    Votes are counted anew along the way, at `MOST_COUNTS` points at most.
    """
    made = Projection()
    ends = sum(isinstance(event, SampleEnded) for event in events)
    every = -(-ends // MOST_COUNTS) or 1
    seen = 0
    for event in events:
        made.take(event)
        if isinstance(event, SampleEnded):
            seen += 1
            if seen % every == 0 or seen == ends:
                made.count_now()
    if going_on:
        made.cut_short(GOING_ON, "going-on")
    else:
        made.cut_short(CUT_SHORT)
    return made


def saved_snapshot(made: Projection, *, budget_chars: int = BUDGET_CHARS) -> Snapshot | None:
    """The run with as much of its transcripts as the budget has room for; None before it began.

    Each segment is cut to the same length, the greatest that lets all fit; samples for which not
    even short ones fit have no transcript.
    """
    for most in (SEGMENT_CHARS, SEGMENT_CHARS // 4, SEGMENT_CHARS // 16, LEAST_CHARS):
        kept, fits = _transcripts(made, most, budget_chars)
        if fits:
            break
    snapshot = made.snapshot(transcripts=tuple(kept))
    return None if snapshot is None else _lean(snapshot)


def _lean(snapshot: Snapshot) -> Snapshot:
    """The same with the texts of its rows cut so that all of them fit."""
    steps = snapshot.steps[:MOST_STEPS]
    of_sample = max(20, ROWS_CHARS // (3 * max(1, len(snapshot.samples))))
    of_step = max(20, ROWS_CHARS // max(1, len(steps)))
    return replace(
        snapshot,
        samples=tuple(
            replace(
                row,
                answer=None if row.answer is None else clip(row.answer, of_sample),
                reason=clip(row.reason, of_sample),
                verification_reason=clip(row.verification_reason, of_sample),
            )
            for row in snapshot.samples
        ),
        steps=tuple(
            replace(step, title=clip(step.title, of_step), detail=clip(step.detail, of_step))
            for step in steps
        ),
        steps_left_out=snapshot.steps_left_out + len(snapshot.steps) - len(steps),
    )


def _transcripts(
    made: Projection, most: int, budget_chars: int
) -> tuple[list[ViewTranscript], bool]:
    kept: list[ViewTranscript] = []
    left = budget_chars
    for number, sample in made.samples.items():
        shown = sample.transcript.shown(number, most)
        left -= sum(len(segment.text) for segment in shown.segments)
        if left < 0:
            return kept, False
        kept.append(shown)
    return kept, True
