"""Private folders of child kernels: made with mode 0700, removed whatever lies in them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import itertools
import os
import stat
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from jupyterlab_tir.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

# A Unix socket path may hold 107 bytes; "/999999/s-5" is what follows the folder.
_LONGEST_FOLDER_BYTES = 107 - len("/999999/s-5")
_ENTRIES_BETWEEN_YIELDS = 256
_PREFIX = "tir-kernels-"
_LOCK = "lock"
_FORGOTTEN_AFTER_S = 60.0


class PrivateFolder:
    """A folder, mode 0700, with a path short enough for sockets inside, locked while it is used.

    The lock tells a later process which folders belong to nobody any more: one whose owner was
    killed cannot have removed its own.

    Attributes
    ----------
    path
        The folder.

    Raises
    ------
    UsageError
        Where the folder for temporary files has too long a path and /tmp cannot be used instead.
    """

    def __init__(self) -> None:
        while True:
            self.path = _make_folder()
            try:
                self._lock = os.open(
                    self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
                )
                if _locked_first(self.path, self._lock):
                    return
            except FileNotFoundError:  # taken for abandoned: we were stopped for long just now
                continue
            except OSError as error:
                raise UsageError(
                    f"The folder for child kernels {self.path} cannot be used ({error.strerror}): "
                    "make room for it, or close what keeps many files open."
                ) from None
            os.close(self._lock)

    async def remove(self) -> None:
        """Remove the folder and release the lock.

        What cannot be removed now is left to a later process (`remove_abandoned`): hostile code
        may have left a process behind that still writes there, and no answer is lost for that.
        """
        try:
            with contextlib.suppress(OSError):
                await remove_folder(self.path, last=_LOCK)
        finally:
            os.close(self._lock)


async def remove_abandoned() -> None:
    """Remove the private folders of this user whose owners are gone."""
    for found in itertools.chain.from_iterable(
        Path(parent).glob(f"{_PREFIX}*")  # noqa: ASYNC240 - a short list
        for parent in _parents()
    ):
        # Another process may use the folder, or be removing it. And hostile code may have left
        # what nobody can remove (a lock that is a link, say): no later run may fail for that.
        with contextlib.suppress(OSError):
            if found.lstat().st_uid == os.geteuid():
                await _remove_if_abandoned(found)


async def _remove_if_abandoned(folder: Path) -> None:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        # Its owner was killed before it made the lock, or after it removed it.
        changed = os.stat(folder, follow_symlinks=False).st_mtime  # noqa: PTH116 - ASYNC240
        if time.time() - changed > _FORGOTTEN_AFTER_S:
            await remove_folder(folder)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        await remove_folder(folder, last=_LOCK)
    finally:
        os.close(lock)


def _locked_first(folder: Path, lock: int) -> bool:
    """Lock a new folder; say whether no other process took it for abandoned just before."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fstat(lock).st_ino == (folder / _LOCK).stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        return False


def _parents() -> tuple[str, ...]:
    """Return where private folders are made: /tmp where the usual folder does not do."""
    return tuple(dict.fromkeys((tempfile.gettempdir(), "/tmp")))  # noqa: S108 - mkdtemp is private


def _make_folder() -> Path:
    refusals: list[str] = []
    for parent in _parents():
        try:
            folder = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
        except OSError as error:
            refusals.append(str(error))
            continue
        if len(os.fsencode(folder)) <= _LONGEST_FOLDER_BYTES:
            return Path(folder)
        Path(folder).rmdir()
        refusals.append(f"{parent} has too long a path for Unix sockets")
    raise UsageError(
        f"No folder for child kernels could be made ({'; '.join(refusals)}); "
        "set TMPDIR to a writable folder with a short path."
    )


async def remove_folder(folder: Path, *, last: str | None = None) -> None:
    """Remove `folder` and all that it holds, letting other tasks run in between.

    What is mounted in it is not entered: code that may mount (root's, where nothing confines it)
    could have put any folder of the machine there.

    Written for folders that hostile code filled: nested without end, unreadable, full of links.
    Nested folders are first moved up to the top, so that neither recursion nor path length nor
    open files grow with the depth; links are removed, never followed.

    Parameters
    ----------
    folder
        What to remove.
    last
        Name of a file in it that is removed after all else; None where the order is no matter.

    Raises
    ------
    OSError
        Where something cannot be removed, such as a file owned by another user.
    """
    try:
        os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101 - ASYNC240
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    numbers = itertools.count()
    try:
        mount = _mount_of(top)
        while subfolders := await _empty_top(top, last):
            for name in subfolders:
                _refuse_mount(name, top, mount)
                _make_readable(name, top)
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
                try:
                    await _empty_into(top, inner, mount, numbers)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
        if last is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(last, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(folder)  # noqa: PTH106 - ASYNC240


async def _empty_top(top: int, last: str | None) -> list[str]:
    """Unlink the files of `top`, but for `last`; return the names of its subfolders."""
    subfolders: list[str] = []
    async for entry in _entries(top):
        if entry.is_dir(follow_symlinks=False):
            subfolders.append(entry.name)
        elif entry.name != last:
            os.unlink(entry.name, dir_fd=top)
    return subfolders


async def _empty_into(top: int, folder: int, mount: str, numbers: itertools.count[int]) -> None:
    """Unlink the files of `folder` and move its subfolders into `top`, which lies on `mount`."""
    async for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            _refuse_mount(entry.name, folder, mount)
            # A folder that is not writable cannot be moved: its ".." entry would change.
            _make_readable(entry.name, folder)
            os.rename(entry.name, _free_name(top, numbers), src_dir_fd=folder, dst_dir_fd=top)
        else:
            os.unlink(entry.name, dir_fd=folder)


async def _entries(folder: int) -> AsyncIterator[os.DirEntry[str]]:
    """Yield what a folder holds now, letting other tasks run in between."""
    with os.scandir(folder) as entries:
        listed = list(entries)
    for index, entry in enumerate(listed):
        if index % _ENTRIES_BETWEEN_YIELDS == _ENTRIES_BETWEEN_YIELDS - 1:
            await asyncio.sleep(0)
        yield entry


def _refuse_mount(name: str, parent: int, mount: str) -> None:
    """Refuse to touch a folder on which something is mounted.

    Raises
    ------
    OSError
        Where something is.
    """
    flags = os.O_DIRECTORY | os.O_NOFOLLOW | getattr(os, "O_PATH", os.O_RDONLY)
    folder = os.open(name, flags, dir_fd=parent)
    try:
        if _mount_of(folder) != mount:
            raise OSError(errno.EBUSY, "something is mounted there", name)
    finally:
        os.close(folder)


def _mount_of(descriptor: int) -> str:
    """Return what tells the mount that a descriptor lies on from others."""
    try:
        told = Path(f"/proc/self/fdinfo/{descriptor}").read_text(encoding="ascii")
        return next(line for line in told.splitlines() if line.startswith("mnt_id:"))
    except (OSError, StopIteration):  # not Linux: there, at least another file system shows
        return f"device {os.fstat(descriptor).st_dev}"


def _make_readable(name: str, parent: int) -> None:
    mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    if stat.S_ISDIR(mode) and stat.S_IMODE(mode) & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(name, stat.S_IRWXU, dir_fd=parent)


def _free_name(top: int, numbers: itertools.count[int]) -> str:
    for number in numbers:
        name = f".removed-{number}"
        try:
            os.stat(name, dir_fd=top, follow_symlinks=False)
        except FileNotFoundError:
            return name
    raise AssertionError  # the count has no end
