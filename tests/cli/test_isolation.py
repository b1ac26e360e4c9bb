"""The isolation of code as a person at the command line meets it: chosen, refused, told."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from jupyterlab_tir.sandbox.levels import Offer

from .conftest import RunTir

Script = Callable[..., str]
CODE = "```python\nprint(sum(k*k for k in range(1, 21)))\n```\n"
COMPUTED = [CODE, {"text": r"\boxed{2870}", "result_contains": "2870"}]
WRITES = (
    "```python\ntry:\n    open('x', 'w').write('x')\n    print('written')\n"
    "except OSError:\n    print('kept from writing')\n```\n"
)
# No replay, which would start a second process that loads the libraries.
ONE = ("--samples", "1", "--no-verify")
DEFAULT = {"TIR_SANDBOX": ""}


def test_level_is_told_by_status_solve_and_the_record(
    tir: RunTir, script: Script, best_level: str
) -> None:
    base_url = script(COMPUTED)
    status = json.loads(tir("status", "--json", "--base-url", base_url).stdout)
    assert status["isolation"] == best_level
    assert best_level in status["isolation_offered"]
    assert set(status["isolation_offered"]).isdisjoint(status["isolation_lacks"])
    shown = " ".join(tir("status", "--base-url", base_url).stdout.split())
    assert f"isolation {best_level}: the model's code gets " in shown
    solved = json.loads(tir("solve", "x", "--json", *ONE, "--base-url", base_url).stdout)
    assert (solved["answer"], solved["isolation"]) == ("2870", best_level)
    record = json.loads(tir("show", solved["run_id"], "--json").stdout)
    assert record["started"]["isolation"] == best_level


def test_code_is_confined_where_nobody_said_anything(
    tir: RunTir, script: Script, offer: Offer
) -> None:
    if "full" not in offer.offered:
        pytest.skip(f"not full here: {offer.lacking['full']}")
    base_url = script(COMPUTED)
    done = tir("solve", "x", "--json", *ONE, "--base-url", base_url, **DEFAULT)
    assert json.loads(done.stdout)["isolation"] in ("full+ns", "full")


def test_less_than_full_is_refused_with_one_sentence_and_nothing_is_run(
    tir_without_landlock: RunTir, tir: RunTir, script: Script
) -> None:
    base_url = script(COMPUTED)
    done = tir_without_landlock("solve", "x", "--base-url", base_url, **DEFAULT)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    for words in ("full", "Landlock", "--sandbox", "nofs"):
        assert words in done.stderr
    assert not done.stdout
    assert json.loads(tir("runs", "--json").stdout) == []
    status = tir_without_landlock("status", "--base-url", base_url, **DEFAULT)
    assert status.returncode == 0, status.stderr
    shown = " ".join(status.stdout.split())
    assert f"isolation refused: {done.stderr.removeprefix('tir: ').strip()}" in shown
    assert "vLLM 0.32.0" in shown


def test_less_than_full_is_taken_where_it_is_asked_for(
    tir_without_landlock: RunTir, script: Script
) -> None:
    base_url = script(COMPUTED)
    done = tir_without_landlock("solve", "x", *ONE, "--base-url", base_url)
    assert done.returncode == 0, done.stderr
    assert "Answer: 2870" in done.stdout
    assert "isolation: nofs;" in done.stdout


def test_run_of_text_needs_no_sandbox(tir_without_landlock: RunTir, script: Script) -> None:
    options = ("--mode", "text", *ONE, "--base-url", script([r"\boxed{7}"]))
    done = tir_without_landlock("solve", "x", *options, **DEFAULT)
    assert done.returncode == 0, done.stderr


def test_named_kernel_runs_the_code_and_its_isolation_is_its_own(
    tir: RunTir, script: Script
) -> None:
    options = ("--kernel", "python3", *ONE, "--base-url", script(COMPUTED))
    done = tir("solve", "x", *options)
    assert done.returncode == 0, done.stderr
    assert "Answer: 2870" in done.stdout
    assert "isolation: provided by the kernel python3;" in done.stdout.replace("\n", " ")


def test_kernel_that_is_not_installed_is_refused_with_those_that_are(
    tir: RunTir, script: Script
) -> None:
    done = tir("solve", "x", "--kernel", "nowhere", "--base-url", script(COMPUTED))
    assert done.returncode == 2
    assert "No kernel is called 'nowhere'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "said"), [("--write", "written"), ("--no-write", "kept from writing")]
)
def test_writing_can_be_forbidden(
    tir: RunTir, script: Script, option: str, said: str, offer: Offer
) -> None:
    if "full" not in offer.offered:
        pytest.skip(f"not full here: {offer.lacking['full']}")
    base_url = script([WRITES, {"text": r"\boxed{1}", "result_contains": said}])
    done = tir("solve", "x", option, *ONE, "--base-url", base_url)
    assert (done.returncode, "Answer: 1" in done.stdout) == (0, True), done.stdout + done.stderr
