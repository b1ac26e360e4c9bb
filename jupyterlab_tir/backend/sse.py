"""Server-sent events, decoded incrementally from bytes however they were split. No I/O."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

import msgspec


class ServerSentEvent(msgspec.Struct, frozen=True):
    """One dispatched event: its name (``message`` unless the server named it) and its data."""

    name: str
    data: str


class SseDecoder:
    """Assembles events from chunks of bytes.

    Lines may end in LF, CRLF or CR; a chunk may end anywhere, inside a character too. Comments and
    unknown fields are ignored and dispatch nothing; an event without data is not dispatched.

    Examples
    --------
    >>> decoder = SseDecoder()
    >>> list(decoder.feed(b"data: on"))
    []
    >>> list(decoder.feed(b"e" + bytes([10, 10])))
    [ServerSentEvent(name='message', data='one')]
    """

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._line: list[str] = []
        self._after_cr = False
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Take the next bytes and yield the events that they complete."""
        text = self._text.decode(chunk)
        if not text:
            return
        # The LF of a CRLF that the last chunk cut in two.
        follows_cr, self._after_cr = self._after_cr, text.endswith("\r")
        if follows_cr:
            text = text.removeprefix("\n")
        *complete, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for piece in complete:
            self._line.append(piece)
            line = "".join(self._line)
            self._line.clear()
            if (event := self._take(line)) is not None:
                yield event
        self._line.append(rest)

    def _take(self, line: str) -> ServerSentEvent | None:
        if not line:
            event = ServerSentEvent(self._name or "message", "\n".join(self._data))
            dispatched = bool(self._data)
            self._name, self._data = "", []
            return event if dispatched else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return None
