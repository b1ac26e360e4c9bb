"""Stop rules and ramps on arrays of counts: many runs at once, whose ballots all weigh 1.

A rule is one function here: how many more samples it is short of. It fires where that is none. What
it says of one run is what `jupyterlab_tir.voting` says of the same outcomes; a test holds them
together.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

import msgspec
import numpy as np
from numpy.typing import NDArray

from jupyterlab_tir.config import Config
from jupyterlab_tir.config.stop_rules import NumberedRule, parse_stop
from jupyterlab_tir.voting.posterior import majority_chance

from .stopping_pools import Numbers

Flags = NDArray[np.bool_]

NEVER = 10**6
"""Stands for "no number of samples is enough"."""
ALL_AT_ONCE = "all"
_USUAL = Config()
_RAMP = re.compile(
    r"(?:(?P<first>\d+)\+(?P<rate>\d+(?:/\d+)?)(?:@(?P<after>\d+))?"
    r"|need(?:\*(?P<times>\d+(?:/\d+)?))?(?:\+(?P<more>\d+))?)"
)


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Where runs stand: one number a run.

    Parameters
    ----------
    leader, second
        Ballots of the first two candidates.
    answered, finished
        Samples with a ballot, and all that count, those without an answer too.
    last, beside, streak
        Ballots for what the last sample answered, the most for any other answer, and how many of
        the last samples in a row answered it; 0 and 0 of the first and last if it had no answer.
    leader_first, second_first, coming_first
        Lowest launch indices: of the leader's samples, of those of the others that have as many
        ballots as the second, and of what is to come. The number of planned samples, if none.
    """

    leader: Numbers
    second: Numbers
    answered: Numbers
    finished: Numbers
    last: Numbers
    beside: Numbers
    streak: Numbers
    leader_first: Numbers
    second_first: Numbers
    coming_first: Numbers


Short = Callable[[Counts, int], Numbers]
"""From counts and the number of planned samples to how many more a rule needs; at 0 it fires."""


