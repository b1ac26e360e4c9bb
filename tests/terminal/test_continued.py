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
from jupyterlab_tir.terminal.state import RunState

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
    state = RunState()
    for event in run_events():
        state.take(event)
    assert state.ended is not None
    assert state.planned == 8
    running = state.running
    for event in go_on(run_events())[-2:]:
        state.take(event)
    assert state.ended is None
    assert (state.planned, state.running, state.elapsed_s) == (20, running + 1, 101.0)
    assert state.tally().planned == 20
    shown = draw(live_view(state, 1.0))
    assert "20 planned" in shown
    assert "http://other/v1" in shown
    assert "isolation: full" in shown
    assert "its process was killed" in draw(final_view(state))


def test_votes_are_counted_over_all_parts(run_events: Events) -> None:
    state = RunState()
    for event in go_on(run_events()):
        state.take(event)
    before = state.tally().finished
    state.take(SampleEnded(outcome=said(8, "9"), turns=1, cells=0))
    assert state.tally().finished == before + 1


def test_changed_plan_is_the_plan(run_events: Events) -> None:
    state = RunState()
    for event in run_events()[:-1]:
        state.take(event)
    state.take(PlanChanged(planned=5))
    assert (state.planned, state.tally().planned) == (5, 5)
