"""The lock that a run holds on its record for as long as it writes it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path

_LOOKS = 5
_LOOK_S = 0.02


def lock(file: int) -> None:
    """Lock an open file against other writers.

    Raises
    ------
    BlockingIOError
        If another one writes it.
    OSError
        If it cannot be locked.
    """
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        # Who only asks `is_written` holds it for a moment.
        time.sleep(_LOOK_S)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def unlock(file: int) -> None:
    """Close a file and end the lock on it, which a forked process may have inherited."""
    with contextlib.suppress(OSError):
        # What cannot be locked cannot be unlocked.
        fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)


def is_written(path: Path) -> bool:
    """Whether a run writes this file now, here or in another process.

    False too where the disk locks nothing: there it cannot be told.

    Examples
    --------
    >>> is_written(Path("/nowhere"))
    False
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        # Shared, so that no two who ask take each other for a run.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        unlock(file)
    return False
