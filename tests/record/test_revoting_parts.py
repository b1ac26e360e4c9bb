"""Voting again over runs that went on, were killed, or gave their server up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jupyterlab_tir.events import (
    RunContinued,
    StopFired,
)
from jupyterlab_tir.record import Record, revote
from jupyterlab_tir.voting import RuleDecision, SampleOutcome
from jupyterlab_tir.voting.rules_look import RuleName

from .conftest import Making, said


def go_on(made: Making, planned: int, *, ended: bool = True, **settings: Any) -> Making:
    """Let a run that ended, or whose process was killed, go on with another plan."""
    changed = made.started.settings | {"samples": planned, "stop": "none"} | settings
    made.events = [
        *(made.record().events if ended else made.events),
        RunContinued(
            created="",
            version="1.2.3",
            planned=planned,
            settings=changed,
            sources={},
            server=made.started.server,
            isolation="none",
        ),
    ]
    made.planned = planned
    return made


def fired(rule: RuleName, after: int) -> StopFired:
    return StopFired(decision=RuleDecision(rule=rule, words="", after=after))


def lost(*samples: int) -> list[SampleOutcome]:
    return [SampleOutcome(sample=n, status="server-lost", tokens=10) for n in samples]


def continued(making: Callable[..., Making]) -> Record:
    """Share stopped four of nine that say 5; then six more all say 6."""
    made = making(samples=9, stop="share").begin(0, 1, 2, 3).end(*[said(n, "5") for n in range(4)])
    made.events.append(fired("share", 4))
    made = go_on(made, 10)
    return made.begin(*range(4, 10)).end(*[said(n, "6") for n in range(4, 10)]).record()


def test_recorded_rules_of_a_continued_run_are_those_of_its_last_part(
    making: Callable[..., Making],
) -> None:
    record = continued(making)
    found = revote(record)
    assert (found.answer, found.decision, found.samples) == ("6", None, 10)
    assert found.tally == record.replay()
    assert "overruled" in " ".join(found.remarks)


@pytest.mark.parametrize(
    ("asked", "samples", "answer"),
    [
        ({"stop": "share"}, 4, "5"),
        ({"tau": 0.9}, 4, "5"),
        ({"min_answers": 5}, 5, "5"),
        ({"stop": "lead:2"}, 2, "5"),
        ({"stop": "none"}, 10, "6"),
    ],
)
def test_rules_that_are_given_are_asked_from_the_first_sample_of_a_continued_run(
    asked: dict[str, Any], samples: int, answer: str, making: Callable[..., Making]
) -> None:
    found = revote(continued(making), **asked)
    assert (found.samples, found.answer, found.differs) == (samples, answer, answer == "5")


def test_run_that_goes_on_asks_its_rules_of_what_it_has(making: Callable[..., Making]) -> None:
    made = making(samples=9, stop="none").begin(*range(5)).end(*[said(n, "5") for n in range(5)])
    made.events.append(fired("uncatchable", 5))
    # Of 11 six could still say something else; of 10 five, and ties go by launch index.
    for planned, rule in ((11, None), (10, "uncatchable")):
        again = making(samples=9, stop="none")
        again.events = [*made.events]
        again = go_on(again, planned)
        if rule is not None:
            again.events.append(fired("uncatchable", 5))
        else:
            again.begin(5).end(said(5, "6"))
        found = revote(again.record())
        assert (found.decision.rule if found.decision else None) == rule
        assert found.samples == (5 if rule else 6)


def test_it_asks_them_when_what_its_process_did_not_see_is_counted_too(
    making: Callable[..., Making],
) -> None:
    made = making(samples=9, stop="none").begin(*range(5)).end(*[said(n, "5") for n in range(3)])
    # Of 7, four could say something else, but for the two that were killed.
    made = go_on(made, 7, ended=False)
    gone = [SampleOutcome(sample=n, status="cancelled", tokens=3) for n in (3, 4)]
    made.end(*gone, interrupted=True).events.append(fired("uncatchable", 3))
    record = made.record()
    found = revote(record)
    assert found.decision is not None
    assert (found.decision.rule, found.decision.after) == ("uncatchable", 3)
    assert (found.samples, found.in_flight, found.tally) == (5, 0, record.replay())


def test_run_that_gives_its_server_up_asks_no_rule_then(making: Callable[..., Making]) -> None:
    made = making(samples=9, stop="share").begin(0, 1, 2, 3).end(*[said(n, "5") for n in range(4)])
    made.events.append(fired("share", 4))
    # With the fourth lost one only four of twelve are to come, and the leader is safe.
    made = go_on(made, 12).begin(4, 5, 6, 7, 8).end(*lost(4, 5, 6, 7))
    made.end(SampleOutcome(sample=8, status="cancelled"), interrupted=True)
    record = made.record(status="server-lost")
    found = revote(record)
    assert (found.decision, found.samples, found.tally) == (None, 9, record.replay())
    # Another end does not hide what the rules say at that moment.
    other = revote(made.record(status="answered"))
    assert other.decision is not None
    assert (other.decision.rule, other.decision.sample, other.samples) == ("uncatchable", 7, 8)


def test_another_moment_with_as_many_finished_samples_is_not_the_recorded_one(
    making: Callable[..., Making],
) -> None:
    # The lossless rule fired with the lost fifth of nine; lead:4 would have with the fourth.
    made = making(samples=9, stop="none").begin(*range(6)).end(*[said(n, "5") for n in range(4)])
    made.end(*lost(4)).events.append(fired("uncatchable", 4))
    made.end(SampleOutcome(sample=5, status="cancelled", tokens=30), interrupted=True)
    record = made.record()
    recorded = revote(record)
    assert recorded.decision is not None
    assert (recorded.decision.after, recorded.decision.sample) == (4, 4)
    assert (recorded.samples, recorded.in_flight) == (6, 0)
    early = revote(record, stop="lead:4")
    assert early.decision is not None
    assert (early.decision.after, early.decision.sample) == (4, 3)
    assert (early.samples, early.in_flight, early.tokens) == (4, 2, 400)


def test_run_that_was_cut_short_is_voted_on_as_far_as_it_goes(
    making: Callable[..., Making],
) -> None:
    record = making(samples=8).begin(0, 1, 2).end(said(0, "5"), said(1, "5")).record(whole=False)
    found = revote(record)
    assert (found.answer, found.decision, found.samples, found.in_flight) == ("5", None, 2, 1)
    assert found.remarks[-1] == (
        "The record ends before the run did: its process was killed, and samples without an end: 1."
    )
    whole = making(samples=8).begin(0, 1).end(said(0, "5"), said(1, "5")).record(whole=False)
    assert revote(whole).remarks[-1] == "The record ends before the run did."
