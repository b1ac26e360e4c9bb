"""Writing a run's record: one JSON object a line, as it happens.

A killed process leaves a record that can be read up to the moment of its death. Who writes a record
holds a lock on it, so that no two processes go on with the same run.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from .. import paths
from ..errors import RecordError
from ..events import LIVE_ONLY, Event
from .locks import lock, unlock
from .reader import Record, decode_record

_UNLOCKABLE = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class _LockedFile:
    """A record's file and the lock on it; None once it was given up."""

    path: Path
    _file: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give it up: somebody else may go on with it."""
        if self._file is not None:
            unlock(self._file)
            self._file = None


class HeldRecord(_LockedFile):
    """A record of a run that is over, read while nobody else can write it.

    Parameters
    ----------
    path
        Its file.

    Attributes
    ----------
    record
        What it holds.

    Raises
    ------
    RecordError
        If it cannot be read, written or locked, is damaged, or its run is still going on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = self._open()
        try:
            self._lock()
            written = self._read()
            self.record: Record = decode_record(path, written)
        except BaseException:
            self.close()
            raise
        self._whole = _whole_part(written, len(self.record.events))
        self._size = len(written)

    def _open(self) -> int:
        # O_NONBLOCK, since a pipe of such a name would be waited for.
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            return os.open(self.path, flags)
        except OSError as error:
            raise RecordError(
                f"The record {self.path} cannot be continued ({error.strerror}): name the id of a "
                "run, or a record that you may write."
            ) from None

    @property
    def _number(self) -> int:
        if self._file is None:
            raise RuntimeError("a record that was given up cannot be used")
        return self._file

    def _lock(self) -> None:
        try:
            lock(self._number)
        except BlockingIOError:
            raise RecordError(
                f"The run {self.path.stem} is still going on, here or in another process: stop it, "
                "or wait until it is over."
            ) from None
        except OSError as error:
            raise RecordError(
                f"The record {self.path} cannot be locked against other writers "
                f"({error.strerror}): move it to a disk of this machine."
            ) from None

    def _read(self) -> bytes:
        written = bytearray()
        try:
            while part := os.pread(self._number, 2**20, len(written)):
                written += part
        except OSError as error:
            words = f"The record {self.path} cannot be read ({error.strerror})."
            raise RecordError(words) from None
        return bytes(written)

    def take_over(self) -> int:
        """Leave out a last line that was not written to its end, and hand over file and lock.

        Raises
        ------
        RecordError
            If the file cannot be changed, or was changed although it was locked.
        """
        file = self._number
        try:
            if os.fstat(file).st_size != self._size:
                raise RecordError(
                    f"The record {self.path} was changed by another program: continue it again."
                )
            os.ftruncate(file, len(self._whole))
            if not self._whole.endswith(b"\n"):
                os.write(file, b"\n")
        except OSError as error:
            raise RecordError(
                f"The record {self.path} cannot be written ({error.strerror}): make room for it."
            ) from None
        self._file = None
        return file


def _whole_part(written: bytes, events: int) -> bytes:
    """What is written up to the last of so many events, each of which is a line."""
    end = 0
    while events:
        start, end = end, written.find(b"\n", end) + 1 or len(written)
        events -= bool(written[start:end].strip(b"\n"))
    return written[:end]


class RecordWriter(_LockedFile):
    """Appends the events of one run to its file (mode 0600), which it holds locked.

    Parameters
    ----------
    run
        Id of a new run, which names the file; or the record of one that goes on.
    on_failure
        Called once with a sentence if the disk takes no more; the run goes on unrecorded.

    Raises
    ------
    RecordError
        If the file cannot be made, or written.
    """

    def __init__(self, run: str | HeldRecord, on_failure: Callable[[str], None]) -> None:
        self._on_failure = on_failure
        self._encoder = msgspec.json.Encoder()
        if isinstance(run, HeldRecord):
            self.path = run.path
            self._file = run.take_over()
        else:
            self.path, self._file = _make(run)

    def write(self, event: Event) -> None:
        """Append an event as one line, in one write where the disk allows it."""
        if self._file is None or isinstance(event, LIVE_ONLY):
            return
        line = memoryview(self._encoder.encode(event) + b"\n")
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            self.close()
            self._on_failure(
                f"The record {self.path} ends here: {error.strerror}; the run goes on, but what "
                "comes now is not kept: make room before the next one."
            )


def _make(run_id: str) -> tuple[Path, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
    try:
        path = paths.records_dir() / f"{run_id}.jsonl"
        file = os.open(path, flags, 0o600)
    except OSError as error:
        raise RecordError(
            f"The run's record {error.filename} cannot be made ({error.strerror}): make room "
            "for it, or name another data folder with JUPYTER_DATA_DIR."
        ) from None
    try:
        lock(file)
    except OSError as error:
        # Some network file systems lock nothing; a run is recorded there all the same.
        if error.errno not in _UNLOCKABLE:
            os.close(file)
            raise RecordError(f"The record {path} cannot be locked ({error.strerror}).") from None
    return path, file
