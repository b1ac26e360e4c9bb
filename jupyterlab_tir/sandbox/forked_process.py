"""A kernel's process that was forked from a warm one, as the engine knows it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from typing import Final

from . import pidfd
from .errors import KernelStartError
from .inside.messages import (
    LARGEST_PACKET_BYTES,
    Exited,
    Failed,
    Forked,
    KernelReady,
    LeaseMessage,
    decode_lease,
)
from .waiting import is_readable, readable

_LAST_WORD_S: Final = 1.0
_END_S: Final = 5.0


class ForkedProcess:
    """A kernel's process: what its lease says, and signals that cannot hit another process.

    Attributes
    ----------
    pid
        Its number; known once `started` returned.
    box_ms
        Milliseconds that closing its box took.
    lost
        Whether the warm process ended without a word about it.
    """

    def __init__(self, lease: socket.socket) -> None:
        self.pid = 0
        self.box_ms = 0.0
        self._lease = lease
        self._pidfd = -1
        self._code: int | None = None
        self._ready = False
        self._refusal = ""
        self.lost = False

    async def started(self) -> None:
        """Wait until the kernel's sockets are bound and its box is closed.

        Raises
        ------
        KernelStartError
            Where it ends before.
        """
        # Either may tell first: the kernel that it serves, or the warm process which one it is.
        while not (self._ready and self._pidfd >= 0):
            if self.poll() is not None:
                raise KernelStartError(
                    "A child kernel ended before it was ready "
                    f"({self._refusal or f'code {self._code}'}); `tir status` says what this "
                    "machine's sandbox offers."
                )
            if not (self._ready and self._pidfd >= 0):
                await readable(self._lease.fileno())

    def poll(self) -> int | None:
        """Return the exit code (minus the signal that ended it), or None while it lives."""
        while self._code is None:
            try:
                packet, descriptors, _, _ = socket.recv_fds(self._lease, LARGEST_PACKET_BYTES, 1)
            except BlockingIOError:
                return None
            except OSError:
                packet, descriptors = b"", []
            if descriptors:
                self._pidfd = descriptors[0]
            if packet:
                self._take(decode_lease(packet))
                continue
            # The warm process itself is gone, and its kernels with it; but where nothing confines
            # a kernel it may have undone what ties it to its parent.
            self.lost = not self._refusal
            if self._pidfd >= 0:
                with contextlib.suppress(ProcessLookupError):
                    pidfd.send_signal(self._pidfd, signal.SIGKILL)
            self._finish(-signal.SIGKILL)
        return self._code

    def _take(self, message: LeaseMessage) -> None:
        match message:
            case Forked():
                self.pid = message.pid
            case KernelReady():
                self._ready, self.box_ms = True, message.box_ms
            case Failed():
                self._refusal = message.words
            case Exited():
                self._finish(message.code)

    def _finish(self, code: int) -> None:
        self._code = code
        self.close()

    async def wait(self) -> int:
        """Wait until it ended and was reaped; return its exit code."""
        while (code := self.poll()) is None:
            if self._pidfd < 0:
                await readable(self._lease.fileno())
            elif is_readable(self._pidfd):
                await self._last_word()
            else:
                await readable(self._lease.fileno(), self._pidfd)
        return code

    async def _last_word(self) -> None:
        """Wait a moment for the exit code of a process that ended; a stopped reaper tells none."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORD_S):
                await readable(self._lease.fileno())
        if self.poll() is None and not is_readable(self._lease.fileno()):
            self._finish(-signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Send it a signal; does nothing once it ended."""
        if self.poll() is None and self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                pidfd.send_signal(self._pidfd, number)

    async def end(self) -> None:
        """Have it killed and wait until it is gone, whatever is known of it so far."""
        with contextlib.suppress(OSError):
            # The warm process sees this even where a forked copy of the engine holds the lease.
            self._lease.shutdown(socket.SHUT_WR)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                await self.wait()
        self.close()

    def close(self) -> None:
        """Let go of it; the warm process kills it if it lives."""
        if self._lease.fileno() >= 0:
            with contextlib.suppress(OSError):
                self._lease.shutdown(socket.SHUT_RDWR)
            self._lease.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
