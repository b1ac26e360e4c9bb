"""Stop rules by name: are more samples needed? Pure functions of one look at a run.

`parse_rules("share:0.75,beta:0.95")` makes rules, `apply_rules` asks them. The lossless rule
(`rules_uncatchable`) is always among them and asked first. The others stop when consensus is safe
enough; they count heads, and none fires unless the candidate that the policy puts first, without a
tie, is also the one that most samples are for.

Every finished sample is a look, and samples that finish early are short ones, not typical ones: a
threshold here is no error rate. What a rule saves and loses is measured (`benchmarks.stopping`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

import msgspec

from ..config.stop_rules import NumberedRule, parse_stop
from .rules_look import Look, RuleDecision, RuleName
from .rules_uncatchable import Uncatchable

MIN_ANSWERS = 4
"""Answers that the share rule waits for, if nothing else is said."""


class Share(msgspec.Struct, frozen=True):
    """The leader's count is more than `tau` of all finished samples, those without an answer too.

    Samples lost to the server and those that the run ended are no evidence and do not count. It
    waits for `min_answers` samples with a vote: without that, one sample always agrees with itself.
    """

    tau: float
    min_answers: int = MIN_ANSWERS

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while more samples are wanted."""
        leader = now.agreed_leader
        if leader is None or now.answered < self.min_answers:
            return None
        # The quotient, not tau times the samples: 0.57 * 100 is a hair below 57.
        share = leader.count / now.finished
        if not share > self.tau:
            return None
        return _decision(
            now,
            "share",
            f"{leader.count} of {now.finished} finished samples ({share:.0%}) say {leader.shown}: "
            f"more than tau = {self.tau:g}, and the weights agree.",
        )


class Planned(msgspec.Struct, frozen=True):
    """The leader's count is more than `tau` of all planned samples.

    Where each sample has one vote and answers are settled, no other answer can have the greater
    count in the end, since `tau` is 0.5 or more; the weights may still turn.
    """

    tau: float

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while more samples are wanted."""
        leader = now.agreed_leader
        if leader is None or not leader.count / now.planned > self.tau:
            return None
        return _decision(
            now,
            "planned",
            f"{leader.count} of {now.planned} planned samples ({leader.count / now.planned:.0%}) "
            f"say {leader.shown}: more than tau = {self.tau:g}, and the weights agree.",
        )


class Beta(msgspec.Struct, frozen=True):
    """The leader of the top two is the majority of them with posterior probability above `p`.

    With counts a and b of the two, a uniform prior on the leader's part θ of them gives the
    posterior Beta(1 + a, 1 + b), and P(θ > 1/2) = Σ_{i ≤ a} C(a + b + 1, i) / 2^(a + b + 1), here
    in integers. Adaptive-Consistency: Aggarwal et al., "Let's Sample Step by Step"
    (arXiv:2305.11860, the Beta criterion). At 0.95 it needs 4 to 0, 6 to 1, 8 to 2, 9 to 3.

    *Repeated looks.* `p` holds for one look at a number of samples fixed beforehand. This rule
    looks after every sample, and stops at the first lucky streak: of two answers that are equally
    likely, it calls one the majority within 32 samples in 39 % of runs at 0.95 (9 % at 0.99), and
    with ever more samples almost surely. At 60 to 40 it stops for the rarer one in 5.3 % of runs.
    It also says nothing about a third answer, nor of samples that finish late.
    """

    p: float

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while more samples are wanted."""
        leader = now.agreed_leader
        if leader is None:
            return None
        chance = majority_chance(leader.count, now.second_count)
        if not chance > Fraction(self.p):
            return None
        return _decision(
            now,
            "beta",
            f"{leader.shown} has {leader.count} samples and the next answer {now.second_count}: "
            f"the chance that it is the majority of the two is {_shown_chance(chance)}, more than "
            f"p = {self.p:g}, and the weights agree.",
        )


