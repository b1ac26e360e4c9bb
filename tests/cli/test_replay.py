"""`tir replay` as a user runs it: no server, a row for each run, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import RunTir

Script = Callable[..., str]
FIVE, SIX = [r"\boxed{5}"], [r"\boxed{6}"]


@pytest.fixture
def records(tir: RunTir, script: Script) -> list[Path]:
    """Two runs of seven without a stop rule: 5 5 5 6 6 6 6 in launch order, and only 5."""
    found = []
    for samples in ([FIVE, FIVE, FIVE, SIX, SIX, SIX, SIX], [FIVE]):
        done = tir(
            "solve", "What?", "--base-url", script(*samples), "--samples", "7", "--mode", "text",
            "--parallel", "1", "--stop", "none", "--top-logprobs", "0", "--json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(Path(json.loads(done.stdout)["record"]))
    return found


def test_runs_are_voted_on_again_without_a_server(tir: RunTir, records: list[Path]) -> None:
    one, two = records
    done = tir("replay", one.stem, str(two), "--stop", "lead:3", "--policy", "majority")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["run", "problem", "recorded", "now", "samples", "rule"]
    assert lines[1].split() == [one.stem, "What?", "6", "5", "(differs)", "3", "of", "7", "lead"]
    # The lossless rule ended the second one after four of seven.
    assert lines[2].split() == [two.stem, "What?", "5", "5", "3", "of", "4", "lead"]
    assert lines[-1] == "1 of 2 answers differs."


def test_recorded_rules_say_what_was_recorded(tir: RunTir, records: list[Path]) -> None:
    done = tir("replay", *map(str, records), "--json")
    assert done.stdout.count("\n") == 1
    body = json.loads(done.stdout)
    assert list(body) == ["runs"]
    for row in body["runs"]:
        assert row["differs"] is False
        assert row["samples"] == row["of"]
    assert [row["answer"] for row in body["runs"]] == ["6", "5"]


def test_run_that_cannot_be_used_is_listed_and_keeps_no_other(
    tir: RunTir, records: list[Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\x1b[31m{}\n{}\n")
    arguments = ("replay", "nothing", str(records[0]), str(broken), "2")
    done = tir(*arguments)
    assert (done.returncode, done.stderr) == (2, "")
    assert records[0].stem in done.stdout
    assert "nothing: There is no run 'nothing'" in done.stdout
    assert "2 runs begin with '2'" in done.stdout
    assert done.stdout.rstrip().endswith("0 of 1 answers differ. Not voted on again: 3.")
    assert "\x1b" not in done.stdout
    listed = tir(*arguments, "--json")
    assert listed.returncode == 2
    rows = json.loads(listed.stdout)["runs"]
    assert [sorted(row)[:2] == ["error", "run"] for row in rows] == [True, False, True, True]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--stop", "gut"), "There is no stop rule 'gut'"),
        (("--policy", "loudest"), "policy is 'loudest'"),
        (("--w-code", "0"), "w_code is '0', but must be a number from 1 to 10."),
    ],
)
def test_option_that_cannot_be_is_one_sentence_and_no_runs_fault(
    arguments: tuple[str, ...], sentence: str, tir: RunTir, records: list[Path]
) -> None:
    done = tir("replay", str(records[0]), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tir: {sentence}")


def test_no_run_is_bad_usage(tir: RunTir) -> None:
    assert tir("replay").returncode == 2
