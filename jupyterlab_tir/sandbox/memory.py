"""How much memory this machine has, and how much of it processes hold."""

from __future__ import annotations

import errno
import os
import re
import signal
from pathlib import Path
from typing import Final, NamedTuple

SHARE: Final = 0.5
"""Share of the machine's memory that all child kernels together may take, where nobody says."""

HAS_PROC: Final = Path("/proc/self/smaps_rollup").exists()
"""Whether processes can be measured here: Linux 4.14 and later."""

_LEAST_BUDGET_BYTES: Final = 512 * 1024**2
_CGROUP_LIMITS: Final = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)
_UNKNOWN_MACHINE_BYTES: Final = 4 * 1024**3
_EXITING: Final = 0x4  # PF_EXITING of linux/sched.h
_PENDING: Final = re.compile(r"^SigPnd:\s*([0-9a-f]+)", re.MULTILINE)
_SIGKILL_BIT: Final = 1 << (signal.SIGKILL - 1)


def machine_bytes() -> int:
    """Return the memory that this process may count on: the machine's, or its container's."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):  # not every system says
        total = _UNKNOWN_MACHINE_BYTES
    for path in _CGROUP_LIMITS:
        try:
            total = min(total, int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such file, or no limit ("max")
            continue
    return total


def budget_bytes(share: float = SHARE) -> int:
    """Return the budget of all child kernels together, in bytes.

    Parameters
    ----------
    share
        Share of the machine's memory, above 0 and at most 1.
    """
    return max(int(machine_bytes() * share), _LEAST_BUDGET_BYTES)


class Size(NamedTuple):
    """What a look at a process tells that never waits for it.

    Attributes
    ----------
    resident_bytes
        Bytes in memory, shared or not.
    threads
        How many it has.
    state
        Linux's letter for its main thread; "X" where the process is gone.
    started
        When, in ticks since the machine started: another process of that number has another.
    faults
        Pages that it was given so far; while they stay it holds no more than before.
    cpu_ticks
        Processor time that it used so far.
    """

    resident_bytes: int = 0
    threads: int = 0
    state: str = "X"
    started: int = 0
    faults: int = 0
    cpu_ticks: int = 0


def size(pid: int) -> Size:
    """Return how large a process is; nothing, in state "X", where it is gone or not told."""
    try:
        fields = _stat(f"/proc/{pid}/stat")
        return Size(
            resident_bytes=int(fields[21]) * os.sysconf("SC_PAGE_SIZE"),
            threads=int(fields[17]),
            state=fields[0],
            started=int(fields[19]),
            faults=int(fields[7]) + int(fields[9]),
            cpu_ticks=int(fields[11]) + int(fields[12]),
        )
    except (OSError, IndexError, ValueError):
        return Size()


def is_living(pid: int) -> bool:
    """Say whether any thread of a process still runs and is not about to end.

    The main thread alone does not tell: it can end before the others, and then nothing about the
    process can be read any more.
    """
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - names are all there is
    except OSError:
        return False
    return any(is_living_thread(pid, thread) for thread in threads)


def is_living_thread(pid: int, thread: str) -> bool:
    """Say whether a thread runs, and is neither ending nor about to be killed."""
    folder = f"/proc/{pid}/task/{thread}"
    try:
        fields = _stat(f"{folder}/stat")
        if fields[0] in "ZX" or int(fields[6]) & _EXITING:
            return False
        status = Path(f"{folder}/status").read_text(encoding="ascii", errors="replace")
    except (OSError, IndexError, ValueError):
        return False
    pending = _PENDING.search(status)
    return pending is None or not int(pending[1], 16) & _SIGKILL_BIT


def held_bytes(pid: int) -> int:
    """Return what would be free without a process: its own memory, and its part of what is shared.

    Walks the page tables, a millisecond for a hundred megabytes, and waits while the process
    changes them: never to be called on the event loop.

    Raises
    ------
    OSError
        Where the process is gone, or does not let itself be read.
    """
    with Path(f"/proc/{pid}/smaps_rollup").open(encoding="ascii", errors="replace") as rollup:
        for line in rollup:
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    raise ProcessLookupError(errno.ESRCH, "the process has no memory any more")


def file_system_bytes(pid: int, folder: Path) -> int:
    """Return what the files in a process's own file system take, which is memory too.

    Parameters
    ----------
    pid
        A kernel with a mount namespace of its own.
    folder
        Where that file system is mounted for it.

    Raises
    ------
    OSError
        As for `held_bytes`.
    """
    seen = os.statvfs(f"/proc/{pid}/root{folder}")
    return (seen.f_blocks - seen.f_bfree) * seen.f_frsize


def _stat(path: str) -> list[str]:
    """Return the fields of a `stat` file from the state on, which is the third."""
    # What stands before the last ")" is the process's name, which may hold anything.
    told = Path(path).read_text(encoding="ascii", errors="replace")
    return told.rpartition(")")[2].split()
