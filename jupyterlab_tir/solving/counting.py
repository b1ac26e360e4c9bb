"""Counting a run: its outcomes, their tally, and what the stop rules say. No I/O, no clock.

Each change is looked at once: the tally, the rules and the schedule share the look.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec

from ..config import Config
from ..events import RunStatus, SampleEnded, Saved
from ..voting import (
    LOST,
    RuleDecision,
    SampleOutcome,
    Tally,
    apply_rules,
    counting_settings,
    look,
    parse_rules,
    samples_short,
    tally,
)
from ..voting.rules_look import Look
from .context import Ending

_MOST_CHARS = 200


class Count:
    """What has come of a run so far; only `add` and `lower` change it.

    Attributes
    ----------
    outcomes
        What has ended, in order of finishing.
    planned
        Samples that the run means to take.
    """

    def __init__(self, config: Config, earlier: Sequence[SampleOutcome] = ()) -> None:
        self.outcomes: list[SampleOutcome] = [*earlier]
        self._earlier = len(earlier)
        self.planned = config.samples
        self._lowered = ""
        self._look: Look | None = None
        self._short: int | None = None
        self._deadline_s = config.deadline
        self._policy = counting_settings(config).policy_of_run()
        self._rules = parse_rules(config.stop, tau=config.tau, min_answers=config.min_answers)
        # That a server has sent none so far does not say what it sends with the next sample.
        self._measurable = config.top_logprobs > 0

    def add(self, outcome: SampleOutcome) -> None:
        """Take one more outcome; those of a run come in order of finishing."""
        self.outcomes.append(outcome)
        self._changed()

    def lower(self, planned: int, words: str) -> None:
        """Plan fewer samples from here on; what has begun stands. `words` say why, a sentence."""
        self.planned = planned
        self._lowered = words
        self._changed()

    def _changed(self) -> None:
        self._look = self._short = None

    @property
    def _now(self) -> Look:
        if self._look is None:
            self._look = look(
                self.outcomes,
                planned=self.planned,
                policy=self._policy,
                measurable=self._measurable,
            )
        return self._look

    def tally(self) -> Tally:
        """Count by the run's policy."""
        return tally(
            self.outcomes,
            planned=self.planned,
            policy=self._policy,
            candidates=self._now.candidates,
        )

    def decide(self) -> RuleDecision | None:
        """Ask the run's stop rules; None while more samples matter."""
        return apply_rules(self._rules, self._now)

    def short(self) -> int:
        """The least number of further samples that must finish before a rule can fire."""
        if self._short is None:
            self._short = samples_short(self._rules, self._now)
        return self._short

    @property
    def added(self) -> int:
        """Samples that ended here; those of an earlier run that goes on are left out."""
        return len(self.outcomes) - self._earlier

    @property
    def all_lost(self) -> bool:
        """Whether the server lost every one of them so far."""
        return all(outcome.status in LOST for outcome in self.outcomes[self._earlier :])

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
        finished = [outcome.tokens for outcome in self.outcomes if outcome.finished]
        not_started = self.planned - launched
        return Saved(
            not_started=not_started,
            cancelled=len(cancelled),
            wasted_tokens=sum(outcome.tokens for outcome in cancelled),
            saved_tokens_estimated=round(not_started * statistics.fmean(finished))
            if finished
            else None,
        )

    def status(
        self, counted: Tally, ending: Ending, stop: RuleDecision | None
    ) -> tuple[RunStatus, str]:
        """How the run ended, and in words why; where the plan was lowered, that as well."""
        status, words = self._status(counted, ending, stop)
        return status, f"{words} {self._lowered}".rstrip()

    def _status(
        self, counted: Tally, ending: Ending, stop: RuleDecision | None
    ) -> tuple[RunStatus, str]:
        if ending == "user":
            return "stopped", "Stopped by the user; what had finished is kept."
        if ending == "deadline":
            return "deadline", f"Its {self._deadline_s:g} s were over."
        added = self.outcomes[self._earlier :]
        lost = next((outcome for outcome in added if outcome.status in LOST), None)
        if lost is not None and not any(outcome.finished for outcome in added):
            which = " that was added" if self._earlier else ""
            return "server-lost", f"The server lost every sample{which}: {lost.reason}"
        if counted.leader is None:
            which = " that counts" if self.unexpected else ""
            words = f"None of {counted.finished} finished samples gave an answer{which}."
            if counted.finished == 1:
                words = f"The one finished sample gave no answer{which}."
            return "no-answer", words
        if stop is not None:
            return "answered", stop.in_words(self.planned)
        begun = " that had begun" if self._lowered else ""
        samples = "The one sample" if self.planned == 1 else f"All {self.planned} samples"
        return "answered", f"{samples}{begun} ended."


def too_late(ended: SampleEnded) -> SampleEnded:
    """Take the vote from a sample that concluded after a stop rule had fired, in whatever moment.

    The rule spoke of the ballots that it saw: with others the answer might be one that it did not
    name, and which others there are would hang on how many happened to land at once.
    """
    outcome = ended.outcome
    if not outcome.finished:
        return ended
    words = "Cancelled: a stop rule had fired before its end was counted."
    if outcome.ballot is not None:
        words += f" Its answer was {outcome.ballot.raw[:_MOST_CHARS]}"
    return msgspec.structs.replace(
        ended,
        title=f"sample {outcome.sample + 1}: cancelled",
        detail=words,
        outcome=SampleOutcome(
            sample=outcome.sample, status="cancelled", reason=words, tokens=outcome.tokens
        ),
    )
