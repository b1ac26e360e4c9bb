"""Records when the world fails: a full disk, no folder, a process that is killed."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.events import AnyEvent, Noticed, RunStarted
from jupyterlab_tir.record import RecordWriter, find_record, list_records, read_record
from jupyterlab_tir.voting import SampleOutcome

RunOf = Callable[[Sequence[SampleOutcome]], list[AnyEvent]]


@pytest.mark.usefixtures("jupyter")
def test_full_disk_is_told_once_and_the_run_goes_on(
    run_of: RunOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = run_of([SampleOutcome(sample=n, status="no-answer") for n in range(5)])
    told: list[str] = []
    write, room = os.write, [2000]

    def write_while_there_is_room(file: int, data: memoryview) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(file, data[: min(room[0], 700)])
        room[0] -= written
        return written

    monkeypatch.setattr(os, "write", write_while_there_is_room)
    with RecordWriter("a-run", told.append) as writer:
        for event in events:
            writer.write(event)
    monkeypatch.undo()
    assert told == [
        (
            f"The record {writer.path} ends here: No space left on device; the run goes on, but "
            "what comes now is not kept: make room before the next one."
        )
    ]
    assert writer.path.stat().st_size == 2000
    record = read_record(writer.path)
    assert record.cut_short
    assert 1 < len(record.events) < len(events)
    assert record.events == tuple(events[: len(record.events)])


@pytest.mark.usefixtures("jupyter")
def test_telling_of_a_full_disk_may_itself_be_an_event(
    run_started: RunStarted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    told: list[str] = []

    def tell(words: str) -> None:
        told.append(words)
        writer.write(Noticed(detail=words))

    with RecordWriter("a-run", tell) as writer:
        monkeypatch.setattr(os, "write", no_room)
        writer.write(run_started)
        writer.write(run_started)
        monkeypatch.undo()
    assert len(told) == 1


def test_size_limit_of_the_process_is_a_full_disk(jupyter: Path, run_started: RunStarted) -> None:
    script = textwrap.dedent(
        """
        import resource, sys
        import msgspec
        from jupyterlab_tir.events import RunStarted, Noticed
        from jupyterlab_tir.record import RecordWriter

        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        started = msgspec.json.decode(sys.stdin.buffer.read(), type=RunStarted)
        told = []
        with RecordWriter("a-run", told.append) as writer:
            writer.write(started)
            for seq in range(1, 200):
                writer.write(Noticed(seq=seq, detail="x" * 100))
        print(len(told), told[0])
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=msgspec.json.encode(run_started),
        capture_output=True,
        check=True,
        timeout=60,
    )
    path = jupyter / "data" / "tir" / "runs" / "a-run.jsonl"
    assert done.stdout.decode() == (
        f"1 The record {path} ends here: File too large; the run goes on, but what comes now is "
        "not kept: make room before the next one.\n"
    )
    assert path.stat().st_size == 4096
    events = read_record(path).events
    assert len(events) > 10
    assert [event.seq for event in events] == list(range(len(events)))


def test_folder_that_cannot_be_made_is_named(jupyter: Path) -> None:
    (jupyter / "data").write_text("a file, not a folder")
    with pytest.raises(RecordError) as caught:
        RecordWriter("a-run", print)
    assert str(caught.value) == (
        f"The run's record {jupyter / 'data' / 'tir'} cannot be made (Not a directory): "
        "make room for it, or name another data folder with JUPYTER_DATA_DIR."
    )
    with pytest.raises(RecordError, match=r"^The folder of records .* cannot be used \(Not a dir"):
        list_records()
    with pytest.raises(RecordError, match="cannot be used"):
        find_record("2026")


@pytest.mark.usefixtures("jupyter")
def test_file_is_closed_however_the_run_ends(run_started: RunStarted) -> None:
    def interrupt(writer: RecordWriter) -> None:
        with writer:
            writer.write(run_started)
            raise KeyboardInterrupt

    open_before = len(list(Path("/proc/self/fd").iterdir()))
    writer = RecordWriter("a-run", print)
    with pytest.raises(KeyboardInterrupt):
        interrupt(writer)
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before
    writer.write(run_started)  # after the end: nothing happens
    assert len(read_record(writer.path).events) == 1


def test_killed_process_leaves_a_record_that_can_be_read(
    jupyter: Path, run_started: RunStarted
) -> None:
    script = textwrap.dedent(
        """
        import itertools, sys
        import msgspec
        from jupyterlab_tir.events import Noticed, RunStarted
        from jupyterlab_tir.record import RecordWriter

        started = msgspec.json.decode(sys.stdin.buffer.read(), type=RunStarted)
        with RecordWriter("a-run", sys.exit) as writer:
            writer.write(started)
            for seq in itertools.count(1):
                writer.write(Noticed(seq=seq, detail="ä" * 5000))
        """
    )
    path = jupyter / "data" / "tir" / "runs" / "a-run.jsonl"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(run_started))
        process.stdin.close()
        give_up = time.monotonic() + 60
        while not path.exists() or path.stat().st_size < 1_000_000:
            assert time.monotonic() < give_up
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    record = read_record(path)
    assert record.cut_short
    assert len(record.events) >= 100
    assert all(isinstance(event, Noticed) for event in record.events[1:])
    assert record.events[-1].seq == len(record.events) - 1
