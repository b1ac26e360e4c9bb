from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from jupyterlab_tir import paths
from jupyterlab_tir.config import Config
from jupyterlab_tir.events import AnyEvent, RunStarted, SampleEnded, ServerInfo
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.voting import SampleOutcome


@pytest.fixture
def jupyter(jupyter_folders: Path) -> Path:
    """A Jupyter of the test's own: its folders lie in the one returned."""
    return jupyter_folders


@pytest.fixture
def runs(jupyter: Path) -> Path:
    """Folder of the records."""
    folder = paths.records_dir()
    assert folder.is_relative_to(jupyter)
    return folder


@pytest.fixture(scope="session")
def run_started() -> RunStarted:
    return RunStarted(
        run_id="20260102-030405-abcdef",
        created="2026-01-02T03:04:05+00:00",
        version="1.2.3",
        problem=Problem(text="What is $\\frac{1}{3}$? כמה", claim="1/3"),
        settings=msgspec.to_builtins(Config(samples=8)),
        sources={"samples": "option"},
        seed=7,
        temperature=0.7,
        server=ServerInfo(
            base_url="http://127.0.0.1:1/v1",
            source="option",
            product="vLLM",
            version="0.11",
            model="m",
            context=4096,
            dialect="fenced",
            dialect_reason="asked for",
            reasoning=False,
            tokenizes=True,
        ),
        isolation="none",
    )


@pytest.fixture(scope="session")
def run_of(run_started: RunStarted) -> Callable[[Sequence[SampleOutcome]], list[AnyEvent]]:
    """Events of a run that has these outcomes and has not ended."""

    def events(outcomes: Sequence[SampleOutcome]) -> list[AnyEvent]:
        ended = [SampleEnded(outcome=outcome, turns=1, cells=0) for outcome in outcomes]
        return [
            msgspec.structs.replace(event, seq=seq)
            for seq, event in enumerate([run_started, *ended])
        ]

    return events
