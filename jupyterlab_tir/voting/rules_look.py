"""One look at a run, as stop rules see it, and what they answer. Pure: no I/O, no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar

import msgspec

from ..in_words import part_of
from .ballots import LOST, UNFINISHED, SampleOutcome
from .candidates import Candidate
from .policy import Policy
from .votes import Poll

_THRESHOLD: dict[str, str] = {
    "share": "tau",
    "planned": "tau",
    "beta": "p",
    "lead": "k",
    "window": "w",
}
"""Name of a rule's own number among those of its decisions; `uncatchable` has none."""

T = TypeVar("T")

RuleName = Literal["uncatchable", "share", "planned", "beta", "lead", "window"]


class RuleDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Why a run stopped before its plan was done.

    Parameters
    ----------
    rule
        Its name.
    words
        The rule with its numbers, one sentence.
    after
        Samples that had finished when it fired.
    sample
        Launch index of the sample whose end made it fire; None in records that do not say.
    numbers
        What it compared, by name, its threshold too; empty in records that do not say.
    """

    rule: RuleName
    words: str
    after: int
    sample: int | None = None
    numbers: dict[str, float] = {}

    @property
    def spelled(self) -> str:
        """The rule as `--stop` takes it, with its number; the name alone where none is known."""
        number = self.numbers.get(_THRESHOLD.get(self.rule, ""))
        if number is None:
            return self.rule
        short = f"{number:.9g}"
        return f"{self.rule}:{short if float(short) == number else repr(number)}"

    def in_words(self, planned: int) -> str:
        """Say which rule stopped a run of so many samples, when, at which sample, and why.

        Samples are numbered from 1, as wherever people read of them.

        Examples
        --------
        >>> RuleDecision(
        ...     rule="lead", words="5 has 3 samples.", after=3, sample=4, numbers={"k": 3}
        ... ).in_words(16)
        'The rule lead:3 fired after 3 of 16 samples, with sample 5: 5 has 3 samples.'
        """
        which = "" if self.sample is None else f", with sample {self.sample + 1}"
        after = part_of(self.after, planned, "sample")
        fired = f"The rule {self.spelled} fired after {after}{which}"
        return f"{fired}: {self.words}"


class Look(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What has come in, and what may still change; made by `look`.

    All rules share one look, and what each of them would have to work out of it: see `once`.

    Parameters
    ----------
    outcomes
        Samples that ended, in order of finishing, without those that are asked again.
    planned
        Samples that the run means to take.
    policy, poll
        How votes are counted, and the count so far.
    coming
        Launch indices of all samples that may still end: in flight, not launched, asked again.
    replaying
        Samples that ended, whose votes a replay may yet make code-verified.
    measurable
        Whether votes to come may have an entropy; false where the server sends no
        log-probabilities.
    """

    outcomes: tuple[SampleOutcome, ...]
    planned: int
    policy: Policy
    poll: Poll
    coming: tuple[int, ...]
    replaying: frozenset[int]
    measurable: bool

    def once(self, find: Callable[[Look], T]) -> T:
        """What a pure function finds in this look, worked out when it is first asked for."""
        found = self._found
        if find not in found:
            found[find] = find(self)
        answer: T = found[find]
        return answer

    @cached_property
    def _found(self) -> dict[Callable[[Look], Any], Any]:
        return {}

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates so far; the winner comes first."""
        return self.poll.candidates

    @cached_property
    def finished(self) -> int:
        """Samples that concluded on their own, with an answer or without."""
        return sum(outcome.finished for outcome in self.outcomes)

    @cached_property
    def answered(self) -> int:
        """Samples that have a vote."""
        return len({vote.sample for vote in self.poll.votes})

    @property
    def last(self) -> int | None:
        """The last sample that came to an end of its own; None before one has.

        A run that goes on has others behind it, which it cancelled: they made no rule fire.
        """
        ended = (each.sample for each in reversed(self.outcomes) if each.status not in UNFINISHED)
        return next(ended, None)

    @property
    def open(self) -> bool:
        """Whether anything may still change."""
        return bool(self.coming or self.replaying)

    @property
    def leader(self) -> Candidate | None:
        """The candidate that wins so far."""
        return self.candidates[0] if self.candidates else None

    @property
    def agreed_leader(self) -> Candidate | None:
        """The leader, if no other candidate has more samples and it is not tied; else None."""
        leader = self.leader
        if leader is None or self.policy.tied(self.candidates):
            return None
        return leader if leader.count >= self.second_count else None

    @cached_property
    def second_count(self) -> int:
        """Most samples that any candidate but the leader has."""
        return max((each.count for each in self.candidates[1:]), default=0)


def look(
    outcomes: Sequence[SampleOutcome],
    *,
    planned: int,
    policy: Policy,
    retriable: Iterable[int] = (),
    replaying: Iterable[int] = (),
    measurable: bool = True,
) -> Look:
    """Look at a run whose samples have the launch indices from 0 to below `planned`.

    Parameters
    ----------
    outcomes
        What has ended, at most one a sample, in order of finishing.
    retriable
        Samples that the server lost and that will be asked again.

    Raises
    ------
    ValueError
        If a sample is there twice, beyond the plan, or is to be asked again or verified although
        it was not lost or has not ended.
    """
    again, waiting = frozenset(retriable), frozenset(replaying)
    status = {outcome.sample: outcome.status for outcome in outcomes}
    if not status.keys() <= set(range(planned)):
        raise ValueError("a sample ended that was not planned")
    if any(status.get(sample) not in LOST for sample in again):
        raise ValueError("only a sample that the server lost can be asked again")
    if not waiting <= status.keys():
        raise ValueError("only what has ended can be replayed")
    ended = tuple(outcome for outcome in outcomes if outcome.sample not in again)
    return Look(
        outcomes=ended,
        planned=planned,
        policy=policy,
        poll=policy.poll(ended),
        coming=tuple(n for n in range(planned) if n not in status or n in again),
        replaying=waiting,
        measurable=measurable,
    )
