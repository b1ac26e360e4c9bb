"""Faults of the event stream: missing, broken, foreign and misleading events."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import msgspec

from jupyterlab_tir.backend.scripted.faults.base import (
    Count,
    FaultBase,
    Positive,
    truncated,
    up_to,
    without,
)
from jupyterlab_tir.backend.scripted.refusal import error_object
from jupyterlab_tir.backend.scripted.steps import (
    DONE,
    Hang,
    Send,
    Step,
    event,
    json_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class NoDone(FaultBase, frozen=True, tag="no_done"):
    """The finish reason arrives, `[DONE]` never does, and the connection stays open."""

    usage: bool = False

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Leave out the end, and the usage unless it is wished."""
        yield from without(steps, "done", *(() if self.usage else ("usage",)))
        yield Hang()


class NoUsage(FaultBase, frozen=True, tag="no_usage"):
    """The usage is missing although it was asked for."""

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Leave out the usage chunk or, without a stream, the field."""
        for step in without(steps, "usage"):
            if isinstance(step, Send) and step.part == "body":
                body = json.loads(step.data)
                del body["usage"]
                yield msgspec.structs.replace(step, data=json_bytes(body))
            else:
                yield step


class BadJson(FaultBase, frozen=True, tag="bad_json"):
    """The event that follows `after_tokens` tokens is broken JSON; the next ones are fine."""

    after_tokens: Count = 1

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Break one event or, without a stream, the body."""
        sent = 0
        broken = False
        for step in steps:
            if not isinstance(step, Send):
                yield step
                continue
            due = sent >= self.after_tokens and step.part in {"token", "finish"}
            if not broken and (due or step.part == "body"):
                broken = True
                yield truncated(step)
            else:
                yield step
            sent += step.tokens


class SseError(FaultBase, frozen=True, tag="sse_error"):
    """An error inside a stream that began with status 200, then `[DONE]`.

    With `event` null the event has no name, which is how vLLM sends it; `data` replaces the error
    object.
    """

    after_tokens: Count = 0
    message: str = "Internal server error"
    code: int = 500
    event: str | None = "error"
    data: Any = None

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Send so many tokens, then the error; without a stream the error event is the body."""
        data = self.data
        if data is None:
            data = error_object(self.code, self.message, "InternalServerError")
        for step in up_to(steps, self.after_tokens):
            if isinstance(step, Send) and step.part == "body":
                break
            yield step
        yield Send(event(data, self.event))
        yield DONE


class Comments(FaultBase, frozen=True, tag="comments"):
    """Comments, blank lines and an id line between the events."""

    lines: tuple[str, ...] = (": ping - 12:00", ":", ": keep-alive")

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Put a comment before every event, and an id line before the first."""
        lines = itertools.cycle(self.lines or (":",))
        first = True
        for step in steps:
            if isinstance(step, Send) and step.part != "body":
                if first:
                    yield Send(b"id: 1\n\n")
                    first = False
                yield Send(f"{next(lines)}\n\n\n".encode())
            yield step


class Empty(FaultBase, frozen=True, tag="empty"):
    """Content, reasoning and tool calls are null or empty, yet the usage claims `tokens`."""

    tokens: Positive = 412

    def claimed_tokens(self) -> int | None:
        """Tokens that were generated and lost."""
        return self.tokens
