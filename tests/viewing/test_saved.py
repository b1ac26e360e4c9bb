"""What a saved notebook keeps of a run stays small, whatever the model wrote."""

from __future__ import annotations

import msgspec
import pytest

from jupyterlab_tir.events import AnyEvent, RunStarted, SampleStarted, ServerInfo, TurnEnded
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.viewing.saved import CUT_SHORT, GOING_ON, MOST_STEPS, project, saved_snapshot


def started(samples: int) -> RunStarted:
    return RunStarted(
        run_id="20261129-120000-abcdef",
        created="2026-11-29T12:00:00+00:00",
        version="0.1.0",
        problem=Problem(text="?"),
        settings={"samples": samples, "w_code": 2.0},
        sources={},
        seed=1,
        temperature=0.7,
        server=ServerInfo(
            base_url="http://127.0.0.1:8000/v1",
            source="option",
            product="vLLM",
            version="0",
            model="m",
            context=None,
            dialect="fenced",
            dialect_reason="named",
            reasoning=False,
            tokenizes=False,
        ),
        isolation="full",
    )


def long_run(samples: int, chars: int) -> list[AnyEvent]:
    events: list[AnyEvent] = [started(samples)]
    for sample in range(samples):
        events += [
            SampleStarted(sample=sample, sample_seed=sample, title="t" * 500, detail="d" * 5_000),
            TurnEnded(sample=sample, turn=0, attempt=0, text="x" * chars, finish="stop"),
        ]
    return events


@pytest.mark.parametrize(("samples", "chars"), [(1, 3_000_000), (64, 100_000), (1024, 20_000)])
def test_a_run_of_any_size_is_less_than_a_megabyte(samples: int, chars: int) -> None:
    snapshot = saved_snapshot(project(long_run(samples, chars)))
    assert snapshot is not None
    assert len(msgspec.json.encode(snapshot)) < 1_000_000
    assert len(snapshot.samples) == samples


def test_all_transcripts_are_there_where_they_fit_cut_or_not() -> None:
    whole = saved_snapshot(project(long_run(8, 1_000)))
    cut = saved_snapshot(project(long_run(8, 100_000)))
    assert whole is not None
    assert cut is not None
    assert [each.segments[0].chars for each in whole.transcripts] == [0] * 8
    assert [each.segments[0].chars for each in cut.transcripts] == [100_000] * 8


def test_a_record_that_ends_before_its_run_did_says_so() -> None:
    snapshot = saved_snapshot(project(long_run(2, 10)))
    assert snapshot is not None
    assert snapshot.end is not None
    assert (snapshot.end.status, snapshot.end.reason) == ("cut-short", CUT_SHORT)
    assert snapshot.end.saved.not_started == 0


def test_a_record_of_a_run_that_goes_on_says_so() -> None:
    snapshot = saved_snapshot(project(long_run(2, 10), going_on=True))
    assert snapshot is not None
    assert snapshot.end is not None
    assert (snapshot.end.status, snapshot.end.reason) == ("going-on", GOING_ON)


def test_steps_that_are_left_out_are_counted() -> None:
    events = long_run(600, 1)
    snapshot = saved_snapshot(project(events))
    assert snapshot is not None
    assert len(snapshot.steps) == MOST_STEPS
    assert snapshot.steps_left_out == len(events) - MOST_STEPS


def test_a_run_that_did_not_begin_has_no_snapshot() -> None:
    assert saved_snapshot(project([])) is None


@pytest.mark.parametrize("tau", ["high", 10**400, float("nan"), -1])
def test_threshold_that_somebody_edited_is_shown_as_the_usual_one(tau: object) -> None:
    begun = started(1)
    begun.settings.update(tau=tau, stop=3)
    head = project([begun]).snapshot().head
    assert (head.tau, head.rule) == (0.75, "3")


def test_deadline_beyond_all_floats_is_left_out_of_the_plan() -> None:
    begun = started(1)
    begun.settings.update(deadline=10**400)
    assert "within" not in project([begun]).snapshot().head.plan
