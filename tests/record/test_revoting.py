"""Voting again over recorded runs: as they were, and as they would have been."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.errors import RecordError, UsageError
from jupyterlab_tir.events import (
    AnyEvent,
    PlanChanged,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    Saved,
    StopFired,
)
from jupyterlab_tir.record import Record, RecordWriter, revote
from jupyterlab_tir.voting import (
    Ballot,
    BlockBallot,
    RuleDecision,
    SampleOutcome,
    apply_rules,
    counting_settings,
    look,
    parse_rules,
    tally,
)


def said(sample: int, answer: str, *, tokens: int = 100, **values: Any) -> SampleOutcome:
    ballot = Ballot(answer=canonical(answer), raw=answer, **{"entropy": 0.0, **values})
    return SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=tokens)


class Making:
    """Makes a record as a run of these settings would write it; samples end as they are given."""

    def __init__(self, started: RunStarted, **values: Any) -> None:
        config = Config(**{"mode": "text", **values})
        self.started = msgspec.structs.replace(started, settings=msgspec.to_builtins(config))
        self.events: list[AnyEvent] = [self.started]
        self.planned = config.samples

    def begin(self, *samples: int) -> Making:
        self.events += [SampleStarted(sample=n, sample_seed=n) for n in samples]
        return self

    def end(self, *outcomes: SampleOutcome, interrupted: bool = False) -> Making:
        self.events += [
            SampleEnded(outcome=o, turns=1, cells=0, interrupted=interrupted) for o in outcomes
        ]
        return self

    def record(self, *, whole: bool = True) -> Record:
        outcomes = [e.outcome for e in self.events if isinstance(e, SampleEnded)]
        policy = counting_settings(self.started.settings).policy_of_run()
        counted = tally(outcomes, planned=self.planned, policy=policy)
        leader = counted.leader
        ended = RunEnded(
            status="answered",
            reason="",
            answer=leader.shown if leader else None,
            tally=counted,
            verdict=None,
            stop=None,
            saved=Saved(not_started=0, cancelled=0, wasted_tokens=0),
        )
        events = [*self.events, *([ended] if whole else [])]
        return Record(
            path=Path("a-run.jsonl"),
            started=self.started,
            events=tuple(msgspec.structs.replace(e, seq=n) for n, e in enumerate(events)),
            cut_short=not whole,
        )


@pytest.fixture
def making(run_started: RunStarted) -> Callable[..., Making]:
    return lambda **values: Making(run_started, **values)


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


def continued(making: Callable[..., Making]) -> Record:
    """Share stopped four of nine that say 5; then six more all say 6."""
    made = making(samples=9, stop="share").begin(0, 1, 2, 3).end(*[said(n, "5") for n in range(4)])
    made.events.append(StopFired(decision=RuleDecision(rule="share", words="", after=4)))
    first = made.record()
    settings = made.started.settings | {"samples": 10, "stop": "none"}
    made.events = [
        *first.events,
        RunContinued(
            created="",
            version="1.2.3",
            planned=10,
            settings=settings,
            sources={},
            server=made.started.server,
            isolation="none",
        ),
    ]
    made.planned = 10
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


def test_run_that_was_cut_short_is_voted_on_as_far_as_it_goes(
    making: Callable[..., Making],
) -> None:
    record = making(samples=8).begin(0, 1, 2).end(said(0, "5"), said(1, "5")).record(whole=False)
    found = revote(record)
    assert (found.answer, found.decision, found.samples, found.in_flight) == ("5", None, 2, 1)
    assert "The record ends before the run did." in found.remarks


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


answers = strategies.sampled_from(["5", "5", "5", "6", "6", "0.3333333333333333", "1/3", "x"])
votes = strategies.builds(
    dict,
    answer=answers,
    entropy=strategies.none() | strategies.sampled_from([0.0, 0.5, 3.0]),
    verification=strategies.sampled_from(["none", "computed", "replayed"]),
)
fates = strategies.lists(
    votes | strategies.sampled_from(["no-answer", "server-lost"]), min_size=1, max_size=16
)
stops = strategies.sampled_from(
    ["share", "share:0.6", "planned:0.5", "beta:0.8", "lead:2,window:3", "none"]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fates=fates,
    stop=stops,
    policy=strategies.sampled_from(["weighted", "majority", "votes-first"]),
    more=strategies.integers(0, 4),
    in_flight=strategies.integers(1, 6),
    chance=strategies.randoms(use_true_random=False),
)
def test_recorded_rules_give_the_recorded_result_and_others_what_they_would_have_given(
    fates: Sequence[Any],
    stop: str,
    policy: str,
    more: int,
    in_flight: int,
    chance: Any,
    making: Callable[..., Making],
) -> None:
    """Runs that are played here, by the voting alone, against what their records say."""
    planned = len(fates) + more
    values: dict[str, Any] = {"samples": planned, "stop": stop, "policy": policy, "mode": "tir"}
    made, counted, decision = played(making(**values), fates, in_flight, chance)
    record = made.record()
    found = revote(record)
    assert found.tally == record.replay() == counted
    assert found.decision == decision
    assert found.differs is False
    assert found.tokens == sum(outcome.tokens for outcome in record.outcomes)
    # Without a stop rule a record of the same samples says the same of every earlier stop.
    free = making(**(values | {"stop": "none"}))
    free.events += [e for e in made.events if isinstance(e, (SampleStarted, SampleEnded))]
    again = revote(free.record(), stop=stop)
    assert again.decision == decision
    if decision is not None:
        assert again.tally.finished == decision.after


def played(
    made: Making, fates: Sequence[Any], in_flight: int, chance: Any
) -> tuple[Making, Any, RuleDecision | None]:
    """Play a run whose samples end by chance, and stop it as its rules say."""
    config = msgspec.convert(made.started.settings, Config)
    policy = counting_settings(config).policy_of_run()
    rules = parse_rules(config.stop, tau=config.tau, min_answers=config.min_answers)
    waiting, running = list(range(len(fates))), []
    outcomes: list[SampleOutcome] = []
    decision = None
    while (waiting or running) and decision is None:
        while waiting and len(running) < in_flight:
            running.append(waiting.pop(0))
            made.begin(running[-1])
        sample = running.pop(chance.randrange(len(running)))
        fate = fates[sample]
        outcomes.append(
            said(sample, **fate)
            if isinstance(fate, dict)
            else SampleOutcome(sample=sample, status=fate, tokens=10)
        )
        made.end(outcomes[-1])
        decision = apply_rules(rules, look(outcomes, planned=config.samples, policy=policy))
    if decision is not None:
        made.events.append(StopFired(decision=decision))
    late = [SampleOutcome(sample=n, status="cancelled", tokens=5) for n in running]
    made.end(*late, interrupted=True)
    return made, tally([*outcomes, *late], planned=config.samples, policy=policy), decision
