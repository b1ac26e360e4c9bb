"""The kernel's sockets: bound, asked, and messages sent to their end.

The sockets are of the class in C below `zmq.Socket`: a fork then touches, and copies, less memory.
"""

from __future__ import annotations

import contextlib
import hmac
from collections import deque
from collections.abc import Callable, Mapping
from itertools import chain, repeat, starmap
from operator import length_hint
from typing import Any, Final

import msgspec
import zmq
from zmq.backend import Context, Socket

from .wire import DELIMITER, Wire, decode

_PARTS: Final = 5  # signature, header, parent header, metadata, content
_REMEMBERED_SIGNATURES: Final = 65_536
_LINGER_MS: Final = 1000


def bind(context: Context, kind: int, connection: Mapping[str, Any], name: str) -> Socket:
    """Return the bound socket of a channel.

    Parameters
    ----------
    context
        The kernel's.
    kind
        `zmq.ROUTER` or `zmq.XPUB`.
    connection
        The content of a connection file.
    name
        Such as "shell".

    Raises
    ------
    zmq.ZMQError
        Where the address cannot be had.
    """
    socket = Socket(context, kind)
    socket.set(zmq.LINGER, _LINGER_MS)
    if kind == zmq.ROUTER:
        socket.set(zmq.ROUTER_HANDOVER, 1)  # a client may come back with the same identity
    else:
        socket.set(zmq.XPUB_VERBOSE, 1)  # each new client is greeted, not the first only
    separator = "-" if connection["transport"] == "ipc" else ":"
    port = connection[f"{name}_port"]
    socket.bind(f"{connection['transport']}://{connection['ip']}{separator}{port}")
    return socket


class Request(msgspec.Struct, frozen=True):
    """A message from a client.

    Attributes
    ----------
    identities
        Where the reply goes.
    header
        As it arrived; it is the parent header of all that the request causes.
    kind
        The message's type.
    content
        The message's content.
    """

    identities: list[bytes]
    header: bytes
    kind: str
    content: dict[str, Any]


def descriptor_of(socket: Socket) -> int:
    """Return the descriptor that can be read when `has_arrivals` is to be asked again."""
    return int(socket.get(zmq.FD))


def has_arrivals(socket: Socket) -> bool:
    """Say whether a message can be received, for certain: any use resets the descriptor."""
    return bool(int(socket.get(zmq.EVENTS)) & zmq.POLLIN)


def sender(socket: Socket) -> Callable[[list[bytes]], None]:
    """Return a function that sends the frames of a message, all of them whatever happens.

    A signal handler of the code's own may raise while a message is sent: pyzmq runs handlers after
    each frame. Half a message would garble the next one, so the rest is sent before the exception
    goes on. The loop over the frames runs in C, where nothing else can come between.
    """
    send = socket.send

    def send_frames(frames: list[bytes]) -> None:
        raised: BaseException | None = None
        flags = chain(repeat(zmq.SNDMORE, len(frames) - 1), (0,))
        rest = iter(list(zip(frames, flags, strict=True)))
        while length_hint(rest):
            try:
                deque(starmap(send, rest), maxlen=0)
            except BaseException as error:  # noqa: BLE001 - raised again below
                raised = error
        if raised is not None:
            raise raised

    return send_frames


class Inbox:
    """Receives the messages of a socket.

    Parameters
    ----------
    socket
        Used by one thread only.
    """

    def __init__(self, socket: Socket) -> None:
        self._receive: Any = socket.recv
        self._frames: deque[zmq.Frame] = deque()

    def receive(self) -> list[list[bytes]]:
        """Return the frames of every message that has arrived."""
        with contextlib.suppress(zmq.Again):  # which says that this was all
            self._frames.extend(map(self._receive, repeat(zmq.NOBLOCK), repeat(False)))
        messages: list[list[bytes]] = [[]]
        while self._frames:
            frame = self._frames.popleft()
            messages[-1].append(frame.bytes)
            if not frame.more:
                messages.append([])
        return messages[:-1]


class Requests:
    """Receives the requests of a channel; what is malformed, not signed or sent twice is dropped.

    Parameters
    ----------
    wire
        Knows the key.
    socket
        The channel's socket, used by one thread only.
    """

    def __init__(self, wire: Wire, socket: Socket) -> None:
        self._wire = wire
        self._inbox = Inbox(socket)
        # In the order of arrival, so that the oldest can be forgotten.
        self._seen: dict[bytes, None] = {}

    def receive(self) -> list[Request]:
        """Return the requests that have arrived."""
        read = (self._read(frames) for frames in self._inbox.receive())
        return [request for request in read if request is not None]

    def _read(self, frames: list[bytes]) -> Request | None:
        if DELIMITER not in frames:
            return None
        start = frames.index(DELIMITER)
        signature, *parts = frames[start + 1 : start + 1 + _PARTS] or (b"",)
        if len(parts) != _PARTS - 1 or not self._is_new_and_signed(signature, parts):
            return None
        try:
            header, content = decode(parts[0]), decode(parts[3])
        except (ValueError, RecursionError):
            return None
        if not isinstance(header, dict) or not isinstance(content, dict):
            return None
        kind = header.get("msg_type")
        if not isinstance(kind, str) or not isinstance(header.get("msg_id"), str):
            return None
        return Request(frames[:start], parts[0], kind, content)

    def _is_new_and_signed(self, signature: bytes, parts: list[bytes]) -> bool:
        right = self._wire.sign(parts)
        if not right:
            return True
        if signature in self._seen or not hmac.compare_digest(signature, right):
            return False
        self._seen[signature] = None
        if len(self._seen) > _REMEMBERED_SIGNATURES:
            del self._seen[next(iter(self._seen))]
        return True
