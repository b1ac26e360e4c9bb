"""What the watch knows of one process, and how it measures it."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from .disk import over_limit
from .memory import HAS_PROC, file_system_bytes, held_bytes, is_living, size

_AT_REST_S: Final = 1.0
_REWEIGH_S: Final = 5.0
_SHARE: Final = 5  # looks at disks take at most this part of the time: a fifth
# The engine's own shortage says nothing about the kernel.
_OURS: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


class Subject:
    """A process that is watched; `look` and `weigh` are called in threads, one at a time.

    Parameters
    ----------
    pid
        The process.
    folder
        The folder that it works in; None where it is not a kernel of ours.
    write_bytes
        What it may hold on disk; 0 where it has no folder to write in.
    own_file_system
        Whether its folder is a sized file system of its own, which is memory.

    Attributes
    ----------
    beside
        How many kernels are watched, this one included.
    gone
        Whether the process has ended, or is ending.
    failure, failures
        Why it could not be measured, and how many times in a row the same way failed.
    over_limit
        Whether it holds more on disk than it may.
    threads
        How many threads it has.
    most_bytes
        What it holds at most, with all that it shares.
    held_bytes
        What would be free without it, as last weighed; at most `most_bytes`.
    """

    def __init__(
        self, pid: int, folder: Path | None, *, write_bytes: int, own_file_system: bool
    ) -> None:
        self._pid = pid
        self._folder = folder
        self._write_bytes = write_bytes
        self._own_file_system = own_file_system and folder is not None
        self._seen = size(pid)
        self._files_bytes = 0
        self._weighed: tuple[int, int, int, float] | None = None
        self._disk_due = 0.0
        self._disk_at = 0.0
        self._disk_cpu_ticks = -1
        self.beside = 1
        self.gone = False
        self.failure = ""
        self._failed: dict[str, int] = {}
        self.over_limit = False

    @property
    def ours(self) -> bool:
        """Whether it is a kernel of ours, which has nothing to hide."""
        return self._folder is not None

    @property
    def failures(self) -> int:
        """How many times in a row the same way of measuring failed."""
        return max(self._failed.values(), default=0)

    @property
    def threads(self) -> int:
        """How many threads it has."""
        return self._seen.threads

    @property
    def most_bytes(self) -> int:
        """What it holds at most."""
        return 0 if self.gone else self._seen.resident_bytes + self._files_bytes

    @property
    def held_bytes(self) -> int:
        """What would be free without it."""
        if self.gone or self._weighed is None:
            return self.most_bytes
        return min(self._weighed[2] + self._files_bytes, self.most_bytes)

    def look(self) -> None:
        """Measure what is cheap, and the disk where that is due."""
        seen = size(self._pid)
        if not HAS_PROC:
            self._look_at_disk()
            return
        self.gone = seen.state == "X" or seen.started != self._seen.started
        if self.gone:
            return
        # Once the main thread has ended the numbers are those of an empty process; what it held
        # before is the better guess.
        if seen.state == "Z":
            self._fail("threads", "its main thread has ended and others run on")
            return
        self._seen = seen
        if self._own_file_system:
            self._measured("files", self._set_files)
        else:
            self._look_at_disk()

    def weigh(self) -> None:
        """Measure what it holds, where that can have changed."""
        if self.gone or not HAS_PROC or self._seen.state == "Z":
            return
        before, now = self._weighed, time.monotonic()
        key = self._seen.resident_bytes, self._seen.faults
        if before is None or before[:2] != key or now - before[3] > _REWEIGH_S:
            self._weighed = None
            self._measured("memory", lambda: self._set_weight(*key, now))

    def has_ended(self) -> bool:
        """Say, at once, whether it ended or is about to."""
        return HAS_PROC and not is_living(self._pid)

    def _set_weight(self, resident_bytes: int, faults: int, now: float) -> None:
        self._weighed = resident_bytes, faults, held_bytes(self._pid), now

    def _set_files(self) -> None:
        if self._folder is not None:
            self._files_bytes = file_system_bytes(self._pid, self._folder)

    def _look_at_disk(self) -> None:
        if self._folder is None or not self._write_bytes:
            return
        began = time.monotonic()
        ran = self._seen.cpu_ticks != self._disk_cpu_ticks
        # Who has not run has not written, but ticks are coarse.
        if began < self._disk_due or not (ran or began - self._disk_at > _AT_REST_S):
            return
        # What it puts beside the folder that it works in, where its sockets lie, counts too.
        self._measured("disk", self._set_over_limit)
        if "disk" in self._failed:
            return  # the next look tries again
        self._disk_cpu_ticks = self._seen.cpu_ticks
        self._disk_at = time.monotonic()
        self._disk_due = self._disk_at + (self._disk_at - began) * _SHARE * self.beside

    def _set_over_limit(self) -> None:
        if self._folder is not None:
            self.over_limit = over_limit(self._pid, self._folder.parent, self._write_bytes)

    def _measured(self, way: str, measure: Callable[[], None]) -> None:
        try:
            measure()
        except OSError as error:
            if error.errno in _OURS:
                raise
            self._fail(way, error.strerror or str(error))
        else:
            self._failed.pop(way, None)

    def _fail(self, way: str, why: str) -> None:
        # Asked afterwards: a process that ends cannot be measured, and is not to blame.
        if is_living(self._pid):
            self.failure = why
            self._failed[way] = self._failed.get(way, 0) + 1
        else:
            self.gone = HAS_PROC
