"""How soon a stop rule could fire: what each answer can come to at best. Pure: no I/O, no clock.

A rule is *short* of so many samples if it cannot fire before that many more have ended, whatever
they say. Best for an answer is that every sample that ends next is for it, at the highest weight.
Where all ballots are settled and measured, that is what these numbers say, and some completion of
the run fires exactly then. Else they err on the side of too few:

- an answer gets every vote that is not settled (floats, forms of several readings) on top of its
  own, and the others get none of them;
- a missing entropy weighs with the median factor, and that may still move: what holds for some
  factor within its bounds is possible;
- a replay that is not done succeeds for the answer and for nobody else.

So each settled answer has a *least* (its own votes) and a *most* (with all of the above); an answer
that nobody gave yet is tried where there is none. A weight is linear in the factor: its value at
factor 0, and what it gains up to 1. Where sums are compared, one that is not whole is moved by
1e-12 of itself, up for the answer and down for rivals. Rivals are the first two others of those
ranked by their least at factor 0, and at 1 where entropies are missing; the rest are behind them.

`least_more` is the least m from 1 on, at most what is to come, for which some answer makes the rule
possible: by bisection, since what is possible with m stays so with more. For rules that count heads
that is `Heads.after(m)` and `could_lead`: as many heads as any, and more than each rival's least in
what decides first. For the lossless rule it is `could_be_safe`: the answer with m more comes before
every rival that gets all that is left after them.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from .ballots import Ballot, confidence_factor
from .heads import Heads
from .policy import Policy, reader_of
from .rules_look import Look
from .votes import Standing, Vote

_ROUNDING = 1e-12
"""More than rounding can do to a sum of weights, as a part of it."""


class _Place(msgspec.Struct, frozen=True):
    """A standing whose weight depends on the factor that stands in for missing entropies.

    `unmeasured` is what the weight gains if that factor goes from 0 to 1.
    """

    weight: float
    unmeasured: float
    count: int
    code_verified: int
    first: int

    def joined(self, other: _Place) -> _Place:
        return _Place(
            self.weight + other.weight,
            self.unmeasured + other.unmeasured,
            self.count + other.count,
            self.code_verified + other.code_verified,
            min(self.first, other.first),
        )

    def standing(self, usual: float, policy: Policy, more: int, *, at_most: bool) -> Standing:
        """Where it is with so many more of the heaviest samples, rounding on one side."""
        weight = self.weight + usual * self.unmeasured
        if more:
            weight += more * policy.most_a_sample
        if not weight.is_integer():
            weight *= 1 + _ROUNDING if at_most else 1 - _ROUNDING
        verified = self.code_verified + (more if policy.verifiable else 0)
        return Standing(weight, self.count + more, verified, self.first)


class _Factors:
    """The median factor of the ballots that have an entropy, and how it may move."""

    def __init__(self, now: Look, ballots: Iterable[Ballot]) -> None:
        entropies = [ballot.entropy for ballot in ballots]
        self._known = sorted(confidence_factor(h) for h in entropies if h is not None)
        self.missing = now.policy.weighs_entropy and len(self._known) < len(entropies)
        self._moving = self.missing and now.measurable
        self._medians: dict[tuple[int, int], float] = {}

    def after(self, more: int) -> tuple[float, ...]:
        """Least and greatest once so many more samples have ended."""
        if self._moving:
            return (self._median(more, 0), self._median(0, more))
        return (self._median(0, 0),)

    def against_leader(self, more: int, left: int) -> tuple[float, ...]:
        """Bounds of the lower of the two factors that `Uncatchable` tries, after so many more."""
        return (0.0, self._median(left, more)) if self._moving else (self._median(0, 0),)

    def _median(self, zeros: int, ones: int) -> float:
        """Of the known factors with so many of 0 and of 1 added; 1 where there is none."""
        median = self._medians.get((zeros, ones))
        if median is None:
            total = zeros + len(self._known) + ones
            middle = {(total - 1) // 2, total // 2} if total else set()
            factors = [self._at(position - zeros) for position in middle]
            median = self._medians[zeros, ones] = statistics.fmean(factors) if factors else 1.0
        return median

    def _at(self, position: int) -> float:
        if position < 0:
            return 0.0
        return self._known[position] if position < len(self._known) else 1.0


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    """One answer at best: its heads, where it stands at most, and where the next ones at least.

    Where there is no other answer, one that nobody gave yet is the rival.
    """

    now: Look
    factors: _Factors
    heads: Heads
    most: _Place
    rivals: tuple[_Place, ...]

    def could_lead(self, more: int) -> bool:
        """Whether so many more samples could put it first, untied, with as many heads as any."""
        policy = self.now.policy
        if self.heads.count + more < self.heads.second:
            return False
        deciding = reader_of(policy.decided_by)
        return all(
            any(
                deciding(self.most.standing(usual, policy, more, at_most=True))
                > deciding(rival.standing(usual, policy, 0, at_most=False))
                for usual in self.factors.after(more)
            )
            for rival in self.rivals
        )

    def could_be_safe(self, more: int) -> bool:
        """Whether so many more samples could put it out of reach of all that is left then.

        They have the lowest launch indices, and none of those that are left is for it.
        """
        policy, coming = self.now.policy, self.now.coming
        left = len(coming) - more
        if not left:
            return False
        first = min([self.most.first, *coming[:more]])
        return all(
            any(
                policy.rank(self.most.standing(usual, policy, more, at_most=True), first)
                < policy.rank(
                    rival.standing(usual, policy, left, at_most=False),
                    min(rival.first, coming[more]),
                )
                for usual in self.factors.against_leader(more, left)
            )
            for rival in self.rivals
        )


Possible = Callable[[Prospect, int], bool]
"""Whether a rule could fire for an answer if so many more samples end and all are for it."""


def least_more(now: Look, possible: Possible) -> int:
    """Fewest further samples, from 1, with which a rule could fire; at most what is to come."""
    best = len(now.coming)
    for prospect in now.once(prospects) if best > 1 else ():
        if best > 1 and possible(prospect, best - 1):
            best = bisect_left(range(best), True, lo=1, key=partial(possible, prospect))
    return best


def prospects(now: Look) -> tuple[Prospect, ...]:
    """What answers can come to at best: the first one, and those that are not behind it in all."""
    return tuple(_prospects(now))


def _prospects(now: Look) -> Iterator[Prospect]:
    known = _Known(now)
    least = known.least
    counts = sorted((place.count for place in least.values()), reverse=True)
    by_factor = [known.ranked(usual) for usual in ((0.0, 1.0) if known.factors.missing else (0.0,))]
    answered, finished = now.answered, now.finished
    keys: list[str | None] = [*by_factor[0]]
    for key in keys or [None]:
        if key is not None and key != keys[0] and known.behind(key, by_factor[0][0]):
            continue
        most = known.most_of(key)
        has_most = key is not None and least[key].count == counts[0]
        others = {other: None for ranked in by_factor for other in ranked[:2] if other != key}
        yield Prospect(
            now=now,
            factors=known.factors,
            heads=Heads(
                count=most.count,
                second=next(iter(counts[1:] if has_most else counts), 0),
                answered=answered,
                finished=finished,
                planned=now.planned,
                streak=known.streak(key),
            ),
            most=most,
            rivals=tuple(least[other] for other in others)
            or (_Place(0.0, 0.0, 0, 0, now.planned),),
        )


class _Known:
    """The votes of a run by settled answer, and those that may yet be for any."""

    def __init__(self, now: Look) -> None:
        self._now = now
        poll = now.poll
        settled: dict[str, list[Vote]] = defaultdict(list)
        anyones: list[Vote] = []
        for vote in poll.votes:
            answer = vote.ballot.answer
            if poll.settled or answer.is_settled:
                settled[answer.key].append(vote)
            else:
                anyones.append(vote)
        self.factors = _Factors(now, [vote.ballot for vote in poll.votes])
        self._anyones = self._place(anyones, now.replaying)
        if self.factors.missing or anyones or now.replaying:
            self.least = {key: self._place(own, ()) for key, own in settled.items()}
            self._most = self.least
            if now.replaying:
                self._most = {key: self._place(own, now.replaying) for key, own in settled.items()}
        else:
            self.least = self._most = {
                each.key: _Place(each.weight, 0.0, each.count, each.code_verified, each.samples[0])
                for each in now.candidates
            }
        self._streaks, self._streak_of_others = self._count_streaks(settled, anyones)

    def _place(self, votes: Sequence[Vote], replayed: Collection[int]) -> _Place:
        weight = self._now.policy.weight
        verified = [vote.code_verified or vote.sample in replayed for vote in votes]
        # Only where an entropy is missing does the factor that stands in for it play a part.
        at_0, *at_1 = (
            [weight(v, usual=usual, verified=sure) for v, sure in zip(votes, verified, strict=True)]
            for usual in ((0.0, 1.0) if self.factors.missing else (0.0,))
        )
        gains = (high - low for high, low in zip(*at_1, at_0, strict=True)) if at_1 else ()
        return _Place(
            weight=math.fsum(at_0),
            unmeasured=math.fsum(gains),
            count=len({vote.sample for vote in votes}),
            code_verified=len({v.sample for v, sure in zip(votes, verified, strict=True) if sure}),
            first=min((vote.sample for vote in votes), default=self._now.planned),
        )

    def most_of(self, key: str | None) -> _Place:
        """Where an answer stands at most: with its own votes, and those that may be for any."""
        return self._anyones if key is None else self._most[key].joined(self._anyones)

    def ranked(self, usual: float) -> list[str]:
        """Keys in the order in which the policy has what is certain, with this median factor."""
        policy = self._now.policy

        def rank(key: str) -> tuple[float, ...]:
            place = self.least[key]
            return policy.rank(place.standing(usual, policy, 0, at_most=False), place.first)

        return sorted(self.least, key=rank)

    def behind(self, key: str, leader: str) -> bool:
        """Whether an answer, whatever comes, is no sooner there than the leader."""
        most, least = self._most[key], self.least[leader]
        return (
            most.weight <= least.weight
            and most.unmeasured <= least.unmeasured
            and most.count <= least.count
            and most.code_verified <= least.code_verified
            and least.first <= most.first
            and self.streak(key) <= self.streak(leader)
        )

    def streak(self, key: str | None) -> int:
        """Last finished samples in a row that may be for an answer."""
        return self._streaks.get(key, self._streak_of_others)

    def _count_streaks(
        self, settled: Mapping[str, Sequence[Vote]], anyones: Sequence[Vote]
    ) -> tuple[dict[str | None, int], int]:
        said: dict[int, set[str]] = defaultdict(set)
        for key, votes in settled.items():
            for vote in votes:
                said[vote.sample].add(key)
        for_any = {vote.sample for vote in anyones}
        streaks: dict[str | None, int] = {}
        length = of_others = 0
        alive: set[str] | None = None
        for outcome in reversed(self._now.outcomes):
            if not outcome.finished:
                continue
            if outcome.sample not in for_any:
                alive = said[outcome.sample] if alive is None else alive & said[outcome.sample]
                if not alive:
                    break
            length += 1
            if alive is None:
                of_others = length
            else:
                streaks.update(dict.fromkeys(alive, length))
        return streaks, of_others
