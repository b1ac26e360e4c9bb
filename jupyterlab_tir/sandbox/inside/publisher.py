"""The IOPub channel of a kernel: what every client hears.

Threads of a cell publish too, so a lock guards the socket, and no frame of one message ever comes
between those of another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final

from zmq.backend import Socket

from .channels import Inbox, has_arrivals, sender
from .interrupts import Interrupts
from .wire import EMPTY, Wire

_SUBSCRIBED: Final = b"\x01"
_CELL_OF_THREAD: Final = "_tir_request"
_parent: ContextVar[bytes] = ContextVar("parent")


class Publisher:
    """Publishes messages about the request that caused them.

    That is the request whose cell the calling task belongs to, or which started the calling thread:
    what a thread says when its cell is over is no output of a later one.

    Parameters
    ----------
    wire
        Packs the messages.
    send
        Sends the frames of one message, all or none.
    interrupts
        Has the lock.

    Attributes
    ----------
    published
        How many messages were published.
    stir
        Called when text begins to wait, so that somebody sends it when it is old.
    """

    def __init__(
        self, wire: Wire, send: Callable[[list[bytes]], None], interrupts: Interrupts
    ) -> None:
        self.lock = interrupts.lock
        self.deliver: Callable[[], None] = interrupts.deliver
        self.published = 0
        self.stir: Callable[[], object] = bool
        self._latest = EMPTY
        self._wire = wire
        self._send = send

    @property
    def parent(self) -> bytes:
        """Header of the request that the calling code belongs to."""
        header = _parent.get(None)
        if header is None:
            header = getattr(threading.current_thread(), _CELL_OF_THREAD, self._latest)
        return header

    def follow_threads(self) -> None:
        """Have each thread that is started from now on know the request that it belongs to."""
        start = threading.Thread.start

        def start_for_request(thread: threading.Thread) -> None:
            setattr(thread, _CELL_OF_THREAD, self.parent)
            start(thread)

        threading.Thread.start = start_for_request  # type: ignore[method-assign,assignment]

    def forget(self) -> None:
        """In a forked copy of the kernel: publish nothing any more."""
        self._send = _discard

    def begin(self, header: bytes) -> None:
        """Take what is published from now on for caused by the request with this header."""
        self._latest = header
        _parent.set(header)

    def publish(
        self, kind: str, content: Mapping[str, Any], *, parent: bytes | None = None
    ) -> None:
        """Publish a message.

        Parameters
        ----------
        kind
            The message's type.
        content
            The message's content.
        parent
            Header of the request that caused it, where it is not the calling code's.

        Raises
        ------
        TypeError, ValueError
            Where the content cannot be written as JSON.
        """
        frames = self._wire.pack(
            kind, content, parent=self.parent if parent is None else parent, to=[kind.encode()]
        )
        with self.lock:
            self.published += 1
            self._send(frames)
        self.deliver()

    def status(self, state: str, *, parent: bytes | None = None) -> None:
        """Publish that the kernel is starting, busy or idle."""
        self.publish("status", {"execution_state": state}, parent=parent)


def _discard(_frames: list[bytes]) -> None:
    """Send a message nowhere."""


class Subscribers:
    """Greets new subscribers, so that they know that they will miss nothing more (JEP 65).

    Parameters
    ----------
    wire
        Packs the messages.
    socket
        The XPUB socket that the publisher sends to.
    lock
        The publisher's.
    """

    def __init__(self, wire: Wire, socket: Socket, lock: threading.RLock) -> None:
        self._wire = wire
        self._socket = socket
        self._lock = lock
        self._send = sender(socket)
        self._inbox = Inbox(socket)

    def welcome(self) -> None:
        """Greet whoever has subscribed since the last call."""
        with self._lock:
            # Asked of the socket: any use of it can reset what its descriptor would tell.
            if not has_arrivals(self._socket):
                return
            for frames in self._inbox.receive():
                topic = frames[0][1:]
                if frames[0][:1] == _SUBSCRIBED:
                    content = {"subscription": topic.decode(errors="replace")}
                    self._send(self._wire.pack("iopub_welcome", content, to=[topic]))
