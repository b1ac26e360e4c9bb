"""Stop rules by name: are more samples needed? Pure functions of one look at a run.

`parse_rules("share:0.75,beta:0.95")` makes rules, `apply_rules` asks them: the lossless rule
(`rules_uncatchable`), which is always among them, first; the others in the order written, and only
while samples are to come. The first that fires decides. A run asks after each sample that ends,
and where its plan changes, with the outcomes so far in order of finishing (`rules_look.look`).

The others count heads (`heads`). They fire where there is an agreed leader and, with its *count*,
the *second*, which is the most samples of any other candidate, the samples that *answered*, which
are those with a vote, that *finished*, and that are *planned*:

- ``share``: answered >= min_answers, and count / finished > tau, both doubles;
- ``planned``: count / planned > tau;
- ``beta``: P > p, P a rational number, and p the rational number that its double is;
- ``lead``: count - second >= k;
- ``window``: streak >= w.

What a rule is *short* of is 0 where it fires now, else what `prospects` finds.

Every finished sample is a look, and samples that finish early are short ones, not typical ones: a
threshold here is no error rate. What a rule saves and loses is measured (`benchmarks.stopping`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, assert_never

import msgspec

from ..config.stop_rules import USUAL_ANSWERS, NumberedRule, parse_stop
from ..in_words import number_of, part_of, percent
from .heads import Heads, leading_heads
from .posterior import is_majority, majority_chance, rounded_down
from .prospects import Prospect, least_more
from .rules_look import Look, RuleDecision, RuleName
from .rules_uncatchable import Uncatchable


class _HeadRule(msgspec.Struct, frozen=True):
    """What rules that count heads share.

    Each says by `holds` whether the heads of an answer are enough. It fires if they are, and the
    answer leads: it is first by the policy, not tied, and no other has more samples.
    """

    name: ClassVar[RuleName]

    def holds(self, heads: Heads) -> bool:
        """Whether these heads are enough; more samples that all say the answer leave it true."""
        raise NotImplementedError

    def _numbers(self, heads: Heads) -> dict[str, float]:
        """What was compared, and the threshold."""
        raise NotImplementedError

    def _words(self, heads: Heads, shown: str) -> str:
        """The rule with its numbers, without the end of the sentence."""
        raise NotImplementedError

    def check(self, now: Look) -> RuleDecision | None:
        """Decide; None while more samples are wanted."""
        leader, heads = now.agreed_leader, now.once(leading_heads)
        if leader is None or heads is None or not self.holds(heads):
            return None
        return RuleDecision(
            rule=self.name,
            words=f"{self._words(heads, leader.shown)}, and the weights agree.",
            after=now.finished,
            sample=now.last,
            numbers=self._numbers(heads),
        )

    def short(self, now: Look) -> int:
        """Fewest further samples that must end before it can fire; 0 if it fires now.

        It may take more, and never takes fewer. At most what is still to come.
        """
        return 0 if self.check(now) is not None else least_more(now, self._could)

    def _could(self, prospect: Prospect, more: int) -> bool:
        return self.holds(prospect.heads.after(more)) and prospect.could_lead(more)


class Share(_HeadRule, frozen=True):
    """The leader's count is more than `tau` of all finished samples, those without an answer too.

    Samples lost to the server and those that the run ended are no evidence and do not count. It
    waits for `min_answers` samples with a vote: without that, one sample always agrees with itself.
    """

    name = "share"

    tau: float
    min_answers: int = USUAL_ANSWERS

    def holds(self, heads: Heads) -> bool:
        """Whether the part of the finished samples is above `tau`."""
        # The quotient, not tau times the samples: 0.57 * 100 is a hair below 57.
        return heads.answered >= self.min_answers and heads.count / heads.finished > self.tau

    def _numbers(self, heads: Heads) -> dict[str, float]:
        share = heads.count / heads.finished
        return {
            "count": heads.count,
            "finished": heads.finished,
            "share": share,
            "tau": self.tau,
            "answered": heads.answered,
            "min_answers": self.min_answers,
        }

    def _words(self, heads: Heads, shown: str) -> str:
        return (
            f"{part_of(heads.count, heads.finished, 'finished sample')} "
            f"({percent(heads.count / heads.finished)}) {_say(heads.count)} {shown}: more than "
            f"tau = {self.tau:g}"
        )


class Planned(_HeadRule, frozen=True):
    """The leader's count is more than `tau` of all planned samples.

    Where each sample has one vote and answers are settled, no other answer can have the greater
    count in the end, since `tau` is 0.5 or more; the weights may still turn.
    """

    name = "planned"

    tau: float

    def holds(self, heads: Heads) -> bool:
        """Whether the part of the planned samples is above `tau`."""
        return heads.count / heads.planned > self.tau

    def _numbers(self, heads: Heads) -> dict[str, float]:
        share = heads.count / heads.planned
        return {"count": heads.count, "planned": heads.planned, "share": share, "tau": self.tau}

    def _words(self, heads: Heads, shown: str) -> str:
        return (
            f"{part_of(heads.count, heads.planned, 'planned sample')} "
            f"({percent(heads.count / heads.planned)}) {_say(heads.count)} {shown}: more than "
            f"tau = {self.tau:g}"
        )


class Beta(_HeadRule, frozen=True):
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

    name = "beta"

    p: float

    def holds(self, heads: Heads) -> bool:
        """Whether the chance of the majority is above `p`."""
        return is_majority(heads.count, heads.second, self.p)

    def _numbers(self, heads: Heads) -> dict[str, float]:
        chance = majority_chance(heads.count, heads.second)
        return {
            "count": heads.count,
            "second": heads.second,
            "chance": rounded_down(chance),
            "p": self.p,
        }

    def _words(self, heads: Heads, shown: str) -> str:
        chance = majority_chance(heads.count, heads.second)
        return (
            f"{shown} has {number_of(heads.count, 'sample')} and the next answer {heads.second}: "
            "the chance "
            f"that it is the majority of the two is {rounded_down(chance):.4f}, more than "
            f"p = {self.p:g}"
        )


class Lead(_HeadRule, frozen=True):
    """The leader's count is `k` or more above every other.

    For two answers of which the right one has the part p > 1/2, Wald's sequential test stops at a
    fixed lead: the odds of being right are (p / (1 - p))^k, whatever the length of the run.
    As a rule for votes: first-to-ahead-by-k, Meyerson et al., "Solving a Million-Step LLM Task with
    Zero Errors" (arXiv:2511.09030).
    """

    name = "lead"

    k: int

    def holds(self, heads: Heads) -> bool:
        """Whether the distance to the second is `k`."""
        return heads.count - heads.second >= self.k

    def _numbers(self, heads: Heads) -> dict[str, float]:
        lead = heads.count - heads.second
        return {"count": heads.count, "second": heads.second, "lead": lead, "k": self.k}

    def _words(self, heads: Heads, shown: str) -> str:
        return (
            f"{shown} has {number_of(heads.count, 'sample')}, {heads.count - heads.second:,} more "
            f"than any other answer: a lead of {self.k} was asked for"
        )


class Window(_HeadRule, frozen=True):
    """The last `w` samples that finished all say what leads.

    A sample without an answer breaks the window; samples lost to the server or ended by the run
    are not in it. Early-Stopping Self-Consistency: Li et al., "Escape Sky-high Cost"
    (arXiv:2401.10480), stop when all answers of a window agree. Their windows follow each other,
    since they sample w at a time; here every finished sample closes one, which stops as soon as
    theirs or sooner, and looks more often.
    """

    name = "window"

    w: int

    def holds(self, heads: Heads) -> bool:
        """Whether the streak is `w` long."""
        return heads.streak >= self.w

    def _numbers(self, heads: Heads) -> dict[str, float]:
        return {"streak": heads.streak, "w": self.w}

    def _words(self, heads: Heads, shown: str) -> str:
        del heads
        return f"The last {self.w} finished samples all say {shown}"


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


def samples_short(rules: Sequence[Rule], now: Look) -> int:
    """Fewest further samples that must end before any of the rules can fire.

    Returns
    -------
    int
        From 1 to what is still to come: a bound from below, which is met where all ballots are
        settled, measured and not waiting for a replay. 0 if a rule fires now or nothing is to come.

    Examples
    --------
    >>> from jupyterlab_tir.voting import look, policy_named
    >>> nobody = look([], planned=16, policy=policy_named("majority"))
    >>> samples_short(parse_rules("share:0.75"), nobody), samples_short(parse_rules("none"), nobody)
    (4, 8)
    """
    return min((rule.short(now) for rule in rules), default=len(now.coming))


def parse_rules(
    text: str, *, tau: float | None = None, min_answers: int = USUAL_ANSWERS
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
    named = [
        _rule(name, number, min_answers)
        for name, number in parse_stop(text, tau=tau, min_answers=min_answers)
    ]
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


def _say(number: int) -> str:
    """What so many samples do."""
    return "says" if number == 1 else "say"
