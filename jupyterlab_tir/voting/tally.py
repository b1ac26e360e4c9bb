"""The tally: ballots by candidate, counted and weighted.

Pure: the same ballots give the same tally, to the bit, in whatever order they came.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from ..answers import joining
from .ballots import LOST, UNFINISHED, Ballot, SampleOutcome, SampleStatus, weights


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A class of equivalent answers and what stands behind it.

    Parameters
    ----------
    key
        Its canonical key.
    shown
        The form to show.
    count, code_verified
        Ballots for it, and those of them that code verified.
    weight, share
        Sum of its ballots' weights, and that as a share of all ballots' weights.
    mean_entropy
        Mean of its ballots' entropies in nats, or None where none has any.
    samples
        Launch indices of its ballots, ascending.
    """

    key: str
    shown: str
    count: int
    code_verified: int
    weight: float
    share: float
    mean_entropy: float | None
    samples: tuple[int, ...]


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
    planned
        Samples that the run meant to take.
    finished
        Samples that concluded on their own, with an answer or without.
    answered, lost, unfinished
        Samples with a ballot; lost to the server; ended by the run itself.
    candidates
        By weight, then count, then code-verified count, then lowest launch index.
    without_ballot
        The rest, by status.
    unmeasured
        Samples whose ballot came without log-probabilities and weighs with the median factor.
    """

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
        """The candidate with the greatest weight."""
        return self.candidates[0] if self.candidates else None

    @property
    def count_leader(self) -> Candidate | None:
        """The candidate with most ballots; the weighted leader, if it is one of them."""
        return max(self.candidates, key=lambda c: c.count, default=None)

    @property
    def tied(self) -> bool:
        """Whether the first two candidates have the same weight."""
        return len(self.candidates) > 1 and self.candidates[0].weight == self.candidates[1].weight

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the numbers must know, in words."""
        said = []
        leader, most = self.leader, self.count_leader
        if self.tied:
            first, second = self.candidates[:2]
            said.append(
                f"{first.shown} and {second.shown} are tied at weight {first.weight:.2f}; "
                "the order is by count, then by code-verified count, then by launch."
            )
        if leader is not None and most is not None and leader.key != most.key:
            said.append(
                f"The weights choose {leader.shown} ({leader.weight:.2f} to {most.weight:.2f}), "
                f"the counts {most.shown} ({most.count} to {leader.count})."
            )
        if self.unmeasured:
            said.append(
                f"{len(self.unmeasured)} of {self.answered} answers came without "
                "log-probabilities and weigh with the median factor."
            )
        return tuple(said)


def candidate_keys(ballots: Sequence[Ballot]) -> list[str]:
    """Candidate of each ballot: its key, or the key that its float or its form stands for."""
    return joining.candidate_keys([ballot.answer for ballot in ballots])


def tally(outcomes: Sequence[SampleOutcome], *, planned: int, w_code: float) -> Tally:
    """Count and weigh the outcomes of a run, finished or not.

    Parameters
    ----------
    outcomes
        At most one a sample, in any order.
    planned
        Samples that the run meant to take.
    w_code
        Weight of a code-verified answer.

    Raises
    ------
    ValueError
        If a sample is there twice.
    """
    ordered = sorted(outcomes, key=lambda outcome: outcome.sample)
    if len({outcome.sample for outcome in ordered}) != len(ordered):
        raise ValueError("a sample ended twice")
    voting = [(o.sample, o.ballot) for o in ordered if o.ballot is not None]
    others: dict[SampleStatus, list[int]] = defaultdict(list)
    for outcome in ordered:
        if outcome.ballot is None:
            others[outcome.status].append(outcome.sample)
    return Tally(
        planned=planned,
        finished=sum(outcome.finished for outcome in ordered),
        answered=len(voting),
        lost=sum(outcome.status in LOST for outcome in ordered),
        unfinished=sum(outcome.status in UNFINISHED for outcome in ordered),
        candidates=_candidates(voting, w_code),
        without_ballot=tuple(
            WithoutBallot(status=status, samples=tuple(samples))
            for status, samples in sorted(others.items())
        ),
        unmeasured=tuple(sample for sample, ballot in voting if ballot.entropy is None),
    )


def _candidates(voting: Sequence[tuple[int, Ballot]], w_code: float) -> tuple[Candidate, ...]:
    ballots = [ballot for _, ballot in voting]
    weighed = weights(ballots, w_code=w_code)
    total = math.fsum(weighed)
    members: dict[str, list[int]] = defaultdict(list)
    for position, key in enumerate(candidate_keys(ballots)):
        members[key].append(position)
    found = []
    for key, positions in members.items():
        weight = math.fsum(weighed[p] for p in positions)
        entropies = [h for p in positions if (h := ballots[p].entropy) is not None]
        found.append(
            Candidate(
                key=key,
                # What joined is shown in the form of the candidate that it joined.
                shown=next(
                    ballots[p].answer.shown for p in positions if ballots[p].answer.key == key
                ),
                count=len(positions),
                code_verified=sum(ballots[p].verification == "replayed" for p in positions),
                weight=weight,
                share=weight / total,
                mean_entropy=math.fsum(entropies) / len(entropies) if entropies else None,
                samples=tuple(voting[p][0] for p in positions),
            )
        )
    found.sort(key=lambda c: (-c.weight, -c.count, -c.code_verified, c.samples[0]))
    return tuple(found)
