"""Simulated runs launch, count and stop as runs do, and cost what they do."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.stopping_pools import NO_ANSWER
from benchmarks.stopping_rules import DEFAULT_RAMP, ramp_named, rule_named
from benchmarks.stopping_simulation import Draw, Setup, full_vote, simulate
from jupyterlab_tir.config import Config
from jupyterlab_tir.solving.schedule import places_in_flight
from jupyterlab_tir.voting import SampleOutcome, apply_rules, parse_rules, samples_short, tally
from jupyterlab_tir.voting.policies import Weighted

from .conftest import look_at, outcome


def leading(outcomes: list[SampleOutcome], planned: int) -> int:
    leader = tally(outcomes, planned=planned, policy=Weighted(w_code=1.0)).leader
    return NO_ANSWER if leader is None else int(leader.shown)


def plain_run(
    rules: str, answers: list[int], tokens: list[int], cap: int, *, ahead: float | None
) -> tuple[int, int, int, int, int]:
    """Make one run with the product's own rules, as its loop launches and counts."""
    planned, now = len(answers), 0
    running: dict[int, int] = {}
    outcomes: list[SampleOutcome] = []
    done_tokens = launched = 0
    parsed = parse_rules(rules)
    while True:
        short = samples_short(parsed, look_at(outcomes, planned))
        places = (
            min(cap, 4 + len(outcomes))
            if ahead is None
            else places_in_flight(short, ahead=ahead, parallel=cap)
        )
        while len(running) < places and launched < planned:
            running[launched] = now
            launched += 1
        now = min(start + tokens[sample] for sample, start in running.items())
        for sample in sorted(s for s, start in running.items() if start + tokens[s] == now):
            del running[sample]
            done_tokens += tokens[sample]
            outcomes.append(outcome(sample, answers[sample]))
            fires = apply_rules(parsed, look_at(outcomes, planned)) is not None
            if fires or len(outcomes) == planned:
                wasted = sum(now - start for start in running.values())
                winner = leading(outcomes, planned)
                return winner, launched, done_tokens + wasted, wasted, now


def one_run(answers: list[int], tokens: list[int]) -> Draw:
    return Draw(
        problem=np.zeros(1, dtype=np.int64),
        answers=np.array([answers]),
        tokens=np.array([tokens]),
        dealt=np.array([tokens]),
    )


@pytest.mark.parametrize(
    ("ramp", "ahead"), [(DEFAULT_RAMP, Config().ahead), ("need", 1.0), ("4+1", None)]
)
@pytest.mark.parametrize("rules", ["share:0.75", "share:0.75,beta:0.97", "window:3", "none"])
def test_simulated_runs_are_those_of_the_products_rules(
    rules: str, ramp: str, ahead: float | None
) -> None:
    chance = random.Random(5)  # noqa: S311 - no secrets
    for _ in range(60):
        planned, cap = chance.choice([5, 8, 13]), chance.choice([1, 3, 4, 6, 16])
        # Few lengths, so that samples often finish at one moment.
        tokens = [chance.choice([1, 2, 3, 7]) for _ in range(planned)]
        answers = chance.choices([0, 1, 2, NO_ANSWER], [6, 2, 1, 1], k=planned)
        drawn = one_run(answers, tokens)
        setup = Setup(
            planned=planned,
            parallel=cap,
            order="finish",
            commit="finish",
            short=rule_named(rules),
            ramp=ramp_named(ramp),
        )
        ended = simulate(drawn, setup)
        got = (ended.winner, ended.launched, ended.spent, ended.wasted, ended.time)
        expected = plain_run(rules, answers, tokens, cap, ahead=ahead)
        assert tuple(int(each[0]) for each in got) == expected, (answers, tokens, cap)
        everything = [outcome(sample, answer) for sample, answer in enumerate(answers)]
        assert full_vote(drawn)[0] == leading(everything, planned)


def test_default_ramp_is_the_products() -> None:
    ramp = ramp_named(DEFAULT_RAMP)
    for cap in (1, 4, 16, 64):
        needed = np.arange(1, 100)
        places = [places_in_flight(n, ahead=Config().ahead, parallel=cap) for n in range(1, 100)]
        assert ramp(needed, np.zeros(99), cap).tolist() == places


def test_cancelled_samples_cost_what_they_had_generated() -> None:
    # The fourth vote comes at 40; the samples launched at 10, 20 and 30 have 30, 20 and 10 tokens.
    drawn = one_run([0] * 8, [10, 20, 30, 40, 100, 100, 100, 100])
    setup = Setup(
        planned=8,
        parallel=4,
        order="finish",
        commit="finish",
        short=rule_named("share:0.75"),
        ramp=ramp_named("4+1"),
    )
    ended = simulate(drawn, setup)
    assert (ended.time[0], ended.finished[0], ended.launched[0]) == (40, 4, 7)
    assert (ended.spent[0], ended.wasted[0]) == (160, 60)


def test_what_ends_in_the_moment_of_the_stop_is_not_counted_and_wasted_whole() -> None:
    # Five end at 10 and are counted in launch order: with the fourth 0 has 4 of 4.
    drawn = one_run([0, 0, 0, 0, 1, 1, 1, 1], [10] * 8)
    setup = Setup(
        planned=8,
        parallel=5,
        order="finish",
        commit="finish",
        short=rule_named("share:0.75"),
        ramp=ramp_named("all"),
    )
    ended = simulate(drawn, setup)
    assert (ended.time[0], ended.finished[0], ended.launched[0]) == (10, 4, 5)
    assert (ended.spent[0], ended.wasted[0]) == (50, 10)


def test_counting_in_launch_order_waits_for_the_first_launched() -> None:
    drawn = one_run([0, 0, 0, 0, 1, 1, 1, 1, 1], [50, 10, 10, 10, 10, 10, 10, 10, 10])
    ways = {
        commit: simulate(
            drawn,
            Setup(
                planned=9,
                parallel=4,
                order="finish",
                commit=commit,
                short=rule_named("share:0.75"),
                ramp=ramp_named("all"),
            ),
        )
        for commit in ("finish", "launch")
    }
    # 0, 0, 0 at 10; 1, 1, 1 at 20; 1, 1 at 30, and the last one cannot turn five against three.
    assert (ways["finish"].time[0], ways["finish"].winner[0]) == (30, 1)
    # Nothing counts before 50, and then four agree before any other is counted.
    assert (ways["launch"].time[0], ways["launch"].winner[0]) == (50, 0)
