"""The four voting policies by name: votes, weights, what decides. No I/O, no clock.

What they share is in `policy`. With w_code the weight of what code verified, and H a vote's mean
token entropy in nats:

=============  ==========================  ==================================  =================
policy         votes                       a vote weighs                       decided by
=============  ==========================  ==================================  =================
`Weighted`     answers                     w_code^[code-verified] · exp(-H)    weight
`Majority`     answers                     1                                   count
`VotesFirst`   answers                     w_code^[code-verified] · exp(-H)    count, weight
`Blocks`       answers, and first          answer 1; block w_code^[code-       weight
               `max_blocks` blocks of      verified]
               samples that concluded
=============  ==========================  ==================================  =================

Ties go by count, code-verified count and launch index; by those of them, that is, which did not
decide already. A block is one of the first if its index is below `max_blocks`; it votes also where
its sample concluded without an answer. A vote is *code-verified* if its ballot's verification is
``replayed``.

Stop rules ask also for the most that a sample to come can weigh, `Policy.heaviest_sample`: one vote
of weight w_code, or of 1 where code cannot verify (`verifiable`); 1 under ``majority``; a vote of
1 and `max_blocks` of such weight under ``blocks``. Under every policy a candidate's *count* is that
of samples, so that shares of samples stay at most 1 where one sample has several votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from ..errors import UsageError
from .ballots import SampleOutcome
from .policy import Policy, PolicyName
from .votes import Vote, answer_votes, block_votes

__all__ = [
    "MAX_BLOCKS",
    "USUAL_POLICY",
    "Blocks",
    "Majority",
    "Policy",
    "PolicyName",
    "VotesFirst",
    "Weighted",
    "policy_named",
]

USUAL_POLICY: PolicyName = "weighted"
"""The policy that counts if nothing else is said, and the one of records that name none."""

MAX_BLOCKS = 8
"""Blocks of one sample that have a vote, if nothing else is said."""


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
