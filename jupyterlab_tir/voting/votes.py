"""Votes: ballots with where they are from, as policies weigh them. No I/O, no clock.

Most samples have one vote, their answer. Where code blocks vote for themselves (`policies.Blocks`)
a sample has one more for each block that ended in a value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter

import msgspec

from .ballots import Ballot, SampleOutcome
from .candidates import Candidate


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


class Poll(msgspec.Struct, frozen=True, kw_only=True):
    """All votes of some outcomes as a policy counted them.

    Parameters
    ----------
    votes, keys
        In launch order, and the key of the candidate that each is for.
    candidates
        Counted and weighed; the winner comes first.
    usual
        Factor that stood in for missing entropies.
    settled
        Whether each vote is for its own key, whatever other votes say (`Canonical.is_settled`).
    """

    votes: tuple[Vote, ...]
    keys: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    usual: float
    settled: bool


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
    votes.sort(key=attrgetter("sample"))
    return votes


def block_votes(outcomes: Sequence[SampleOutcome], *, max_blocks: int) -> list[Vote]:
    """One vote for each of the first `max_blocks` blocks of every sample that concluded."""
    votes = [
        Vote(outcome.sample, each.ballot, each.block)
        for outcome in outcomes
        if outcome.finished
        for each in outcome.blocks
        if each.block < max_blocks
    ]
    votes.sort(key=attrgetter("sample", "block"))
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
    samples = tuple(sorted({vote.sample for vote in votes}))
    return Candidate(
        key=key,
        # What joined is shown in the form of the candidate that it joined.
        shown=next(vote.ballot.answer.shown for vote in votes if vote.ballot.answer.key == key),
        count=len(samples),
        code_verified=len({vote.sample for vote in votes if vote.code_verified}),
        weight=weight,
        share=weight / total,
        mean_entropy=math.fsum(entropies) / len(entropies) if entropies else None,
        samples=samples,
    )
