"""The benchmark of stop rules launches, counts and stops as runs do, and sums up what it cost."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.stopping_measures import Bootstrap, Way, figures, measure
from benchmarks.stopping_pools import NO_ANSWER, NOBODYS, Pool, StoredProblem, pool_of
from benchmarks.stopping_rules import DEFAULT_RAMP, Counts, ramp_named, rule_named, share_of_planned
from benchmarks.stopping_simulation import Draw, Setup, Votes, full_vote, simulate
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.solving.schedule import places_in_flight
from jupyterlab_tir.voting import (
    Ballot,
    SampleOutcome,
    apply_rules,
    look,
    parse_rules,
    samples_short,
    tally,
)
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.rules_look import Look

ROOT = Path(__file__).parents[2]


def outcome(sample: int, answer: int) -> SampleOutcome:
    if answer == NO_ANSWER:
        return SampleOutcome(sample=sample, status="no-answer", reason="none")
    ballot = Ballot(answer=canonical(str(answer)), raw=str(answer), entropy=0.0)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot)


def look_at(outcomes: list[SampleOutcome], planned: int, highest_weight: int = 1) -> Look:
    """Look at a run whose ballots to come may weigh so much."""
    policy = Weighted(w_code=float(highest_weight), verifiable=highest_weight > 1)
    return look(outcomes, planned=planned, policy=policy)


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


@pytest.mark.parametrize("name", ["mode:3", "beta:1", "share:x", "none,lead:2"])
def test_unknown_rules_are_refused_as_the_product_does(name: str) -> None:
    with pytest.raises(UsageError):
        rule_named(name)


@pytest.mark.parametrize("name", ["4-1", "need*", "need*1.5", ""])
def test_unknown_ramps_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no ramp"):
        ramp_named(name)


def test_answers_are_compared_as_mathematics() -> None:
    problem = StoredProblem(id="a", gold="1/2", answers=["0.5", "2/4", None, "7"], tokens=[1] * 4)
    other = StoredProblem(id="b", gold="3", answers=["1", "1", "", " "], tokens=[1] * 4)
    pool = pool_of("p", [problem, other])
    assert pool.answers.tolist() == [[0, 0, NO_ANSWER, 1], [0, 0, NO_ANSWER, NO_ANSWER]]
    assert pool.gold.tolist() == [0, NOBODYS]


def unanimous(problems: int) -> Pool:
    each = [
        StoredProblem(id=f"{number}", gold="1", answers=["1"] * 8, tokens=[10] * 8)
        for number in range(problems)
    ]
    return pool_of("unanimous", each)


def test_unanimous_problems_stop_at_four_of_eight() -> None:
    pool = unanimous(3)
    ways = [
        Way(rule="share:0.75", n=8, parallel=4, order="random", ramp="4+1"),
        Way(rule="none", n=8, parallel=1, order="finish", ramp="4+1"),
    ]
    share, none = measure(pool, ways, shuffles=2, seed=1)
    found = figures(share, {"none": none}, Bootstrap(pool.problems, seed=1))
    assert (found["tokens_saved"], found["samples_saved"], found["latency"]) == (0.5, 0.5, 1.0)
    # Without a rule it cannot be caught either: four later ones make a tie, which goes by launch.
    assert found["tokens_saved_minus_none"] == 0.0
    assert (found["agreement"], found["accuracy"], found["accuracy_full"]) == (1.0, 1.0, 1.0)


def test_command_ends_with_one_line_of_rows(tmp_path: Path) -> None:
    answers, tokens = ["4"] * 7 + ["5"], [5, 9, 6, 7, 8, 5, 6, 70]
    file = pool_file(tmp_path, {"id": "x", "gold": "4", "answers": answers, "tokens": tokens})
    options = ["--n", "4,8", "--shuffles", "20", "--parallel", "1,4"]
    done = command(file, "--json", *options, "--rules", "share:0.75,beta:0.97;none")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    assert len(rows) == 2 * 2 * 2 * 2
    assert {row["order"] for row in rows} == {"random", "finish"}
    assert {row["rule"] for row in rows if row["default"]} == {"share:0.75,beta:0.97"}
    wanted = {"pool", "rule", "n", "parallel", "order", "ramp", "tokens_saved", "agreement"}
    assert all(wanted | {"accuracy", "accuracy_full"} <= row.keys() for row in rows)
    assert all(0 <= row["tokens_saved"] <= 1 for row in rows)


def command(pool: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.stopping", "--pool", pool, *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def pool_file(folder: Path, *problems: dict[str, object]) -> Path:
    file = folder / "others.jsonl"
    file.write_text("\n\n".join(map(json.dumps, problems)) + "\n")
    return file


def test_someone_elses_pool_is_measured(tmp_path: Path) -> None:
    # Sixteen samples, one problem with six; numbers for texts, other fields, no answers, no tokens.
    file = pool_file(
        tmp_path,
        {
            "id": 1,
            "gold": 4,
            "answers": [4, "4.0", "", None] * 4,
            "tokens": [5.5, 0, 3, 9] * 4,
            "model": "m",
        },
        {"id": "silent", "gold": "x", "answers": [None] * 16, "tokens": [7] * 16},
        {"id": "few", "gold": "2", "answers": ["2"] * 6, "tokens": [3] * 6},
    )
    done = command(file, "--json", "--shuffles", "10")
    assert done.returncode == 0, done.stderr
    assert "others, N = 8: 1 of 3 problems are left out, which hold fewer than 8" in done.stderr
    assert "others, N = 32: 3 of 3 problems are left out" in done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    assert {(row["n"], row["problems"]) for row in rows} == {(8, 2), (16, 2)}
    assert {row["accuracy_full"] for row in rows} == {0.5}
    defaults = {(row["n"], row["parallel"], row["order"]) for row in rows if row["default"]}
    assert len(defaults) == 2 * 4 * 2


def test_a_plan_larger_than_the_pool_is_refused(tmp_path: Path) -> None:
    done = command(
        pool_file(tmp_path, {"id": "x", "gold": "4", "answers": ["4"], "tokens": [5]}), "--n", "2"
    )
    assert done.returncode == 2
    assert done.stderr.endswith("no problem holds 2 samples or more: choose a smaller --n\n")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"id": "x", "gold": "4", "answers": ["4"], "tokens": [5, 6]}, "as many token counts"),
        ({"id": "x", "gold": "4", "answers": [["4"]], "tokens": [5]}, "line 1: Expected"),
        ({"id": "x", "answers": ["4"], "tokens": [5]}, "missing required field `gold`"),
    ],
)
def test_broken_pools_are_refused_in_a_sentence(
    tmp_path: Path, line: dict[str, object], words: str
) -> None:
    done = command(pool_file(tmp_path, line))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "options", [["--n", "0"], ["--orders", "last"], ["--rules", "mode:3"], ["--ramps", "some"]]
)
def test_options_that_cannot_be_are_refused_in_a_sentence(
    tmp_path: Path, options: list[str]
) -> None:
    line = {"id": "x", "gold": "4", "answers": ["4"] * 8, "tokens": [5] * 8}
    done = command(pool_file(tmp_path, line), *options)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
