"""Landlock: which files may be opened, and no TCP, no signals, no abstract sockets outside.

Landlock does not judge `stat`, `chmod`, `chown`, `utime`, extended attributes or opening with
O_PATH, nor, in its first versions, truncation: `seccomp.py` refuses those that matter. It binds
the calling thread and what that starts, so it comes before the first thread.

Versions ("ABI"): 1 files; 2 moving between folders; 3 truncation; 4 TCP; 5 device controls;
6 scopes; 7 and 8 flags of `landlock_restrict_self`; 9 connecting to sockets by path. A newer
Linux keeps what these mean, so the highest known one is asked for.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable

from .libc import syscall

HIGHEST_ABI = 9

# The numbers are the same on every architecture.
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
# Refusals are everyday here, and hostile code must not fill the machine's audit log with them.
_LOG_SAME_EXEC_OFF = 1

_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REMOVE_DIR = 1 << 4
_REMOVE_FILE = 1 << 5
_MAKE_DIR = 1 << 7
_MAKE_REG = 1 << 8
_MAKE_SOCK = 1 << 9
_REFER = 1 << 13
_TRUNCATE = 1 << 14

# Rights on files that exist, at each ABI: 13 bits in the first, then one more each time.
_FS_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16, 8: 16, 9: 17}
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_FIRST_WITH_NETWORK = 4
_FIRST_WITH_SCOPES = 6
_FIRST_WITH_LOG_FLAGS = 7

_ON_A_FILE = _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _READ_FILE | _READ_DIR
# No links, pipes, sockets or devices: computing needs none, and each is a way to somewhere.
_CHANGE_FOLDER = _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER
_WRITE = _ON_A_FILE | _READ_DIR | _CHANGE_FOLDER
_BIND_SOCKETS = _MAKE_SOCK | _REMOVE_FILE


def offered_abi() -> int:
    """Return the highest version that both this Linux and this module know.

    Raises
    ------
    OSError
        Where Linux has no Landlock, or has it switched off.
    """
    doing = "the kernel has no Landlock (it is off, or older than 5.13)"
    version = syscall(doing, _CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    return min(version, HIGHEST_ABI)


def restrict(
    *, readable: Iterable[str], writable: Iterable[str], sockets: Iterable[str], abi: int
) -> None:
    """Leave this thread, and what it starts, only the named paths; needs no_new_privs.

    Parameters
    ----------
    readable
        May be read, with all beneath; paths that cannot be reached are passed over.
    writable
        May be read and written; in a folder, files and folders may be made and removed.
    sockets
        Folders in which sockets may be bound and removed.
    abi
        Version to ask for, at most `offered_abi()`.
    """
    handled = (1 << _FS_BITS[abi]) - 1
    attributes = [handled]
    if abi >= _FIRST_WITH_NETWORK:
        attributes.append(_BIND_AND_CONNECT_TCP)
    if abi >= _FIRST_WITH_SCOPES:
        attributes.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    packed = struct.pack(f"{len(attributes)}Q", *attributes)
    ruleset = syscall("creating a Landlock ruleset", _CREATE_RULESET, packed, len(packed), 0)
    try:
        rights_of = ((readable, _READ), (writable, _WRITE), (sockets, _BIND_SOCKETS))
        for paths, rights in rights_of:
            for path in paths:
                _allow(ruleset, path, rights & handled)
        flags = _LOG_SAME_EXEC_OFF if abi >= _FIRST_WITH_LOG_FLAGS else 0
        syscall("entering the Landlock ruleset", _RESTRICT_SELF, ruleset, flags)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # what cannot be reached now gets no rights
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _ON_A_FILE
        rule = struct.pack("=Qi", rights, descriptor)
        syscall(f"allowing {path} in Landlock", _ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
