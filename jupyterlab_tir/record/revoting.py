"""Voting again over a recorded run: another policy, other stop rules, no model.

The samples are taken in the order in which the run counted them, and the rules are asked after each
as the run did. What no record can tell is said, never guessed: what samples would have answered
that the run cancelled or never started, and what those in flight would have cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ..config import read_setting
from ..errors import UsageError
from ..events import AnyEvent, PlanChanged, RunContinued, SampleEnded, SampleStarted
from ..voting import (
    Policy,
    PolicyName,
    Rule,
    RuleDecision,
    SampleOutcome,
    StoppingSettings,
    Tally,
    apply_rules,
    look,
    parse_rules,
    tally,
)
from .moments import asking_places, stopped_at, until_its_end
from .reader import Record, counting_of, locate_record, read_record
from .windows import at_window, require_window

_RULES = ("stop", "tau", "min_answers")


class Revote(msgspec.Struct, frozen=True, kw_only=True):
    """What a recorded run says under other rules.

    Parameters
    ----------
    run, problem
        Id of the run, and the text of its problem.
    policy, stop
        By which policy and stop rules the votes were counted this time.
    recorded, answer
        The answer of the run as it was, and the one of these rules; None where there is none.
    differs
        Whether the two are different candidates.
    decision
        The rule that fired, and when; None where none did before the record's end.
    tally
        The votes at that moment.
    samples, of
        Samples that were counted then, of those whose end is recorded.
    tokens
        What these samples had generated.
    in_flight
        Samples that had begun by then and not ended; what they cost is in no sum.
    remarks
        What a reader of the numbers must know, in words.
    """

    run: str
    problem: str
    policy: PolicyName
    stop: str
    recorded: str | None
    answer: str | None
    differs: bool
    decision: RuleDecision | None
    tally: Tally
    samples: int
    of: int
    tokens: int
    in_flight: int
    remarks: tuple[str, ...]


def revote(
    run: Record | str | Path,
    *,
    policy: str | None = None,
    stop: str | None = None,
    w_code: float | None = None,
    tau: float | None = None,
    min_answers: int | None = None,
    entropy_window: int | None = None,
) -> Revote:
    """Vote again over a recorded run; no server is needed.

    What is not given is as recorded. Of a run that was continued the recorded rules are those of
    its last part, which are asked from its first sample on; rules that are given are asked from the
    run's first sample on, each part with its own plan.

    Parameters
    ----------
    run
        The record, or the run's id, a beginning of that, or the record's path.
    policy, stop, w_code, tau, min_answers
        Settings, as a run takes them. Rules that are stricter than the recorded ones may want more
        samples than there are: the answer is then that of all of them, and `decision` is None.
    entropy_window
        Last tokens of a sample whose mean entropy weighs its vote: the run's own, or one of those
        that its record has, 16 and its doubles; where it is more than any sample has, all tokens.

    Raises
    ------
    UsageError
        If a setting cannot be used as given, or `run` is nothing that names a run.
    RecordError
        If there is no such record, or it cannot be counted, or not with this entropy window.
    """
    given: dict[str, object] = {"policy": policy, "stop": stop, "w_code": w_code, "tau": tau}
    given |= {"min_answers": min_answers, "entropy_window": entropy_window}
    asked = {name: read_setting(name, value) for name, value in given.items() if value is not None}
    record = run if isinstance(run, Record) else read_record(locate_record(run))
    before = record.require_same_tally()
    window = asked.pop("entropy_window", None)
    own = record.started.settings.get("entropy_window")
    if isinstance(window, int) and window != own:
        require_window(record.events, window)
        record = _weighed(record, window)
    try:
        return _Course(record, asked).vote(before)
    except _RefusedError as error:
        raise UsageError(str(error)) from None
    except (msgspec.ValidationError, UsageError, ValueError) as error:
        raise record.uncountable(error) from None


def _weighed(record: Record, window: int) -> Record:
    """The record as if its samples had been weighed by the entropies of this window."""
    events = tuple(
        replace(event, outcome=at_window(event, window))
        if isinstance(event, SampleEnded)
        else event
        for event in record.events
    )
    return replace(record, events=events)


class _RefusedError(Exception):
    """A stop rule that was asked for cannot be; one that was recorded is the record's fault."""


class _Rules(msgspec.Struct, frozen=True):
    """How a part of a run is counted."""

    stop: str
    policy: Policy
    rules: tuple[Rule, ...]
    measurable: bool


def _rules(recorded: Mapping[str, Any], asked: Mapping[str, object]) -> _Rules:
    """How a part with these settings is counted, with those that were asked for in their place.

    Raises
    ------
    _RefusedError
        If the stop rules that were asked for cannot be.
    msgspec.ValidationError, UsageError
        If the recorded ones cannot be, or other settings.
    """
    settings = {**recorded, **asked}
    asking = msgspec.convert(settings, StoppingSettings)
    policy = counting_of(settings).policy_of_run()
    try:
        rules = _parsed(asking)
    except UsageError as error:
        if "stop" not in asked:
            # What "usual" stands for hangs on the others.
            _parsed(msgspec.convert(recorded, StoppingSettings))
        raise _RefusedError(str(error)) from None
    return _Rules(stop=asking.stop, policy=policy, rules=rules, measurable=asking.measurable)


