from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jupyterlab_tir.backend.scripted import ScriptedServer
from jupyterlab_tir.backend.scripted.script import parse_script

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


class Playing:
    """A started server with an HTTP client for it."""

    def __init__(self, server: ScriptedServer, client: httpx.AsyncClient) -> None:
        self.server = server
        self.client = client
        self.root = server.base_url.removesuffix("/v1")

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return await self.client.get(self.root + path, **options)

    async def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return await self.client.post(self.root + path, json=body, **options)

    async def chat(self, question: str = "2+2?", **fields: Any) -> httpx.Response:
        request_id = fields.pop("request_id", None)
        headers = {"x-request-id": request_id} if request_id else {}
        body = {"messages": [{"role": "user", "content": question}], **fields}
        return await self.post("/v1/chat/completions", body, headers=headers)

    async def complete(self, prompt: str = "2+2?", **fields: Any) -> httpx.Response:
        request_id = fields.pop("request_id", None)
        headers = {"x-request-id": request_id} if request_id else {}
        body = {"prompt": prompt, "max_tokens": 500, **fields}
        return await self.post("/v1/completions", body, headers=headers)

    async def running(self) -> float:
        lines = (await self.get("/metrics")).text.splitlines()
        return next(
            float(line.rsplit(" ", 1)[1])
            for line in lines
            if line.startswith("vllm:num_requests_running{")
        )

    async def raw_chat(self, *, stream: bool = True, question: str = "2+2?") -> Raw:
        """A chat request over a bare socket, so that nothing tidies up what comes back."""
        port = int(self.root.rsplit(":", 1)[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = json.dumps(
            {
                "messages": [{"role": "user", "content": question}],
                "stream": stream,
                **({"stream_options": {"include_usage": True}} if stream else {}),
            },
        ).encode()
        writer.write(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
            b"Content-Type: application/json\r\n"
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body,
        )
        return Raw(reader, writer)


class Raw:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def until(self, mark: bytes) -> bytes:
        async with asyncio.timeout(10):
            return await self.reader.readuntil(mark)

    async def silent_for(self, seconds: float) -> bool:
        """Whether nothing comes and the connection stays open."""
        try:
            async with asyncio.timeout(seconds):
                await self.reader.read(1)
        except TimeoutError:
            return True
        return False

    async def close(self) -> None:
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except ConnectionError:
            return


def events(text: str) -> list[Any]:
    """The JSON of every data line; "[DONE]" as a string."""
    data = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [entry if entry == "[DONE]" else json.loads(entry) for entry in data]


@pytest.fixture
def parse_events() -> Callable[[str], list[Any]]:
    return events


@pytest.fixture
def play() -> Callable[..., Any]:
    @asynccontextmanager
    async def playing(
        *turns: dict[str, Any],
        server: dict[str, Any] | None = None,
        problems: list[dict[str, Any]] | None = None,
    ) -> AsyncIterator[Playing]:
        script = {
            "version": 1,
            "server": server or {},
            "problems": problems or [{"contains": "", "samples": [{"turns": list(turns)}]}],
        }
        limits = httpx.Limits(max_connections=None)
        async with (
            ScriptedServer(parse_script(json.dumps(script))) as started,
            httpx.AsyncClient(limits=limits, timeout=30) as client,
        ):
            yield Playing(started, client)

    return playing
