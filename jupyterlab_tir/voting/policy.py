"""What all voting policies share: votes, weights, candidates, their order. No I/O, no clock.

A policy turns outcomes into candidates in these steps (`Policy.poll`), which is all there is to a
tally; the four policies (`policies`) differ in their votes, weights and measures only.

1. *Votes*, in launch order: one for each sample with a ballot; under ``blocks`` followed by those
   of the sample's code blocks (`votes`).
2. *Usual factor*: the median of exp(-H) over the votes that have an entropy H, the mean of the two
   middle ones where their number is even; 1 where none has. It stands in for a missing entropy.
   exp(-H) is at least the smallest normal double, 2.2e-308.
3. *Weight* of each vote: `Policy.weight`.
4. *Candidate* of each vote: `answers.joining.candidate_keys`, over the votes' answers.
5. *Sums*: a candidate's weight is the sum of its votes' weights, and its share that divided by the
   sum over all votes. Both sums are exact and rounded once (`math.fsum`), so that no order of
   adding plays a part. Count and code-verified count are numbers of different samples, the latter
   of those with a code-verified vote for it. The mean entropy is over its votes that have one.
   It is shown as the first of its votes, in launch order, that has its key as first reading.
6. *Order*: by the measures in `decided_by` and then in `ties_by`, the greater first, and then by
   the lowest launch index of its samples, the lower first. Measures compare as doubles, without a
   tolerance. Two candidates are *tied* if they are equal in all of `decided_by`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from operator import attrgetter, neg
from typing import Any, ClassVar, Literal

import msgspec

from .ballots import SampleOutcome, confidence_factor, usual_factor
from .candidates import Candidate, candidate_keys
from .votes import Poll, Standing, Vote, answer_votes, candidate_of

PolicyName = Literal["weighted", "blocks", "majority", "votes-first"]

Measure = Literal["weight", "count", "code_verified"]
"""What candidates are ordered by: fields of `Candidate` and `Standing`, more is better."""

MEASURE_WORDS: dict[Measure, str] = {
    "weight": "weight",
    "count": "count",
    "code_verified": "code-verified count",
}


@cache
def reader_of(measures: tuple[Measure, ...]) -> Callable[[Standing | Candidate], Any]:
    """Return what reads these measures: their tuple, or the one value where it is one measure."""
    return attrgetter(*measures)


class Policy(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What all policies share; each subclass states its formula and where it comes from.

    `weighs_entropy` says whether a vote's entropy plays a part in its weight.

    Parameters
    ----------
    w_code
        Weight of what code verified, from 1 and finite.
    verifiable
        Whether code can verify the votes of samples to come; false where none is run or replayed.

    Raises
    ------
    ValueError
        If `w_code` is below 1 or not finite.
    """

    name: ClassVar[PolicyName]
    decided_by: ClassVar[tuple[Measure, ...]]
    ties_by: ClassVar[tuple[Measure, ...]]
    weighs_entropy: ClassVar[bool]

    w_code: float = 2.0
    verifiable: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.w_code < math.inf:
            raise ValueError(f"w_code is finite and at least 1, not {self.w_code}")

    def weight(self, vote: Vote, *, usual: float, verified: bool) -> float:
        """Weight of a vote: here w_code^[code-verified] · exp(-H).

        Parameters
        ----------
        usual
            Factor that stands in for a missing entropy.
        verified
            Whether to take the vote as code-verified, whatever it says of itself.
        """
        entropy = vote.ballot.entropy
        factor = usual if entropy is None else confidence_factor(entropy)
        return (self.w_code if verified else 1.0) * factor

    @property
    def heaviest_sample(self) -> tuple[float, ...]:
        """Weights of the votes of a sample that weighs as much as one can."""
        return (self._heaviest_vote,)

    @property
    def _heaviest_vote(self) -> float:
        """What one vote can weigh at the most, where code counts for it."""
        return self.w_code if self.verifiable else 1.0

    @cached_property
    def most_a_sample(self) -> float:
        """The highest weight that one sample can still bring to one candidate."""
        return math.fsum(self.heaviest_sample)

    def votes(self, outcomes: Sequence[SampleOutcome]) -> list[Vote]:
        """All votes, in launch order.

        Raises
        ------
        ValueError
            If a sample is there twice.
        """
        return answer_votes(outcomes)

    def candidates(self, outcomes: Sequence[SampleOutcome]) -> tuple[Candidate, ...]:
        """Count and weigh the votes; the winner comes first.

        Examples
        --------
        >>> from jupyterlab_tir.answers import canonical
        >>> from jupyterlab_tir.voting import Ballot
        >>> from jupyterlab_tir.voting.policies import Majority, Weighted
        >>> three, two = ["none"] * 3, ["replayed"] * 2
        >>> ballots = [
        ...     Ballot(answer=canonical(raw), raw=raw, verification=level)
        ...     for raw, level in [*zip("777", three), *zip("99", two)]
        ... ]
        >>> said = [
        ...     SampleOutcome(sample=number, status="answered", ballot=ballot)
        ...     for number, ballot in enumerate(ballots)
        ... ]
        >>> [(c.shown, c.count, c.weight) for c in Weighted().candidates(said)]
        [('9', 2, 4.0), ('7', 3, 3.0)]
        >>> [(c.shown, c.count, c.weight) for c in Majority().candidates(said)]
        [('7', 3, 3.0), ('9', 2, 2.0)]
        """
        return self.poll(outcomes).candidates

    def poll(self, outcomes: Sequence[SampleOutcome]) -> Poll:
        """Count and weigh the votes, and say which candidate each is for.

        Raises
        ------
        ValueError
            If a sample is there twice.
        """
        votes = self.votes(outcomes)
        ballots = [vote.ballot for vote in votes]
        usual = usual_factor(ballots)
        weighed = [self.weight(v, usual=usual, verified=v.code_verified) for v in votes]
        total = math.fsum(weighed)
        settled = all(ballot.answer.is_settled for ballot in ballots)
        keys = [b.answer.key for b in ballots] if settled else candidate_keys(ballots)
        members: dict[str, list[int]] = defaultdict(list)
        for position, key in enumerate(keys):
            members[key].append(position)
        found = [
            candidate_of(key, [votes[p] for p in positions], [weighed[p] for p in positions], total)
            for key, positions in members.items()
        ]
        found.sort(key=lambda candidate: self.rank(candidate, candidate.samples[0]))
        return Poll(
            votes=tuple(votes),
            keys=tuple(keys),
            candidates=tuple(found),
            usual=usual,
            settled=settled,
        )

    def rank(self, standing: Standing | Candidate, first: int) -> tuple[float, ...]:
        """Sort key: the lower comes first. `first` is the lowest launch index of its samples."""
        return (*map(neg, reader_of(self.decided_by + self.ties_by)(standing)), first)

    def tied(self, candidates: Sequence[Candidate]) -> bool:
        """Whether the first two are equal in all that decides, so that a tie-break orders them."""
        if len(candidates) <= 1:
            return False
        first, second = map(reader_of(self.decided_by), candidates[:2])
        return bool(first == second)


def shown_measure(measure: Measure, of: Standing | Candidate) -> str:
    """Write a measure as sentences have it: weights with two digits, counts whole."""
    value = getattr(of, measure)
    return f"{value:.2f}" if measure == "weight" else f"{value:d}"
