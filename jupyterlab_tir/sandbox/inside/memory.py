"""The memory of this process: how much it has taken at most, and a rest for the kernel itself."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
from collections.abc import Callable
from typing import Final

if sys.platform != "win32":
    import resource

_REST_BYTES: Final = 16 * 1024**2
_NESTED: Final = 900  # lists: some 200 kB
_STATUS: Final = "/proc/self/status"
_PEAK: Final = b"VmHWM:"


class PeakMemory:
    """Asks the operating system; in a box, where /proc is not, it does so only once in vain."""

    def __init__(self) -> None:
        self._proc = sys.platform == "linux"

    def bytes(self) -> int | None:
        """Return the highest resident memory of this process, where that can be known."""
        if self._proc:
            try:
                return _from_proc()
            except (OSError, ValueError):  # not there; or the cell has used up the open files
                self._proc = False
        return _from_usage()


def _from_proc() -> int:
    descriptor = os.open(_STATUS, os.O_RDONLY | os.O_CLOEXEC)
    try:
        words = os.read(descriptor, 4096).split()
    finally:
        os.close(descriptor)
    return int(words[words.index(_PEAK) + 1]) * 1024


def _from_usage() -> int | None:
    """As above, for a forked process; a started one inherits the peak of what started it."""
    if sys.platform == "win32":
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def grow_stack() -> None:
    """Let the stack grow now to what a cell and a report of its error need.

    It grows by itself, but not where code has used up all memory: SIGSEGV instead of MemoryError.
    """
    with contextlib.suppress(RecursionError):
        json.loads("[" * _NESTED + "]" * _NESTED)


def keep_rest() -> Callable[[], object]:
    """Leave code a little less address space than the process may have.

    What code has used up must still be reported: the function that is returned allows the process
    all of it. It is one of C, for which Python needs no memory of its own.
    """
    if sys.platform == "win32":
        return bool
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard <= _REST_BYTES:  # none; or one that nothing can live in
        return bool
    try:
        resource.setrlimit(resource.RLIMIT_AS, (hard - _REST_BYTES, hard))
    except (OSError, ValueError):  # in a box that allows no change
        return bool
    return functools.partial(resource.setrlimit, resource.RLIMIT_AS, (hard, hard))
