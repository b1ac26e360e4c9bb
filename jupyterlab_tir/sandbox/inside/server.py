"""The warm process: imports everything once, then forks a kernel whenever the engine asks.

`python -m jupyterlab_tir.sandbox.inside.server FD`, where FD is its end of the control socket (see
`messages.py` for what is said on it). It is started with a clean environment, stays
single-threaded for as long as it lives (only the forking thread survives in a child, and a lock
that another one held would stay locked), and ends with the engine, whatever ended that.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import NoReturn

import msgspec

from .. import box as confinement
from .. import pidfd
from ..box import Box
from ..box.privileges import die_with_parent
from ..box.readable import readable_paths
from ..box.rlimits import mapped_bytes
from .child import become_kernel
from .kernel import build_shell, warm_up
from .messages import (
    FORK,
    LARGEST_PACKET_BYTES,
    Exited,
    Failed,
    Forked,
    WarmReady,
    WarmStart,
    decode_start,
    encode,
)
from .preload import preload, threads

_OOM_SCORE = 800  # rather a kernel, and rather this process, than anything else of the user
_RING = 4096
# Wherever a checkout of it lies; in site-packages it is readable anyway.
_OUR_PACKAGE = "jupyterlab_tir"


class _Server:
    """Forks kernels, reports how they end, kills those whose lease is closed."""

    def __init__(self, control: socket.socket, start: WarmStart) -> None:
        self._pid = os.getpid()
        self._control = control
        self._start = start
        self._poller = select.poll()
        self._leases: dict[int, socket.socket] = {}  # by pid
        self._pids: dict[int, int] = {}  # by the lease's descriptor
        # Children that end wake the poll through this pipe.
        self._bell, ringer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
        self._null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._engine = pidfd.open_process(start.engine_pid)
        if os.getppid() != start.engine_pid:
            sys.exit(1)

    def prepare(self) -> WarmReady:
        """Import everything; make the shell and the box; enter the namespaces."""
        began = time.monotonic()
        settings = self._start.settings
        sys.set_int_max_str_digits(100_000)
        missing = preload(settings.preload, files=settings.box.files)
        self._shell = build_shell(settings.keep_chars)
        warm_up(self._shell)
        readable = readable_paths((_OUR_PACKAGE, *settings.preload))
        self._box: Box = msgspec.structs.replace(
            settings.box, readable=readable, base_bytes=mapped_bytes()
        )
        confinement.prepare(self._box)
        if (running := threads()) != 1:
            # A module of --preload may do this; a fork of such a process may hang.
            raise OSError(f"the modules that are loaded first started {running - 1} threads")
        if self._box.namespaces:
            confinement.enter_namespaces(self._start.folder, readable)
        # Without this, the first collection in a child would copy all that is shared.
        gc.collect()
        gc.freeze()
        return WarmReady(round(time.monotonic() - began, 3), missing)

    def serve(self) -> NoReturn:
        """Do what the engine asks until it is gone."""
        for descriptor in (self._control.fileno(), self._engine, self._bell):
            self._poller.register(descriptor, select.POLLIN)
        while True:
            for descriptor, _ in self._poller.poll():
                if descriptor == self._engine:
                    os._exit(0)  # the kernels die with this process
                elif descriptor == self._bell:
                    self._reap()
                elif descriptor == self._control.fileno():
                    self._take_request()
                else:
                    self._kill(descriptor)

    def _take_request(self) -> None:
        try:
            packet, descriptors, _, _ = socket.recv_fds(self._control, LARGEST_PACKET_BYTES, 1)
        except BlockingIOError:
            return
        if not packet:
            os._exit(0)
        if packet == FORK and descriptors:
            self._fork(socket.socket(fileno=descriptors[0]))

    def _fork(self, lease: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            _tell(lease, encode(Failed(f"the warm process cannot fork: {error.strerror}")))
            lease.close()
            return
        if pid == 0:
            self._forget()
            become_kernel(
                lease, parent_pid=self._pid, null=self._null, box=self._box, shell=self._shell
            )
        # Before any waitpid, so that the number cannot belong to another process.
        process = pidfd.open_process(pid)
        with contextlib.suppress(OSError):  # the engine has given up on it: the lease is closed
            socket.send_fds(lease, [encode(Forked(pid))], [process])
        os.close(process)
        self._leases[pid] = lease
        self._pids[lease.fileno()] = pid
        self._poller.register(lease, select.POLLRDHUP)

    def _forget(self) -> None:
        """In the child: know nothing of the engine and of other kernels.

        Their descriptors are closed with all others; these objects must not close what comes to
        have the same numbers.
        """
        for lease in (self._control, *self._leases.values()):
            lease.detach()
        self._leases.clear()
        self._pids.clear()
        del self._start, self._poller

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._bell, _RING)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            lease = self._leases.pop(pid, None)
            if lease is not None:
                if self._pids.pop(lease.fileno(), None) is not None:
                    self._poller.unregister(lease)
                _tell(lease, encode(Exited(os.waitstatus_to_exitcode(status))))
                lease.close()

    def _kill(self, descriptor: int) -> None:
        """Kill the kernel whose lease was closed; `_reap` forgets it."""
        pid = self._pids.pop(descriptor, None)
        if pid is not None:
            self._poller.unregister(descriptor)
            os.kill(pid, signal.SIGKILL)  # not yet reaped, so the number is still its own


def _tell(lease: socket.socket, packet: bytes) -> None:
    with contextlib.suppress(OSError):  # the engine has closed its end
        lease.send(packet)


def main() -> NoReturn:
    """Become a warm process."""
    control = socket.socket(fileno=int(sys.argv[1]))
    start = decode_start(control.recv(LARGEST_PACKET_BYTES))
    die_with_parent(start.engine_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE), encoding="ascii")
    server = _Server(control, start)
    try:
        ready = server.prepare()
    except OSError as error:
        control.send(encode(Failed(str(error))))
        sys.exit(1)
    control.setblocking(False)
    control.send(encode(ready))
    server.serve()


if __name__ == "__main__":
    main()
