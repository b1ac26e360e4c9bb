"""The benchmark of stop rules launches, counts and stops as runs do, and sums up what it cost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.stopping import DEFAULT_RAMP
from benchmarks.stopping_measures import Bootstrap, Way, figures, measure
from benchmarks.stopping_pools import NO_ANSWER, NOBODYS, Pool, StoredProblem, pool_of
from benchmarks.stopping_rules import Counts, majority_probability, ramp_named, rule_named
from benchmarks.stopping_simulation import Draw, Setup, full_vote, simulate
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.solving.run import FIRST_SLOTS
from jupyterlab_tir.voting import Ballot, SampleOutcome, apply_rules, look, parse_rules, tally
from jupyterlab_tir.voting.policies import Weighted

ROOT = Path(__file__).parents[2]


def outcome(sample: int, answer: int) -> SampleOutcome:
    if answer == NO_ANSWER:
        return SampleOutcome(sample=sample, status="no-answer", reason="none")
    ballot = Ballot(answer=canonical(str(answer)), raw=str(answer), entropy=0.0)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot)


def stops(outcomes: list[SampleOutcome], planned: int) -> bool:
    now = look(outcomes, planned=planned, policy=Weighted(w_code=1.0))
    return apply_rules(parse_rules("share:0.75"), now) is not None or len(outcomes) == planned


def leading(outcomes: list[SampleOutcome], planned: int) -> int:
    leader = tally(outcomes, planned=planned, policy=Weighted(w_code=1.0)).leader
    return NO_ANSWER if leader is None else int(leader.shown)


def votes_needed(outcomes: list[SampleOutcome], planned: int) -> int:
    """Find how many more votes for the leader make the product stop, by trying."""
    answer = max(leading(outcomes, planned), 0)
    more: list[SampleOutcome] = []
    left = set(range(planned)) - {each.sample for each in outcomes}
    while not stops([*outcomes, *more], planned):
        more.append(outcome(left.pop(), answer))
    return max(1, len(more))


def plain_run(
    answers: list[int], tokens: list[int], cap: int, *, by_need: bool
) -> tuple[int, int, int, int, int]:
    """Make one run with the product's own rules, as its loop launches and counts."""
    planned, now = len(answers), 0
    running: dict[int, int] = {}
    outcomes: list[SampleOutcome] = []
    done_tokens = launched = 0
    while True:
        places = votes_needed(outcomes, planned) if by_need else FIRST_SLOTS + len(outcomes)
        while len(running) < min(cap, places) and launched < planned:
            running[launched] = now
            launched += 1
        now = min(start + tokens[sample] for sample, start in running.items())
        for sample in sorted(s for s, start in running.items() if start + tokens[s] == now):
            del running[sample]
            done_tokens += tokens[sample]
            outcomes.append(outcome(sample, answers[sample]))
            if stops(outcomes, planned):
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


@pytest.mark.parametrize("ramp", [DEFAULT_RAMP, "need"])
def test_simulated_runs_are_those_of_the_products_rules(ramp: str) -> None:
    chance = random.Random(5)  # noqa: S311 - no secrets
    for _ in range(150):
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
            short=rule_named("share:0.75"),
            ramp=ramp_named(ramp),
        )
        ended = simulate(drawn, setup)
        got = (ended.winner, ended.launched, ended.spent, ended.wasted, ended.time)
        expected = plain_run(answers, tokens, cap, by_need=ramp == "need")
        assert tuple(int(each[0]) for each in got) == expected, (answers, tokens, cap)
        everything = [outcome(sample, answer) for sample, answer in enumerate(answers)]
        assert full_vote(drawn)[0] == leading(everything, planned)


def test_default_ramp_is_the_products() -> None:
    assert f"{FIRST_SLOTS}+1" == DEFAULT_RAMP


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


def test_beta_rule_needs_four_in_a_row_or_six_to_one() -> None:
    # 31/32 and 247/256 are above 0.95, 15/16 and 120/128 are not.
    assert majority_probability(4, 0) == Fraction(31, 32)
    assert majority_probability(6, 1) == Fraction(247, 256)
    many = np.array([3, 4, 5, 6])
    counts = Counts(
        leader=many,
        second=np.array([0, 0, 1, 1]),
        answered=many,
        finished=many,
        streak=many,
    )
    assert rule_named("beta:0.95")(counts, 1000).tolist() == [1, 0, 1, 0]


