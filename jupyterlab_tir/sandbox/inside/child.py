"""From the fork to the first request: how a copy of the warm process becomes a kernel."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import tempfile
import time
import traceback
from typing import NoReturn

from .. import box as confinement
from ..box import WORK_FOLDER, Box
from ..box.privileges import die_with_parent
from .kernel import serve
from .messages import (
    LARGEST_PACKET_BYTES,
    Failed,
    KernelReady,
    KernelRequest,
    decode_request,
    encode,
)
from .shell import ChildShell

_LEASE = 3
_ALL_DESCRIPTORS = 2**31 - 1  # one system call, however many there may be


def become_kernel(
    lease: socket.socket, *, parent_pid: int, null: int, box: Box, shell: ChildShell
) -> NoReturn:
    """Serve as the kernel that the packet waiting in `lease` asks for; never returns.

    Parameters
    ----------
    lease
        The kernel's own lease, with its request in it.
    parent_pid
        The warm process.
    null
        Descriptor of the null device.
    box
        The box to get into.
    shell
        The shell made before the fork.
    """
    code = 1
    try:
        _leave_the_parent(lease, parent_pid, null)
        lease = socket.socket(fileno=_LEASE)
        request = decode_request(lease.recv(LARGEST_PACKET_BYTES))
        code = _serve(lease, request, box, shell)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException as error:  # noqa: BLE001 - nothing may return into the warm process's loop
        words = "".join(traceback.format_exception_only(error)).strip()
        with contextlib.suppress(OSError):
            lease.send(encode(Failed(words[:2000])))
    finally:
        os._exit(code)


def _leave_the_parent(lease: socket.socket, parent_pid: int, null: int) -> None:
    """Keep nothing of the warm process: no session, no signal handler, no descriptor."""
    os.setsid()
    die_with_parent(parent_pid)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.dup2(lease.detach(), _LEASE, inheritable=False)
    # Landlock says nothing about what is open already.
    os.closerange(_LEASE + 1, _ALL_DESCRIPTORS)


def _serve(lease: socket.socket, request: KernelRequest, box: Box, shell: ChildShell) -> int:
    work = f"{request.folder}/{WORK_FOLDER}"
    os.environ |= {"HOME": work, "TMPDIR": work}
    tempfile.tempdir = None
    began = time.perf_counter()
    confinement.confine(box, request.folder)
    confined_s = time.perf_counter() - began

    def close_the_box() -> None:
        began = time.perf_counter()
        confinement.seal(box)
        box_ms = 1000 * (confined_s + time.perf_counter() - began)
        lease.send(encode(KernelReady(round(box_ms, 3))))
        lease.close()

    serve(shell, request.connection, on_bound=close_the_box)
    return 0
