"""Watching a kernel's process from outside while its cell runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import time
from pathlib import Path

_EVERY_S = 0.03
_LONGEST_LAG_S = 4.0
_MANY_THREADS = 64


class Peaks:
    """The most that a kernel ever had, and every process that it started.

    Attributes
    ----------
    resident_bytes, threads, written_bytes, entries
        Most memory, threads, bytes in files and names of files seen at one time.
    started
        Command lines of its children, and of the programs that it became.
    """

    def __init__(self, pid: int, folder: Path) -> None:
        self.pid = pid
        self.folder = folder
        self.resident_bytes = self.threads = self.written_bytes = self.entries = 0
        self.started: dict[int, str] = {}
        self._program = _link(f"/proc/{pid}/exe")

    async def watch(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(_EVERY_S)

    def look(self) -> None:
        """Look once."""
        for child in children(self.pid):
            self.started.setdefault(child, f"process {command(child)!r}")
        program = _link(f"/proc/{self.pid}/exe")
        if program and program != self._program:
            self.started[self.pid] = f"program {program}"
        memory, threads = _memory_and_threads(self.pid)
        self.resident_bytes = max(self.resident_bytes, memory)
        self.threads = max(self.threads, threads)
        written, entries = disk_use(self.pid, self.folder)
        self.written_bytes = max(self.written_bytes, written)
        self.entries = max(self.entries, entries)


class Lag:
    """How long the engine's event loop did not turn."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def measure(self) -> None:
        """Measure until cancelled."""
        last = time.monotonic()
        while True:
            await asyncio.sleep(_EVERY_S)
            now = time.monotonic()
            self.longest_s = max(self.longest_s, now - last - _EVERY_S)
            last = now

    def harm(self) -> list[str]:
        """Say whether that was too long; generous, for what looks at a kernel takes time too."""
        held = f"held the engine's event loop for {self.longest_s:.1f} s"
        return [held] * (self.longest_s > _LONGEST_LAG_S)


def children(pid: int) -> list[int]:
    """Return the children of a process, and theirs."""
    found: list[int] = []
    for child in direct_children(pid):
        found += [child, *children(child)]
    return found


def direct_children(pid: int) -> list[int]:
    """Return the children of a process."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        threads = [task.name for task in Path(f"/proc/{pid}/task").iterdir()]
        for thread in threads if len(threads) < _MANY_THREADS else [str(pid)]:
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
                found += map(int, words)
    return found


def end(pids: list[int]) -> None:
    """Kill processes, and reap those that are ours."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def descriptors(pid: int) -> dict[int, str]:
    """Return what the descriptors of a process lead to."""
    return _table(Path(f"/proc/{pid}/fd"))


def _table(folder: Path) -> dict[int, str]:
    found = {}
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            found[int(path.name)] = _link(str(path))
    return found


def thread_descriptors(pid: int) -> int:
    """Count what all threads of a process have open, each with the table that it uses."""
    own = descriptors(pid)
    count = len(own)
    for thread in threads_of(pid):
        table = _table(Path(f"/proc/{pid}/task/{thread}/fd"))
        count += sum(own.get(number) != link for number, link in table.items())
    return count


def threads_of(pid: int) -> list[int]:
    """Return the threads of a process, also where the first has ended."""
    with contextlib.suppress(OSError):
        return [int(path.name) for path in Path(f"/proc/{pid}/task").iterdir()]
    return []


def maps_of(pid: int) -> list[str]:
    """Return the lines of a process's memory map."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines()
    return []


def disk_use(pid: int, folder: Path) -> tuple[int, int]:
    """Return the bytes and names that a kernel's files take, open ones without a name too."""
    with contextlib.suppress(OSError):
        system = os.statvfs(f"/proc/{pid}/cwd")
        if system.f_blocks * system.f_frsize <= 2**30:  # a tmpfs of its own
            used = (system.f_blocks - system.f_bfree) * system.f_frsize
            return used, system.f_files - system.f_ffree
    sizes: dict[tuple[int, int], int] = {}
    entries = 0
    for root, subfolders, files in os.walk(folder):
        entries += len(subfolders) + len(files)
        for name in files:
            with contextlib.suppress(OSError):
                _add(sizes, os.lstat(f"{root}/{name}"))
    for number in descriptors(pid):
        with contextlib.suppress(OSError):
            _add(sizes, Path(f"/proc/{pid}/fd/{number}").stat())
    return sum(sizes.values()), entries


def _add(sizes: dict[tuple[int, int], int], seen: os.stat_result) -> None:
    if stat.S_ISREG(seen.st_mode):
        sizes[seen.st_dev, seen.st_ino] = seen.st_blocks * 512


def _memory_and_threads(pid: int) -> tuple[int, int]:
    memory = threads = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                memory = int(line.split()[1]) * 1024
            elif line.startswith("Threads:"):
                threads = int(line.split()[1])
    return memory, threads


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - what it leads to is not always a path
    except OSError:
        return ""


def command(pid: int) -> str:
    """Return the first words of the command line of a process."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:60]
    return ""
