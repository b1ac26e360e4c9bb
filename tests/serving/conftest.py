"""A private runtime folder and a plan that launches the fake vLLM of `fake_vllm/`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from jupyterlab_tir.serving.launch import LaunchPlan, stop_server
from jupyterlab_tir.serving.state import process_start, read_state

# Collecting it would import it, and then a vllm would seem to be installed.
collect_ignore = ["fake_vllm"]

FAKE = Path(__file__).parent / "fake_vllm"

MakePlan = Callable[..., LaunchPlan]


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runtime folder of this test alone."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))


@pytest.fixture
async def make_plan(tmp_path: Path, runtime: None) -> AsyncIterator[MakePlan]:  # noqa: ARG001
    """Build a plan for the fake server; keywords are what its docstring names, and `port`.

    A server that the test leaves running is ended.
    """

    def make(*, port: int | None = None, model: str = "fake", **wishes: object) -> LaunchPlan:
        wishes.setdefault("children", str(tmp_path / "children"))
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(FAKE),
            "FAKE_VLLM": json.dumps(wishes),
        }
        return LaunchPlan(
            kind="vllm", python=sys.executable, model=model, environment=environment, port=port
        )

    yield make
    state = read_state()
    if state is not None:
        await stop_server(state)


@pytest.fixture
def children(tmp_path: Path) -> Callable[[], list[int]]:
    """Numbers of the processes that the fake server was and started."""

    def read() -> list[int]:
        path = tmp_path / "children"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    return read


async def all_gone(pids: list[int], limit_s: float = 20.0) -> bool:
    for _ in range(int(limit_s / 0.05)):
        if all(process_start(pid) is None for pid in pids):
            return True
        await asyncio.sleep(0.05)
    return False


@pytest.fixture
def gone() -> Callable[[list[int]], object]:
    """Wait until none of these processes is left; False if one still is after 20 s."""
    return all_gone
