"""What cells write, sent without flooding: heads and tails, few messages, text that can be sent.

Courtesy to honest code: the engine's side relies on none of it.
"""

from __future__ import annotations

import io
import time
from typing import Final

from .publisher import Publisher
from .wire import EMPTY

OLD_S: Final = 0.1
"""Text that waited so long is sent."""

_FLUSHES_A_CELL: Final = 200
_CHUNK_CHARS: Final = 65_536


class CellStream(io.TextIOBase):
    """Sends the first `keep_chars` characters of a cell and, at its end, the last as many.

    Threads of the cell may write at the same time.

    Parameters
    ----------
    name
        "stdout" or "stderr".
    descriptor
        What programs that the code starts inherit.
    publisher
        Publishes the text.
    keep_chars
        Characters to send at the head, and as many at the tail.
    """

    encoding = "UTF-8"

    def __init__(self, name: str, descriptor: int, publisher: Publisher, keep_chars: int) -> None:
        super().__init__()
        self.name = name
        self._descriptor = descriptor
        self._publisher = publisher
        self._keep_chars = keep_chars
        self._lock = publisher.lock
        self._held: list[str] = []
        self._held_chars = 0
        self._held_since = 0.0
        self._parent = EMPTY
        self._begin_cell()

    def _begin_cell(self) -> None:
        self._sent_chars = self._left_chars = self._flushes = 0
        self._tail = ""

    @property
    def holds_text(self) -> bool:
        """Whether there is text that was not sent yet."""
        return bool(self._held)

    def write(self, text: str) -> int:
        """Take in text; it is sent before the cell ends."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)  # a subclass could mean anything by a slice
        with self._lock:
            room = max(self._keep_chars - self._sent_chars, 0)
            if room:
                head = text[:room]
                self._sent_chars += len(head)
                self._hold(head)
            if len(text) > room:
                self._left_chars += len(text) - room
                rest = text[max(room, len(text) - self._keep_chars) :]
                self._tail = (self._tail + rest)[-self._keep_chars :]
        self._publisher.deliver()
        return len(text)

    def flush(self) -> None:
        """Send what is held; each flush is a message, so after hundreds of them it waits."""
        with self._lock:
            self._flushes += 1
            if self._flushes <= _FLUSHES_A_CELL:
                self._send()
        self._publisher.deliver()

    def flush_old(self) -> None:
        """Send what has waited long enough."""
        with self._lock:
            if self._held and time.monotonic() - self._held_since >= OLD_S:
                self._send()

    def end_cell(self) -> int:
        """Send all there is; return how many characters between head and tail were left out."""
        with self._lock:
            tail, cut = self._tail, self._left_chars - len(self._tail)
            for start in range(0, len(tail), _CHUNK_CHARS):
                self._hold(tail[start : start + _CHUNK_CHARS])
            self._send()
            self._begin_cell()
        return cut

    def _hold(self, text: str) -> None:
        parent = self._publisher.parent
        if self._held and (parent is not self._parent or self._held_chars > _CHUNK_CHARS):
            self._send()
        now = time.monotonic()
        if not self._held:
            self._parent, self._held_since = parent, now
            self._publisher.stir()
        self._held.append(encodable(text))
        self._held_chars += len(text)
        if now - self._held_since >= OLD_S:
            self._send()

    def _send(self) -> None:
        if self._held:
            text = "".join(self._held)
            # In this order: an exception out of a signal handler loses nothing.
            self._publisher.publish(
                "stream", {"name": self.name, "text": text}, parent=self._parent
            )
            self._held, self._held_chars = [], 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor that leads here."""
        return self._descriptor

    def close(self) -> None:
        """Send what is held. The stream stays open: the next cell has it too."""
        self.flush()

    def __del__(self) -> None:
        pass  # that of io.IOBase closes


def encodable(text: str) -> str:
    """Return `text` with lone surrogates written as escapes, so that it can be sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text
