"""Waiting on a descriptor, on any event loop and by any number of tasks at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select


async def readable(*descriptors: int) -> None:
    """Wait until one of the descriptors can be read or has reached its end.

    Raises
    ------
    OSError
        Where one is closed already.
    """
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def set_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    with contextlib.ExitStack() as undo:
        for descriptor in descriptors:
            # A loop knows one reader for a descriptor; a copy of it is another.
            copy = os.dup(descriptor)
            undo.callback(os.close, copy)
            loop.add_reader(copy, set_ready)
            undo.callback(loop.remove_reader, copy)
        await ready


def is_readable(descriptor: int) -> bool:
    """Say whether a descriptor can be read, or has reached its end, now."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(0))
