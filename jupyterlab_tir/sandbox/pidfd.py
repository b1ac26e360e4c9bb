"""Descriptors of processes, which cannot come to mean another process. Linux 5.3.

Some builds of Python lack these functions of `os` and `signal` on systems that have them.
"""

from __future__ import annotations

import os
import signal

from .box.libc import syscall

_OPEN = 434  # the same numbers on every architecture
_SEND_SIGNAL = 424


def open_process(pid: int) -> int:
    """Return a descriptor of a process, readable when that has ended.

    Raises
    ------
    OSError
        Where there is no such process, or Linux is older than 5.3.
    """
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(pid)
    return syscall("opening a process needs Linux 5.3 or newer", _OPEN, pid, 0)


def send_signal(process: int, number: int) -> None:
    """Send a signal to the process behind a descriptor.

    Raises
    ------
    ProcessLookupError
        Where it has ended and was reaped.
    """
    if hasattr(signal, "pidfd_send_signal"):
        signal.pidfd_send_signal(process, number)
    else:
        syscall("signalling a process", _SEND_SIGNAL, process, number, None, 0)
