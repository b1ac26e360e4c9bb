"""Stop rules on arrays of counts say what the product's own say of the same samples."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.stopping_pools import NO_ANSWER
from benchmarks.stopping_rules import Counts, ramp_named, rule_named, share_of_planned
from benchmarks.stopping_simulation import Votes
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.voting import parse_rules, samples_short

from .conftest import look_at, outcome

RULES = [
    "none",
    "share:0.5",
    "share:0.7",
    "share:0.75",
    "share:1",
    "planned:0.6",
    "beta:0.5",
    "beta:0.95",
    "lead:1",
    "lead:3",
    "window:2",
    "window:4",
    "share:0.75,beta:0.9,window:3",
]


def assert_alike(runs: list[list[tuple[int, int]]], planned: int, highest_weight: int) -> None:
    """Rules say the same of these runs (launch index and answer, as they finish) in both places."""
    votes = Votes(len(runs), 4, planned)
    everyone = np.arange(len(runs))
    for ended in range(planned + 1):
        looks = [
            look_at([outcome(*each) for each in run[:ended]], planned, highest_weight)
            for run in runs
        ]
        for text in RULES:
            rules = parse_rules(text)
            short = rule_named(text, highest_weight=highest_weight)(votes.counts(), planned)
            expected = [samples_short(rules, now) for now in looks]
            assert short.tolist() == expected, (text, runs[(short != expected).argmax()], ended)
        if ended < planned:
            sample, answer = np.array([run[ended] for run in runs]).T
            votes.add(everyone, answer, sample)


@pytest.mark.parametrize("highest_weight", [1, 2])
def test_rules_on_arrays_are_those_of_the_product_on_all_small_runs(highest_weight: int) -> None:
    planned = 5
    runs = [
        [(sample, answers[sample]) for sample in order]
        for answers in itertools.product([0, 1, NO_ANSWER], repeat=planned)
        for order in ((0, 1, 2, 3, 4), (4, 2, 0, 3, 1))
    ]
    assert_alike(runs, planned, highest_weight)


@pytest.mark.parametrize("highest_weight", [1, 2, 3])
def test_rules_on_arrays_are_those_of_the_product_on_longer_runs(highest_weight: int) -> None:
    chance = random.Random(highest_weight)  # noqa: S311 - no secrets
    for planned in (8, 15):
        runs = []
        for _ in range(40):
            weights = chance.choice([(6, 2, 1, 1), (1, 1, 0, 0), (3, 3, 3, 1)])
            order = chance.sample(range(planned), planned)
            answers = chance.choices([0, 1, 2, NO_ANSWER], weights, k=planned)
            runs.append(list(zip(order, answers, strict=True)))
        assert_alike(runs, planned, highest_weight)


def counts_of(*answers: int) -> Counts:
    votes = Votes(1, 4, 100)
    for sample, answer in enumerate(answers):
        votes.add(np.zeros(1, dtype=np.int64), np.array([answer]), np.array([sample]))
    return votes.counts()


def test_rules_say_how_many_samples_they_need() -> None:
    even = counts_of(0, 1, 0, 1)
    # (2 + 5) / (4 + 5) is the first above 3/4; 76 of 100 are; 3 + 2 is 4 ahead of 1.
    assert rule_named("share:0.75")(even, 100)[0] == 5
    three_to_one = counts_of(0, 0, 0, 1)
    assert share_of_planned(Fraction(3, 4))(three_to_one, 100)[0] == 73
    assert rule_named("lead:4")(three_to_one, 100)[0] == 2
    # Four more of the last answer make a window, and five to three.
    assert rule_named("window:5")(three_to_one, 100)[0] == 4
    # 31/32 and 247/256 are above 0.95, 15/16 and 120/128 are not.
    assert rule_named("beta:0.95")(counts_of(0, 0, 0), 100)[0] == 1
    assert rule_named("beta:0.95")(three_to_one, 100)[0] == 3
    # Of 10, 4 are left: 3 + 2 is more than 2 + 2. Where samples weigh 2, 3 + 2 · 2 to 2 + 2 · 2.
    behind = counts_of(0, 0, 0, 1, 1, NO_ANSWER)
    assert rule_named("none")(behind, 10)[0] == 2
    assert rule_named("none", highest_weight=2)(behind, 10)[0] == 2


def test_samples_without_an_answer_count_for_the_share_and_not_as_answers() -> None:
    # 5 of 6 is above 3/4, 5 of 7 is not and 7 of 9 is; six answers are one more than five.
    five = [0] * 5 + [NO_ANSWER]
    assert rule_named("share:0.75")(counts_of(*five), 100)[0] == 0
    assert rule_named("share:0.75")(counts_of(*five, NO_ANSWER), 100)[0] == 2
    assert rule_named("share:0.75", min_answers=6)(counts_of(*five), 100)[0] == 1
    # With more answers than usual, usual is share alone; Beta would fire at once.
    assert rule_named("usual", min_answers=6)(counts_of(*five), 100)[0] == 1
    assert rule_named("usual")(counts_of(*five), 100)[0] == 0


@pytest.mark.parametrize("name", ["mode:3", "beta:1", "share:x", "none,lead:2"])
def test_unknown_rules_are_refused_as_the_product_does(name: str) -> None:
    with pytest.raises(UsageError):
        rule_named(name)


@pytest.mark.parametrize("name", ["4-1", "need*", "need*1.5", ""])
def test_unknown_ramps_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no ramp"):
        ramp_named(name)