def _parsed(asking: StoppingSettings) -> tuple[Rule, ...]:
    return parse_rules(asking.stop, tau=asking.tau, min_answers=asking.min_answers)


class _Course:
    """A recorded run, gone through again under settings that may be others.

    Parameters
    ----------
    asked
        Settings in the place of recorded ones.
    """

    def __init__(self, record: Record, asked: Mapping[str, object]) -> None:
        self._record = record
        self._asked = asked
        self._settings: Mapping[str, Any] = record.started.settings
        self._planned = counting_of(self._settings).samples
        self._rules = _rules(self._settings, asked)
        self._outcomes: list[SampleOutcome] = []
        self._begun = 0
        # The rules of the parts before the last one were overruled by going on.
        self._overruled = record.continued and not any(name in asked for name in _RULES)
        self._asking = not self._overruled

    def vote(self, before: Tally) -> Revote:
        """Go through the run until a rule fires, or to its end; `before` is the recorded tally."""
        decision, asking = None, asking_places(self._record.events)
        for place, event in enumerate(self._record.events):
            self._take(event)
            if place in asking and self._asking and (decision := self._decide()):
                self._take_what_its_end_brought(place)
                break
        counted = tally(self._outcomes, planned=self._planned, policy=self._rules.policy)
        first, now = before.leader, counted.leader
        in_flight = self._begun - len(self._outcomes)
        return Revote(
            run=self._record.started.run_id,
            problem=self._record.started.problem.text,
            policy=counted.policy,
            stop=self._rules.stop,
            recorded=first.shown if first else None,
            answer=now.shown if now else None,
            differs=(first.key if first else None) != (now.key if now else None),
            decision=decision,
            tally=counted,
            samples=len(self._outcomes),
            of=len(self._record.outcomes),
            tokens=sum(outcome.tokens for outcome in self._outcomes),
            in_flight=in_flight,
            remarks=tuple(self._remarks(decision, counted, in_flight)),
        )

    def _take(self, event: AnyEvent) -> None:
        """Bring the count up to date with one more event."""
        if isinstance(event, SampleStarted):
            self._begun = max(self._begun, event.sample + 1)
        elif isinstance(event, RunContinued):
            self._settings, self._planned = event.settings, event.planned
            # Rules that were asked for hold for all parts.
            kept = self._asked
            if any(name in self._asked for name in _RULES):
                kept = {"stop": self._rules.stop, **self._asked}
            self._rules = _rules(self._settings, kept)
            self._asking = self._asking or event is self._record.begun
        elif isinstance(event, PlanChanged):
            self._planned = event.planned
        elif isinstance(event, SampleEnded):
            self._outcomes.append(event.outcome)
            self._begun = max(self._begun, len(self._outcomes))

    def _decide(self) -> RuleDecision | None:
        now = look(
            self._outcomes,
            planned=self._planned,
            policy=self._rules.policy,
            measurable=self._rules.measurable,
        )
        return apply_rules(self._rules.rules, now)

    def _take_what_its_end_brought(self, place: int) -> None:
        """Where the run itself stopped at this moment, what was in flight ended as recorded.

        Whichever rule it was: the samples in flight are cancelled in the same way.
        """
        events = self._record.events
        if stopped_at(events, place):
            for event in until_its_end(events, place):
                self._take(event)

    def _remarks(self, decision: RuleDecision | None, counted: Tally, in_flight: int) -> list[str]:
        said = list(counted.remarks)
        if self._overruled:
            said.append(
                "The run was continued: the rules of the parts before its last one were overruled "
                "by that, and are not asked."
            )
        if decision is not None and in_flight:
            said.append(
                f"Samples in flight when the rule fired: {in_flight}; their tokens are not in the "
                "sum."
            )
        if decision is None and counted.unfinished:
            said.append(
                f"Samples that the run itself ended: {counted.unfinished}; what they would have "
                "answered is not known."
            )
        if decision is None and self._planned > self._record.launched:
            began = "have not begun yet" if self._record.going_on else "never began"
            said.append(
                f"Planned samples that {began}: {self._planned - self._record.launched} of "
                f"{self._planned}; what they would have answered is not known."
            )
        if self._record.ended is None:
            said.append(self._about_its_end())
        said += self._about_blocks()
        return said

    def _about_its_end(self) -> str:
        """What is to be said of a run that is going on, or whose process was killed."""
        without_end = self._record.launched - len(self._record.outcomes)
        if self._record.going_on:
            return f"The run is still going on: samples without an end so far: {without_end}."
        words = "The record ends before the run did"
        if not without_end:
            return f"{words}."
        return f"{words}: its process was killed, and samples without an end: {without_end}."

    def _about_blocks(self) -> list[str]:
        """What other policies than the recorded one cannot know of code blocks."""
        recorded = self._settings.get("policy", "weighted")
        now = self._rules.policy.name
        if now == recorded or "blocks" not in (now, recorded):
            return []
        mode = self._settings.get("mode")
        if now == "blocks" and not any(outcome.blocks for outcome in self._outcomes):
            return ["The run judged no code blocks, so that only its answers vote."]
        words = (
            "In the mode blocks the answer of a sample is its text's under the policy blocks, and "
            "the last block's under the others: here it is the recorded one."
        )
        return [words] if mode == "blocks" else []
