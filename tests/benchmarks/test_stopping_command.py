"""The benchmark's command reads pools, sums up what stopping costs, and prints it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.stopping import rows_of
from benchmarks.stopping_measures import Bootstrap, Way, figures, measure
from benchmarks.stopping_pools import NO_ANSWER, NOBODYS, Pool, StoredProblem, pool_of
from benchmarks.stopping_rules import DEFAULT_RAMP

ROOT = Path(__file__).parents[2]


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


def unanimous(problems: int) -> Pool:
    each = [
        StoredProblem(id=f"{number}", gold="1", answers=["1"] * 8, tokens=[10] * 8)
        for number in range(problems)
    ]
    return pool_of("unanimous", each)


def test_answers_are_compared_as_mathematics() -> None:
    problem = StoredProblem(id="a", gold="1/2", answers=["0.5", "2/4", None, "7"], tokens=[1] * 4)
    other = StoredProblem(id="b", gold="3", answers=["1", "1", "", " "], tokens=[1] * 4)
    pool = pool_of("p", [problem, other])
    assert pool.answers.tolist() == [[0, 0, NO_ANSWER, 1], [0, 0, NO_ANSWER, NO_ANSWER]]
    assert pool.gold.tolist() == [0, NOBODYS]


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


@pytest.mark.parametrize(
    ("rule", "min_answers", "default"),
    [
        ("usual", 4, True),
        ("share:0.75,beta:0.97", 4, True),
        ("beta:0.97,share", 4, True),
        ("share:0.75", 4, False),
        ("usual,lead:4", 4, False),
        ("usual", 5, False),
    ],
)
def test_defaults_are_marked_however_they_are_written(
    rule: str,
    min_answers: int,
    default: bool,  # noqa: FBT001
) -> None:
    way = Way(
        rule=rule, n=8, parallel=4, order="finish", ramp=DEFAULT_RAMP, min_answers=min_answers
    )
    [row] = rows_of(unanimous(3), [way], shuffles=2, seed=1)
    assert (row["rule"], row["default"]) == (rule, default)


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
