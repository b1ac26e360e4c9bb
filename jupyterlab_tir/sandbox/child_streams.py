"""What a child's cells write, sent without flooding: heads and tails, few messages, encodable text.

Runs in the child's process only. Courtesy to honest code: the engine's side relies on none of it.
"""

# mypy: disallow-untyped-calls=False
# ruff: noqa: ANN401, D102 - what is overridden is untyped, and documented where it comes from

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

from ipykernel.iostream import OutStream

_FLUSHES_A_CELL = 200


class CellStream(OutStream):
    """Sends the first `keep_chars` characters of a cell and, at its end, the last as many.

    Threads of the cell may write at the same time.
    """

    keep_chars = 16_384

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._cell_lock = threading.RLock()
        self._begin_cell()
        super().__init__(*args, **kwargs)

    def _begin_cell(self) -> None:
        self._sent_chars = self._held_chars = self._flushes = 0
        self._tail = ""

    def set_parent(self, parent: Any) -> None:
        with self._cell_lock:
            self._begin_cell()
        super().set_parent(parent)

    def write(self, string: str) -> int:
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string).__name__}")
        with self._cell_lock:
            room = max(self.keep_chars - self._sent_chars, 0)
            if room:
                head = string[:room]
                self._sent_chars += len(head)
                super().write(encodable(head))
            if len(string) > room:
                self._held_chars += len(string) - room
                rest = string[max(room, len(string) - self.keep_chars) :]
                self._tail = (self._tail + rest)[-self.keep_chars :]
        return len(string)

    def flush(self) -> None:
        # Each flush is a message, and a kernel that sends thousands loses some: stop obeying.
        self._flushes += 1
        if self._flushes <= _FLUSHES_A_CELL:
            super().flush()

    def end_cell(self) -> int:
        """Send the tail; return how many characters between head and tail were left out."""
        with self._cell_lock:
            tail, cut = self._tail, self._held_chars - len(self._tail)
            if tail:
                super().write(encodable(tail))
            self._begin_cell()
        return cut


def encodable(text: str) -> str:
    """Return `text` with lone surrogates written as escapes, so that it can be sent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def end_stream(stream: Any) -> int:
    """Return the characters cut from `stream` in this cell; 0 if a cell replaced the stream."""
    return stream.end_cell() if isinstance(stream, CellStream) else 0


def write_to_descriptors_after_fork() -> None:
    """Give a forked process plain streams: the threads that serve ours are not forked with it."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = open(number, "w", buffering=1, closefd=False, encoding="utf-8")  # noqa: SIM115 - it stays
        setattr(sys, name, stream)


def silence_originals() -> None:
    """Point what was stdout and stderr at nothing: ipykernel echoes descriptors 1 and 2 to them.

    Until here they led to the engine's log of a kernel that does not start.
    """
    with Path(os.devnull).open("wb") as nothing:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nothing.fileno(), stream.fileno())
