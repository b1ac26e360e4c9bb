"""Stop rules and ramps on arrays of counts: many runs at once, whose ballots all weigh 1.

A rule is one function here: how many more samples it needs at the least, namely if each of them
answers what the leader says. It fires where that is none. What it says of one run is what
`jupyterlab_tir.voting` says of the same outcomes; a test holds them together.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from fractions import Fraction

import msgspec
import numpy as np
from numpy.typing import NDArray

from .stopping_pools import Numbers

Flags = NDArray[np.bool_]

MIN_ANSWERS = 4
NEVER = 10**6
"""Stands for "no number of samples is enough"."""
ALL_AT_ONCE = "all"
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
    streak
        Last samples in a row that gave the leader's answer.
    """

    leader: Numbers
    second: Numbers
    answered: Numbers
    finished: Numbers
    streak: Numbers


Short = Callable[[Counts, int], Numbers]
"""From counts and the number of planned samples to how many more a rule needs; at 0 it fires."""


def uncatchable(highest_weight: int) -> Short:
    """Leader + m > second + highest_weight * (planned - finished - m)."""

    def short(counts: Counts, planned: int) -> Numbers:
        left = planned - counts.finished
        behind = highest_weight * left + counts.second - counts.leader
        more: Numbers = behind // (highest_weight + 1) + 1
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


def majority_probability(leader: int, second: int) -> Fraction:
    """P(theta > 1/2) for theta ~ Beta(1 + leader, 1 + second), exactly.

    >>> majority_probability(4, 0), majority_probability(3, 0)
    (Fraction(31, 32), Fraction(15, 16))
    """
    trials = leader + second + 1
    return Fraction(sum(math.comb(trials, k) for k in range(leader + 1)), 2**trials)


def beta(probability: Fraction) -> Short:
    """P(the leader of the top two is the majority) > probability, on a uniform prior."""
    if not 0 < probability < 1:
        raise ValueError(f"a probability between 0 and 1, not {probability}")
    enough = np.array(
        [
            next(a for a in range(b, NEVER) if majority_probability(a, b) > probability)
            for b in range(64)
        ]
    )

    def short(counts: Counts, planned: int) -> Numbers:
        del planned
        return enough[counts.second] - counts.leader

    return short


def lead(ahead: int) -> Short:
    """Leader + m - second >= ahead."""

    def short(counts: Counts, planned: int) -> Numbers:
        del planned
        return ahead - (counts.leader - counts.second)

    return short


def window(size: int) -> Short:
    """The last `size` samples gave the leader's answer."""

    def short(counts: Counts, planned: int) -> Numbers:
        del planned
        return size - counts.streak

    return short


def rule_named(text: str, *, min_answers: int = MIN_ANSWERS, highest_weight: int = 1) -> Short:
    """Build a rule, or several with commas between them; the lossless one is always there.

    Parameters
    ----------
    text
        ``share:0.75``, ``planned:0.75``, ``beta:0.95``, ``lead:4``, ``window:5`` or ``none``.
    min_answers
        Ballots that `share` waits for.
    highest_weight
        What a sample still to come may weigh at the most, for `uncatchable`.

    Raises
    ------
    ValueError
        If there is no such rule.
    """
    sure = uncatchable(highest_weight)
    own = [_one_rule(part, min_answers) for part in text.split(",") if part != "none"]

    def short(counts: Counts, planned: int) -> Numbers:
        least = functools.reduce(np.minimum, [rule(counts, planned) for rule in [sure, *own]])
        needed: Numbers = np.maximum(least, 0)
        return needed

    return short


def _one_rule(text: str, min_answers: int) -> Short:
    name, _, number = text.partition(":")
    if name == "share":
        return share(Fraction(number), min_answers)
    if name == "planned":
        return share_of_planned(Fraction(number))
    if name == "beta":
        return beta(Fraction(number))
    if name == "lead":
        return lead(int(number))
    if name == "window":
        return window(int(number))
    raise ValueError(f"no rule {text!r}: share:T, planned:T, beta:P, lead:K, window:W or none")


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
