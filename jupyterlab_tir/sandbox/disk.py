"""How much a child kernel's folder holds, counted from outside and in bounded time.

For kernels without a file system of their own: there the operating system has no limit on all
files together, so somebody must look. Files that were removed while they are open or mapped still
take their place, and count. What cannot be counted is over the limit, or hiding would pay.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .descriptors import TooManyTablesError, files_without_a_name
from .memory import HAS_PROC

LARGEST_ENTRIES: Final = 2_000
"""Files and folders that a kernel may have, as a file system of its own would allow."""

LARGEST_DEPTH: Final = 40
"""Folders within folders; each takes one of our descriptors while it is counted."""

_LEAST_BLOCK_BYTES: Final = 4096
_TRIES: Final = 20
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def over_limit(pid: int, folder: Path, limit_bytes: int) -> bool:
    """Say whether a kernel holds more on disk than it may: in bytes, entries, or depth.

    Not to be called on the event loop: it may wait for the process.

    Parameters
    ----------
    pid
        The kernel's process.
    folder
        The folder that it works in.
    limit_bytes
        What all its files may take.

    Raises
    ------
    OSError
        Where the process or the folder is gone or does not let itself be read.
    """
    unnamed: list[int] = []
    try:
        if HAS_PROC:
            count = _Count(limit_bytes)
            for taken in files_without_a_name(pid, folder):
                count.add(taken)
                unnamed.append(taken)
    except (_OverLimitError, TooManyTablesError):
        return True
    for _ in range(_TRIES):
        count = _Count(limit_bytes, unnamed)
        root = os.open(folder, _FOLDER)
        try:
            _walk(root, count, LARGEST_DEPTH)
            return False
        except _OverLimitError:
            return True
        except _MovedError:  # count again, else a folder that is always on the move never counts
            continue
        finally:
            os.close(root)
    raise BlockingIOError("its folders move faster than they can be counted")


class _OverLimitError(Exception):
    """There is more than allowed, or something that cannot be counted."""


class _MovedError(Exception):
    """A folder was not where it had been listed."""


class _Count:
    """Adds up, and raises as soon as it is too much."""

    def __init__(self, limit_bytes: int, before: Sequence[int] = ()) -> None:
        self._limit_bytes = limit_bytes + _LEAST_BLOCK_BYTES * 16
        self._bytes = 0
        self._entries = 0
        for taken in before:
            self.add(taken)

    def add(self, taken_bytes: int) -> None:
        """Add one file or folder with what is allocated for it, not its size.

        A sparse file takes less than its size, a tiny one more.
        """
        self._bytes += max(taken_bytes, _LEAST_BLOCK_BYTES)
        self._entries += 1
        if self._bytes > self._limit_bytes or self._entries > LARGEST_ENTRIES:
            raise _OverLimitError


def _walk(folder: int, count: _Count, depth: int) -> None:
    """Count what lies below an open folder.

    Goes by descriptors: names joined to a path could be longer than a path may be.
    """
    below: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                info = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # removed meanwhile
                continue
            count.add(info.st_blocks * 512)
            if stat.S_ISDIR(info.st_mode):
                below.append(entry.name)
    if below and not depth:
        raise _OverLimitError
    for name in below:
        try:
            inner = os.open(name, _FOLDER, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            raise _MovedError from None
        except PermissionError:  # it took the right to list from its own folder
            raise _OverLimitError from None
        try:
            _walk(inner, count, depth - 1)
        except PermissionError:
            raise _OverLimitError from None
        finally:
            os.close(inner)
