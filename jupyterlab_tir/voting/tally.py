"""The tally: what a run's samples say, counted by a voting policy.

Pure: the same ballots give the same tally, to the bit, in whatever order they came.

Candidates are those of `Policy.poll`. Beside them are counted: samples that *finished*, whose
status is neither one of `ballots.LOST` nor of `ballots.UNFINISHED`; those of each of these two;
those *answered*, which have a ballot; the others by status, in the order of the statuses' names;
and the *unmeasured*, whose ballot has no entropy. Launch indices are in ascending order everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from ..in_words import part_of
from .ballots import LOST, UNFINISHED, SampleOutcome, SampleStatus
from .candidates import Candidate
from .policies import USUAL_POLICY, policy_named
from .policy import MEASURE_WORDS, Policy, PolicyName, shown_measure


class WithoutBallot(msgspec.Struct, frozen=True, kw_only=True):
    """Samples that ended in the same way without an answer."""

    status: SampleStatus
    samples: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many they are."""
        return len(self.samples)


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """All outcomes so far.

    Parameters
    ----------
    policy
        Name of the policy that counted and ordered them; old records do not name it.
    planned
        Samples that the run meant to take.
    finished
        Samples that concluded on their own, with an answer or without.
    answered, lost, unfinished
        Samples with a ballot; lost to the server; ended by the run itself.
    candidates
        In the policy's order; the winner comes first.
    without_ballot
        The rest, by status.
    unmeasured
        Samples whose ballot came without log-probabilities.
    """

    policy: PolicyName = USUAL_POLICY
    planned: int
    finished: int
    answered: int
    lost: int
    unfinished: int
    candidates: tuple[Candidate, ...]
    without_ballot: tuple[WithoutBallot, ...]
    unmeasured: tuple[int, ...]

    @property
    def leader(self) -> Candidate | None:
        """The candidate that wins so far."""
        return self.candidates[0] if self.candidates else None

    @property
    def count_leader(self) -> Candidate | None:
        """The candidate with most samples; the leader, if it is one of them."""
        return max(self.candidates, key=lambda c: c.count, default=None)

    @property
    def weight_leader(self) -> Candidate | None:
        """The candidate with the greatest weight; the leader, if it is one of them."""
        return max(self.candidates, key=lambda c: c.weight, default=None)

    @property
    def tied(self) -> bool:
        """Whether the first two are equal in all that decides under the policy."""
        return policy_named(self.policy).tied(self.candidates)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the numbers must know, in words."""
        policy = policy_named(self.policy)
        said = [self._tie(policy), self._disagreement()]
        if policy.name != USUAL_POLICY:
            said.insert(0, f"Votes are counted by the policy {policy.name}.")
        if self.unmeasured and policy.weighs_entropy:
            said.append(
                f"{part_of(len(self.unmeasured), self.answered, 'answer')} came without "
                f"log-probabilities and {'weighs' if len(self.unmeasured) == 1 else 'weigh'} with "
                "the median factor."
            )
        return tuple(words for words in said if words)

    def _tie(self, policy: Policy) -> str:
        """Say by what the order is where nothing decides, or an empty string."""
        if not policy.tied(self.candidates):
            return ""
        first, second = self.candidates[:2]
        equal = [f"{MEASURE_WORDS[m]} {shown_measure(m, first)}" for m in policy.decided_by]
        order = [f"by {words}" for words in [*map(MEASURE_WORDS.get, policy.ties_by), "launch"]]
        return (
            f"{first.shown} and {second.shown} are tied at {' and '.join(equal)}; "
            f"the order is {', then '.join(order)}."
        )

    def _disagreement(self) -> str:
        """Say where most samples and the greatest weight are for two, or an empty string."""
        leader, most, heaviest = self.leader, self.count_leader, self.weight_leader
        if leader is None or most is None or heaviest is None:
            return ""
        if leader.key != most.key:
            return (
                f"The weights choose {leader.shown} ({leader.weight:.2f} to {most.weight:.2f}), "
                f"the counts {most.shown} ({most.count} to {leader.count})."
            )
        if leader.key != heaviest.key:
            return (
                f"The counts choose {leader.shown} ({leader.count} to {heaviest.count}), the "
                f"weights {heaviest.shown} ({heaviest.weight:.2f} to {leader.weight:.2f})."
            )
        return ""


def tally(
    outcomes: Sequence[SampleOutcome],
    *,
    planned: int,
    policy: Policy,
    candidates: tuple[Candidate, ...] | None = None,
) -> Tally:
    """Count the outcomes of a run, finished or not.

    Parameters
    ----------
    outcomes
        At most one a sample, in any order.
    planned
        Samples that the run meant to take.
    policy
        How votes weigh and what decides.
    candidates
        The policy's candidates of these outcomes, where they have been counted already.

    Raises
    ------
    ValueError
        If a sample is there twice.
    """
    if candidates is None:
        candidates = policy.candidates(outcomes)
    ordered = sorted(outcomes, key=lambda outcome: outcome.sample)
    voting = [(o.sample, o.ballot) for o in ordered if o.ballot is not None]
    others: dict[SampleStatus, list[int]] = defaultdict(list)
    for outcome in ordered:
        if outcome.ballot is None:
            others[outcome.status].append(outcome.sample)
    return Tally(
        policy=policy.name,
        planned=planned,
        finished=sum(outcome.finished for outcome in ordered),
        answered=len(voting),
        lost=sum(outcome.status in LOST for outcome in ordered),
        unfinished=sum(outcome.status in UNFINISHED for outcome in ordered),
        candidates=candidates,
        without_ballot=tuple(
            WithoutBallot(status=status, samples=tuple(samples))
            for status, samples in sorted(others.items())
        ),
        unmeasured=tuple(sample for sample, ballot in voting if ballot.entropy is None),
    )
