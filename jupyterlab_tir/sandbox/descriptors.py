"""Files that a process has open or mapped and that no folder lists any more."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .memory import is_living_thread

_MOST_TABLES: Final = 8
_MOST_DESCRIPTORS: Final = 50_000
_KCMP: Final = {"x86_64": 312, "aarch64": 272}.get(platform.machine())  # its number
_KCMP_FILES: Final = 2
_REMOVED: Final = re.compile(
    rb"^(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) \S+ \S+ \S+ (?P<inode>\d+) +(?P<path>/.*) "
    rb"\(deleted\)$",
    re.MULTILINE,
)
_libc: Final = ctypes.CDLL(None, use_errno=True)


class TooManyTablesError(Exception):
    """A process has more tables of descriptors, or more descriptors, than are looked through."""


def files_without_a_name(pid: int, folder: Path) -> Iterator[int]:
    """Yield the bytes that are allocated for each such file of a process.

    Parameters
    ----------
    pid
        The process.
    folder
        Where a mapped file must have lain to count: libraries that were replaced while they are
        in use are nobody's fault.

    Raises
    ------
    TooManyTablesError
        Where there are more descriptors than honest code has.
    OSError
        Where the process is gone or does not let itself be read.
    """
    found: set[int] = set()
    for table in _tables(pid):
        for descriptor in os.listdir(table):  # noqa: PTH208 - names are all there is
            try:
                info = os.stat(f"{table}/{descriptor}")  # noqa: PTH116 - as above
            except FileNotFoundError:  # closed meanwhile
                continue
            if stat.S_ISREG(info.st_mode) and info.st_nlink == 0 and info.st_ino not in found:
                found.add(info.st_ino)
                yield info.st_blocks * 512
    yield from _mapped(pid, folder, found)


def _tables(pid: int) -> Iterator[str]:
    """Yield a folder of descriptors for each table: threads can have their own."""
    tables: list[str] = []
    unknown = 0
    for thread in sorted(os.listdir(f"/proc/{pid}/task"), key=lambda name: name != str(pid)):  # noqa: PTH208
        same = [_share_table(int(table), int(thread)) for table in tables]
        if any(same):
            continue
        unknown += None in same
        if len(tables) >= _MOST_TABLES:
            raise TooManyTablesError
        folder = f"/proc/{pid}/task/{thread}/fd"
        try:
            count = len(os.listdir(folder))  # noqa: PTH208
        except OSError:
            if is_living_thread(pid, thread):
                raise
            continue  # the thread ended meanwhile
        if unknown * count > _MOST_DESCRIPTORS:
            raise TooManyTablesError
        # Where Linux does not compare, every thread's table is read.
        if None not in same:
            tables.append(thread)
        yield folder


def _share_table(one: int, other: int) -> bool | None:
    """Say whether two threads have one table; None where Linux does not tell."""
    if _KCMP is None:
        return None
    order = _libc.syscall(_KCMP, one, other, _KCMP_FILES, 0, 0)
    if order >= 0:
        return bool(order == 0)
    # A thread that ended has no table: as good as one that was read.
    return True if ctypes.get_errno() == errno.ESRCH else None


def _mapped(pid: int, folder: Path, found: set[int]) -> Iterator[int]:
    """Yield the bytes of removed files that are mapped, beside those that were found open."""
    largest: dict[int, int] = {}
    told = Path(f"/proc/{pid}/maps").read_bytes()
    if b" (deleted)" not in told:
        return
    below = os.fsencode(folder.resolve()) + b"/"
    for match in _REMOVED.finditer(told):
        inode = int(match["inode"])
        if inode in found or not match["path"].startswith(below):
            continue
        start, end = match["start"].decode(), match["end"].decode()
        try:
            taken = os.stat(f"/proc/{pid}/map_files/{start}-{end}").st_blocks * 512  # noqa: PTH116
            largest[inode] = max(taken, largest.get(inode, 0))
        except OSError:  # takes a capability, and the mapping may be gone
            largest[inode] = largest.get(inode, 0) + int(end, 16) - int(start, 16)
    yield from largest.values()
