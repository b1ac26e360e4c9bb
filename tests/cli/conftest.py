"""The command line as a user runs it: a process of its own, with Jupyter folders of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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
def script(tmp_path: Path) -> Callable[..., str]:
    def write(*samples: list[Any], **server: Any) -> str:
        body = {
            "version": 1,
            "server": server,
            "problems": [
                {
                    "contains": "",
                    "samples": [
                        {"turns": [{"text": t} if isinstance(t, str) else t for t in turns]}
                        for turns in samples
                    ],
                }
            ],
        }
        path = tmp_path / "script.json"
        path.write_text(json.dumps(body), encoding="utf-8")
        return f"scripted:{path}"

    return write
