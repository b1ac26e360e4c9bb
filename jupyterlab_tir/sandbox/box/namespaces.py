"""Namespaces: a machine of one's own, in which nothing else exists.

`enter` gives the warm process its own users, mounts, network, System V objects and host name, and
replaces its root by one that holds a few read-only folders and the folder of the kernels. There is
no `/proc`: no other process and no environment can be read. `hide_others` gives each child its own
mounts, in which the folders of other kernels do not exist, and a file system of fixed size. Neither
can be undone: `privileges.py` takes the capability for it, and `seccomp.py` the system calls.

Mounts are made as detached trees (`open_tree`, Linux 5.12), so that it does not matter what hides
what while the new root is put together.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from .libc import call, syscall

_CLONE_NEWNS = 0x0002_0000
_CLONE_NEWUTS = 0x0400_0000
_CLONE_NEWIPC = 0x0800_0000
_CLONE_NEWUSER = 0x1000_0000
_CLONE_NEWNET = 0x4000_0000

# The numbers are the same on every architecture.
_OPEN_TREE = 428
_MOVE_MOUNT = 429
_MOUNT_SETATTR = 442

_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_AT_RECURSIVE = 0x8000
_OPEN_TREE_CLONE = 1
_MOVE_MOUNT_F_EMPTY_PATH = 4

_ATTR_RDONLY = 1
_ATTR_NOSUID = 2
_ATTR_NODEV = 4
_ATTR_NOEXEC = 8

_MS_NOSUID = 2
_MS_NODEV = 4
_MS_NOEXEC = 8
_MS_REC = 0x4000
_MS_PRIVATE = 0x4_0000
_MNT_DETACH = 2

WORK_FOLDER = "w"
"""Name of the folder that a kernel works in, in its own."""

_HOST_NAME = b"kernel"
_MOST_LINKS = 40
# Inodes are memory of the kernel's that no size limits; one for each 16 KiB, within reason.
_BYTES_PER_INODE = 16 * 1024
_FEWEST_INODES = 64
_MOST_INODES = 4096


def enter(folder: str, readable: Sequence[str]) -> None:
    """Put this process into namespaces of its own with a minimal root; while single-threaded.

    Parameters
    ----------
    folder
        Stays at its path, writable, on the machine's own file system.
    readable
        Paths that stay, read-only; those that do not exist are passed over.

    Raises
    ------
    OSError
        With words. The process is then good for nothing but to say so and end.
    """
    user, group = os.getuid(), os.getgid()
    call(
        "user namespaces are not allowed here",
        "unshare",
        _CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS,
    )
    _write_map("setgroups", "deny")
    _write_map("uid_map", f"{user} {user} 1")
    _write_map("gid_map", f"{group} {group} 1")
    call("hiding the host's name", "sethostname", _HOST_NAME, len(_HOST_NAME))
    call("making mounts private", "mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)

    links, roots = _layout([*readable, folder])
    kept = os.path.realpath(folder)
    read_only = _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV
    trees = {path: _detached(path, _attributes(path, read_only)) for path in roots if path != kept}
    kept_tree = _detached(kept, _ATTR_NOSUID | _ATTR_NODEV | _ATTR_NOEXEC)

    # Any folder will do to put the new root on: it is seen there by this process only.
    _mount_tmpfs(kept, "size=256k,nr_inodes=1024,mode=755")
    for path, tree in trees.items():
        _attach(tree, kept + path)
    for path, target in links.items():
        with contextlib.suppress(FileExistsError):
            _parents(kept + path)
            Path(kept + path).symlink_to(target)
    _attach(kept_tree, kept + kept)

    os.chdir(kept)
    # The old root comes to lie on the new one, and is then taken off it.
    call("replacing the root folder", "pivot_root", b".", b".")
    call("taking the old root folder away", "umount2", b".", _MNT_DETACH)
    os.chdir("/")
    _set_attributes(_AT_FDCWD, b"/", _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0)


def hide_others(folder: str, write_bytes: int) -> None:
    """Give this child mounts of its own, in which `folder` is the only one of its kind.

    Parameters
    ----------
    folder
        The kernel's own folder; the one that holds it appears to hold nothing else.
    write_bytes
        Size of the file system mounted on `w` in it; 0 mounts none.
    """
    call("making a mount namespace", "unshare", _CLONE_NEWNS)
    own = _detached(folder, 0)
    _mount_tmpfs(str(Path(folder).parent), "size=64k,nr_inodes=8,mode=555")
    _attach(own, folder)
    if write_bytes:
        inodes = min(max(write_bytes // _BYTES_PER_INODE, _FEWEST_INODES), _MOST_INODES)
        _mount_tmpfs(f"{folder}/{WORK_FOLDER}", f"size={write_bytes},nr_inodes={inodes},mode=700")


def _write_map(name: str, text: str) -> None:
    try:
        Path("/proc/self", name).write_text(text, encoding="ascii")
    except OSError as error:
        words = f"user namespaces are not allowed here: {name}: {error.strerror}"
        raise OSError(error.errno, words) from None


def _layout(paths: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return the symbolic links on the way to `paths`, and what to mount, outermost only."""
    links: dict[str, str] = {}
    real = {os.path.realpath(path) for path in paths if _record_links(path, links, _MOST_LINKS)}
    roots = [path for path in sorted(real) if real.isdisjoint(map(str, Path(path).parents))]
    beneath = {path for path in links if not set(roots).isdisjoint(map(str, Path(path).parents))}
    return {path: target for path, target in links.items() if path not in beneath}, roots


