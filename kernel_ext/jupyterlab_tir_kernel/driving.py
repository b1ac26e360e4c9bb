"""Waiting for a cell's steps: awaited on the kernel's loop, or blocking; both hear the stop button.

A cell is a generator that yields the future it waits for; it is resumed when that is done, or after
one frame. An interrupt is thrown into it as `KeyboardInterrupt`, wherever it came from. Nothing
here knows what the steps do.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import signal
import socket
import threading
from collections.abc import Generator, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

FRAME_S = 0.1
"""Longest time between two looks at a run: at most ten updates a second."""

Signal = concurrent.futures.Future[None]
"""Is done when there is something to look at; never fails."""

Steps = Generator[Signal, None, T]


async def drive_awaiting(steps: Steps[T]) -> T:
    """Take the steps without blocking the running event loop.

    Raises
    ------
    BaseException
        What the steps raise.
    """
    interrupt: KeyboardInterrupt | None = None
    awaited: dict[Signal, asyncio.Future[None]] = {}
    with woken_by_signals(asyncio.get_running_loop()), contextlib.closing(steps):
        while True:
            try:
                waits_for = next(steps) if interrupt is None else steps.throw(interrupt)
            except StopIteration as end:
                result: T = end.value
                return result
            interrupt = None
            if waits_for not in awaited:
                # Wrapped once, since every wrapping leaves a callback behind.
                awaited = {waits_for: asyncio.wrap_future(waits_for)}
            try:
                await asyncio.wait(awaited.values(), timeout=FRAME_S)
            except asyncio.CancelledError:
                # ipykernel makes this of the stop button's SIGINT.
                interrupt = KeyboardInterrupt()


def drive_blocking(steps: Steps[T], *, takes_sigint: bool) -> T:
    """Take the steps and block; Ctrl-C and the stop button are heard.

    Parameters
    ----------
    takes_sigint
        Whether SIGINT must interrupt here although the kernel handles it otherwise, as it does
        while another cell is awaited.
    """
    interrupt: KeyboardInterrupt | None = None
    with _default_sigint() if takes_sigint else contextlib.nullcontext(), contextlib.closing(steps):
        while True:
            try:
                waits_for = next(steps) if interrupt is None else steps.throw(interrupt)
            except StopIteration as end:
                result: T = end.value
                return result
            interrupt = None
            try:
                concurrent.futures.wait([waits_for], timeout=FRAME_S)
            except KeyboardInterrupt as error:
                interrupt = error


@contextlib.contextmanager
def woken_by_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Wake a sleeping loop when a signal comes; what was set before is restored.

    The kernel's handler only schedules a callback, which a loop that sleeps in `select` does not
    see (ipykernel 7.4, tornado's `add_callback` from a signal handler).
    """
    if threading.current_thread() is not threading.main_thread():
        # A subshell: signals reach the main thread only.
        yield
        return
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        loop.add_reader(reader, _drain, reader)
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(reader)


def _drain(reader: socket.socket) -> None:
    with contextlib.suppress(BlockingIOError):
        reader.recv(4096)


@contextlib.contextmanager
def _default_sigint() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: Any = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
