from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir import paths
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.events import (
    AnyEvent,
    RunEnded,
    RunStarted,
    RunStatus,
    SampleEnded,
    SampleStarted,
    Saved,
    ServerInfo,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.record import Record, RecordWriter
from jupyterlab_tir.voting import Ballot, SampleOutcome, counting_settings, tally


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
        samples = dict.fromkeys(outcome.sample for outcome in outcomes)
        begun = [SampleStarted(sample=sample, sample_seed=sample) for sample in samples]
        ended = [SampleEnded(outcome=outcome, turns=1, cells=0) for outcome in outcomes]
        return [
            msgspec.structs.replace(event, seq=seq)
            for seq, event in enumerate([run_started, *begun, *ended])
        ]

    return events


def said(sample: int, answer: str, *, tokens: int = 100, **values: Any) -> SampleOutcome:
    ballot = Ballot(answer=canonical(answer), raw=answer, **{"entropy": 0.0, **values})
    return SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=tokens)


def write(run_id: str, events: Sequence[AnyEvent]) -> Path:
    """Write a record of these events, which must not fail; returns its path."""

    def fail(words: str) -> None:
        raise AssertionError(words)

    with RecordWriter(run_id, fail) as writer:
        for event in events:
            writer.write(event)
    return writer.path


class Making:
    """Makes a record as a run of these settings would write it; samples end as they are given."""

    def __init__(self, started: RunStarted, **values: Any) -> None:
        config = Config(**{"mode": "text", **values})
        self.started = msgspec.structs.replace(started, settings=msgspec.to_builtins(config))
        self.events: list[AnyEvent] = [self.started]
        self.planned = config.samples

    def begin(self, *samples: int) -> Making:
        self.events += [SampleStarted(sample=n, sample_seed=n) for n in samples]
        return self

    def end(self, *outcomes: SampleOutcome, interrupted: bool = False) -> Making:
        self.events += [
            SampleEnded(outcome=o, turns=1, cells=0, interrupted=interrupted) for o in outcomes
        ]
        return self

    def record(self, *, whole: bool = True, status: RunStatus = "answered") -> Record:
        outcomes = [e.outcome for e in self.events if isinstance(e, SampleEnded)]
        policy = counting_settings(self.started.settings).policy_of_run()
        counted = tally(outcomes, planned=self.planned, policy=policy)
        leader = counted.leader
        ended = RunEnded(
            status=status,
            reason="",
            answer=leader.shown if leader else None,
            tally=counted,
            verdict=None,
            stop=None,
            saved=Saved(not_started=0, cancelled=0, wasted_tokens=0),
        )
        events = [*self.events, *([ended] if whole else [])]
        return Record(
            path=Path("a-run.jsonl"),
            started=self.started,
            events=tuple(msgspec.structs.replace(e, seq=n) for n, e in enumerate(events)),
            cut_short=not whole,
        )


@pytest.fixture
def making(run_started: RunStarted) -> Callable[..., Making]:
    return lambda **values: Making(run_started, **values)
