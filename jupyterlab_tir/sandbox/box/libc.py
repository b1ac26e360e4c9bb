"""The C library, as far as the box needs it: calls that fail with words."""

from __future__ import annotations

import ctypes
import functools
import os
import platform

_WORD = ctypes.c_long


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = _WORD
    return library


@functools.cache
def machine() -> str:
    """Return the machine's architecture as Linux names it."""
    return platform.machine()


def call(doing: str, function: str, *arguments: int | bytes | None) -> int:
    """Call a function of the C library that returns a negative number where it fails.

    Parameters
    ----------
    doing
        What is attempted, for the error: "dropping all capabilities".
    function
        Its name.
    arguments
        Integers are passed as machine words, bytes and None as pointers.

    Raises
    ------
    OSError
        Whose `strerror` says what was attempted and why it failed.
    """
    words = [_WORD(value) if isinstance(value, int) else value for value in arguments]
    result: int = getattr(_library(), function)(*words)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")
    return result


def syscall(doing: str, number: int, *arguments: int | bytes | None) -> int:
    """Make a system call that the C library has no function for; otherwise as `call`."""
    return call(doing, "syscall", number, *arguments)
