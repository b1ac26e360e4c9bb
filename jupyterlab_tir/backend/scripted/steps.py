"""A reply as a sequence of steps: what to send, when, and how the connection ends.

Replies are built, and broken by faults, as plain iterators of steps; only the connection carries
them out. That keeps every fault a pure function that can be tested without a socket.
"""

from __future__ import annotations

import json
from typing import Literal

import msgspec

Ending = Literal["end", "close", "reset"]
Part = Literal["role", "token", "finish", "usage", "done", "body", "other"]


class Head(msgspec.Struct, frozen=True, tag=True):
    """Status line and headers; without a content-length the body is sent in chunks."""

    status: int
    headers: tuple[tuple[str, str], ...]


class Send(msgspec.Struct, frozen=True, tag=True):
    """Bytes of the body, due `wait_ms` after the step before; `tokens` says how many they carry."""

    data: bytes
    part: Part = "other"
    tokens: int = 0
    wait_ms: float = 0.0


class Hang(msgspec.Struct, frozen=True, tag=True):
    """Nothing more is sent (but a comment every `ping_ms`); the connection stays open."""

    ping_ms: float | None = None


class Close(msgspec.Struct, frozen=True, tag=True):
    """The reply stops here, however much was promised.

    `end` ends the body as HTTP wants it, so that no client library sees an error; `close` closes
    the connection in the middle of the body; `reset` sends a TCP reset.
    """

    how: Ending


Step = Head | Send | Hang | Close

STREAM_HEAD = Head(200, (("content-type", "text/event-stream; charset=utf-8"),))
DONE = Send(b"data: [DONE]\n\n", "done")


def json_bytes(value: object) -> bytes:
    """JSON as vLLM writes it: compact, UTF-8; not-a-number stays the bare word `NaN`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def event(value: object, name: str | None = None) -> bytes:
    """One server-sent event whose data is a JSON value, named when the stream names it."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + json_bytes(value) + b"\n\n"


def json_reply(
    status: int,
    value: object,
    headers: tuple[tuple[str, str], ...] = (),
) -> tuple[Head, Send]:
    """A whole reply with a JSON body."""
    return text_reply(status, json_bytes(value), "application/json", headers)


def text_reply(
    status: int,
    body: bytes,
    content_type: str,
    headers: tuple[tuple[str, str], ...] = (),
) -> tuple[Head, Send]:
    """A whole reply with the body given."""
    head = Head(
        status,
        (("content-type", content_type), ("content-length", str(len(body))), *headers),
    )
    return head, Send(body, "body")
