"""Faults of HTTP and of the connection: errors, cut, silent and chopped streams."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from jupyterlab_tir.backend.scripted.faults.base import (
    Count,
    FaultBase,
    HeaderName,
    HeaderValue,
    Milliseconds,
    Positive,
    up_to,
)
from jupyterlab_tir.backend.scripted.refusal import error_object
from jupyterlab_tir.backend.scripted.steps import (
    Close,
    Ending,
    Hang,
    Head,
    Send,
    Step,
    json_reply,
    text_reply,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Http(FaultBase, frozen=True, tag="http"):
    """An HTTP error instead of the reply; `body` replaces vLLM's error object."""

    status: Annotated[int, Meta(ge=400, le=599)] = 500
    message: str = "Internal Server Error"
    type: str = "InternalServerError"
    headers: dict[HeaderName, HeaderValue] = msgspec.field(default_factory=dict)
    body: str | None = None

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Send the error and nothing of the reply."""
        del steps
        headers = tuple(self.headers.items())
        if self.body is not None:
            return iter(text_reply(self.status, self.body.encode(), "text/plain", headers))
        error = error_object(self.status, self.message, self.type)
        return iter(json_reply(self.status, error, headers))


class Cut(FaultBase, frozen=True, tag="cut"):
    """The reply ends after `after_tokens` tokens, without finish reason and `[DONE]`."""

    after_tokens: Count = 0
    how: Ending = "end"

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Send so many tokens, then close."""
        yield from up_to(steps, self.after_tokens)
        yield Close(self.how)


class Stall(FaultBase, frozen=True, tag="hang"):
    """Nothing follows `after_tokens` tokens; with `ping_ms` comments keep the line busy."""

    after_tokens: Count = 0
    ping_ms: Annotated[float, Meta(ge=1)] | None = None

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Send so many tokens, then stay silent."""
        yield from up_to(steps, self.after_tokens)
        yield Hang(self.ping_ms)


class Silent(FaultBase, frozen=True, tag="silent"):
    """The connection is accepted and nothing is ever sent, not even a status line."""

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Send nothing."""
        del steps
        return iter((Hang(),))


class SplitBytes(FaultBase, frozen=True, tag="split_bytes"):
    """The body is flushed in pieces of the sizes given (bytes, repeated without end)."""

    sizes: Annotated[tuple[Positive, ...], Meta(min_length=1)] = (1,)

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Cut the data of every step, whatever characters the cuts hit."""
        sizes = itertools.cycle(self.sizes)
        for step in steps:
            if not isinstance(step, Send):
                yield step
                continue
            rest, piece = step.data, step
            while rest:
                size = next(sizes)
                yield msgspec.structs.replace(piece, data=rest[:size])
                rest = rest[size:]
                piece = Send(b"")


class Raw(FaultBase, frozen=True, tag="raw"):
    """The body is exactly these strings, each flushed separately; `then` says what follows."""

    body: tuple[str, ...]
    status: Literal[200, 400, 429, 500, 502, 503] = 200
    content_type: HeaderValue = "text/event-stream; charset=utf-8"
    headers: dict[HeaderName, HeaderValue] = msgspec.field(default_factory=dict)
    wait_ms: Milliseconds = 0.0
    then: Literal["end", "close", "reset", "hang"] = "end"

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Send the strings and nothing of the reply."""
        del steps
        yield Head(self.status, (("content-type", self.content_type), *self.headers.items()))
        for piece in self.body:
            yield Send(piece.encode(), wait_ms=self.wait_ms)
        yield Hang() if self.then == "hang" else Close(self.then)
