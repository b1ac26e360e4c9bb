from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console, RenderableType

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.events import (
    AnyEvent,
    CodeStarted,
    Noticed,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    Saved,
    ServerInfo,
    TurnEnded,
    Verdict,
    VerdictKind,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.voting import Ballot, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted

HOSTILE = "[bold]x[/] \x1b[31m:smile:\u202e\x9b2J"
"""Markup, ANSI codes, an emoji's name, an override: text that no face may obey."""


@pytest.fixture(autouse=True)
def jupyter(jupyter_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Jupyter of the test's own, and a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    return jupyter_folders


@pytest.fixture
def draw() -> Callable[..., str]:
    """What a colour terminal of 80 columns would receive, our own styles left out."""

    def drawn(renderable: RenderableType, width: int = 80) -> str:
        console = Console(
            file=io.StringIO(),
            width=width,
            force_terminal=True,
            color_system=None,
            no_color=True,
            highlight=False,
            legacy_windows=False,
        )
        console.print(renderable)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    return drawn


def said(sample: int, answer: str, **values: Any) -> SampleOutcome:
    ballot = Ballot(answer=canonical(answer), raw=answer, **values)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=1000)


@pytest.fixture
def outcomes() -> list[SampleOutcome]:
    """1/3 weighs 2 + 1, the hostile answer 1, of 8 planned."""
    return [
        said(1, "1/3", entropy=0.0, verification="replayed"),
        said(0, "1/3", entropy=0.0),
        said(2, HOSTILE, entropy=0.0),
        SampleOutcome(sample=3, status="no-answer", reason=HOSTILE),
    ]


@pytest.fixture
def run_events(outcomes: list[SampleOutcome]) -> Callable[..., list[AnyEvent]]:
    """Events of a run of 8 samples: 4 ended, one runs code, one writes, 2 never began."""

    def events(*, verdict: VerdictKind | None = None, ended: bool = True) -> list[AnyEvent]:
        listed: list[AnyEvent] = [
            RunStarted(
                title="run started",
                run_id="20260102-030405-abcdef",
                created="2026-01-02T03:04:05+00:00",
                version="1.2.3",
                problem=Problem(text=f"Problem {HOSTILE}"),
                settings=msgspec.to_builtins(Config(samples=8)),
                sources={},
                seed=7,
                temperature=0.7,
                server=ServerInfo(
                    base_url="http://127.0.0.1:1/v1",
                    source="option",
                    product="vLLM",
                    version="0.11",
                    model=f"model {HOSTILE}",
                    context=4096,
                    dialect="fenced",
                    dialect_reason="asked for",
                    reasoning=False,
                    tokenizes=True,
                ),
                isolation="none",
            ),
            *(SampleStarted(sample=n, sample_seed=n, title=f"sample {n}") for n in range(6)),
            *(
                TurnEnded(
                    sample=sample,
                    turn=0,
                    attempt=0,
                    text=HOSTILE,
                    finish="stop",
                    kind="model",
                    decided_by="model",
                    title=f"turn {HOSTILE}",
                    detail="long " * 40,
                    tokens_in=56_789,
                    tokens_out=1000,
                    ms=1_234_567.8,
                    at_s=1.5,
                )
                for sample in (0, 1, 2)
            ),
            CodeStarted(sample=4, turn=0, cell=0, code="1", at_s=2.0),
            *(SampleEnded(outcome=o, turns=1, cells=0, at_s=3.25) for o in outcomes),
            Noticed(title="notice", detail=f"notice {HOSTILE}", at_s=3.5),
        ]
        if ended:
            counted = tally(outcomes, planned=8, policy=Weighted())
            words = f"words {HOSTILE}"
            listed.append(
                RunEnded(
                    status="answered",
                    reason=f"reason {HOSTILE}",
                    answer="1/3",
                    tally=counted,
                    verdict=verdict and Verdict(verdict=verdict, claim="1/3", words=words),
                    stop=None,
                    saved=Saved(not_started=2, cancelled=2, wasted_tokens=4321),
                    at_s=4.0,
                )
            )
        return [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(listed)]

    return events


@pytest.fixture
def state_of() -> Callable[[Sequence[AnyEvent]], Projection]:
    def state(events: Sequence[AnyEvent]) -> Projection:
        taken = Projection()
        for event in events:
            taken.take(event)
        return taken

    return state
