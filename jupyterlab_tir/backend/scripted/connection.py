"""One HTTP/1.1 connection: requests in, steps out, and who closed it.

The only module that touches a socket. h11 keeps the protocol; nothing here knows what is served.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import TYPE_CHECKING, Any, Literal

import h11
import msgspec

from jupyterlab_tir.backend.scripted.steps import Close, Hang, Head, Send, Step, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

LARGEST_BODY = 64 * 2**20

_READ_SIZE = 65536
_FLUSH_S = 1.0
_PING = b": ping\n\n"
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)

PlayedUntil = Literal["end", "cut", "closed", "client left"]


class HttpRequest(msgspec.Struct, frozen=True):
    """A request as it came; header names are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Connection:
    """A client's connection, for one request after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER)

    async def next_request(self) -> HttpRequest | None:
        """The next request, or None when the client is done or speaks something else."""
        try:
            return await self._read_request()
        except h11.RemoteProtocolError as error:
            await self._reject(error.error_status_hint, str(error))
        except ConnectionError:
            return None  # a client may leave between two requests; nothing was asked
        return None

    async def while_client_stays(
        self,
        work: Coroutine[Any, Any, PlayedUntil],
    ) -> PlayedUntil:
        """Result of the work, which is cancelled when the client closes the connection first."""
        working = asyncio.create_task(work)
        watching = asyncio.create_task(self._watch_for_leaving())
        try:
            await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else "client left"
        finally:
            await _cancelled(working, watching)

    async def play(
        self,
        steps: Iterator[Step],
        carried_out: Callable[[Step], None],
    ) -> PlayedUntil:
        """Carry out the steps of a reply.

        Parameters
        ----------
        steps
            The reply.
        carried_out
            Told each step once its bytes are on their way.

        Returns
        -------
        PlayedUntil
            How it ended: by itself, cut by the script with HTTP's own end, closed by the script,
            or left by the client.
        """
        clock = asyncio.get_running_loop().time
        due = clock()
        try:
            for step in steps:
                if isinstance(step, Head):
                    await self._write(_response(step))
                elif isinstance(step, Send):
                    due += step.wait_ms / 1000
                    await asyncio.sleep(max(due - clock(), 0))
                    await self._write(h11.Data(data=step.data))
                elif isinstance(step, Hang):
                    await self._hang(step)
                else:
                    return await self._end(step)
                carried_out(step)
            await self._write(h11.EndOfMessage())
        except ConnectionError:
            return "client left"
        return "end"

    def ready_for_another(self) -> bool:
        """Whether the client may send a further request."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    async def close(self) -> None:
        """Close the connection, without waiting for a client that does not read."""
        self._writer.close()
        try:
            async with asyncio.timeout(_FLUSH_S):
                await self._writer.wait_closed()
        except TimeoutError:
            self._writer.transport.abort()
        except ConnectionError:
            return  # closed by the client first, which is as good

    async def _read_request(self) -> HttpRequest | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            happened = self._http.next_event()
            if happened is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    await self._write(
                        h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue"),
                    )
                self._http.receive_data(await self._reader.read(_READ_SIZE))
            elif isinstance(happened, h11.Request):
                head = happened
            elif isinstance(happened, h11.Data):
                body += happened.data
                if len(body) > LARGEST_BODY:
                    raise h11.RemoteProtocolError("Request body too large", 413)
            elif isinstance(happened, h11.EndOfMessage) and head is not None:
                return _request(head, bytes(body))
            else:
                return None

    async def _watch_for_leaving(self) -> None:
        """Return when the client closes; what it sends before that is its next request."""
        try:
            while data := await self._reader.read(_READ_SIZE):
                self._http.receive_data(data)
        except ConnectionError:
            return  # a reset is one way to leave

    async def _hang(self, step: Hang) -> None:
        """Stay until this task is cancelled: by the client's leaving or the server's stop."""
        while step.ping_ms is not None:
            await asyncio.sleep(step.ping_ms / 1000)
            await self._write(h11.Data(data=_PING))
        await asyncio.get_running_loop().create_future()

    async def _end(self, step: Close) -> PlayedUntil:
        if step.how == "end":
            await self._write(h11.EndOfMessage())
            return "cut"
        if step.how == "reset":
            raw = self._writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self._writer.transport.abort()
        else:
            self._writer.close()
        return "closed"

    async def _write(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()

    async def _reject(self, status: int, reason: str) -> None:
        if self._http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return
        error = {"error": {"message": reason, "type": "Bad Request", "param": None, "code": status}}
        head, body = json_reply(status, error, (("connection", "close"),))
        try:
            for event in (_response(head), h11.Data(data=body.data), h11.EndOfMessage()):
                await self._write(event)
        except ConnectionError:
            return  # nobody is left to be told


def _request(head: h11.Request, body: bytes) -> HttpRequest:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
    path = head.target.decode("latin-1").partition("?")[0]
    return HttpRequest(head.method.decode("latin-1"), path, headers, body)


def _response(head: Head) -> h11.Response:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in head.headers]
    return h11.Response(status_code=head.status, headers=[(b"server", b"tir-scripted"), *headers])


async def _cancelled(*tasks: asyncio.Task[PlayedUntil] | asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
