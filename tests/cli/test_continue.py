"""`tir continue` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import RunTir

Script = Callable[..., str]
FIVE, SIX = [r"\boxed{5}"], [r"\boxed{6}"]
OPTIONS = ("--mode", "text", "--parallel", "1", "--top-logprobs", "0")


@pytest.fixture
def run_id(tir: RunTir, script: Script) -> str:
    """A run of 16 whose rule stopped it after four samples that say 5; later ones say 6."""
    base_url = script(*[FIVE] * 4, *[SIX] * 20)
    done = tir("solve", "What?", "--base-url", base_url, "--samples", "16", *OPTIONS, "--json")
    assert done.returncode == 0, done.stderr
    found: str = json.loads(done.stdout)["run_id"]
    return found


def test_run_goes_on_and_every_command_shows_all_of_it(tir: RunTir, run_id: str) -> None:
    done = tir("continue", run_id[:-1], "--samples", "+6")
    assert done.returncode == 0, done.stderr
    assert "Answer: 6" in done.stdout
    assert f"run {run_id}" in done.stdout
    assert "All 10 samples ended." in done.stdout
    listed = json.loads(tir("runs", "--json").stdout)
    assert [(row["run"], row["answer"], row["samples"]) for row in listed] == [
        (run_id, "6", "10 of 10")
    ]
    shown = tir("show", run_id)
    assert shown.returncode == 0
    assert "Answer: 6" in shown.stdout
    trace = tir("show", run_id, "--trace", COLUMNS="160").stdout
    assert "continued: 6 more samples, 10 in all" in trace
    assert trace.count("run ended: answered") == 2
    stated = json.loads(tir("show", run_id, "--json").stdout)
    assert (stated["tally"]["planned"], len(stated["continued"])) == (10, 1)
    assert stated["continued"][0]["planned"] == 10


def test_json_is_one_object_of_the_whole_run(tir: RunTir, run_id: str) -> None:
    done = tir("continue", run_id, "--samples", "10", "--json")
    assert done.stdout.count("\n") == 1
    result = json.loads(done.stdout)
    assert (result["answer"], result["continued"], result["tally"]["finished"]) == ("6", True, 10)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--samples", "+0"), "samples is +0, and 4 samples were begun already"),
        (("--samples", "-3"), "samples is '-3', but must be"),
        (("--samples", "+4", "--policy", "majority"), "another policy (majority instead of weig"),
        (("--samples", "+4", "--stop", "gut"), "There is no stop rule 'gut'"),
        (("--samples", "+4", "--tau", "0.9"), "tau and min_answers belong to the stop rule share"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    arguments: tuple[str, ...], sentence: str, tir: RunTir, run_id: str
) -> None:
    done = tir("continue", run_id, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.startswith("tir: ")
    assert "Traceback" not in done.stderr


def test_server_that_is_gone_ends_with_3(tir: RunTir, run_id: str) -> None:
    done = tir("continue", run_id, "--samples", "+4", "--base-url", "http://127.0.0.1:1/v1")
    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback" not in done.stderr


def test_ambiguous_id_lists_the_candidates_for_every_command(
    tir: RunTir, run_id: str, environment: dict[str, str]
) -> None:
    runs = Path(environment["JUPYTER_DATA_DIR"]) / "tir" / "runs"
    (runs / f"{run_id}b.jsonl").write_bytes((runs / f"{run_id}.jsonl").read_bytes())
    for command in (("show",), ("continue",), ("continue", "--samples", "+4")):
        done = tir(command[0], run_id[:8], *command[1:])
        assert (done.returncode, done.stdout) == (2, "")
        first, *listed = done.stderr.splitlines()
        assert first == f"tir: 2 runs begin with {run_id[:8]!r}: write more of the id."
        assert [line.split()[0] for line in listed] == [f"{run_id}b", run_id]
        assert all(line.endswith("UTC  What?") for line in listed)


def test_help_lists_what_can_be_changed_and_says_that_rules_do_not_stop_it(tir: RunTir) -> None:
    words = " ".join(tir("continue", "--help").stdout.split())
    assert "such as +16" in words
    assert "Default: none, since more attempts were asked for" in words
    assert "--policy" not in words