def test_rules_say_how_many_samples_they_need() -> None:
    def counts(leader: int, second: int, finished: int) -> Counts:
        values = [np.array([n]) for n in (leader, second, finished, finished, 0)]
        return Counts(**dict(zip(Counts.__struct_fields__, values, strict=True)))

    # (2 + 5) / (4 + 5) is the first above 3/4; 25 of 32 are; 3 + 2 is 4 ahead of 1.
    assert rule_named("share:0.75")(counts(2, 2, 4), 100)[0] == 5
    assert rule_named("planned:0.75", highest_weight=9)(counts(3, 1, 4), 32)[0] == 22
    assert rule_named("lead:4")(counts(3, 1, 4), 100)[0] == 2
    assert rule_named("window:5")(counts(3, 1, 4), 100)[0] == 5
    # Of 10, 4 are left: 3 + 2 is more than 2 + 2. Where samples weigh 2, 3 + 3 against 2 + 2 * 1.
    assert rule_named("none")(counts(3, 2, 6), 10)[0] == 2
    assert rule_named("none", highest_weight=2)(counts(3, 2, 6), 10)[0] == 3


def test_samples_without_an_answer_count_for_the_share_and_not_as_answers() -> None:
    counts = Counts(
        leader=np.array([5, 5]),
        second=np.array([0, 0]),
        answered=np.array([5, 5]),
        finished=np.array([6, 7]),
        streak=np.array([0, 0]),
    )
    # 5 of 6 is above 3/4, 5 of 7 is not and 7 of 9 is; six answers are one more than five.
    assert rule_named("share:0.75")(counts, 100).tolist() == [0, 2]
    assert rule_named("share:0.75", min_answers=6)(counts, 100).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["share", "mode:3", "4-1", "need*", "beta:1"])
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"no rule|no ramp|Invalid|probability"):
        ramp_named(name) if name[0] in "4n" else rule_named(name)


def test_answers_are_compared_as_mathematics() -> None:
    problem = StoredProblem(id="a", gold="1/2", answers=["0.5", "2/4", None, "7"], tokens=[1] * 4)
    other = StoredProblem(id="b", gold="3", answers=["1", "1", "1", "1"], tokens=[1] * 4)
    pool = pool_of("p", [problem, other])
    assert pool.answers.tolist() == [[0, 0, NO_ANSWER, 1], [0, 0, 0, 0]]
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
    # Without a rule the leader cannot be caught after five of eight.
    assert found["tokens_saved_minus_none"] == 0.125
    assert (found["agreement"], found["accuracy"], found["accuracy_full"]) == (1.0, 1.0, 1.0)


def test_command_ends_with_one_line_of_rows(tmp_path: Path) -> None:
    file = tmp_path / "small.jsonl"
    line = {
        "id": "x",
        "gold": "4",
        "answers": ["4"] * 7 + ["5"],
        "tokens": [5, 9, 6, 7, 8, 5, 6, 70],
    }
    file.write_text(json.dumps(line) + "\n")
    options = ["--n", "4,8", "--shuffles", "20", "--parallel", "1,4"]
    options += ["--rules", "share:0.75;none"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.stopping", "--pool", file, "--json", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    assert len(rows) == 2 * 2 * 2 * 2
    assert {row["order"] for row in rows} == {"random", "finish"}
    assert {row["rule"] for row in rows if row["default"]} == {"share:0.75"}
    wanted = {"pool", "rule", "n", "parallel", "order", "ramp", "tokens_saved", "agreement"}
    assert all(wanted | {"accuracy", "accuracy_full"} <= row.keys() for row in rows)
    assert all(0 <= row["tokens_saved"] <= 1 for row in rows)


def test_a_plan_larger_than_the_pool_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "small.jsonl"
    file.write_text('{"id": "x", "gold": "4", "answers": ["4"], "tokens": [5]}\n')
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.stopping", "--pool", file, "--n", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "holds 1 samples a problem" in done.stderr
