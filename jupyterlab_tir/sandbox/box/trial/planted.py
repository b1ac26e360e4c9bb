"""What a boxed process is not to reach, and how it looks from outside after the attempt."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

_CONTENT = "not for a child"
_MODE = 0o600
_TIME_S = 1_000_000_000


class Planted:
    """A file, four sockets, and the process itself. A context manager.

    Parameters
    ----------
    folder
        To be made; nothing that is boxed may be given it.

    Attributes
    ----------
    folder, secret
        The folder, and a file in it.
    pid
        Of this process: handles SIGUSR1, has a limit that could be lowered.
    tcp, udp
        Addresses on the loopback device.
    stream, datagram
        Sockets by path, in the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secret = folder / "secret"
        self.stream = folder / "stream"
        self.datagram = folder / "datagram"
        self.pid = os.getpid()
        self.tcp: tuple[str, int] | None = None
        self.udp: tuple[str, int] | None = None
        self._signals = 0
        self._open = contextlib.ExitStack()
        self._listening: list[socket.socket] = []
        self._receiving: list[socket.socket] = []

    def __enter__(self) -> Self:
        self.folder.mkdir(mode=0o700)
        self.secret.write_text(_CONTENT, encoding="ascii")
        self.secret.chmod(_MODE)
        os.utime(self.secret, (_TIME_S, _TIME_S))
        old = signal.signal(signal.SIGUSR1, self._on_signal)
        self._open.callback(signal.signal, signal.SIGUSR1, old)
        self._limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.tcp = self._inet(socket.SOCK_STREAM)
        self.udp = self._inet(socket.SOCK_DGRAM)
        for kind, path in (
            (socket.SOCK_STREAM, self.stream),
            (socket.SOCK_DGRAM, self.datagram),
        ):
            self._bound(socket.AF_UNIX, kind, str(path))
        self._names = sorted(self.folder.iterdir())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def reached(self, *, files: bool, calls: bool) -> str:
        """Return what was done to it, as what "a boxed process could" do; empty if nothing was.

        Parameters
        ----------
        files
            Whether contents and folders were forbidden.
        calls
            Whether sockets, signals, limits, modes and times were.
        """
        found = [*(self._files() if files else ()), *(self._calls() if calls else ())]
        return found[0] if found else ""

    def _files(self) -> Iterator[str]:
        if sorted(self.folder.iterdir()) != self._names:
            yield "make or remove files outside of its folder"
        elif self.secret.read_text(encoding="ascii") != _CONTENT:
            yield "change a file outside of its folder"

    def _calls(self) -> Iterator[str]:
        status = self.secret.stat()
        if (status.st_mode & 0o777, status.st_mtime) != (_MODE, _TIME_S):
            yield "change the mode or time of a file outside of its folder"
        for listener in self._listening:
            with contextlib.suppress(BlockingIOError):
                listener.accept()[0].close()
                yield "connect to a socket"
        for receiver in self._receiving:
            with contextlib.suppress(BlockingIOError):
                receiver.recv(1)
                yield "send to a socket"
        if self._signals:
            yield "send a signal to another process"
        if resource.getrlimit(resource.RLIMIT_NOFILE) != self._limit:
            yield "change the limits of another process"

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    def _inet(self, kind: socket.SocketKind) -> tuple[str, int] | None:
        with contextlib.suppress(OSError):  # a machine without a loopback device
            bound = self._bound(socket.AF_INET, kind, ("127.0.0.1", 0))
            host, port = bound.getsockname()
            return host, port
        return None

    def _bound(
        self, family: socket.AddressFamily, kind: socket.SocketKind, address: str | tuple[str, int]
    ) -> socket.socket:
        made = self._open.enter_context(socket.socket(family, kind))
        made.bind(address)
        made.setblocking(False)
        if kind is socket.SOCK_STREAM:
            made.listen()
            self._listening.append(made)
        else:
            self._receiving.append(made)
        return made
