"""The wire to one child kernel: two channels, and messages that are not trusted.

Nothing here interprets a message beyond its envelope. Whatever cannot be decoded, is not signed,
or is malformed becomes None and a number of bytes. Only the parts that somebody reads are made into
objects: unknown ones cost their bytes and no more.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from typing import TYPE_CHECKING, Any, Final, TypedDict

import msgspec

from .inside.wire import DELIMITER, Wire
from .result_channel import CellReport
from .zmtp import Channel

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager

    from .zmtp import Break

_ASK_AGAIN_S: Final = 0.25
_CONNECT_AGAIN_S: Final = 0.05
_MESSAGE_PARTS: Final = 4
_TAKEN_BEFORE_OTHERS: Final = 8
_LARGEST_ODD_PART_BYTES: Final = 256 * 1024


class _Header(TypedDict):
    msg_type: str


class _Parent(TypedDict, total=False):
    msg_id: str


_Data = TypedDict("_Data", {"text/plain": str}, total=False)


class _Content(TypedDict, total=False):
    """All that is read of any message's content."""

    name: str
    text: str
    data: _Data
    execution_state: str
    status: str
    ename: str
    evalue: str
    traceback: list[str]
    payload: list[CellReport]


_header: Final = msgspec.json.Decoder(_Header)
_parent: Final = msgspec.json.Decoder(_Parent)
_content: Final = msgspec.json.Decoder(_Content)


class Message(msgspec.Struct, frozen=True):
    """A message of the right shape: its kind, the id of its request, its content."""

    kind: str
    parent_id: str
    content: dict[str, Any]


class Arrival(msgspec.Struct, frozen=True):
    """Something that arrived: its size in bytes, and the message if it could be read."""

    size_bytes: int
    message: Message | None


