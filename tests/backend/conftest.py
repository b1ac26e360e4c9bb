from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.backend.client import Client, Request
from jupyterlab_tir.backend.scripted import ScriptedServer
from jupyterlab_tir.backend.scripted.script import parse_script
from jupyterlab_tir.backend.turns import TurnReader
from jupyterlab_tir.backend.wire import Delta
from jupyterlab_tir.config import ResolvedConfig, resolve

CHAT = {"messages": [{"role": "user", "content": "2+2?"}]}
COMPLETION = {"prompt": "Problem: 2+2?\n"}


class Played:
    """A scripted server and our client for it."""

    def __init__(self, server: ScriptedServer, client: Client) -> None:
        self.server = server
        self.client = client

    def stream(
        self,
        *,
        chat: bool = True,
        k: int = 0,
        stall_s: float = 10,
        request_id: str = "tir-run-s0-a0-t0",
        **fields: Any,
    ) -> Any:
        """The stream of one request, with what every request of a run has."""
        asked: dict[str, Any] = (
            {"logprobs": True, "top_logprobs": k} if chat and k else {"logprobs": k} if k else {}
        )
        body = {
            **(CHAT if chat else COMPLETION),
            "max_tokens": 500,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_token_ids": True,
            **asked,
            **fields,
        }
        request = Request(
            endpoint="/chat/completions" if chat else "/completions",
            body=body,
            request_id=request_id,
            top_logprobs=k,
        )
        return self.client.stream(request, stall_s=stall_s)

    async def deltas(self, **options: Any) -> list[Delta]:
        async with contextlib.aclosing(self.stream(**options)) as stream:
            return [delta async for delta in stream]

    async def turn(self, *, thinks: bool = False, **options: Any) -> TurnReader:
        """A whole turn as a run reads it: closed at the cut, else read to its end."""
        chat = options.get("chat", True)
        reader = TurnReader(scans_code=True, ends_at_answer=not chat, thinks=thinks)
        async with contextlib.aclosing(self.stream(**options)) as stream:
            async for delta in stream:
                if reader.feed(delta) is not None:
                    return reader
        reader.end()
        return reader


@pytest.fixture
def play() -> Callable[..., contextlib.AbstractAsyncContextManager[Played]]:
    @contextlib.asynccontextmanager
    async def playing(
        *turns: dict[str, Any], api_key: str | None = None, **server: Any
    ) -> AsyncIterator[Played]:
        settings = {**server, **({"api_key": api_key} if api_key else {})}
        script = {
            "version": 1,
            "server": settings,
            "problems": [{"contains": "", "samples": [{"turns": list(turns or ({"text": "4"},))}]}],
        }
        async with (
            ScriptedServer(parse_script(json.dumps(script))) as started,
            Client(started.base_url, api_key) as client,
        ):
            yield Played(started, client)

    return playing


class Plain:
    """A tiny HTTP server with one fixed reply for each path; remembers what it was asked."""

    def __init__(self, replies: dict[str, Any]) -> None:
        self._replies = replies
        self.asked: list[tuple[str, Any]] = []
        self.base_url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ", 2)[1]
        lengths = [
            int(line.split(":")[1])
            for line in head.split("\r\n")
            if line.lower().startswith("content-length:")
        ]
        body = await reader.readexactly(lengths[0]) if lengths else b""
        self.asked.append((path, json.loads(body) if body else None))
        status, content = self._reply(path)
        kind = "application/json" if isinstance(content, (dict, list)) else "text/html"
        data = json.dumps(content) if kind == "application/json" else content
        raw = data.encode()
        writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(raw)}\r\n"
            "Connection: close\r\n\r\n".encode()
            + raw
        )
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()

    def _reply(self, path: str) -> tuple[int, Any]:
        reply = self._replies.get(path, (404, {"detail": "Not Found"}))
        if isinstance(reply, list):  # one after the other, the last one stays
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        return reply


@pytest.fixture
def answer() -> Callable[..., contextlib.AbstractAsyncContextManager[Plain]]:
    @contextlib.asynccontextmanager
    async def answering(replies: dict[str, Any]) -> AsyncIterator[Plain]:
        plain = Plain(replies)
        server = await asyncio.start_server(plain.serve, "127.0.0.1", 0)
        plain.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield plain
        finally:
            server.close()
            await server.wait_closed()

    return answering


@pytest.fixture
def folders(jupyter_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Jupyter's folders, private to the test; returns that of what is true while a process runs."""
    monkeypatch.delenv("TIR_CONFIG", raising=False)
    return jupyter_folders / "runtime" / "tir"


@pytest.fixture
def settings(folders: Path) -> Callable[..., ResolvedConfig]:
    """Settings as the command line resolves them, without this machine's environment."""

    def resolved(**options: Any) -> ResolvedConfig:
        return resolve(options, environ={}, file=folders / "none.toml")

    return resolved
