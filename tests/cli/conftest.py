"""The command line as a user runs it: a process of its own, with Jupyter folders of its own."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox.levels import Offer, choose, probe

OTHER_MACHINE = Path(__file__).parents[1] / "sandbox" / "box" / "other_machine.py"
LANDLOCK_CREATE_RULESET = 444
NO_LANDLOCK = {"refused": {LANDLOCK_CREATE_RULESET: errno.ENOSYS}}

RunTir = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    # Short, since a socket's path may hold 107 bytes only.
    temporary = tempfile.mkdtemp(prefix="tir-test-")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TIR_", "OPENAI_", "JUPYTER"))}
    yield {
        **kept,
        "TMPDIR": temporary,
        # Where the machine offers less these tests are about the command line all the same.
        "TIR_SANDBOX": "best",
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "COLUMNS": "100",
    }
    shutil.rmtree(temporary)


@pytest.fixture
def tir(environment: dict[str, str]) -> RunTir:
    return partial(_run_tir, [], environment)


@pytest.fixture
def tir_without_landlock(environment: dict[str, str]) -> RunTir:
    """`tir` as on an older Linux, or in a container that has no Landlock."""
    wrapper = [sys.executable, "-P", str(OTHER_MACHINE), json.dumps(NO_LANDLOCK)]
    return partial(_run_tir, wrapper, environment)


def _run_tir(
    wrapper: list[str],
    environment: dict[str, str],
    *arguments: str,
    stdin: str | bytes = "",
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*wrapper, sys.executable, "-m", "jupyterlab_tir", *arguments],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**environment, **variables},
        timeout=120,
        check=False,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


@pytest.fixture(scope="session")
def offer() -> Offer:
    """What this machine can confine code with."""
    return asyncio.run(probe())


@pytest.fixture(scope="session")
def best_level(offer: Offer) -> str:
    """The level that `TIR_SANDBOX=best` of the environment above amounts to."""
    return choose("best", offer)


@pytest.fixture
def assert_gone(
    environment: dict[str, str], alive: Callable[[int], bool]
) -> Callable[[set[int]], None]:
    """Wait until the given processes, and all that work in this test's folder, have ended."""

    def check(children: set[int]) -> None:
        end = time.monotonic() + 10
        while left := {pid for pid in children if alive(pid)} | _working_in(environment["TMPDIR"]):
            assert time.monotonic() < end, f"left running: {left}"
            time.sleep(0.1)

    return check


def _working_in(folder: str) -> set[int]:
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            work = str((process / "cwd").readlink())
        except OSError:  # gone, or another user's
            continue
        if work.startswith(folder):
            found.add(int(process.name))
    return found


@pytest.fixture
def script(tmp_path: Path, save_script: Callable[..., str]) -> Callable[..., str]:
    return partial(save_script, tmp_path / "script.json")
