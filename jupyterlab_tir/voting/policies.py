"""Voting policies by name: what a vote weighs, and which candidate comes first. No I/O, no clock.

A policy turns the outcomes of a run into votes, weighs them and orders the candidates; the stop
rules (`rules`) ask it also for the most that a sample to come can weigh. Under every policy a
candidate's *count* is the number of samples that vote for it, so that shares of samples stay at
most 1 where one sample has several votes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from operator import attrgetter
from typing import ClassVar, Literal

import msgspec

from ..errors import UsageError
from .ballots import SampleOutcome, confidence_factor, usual_factor
from .candidates import Candidate, candidate_keys
from .votes import Standing, Vote, answer_votes, block_votes, candidate_of

PolicyName = Literal["weighted", "blocks", "majority", "votes-first"]

USUAL_POLICY: PolicyName = "weighted"
"""The policy that counts if nothing else is said, and the one of records that name none."""

Measure = Literal["weight", "count", "code_verified"]
"""What candidates are ordered by: fields of `Candidate` and `Standing`, more is better."""

MEASURE_WORDS: dict[Measure, str] = {
    "weight": "weight",
    "count": "count",
    "code_verified": "code-verified count",
}

MAX_BLOCKS = 8
"""Blocks of one sample that have a vote, if nothing else is said."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
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

    @property
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
        votes = self.votes(outcomes)
        usual = usual_factor(vote.ballot for vote in votes)
        weighed = [self.weight(v, usual=usual, verified=v.code_verified) for v in votes]
        total = math.fsum(weighed)
        members: dict[str, list[int]] = defaultdict(list)
        for position, key in enumerate(candidate_keys([vote.ballot for vote in votes])):
            members[key].append(position)
        found = [
            candidate_of(key, [votes[p] for p in positions], [weighed[p] for p in positions], total)
            for key, positions in members.items()
        ]
        found.sort(key=lambda candidate: self.rank(candidate, candidate.samples[0]))
        return tuple(found)

    def rank(self, standing: Standing | Candidate, first: int) -> tuple[float, ...]:
        """Sort key: the lower comes first. `first` is the lowest launch index of its samples."""
        measures = (*self.decided_by, *self.ties_by)
        return (*(-getattr(standing, measure) for measure in measures), first)

    def tied(self, candidates: Sequence[Candidate]) -> bool:
        """Whether the first two are equal in all that decides, so that a tie-break orders them."""
        deciding = attrgetter(*self.decided_by)
        return len(candidates) > 1 and deciding(candidates[0]) == deciding(candidates[1])


class Weighted(Policy, frozen=True, kw_only=True):
    """One ballot a sample, w = w_code^[code-verified] · exp(-H); the greatest weight wins.

    H is the sample's mean token entropy in nats; where it is missing, the median factor of the
    other ballots stands in. Ties go by count, code-verified count, launch index.

    *Uncatchable* when the leader's settled weight is more than what any other answer can reach with
    w_code from every sample that may still answer, or equal and the tie-breaks are certain.

    After the weighted sum of Wang et al., "Self-Consistency Improves Chain of Thought Reasoning in
    Language Models" (arXiv:2203.11171, section 2): an answer weighs the length-normalised
    probability of its tokens, the exponential of minus their mean surprise. Here the mean entropy,
    which is the expected surprise, takes its place: what happened to be drawn does not count.
    """

    name = "weighted"
    decided_by = ("weight",)
    ties_by = ("count", "code_verified")
    weighs_entropy = True


