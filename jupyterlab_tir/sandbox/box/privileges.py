"""Giving up privileges: nothing that this process could do as its user's parent is left to it.

A child of root ends as weak as a child of anybody: it keeps root's number, because the Python
installation may lie in root's home, but none of root's powers.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct

from .libc import call

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_GET_SECUREBITS = 27
_PR_SET_SECUREBITS = 28
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4

# NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock, and the lock of KEEP_CAPS:
# being or becoming user 0 gives no capability.
_SECUREBITS = 0b1110_1111
_HIGHEST_CAPABILITY = 63
_CAPABILITY_VERSION_3 = 0x2008_0522


def bar_capabilities() -> None:
    """See to it that no program and no user number gives capabilities any more.

    The bounding set and the secure bits can be changed only with CAP_SETPCAP. Where that is
    absent, `forbid_new_privileges` alone keeps capabilities from coming back. What the process has
    it keeps: the warm process does this once, and each child finds it done.
    """
    with contextlib.suppress(PermissionError):
        if call("reading secure bits", "prctl", _PR_GET_SECUREBITS, 0, 0, 0, 0) != _SECUREBITS:
            _drop_bounding_set()
            call("locking what root may do", "prctl", _PR_SET_SECUREBITS, _SECUREBITS, 0, 0, 0)


def drop_capabilities() -> None:
    """Empty every set of capabilities, for good; never fails for what is absent already."""
    bar_capabilities()
    with contextlib.suppress(OSError):  # Linux before 4.3 has no ambient capabilities
        doing, clear = "clearing ambient capabilities", _PR_CAP_AMBIENT_CLEAR_ALL
        call(doing, "prctl", _PR_CAP_AMBIENT, clear, 0, 0, 0)
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    call("dropping all capabilities", "capset", header, bytes(24))


def _drop_bounding_set() -> None:
    for capability in range(_HIGHEST_CAPABILITY + 1):
        try:
            call("dropping a capability", "prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        except PermissionError:
            raise
        except OSError:  # beyond the last one that this Linux knows
            break


def forbid_new_privileges() -> None:
    """Make set-user-ID programs and file capabilities void; Landlock and seccomp need it."""
    call("setting no_new_privs", "prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def die_with_parent(parent_pid: int) -> None:
    """Ask for SIGKILL at the parent's death. Changes of credentials undo it: ask again after them.

    Raises
    ------
    ProcessLookupError
        Where the parent is another than `parent_pid`: it died before this was asked.
    """
    call("tying the process to its parent", "prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:
        raise ProcessLookupError("the parent of this process is gone")
