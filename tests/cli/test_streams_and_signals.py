"""The command line where the shell, the disk or the terminal is not as it should be."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import RunTir
from .test_solve import (
    SILENT,
    start_solving,
    wait_for_record,
)

Script = Callable[..., str]
Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]
ENDLESS = "```python\nwhile True: pass\n```\n"
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


@pytest.fixture
def shell(environment: dict[str, str]) -> Shell:
    """Run `tir` through a shell, with a redirection behind its arguments."""

    def run(arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", f"'{sys.executable}' -m jupyterlab_tir {arguments}"],
            env={**environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("solve - <&-", 2, b"tir: Standard input holds no problem: write its text.\n"),
        ("config >&-", 0, b""),
        ("config --json >&-", 0, b""),
        ("solve '' 2>&-", 2, b""),
        ("config | true", 0, b""),
        ("config --json | true", 0, b""),
        pytest.param(
            "config >/dev/full",
            2,
            b"tir: The output cannot be written (No space left on device): send it elsewhere.\n",
            marks=FULL,
        ),
        pytest.param(
            "--help >/dev/full",
            2,
            b"tir: The output cannot be written (No space left on device): send it elsewhere.\n",
            marks=FULL,
        ),
    ],
)
def test_streams_that_are_closed_or_full_are_no_traceback(
    shell: Shell, arguments: str, code: int, words: bytes
) -> None:
    done = shell(arguments)
    assert (done.returncode, done.stderr) == (code, words)


def test_signs_that_the_terminal_lacks_are_named(shell: Shell, script: Script) -> None:
    base_url = script([r"\boxed{\text{π and 数}}"])
    solve = f"solve x --samples 1 --mode text --base-url '{base_url}'"
    done = shell(solve, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"Answer: \\text{<U+03C0> and <U+6570>}" in done.stdout
    assert b"########" in done.stdout
    done = shell(f"{solve} --json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["answer"] == r"\text{π and 数}"


def test_json_holds_nothing_that_a_terminal_obeys(tir: RunTir, script: Script) -> None:
    evil = "1\x9b2J\u202e😀"
    base_url = script([rf"\boxed{{\text{{{evil}}}}}"])
    done = tir("solve", "x", "--samples", "1", "--mode", "text", "--json", "--base-url", base_url)
    assert json.loads(done.stdout)["answer"] == rf"\text{{{evil}}}"
    assert not {"\x9b", "\u202e"} & set(done.stdout)
    assert "😀" in done.stdout


def test_folder_that_cannot_be_used_gets_one_sentence(tir: RunTir, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments in (["runs"], ["serve", "--stop"]):
        done = tir(
            *arguments,
            JUPYTER_DATA_DIR=str(tmp_path / "file"),
            JUPYTER_RUNTIME_DIR=str(tmp_path / "file"),
        )
        assert done.returncode in (2, 3)
        assert done.stderr.count("\n") == 1
        assert str(tmp_path / "file") in done.stderr


def test_problem_file_without_an_end_is_refused(tir: RunTir) -> None:
    done = tir("solve", "-f", "/dev/zero")
    assert done.returncode == 2
    assert "/dev/zero holds more than 16,777,216 bytes" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_from_outside_stops_as_ctrl_c_does(
    environment: dict[str, str],
    script: Script,
    number: signal.Signals,
    below: Callable[[int], set[int]],
    assert_gone: Callable[[set[int]], None],
) -> None:
    base_url = script([r"\boxed{7}"], [ENDLESS], [SILENT])
    process = start_solving(
        environment, "--base-url", base_url, "--samples", "3", "--timeout", "30"
    )
    record = wait_for_record(environment, b"cell 1: started")
    wait_for_record(environment, b"sample 1: answered")
    children = below(process.pid)
    assert children
    # A closed terminal sends it twice.
    process.send_signal(number)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert b"Stopped by the user" in out
    assert json.loads(record.read_bytes().splitlines()[-1])["status"] == "stopped"
    assert_gone(children)
    assert not list(Path(environment["TMPDIR"]).glob("tir-*"))


def test_signal_that_was_ignored_for_us_stays_ignored(
    environment: dict[str, str], script: Script
) -> None:
    slow = {"text": r"\boxed{7}", "first_token_ms": 1500}
    solving = [sys.executable, "-m", "jupyterlab_tir", "solve", "x", "--samples", "1"]
    process = subprocess.Popen(
        ["nohup", *solving, "--mode", "text", "--base-url", script([slow])],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_for_record(environment, b"run-started")
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert b"Answer: 7" in out


def test_killed_process_leaves_the_cursor_visible(
    environment: dict[str, str], script: Script
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab_tir", "solve", "x", "--base-url", script([SILENT])],
        env={**environment, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    end = time.monotonic() + 60
    try:
        while not re.search(rb"[1-9] running", drawn):
            assert time.monotonic() < end
            drawn += os.read(ours, 4096)
    finally:
        process.kill()
        process.wait(timeout=30)
        os.close(ours)
    assert drawn.rindex(b"\x1b[?25h") > drawn.rindex(b"\x1b[?25l")
