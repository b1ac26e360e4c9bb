"""Voting again over recorded runs: as they were, and as they would have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from jupyterlab_tir.errors import RecordError, UsageError
from jupyterlab_tir.events import (
    PlanChanged,
    StopFired,
)
from jupyterlab_tir.record import Record, RecordWriter, revote
from jupyterlab_tir.voting import (
    BlockBallot,
    RuleDecision,
    SampleOutcome,
)

from .conftest import Making, said


@pytest.fixture
def split(making: Callable[..., Making]) -> Record:
    """Nine samples, none stopped: 7 7 9 7 7 9 9 9 7 in the order of ending, the nines verified."""
    made = making(samples=9, stop="none", mode="tir").begin(*range(9))
    fates = [said(n, "7") for n in (0, 1)]
    fates += [said(3, "9", verification="replayed"), said(2, "7"), said(5, "7")]
    fates += [said(n, "9", verification="replayed") for n in (4, 6, 7)]
    return made.end(*fates, said(8, "7")).record()


@pytest.mark.parametrize(
    ("asked", "answer", "rule", "samples"),
    [
        # As recorded: at the eighth 9 weighs 4 · 2, and 7 could weigh 4 + 2 at the most.
        ({}, "9", "uncatchable", 8),
        # 5 samples to 4, and 5 · 1 to 4 · 1.
        ({"policy": "majority"}, "7", None, 9),
        ({"policy": "votes-first"}, "7", None, 9),
        ({"w_code": 1.0}, "7", None, 9),
        ({"stop": "lead:2"}, "7", "lead", 2),
        ({"stop": "lead:3", "policy": "majority"}, "7", "lead", 5),
        ({"stop": "window:2"}, "7", "window", 2),
        # 3 of 4 are not more than 0.75; 4 of 5 are, and weigh 4 to 2.
        ({"stop": "share:0.75"}, "7", "share", 5),
        ({"stop": "share", "tau": 0.7}, "7", "share", 4),
        ({"stop": "share", "tau": 0.7, "min_answers": 5}, "7", "share", 5),
        # 4 of 9 planned are not more than a half; with the fifth nothing is to come.
        ({"stop": "planned:0.5", "policy": "majority"}, "7", None, 9),
        # P(majority) of 4 to 1 is 57/64 = 0.89; of 2 to 0 it is 7/8 = 0.875.
        ({"stop": "beta:0.88"}, "7", "beta", 5),
        ({"stop": "beta:0.87"}, "7", "beta", 2),
    ],
)
def test_other_rules_say_what_they_would_have_said(
    asked: dict[str, Any], answer: str, rule: str | None, samples: int, split: Record
) -> None:
    found = revote(split, **asked)
    assert found.recorded == "9"
    assert (found.answer, found.differs) == (answer, answer != "9")
    assert (found.decision.rule if found.decision else None, found.samples) == (rule, samples)
    assert (found.of, found.tokens, found.tally.finished) == (9, 100 * samples, samples)
    # All nine had begun at once.
    assert found.in_flight == 9 - samples
    if rule is not None:
        assert f"Samples in flight when the rule fired: {9 - samples};" in " ".join(found.remarks)


def test_what_the_recorded_stop_cancelled_belongs_to_the_same_moment(
    making: Callable[..., Making],
) -> None:
    late = said(5, "6", tokens=7)
    gone = SampleOutcome(sample=4, status="cancelled", tokens=30)
    made = making(samples=9, stop="share:0.75").begin(0, 1, 2, 3, 4, 5)
    made.end(*[said(n, "5") for n in range(4)])
    decision = RuleDecision(rule="share", words="", after=4)
    made.events.append(StopFired(decision=decision))
    record = made.end(late, gone, interrupted=True).record()
    found = revote(record)
    assert found.decision is not None
    assert (found.decision.rule, found.decision.after) == ("share", 4)
    assert found.tally == record.replay()
    assert (found.samples, found.tokens, found.in_flight) == (6, 437, 0)
    # Other rules that fire before: then it is not known what became of those in flight.
    early = revote(record, stop="window:3")
    assert (early.samples, early.tokens, early.in_flight) == (3, 300, 3)
    # Rules that do not fire: what was cancelled is missing, and that is said.
    later = revote(record, stop="beta:0.99")
    assert (later.decision, later.samples, later.answer) == (None, 6, "5")
    assert "Samples that the run itself ended: 1;" in " ".join(later.remarks)
    assert "Planned samples that never began: 3 of 9;" in " ".join(later.remarks)


def test_rules_are_not_asked_while_the_run_was_being_ended(making: Callable[..., Making]) -> None:
    # The user stopped it after three; the fourth had its answer, and would have made share fire.
    made = making(samples=8, stop="share").begin(0, 1, 2, 3, 4)
    made.end(*[said(n, "5") for n in range(3)]).end(said(3, "5"), interrupted=True)
    record = made.end(SampleOutcome(sample=4, status="cancelled"), interrupted=True).record()
    found = revote(record)
    assert (found.decision, found.samples) == (None, 5)
    assert found.tally == record.replay()


def test_lowered_plan_holds_from_where_it_was_lowered(making: Callable[..., Making]) -> None:
    # Of 8 planned, 3 of 5 can be caught; of 6, one to come cannot pass them.
    made = making(samples=8, stop="none").begin(*range(6))
    made.end(*[said(n, a) for n, a in enumerate("55566")])
    made.events.append(PlanChanged(planned=6))
    made.planned = 6
    # The first at which it is certain: 3 to 2 and one to come, a tie that goes by launch index.
    record = made.record()
    found = revote(record)
    assert found.decision is not None
    assert (found.decision.rule, found.samples, found.tally.planned) == ("uncatchable", 5, 6)


def test_blocks_that_nobody_judged_cannot_vote_and_it_is_said(
    making: Callable[..., Making],
) -> None:
    record = making(samples=2, mode="tir").begin(0, 1).end(said(0, "5"), said(1, "6")).record()
    found = revote(record, policy="blocks")
    assert "The run judged no code blocks, so that only its answers vote." in found.remarks
    block = BlockBallot(block=0, ballot=said(0, "6").ballot)  # type: ignore[arg-type]
    with_block = msgspec.structs.replace(said(0, "5"), blocks=(block,))
    made = making(samples=2, mode="blocks").begin(0, 1).end(with_block, said(1, "6"))
    found = revote(made.record(), policy="blocks")
    assert (found.answer, found.tally.candidates[0].count) == ("6", 2)
    assert "last block's under the others" in " ".join(found.remarks)


def test_no_answer_is_not_a_difference(making: Callable[..., Making]) -> None:
    fates = [SampleOutcome(sample=n, status="no-answer") for n in range(2)]
    found = revote(making(samples=2).begin(0, 1).end(*fates).record(), policy="majority")
    assert (found.recorded, found.answer, found.differs) == (None, None, False)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"policy": "loudest"}, "policy is 'loudest', but must be one of weighted, blocks, majo"),
        ({"stop": "share:2"}, "The stop rule share takes a share from 0.5 to 1"),
        ({"stop": "gut"}, "There is no stop rule 'gut'"),
        ({"w_code": 0.5}, "w_code is 0.5, but must be a number from 1 to 10."),
        ({"w_code": float("nan")}, "w_code is nan, but must be"),
        ({"tau": 2}, "tau is 2, but must be a number from 0.5 to 1."),
        ({"min_answers": 0}, "min_answers is 0, but must be"),
    ],
)
def test_setting_that_cannot_be_is_refused_in_a_sentence(
    asked: dict[str, Any], sentence: str, split: Record
) -> None:
    with pytest.raises(UsageError) as caught:
        revote(split, **asked)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    "change",
    [{"stop": "gut"}, {"stop": 3}, {"tau": "x"}, {"policy": "loudest"}],
)
def test_record_that_cannot_be_counted_is_its_own_fault(
    change: dict[str, Any], split: Record
) -> None:
    started = msgspec.structs.replace(split.started, settings=split.started.settings | change)
    broken = msgspec.structs.replace(
        split, started=started, events=(started, *split.events[1:-1]), cut_short=True
    )
    with pytest.raises(RecordError, match=r"cannot be counted \("):
        revote(broken)


@pytest.fixture
def usual(making: Callable[..., Making]) -> Record:
    """Six samples that say 7, recorded under the usual rules; nothing stopped them."""
    return making(samples=9).begin(*range(6)).end(*[said(n, "7") for n in range(6)]).record()


@pytest.mark.parametrize("tau", [2 / 3, 0.75, 0.8, 1.0])
def test_any_share_can_be_asked_for_of_a_run_under_the_usual_rules(
    tau: float, usual: Record
) -> None:
    found = revote(usual, tau=tau)
    # 4 of 4 are more than any share below 1; with 5 of 9 the lossless rule fires.
    assert found.decision is not None
    assert (found.decision.rule, found.samples) == (("share", 4) if tau < 1 else ("uncatchable", 5))


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"stop": "usual,beta:0.9"}, "beta"),
        ({"stop": "usual,beta:0.9", "tau": 0.7}, "beta"),
        ({"stop": "usual,share:0.9", "min_answers": 9}, "share"),
    ],
)
def test_rules_that_cannot_be_with_the_recorded_ones_are_the_options_fault(
    asked: dict[str, Any], rule: str, usual: Record
) -> None:
    with pytest.raises(UsageError, match=f"^The stop rule {rule} is there twice, since usual"):
        revote(usual, **asked)
    # Where a stricter share is asked for too, usual is share alone.
    found = revote(usual, stop="usual,beta:0.9", tau=0.8)
    assert found.decision is not None
    # P(majority) of 3 to 0 is 15/16 = 0.94.
    assert (found.decision.rule, found.samples) == ("beta", 3)


def test_share_that_makes_the_recorded_rules_impossible_is_the_options_fault(
    making: Callable[..., Making],
) -> None:
    made = making(samples=9, stop="usual,beta:0.9", tau=0.8)
    record = made.begin(*range(6)).end(*[said(n, "7") for n in range(6)]).record()
    assert revote(record).samples == 3
    with pytest.raises(UsageError, match=r"^The stop rule beta is there twice, since usual"):
        revote(record, tau=0.7)


def test_recorded_rule_that_cannot_be_is_no_options_fault(split: Record) -> None:
    started = msgspec.structs.replace(
        split.started, settings=split.started.settings | {"stop": "x"}
    )
    broken = msgspec.structs.replace(split, started=started, events=(started, *split.events[1:]))
    with pytest.raises(RecordError, match=r"cannot be counted \(There is no stop rule 'x'"):
        revote(broken, tau=0.7)
    assert revote(broken, stop="lead:2").samples == 2


def test_record_whose_ballots_were_changed_is_refused(split: Record) -> None:
    fewer = (*split.events[:-2], split.events[-1])
    with pytest.raises(RecordError, match="contradicts itself"):
        revote(msgspec.structs.replace(split, events=fewer))


@pytest.mark.usefixtures("jupyter")
def test_run_is_named_by_id_beginning_or_path(split: Record) -> None:
    with RecordWriter(split.started.run_id, print) as writer:
        for event in split.events:
            writer.write(event)
    for run in (split.started.run_id, "2026", writer.path, str(writer.path)):
        assert revote(run).samples == 8
