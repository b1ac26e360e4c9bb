"""Stop rules: can more samples still matter? Pure functions of the outcomes so far.

Two rules. The *lossless* rule is always on: it stops when no completion of the run could change
the winner. The *share* rule stops when consensus is safe enough: it counts heads, over every
sample that finished, those without an answer too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec

from .ballots import Ballot, SampleOutcome, confidence_factor
from .tally import candidate_keys, tally


class StopDecision(msgspec.Struct, frozen=True, kw_only=True):
    """Why a run stopped before its plan was done.

    Parameters
    ----------
    rule
        ``uncatchable`` (lossless) or ``share``.
    words
        The rule with its numbers, one sentence.
    after
        Samples that had finished when it fired.
    """

    rule: Literal["uncatchable", "share"]
    words: str
    after: int


def share_rule(
    outcomes: Sequence[SampleOutcome],
    *,
    planned: int,
    w_code: float,
    tau: float,
    min_answers: int,
) -> StopDecision | None:
    """Stop when the leader's count is more than `tau` of all finished samples.

    Samples lost to the server and those that the run ended are no evidence and do not count. It
    needs `min_answers` ballots, and a weighted leader that most ballots are for as well.

    Parameters
    ----------
    tau
        Threshold of the share, from 0.5 to 1; the share must be above it.
    """
    now = tally(outcomes, planned=planned, w_code=w_code)
    leader, most = now.leader, now.count_leader
    if leader is None or most is None or now.answered < min_answers:
        return None
    # The quotient, not tau times the samples: 0.57 * 100 is a hair below 57.
    if leader.key != most.key or now.tied or not leader.count / now.finished > tau:
        return None
    return StopDecision(
        rule="share",
        words=(
            f"{leader.count} of {now.finished} finished samples "
            f"({leader.count / now.finished:.0%}) say {leader.shown}: more than tau = {tau:g}, "
            "and the weights agree."
        ),
        after=now.finished,
    )


def lossless_rule(
    outcomes: Sequence[SampleOutcome], *, planned: int, w_code: float
) -> StopDecision | None:
    """Stop when the leader cannot be caught, whatever the samples that are left answer.

    The bound leans against the leader in everything that may still change. Its weight is what is
    settled: ballots with a measured entropy and its own key. A rival may still get `w_code` from
    every sample that has not ended, its unmeasured ballots at factor 1, and every ballot that is a
    float or can be read in two ways, since one more answer can decide which candidate it is for.
    """
    left = planned - len(outcomes)
    now = tally(outcomes, planned=planned, w_code=w_code)
    leader = now.leader
    if left <= 0 or leader is None:
        return None
    settled = math.fsum(
        _least(ballot, w_code)
        for outcome in outcomes
        if (ballot := outcome.ballot) is not None and ballot.answer.key == leader.key
    )
    rival = _best_rival(outcomes, leader.key, w_code, left)
    if not settled > rival:
        return None
    return StopDecision(
        rule="uncatchable",
        words=(
            f"{leader.shown} cannot be caught: its weight is at least {settled:.2f}, and no other "
            f"answer can pass {rival:.2f} with {left} of {planned} samples still to come."
        ),
        after=now.finished,
    )


def _least(ballot: Ballot, w_code: float) -> float:
    if ballot.entropy is None or not ballot.answer.is_settled:
        return 0.0
    return (w_code if ballot.verification == "replayed" else 1.0) * confidence_factor(
        ballot.entropy
    )


def _most(ballot: Ballot, w_code: float) -> float:
    factor = 1.0 if ballot.entropy is None else confidence_factor(ballot.entropy)
    return (w_code if ballot.verification == "replayed" else 1.0) * factor


def _best_rival(outcomes: Sequence[SampleOutcome], leader: str, w_code: float, left: int) -> float:
    ballots = [outcome.ballot for outcome in outcomes if outcome.ballot is not None]
    anyones = [_most(b, w_code) for b in ballots if not b.answer.is_settled] + [w_code] * left
    own: dict[str, list[float]] = defaultdict(list)
    for ballot, key in zip(ballots, candidate_keys(ballots), strict=True):
        if ballot.answer.is_settled and key != leader:
            own[key].append(_most(ballot, w_code))
    # One exact sum, rounded once as the tally's own are: a sum of sums may fall an ulp short.
    return max(math.fsum(each + anyones) for each in [*own.values(), []])


def decide(
    outcomes: Sequence[SampleOutcome],
    *,
    planned: int,
    w_code: float,
    share: bool,
    tau: float,
    min_answers: int,
) -> StopDecision | None:
    """Apply the lossless rule and, if `share`, the share rule; None while more samples matter."""
    if len(outcomes) >= planned:
        return None
    stop = lossless_rule(outcomes, planned=planned, w_code=w_code)
    if stop is None and share:
        stop = share_rule(
            outcomes, planned=planned, w_code=w_code, tau=tau, min_answers=min_answers
        )
    return stop
