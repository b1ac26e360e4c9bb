"""Records that were changed by hand: what no run writes is one sentence, whatever asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.record import RecordWriter, read_record, revote

from .conftest import Making, said

HUGE = 10**30
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def change(making: Callable[..., Making], jupyter: Path) -> Callable[[Change], Path]:
    """Write a record of three samples of eight, change each event, and return its file."""
    assert jupyter
    made = making(samples=8, stop="none").begin(0, 1, 2).end(*[said(n, "5") for n in range(3)])

    def write(changing: Change) -> Path:
        # Cut short: no stated tally stands against what is changed.
        with RecordWriter("a-run", print) as writer:
            for event in made.record(whole=False).events:
                writer.write(event)
        events = [json.loads(line) for line in writer.path.read_bytes().splitlines()]
        for event in events:
            changing(event)
        writer.path.write_bytes(b"".join(json.dumps(each).encode() + b"\n" for each in events))
        return writer.path

    return write


def renumber(kind: str, number: int) -> Change:
    def changing(event: dict[str, Any]) -> None:
        if event["type"] == kind:
            held = event["outcome"] if kind == "sample-ended" else event
            held["sample"] = number if held["sample"] == 1 else held["sample"]

    return changing


@pytest.mark.parametrize(
    ("changing", "line", "words"),
    [
        (renumber("sample-started", -7), 3, "no sample has the number -7."),
        (renumber("sample-started", 1024), 3, "no sample has the number 1,024."),
        (renumber("sample-started", 1023), 6, "sample 1 goes on before it began."),
        (renumber("sample-ended", -7), 6, "no sample has the number -7."),
        (renumber("sample-ended", 7), 6, "sample 7 goes on before it began."),
    ],
)
def test_sample_that_no_run_has_is_damage(
    changing: Change, line: int, words: str, change: Callable[[Change], Path]
) -> None:
    path = change(changing)
    with pytest.raises(RecordError) as caught:
        read_record(path)
    assert str(caught.value) == f"The record {path} is damaged at line {line}: {words}"


@pytest.mark.parametrize("planned", [0, -3, 1025, HUGE])
def test_plan_that_no_run_has_is_damage(planned: int, change: Callable[[Change], Path]) -> None:
    def changing(event: dict[str, Any]) -> None:
        if event["type"] == "sample-started" and event["sample"] == 2:
            seq = event["seq"]
            event.clear()
            event |= {"type": "plan-changed", "seq": seq, "planned": planned}

    with pytest.raises(RecordError, match=rf"at line 4: no run plans {planned:,} samples\.$"):
        read_record(change(changing))


@pytest.mark.parametrize("policy", ["weighted", "blocks"])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("max_blocks", (0, -1, 65, 10**18, HUGE)),
        ("samples", (0, -1, 1025, 10**18, HUGE)),
        ("w_code", (0.5, 10.5, 1e308)),
    ],
)
def test_setting_out_of_its_range_cannot_be_counted(
    name: str, values: tuple[float, ...], policy: str, change: Callable[[Change], Path]
) -> None:
    for value in values:

        def changing(event: dict[str, Any], value: float = value) -> None:
            if event["type"] == "run-started":
                event["settings"] |= {name: value, "policy": policy, "mode": "blocks"}

        path = change(changing)
        for asked in ({}, {"policy": "majority", "stop": "lead:2"}, {"policy": "blocks"}):
            with pytest.raises(RecordError, match=rf"cannot be counted \(.*{name}"):
                revote(path, **asked)
        path.unlink()
