"""Records that go on: what was said last, and the file that only one may write."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.events import (
    AnyEvent,
    Noticed,
    PlanChanged,
    RunContinued,
    RunStarted,
    SampleStarted,
)
from jupyterlab_tir.record import HeldRecord, RecordWriter, read_record
from jupyterlab_tir.voting import SampleOutcome

RunOf = Callable[[Sequence[SampleOutcome]], list[AnyEvent]]


def fail(words: str) -> None:
    raise AssertionError(words)


def write(events: Sequence[AnyEvent], run_id: str = "a-run") -> Path:
    with RecordWriter(run_id, fail) as writer:
        for seq, event in enumerate(events):
            writer.write(msgspec.structs.replace(event, seq=seq))
    return writer.path


@pytest.fixture
def path(jupyter: Path, run_of: RunOf) -> Path:
    """A record of three samples of eight that were not answered."""
    assert jupyter
    return write(run_of([SampleOutcome(sample=n, status="no-answer") for n in range(3)]))


@pytest.fixture
def continued(run_started: RunStarted) -> RunContinued:
    return RunContinued(
        created="2026-01-03T00:00:00+00:00",
        version="1.2.3",
        planned=11,
        settings=run_started.settings | {"samples": 11},
        sources={},
        server=run_started.server,
        isolation="none",
    )


def test_plan_is_what_was_said_last(jupyter: Path, run_of: RunOf, continued: RunContinued) -> None:
    assert jupyter
    events = run_of([SampleOutcome(sample=n, status="no-answer") for n in range(3)])
    said: list[AnyEvent] = [PlanChanged(planned=5), continued, PlanChanged(planned=9)]
    for count, planned in enumerate((8, 5, 11, 9)):
        record = read_record(write([*events, *said[:count]], f"run-{count}"))
        assert (record.planned, record.replay().planned) == (planned, planned)
        assert record.continued is (count >= 2)
        assert record.begun == (record.started if count < 2 else record.events[8])


def test_launched_counts_what_had_begun(jupyter: Path, run_of: RunOf) -> None:
    assert jupyter
    events = run_of([SampleOutcome(sample=0, status="no-answer")])
    assert read_record(write(run_of([]), "none")).launched == 0
    assert read_record(write(events, "one")).launched == 1
    begun = [
        *events,
        SampleStarted(sample=1, sample_seed=1),
        SampleStarted(sample=2, sample_seed=1),
    ]
    assert read_record(write(begun, "three")).launched == 3


def test_who_goes_on_appends_and_leaves_out_what_was_not_written_to_its_end(path: Path) -> None:
    whole = path.read_bytes()
    for tail in (b"", b"\n", b"\n\n", b'{"type":"noticed","seq":7,"deta', b"\xff\xfe", b"{"):
        path.write_bytes(whole + tail)
        with HeldRecord(path) as held, RecordWriter(held, fail) as writer:
            writer.write(Noticed(seq=7, detail="and on"))
        record = read_record(path)
        assert len(record.events) == 8
        assert path.read_bytes().startswith(whole)
    # The last line end may be all that is missing.
    path.write_bytes(whole[:-1])
    with HeldRecord(path) as held, RecordWriter(held, fail) as writer:
        writer.write(Noticed(seq=7, detail="and on"))
    assert path.read_bytes().startswith(whole)
    assert len(read_record(path).events) == 8


def test_record_that_was_only_held_is_not_touched(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b'{"type":"noti')
    before, times = path.read_bytes(), path.stat()
    with HeldRecord(path) as held:
        assert len(held.record.events) == 7
    assert path.read_bytes() == before
    assert path.stat().st_mtime_ns == times.st_mtime_ns


def test_only_one_may_write(path: Path, run_started: RunStarted) -> None:
    sentence = "The run a-run is still going on, here or in another process: stop it, or wait until"
    with HeldRecord(path), pytest.raises(RecordError) as caught:
        HeldRecord(path)
    assert str(caught.value).startswith(sentence)
    with HeldRecord(path) as held, RecordWriter(held, fail):
        with pytest.raises(RecordError, match="is still going on"):
            HeldRecord(path)
        # Reading is for everybody.
        assert len(read_record(path).events) == 7
    with RecordWriter("new", fail) as writer:
        writer.write(run_started)
        with pytest.raises(RecordError, match="is still going on"):
            HeldRecord(writer.path)
    HeldRecord(writer.path).close()


def test_other_processes_are_kept_out_and_a_dead_one_holds_nothing(path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from jupyterlab_tir.record import HeldRecord\n"
        "held = HeldRecord(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(RecordError, match="is still going on"):
            HeldRecord(path)
        process.kill()
        process.wait()
    HeldRecord(path).close()


def test_forked_process_that_lives_on_does_not_hold_the_record(path: Path) -> None:
    with HeldRecord(path) as held, RecordWriter(held, fail):
        script = "import sys; print('there', flush=True); sys.stdin.read()"
        # Hands on every descriptor, as a fork does.
        child = subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[int(fd.name) for fd in Path("/proc/self/fd").iterdir() if _is(fd, path)],
        )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"there\n"
        HeldRecord(path).close()
        child.kill()


def _is(descriptor: Path, path: Path) -> bool:
    try:
        return descriptor.readlink() == path
    except OSError:
        return False


def test_file_that_may_not_be_written_is_refused_in_a_sentence(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(RecordError) as caught:
        HeldRecord(path)
    assert str(caught.value) == (
        f"The record {path} cannot be continued (Permission denied): name the id of a run, or a "
        "record that you may write."
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_read_only_record_is_refused(path: Path) -> None:
    path.chmod(0o400)
    with pytest.raises(RecordError, match=r"cannot be continued \(Permission denied\)"):
        HeldRecord(path)


def test_disk_that_locks_nothing_records_a_run_and_continues_none(
    path: Path, run_started: RunStarted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with RecordWriter("new", fail) as writer:
        writer.write(run_started)
    assert len(read_record(writer.path).events) == 1
    with pytest.raises(RecordError, match="cannot be locked against other writers"):
        HeldRecord(path)


def test_full_disk_leaves_the_record_as_it_was(
    path: Path, continued: RunContinued, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = read_record(path).events
    told: list[str] = []
    written = os.write

    def no_room(file: int, data: memoryview) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written(file, data[: len(data) - 50])

    with HeldRecord(path) as held, RecordWriter(held, told.append) as writer:
        monkeypatch.setattr(os, "write", no_room)
        writer.write(msgspec.structs.replace(continued, seq=7))
        monkeypatch.undo()
    assert told == [
        (
            f"The record {path} ends here: No space left on device; the run goes on, but what "
            "comes now is not kept: make room before the next one."
        )
    ]
    assert read_record(path).events == events
    # With room again it goes on, and the half line is gone.
    with HeldRecord(path) as held, RecordWriter(held, fail) as writer:
        writer.write(msgspec.structs.replace(continued, seq=7))
    assert read_record(path).planned == 11


def test_record_that_another_program_changed_meanwhile_is_refused(path: Path) -> None:
    with HeldRecord(path) as held:
        with path.open("ab") as file:
            file.write(b"x")
        with pytest.raises(RecordError, match="was changed by another program"):
            RecordWriter(held, fail)
    HeldRecord(path).close()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, Path.touch])
def test_what_is_no_record_is_neither_waited_for_nor_kept(
    make: Callable[[Path], None], jupyter: Path
) -> None:
    path = jupyter / "x.jsonl"
    make(path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(RecordError):
        HeldRecord(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
