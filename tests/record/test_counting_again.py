"""Votes are counted again from records: the same to the bit, or the record is refused in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.events import AnyEvent, RunStarted
from jupyterlab_tir.record import read_record
from jupyterlab_tir.voting import Ballot, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted

from .conftest import said, write

RunOf = Callable[[Sequence[SampleOutcome]], list[AnyEvent]]


@pytest.mark.usefixtures("jupyter")
def test_votes_are_counted_again_by_the_policy_of_the_run(
    run_started: RunStarted, run_of: RunOf
) -> None:
    # 9 weighs 2 · 2, 5 weighs 3: the counts say 5.
    split = [said(n, "9", entropy=0.0, verification="replayed") for n in (0, 1)]
    split += [said(n, "5", entropy=0.0) for n in (2, 3, 4)]
    for policy, leader in (("weighted", "9"), ("majority", "5"), ("votes-first", "5")):
        changed = run_started.settings | {"policy": policy}
        events = run_of(split)
        events[0] = msgspec.structs.replace(run_started, settings=changed)
        found = read_record(write(policy, events)).replay()
        assert found.leader is not None
        assert (found.policy, found.leader.shown) == (policy, leader)


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"samples": 8, "w_code": 2.0, "policy": "loudest"}},
        {"settings": {}},
        {"settings": {"samples": "eight", "w_code": 2.0}},
        {"settings": {"samples": 8, "w_code": 0}},
    ],
)
@pytest.mark.usefixtures("jupyter")
def test_settings_that_cannot_count_are_an_error_of_the_record(
    change: dict[str, Any], run_of: RunOf
) -> None:
    started, *others = run_of([said(0, "1/3")])
    path = write("a-run", [msgspec.structs.replace(started, **change), *others])
    with pytest.raises(RecordError, match=r"cannot be counted \("):
        read_record(path).replay()


@pytest.mark.usefixtures("jupyter")
def test_sample_that_ended_twice_is_an_error_of_the_record(run_of: RunOf) -> None:
    path = write("a-run", run_of([said(0, "1"), said(0, "2")]))
    with pytest.raises(RecordError, match="ended twice"):
        read_record(path).replay()


def ballot(answer: str, **values: Any) -> Ballot:
    return Ballot(answer=canonical(answer), raw=answer, **values)


ballots = strategies.builds(
    ballot,
    answer=strategies.sampled_from(["1/3", "0.3333333333333333", "2", "x+1", "oui « ä »"])
    | strategies.text(strategies.characters(exclude_categories=["Cs"]), max_size=20),
    entropy=strategies.none() | strategies.floats(0, 20),
    verification=strategies.sampled_from(["none", "echo", "computed", "replayed"]),
    tokens=strategies.integers(0, 2**40),
)
fates = ballots | strategies.sampled_from(["no-answer", "server-lost", "cancelled"])


@pytest.mark.usefixtures("jupyter")
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fates=strategies.lists(fates, max_size=8),
    chance=strategies.randoms(),
    w_code=strategies.floats(1, 10),
)
def test_votes_counted_again_from_a_record_are_the_same_to_the_bit(
    fates: list[Any],
    chance: Any,
    w_code: float,
    run_started: RunStarted,
    run_of: RunOf,
) -> None:
    outcomes = [
        SampleOutcome(sample=number, status="answered", ballot=fate)
        if isinstance(fate, Ballot)
        else SampleOutcome(sample=number, status=fate, reason="as it happens")
        for number, fate in enumerate(fates)
    ]
    chance.shuffle(outcomes)
    changed = run_started.settings | {"w_code": w_code}
    events = run_of(outcomes)
    events[0] = msgspec.structs.replace(run_started, settings=changed)
    path = write("generated", events)
    try:
        record = read_record(path)
    finally:
        path.unlink()
    assert record.events == tuple(events)
    assert record.outcomes == tuple(outcomes)
    assert record.replay() == tally(outcomes, planned=8, policy=Weighted(w_code=w_code))
