"""The box: what the operating system is told to refuse to a child, one file per layer.

Runs in the warm process and in the children that it forks, never in the engine; the standard
library, ctypes and one msgspec struct only. The layers, in the order that holds:

1. once in the warm process, single-threaded: `enter_namespaces` (`namespaces.py`), with which a
   minimal root replaces the machine's files;
2. in each child, single-threaded: `confine` makes the child's own mount namespace and its sized
   file system (`namespaces.py`), drops every privilege (`privileges.py`), sets the limits
   (`rlimits.py`) and what may be opened (`landlock.py`);
3. in each child, after its sockets are bound and its threads run: `seal` says which system calls
   are left to all threads (`seccomp.py`, with the numbers in `syscalls.py`).

`prepare`, called in the warm process before the first fork, is optional and saves each child the
part of the work that is the same for all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from . import landlock, namespaces, privileges, rlimits, seccomp
from .namespaces import WORK_FOLDER

__all__ = ["WORK_FOLDER", "Box", "confine", "enter_namespaces", "prepare", "seal"]


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """What a child is confined to; sent by the engine.

    Attributes
    ----------
    namespaces
        Whether the child gets its own mount namespace and a sized file system for its folder. The
        warm process must have called `enter_namespaces`.
    landlock
        Whether Landlock says which files may be opened.
    seccomp
        Whether system calls are limited to those that computing needs.
    files
        False refuses to open files at all ("nofs"), for machines without Landlock.
    readable
        Paths that may be read, with all that lies beneath them.
    write_bytes
        Bytes that the working folder may hold; 0 gives no folder to write in.
    memory_bytes
        Address space beyond `base_bytes`.
    base_bytes
        Address space that the warm process maps.
    """

    namespaces: bool
    landlock: bool
    seccomp: bool
    files: bool
    readable: tuple[str, ...]
    write_bytes: int
    memory_bytes: int
    base_bytes: int


def prepare(box: Box) -> None:
    """Compute, in the warm process, what is the same for all children; optional."""
    if box.seccomp:
        seccomp.prepare(files=box.files, links=_may_read_links(box), reserving=box.namespaces)
    if box.namespaces or box.landlock or box.seccomp:
        privileges.bar_capabilities()


def enter_namespaces(folder: str, readable: Sequence[str]) -> None:
    """Replace the warm process's view of the machine; once, while single-threaded.

    Parameters
    ----------
    folder
        Holds one subfolder for each kernel; stays at its path, readable and writable.
    readable
        Paths that stay, read-only, with all that lies beneath them.

    Raises
    ------
    OSError
        With words, where the machine does not allow it. The process must then end.
    """
    namespaces.enter(folder, readable)
    privileges.bar_capabilities()


def confine(box: Box, folder: str) -> None:
    """Apply every layer but the last; in the child, while single-threaded.

    Parameters
    ----------
    box
        What to apply.
    folder
        The kernel's own folder, an absolute path: its sockets are bound there, its working folder
        is `w` in it, where the process is when this returns.

    Raises
    ------
    OSError
        With words. The child must then end.
    """
    parent = os.getppid()
    work = f"{folder}/{WORK_FOLDER}"
    if box.namespaces:
        namespaces.hide_others(folder, box.write_bytes)
    os.chdir(work)
    if box.namespaces or box.landlock or box.seccomp:
        privileges.drop_capabilities()
        privileges.forbid_new_privileges()
    privileges.die_with_parent(parent)
    rlimits.limit(address_space_bytes=box.base_bytes + box.memory_bytes, file_bytes=box.write_bytes)
    if box.landlock:
        writable = ["/dev/null", work] if box.write_bytes else ["/dev/null"]
        landlock.restrict(
            readable=box.readable,
            writable=writable,
            sockets=[folder],
            abi=landlock.offered_abi(),
        )


def seal(box: Box) -> None:
    """Limit the system calls of all threads; after sockets are bound and threads run.

    Raises
    ------
    OSError
        With words. The child must then end.
    """
    if box.seccomp:
        seccomp.limit_calls(files=box.files, links=_may_read_links(box), reserving=box.namespaces)


def _may_read_links(box: Box) -> bool:
    """Say whether a child may ask where links lead: where it sees none but the installation's.

    Landlock does not judge that. Without Landlock files can be read anyway, or none at all.
    """
    return box.namespaces or not box.landlock
