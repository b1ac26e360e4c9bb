"""A record that is being written is that of a run that is going on, not of one that was killed."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jupyterlab_tir.record import (
    HeldRecord,
    Record,
    RecordWriter,
    locks,
    read_record,
    reader,
    revote,
)
from jupyterlab_tir.record.locks import is_written

from .conftest import Making, said

pytestmark = pytest.mark.usefixtures("jupyter")


@pytest.fixture
def whole(making: Callable[..., Making]) -> Record:
    """Three of five have begun, and two have ended and say 5, when it has not ended."""
    return making(samples=5).begin(0, 1, 2).end(said(0, "5"), said(1, "5")).record()


@pytest.fixture
def writer(whole: Record) -> Iterator[RecordWriter]:
    """What writes it, and has not written its end yet."""
    with RecordWriter(whole.started.run_id, print) as writing:
        for event in whole.events[:-1]:
            writing.write(event)
        yield writing


def test_run_is_going_on_until_nobody_writes_its_record_any_more(
    writer: RecordWriter, whole: Record
) -> None:
    read = read_record(writer.path)
    assert (read.going_on, read.cut_short, read.ended) == (True, False, None)
    assert read.events == whole.events[:-1]
    writer.close()
    read = read_record(writer.path)
    assert (read.going_on, read.cut_short) == (False, True)


def test_run_that_wrote_its_end_is_over_while_its_record_is_still_held(
    writer: RecordWriter, whole: Record
) -> None:
    writer.write(whole.events[-1])
    read = read_record(writer.path)
    assert (read.going_on, read.cut_short, read.ended) == (False, False, whole.ended)


def test_run_that_ends_while_it_is_read_was_not_cut_short(
    writer: RecordWriter, whole: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends_meanwhile(path: Path) -> bool:
        writer.write(whole.events[-1])
        writer.close()
        return is_written(path)

    monkeypatch.setattr(reader, "is_written", ends_meanwhile)
    read = read_record(writer.path)
    assert (read.going_on, read.cut_short, read.ended) == (False, False, whole.ended)


def test_votes_of_a_run_that_is_going_on_are_counted_as_far_as_they_go(
    writer: RecordWriter,
) -> None:
    found = revote(writer.path, stop="lead:9")
    assert (found.answer, found.samples, found.in_flight) == ("5", 2, 1)
    assert found.remarks == (
        (
            "Planned samples that have not begun yet: 2 of 5; what they would have answered is not "
            "known."
        ),
        "The run is still going on: samples without an end so far: 1.",
    )
    writer.close()
    assert "its process was killed" in revote(writer.path, stop="lead:9").remarks[-1]


def test_who_asks_is_not_taken_for_a_run(writer: RecordWriter) -> None:
    writer.close()
    file = os.open(writer.path, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert not is_written(writer.path)
    finally:
        os.close(file)


def test_who_asks_keeps_no_run_from_going_on(
    writer: RecordWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.close()
    asking = os.open(writer.path, os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    waited: list[float] = []

    def answered(seconds: float) -> None:
        waited.append(seconds)
        os.close(asking)

    monkeypatch.setattr(locks.time, "sleep", answered)
    with HeldRecord(writer.path) as held:
        assert len(waited) == 1
        assert held.record.cut_short
        assert is_written(writer.path)


def test_asking_is_possible_of_what_cannot_be_opened(tmp_path: Path) -> None:
    assert not is_written(tmp_path / "nothing.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    asked = threading.Thread(target=is_written, args=(tmp_path / "pipe.jsonl",), daemon=True)
    asked.start()
    asked.join(10)
    assert not asked.is_alive()
