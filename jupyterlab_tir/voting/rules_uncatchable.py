"""The lossless stop rule: whatever may still come, the leader stays. Pure: no I/O, no clock.

`Uncatchable` says what is feared; here is how it is reckoned, for the candidate that leads:

1. Where no sample is to come, each vote is for its candidate. Else votes whose answer is settled
   are, and of the others one
   - that has a float in any reading is *anyone's*; only if it has no second reading and is a float
     of the leader's key (`forms.is_float_of`), it is a rival's with its own key;
   - that has none, and the leader's key as first reading, is the leader's, if a settled vote is;
   - is else a vote of each rival whose key is one of its readings.
2. *Factors* that stand in for missing entropies: the tally's own. Where an entropy is missing, one
   may be measured and samples are to come, two instead: the medians of the known factors with a 0,
   and with a 1, added for each sample to come.
3. The leader's least, for each factor: its votes, verified as they are. With none it is not safe.
4. A rival's most: its votes and those that are anyone's, verified where they are or wait for their
   replay, and `Policy.heaviest_sample` for each sample to come; as many heads more, as many
   code-verified more if the policy is `verifiable`, and the lowest launch index of all of them. So
   for each rival and, while samples are to come, for one without votes. All weights go into one
   exact sum; where there are two factors it is raised by 1e-12 of itself.
5. It fires if the leader's least comes before every most, for each factor, in the policy's order.
   The numbers are those of the closest pair in the first measure that decides, the first of equals:
   by factor, the rival without votes first.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from ..answers import forms
from .ballots import confidence_factor
from .candidates import Candidate
from .policy import MEASURE_WORDS, Policy, shown_measure
from .prospects import Prospect, least_more
from .rules_look import Look, RuleDecision
from .votes import Standing, Vote

_MARGIN = 1 + 1e-12
"""Where factors may move, a rival must be short by more than rounding can do to a sum."""


class Uncatchable(msgspec.Struct, frozen=True):
    """The leader stays in front in every completion of the run, with the same key at the end.

    Everything that may still change is set against the leader, at once:

    - Its own votes are those that are certain: with its exact key, or read as it whatever comes. A
      replay that is not done leaves them unverified.
    - A rival, an answer that is there or a new one, gets the heaviest possible sample from every
      sample in flight, not launched or asked again, with the lowest launch index among them. Its
      votes whose replay is not done are verified. Forms that can be read as it are for it. So are
      floats, whatever they stand for now, unless they are floats of the leader: those can leave it,
      but only for a candidate of their own.
    - A missing entropy weighs with the median factor. That lies between what it becomes if all
      samples to come have factor 0, and if all have factor 1: the leader must hold at both ends,
      and then holds in between, since all weights are linear in it.

    It fires when the leader comes before every rival then, by the policy's own order with all its
    tie-breaks; who it names is the winner of every completion. With exact answers and no entropy
    missing it also fires at every later look, and waits for no sample too many; where one sample to
    come could not do all that is feared, because floats or missing entropies are among the votes,
    it may wait for a few more.
    A plan that is raised later voids it: what it said was about this plan.
    """

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while the leader may still change, and where nothing can change."""
        return now.once(_decide)

    def short(self, now: Look) -> int:
        """Fewest further samples that must end before it can fire; 0 if it fires now.

        It may take more, and never takes fewer. At most what is still to come.
        """
        return 0 if self.check(now) is not None else least_more(now, Prospect.could_be_safe)


def _decide(now: Look) -> RuleDecision | None:
    leader = now.leader
    if leader is None or not now.open:
        return None
    bounds = _Bounds(now, leader)
    pairs: list[tuple[Standing, Standing]] = []
    for usual in bounds.usual_factors:
        least = bounds.least(usual)
        if least is None:
            return None
        for most in bounds.rivals(usual):
            if not _before(now.policy, least, most):
                return None
            pairs.append((least, most))
    least, most = min(pairs, key=lambda pair: _ahead(now.policy, *pair))
    measure = now.policy.decided_by[0]
    return RuleDecision(
        rule="uncatchable",
        words=_words(now, leader.shown, least, most),
        after=now.finished,
        sample=now.last,
        numbers={
            f"least_{measure}": getattr(least, measure),
            f"most_{measure}": getattr(most, measure),
            "coming": len(now.coming),
            "replaying": len(now.replaying),
            "planned": now.planned,
        },
    )


