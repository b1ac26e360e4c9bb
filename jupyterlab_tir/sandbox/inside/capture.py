"""What is written to descriptors 1 and 2 by anything but Python's own streams.

C libraries, `os.write` and processes that the code starts write there. Both become pipes, whose
other ends are read into the streams.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import threading
from typing import Final

from .streams import CellStream

_READ_BYTES: Final = 65_536
_READS: Final = 64


class Capture:
    """Reads what goes past the streams.

    Parameters
    ----------
    streams
        The streams, by the descriptor that each stands for.
    lock
        The streams' lock, which keeps what is read in order.
    """

    def __init__(self, streams: dict[int, CellStream], lock: threading.RLock) -> None:
        self._lock = lock
        self._ends: dict[int, tuple[CellStream, codecs.IncrementalDecoder]] = {}
        for descriptor, stream in streams.items():
            end, other = os.pipe()
            os.dup2(other, descriptor)
            os.close(other)
            os.set_blocking(end, False)
            self._ends[end] = stream, codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptors that can be read when something was written."""
        return tuple(self._ends)

    def forget(self) -> None:
        """In a forked copy of the kernel: leave what is written to the original."""
        self._ends.clear()

    def drain(self) -> None:
        """Take over what was written so far, or a few megabytes of it."""
        for end, (stream, decoder) in list(self._ends.items()):
            with self._lock, contextlib.suppress(BlockingIOError):
                for _ in range(_READS):
                    try:
                        piece = os.read(end, _READ_BYTES)
                    except BlockingIOError:
                        raise
                    except OSError:  # the code has closed it
                        piece = b""
                    if not piece:
                        self._ends.pop(end, None)
                        break
                    stream.write(decoder.decode(piece))
