"""The scripted server: a real HTTP server on loopback that plays a script over vLLM's wire."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, Self

import msgspec

from jupyterlab_tir.backend.scripted.connection import Connection, HttpRequest
from jupyterlab_tir.backend.scripted.endpoints import Answer, Endpoints
from jupyterlab_tir.backend.scripted.metrics import Metrics
from jupyterlab_tir.backend.scripted.script import Script, echo_script, load_script
from jupyterlab_tir.backend.scripted.steps import Head, Send
from jupyterlab_tir.errors import ServeError, UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from jupyterlab_tir.backend.scripted.connection import PlayedUntil
    from jupyterlab_tir.backend.scripted.steps import Step

LOOPBACK = "127.0.0.1"

Outcome = Literal["running", "finished", "refused", "cut", "aborted", "stopped"]


class ReceivedRequest(msgspec.Struct):
    """One request that the server received, for those who test against it.

    `outcome` changes while the request is served: from running to finished, refused (an error
    status that the server meant), cut (the script closed the connection), aborted (the client left
    first) or stopped (the server was stopped).
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    outcome: Outcome = "running"
    status: int | None = None
    sample: int | None = None
    attempt: int | None = None
    turn: int | None = None
    tokens_sent: int = 0


class ScriptedServer:
    """Plays a script on 127.0.0.1; use it as an async context manager, or start and stop it.

    Parameters
    ----------
    script
        What to play.
    host
        127.0.0.1; anything else is refused.
    port
        Port to listen on, 0 for any free one.

    Attributes
    ----------
    requests
        What was received so far, in order of arrival, without API keys.

    Examples
    --------
    >>> import asyncio
    >>> from jupyterlab_tir.backend.scripted import ScriptedServer, echo_script
    >>> async def first_line():
    ...     async with ScriptedServer(echo_script()) as server:
    ...         return server.base_url.startswith("http://127.0.0.1:")
    >>> asyncio.run(first_line())
    True
    """

    def __init__(self, script: Script, *, host: str = LOOPBACK, port: int = 0) -> None:
        if host != LOOPBACK:
            raise UsageError(
                f"The scripted server cannot listen on {host}: "
                f"it has no protection against others, so it serves {LOOPBACK} only.",
            )
        self._script = script
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._metrics = Metrics(script.server.model, script.server.max_model_len)
        self._endpoints = Endpoints(script, self._metrics)
        self._places = asyncio.Semaphore(script.server.max_num_seqs)
        self.requests: list[ReceivedRequest] = []

    @property
    def base_url(self) -> str:
        """The base URL that a client is given, such as http://127.0.0.1:8000/v1."""
        if self._server is None:
            raise UsageError("The scripted server has no address yet: start it first.")
        return f"http://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}/v1"

    @property
    def running(self) -> int:
        """How many generations are running, as /metrics says it."""
        return self._metrics.running

    async def start(self) -> None:
        """Listen.

        Raises
        ------
        ServeError
            When the port is taken or may not be used.
        """
        try:
            self._server = await asyncio.start_server(self._connected, LOOPBACK, self._port)
        except OSError as error:
            raise ServeError(
                f"The scripted server cannot listen on {LOOPBACK}:{self._port} "
                f"({error.strerror}): choose another port, or 0 for any free one.",
            ) from error

    async def stop(self) -> None:
        """Close the port and every connection, and wait until all is closed."""
        if self._server is None:
            return
        self._server.close()
        # What was accepted just now reaches `_connected` in the loop's next round.
        await asyncio.sleep(0)
        open_connections = dict(self._connections)
        for task in open_connections:
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)
        for writer in open_connections.values():
            # A task that was cancelled before its first step has closed nothing.
            if not writer.is_closing():
                writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()
        await self._server.wait_closed()
        self._server = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(Connection(reader, writer)))
        self._connections[task] = writer
        task.add_done_callback(self._disconnected)

    def _disconnected(self, task: asyncio.Task[None]) -> None:
        self._connections.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "The scripted server failed to serve a connection", "exception": error},
            )

    async def _serve(self, connection: Connection) -> None:
        try:
            while (request := await connection.next_request()) is not None:
                if not await self._serve_request(connection, request):
                    break
        finally:
            await connection.close()

    async def _serve_request(self, connection: Connection, request: HttpRequest) -> bool:
        """Serve one request; False when the connection is of no further use."""
        received = ReceivedRequest(
            request.method,
            request.path,
            {name: value for name, value in request.headers.items() if name != "authorization"},
            _body_as_received(request.body),
        )
        self.requests.append(received)
        answer = self._endpoints.answer(request)
        if answer.selection is not None:
            received.sample = answer.selection.sample
            received.attempt = answer.selection.attempt
            received.turn = answer.selection.turn_index
        try:
            until = await connection.while_client_stays(self._play(connection, answer, received))
        except asyncio.CancelledError:
            received.outcome = "stopped"
            raise
        if until == "client left":
            received.outcome = "aborted"
        return until in {"end", "cut"} and connection.ready_for_another()

    async def _play(
        self,
        connection: Connection,
        answer: Answer,
        received: ReceivedRequest,
    ) -> PlayedUntil:
        if answer.prompt_tokens is None:
            return await self._send(connection, answer, received)
        with self._metrics.waiting_request():
            await self._places.acquire()
        try:
            with self._metrics.running_request(answer.prompt_tokens):
                return await self._send(connection, answer, received)
        finally:
            self._places.release()

    async def _send(
        self,
        connection: Connection,
        answer: Answer,
        received: ReceivedRequest,
    ) -> PlayedUntil:
        def carried_out(step: Step) -> None:
            if isinstance(step, Head):
                received.status = step.status
            elif isinstance(step, Send):
                received.tokens_sent += step.tokens
                self._metrics.generation_tokens += step.tokens

        until = await connection.play(answer.steps, carried_out)
        # Nothing is awaited since the last byte was written, so that a client which has the whole
        # reply also finds the outcome and the metrics settled.
        received.outcome = _outcome(until, received.status or 0)
        return until


def _outcome(until: PlayedUntil, status: int) -> Outcome:
    if until == "client left":
        return "aborted"
    if until != "end":
        return "cut"
    return "refused" if status >= HTTPStatus.BAD_REQUEST else "finished"


def _body_as_received(raw: bytes) -> Any:  # noqa: ANN401 - whatever a client sends
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return raw.decode("utf-8", "replace")


def serve_forever(source: str | Path, port: int = 0) -> None:
    """Play a script until Ctrl-C or SIGTERM; prints the base URL once it answers.

    Parameters
    ----------
    source
        A script file, or "echo".
    port
        Port to listen on, 0 for any free one.

    Raises
    ------
    UsageError
        When the script cannot be used.
    ServeError
        When the port cannot be used.
    """
    script = echo_script() if str(source) == "echo" else load_script(source)
    asyncio.run(_serve_until_signal(script, port))


async def _serve_until_signal(script: Script, port: int) -> None:
    import signal  # noqa: PLC0415 - for this command only

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with ScriptedServer(script, port=port) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        await stop.wait()
