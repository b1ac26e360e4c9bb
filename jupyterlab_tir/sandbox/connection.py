"""The wire to one child kernel: two sockets, and messages that are not trusted.

Nothing here interprets a message beyond its envelope. Whatever cannot be decoded, is not signed,
or is malformed becomes None and a number of bytes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import msgspec
import zmq
import zmq.asyncio

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_client.session import Session

_LARGEST_MESSAGE_BYTES = 4 * 1024**2
_QUEUED_MESSAGES = 64
_RECONNECT_MS = 20
_ASK_AGAIN_S = 0.25

# What decoding a hostile message can raise: bad JSON or signature, missing or mistyped parts,
# nesting that is too deep, and an envelope that is cut short.
_MALFORMED = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


class Message(msgspec.Struct, frozen=True):
    """A message of the right shape: its kind, the id of its request, its content."""

    kind: str
    parent_id: str
    content: dict[str, Any]


class Arrival(msgspec.Struct, frozen=True):
    """Something that arrived: its size in bytes, and the message if it could be read."""

    size_bytes: int
    message: Message | None


def make_context() -> zmq.asyncio.Context:
    """Return a context whose sockets accept small messages only and never delay a close.

    A larger message makes libzmq drop the connection; that is noticed as a missing message.
    """
    context = zmq.asyncio.Context()
    context.setsockopt(zmq.MAXMSGSIZE, _LARGEST_MESSAGE_BYTES)
    context.setsockopt(zmq.RCVHWM, _QUEUED_MESSAGES)
    context.setsockopt(zmq.LINGER, 0)
    context.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
    return context


class Connection:
    """The shell and IOPub channels of one kernel. `close` it.

    Parameters
    ----------
    manager
        Manager of a kernel whose process was started.
    """

    def __init__(self, manager: AsyncKernelManager) -> None:
        self._session = manager.session
        # Asyncio sockets, because the manager's context is one of zmq.asyncio.
        self._shell = cast("zmq.asyncio.Socket", manager.connect_shell())
        self._iopub = cast("zmq.asyncio.Socket", manager.connect_iopub())
        for channel in (self._shell, self._iopub):
            channel.linger = 0  # jupyter_client sets a second
        self._arriving: dict[zmq.asyncio.Socket, asyncio.Future[list[bytes]]] = {}

    async def wait_until_ready(self) -> None:
        """Wait until the kernel answers on both channels; the caller sets the time limit.

        A subscription takes a moment to reach the kernel, so what it published before may be
        missing: the question is repeated until something arrives on IOPub.
        """
        silent = {self._shell, self._iopub}
        await self.send("kernel_info_request", {})
        while silent:
            waiting = [self._next(channel) for channel in (self._shell, self._iopub)]
            done, _ = await asyncio.wait(
                waiting, timeout=_ASK_AGAIN_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not done and self._shell not in silent:
                await self.send("kernel_info_request", {})
            silent -= {channel for channel in silent if self._take(channel) is not None}

    async def send(self, kind: str, content: dict[str, Any]) -> str:
        """Send a request on the shell channel and return its id."""
        message = self._session.msg(kind, content)
        # Not session.send: it works around the asyncio socket, which can then miss an arrival.
        await self._shell.send_multipart(self._session.serialize(message))
        return str(message["header"]["msg_id"])

    async def receive(self, until: asyncio.Future[Any] | None, timeout_s: float) -> list[Arrival]:
        """Return what arrived, at most one message a channel; empty at the time limit.

        Parameters
        ----------
        until
            Return as well when this is done; it is left alone.
        timeout_s
            Seconds to wait at most.
        """
        waiting: list[asyncio.Future[Any]] = [self._next(self._shell), self._next(self._iopub)]
        if until is not None:
            waiting.append(until)
        await asyncio.wait(waiting, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        arrived = (self._take(channel) for channel in (self._iopub, self._shell))
        return [read_frames(self._session, frames) for frames in arrived if frames is not None]

    def close(self) -> None:
        """Close both sockets; may be called again."""
        for future in self._arriving.values():
            future.cancel()
        self._arriving.clear()
        self._shell.close()
        self._iopub.close()

    def _next(self, channel: zmq.asyncio.Socket) -> asyncio.Future[list[bytes]]:
        """Return the future of the next message, the same one until it was taken."""
        if channel not in self._arriving:
            self._arriving[channel] = asyncio.ensure_future(channel.recv_multipart())
        return self._arriving[channel]

    def _take(self, channel: zmq.asyncio.Socket) -> list[bytes] | None:
        future = self._arriving.get(channel)
        if future is None or not future.done():
            return None
        del self._arriving[channel]
        return future.result()


def read_frames(session: Session, frames: list[bytes]) -> Arrival:
    """Return what the frames of one message hold, whatever they hold.

    Parameters
    ----------
    session
        Knows the key that messages must be signed with.
    frames
        The parts of the message as they arrived.
    """
    size_bytes = sum(map(len, frames))
    try:
        _, parts = session.feed_identities(frames)
        decoded = session.deserialize(parts)
        kind, content = decoded["header"]["msg_type"], decoded["content"]
        parent_id = decoded["parent_header"].get("msg_id")
    except _MALFORMED:
        return Arrival(size_bytes, None)
    if isinstance(kind, str) and isinstance(parent_id, str) and isinstance(content, dict):
        return Arrival(size_bytes, Message(kind, parent_id, content))
    return Arrival(size_bytes, None)
