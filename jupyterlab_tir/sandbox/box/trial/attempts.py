"""What a boxed process tries: to do what it may, and what it may not.

Each attempt raises OSError where it is refused. What it does, where it is not refused, is harmless.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from .. import Box
from ..libc import call, machine, syscall
from .planted import Planted

_PTRACE_SEIZE = 0x4206
_PIDFD_OPEN = 434
_PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270}
_OTHER_MODE = 0o640
_NEVER_IMPORTED = "colorsys"

# At the same address in every process of the trial: from there, to there.
_MEMORY = ctypes.create_string_buffer(8)
_PIECE = (ctypes.c_void_p * 2)(ctypes.addressof(_MEMORY), len(_MEMORY))


def first_failure(box: Box, planted: Planted, memory_bytes: int) -> str:
    """Return what the box does not hold, or does not let through, in words; empty if nothing.

    Parameters
    ----------
    box
        In force.
    planted
        What is not to be reached.
    memory_bytes
        More than the process may have.
    """
    for words, attempt in _forbidden(box, planted).items():
        with suppress(OSError):
            attempt()
            return f"a boxed process could {words}"
    with suppress(MemoryError):
        bytearray(memory_bytes)
        return "a boxed process could have more memory than its limit"
    for words, attempt in _permitted(box).items():
        try:
            attempt()
        except (OSError, ImportError) as error:
            return f"a boxed process could not {words}: {error}"
    if box.namespaces and not _disk_is_limited(box.write_bytes):
        return "a boxed process could keep more in its folder than its limit"
    return ""


def run_program() -> None:
    """Try to become another program; returns where that is refused."""
    with suppress(OSError):
        os.execv(sys.executable, [sys.executable, "-c", ""])  # noqa: S606 - to be refused


def _forbidden(box: Box, planted: Planted) -> Mapping[str, Callable[[], object]]:
    attempts: dict[str, Callable[[], object]] = {}
    if box.namespaces:
        attempts["see that a file exists outside of its folder"] = planted.secret.stat
    if box.landlock or not box.files:
        attempts |= {
            "read a file outside of its folder": planted.secret.read_bytes,
            "write to a file outside of its folder": lambda: planted.secret.write_bytes(b""),
            "truncate a file outside of its folder": lambda: os.truncate(planted.secret, 0),
            "list a folder outside of its own": lambda: list(planted.folder.iterdir()),
            "make a file outside of its folder": lambda: (planted.folder / "made").write_bytes(b""),
            "remove a file outside of its folder": planted.stream.unlink,
            "read the environment of another process": Path(
                f"/proc/{planted.pid}/environ"
            ).read_bytes,
        }
    if box.seccomp:
        attempts |= {
            "connect over TCP": lambda: _connect(socket.AF_INET, planted.tcp),
            "send over UDP": lambda: _send(socket.AF_INET, planted.udp),
            "connect to a socket by its path": lambda: _connect(
                socket.AF_UNIX, str(planted.stream)
            ),
            "send to a socket by its path": lambda: _send(socket.AF_UNIX, str(planted.datagram)),
            "start a process": _fork,
            "ask whether another process exists": lambda: os.kill(planted.pid, 0),
            "send a signal to another process": lambda: os.kill(planted.pid, signal.SIGUSR1),
            "get hold of another process": lambda: syscall("", _PIDFD_OPEN, planted.pid, 0),
            "change the limits of another process": lambda: _lower_limit(planted.pid),
            "trace another process": lambda: call("", "ptrace", _PTRACE_SEIZE, planted.pid, 0, 0),
            "read the memory of another process": lambda: _read_memory(planted.pid),
        }
        # These may feign success; what counts is how the file looks afterwards.
        with suppress(OSError):
            planted.secret.chmod(_OTHER_MODE)
        with suppress(OSError):
            os.utime(planted.secret)
    return attempts


def _permitted(box: Box) -> Mapping[str, Callable[[], object]]:
    if not box.files:
        return {}
    return {
        "import a module": lambda: importlib.import_module(_NEVER_IMPORTED),
        "write in its own folder": lambda: Path("kept").write_bytes(b"kept"),
    }


def _disk_is_limited(limit_bytes: int) -> bool:
    # Two files: no single one may be as large as that.
    piece = bytes(limit_bytes * 2 // 3)
    try:
        for name in ("first", "second"):
            Path(name).write_bytes(piece)
    except OSError:
        return Path("first").stat().st_size == len(piece)
    return False


def _connect(family: socket.AddressFamily, address: str | tuple[str, int] | None) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as made:
        made.connect(address or "")


def _send(family: socket.AddressFamily, address: str | tuple[str, int] | None) -> None:
    made, paired = (
        socket.socketpair(family, socket.SOCK_DGRAM)
        if family is socket.AF_UNIX
        else (socket.socket(family, socket.SOCK_DGRAM), None)
    )
    with made:
        made.sendto(b"!", address or "")
    if paired:
        paired.close()


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _lower_limit(pid: int) -> None:
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft - 1, hard))


def _read_memory(pid: int) -> None:
    place = ctypes.addressof(_PIECE)
    syscall("", _PROCESS_VM_READV[machine()], pid, place, 1, place, 1, 0)
