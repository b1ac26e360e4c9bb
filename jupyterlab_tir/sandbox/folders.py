"""Private folders of child kernels: made with mode 0700, removed whatever lies in them."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import itertools
import os
import stat
import tempfile
from pathlib import Path

from jupyterlab_tir.errors import UsageError

# A Unix socket path may hold 107 bytes; "/999999/s-5" is what follows the folder.
_LONGEST_FOLDER_BYTES = 107 - len("/999999/s-5")
_ENTRIES_BETWEEN_YIELDS = 256
_PREFIX = "tir-kernels-"
_LOCK = "lock"


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
        self.path = _make_folder()
        try:
            self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(
                f"The folder for child kernels {self.path} cannot be used ({error.strerror}): "
                "make room for it, or close what keeps many files open."
            ) from None

    async def remove(self) -> None:
        """Remove the folder and release the lock.

        What cannot be removed now is left to a later process (`remove_abandoned`): hostile code
        may have left a process behind that still writes there, and no answer is lost for that.
        """
        try:
            with contextlib.suppress(OSError):
                await remove_folder(self.path)
        finally:
            os.close(self._lock)


async def remove_abandoned() -> None:
    """Remove the private folders of this user whose owners are gone."""
    for found in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):  # noqa: ASYNC240 - a short list
        # Another process may use the folder, or be removing it. And hostile code may have left
        # what nobody can remove (a lock that is a link, say): no later run may fail for that.
        with contextlib.suppress(OSError):
            if found.lstat().st_uid != os.geteuid():
                continue
            lock = os.open(found / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                await remove_folder(found)
            finally:
                os.close(lock)


def _make_folder() -> Path:
    refusals: list[str] = []
    for parent in dict.fromkeys((tempfile.gettempdir(), "/tmp")):  # noqa: S108 - mkdtemp is private
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


async def remove_folder(folder: Path) -> None:
    """Remove `folder` and all that it holds, letting other tasks run in between.

    Written for folders that hostile code filled: nested without end, unreadable, full of links.
    Nested folders are first moved up to the top, so that neither recursion nor path length nor
    open files grow with the depth; links are removed, never followed.

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
        while subfolders := await _empty(top, top, numbers):
            for name in subfolders:
                _make_readable(name, top)
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
                try:
                    await _empty(inner, top, numbers)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(folder)  # noqa: PTH106 - ASYNC240


async def _empty(folder: int, top: int, numbers: itertools.count[int]) -> list[str]:
    """Unlink the files of `folder`; move its subfolders into `top`, or name them if it is `top`."""
    subfolders: list[str] = []
    with os.scandir(folder) as entries:
        listed = list(entries)
    for index, entry in enumerate(listed):
        if index % _ENTRIES_BETWEEN_YIELDS == _ENTRIES_BETWEEN_YIELDS - 1:
            await asyncio.sleep(0)
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.name, dir_fd=folder)
        elif folder == top:
            subfolders.append(entry.name)
        else:
            # A folder that is not writable cannot be moved: its ".." entry would change.
            _make_readable(entry.name, folder)
            os.rename(entry.name, _free_name(top, numbers), src_dir_fd=folder, dst_dir_fd=top)
    return subfolders


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