class Lead(msgspec.Struct, frozen=True):
    """The leader's count is `k` or more above every other.

    For two answers of which the right one has the part p > 1/2, Wald's sequential test stops at a
    fixed lead: the odds of being right are (p / (1 - p))^k, whatever the length of the run.
    As a rule for votes: first-to-ahead-by-k, Meyerson et al., "Solving a Million-Step LLM Task with
    Zero Errors" (arXiv:2511.09030).
    """

    k: int

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while more samples are wanted."""
        leader = now.agreed_leader
        if leader is None or leader.count - now.second_count < self.k:
            return None
        return _decision(
            now,
            "lead",
            f"{leader.shown} has {leader.count} samples, {leader.count - now.second_count} more "
            f"than any other answer: a lead of {self.k} was asked for, and the weights agree.",
        )


class Window(msgspec.Struct, frozen=True):
    """The last `w` samples that finished all say what leads.

    A sample without an answer breaks the window; samples lost to the server or ended by the run
    are not in it. Early-Stopping Self-Consistency: Li et al., "Escape Sky-high Cost"
    (arXiv:2401.10480), stop when all answers of a window agree. Their windows follow each other,
    since they sample w at a time; here every finished sample closes one, which stops as soon as
    theirs or sooner, and looks more often.
    """

    w: int

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while more samples are wanted."""
        leader = now.agreed_leader
        last = [outcome.sample for outcome in now.outcomes if outcome.finished][-self.w :]
        if leader is None or len(last) < self.w or not set(last) <= set(leader.samples):
            return None
        words = f"The last {self.w} finished samples all say {leader.shown}, and the weights agree."
        return _decision(now, "window", words)


Rule = Uncatchable | Share | Planned | Beta | Lead | Window


def apply_rules(rules: Sequence[Rule], now: Look) -> RuleDecision | None:
    """Return what the first rule that fires says; None while more samples matter.

    The lossless rule also spares replays that cannot matter; the others are asked only while
    samples are still to come.
    """
    lossless = [rule for rule in rules if isinstance(rule, Uncatchable)]
    others = [rule for rule in rules if not isinstance(rule, Uncatchable)] if now.coming else []
    for rule in (*lossless, *others):
        decision = rule.check(now)
        if decision is not None:
            return decision
    return None


def parse_rules(
    text: str, *, tau: float | None = None, min_answers: int = MIN_ANSWERS
) -> tuple[Rule, ...]:
    """Make rules of ``share:0.75,lead:3``: any of them stops; `Uncatchable` comes first, always.

    Parameters
    ----------
    text
        Names with their numbers, joined by commas; ``none`` alone leaves the lossless rule only.
    tau
        Threshold of a ``share`` that is written without a number; without it, that is refused.
    min_answers
        Answers that ``share`` waits for.

    Raises
    ------
    UsageError
        If a rule is unknown, named twice, or has no number or one that cannot be.

    Examples
    --------
    >>> parse_rules("share:0.75, lead:3")
    (Uncatchable(), Share(tau=0.75, min_answers=4), Lead(k=3))
    >>> parse_rules("none")
    (Uncatchable(),)
    """
    named = [_rule(name, number, min_answers) for name, number in parse_stop(text, tau=tau)]
    return (Uncatchable(), *named)


def _rule(name: NumberedRule, number: float, min_answers: int) -> Rule:
    match name:
        case "share":
            return Share(tau=number, min_answers=min_answers)
        case "planned":
            return Planned(tau=number)
        case "beta":
            return Beta(p=number)
        case "lead":
            return Lead(k=int(number))
        case "window":
            return Window(w=int(number))
    assert_never(name)


def majority_chance(leader: int, second: int) -> Fraction:
    """Chance that the leader is the majority of two answers, after so many samples of each.

    The exact posterior P(θ > 1/2) under Beta(1 + leader, 1 + second).

    Examples
    --------
    >>> majority_chance(4, 0), majority_chance(2, 2)
    (Fraction(31, 32), Fraction(1, 2))
    """
    tosses = leader + second + 1
    term = total = 1
    for heads in range(1, leader + 1):
        term = term * (tosses - heads + 1) // heads
        total += term
    return Fraction(total, 2**tosses)


def _decision(now: Look, rule: RuleName, words: str) -> RuleDecision:
    return RuleDecision(rule=rule, words=words, after=now.finished)


def _shown_chance(chance: Fraction) -> str:
    """Round down to four digits: a chance below 1 is not shown as 1."""
    return f"{math.floor(chance * 10_000) / 10_000:.4f}"
