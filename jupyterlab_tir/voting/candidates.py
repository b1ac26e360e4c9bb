"""Candidates: classes of equivalent answers, and which one a ballot is for. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..answers import joining
from .ballots import Ballot


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A class of equivalent answers and what stands behind it.

    Parameters
    ----------
    key
        Its canonical key.
    shown
        The form to show.
    count, code_verified
        Samples that vote for it, and those of them whose vote code verified.
    weight, share
        Sum of its votes' weights, and that as a share of all votes' weights.
    mean_entropy
        Mean of its votes' entropies in nats, or None where none has any.
    samples
        Launch indices of its samples, ascending.
    """

    key: str
    shown: str
    count: int
    code_verified: int
    weight: float
    share: float
    mean_entropy: float | None
    samples: tuple[int, ...]


def candidate_keys(ballots: Sequence[Ballot]) -> list[str]:
    """Candidate of each ballot: its key, or the key that its float or its form stands for."""
    return joining.candidate_keys([ballot.answer for ballot in ballots])
