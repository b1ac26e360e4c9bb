"""A server that never comes to an end costs us neither our time nor our memory."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import pytest

from jupyterlab_tir.backend import client as client_module
from jupyterlab_tir.backend.client import Client, Request
from jupyterlab_tir.backend.discovery import connect
from jupyterlab_tir.backend.faults import BackendFault
from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import NoServerError

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@contextlib.asynccontextmanager
async def saying(head: bytes, piece: bytes, pause_s: float = 0.0) -> AsyncIterator[str]:
    """A server that sends a head and then the same piece for ever."""

    over = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head)
            while piece and not over.is_set():
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause_s)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    talking: set[asyncio.Task[None]] = set()
    server = await asyncio.start_server(
        lambda reader, writer: talking.add(asyncio.create_task(talk(reader, writer))),
        "127.0.0.1",
        0,
    )
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        over.set()
    await asyncio.gather(*talking)


async def test_answer_that_drips_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "ANSWER_S", 0.5)
    async with saying(OK, b" ", pause_s=0.05) as url, Client(url) as client:
        started = time.monotonic()
        with pytest.raises(BackendFault, match=r"took longer than 0\.5 s") as caught:
            await client.get(f"{url}/models")
        assert caught.value.kind == "stalled"
        assert time.monotonic() - started < 5


async def test_answer_that_has_no_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 100_000)
    async with saying(OK, b"x" * 10_000) as url, Client(url) as client:
        for asking in (client.get(f"{url}/models"), client.post(f"{url}/completions", {})):
            with pytest.raises(BackendFault, match="more than 100,000 bytes in one answer"):
                await asking


async def test_refusal_that_has_no_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 100_000)
    refused = OK.replace(b"200 OK", b"400 Bad Request")
    request = Request(endpoint="/completions", body={}, request_id="x", top_logprobs=0)
    async with saying(refused, b"x" * 10_000) as url, Client(url) as client:
        with pytest.raises(BackendFault, match="more than 100,000 bytes in one answer"):
            await anext(client.stream(request, stall_s=10))


async def test_event_that_has_no_end_is_malformed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 1_000_000)
    request = Request(endpoint="/completions", body={}, request_id="x", top_logprobs=0)
    async with saying(OK + b'data: {"', b"x" * 50_000) as url, Client(url) as client:
        with pytest.raises(BackendFault, match="1,000,000 bytes without ending") as caught:
            await anext(client.stream(request, stall_s=10))
        assert caught.value.kind == "malformed"


async def test_long_stream_of_short_events_is_no_long_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client_module, "MOST_BYTES", 10_000)
    request = Request(endpoint="/completions", body={}, request_id="x", top_logprobs=0)
    event = b'data: {"choices":[{"text":"a"}]}\n\n'
    async with saying(OK, event) as url, Client(url) as client:
        stream = client.stream(request, stall_s=10)
        async with contextlib.aclosing(stream) as deltas:
            # 1,000 events of 34 bytes each.
            assert "".join([(await anext(deltas)).text for _ in range(1000)]) == "a" * 1000


async def test_redirect_says_where_to() -> None:
    head = b"HTTP/1.1 308 Permanent Redirect\r\nLocation: http://other.example/v1/models\r\n"
    async with saying(head + b"Content-Length: 0\r\nConnection: close\r\n\r\n", b"") as url:
        resolved = resolve({"base_url": url}, environ={})
        with pytest.raises(NoServerError, match=r"sends us on to http://other\.example/v1/models"):
            async with connect(resolved, environ={}):
                pass


async def test_server_is_named_once_in_what_is_said_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "ANSWER_S", 0.2)
    async with saying(OK, b" ", pause_s=0.05) as url:
        resolved = resolve({"base_url": url}, environ={})
        with pytest.raises(NoServerError) as caught:
            async with connect(resolved, environ={}):
                pass
    assert str(caught.value) == f"The server at {url} took longer than 0.2 s to answer."


async def test_certificates_that_do_not_exist_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nonexistent.pem")
    with pytest.raises(NoServerError, match="SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"):
        Client("https://127.0.0.1:1/v1")
