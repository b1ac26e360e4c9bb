"""Counting a run: its outcomes, their tally, and what the stop rules say. No I/O, no clock."""

from __future__ import annotations

from ..config import Config
from ..events import RunStatus, Saved
from ..voting import (
    LOST,
    RuleDecision,
    SampleOutcome,
    Tally,
    apply_rules,
    look,
    parse_rules,
    policy_named,
    tally,
)
from .context import Ending


class Count:
    """What has come of a run so far; only `add` changes it."""

    def __init__(self, config: Config) -> None:
        self.outcomes: list[SampleOutcome] = []
        self._planned = config.samples
        self._deadline_s = config.deadline
        self._policy = policy_named(config.policy, w_code=config.w_code)
        self._rules = parse_rules(config.stop, tau=config.tau, min_answers=config.min_answers)
        # That a server has sent none so far does not say what it sends with the next sample.
        self._measurable = config.top_logprobs > 0

    def add(self, outcome: SampleOutcome) -> None:
        """Take one more outcome; those of a run come in order of finishing."""
        self.outcomes.append(outcome)

    def tally(self) -> Tally:
        """Count by the run's policy."""
        return tally(self.outcomes, planned=self._planned, policy=self._policy)

    def decide(self) -> RuleDecision | None:
        """Ask the run's stop rules; None while more samples matter."""
        now = look(
            self.outcomes,
            planned=self._planned,
            policy=self._policy,
            measurable=self._measurable,
        )
        return apply_rules(self._rules, now)

    @property
    def all_lost(self) -> bool:
        """Whether the server lost every sample so far."""
        return all(outcome.status in LOST for outcome in self.outcomes)

    @property
    def unexpected(self) -> list[SampleOutcome]:
        """Samples with an answer that was not asked for, in launch order."""
        found = [each for each in self.outcomes if each.status == "unexpected-answer"]
        return sorted(found, key=lambda outcome: outcome.sample)

    @property
    def tokens(self) -> int:
        """Tokens generated."""
        return sum(outcome.tokens for outcome in self.outcomes)

    def saved(self, launched: int) -> Saved:
        """Say what ending early was worth, when so many samples had begun."""
        cancelled = [o for o in self.outcomes if o.status in ("cancelled", "deadline")]
        return Saved(
            not_started=self._planned - launched,
            cancelled=len(cancelled),
            wasted_tokens=sum(outcome.tokens for outcome in cancelled),
        )

    def status(
        self, counted: Tally, ending: Ending, stop: RuleDecision | None
    ) -> tuple[RunStatus, str]:
        """How the run ended, and in words why."""
        if ending == "user":
            return "stopped", "Stopped by the user; what had finished is kept."
        if ending == "deadline":
            return "deadline", f"Its {self._deadline_s:g} s were over."
        if counted.lost and not counted.finished:
            first = next(outcome for outcome in self.outcomes if outcome.status in LOST)
            return "server-lost", f"The server lost every sample: {first.reason}"
        if counted.leader is None:
            which = " that counts" if self.unexpected else ""
            words = f"None of {counted.finished} finished samples gave an answer{which}."
            return "no-answer", words
        if stop is not None:
            return "answered", stop.words
        return "answered", f"All {self._planned} samples ended."
