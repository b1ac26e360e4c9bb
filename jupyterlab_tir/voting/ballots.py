"""What one sample brings to the vote: a ballot, or the reason why it has none. No I/O, no clock."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

import msgspec

from ..answers.canonical import Canonical

Verification = Literal["none", "echo", "computed", "replayed"]
"""How far code stands behind an answer.

``none``: no cell's final value is the answer. ``echo``: one is, but it is a printed literal.
``computed``: one is, and it comes out of a computation. ``replayed``: the sample's cells, run again
in a fresh kernel with other seeds, end in it; every face calls this *code-verified*, and it alone
weighs `w_code`.
"""

SampleStatus = Literal[
    "answered",
    "no-answer",
    "unexpected-answer",
    "token-limit",
    "turn-limit",
    "context",
    "malformed-reply",
    "kernel-failed",
    "server-lost",
    "request-refused",
    "deadline",
    "cancelled",
]
"""How a sample ended. Everything but ``answered`` carries a reason in words and no ballot.

``unexpected-answer``: it concluded, with an answer of another kind or beyond the range asked for.
"""

LOST: frozenset[SampleStatus] = frozenset({"server-lost", "request-refused"})
"""Samples that the server lost: they say nothing about the problem and count in no share."""

UNFINISHED: frozenset[SampleStatus] = frozenset({"deadline", "cancelled"})
"""Samples that the run ended before they could conclude: they count in no share either."""


class Ballot(msgspec.Struct, frozen=True, kw_only=True):
    """One sample's vote.

    Parameters
    ----------
    answer
        The answer as mathematics; its key names the candidate.
    raw
        The answer as the sample wrote it.
    verification
        How far code stands behind it.
    verification_reason
        Why it stands no higher, in words; empty for ``replayed``.
    entropy
        Mean token entropy in nats of what the sample generated (a lower bound: see
        `backend.logprobs`), or None where the server sent no log-probabilities.
    tokens
        Tokens that the sample generated.

    Raises
    ------
    ValueError
        If the entropy is negative or not finite.
    """

    answer: Canonical
    raw: str
    verification: Verification = "none"
    verification_reason: str = ""
    entropy: float | None = None
    tokens: int = 0

    def __post_init__(self) -> None:
        if self.entropy is not None:
            confidence_factor(self.entropy)


class BlockBallot(msgspec.Struct, frozen=True, kw_only=True):
    """The vote of one code block's final value.

    Parameters
    ----------
    block
        Index of the block in its sample, from 0.
    ballot
        The value as an answer; its verification is that of the value: ``echo`` for a literal that
        the block only repeats, ``replayed`` where a fresh kernel gave it once more.

    Raises
    ------
    ValueError
        If the index of the block is negative.
    """

    block: int
    ballot: Ballot

    def __post_init__(self) -> None:
        if self.block < 0:
            raise ValueError(f"a block's index is at least 0, not {self.block}")


class SampleOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How sample number `sample` (launch index, from 0) ended.

    Parameters
    ----------
    status, reason
        How, and in words why where it did not answer.
    ballot
        Its answer's vote.
    blocks
        The votes of its code blocks, for policies under which blocks vote.
    tokens
        Tokens that it generated.

    Raises
    ------
    ValueError
        If it has a ballot without an answer or the reverse, or a block ended twice.
    """

    sample: int
    status: SampleStatus
    reason: str = ""
    ballot: Ballot | None = None
    blocks: tuple[BlockBallot, ...] = ()
    tokens: int = 0

    def __post_init__(self) -> None:
        if (self.ballot is not None) != (self.status == "answered"):
            raise ValueError("a sample has a ballot exactly when its status is 'answered'")
        if len({each.block for each in self.blocks}) != len(self.blocks):
            raise ValueError("a block ended twice")

    @property
    def finished(self) -> bool:
        """Whether it concluded on its own, with an answer or without."""
        return self.status not in LOST and self.status not in UNFINISHED


@lru_cache(maxsize=4096)
def confidence_factor(entropy: float) -> float:
    """Weight factor exp(-H) of a mean token entropy H in nats, in (0, 1].

    Examples
    --------
    >>> confidence_factor(0.0)
    1.0
    >>> round(confidence_factor(0.6931471805599453), 12)
    0.5
    """
    if not 0 <= entropy < math.inf:
        raise ValueError(f"an entropy is finite and at least 0, not {entropy}")
    # Beyond 745 nats the exponential is 0, and a ballot must weigh something to have a share.
    return max(math.exp(-entropy), sys.float_info.min)


def usual_factor(ballots: Iterable[Ballot]) -> float:
    """Stand in for missing log-probabilities: the others' median factor, 1 if none has any."""
    factors = [confidence_factor(b.entropy) for b in ballots if b.entropy is not None]
    return statistics.median(factors) if factors else 1.0
