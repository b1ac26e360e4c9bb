"""Votes: ballots with where they are from, as policies weigh them. No I/O, no clock.

Most samples have one vote, their answer. Where code blocks vote for themselves (`policies.Blocks`)
a sample has one more for each block that ended in a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from .ballots import Ballot, SampleOutcome
from .candidates import Candidate


class BlockBallot(msgspec.Struct, frozen=True, kw_only=True):
    """The vote of one code block's final value.

    Parameters
    ----------
    sample
        Launch index of the sample whose block it is.
    block
        Index of the block in that sample, from 0.
    ballot
        The value as an answer; its verification is that of the value: ``echo`` for a literal that
        the block only repeats, ``replayed`` where a fresh kernel gave it once more.

    Raises
    ------
    ValueError
        If the index of the block is negative.
    """

    sample: int
    block: int
    ballot: Ballot

    def __post_init__(self) -> None:
        if self.block < 0:
            raise ValueError(f"a block's index is at least 0, not {self.block}")


class Vote(msgspec.Struct, frozen=True):
    """A ballot, the sample that it is from, and the block of the sample if it is a block's."""

    sample: int
    ballot: Ballot
    block: int | None = None

    @property
    def code_verified(self) -> bool:
        """Whether code verified it."""
        return self.ballot.verification == "replayed"


class Standing(msgspec.Struct, frozen=True):
    """Where a candidate could stand: what policies order by.

    `first` is the lowest launch index of the samples that vote for it.
    """

    weight: float
    count: int
    code_verified: int
    first: int


def answer_votes(outcomes: Sequence[SampleOutcome]) -> list[Vote]:
    """One vote for each answer, in launch order.

    Raises
    ------
    ValueError
        If a sample is there twice.
    """
    if len({outcome.sample for outcome in outcomes}) != len(outcomes):
        raise ValueError("a sample ended twice")
    votes = [Vote(o.sample, o.ballot) for o in outcomes if o.ballot is not None]
    votes.sort(key=lambda vote: vote.sample)
    return votes


def block_votes(
    outcomes: Sequence[SampleOutcome], blocks: Sequence[BlockBallot], *, max_blocks: int
) -> list[Vote]:
    """One vote for each of the first `max_blocks` blocks of every sample that concluded.

    Raises
    ------
    ValueError
        If a block is there twice.
    """
    concluded = {outcome.sample for outcome in outcomes if outcome.finished}
    if len({(each.sample, each.block) for each in blocks}) != len(blocks):
        raise ValueError("a block ended twice")
    votes = [
        Vote(each.sample, each.ballot, each.block)
        for each in blocks
        if each.sample in concluded and each.block < max_blocks
    ]
    votes.sort(key=lambda vote: (vote.sample, vote.block))
    return votes


def candidate_of(
    key: str, votes: Sequence[Vote], weighed: Sequence[float], total: float
) -> Candidate:
    """Sum up the votes of one candidate; its count is that of samples, not of votes.

    Parameters
    ----------
    votes, weighed
        Its votes in launch order, and the weight of each.
    total
        Weight of all votes of the run.
    """
    weight = math.fsum(weighed)
    entropies = [h for vote in votes if (h := vote.ballot.entropy) is not None]
    return Candidate(
        key=key,
        # What joined is shown in the form of the candidate that it joined.
        shown=next(vote.ballot.answer.shown for vote in votes if vote.ballot.answer.key == key),
        count=len({vote.sample for vote in votes}),
        code_verified=len({vote.sample for vote in votes if vote.code_verified}),
        weight=weight,
        share=weight / total,
        mean_entropy=math.fsum(entropies) / len(entropies) if entropies else None,
        samples=tuple(sorted({vote.sample for vote in votes})),
    )
