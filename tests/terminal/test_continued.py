"""A run that went on, as faces gather it from its events."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from jupyterlab_tir.events import (
    AnyEvent,
    Event,
    PlanChanged,
    RunContinued,
    RunStarted,
    SampleEnded,
    SampleStarted,
)
from jupyterlab_tir.terminal.render import final_view, live_view
from jupyterlab_tir.viewing.projection import Projection

from .conftest import said

Events = Callable[..., list[AnyEvent]]
Draw = Callable[..., str]


def go_on(events: list[AnyEvent]) -> list[Event]:
    started = events[0]
    assert isinstance(started, RunStarted)
    server = msgspec.structs.replace(started.server, base_url="http://other/v1")
    return [
        *events,
        RunContinued(
            created="",
            version="1",
            planned=20,
            settings=started.settings | {"samples": 20},
            sources={},
            server=server,
            isolation="full",
            at_s=100.0,
        ),
        SampleStarted(sample=8, sample_seed=1, at_s=101.0),
    ]


def test_run_that_goes_on_is_not_over_and_has_a_new_plan(run_events: Events, draw: Draw) -> None:
    made = Projection()
    for event in run_events():
        made.take(event)
    assert made.ended is not None
    assert made.planned == 8
    for event in go_on(run_events())[-2:]:
        made.take(event)
    assert made.ended is None
    assert (made.planned, made.seconds) == (20, 101.0)
    assert made.tally().planned == 20
    shown = draw(live_view(made, 1.0))
    # Of the samples from before, two were in flight; the one that began is the third.
    assert "4 finished · 3 running (1 running code, 2 writing) · 20 planned" in shown
    assert "http://other/v1" in shown
    assert "isolation: full" in shown
    assert "its process was killed" in draw(final_view(made))


def test_votes_are_counted_over_all_parts(run_events: Events) -> None:
    made = Projection()
    for event in go_on(run_events()):
        made.take(event)
    before = made.tally().finished
    made.take(SampleEnded(outcome=said(8, "9"), turns=1, cells=0))
    assert made.tally().finished == before + 1


def test_changed_plan_is_the_plan(run_events: Events) -> None:
    made = Projection()
    for event in run_events()[:-1]:
        made.take(event)
    made.take(PlanChanged(planned=5))
    assert (made.planned, made.tally().planned) == (5, 5)
