"""The limits that every system has: the only layer at level "none".

They bound one process. What they cannot bound (the number of kernels, all their memory together)
is counted by the engine.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import resource

_OPEN_FILES = 256
_QUEUED_SIGNALS = 128
_USER_TASKS = 16_384
# A third of what the engine, the server and everybody else get where processors are short. No more:
# the time of cells is a clock's, and idle programs must not eat it up.
_NICER_BY = 5


def mapped_bytes() -> int:
    """Return the address space that this process maps; Linux only."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def limit(*, address_space_bytes: int, file_bytes: int) -> None:
    """Set the limits, none higher than it was allowed to be, and stand back behind others.

    Parameters
    ----------
    address_space_bytes
        Everything that the process may map.
    file_bytes
        Size of the largest file.
    """
    limits = {
        # Data segments leave shared mappings out; only the whole address space bounds them all.
        resource.RLIMIT_AS: address_space_bytes,
        resource.RLIMIT_FSIZE: file_bytes,
        # Each open socket or pipe can pin kernel memory that no limit counts.
        resource.RLIMIT_NOFILE: _OPEN_FILES,
    }
    if sys.platform == "linux":
        limits |= {
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
            # Some machines let users run before everybody else.
            resource.RLIMIT_NICE: 0,
            resource.RLIMIT_RTPRIO: 0,
            # Signals in a queue are counted for the user: other programs need some as well.
            resource.RLIMIT_SIGPENDING: _QUEUED_SIGNALS,
            # Counts every task of the user, so it can only keep threads with tiny stacks from
            # using up the machine's process numbers. Linux exempts root from it.
            resource.RLIMIT_NPROC: _USER_TASKS,
        }
    for kind, wanted in limits.items():
        held = [old for old in resource.getrlimit(kind) if old != resource.RLIM_INFINITY]
        lowered = min([wanted, *held])
        resource.setrlimit(kind, (lowered, lowered))
    _dump_no_core()
    with contextlib.suppress(PermissionError):  # a courtesy to others, not a confinement
        os.nice(_NICER_BY)


def _dump_no_core() -> None:
    """Keep crashes from writing memory to disk, or handing it to a program that collects them.

    Linux asks a limit of 0 before it writes a file, not before it starts such a program; 1 byte is
    too little for a file, and is what stops the program.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    wanted = 1 if sys.platform == "linux" and hard != 0 else 0
    resource.setrlimit(resource.RLIMIT_CORE, (wanted, wanted))