def uncatchable(highest_weight: int) -> Short:
    """Leader + h m > second + h (planned - finished - m), or equal and before it.

    What may come weighs h at the most. Equal weight is more ballots, unless all weigh 1: then it
    goes by launch index, and what comes next has the lowest of all that is to come.
    """

    def short(counts: Counts, planned: int) -> Numbers:
        left = planned - counts.finished
        behind = highest_weight * left + counts.second - counts.leader
        equal = -(-behind // (2 * highest_weight))
        if highest_weight > 1:
            return equal
        coming = np.where(equal > 0, planned, counts.coming_first)
        mine = np.where(equal > 0, counts.coming_first, planned)
        mine = np.minimum(mine, counts.leader_first)
        tie_lost = (2 * equal == behind) & (mine >= np.minimum(coming, counts.second_first))
        more: Numbers = equal + tie_lost
        return more

    return short


def share(tau: Fraction, min_answers: int) -> Short:
    """(leader + m) / (finished + m) > tau, in whole numbers."""
    above, whole = tau.numerator, tau.denominator

    def short(counts: Counts, planned: int) -> Numbers:
        del planned
        if above >= whole:
            return np.full_like(counts.leader, NEVER)
        below = whole - above
        more: Numbers = (above * counts.finished - whole * counts.leader) // below + 1
        return np.maximum(more, min_answers - counts.answered)

    return short


def share_of_planned(tau: Fraction) -> Short:
    """(leader + m) / planned > tau."""

    def short(counts: Counts, planned: int) -> Numbers:
        return math.floor(tau * planned) + 1 - counts.leader

    return short


def beta(probability: float) -> Short:
    """P(the leader of the top two is the majority) > probability, on a uniform prior."""

    @functools.cache
    def enough(planned: int) -> Numbers:
        """Ballots that the leader needs, for each number of the second's."""
        needed = [0]
        for second in range(planned // 2 + 1):
            leader = max(second, needed[-1])
            while majority_chance(leader, second) <= Fraction(probability):
                leader += 1
            needed.append(leader)
        return np.array(needed[1:])

    def short(counts: Counts, planned: int) -> Numbers:
        more: Numbers = enough(planned)[counts.second] - counts.leader
        return more

    return short


def lead(ahead: int) -> Short:
    """Leader + m - second >= ahead."""

    def short(counts: Counts, planned: int) -> Numbers:
        del planned
        return ahead - (counts.leader - counts.second)

    return short


def window(size: int, highest_weight: int) -> Short:
    """The last `size` samples gave one answer, and it has more ballots than any other.

    Where what comes may weigh more than 1, it leads as soon as it has as many.
    """

    def short(counts: Counts, planned: int) -> Numbers:
        del planned
        behind = counts.beside - counts.last
        lead = behind + ((behind == 0) | (highest_weight == 1))
        # Or they all give the leader's answer from now on.
        return np.minimum(np.maximum(size - counts.streak, lead), size)

    return short


def rule_named(
    text: str, *, min_answers: int = _USUAL.min_answers, highest_weight: int = 1
) -> Short:
    """Build a rule, or several with commas between them; the lossless one is always there.

    Parameters
    ----------
    text
        ``share:0.75``, ``planned:0.75``, ``beta:0.95``, ``lead:4``, ``window:5`` or ``none``.
    min_answers
        Ballots that `share` waits for.
    highest_weight
        What a sample still to come may weigh at the most.

    Raises
    ------
    UsageError
        If there is no such rule.
    """
    named = parse_stop(text, tau=_USUAL.tau, min_answers=min_answers)
    rules = [
        uncatchable(highest_weight),
        *(_one_rule(*each, min_answers, highest_weight) for each in named),
    ]

    def short(counts: Counts, planned: int) -> Numbers:
        least = functools.reduce(np.minimum, [rule(counts, planned) for rule in rules])
        return np.clip(least, 0, planned - counts.finished)

    return short


def _one_rule(name: NumberedRule, number: float, min_answers: int, highest_weight: int) -> Short:
    # As written: 0.7 as a float is a hair below seven of ten.
    written = Fraction(str(number))
    match name:
        case "share":
            return share(written, min_answers)
        case "planned":
            return share_of_planned(written)
        case "beta":
            return beta(number)
        case "lead":
            return lead(int(number))
        case "window":
            return window(int(number), highest_weight)
    assert_never(name)


DEFAULT_RAMP = f"need*{Fraction(str(_USUAL.ahead))}"
"""That of runs: `ahead` places for each sample that the rules are short of."""

Ramp = Callable[[Numbers, Numbers, int], Numbers]
"""From how many each run's rule is short, samples that finished, and the cap, to places."""


def ramp_named(text: str) -> Ramp:
    """Build a ramp: how many samples may be in flight.

    ``4+1`` starts with four and adds one place for each sample that finishes, ``4+1/2`` one for
    every two; ``4+1@3`` adds none for the first three. ``need`` has as many places as the rule
    needs samples at the least, ``need*2`` twice as many, ``need+2`` two more. ``all``: the cap.

    Raises
    ------
    ValueError
        If there is no such ramp.
    """
    if text == ALL_AT_ONCE:
        return lambda _short, finished, cap: np.full_like(finished, cap)
    found = _RAMP.fullmatch(text)
    if found is None:
        raise ValueError(f"no ramp {text!r}: all, 4+1, 4+1/2, 4+1@4, need, need*2 or need+2")
    if found["first"]:
        first, rate, after = int(found["first"]), Fraction(found["rate"]), int(found["after"] or 0)

        def by_finished(short: Numbers, finished: Numbers, cap: int) -> Numbers:
            del short
            grown = np.maximum(finished - after, 0) * rate.numerator // rate.denominator
            places: Numbers = np.minimum(first + grown, cap)
            return places

        return by_finished
    times, more = Fraction(found["times"] or 1), int(found["more"] or 0)

    def by_need(short: Numbers, finished: Numbers, cap: int) -> Numbers:
        del finished
        return np.clip(-(-short * times.numerator // times.denominator) + more, 1, cap)

    return by_need