class Connection:
    """The shell and IOPub channels of one kernel. `open` it, `close` it.

    Parameters
    ----------
    manager
        Manager of a kernel whose process was started.
    """

    def __init__(self, manager: AsyncKernelManager) -> None:
        self._manager = manager
        self._wire = Wire(manager.session.key, manager.session.signature_scheme, username="engine")
        self._shell = Channel("DEALER")
        self._iopub = Channel("SUB")
        # What was published last is heard first: output before the reply that ends it.
        self._channels = (self._iopub, self._shell)
        self._taken = 0

    @property
    def broken(self) -> Break | None:
        """Why one of the channels carries nothing more, once that is so."""
        return self._iopub.broken or self._shell.broken

    async def open(self) -> None:
        """Connect, again and again until the kernel is there; the caller sets the time limit."""
        for name, channel in (("iopub", self._iopub), ("shell", self._shell)):
            port = getattr(self._manager, f"{name}_port")
            while True:
                try:
                    await channel.open(self._manager.transport, self._manager.ip, port)
                    break
                except OSError:
                    channel.reset()
                    await asyncio.sleep(_CONNECT_AGAIN_S)

    async def wait_until_ready(self) -> None:
        """Connect and wait until the kernel answers on both; the caller sets the time limit.

        A subscription takes a moment to reach the kernel, so what it published before may be
        missing: the question is repeated until something arrives on IOPub.

        Raises
        ------
        ConnectionError
            Where the kernel breaks a channel.
        """
        await self.open()
        silent = set(self._channels)
        self.send("kernel_info_request", {})
        while True:
            heard = {channel for channel in silent if channel.take() is not None}
            silent -= heard
            if not silent:
                return
            if self.broken:
                raise ConnectionError(f"the kernel's connection is {self.broken}")
            if heard or await self._arrival(None, _ASK_AGAIN_S):
                continue
            if self._shell not in silent:
                self.send("kernel_info_request", {})

    def send(self, kind: str, content: dict[str, Any]) -> str:
        """Send a request on the shell channel and return its id; never waits."""
        frames = self._wire.pack(kind, content)
        self._shell.send(frames)
        request_id: str = json.loads(frames[2])["msg_id"]
        return request_id

    def run_silently(self, code: str) -> None:
        """Have code executed that leaves no trace; what it answers is dropped when it arrives."""
        content = {
            "code": code,
            "silent": True,
            "store_history": False,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        self.send("execute_request", content)

    async def receive(
        self, until: asyncio.Future[Any] | None, timeout_s: float, read_bytes: int
    ) -> Arrival | None:
        """Return the next message; None at the time limit, or where none will come.

        Parameters
        ----------
        until
            Return as well when this is done; it is left alone.
        timeout_s
            Seconds to wait at most.
        read_bytes
            A message of more bytes is counted, and not looked into.
        """
        self._taken += 1
        if self._taken % _TAKEN_BEFORE_OTHERS == 0:
            await asyncio.sleep(0)  # a kernel that never pauses must not keep others waiting
        end = asyncio.get_running_loop().time() + timeout_s
        while True:
            for channel in self._channels:
                frames = channel.take()
                if frames is not None:
                    return read_frames(self._wire, frames, read_bytes)
            remaining_s = end - asyncio.get_running_loop().time()
            if self.broken or remaining_s <= 0 or (until is not None and until.done()):
                return None
            await self._arrival(until, remaining_s)

    def close(self) -> None:
        """Close both channels; may be called again."""
        self._shell.close()
        self._iopub.close()

    async def _arrival(self, until: asyncio.Future[Any] | None, timeout_s: float) -> bool:
        """Wait until something may have arrived, or `until` is done; False at the time limit."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[bool] = loop.create_future()

        def wake(_: object = None, *, by: bool = True) -> None:
            if not woken.done():
                woken.set_result(by)

        timer = loop.call_later(timeout_s, lambda: wake(by=False))
        if until is not None:
            until.add_done_callback(wake)
        watched = [channel.descriptor for channel in self._channels if channel.descriptor >= 0]
        sending = self._shell.descriptor if self._shell.has_outgoing else -1
        try:
            for descriptor in watched:
                loop.add_reader(descriptor, wake)
            if sending >= 0:
                loop.add_writer(sending, wake)
            return await woken
        finally:
            for descriptor in watched:
                loop.remove_reader(descriptor)
            if sending >= 0:
                loop.remove_writer(sending)
                self._shell.flush()
            if until is not None:
                until.remove_done_callback(wake)
            timer.cancel()


def read_frames(wire: Wire, frames: list[bytes], read_bytes: int) -> Arrival:
    """Return what the frames of one message hold, whatever they hold.

    Parameters
    ----------
    wire
        Knows the key that messages must be signed with.
    frames
        The parts of the message as they arrived.
    read_bytes
        A message of more bytes is not looked into.
    """
    size_bytes = sum(map(len, frames))
    if size_bytes > read_bytes or DELIMITER not in frames:
        return Arrival(size_bytes, None)
    start = frames.index(DELIMITER) + 1
    parts = frames[start + 1 : start + 1 + _MESSAGE_PARTS]
    if len(parts) != _MESSAGE_PARTS or not hmac.compare_digest(frames[start], wire.sign(parts)):
        return Arrival(size_bytes, None)
    try:
        kind = _decoded(_header, parts[0])["msg_type"]
        parent_id = _decoded(_parent, parts[1]).get("msg_id", "")
        content = _decoded(_content, parts[3])
    except (KeyError, RecursionError, ValueError):
        return Arrival(size_bytes, None)
    return Arrival(size_bytes, Message(kind, parent_id, content))


def _decoded(decoder: msgspec.json.Decoder[Any], part: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return what a part holds, of what is read.

    Raises
    ------
    ValueError, RecursionError
        Where it is not JSON, or not of the right types.
    """
    try:
        return decoder.decode(part)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Half of a surrogate pair, or NaN: kernels of Python send them. Only for parts so small
        # that reading everything costs nothing.
        if len(part) > _LARGEST_ODD_PART_BYTES:
            raise
        return msgspec.convert(json.loads(part), decoder.type)