class _Bounds:
    """The least that is certain for the leader, and the most that each rival could get."""

    def __init__(self, now: Look, leader: Candidate) -> None:
        self._now = now
        entropies = [vote.ballot.entropy for vote in now.poll.votes]
        missing = None in entropies
        self._moving = bool(now.coming) and now.measurable and missing
        if self._moving:
            factors = [confidence_factor(entropy) for entropy in entropies if entropy is not None]
            self.usual_factors: tuple[float, ...] = tuple(
                statistics.median(factors + [end] * len(now.coming)) for end in (0.0, 1.0)
            )
        else:
            self.usual_factors = (now.poll.usual,)
        self._leaders: list[Vote] = []
        self._anyones: list[Vote] = []
        self._rivals: dict[str, list[Vote]] = defaultdict(list)
        self._sort_out(leader.key)

    def _sort_out(self, leader: str) -> None:
        poll = self._now.poll
        # When no sample is to come, what each vote is for has been decided.
        decided = poll.settled or not self._now.coming
        unsettled = []
        for vote, key in zip(poll.votes, poll.keys, strict=True):
            if not (decided or vote.ballot.answer.is_settled):
                unsettled.append(vote)
            elif key == leader:
                self._leaders.append(vote)
            else:
                self._rivals[key].append(vote)
        for vote in unsettled:
            answer = vote.ballot.answer
            if any(map(forms.has_float, answer.keys)):
                if not answer.readings and forms.is_float_of(answer.key, leader):
                    self._rivals[answer.key].append(vote)
                else:
                    self._anyones.append(vote)
            elif self._leaders and answer.key == leader:
                # Its first reading is somebody's settled answer, so it is read as that.
                self._leaders.append(vote)
            else:
                for reading in answer.keys:
                    if reading != leader:
                        self._rivals[reading].append(vote)

    def least(self, usual: float) -> Standing | None:
        """Where the leader stands at least; None if no vote of it is certain."""
        if not self._leaders:
            return None
        as_they_are = [(vote, vote.code_verified) for vote in self._leaders]
        return self._standing(as_they_are, usual, coming=())

    def rivals(self, usual: float) -> Iterator[Standing]:
        """Where each rival stands at most, a new answer first."""
        replaying, coming = self._now.replaying, self._now.coming
        if not (coming or self._rivals):
            # Nobody else is there, and nobody comes: whatever is replayed, there is no rival.
            yield Standing(0.0, 0, 0, self._now.planned)
        for own in ([], *self._rivals.values()) if coming else self._rivals.values():
            could = [
                (vote, vote.code_verified or vote.sample in replaying)
                for vote in (*own, *self._anyones)
            ]
            yield self._standing(could, usual, coming=coming)

    def _standing(
        self, votes: Sequence[tuple[Vote, bool]], usual: float, *, coming: Sequence[int]
    ) -> Standing:
        policy = self._now.policy
        weights = [policy.weight(vote, usual=usual, verified=verified) for vote, verified in votes]
        # One exact sum, rounded once as the tally's own are: a sum of sums may fall an ulp short.
        weight = math.fsum([*weights, *policy.heaviest_sample * len(coming)])
        samples = {vote.sample for vote, _ in votes}
        return Standing(
            weight=weight * _MARGIN if self._moving and coming else weight,
            count=len(samples) + len(coming),
            code_verified=len({v.sample for v, verified in votes if verified})
            + (len(coming) if policy.verifiable else 0),
            first=min([*samples, *coming]),
        )


def _before(policy: Policy, leader: Standing, rival: Standing) -> bool:
    return policy.rank(leader, leader.first) < policy.rank(rival, rival.first)


def _ahead(policy: Policy, leader: Standing, rival: Standing) -> float:
    """By how much the leader is ahead in what decides first."""
    measure = policy.decided_by[0]
    return float(getattr(leader, measure) - getattr(rival, measure))


def _words(now: Look, shown: str, least: Standing, most: Standing) -> str:
    measure = now.policy.decided_by[0]
    mine, theirs = getattr(least, measure), getattr(most, measure)
    left = f"{len(now.coming)} of {now.planned} samples still to come"
    if now.replaying:
        left += f" and {len(now.replaying)} to be replayed"
    tie = f"; a tie goes to it by {_tie_break(now.policy, least, most)}" if mine == theirs else ""
    return (
        f"{shown} cannot be caught: its {MEASURE_WORDS[measure]} is at least "
        f"{shown_measure(measure, least)}, and no other answer can pass "
        f"{shown_measure(measure, most)} with {left}{tie}."
    )


def _tie_break(policy: Policy, least: Standing, most: Standing) -> str:
    for measure in (*policy.decided_by[1:], *policy.ties_by):
        mine, theirs = getattr(least, measure), getattr(most, measure)
        if mine != theirs:
            return MEASURE_WORDS[measure]
    return "launch order"
