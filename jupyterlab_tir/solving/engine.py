"""The engine: one thread with one event loop, in a notebook's kernel as in a terminal.

A user's cell that blocks must not freeze streams, deadlines and the timers that kill runaway code,
so runs live on a loop of their own. Faces hand it commands thread-safely and receive events.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ..errors import UsageError

T = TypeVar("T")

CLOSING_S = 5.0
"""Seconds that runs get to end their kernels when the process exits."""


class Engine:
    """The engine's thread and loop. Use `engine()`; a process has one.

    Attributes
    ----------
    process
        The id of the process that started it.
    closing
        Whether it is ending, or has: nothing more should be left to it.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self.closing = False
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        # A daemon: `close` at exit waits for it, but a stuck system call must not hold the process.
        self._thread = threading.Thread(target=self._serve, name="tir-engine", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def usable(self) -> bool:
        """Whether work can be submitted: it was not closed, and this process started it."""
        return self.process == os.getpid() and self._thread.is_alive()

    def require_another_thread(self) -> None:
        """Refuse to wait on the engine's own thread: what is waited for could never happen.

        Raises
        ------
        UsageError
            On the engine's thread.
        """
        if threading.current_thread() is self._thread:
            raise UsageError(
                "This waits on the engine's thread, where nothing could go on meanwhile: "
                "use `await`, or wait on another thread."
            )

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run a coroutine on the engine's loop; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(self._own(work), self._loop)

    async def _own(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine submitted to a loop runs in a task
        task.set_name(getattr(work, "__qualname__", "work"))
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def call(self, function: Callable[[], object]) -> None:
        """Call a function on the engine's thread, soon."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        """Cancel what is running, wait until it is gone, end the thread. Safe to call twice."""
        if not self.usable:
            return
        with_end = asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop)
        concurrent.futures.wait([with_end], timeout=CLOSING_S)
        self.call(self._loop.stop)
        self._thread.join(timeout=CLOSING_S)

    async def _cancel_all(self) -> None:
        self.closing = True
        # Again and again: what is cancelled may submit more while it ends.
        while tasks := tuple(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self._loop.shutdown_asyncgens()


def tell(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Call a function on a loop; a loop that was closed has nobody left to tell."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        # Not asked before: it may close at any moment.
        if not loop.is_closed():
            raise


_lock = threading.Lock()
_engine: Engine | None = None


def _renew_lock() -> None:
    """Another thread may have held the lock at the fork, and is not there to give it back."""
    global _lock  # noqa: PLW0603 - see engine
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def engine() -> Engine:
    """The engine of this process, started at first use.

    A forked process gets its own, and so does who comes after the engine was closed.
    """
    global _engine  # noqa: PLW0603 - a process has one engine
    with _lock:
        if _engine is None or not _engine.usable:
            _engine = Engine()
        return _engine
