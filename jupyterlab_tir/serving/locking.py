"""Let one process at a time set up or start a server; the others wait and say so.

A lock of the operating system on an empty file: it ends with its holder, however that one dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from jupyterlab_tir.errors import ServeError

Progress = Callable[[float, str], None]
"""Called with the seconds since a step began and what is being done, about once a second."""

POLL_S = 0.1
TELL_EVERY_S = 1.0


@contextlib.asynccontextmanager
async def exclusive(
    path: Path, *, limit: float, busy: str, progress: Progress
) -> AsyncIterator[None]:
    """Hold the lock at `path` inside the block.

    Parameters
    ----------
    path
        The lock's file; created if absent, never removed.
    limit
        Moment of `time.monotonic()` at which to give up.
    busy
        What the holder is doing, as a sentence's beginning ("Another start is …").
    progress
        Called about once a second while waiting.

    Raises
    ------
    ServeError
        If the lock is not free in time.
    """
    begin = time.monotonic()
    told = begin
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while not _try_lock(descriptor):
            now = time.monotonic()
            if now >= limit:
                raise ServeError(
                    f"{busy} and has not finished within {now - begin:.0f} s; wait for it, or end"
                    " it and try again."
                )
            if now - told >= TELL_EVERY_S:
                progress(now - begin, f"{busy}; waiting for it")
                told = now
            await asyncio.sleep(POLL_S)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
