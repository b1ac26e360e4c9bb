"""The command line as a user runs it: a process of its own, with Jupyter folders of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

RunTir = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    # Short, since a socket's path may hold 107 bytes only.
    temporary = tempfile.mkdtemp(prefix="tir-test-")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TIR_", "OPENAI_", "JUPYTER"))}
    yield {
        **kept,
        "TMPDIR": temporary,
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "COLUMNS": "100",
    }
    shutil.rmtree(temporary)


@pytest.fixture
def tir(environment: dict[str, str]) -> RunTir:
    def run(
        *arguments: str, stdin: str | bytes = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "jupyterlab_tir", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**environment, **variables},
            timeout=120,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def script(tmp_path: Path, save_script: Callable[..., str]) -> Callable[..., str]:
    return partial(save_script, tmp_path / "script.json")
