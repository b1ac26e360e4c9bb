"""How many samples rules are short of: tried out on every completion of every small run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.answers.canonical import Canonical
from jupyterlab_tir.voting import (
    Ballot,
    BlockBallot,
    SampleOutcome,
    apply_rules,
    look,
    parse_rules,
    samples_short,
)
from jupyterlab_tir.voting.policies import Blocks, Majority, Policy, VotesFirst, Weighted
from jupyterlab_tir.voting.rules import Beta, Lead, Planned, Rule, Share, Window
from jupyterlab_tir.voting.rules_look import Look
from jupyterlab_tir.voting.rules_uncatchable import Uncatchable

THIRD = "0.3333333333333333"
PAIR = Canonical(key="s:(q:1,q:2)", shown="x = 1, y = 2", form="structure")

State = tuple[tuple[int, str], ...]
"""Launch index and fate of each sample that ended, in order of finishing."""


@cache
def ballot(fate: str) -> Ballot:
    """Read `5!` as code-verified, `5?` as unmeasured, `5~` as of entropy 1, `pair` as itself."""
    raw = fate.rstrip("!?~")
    return Ballot(
        answer=PAIR if raw == "pair" else canonical(raw),
        raw=raw,
        verification="replayed" if "!" in fate else "none",
        entropy=None if "?" in fate else 1.0 if "~" in fate else 0.0,
    )


@cache
def outcome(sample: int, fate: str) -> SampleOutcome:
    """Make one of a status, or an answer with the values of blocks after colons."""
    if fate in ("no-answer", "server-lost"):
        return SampleOutcome(sample=sample, status=fate)  # type: ignore[arg-type]
    text, *values = fate.split(":")
    blocks = tuple(BlockBallot(block=b, ballot=ballot(each)) for b, each in enumerate(values))
    return SampleOutcome(sample=sample, status="answered", ballot=ballot(text), blocks=blocks)


class Tried:
    """Every run of a plan: whether a rule fires in it, and how soon it can."""

    def __init__(
        self, rule: Rule, policy: Policy, planned: int, fates: Sequence[str], *, any_order: bool
    ) -> None:
        self.rule, self.policy, self.planned = rule, policy, planned
        self._fates, self._any_order = fates, any_order
        self.least: dict[State, int] = {}
        self._visit(())

    def at(self, state: State) -> Look:
        outcomes = [outcome(sample, fate) for sample, fate in state]
        return look(outcomes, planned=self.planned, policy=self.policy)

    def _visit(self, state: State) -> int:
        ended = {sample for sample, _ in state}
        coming = [n for n in range(self.planned) if n not in ended]
        following = coming if self._any_order else coming[:1]
        later = [
            1 + self._visit((*state, (sample, fate)))
            for sample in following
            for fate in self._fates
        ]
        fires = bool(coming) and self.rule.check(self.at(state)) is not None
        self.least[state] = 0 if fires else min(later, default=0)
        return self.least[state]

    def misses(self) -> tuple[Counter[str], list[State]]:
        """Compare with what the rule says; fail where it promises too much."""
        counts: Counter[str] = Counter()
        early = []
        for state, least in self.least.items():
            short = self.rule.short(self.at(state))
            assert short <= least, (state, short, least)
            assert (short == 0) == (least == 0), (state, short, least)
            counts[str(least)] += 1
            if short < least:
                early.append(state)
        return counts, early


HEAD_RULES: list[Rule] = [
    Share(0.5, 2),
    Share(0.75, 4),
    Share(1.0, 2),
    Planned(0.5),
    Planned(0.75),
    Beta(0.5),
    Beta(0.9),
    Lead(1),
    Lead(3),
    Window(2),
    Window(3),
]
UNIT_WEIGHTS: list[Policy] = [
    Weighted(w_code=1.0),
    Majority(),
    VotesFirst(w_code=1.0),
    Blocks(max_blocks=0),
]
FATES = ["2", "9", "no-answer", "server-lost"]


@pytest.mark.parametrize("rule", HEAD_RULES, ids=str)
@pytest.mark.parametrize("policy", UNIT_WEIGHTS, ids=lambda policy: policy.name)
def test_some_completion_fires_exactly_when_a_rule_says_it_can(rule: Rule, policy: Policy) -> None:
    counts, early = Tried(rule, policy, 5, FATES, any_order=False).misses()
    assert early == []
    assert len(counts) >= 2, "an empty proof proves nothing"


@pytest.mark.parametrize("rule", [*HEAD_RULES, Uncatchable()], ids=str)
def test_order_of_finishing_changes_nothing_of_that(rule: Rule) -> None:
    for policy in (Weighted(verifiable=False), Majority(verifiable=False)):
        _, early = Tried(rule, policy, 4, ["2", "9", "no-answer"], any_order=True).misses()
        assert early == []


@pytest.mark.parametrize(
    "policy",
    [
        Weighted(),
        Weighted(w_code=1.0),
        Weighted(verifiable=False),
        Majority(),
        VotesFirst(),
        Blocks(max_blocks=1),
    ],
    ids=repr,
)
def test_leaders_are_safe_exactly_when_they_can_be(policy: Policy) -> None:
    fates = ["2!:2!", "9!:9!"] if policy.name == "blocks" else ["2!", "9!", "2"]
    if not policy.verifiable:
        fates = ["2", "9"]
    counts, early = Tried(Uncatchable(), policy, 4, [*fates, "no-answer"], any_order=True).misses()
    assert early == []
    assert len(counts) >= 3


# Votes that can move, weights that decide otherwise than heads, blocks: never too late.
MIXED = [
    (Weighted(), ["2", "2!", "9~", "9!", "no-answer"]),
    (Weighted(w_code=1.2), ["2", "9!", "9?", "2~", "2?!"]),
    (VotesFirst(), ["2!", "9", "2?", "9~"]),
    (Weighted(), ["1/3", THIRD, "2!", "2"]),
    (Majority(), ["pair", "(1, 2)", "2", "no-answer"]),
    (Blocks(max_blocks=2), ["2:2!:9!", "9:9!", "2", "9:2"]),
    (Blocks(max_blocks=1), ["1/3:" + THIRD, THIRD, "2:1/3!", "2"]),
]


@pytest.mark.parametrize("rule", [*HEAD_RULES, Uncatchable()], ids=str)
@pytest.mark.parametrize(("policy", "fates"), MIXED)
def test_no_completion_fires_before_a_rule_says_it_can(
    rule: Rule, policy: Policy, fates: list[str]
) -> None:
    tried = Tried(rule, policy, 4, fates, any_order=False)
    tried.misses()
    assert len(set(tried.least.values())) > 1


def short(rule: Rule, *fates: str, planned: int = 100, policy: Policy | None = None) -> int:
    outcomes = [outcome(number, fate) for number, fate in enumerate(fates)]
    return rule.short(look(outcomes, planned=planned, policy=policy or Weighted()))


class TestByHand:
    def test_share(self) -> None:
        # 4 answers; then (2 + 5) / (4 + 5) is the first above 3/4, and 7/8 of 8 fires now.
        assert short(Share(0.75, 4)) == 4
        assert short(Share(0.75, 4), "no-answer") == 4  # 4/5
        assert short(Share(0.75, 4), "2", "2", "9", "9") == 5
        assert short(Share(0.75, 4), *"22222227") == 0
        assert short(Share(0.75, 6), "2", "2", "2", "2") == 2

    def test_answer_that_leads_must_also_have_the_weight(self) -> None:
        # 9 has two heads of 2, 2 has three of 1: 2 needs two more of weight 2 to be above 4, which
        # makes 5 of 7, and a share of 3/4 takes two more than that: 7 of 9.
        assert short(Share(0.75, 4), "9!", "9!", "2", "2", "2") == 4
        assert short(Share(0.75, 4), "9!", "2", "2", "2", "9!") == 4
        assert short(Share(0.6, 4), "9!", "9!", "2", "2", "2") == 1  # 3 + 2 > 4, and 4 of 6
        assert short(Share(0.5, 4), "9!", "9!", "9!", "2", "2", "2", "2") == 2  # 4 + 2 + 2 > 6

    def test_planned(self) -> None:
        assert short(Planned(0.75), "2", "2", "9", planned=32) == 23  # 25 of 32
        assert short(Planned(0.75), "9", "8", "7", planned=8) == 5  # out of reach: all to come

    def test_beta(self) -> None:
        assert short(Beta(0.95)) == 4
        assert short(Beta(0.95), "2", "9") == 5  # 6 to 1
        assert short(Beta(0.95), "2", "2", "2", "9", "9") == 5  # 8 to 2

    def test_lead(self) -> None:
        assert short(Lead(4), "2", "2", "2", "9") == 2

    def test_window_is_short_of_what_the_streak_lacks_and_of_the_lead(self) -> None:
        assert short(Window(5), "2", "2") == 3
        assert short(Window(5), "2", "no-answer") == 5
        # 9 has the streak, but 3 heads to 5; at weight 2, 3 + 2 · 2 is more than 5.
        assert short(Window(3), *"22222999", policy=Majority()) == 3
        assert short(Window(3), *"22222999") == 2
        assert short(Window(3), *"222999") == 1
        assert short(Window(3), *"22299", "server-lost", "9") == 1
        # 9 has the greater weight, but 4 heads to 6.
        assert short(Window(2), *["2"] * 6, *["9!"] * 4) == 2

    def test_uncatchable(self) -> None:
        # 3 + 2 is more than 2 + 2 with 4 to come; at weight 2, 3 + 4 against 2 + 2 · 2.
        plain = Weighted(verifiable=False)
        assert short(Uncatchable(), *"222995"[:5], "no-answer", planned=10, policy=plain) == 2
        assert short(Uncatchable(), *"22299", "no-answer", planned=10) == 2
        assert short(Uncatchable(), planned=16, policy=plain) == 8  # a tie goes by launch
        assert short(Uncatchable(), "2", "2", "2", planned=6, policy=plain) == 0

    def test_missing_entropies_weigh_the_same_for_all(self) -> None:
        # The median factor may become 0, and then only what is to come weighs: 8 of 16, a tie.
        assert short(Uncatchable(), planned=20) == 10
        assert short(Uncatchable(), "2?", "2?", "2?", "9?", planned=20) == 8
        assert short(Share(0.75, 4), "2?", "2?", "2?", "9?") == 1
        assert short(Share(0.6, 4), "9!?", "9!?", "2?", "2?", "2?") == 1

    def test_median_factor_may_fall_or_rise(self) -> None:
        # 7 ballots for 2 weigh by the median of 1, 1, 1: with 3 to come it may fall to 1/2, and
        # 3.5 is less than 1 + 3 · 2. One of them for 2 keeps it at 1, and 7 + 2 is more than 1 + 4.
        fates = ["9", "8", "7", *["2?"] * 7]
        assert short(Uncatchable(), *fates, planned=13) == 1
        assert short(Uncatchable(), *fates, "2!", planned=13) == 0
        # 10 ballots for 2 weigh by the median of 6 factors 1/e and 4 factors 1: 3.7, to 8 of 9.
        # Two more of factor 1 raise it to 0.68: 6.8 + 2 · 2.
        fates = [*["7~"] * 6, *["9!"] * 4, *["2?"] * 10]
        assert short(Lead(1), *fates) == 2
        assert short(Lead(1), *fates, "2!", "2!") == 0

    def test_votes_that_are_not_settled_may_join_any_answer(self) -> None:
        # The rule does not ask of what they are floats.
        assert short(Share(0.9, 4), *[THIRD] * 4, "2") == 1
        assert short(Share(0.75, 4), "2", "2", *[THIRD] * 2) == 1
        outcomes = ["2", THIRD, THIRD, THIRD]
        assert short(Lead(3), *outcomes) == 1


def test_nothing_to_come_is_short_of_nothing() -> None:
    for rule in (*HEAD_RULES, Uncatchable()):
        assert short(rule, "2", "9", planned=2) == 0


def test_last_sample_is_always_enough() -> None:
    for rule in (*HEAD_RULES, Uncatchable()):
        assert short(rule, "2", "9", "7", planned=4) == 1


def test_first_rule_that_could_fire_counts() -> None:
    now = look([], planned=16, policy=Weighted())
    assert samples_short(parse_rules("share:0.75,lead:3,window:5"), now) == 3
    assert (
        samples_short(parse_rules("window:9"), now) == 8
    )  # out of reach before the window is full
    assert samples_short(parse_rules("none"), look([], planned=1, policy=Weighted())) == 1


def test_replays_that_are_not_done_may_succeed() -> None:
    # 2 has 4 heads of 7, and weighs 4 to 6: with one more 6, and with its replays 10.
    outcomes = [outcome(n, fate) for n, fate in enumerate([*["9!"] * 3, *["2"] * 4])]
    without = look(outcomes, planned=9, policy=Weighted())
    assert Share(0.5, 4).short(without) == 2
    waiting = look(outcomes, planned=9, policy=Weighted(), replaying=[3, 4, 5, 6])
    assert Share(0.5, 4).short(waiting) == 1


fates = strategies.sampled_from(
    ["2", "2", "2", "2!", "2~", "9", "9!", "9?", "1/3", THIRD, "(1, 2)", "no-answer", "server-lost"]
)
policies = strategies.sampled_from(
    [Weighted(), Weighted(w_code=1.3), Weighted(verifiable=False), Majority(), VotesFirst()]
)
texts = strategies.sampled_from(
    ["none", "share:0.75", "share:0.5", "planned:0.6", "beta:0.8", "lead:2", "window:3"]
)


@settings(deadline=None)
@given(
    strategies.lists(fates, max_size=12),
    strategies.integers(0, 4),
    texts,
    policies,
    strategies.data(),
)
def test_nothing_fires_before_it_can_in_longer_runs(
    described: list[str], left: int, text: str, policy: Policy, data: Any
) -> None:
    planned = len(described) + left
    if not policy.verifiable:
        described = [fate.replace("!", "") for fate in described]
    order = data.draw(strategies.permutations(range(len(described))))
    outcomes = [outcome(sample, described[sample]) for sample in order]
    rules = parse_rules(text)
    allowed = 0
    for ended in range(planned - left + 1):
        now = look(outcomes[:ended], planned=planned, policy=policy)
        fires = apply_rules(rules, now) is not None
        assert not fires or ended >= allowed, (described, order, ended)
        needed = samples_short(rules, now)
        if now.coming:
            assert needed == 0 if fires else 1 <= needed <= len(now.coming)
            allowed = max(allowed, ended + needed)


def test_thousand_samples_are_looked_at_in_no_time() -> None:
    # The worst case: many candidates, and votes of all kinds that are not certain.
    outcomes = [outcome(number, f"{number}") for number in range(512)]
    outcomes += [outcome(512 + number, ["2", THIRD, "9?"][number % 3]) for number in range(500)]
    rules = parse_rules("share:0.75,planned:0.75,beta:0.95,lead:5,window:5")
    now = look(outcomes, planned=1024, policy=Weighted())
    started = time.perf_counter()
    assert samples_short(rules, now) == 1
    assert time.perf_counter() - started < 5
