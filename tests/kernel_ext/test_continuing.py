"""`%tir continue` in a real kernel: shown, bound, stopped and refused as a cell's run is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.record import read_record
from jupyterlab_tir_kernel.static_run import MIME
from jupyterlab_tir_kernel.transform import rewrite, split_continue

SOON_S = 60.0
FOUR, FIVE = ["It is \\boxed{4}."], ["It is \\boxed{5}."]
BLOCKING_CELLS = (
    "import asyncio\nawait asyncio.sleep(0)\n%tir continue {run} --samples +5",
    "%%time\n%tir continue {run} --samples +5",
    "found = %tir continue {run} --samples +5",
)


@pytest.fixture(scope="module")
def notebook(start_notebook: Callable[..., Any]) -> Iterator[Any]:
    notebook = start_notebook(TIR_MODE="text", TIR_STOP="none", TIR_TOP_LOGPROBS="0")
    notebook.run("%load_ext jupyterlab_tir")
    yield notebook
    notebook.close()


@pytest.fixture
def run_id(notebook: Any, write_script: Callable[..., str]) -> str:
    """A run that two of three samples decided, which say 4; those that are added say 5."""
    script = write_script(FOUR, FOUR, *[FIVE] * 20)
    cell = f"%%tir --samples 3 --parallel 1 --base-url {script} --out first\nWhat is 2 + 2?"
    assert notebook.run(cell).status == "ok"
    return str(notebook.run("print(first.run_id)").printed.strip())


@pytest.fixture
def path(environment: dict[str, str], run_id: str) -> Path:
    """The record of that run."""
    return Path(environment["JUPYTER_DATA_DIR"]) / "tir" / "runs" / f"{run_id}.jsonl"


def test_run_goes_on_and_its_result_is_shown_once_bound_and_the_value(
    notebook: Any, run_id: str
) -> None:
    ran = notebook.run(f"# More of them.\n%tir continue {run_id[:-1]} --samples +5 --out more\n")
    assert ran.status == "ok"
    [bundle] = ran.bundles
    assert MIME in bundle
    assert "Answer: 5" in bundle["text/plain"]
    # Of seven, four that say 5 cannot be caught by two that say 4 and one to come.
    words = "print(_ is more, more, more.run_id, more.continued, more.tally.finished)"
    assert notebook.run(words).printed == f"True 5 {run_id} True 6\n"


@pytest.mark.parametrize("cell", BLOCKING_CELLS)
def test_a_line_within_other_code_waits_and_shows_once(
    notebook: Any, run_id: str, path: Path, cell: str
) -> None:
    ran = notebook.run(cell.format(run=run_id))
    assert ran.status == "ok"
    assert [MIME in bundle for bundle in ran.bundles] == [True]
    assert len(read_record(path).outcomes) == 6


@pytest.mark.parametrize("way", ["{}", "_ = 1\n{}"])
def test_an_interrupt_ends_it_and_keeps_what_it_has(
    notebook: Any, run_id: str, path: Path, way: str, write_script: Callable[..., str]
) -> None:
    silent = write_script(FIVE, FIVE, [{"text": "x", "fault": {"kind": "silent"}}])
    line = f"%tir continue {run_id} --samples +3 --base-url {silent} --out kept"
    sent = notebook.send(way.format(line))
    until = time.monotonic() + SOON_S
    while b'"sample-started"' not in path.read_bytes().partition(b'"run-continued"')[2]:
        assert time.monotonic() < until, "it did not go on"
        time.sleep(0.05)
    notebook.manager.interrupt_kernel()
    ran = notebook.ran(sent)
    assert ran.error["ename"] == "TirStopped"
    assert ran.error["traceback"] == ["Stopped by the user; what had finished is kept."]
    [bundle] = ran.bundles
    assert "Answer: 4" in bundle["text/plain"]
    assert notebook.run("print(kept.status, kept.tally.finished)").printed == "stopped 2\n"
    assert read_record(path).ended is not None


def test_what_is_shown_live_is_replaced(
    notebook: Any, run_id: str, write_script: Callable[..., str]
) -> None:
    slow = write_script([{"text": "\\boxed{5}", "first_token_ms": 900}])
    ran = notebook.run(f"%tir continue {run_id} --samples +5 --base-url {slow}")
    [bundle] = ran.bundles
    assert MIME in bundle
    assert ran.updates >= 1


@pytest.mark.parametrize(
    ("words", "name", "sentence"),
    [
        ("", "UsageError", "%tir continue needs one run's id, or its beginning, and then its"),
        ("2026 2027", "UsageError", "%tir continue needs one run's id"),
        ("--samples +4", "UsageError", "%tir continue needs one run's id"),
        ("2026 --help", "UsageError", "Usage: %tir continue ID [--samples +16] [--out NAME]"),
        ("nothing --samples +4", "RecordError", "There is no run 'nothing': `tir runs` lists"),
        ("{run} --samples 2", "UsageError", "samples is 2, and 2 samples were begun already"),
        ("{run} --samples +0", "UsageError", "samples is +0, and 2 samples were begun already"),
        ("{run} --samples +1 --policy majority", "UsageError", "policy (majority instead of wei"),
        ("{run} --samples +1 --out 1x", "UsageError", "--out 1x is not a variable's name"),
        ("{run} --sampels +1", "UsageError", "did you mean --samples?"),
        ("{run} --samples '", "UsageError", "has a quote without its partner"),
        ("{run} --samples +1 --base-url http://127.0.0.1:9/v1", "NoServerError", "127.0.0.1:9"),
    ],
)
@pytest.mark.parametrize("way", ["{}", "_ = 1\n{}"])
def test_a_mistake_is_one_line_and_the_record_stays(
    words: str,
    name: str,
    sentence: str,
    way: str,
    notebook: Any,
    run_id: str,
    path: Path,
) -> None:
    written = path.read_bytes()
    ran = notebook.run(way.format("%tir continue " + words.format(run=run_id)))
    assert (ran.status, ran.bundles) == ("error", [])
    assert ran.error["ename"] == name
    [line] = ran.error["traceback"]
    assert sentence in line
    assert path.read_bytes() == written


def test_session_says_how_the_server_is_reached_and_nothing_else(
    notebook: Any, run_id: str, path: Path
) -> None:
    notebook.run("%config TIR.policy = 'majority'")
    notebook.run("%config TIR.api_key_env = 'OTHER_KEY'")
    try:
        assert notebook.run(f"%tir continue {run_id} --samples +5").status == "ok"
    finally:
        notebook.run("%config TIR.policy = None")
        notebook.run("%config TIR.api_key_env = None")
    settings = read_record(path).begun.settings
    assert (settings["policy"], settings["api_key_env"]) == ("weighted", "OTHER_KEY")


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("%tir continue 2026 --samples +4", " 2026 --samples +4"),
        ("\n# why\n  %tir \t continue\t2026\r\n\n", "\t2026"),
        ("%tir continue", ""),
        ("%tir continued 2026", None),
        ("%tir continue?", None),
        ("%tir runs", None),
        ("%tir continue 2026 \\\n --samples +4", None),
        ("x = 1\n%tir continue 2026", None),
        ("%%time\n%tir continue 2026", None),
        ("# only this", None),
        ("", None),
    ],
)
def test_only_a_cell_that_does_nothing_else_is_awaited(source: str, options: str | None) -> None:
    assert split_continue(source) == options
    assert (rewrite(source) is None) == (options is None)