class Blocks(Policy, frozen=True, kw_only=True):
    """The text's answer weighs 1, each block's final value w_code^[code-verified].

    What a sample brings to a candidate is the sum of its votes for it: with two verified blocks
    that end in what the text says, 1 + 2 · w_code. A value that is a printed literal, or was not
    found again in the replay, weighs 1. Entropy plays no part. Blocks after the first `max_blocks`,
    and those of samples that did not conclude, have no vote. Ties go by count (samples, not votes),
    samples with a code-verified vote, launch index.

    *Uncatchable* as for `weighted`, but a sample to come may bring 1 + max_blocks · w_code: it is
    seldom certain before the last samples.

    The counting of competition solutions that run every block of a reply and let what they print
    vote beside the boxed answer. A value on the way to the answer votes too, and long replies vote
    more: made for comparison.

    Parameters
    ----------
    max_blocks
        Blocks of a sample that have a vote, from 0.

    Raises
    ------
    ValueError
        If `max_blocks` is negative.
    """

    name = "blocks"
    decided_by = ("weight",)
    ties_by = ("count", "code_verified")
    weighs_entropy = False

    max_blocks: int = MAX_BLOCKS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_blocks < 0:
            raise ValueError(f"max_blocks is at least 0, not {self.max_blocks}")

    def weight(self, vote: Vote, *, usual: float, verified: bool) -> float:
        """Weight 1, or w_code where the vote is a block's and code-verified."""
        del usual
        return self.w_code if verified and vote.block is not None else 1.0

    @property
    def heaviest_sample(self) -> tuple[float, ...]:
        """The text's vote and those of all blocks, each code-verified."""
        return (1.0, *[self._heaviest_vote] * self.max_blocks)

    def votes(self, outcomes: Sequence[SampleOutcome]) -> list[Vote]:
        """All votes, in launch order: each sample's answer and then its blocks.

        Raises
        ------
        ValueError
            If a sample is there twice.
        """
        of_blocks = block_votes(outcomes, max_blocks=self.max_blocks)
        # The sort is stable: an answer comes before the blocks of its sample.
        return sorted([*answer_votes(outcomes), *of_blocks], key=attrgetter("sample"))


class Majority(Policy, frozen=True, kw_only=True):
    """One ballot a sample, each of weight 1; the greatest count wins.

    Ties go by code-verified count, launch index.

    *Uncatchable* when the leader's settled count is more than the greatest other count with every
    sample that may still answer added to it, or equal and the tie-breaks are certain.

    Self-consistency: Wang et al., arXiv:2203.11171, section 2; their table 1 finds this unweighted
    sum as good as weighing by normalised probability.
    """

    name = "majority"
    decided_by = ("count",)
    ties_by = ("code_verified",)
    weighs_entropy = False

    def weight(self, vote: Vote, *, usual: float, verified: bool) -> float:
        """Weight 1."""
        del vote, usual, verified
        return 1.0

    @property
    def heaviest_sample(self) -> tuple[float, ...]:
        """One vote of weight 1."""
        return (1.0,)


class VotesFirst(Policy, frozen=True, kw_only=True):
    """One ballot a sample; the greatest count wins, and among equals the greatest weight.

    Weights are those of `Weighted`, w = w_code^[code-verified] · exp(-H); they cannot overrule the
    count. What is equal in both is a tie and goes by code-verified count, launch index.

    *Uncatchable* as for `Majority`, with the weights deciding where the counts could become equal.

    The lexicographic order of the two sums of self-consistency (arXiv:2203.11171, section 2).
    """

    name = "votes-first"
    decided_by = ("count", "weight")
    ties_by = ("code_verified",)
    weighs_entropy = True


def shown_measure(measure: Measure, of: Standing | Candidate) -> str:
    """Write a measure as sentences have it: weights with two digits, counts whole."""
    value = getattr(of, measure)
    return f"{value:.2f}" if measure == "weight" else f"{value:d}"


def policy_named(
    name: str, *, w_code: float = 2.0, max_blocks: int = MAX_BLOCKS, verifiable: bool = True
) -> Policy:
    """Return the policy of a name.

    Parameters
    ----------
    w_code
        Weight of what code verified, from 1.
    max_blocks
        Blocks of a sample that vote under ``blocks``; the other policies do not use it.
    verifiable
        Whether code can verify the votes of samples to come.

    Raises
    ------
    UsageError
        If there is no policy of that name.

    Examples
    --------
    >>> policy_named("votes-first").name
    'votes-first'
    >>> policy_named("blocks", max_blocks=2).most_a_sample
    5.0
    """
    match name:
        case "weighted":
            return Weighted(w_code=w_code, verifiable=verifiable)
        case "blocks":
            return Blocks(w_code=w_code, max_blocks=max_blocks, verifiable=verifiable)
        case "majority":
            return Majority(w_code=w_code, verifiable=verifiable)
        case "votes-first":
            return VotesFirst(w_code=w_code, verifiable=verifiable)
    raise UsageError(
        f"There is no voting policy {name[:40]!r}: "
        "choose weighted, blocks, majority or votes-first."
    )
