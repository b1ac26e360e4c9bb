"""A run that is over as a `Snapshot`: of a record's events, or of a result alone. Pure.

Every static view is drawn from it, and so is the front end's.
"""

from __future__ import annotations

from collections.abc import Sequence

from jupyterlab_tir import RunResult, __version__
from jupyterlab_tir.events import Event, RunEnded, RunStarted
from jupyterlab_tir.viewing.clipping import clip
from jupyterlab_tir.viewing.rows import (
    ANSWER_CHARS,
    plan_words,
    problem_row,
    saved_row,
    server_row,
    stop_row,
    tally_row,
    verdict_row,
)
from jupyterlab_tir.viewing.saved import project, saved_snapshot
from jupyterlab_tir.viewing.wire import MIME, VIEW_SCHEMA, Snapshot, ViewEnd, ViewHead

__all__ = ["MIME", "of_events", "of_record", "of_result"]


def of_events(events: Sequence[Event], *, going_on: bool = False) -> Snapshot:
    """The run that events tell, from the first on; it may be going on, or have been cut short.

    Raises
    ------
    ValueError
        If it did not begin.
    """
    begun = any(isinstance(event, RunStarted) for event in events)
    snapshot = saved_snapshot(project(events, going_on=going_on)) if begun else None
    if snapshot is None:
        raise ValueError("a run that did not begin has no static form")
    return snapshot


def of_record(events: Sequence[Event], result: RunResult) -> Snapshot | None:
    """The run that gave a result, from its record; None where that tells of another one.

    A run that went on later has more in its record than an earlier result has seen.
    """
    for number, event in enumerate(events):
        if isinstance(event, RunEnded) and _is_end_of(event, result):
            return of_events(events[: number + 1])
    return None


def _is_end_of(event: RunEnded, result: RunResult) -> bool:
    return (event.status, event.tally) == (result.status, result.tally) and (
        event.tokens_out == result.tokens
    )


def of_result(result: RunResult) -> Snapshot:
    """What a result alone tells: no settings, samples, transcripts or notices."""
    head = ViewHead(
        run_id=result.run_id,
        version=__version__,
        created="",
        problem=problem_row(result.problem),
        server=server_row(result.server),
        isolation=clip(result.isolation),
        seed=result.seed,
        plan=plan_words({"samples": result.tally.planned}),
        rule="",
        tau=0.0,
        settings={},
        continued=result.continued,
    )
    end = ViewEnd(
        status=result.status,
        reason=clip(result.reason),
        answer=None if result.answer is None else clip(result.answer, ANSWER_CHARS),
        verdict=verdict_row(result.verdict),
        stop=stop_row(result.stop),
        saved=saved_row(result.saved),
    )
    return Snapshot(
        schema=VIEW_SCHEMA,
        head=head,
        planned=result.tally.planned,
        seconds=round(result.seconds, 3),
        tokens=result.tokens,
        tally=tally_row(result.tally),
        end=end,
    )