def _record_links(path: str, links: dict[str, str], most: int) -> bool:
    """Note each link on the way to `path`; return whether it leads to something."""
    done = ""
    parts = Path(path).parts[1:]
    for index, part in enumerate(parts):
        here = f"{done}/{part}"
        try:
            mode = os.lstat(here).st_mode
        except OSError:
            return False
        if stat.S_ISLNK(mode):
            target = str(Path(here).readlink())
            links[here] = target
            rest = os.path.normpath(Path(done or "/", target, *parts[index + 1 :]))
            return most > 0 and _record_links(rest, links, most - 1)
        done = here
    return True


def _attributes(path: str, wanted: int) -> int:
    """Return the attributes for a mount of `path`: a device must stay one."""
    if stat.S_ISCHR(Path(path).stat().st_mode):
        return wanted & ~_ATTR_NODEV | _ATTR_NOEXEC
    return wanted


def _detached(path: str, attributes: int) -> int:
    """Return a descriptor of a copy of the mounts at `path`, to be attached elsewhere."""
    name = os.fsencode(path)
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    tree = syscall(f"taking {path} over", _OPEN_TREE, _AT_FDCWD, name, flags)
    if attributes:
        _set_attributes(tree, b"", attributes, _AT_EMPTY_PATH | _AT_RECURSIVE)
    return tree


def _set_attributes(descriptor: int, path: bytes, attributes: int, flags: int) -> None:
    # Only adds: what the machine's owner forbids on a mount stays forbidden.
    packed = struct.pack("4Q", attributes, 0, 0, 0)
    doing = "making mounts read-only"
    syscall(doing, _MOUNT_SETATTR, descriptor, path, flags, packed, len(packed))


def _attach(tree: int, path: str) -> None:
    """Mount a detached tree at `path`, made for it, and close its descriptor."""
    _parents(path)
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        Path(path).mkdir(exist_ok=True)
    else:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o444))
    target = os.fsencode(path)
    flags = _MOVE_MOUNT_F_EMPTY_PATH
    syscall(f"mounting {path}", _MOVE_MOUNT, tree, b"", _AT_FDCWD, target, flags)
    os.close(tree)


def _parents(path: str) -> None:
    Path(path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)


def _mount_tmpfs(path: str, options: str) -> None:
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    name = os.fsencode(path)
    call(f"mounting a tmpfs on {path}", "mount", b"tmpfs", name, b"tmpfs", flags, options.encode())
