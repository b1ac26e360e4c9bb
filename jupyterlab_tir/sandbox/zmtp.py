"""A client of ZeroMQ's protocol, for peers that may be hostile. ZMTP 3.0 (rfc.zeromq.org/spec/23).

libzmq trusts its peers too much for this: it ends the whole process on some malformed streams, and
has no limit on a message of many frames. Here a message is bounded in bytes and in frames, nothing
is read that nobody asked for (a flood waits in the kernel that made it), and whatever is not
exactly what a kernel's socket has to say breaks the channel and nothing else.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any, Final, Literal

Kind = Literal["DEALER", "SUB"]
Break = Literal["closed", "malformed", "too large"]

LARGEST_MESSAGE_BYTES: Final = 4 * 1024**2
MOST_FRAMES: Final = 64

_GREETING_BYTES: Final = 64
_GREETING: Final = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_SIGNATURE_END: Final = 9
_MAJOR: Final = 10
_MECHANISM: Final = slice(12, 32)
_LEAST_MAJOR: Final = 3
_MORE: Final = 1
_LONG: Final = 2
_COMMAND: Final = 4
_SHORT_BYTES: Final = 255
_CHUNK_BYTES: Final = 65_536


class Channel:
    """One connection to one socket of a kernel. `open` it, `close` it.

    Parameters
    ----------
    kind
        What this end is.

    Attributes
    ----------
    broken
        Why nothing more can be received, once that is so.
    """

    def __init__(self, kind: Kind) -> None:
        self.broken: Break | None = None
        self._kind = kind
        self._socket: socket.socket | None = None
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self._frames: list[bytes] = []
        self._message_bytes = 0

    async def open(self, transport: str, ip: str, port: int) -> None:
        """Connect and shake hands; the caller sets the time limit.

        Parameters
        ----------
        transport, ip, port
            As a connection file has them: "ipc" and the beginning of a path, or "tcp".

        Raises
        ------
        OSError
            Where nobody answers, or not as a kernel's socket does.
        """
        loop = asyncio.get_running_loop()
        family: int = socket.AF_UNIX
        address: str | tuple[Any, ...] = f"{ip}-{port}"
        if transport != "ipc":
            found = await loop.getaddrinfo(ip, port, type=socket.SOCK_STREAM)
            family, _, _, _, address = found[0]
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        await loop.sock_connect(self._socket, address)
        await loop.sock_sendall(self._socket, _GREETING)
        greeting = await self._exactly(_GREETING_BYTES)
        right = (
            greeting[0] == _GREETING[0]
            and greeting[_SIGNATURE_END] & 1
            and greeting[_MAJOR] >= _LEAST_MAJOR
            and greeting[_MECHANISM] == _GREETING[_MECHANISM]
        )
        if not right:
            raise ConnectionError("what answers there is no ZeroMQ socket without encryption")
        properties = _property("Socket-Type", self._kind) + _property("Identity", "")
        ready = b"\x05READY" + properties
        await loop.sock_sendall(self._socket, bytes([_COMMAND, len(ready)]) + ready)
        flags, size = await self._exactly(2)
        body = await self._exactly(size)
        if flags != _COMMAND or not body.startswith(b"\x05READY"):
            raise ConnectionError("what answers there does not let clients in")
        if self._kind == "SUB":
            self.send([b"\x01"])  # everything

    @property
    def descriptor(self) -> int:
        """The descriptor to wait on; -1 where there is nothing to wait for."""
        return -1 if self._socket is None or self.broken else self._socket.fileno()

    @property
    def has_outgoing(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing) and not self.broken

    def send(self, frames: Sequence[bytes]) -> None:
        """Send a message, or as much of it as there is room for; `flush` sends the rest."""
        for index, frame in enumerate(frames, start=1):
            more = _MORE if index < len(frames) else 0
            if len(frame) > _SHORT_BYTES:
                self._outgoing += bytes([more | _LONG]) + len(frame).to_bytes(8, "big")
            else:
                self._outgoing += bytes([more, len(frame)])
            self._outgoing += frame
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as there is room."""
        while self._outgoing and self._socket is not None and not self.broken:
            try:
                sent = self._socket.send(memoryview(self._outgoing)[:_CHUNK_BYTES])
            except BlockingIOError:
                return
            except OSError:
                self.broken = "closed"
                return
            del self._outgoing[:sent]

    def take(self) -> list[bytes] | None:
        """Return the next message, if all of it is there; never waits."""
        while True:
            if self._parse():
                frames, self._frames, self._message_bytes = self._frames, [], 0
                return frames
            if self.broken or not self._read():
                return None

    def close(self) -> None:
        """Close the connection; may be called again."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self.broken = self.broken or "closed"
        self._incoming.clear()
        self._outgoing.clear()

    def reset(self) -> None:
        """Forget a connection that failed, so that another can be tried."""
        self.close()
        self.broken = None

    async def _exactly(self, size: int) -> bytes:
        assert self._socket is not None  # noqa: S101 - open has made it
        loop = asyncio.get_running_loop()
        received = b""
        while len(received) < size:
            chunk = await loop.sock_recv(self._socket, size - len(received))
            if not chunk:
                raise ConnectionError("the connection was closed")
            received += chunk
        return received

    def _read(self) -> bool:
        """Take in what has arrived; say whether anything has."""
        if self._socket is None:
            return False
        try:
            chunk = self._socket.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.broken = "closed"
            return False
        self._incoming += chunk
        return True

    def _parse(self) -> bool:
        """Move whole frames out of what was received; say whether a message is complete."""
        at, held = 0, self._incoming
        complete = False
        while len(held) - at >= 2 and not complete and not self.broken:  # noqa: PLR2004 - flags and size
            flags = held[at]
            head = 9 if flags & _LONG else 2
            if len(held) - at < head:
                break
            size = int.from_bytes(held[at + 1 : at + head], "big")
            if self._refuses(flags, size):
                break
            end = at + head + size
            if len(held) < end:
                break
            self._frames.append(bytes(held[at + head : end]))
            self._message_bytes += size
            complete = not flags & _MORE
            at = end
        del held[:at]
        return complete

    def _refuses(self, flags: int, size: int) -> bool:
        """Break the channel where a frame may not come."""
        if flags & ~(_MORE | _LONG):  # a command: after the handshake this version has none
            self.broken = "malformed"
        elif self._message_bytes + size > LARGEST_MESSAGE_BYTES or len(self._frames) >= MOST_FRAMES:
            self.broken = "too large"
        return self.broken is not None


def _property(name: str, value: str) -> bytes:
    return bytes([len(name)]) + name.encode() + len(value).to_bytes(4, "big") + value.encode()
