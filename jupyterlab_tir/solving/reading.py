"""Reading and comparing answers away from the engine's loop.

A hard answer can take a second. Meanwhile streams, deadlines and the timers of running code go on,
and whoever stops a run does not wait: a thread whose result nobody wants any more ends by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import AsyncIterator, Callable
from typing import ParamSpec, TypeVar

from ..answers import prepare
from .engine import tell

P = ParamSpec("P")
T = TypeVar("T")

MOST_THREADS = 4
"""Threads of one run. More would not be faster: the answers' worker does the hard part."""


class Reading:
    """Calls functions in threads, a few at once.

    The threads are daemons, since a process that ends would wait for those of an executor.
    """

    def __init__(self, most: int = MOST_THREADS) -> None:
        self._places = asyncio.Semaphore(most)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in a thread and wait for what it returns or raises.

        Being cancelled ends the waiting at once. A thread that has begun keeps its place until the
        function returns.
        """
        await self._places.acquire()
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()
        bound = functools.partial(function, *args, **kwargs)
        thread = threading.Thread(
            target=lambda: tell(loop, self._deliver(bound, result)), name="tir-answers", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            # No more threads, as when Python is ending: late is better than not at all.
            self._deliver(bound, result)()
        return await result

    @contextlib.asynccontextmanager
    async def ready(self) -> AsyncIterator[None]:
        """Meanwhile, have the answers' worker started, so that no first answer waits for it."""
        starting = asyncio.create_task(self.call(prepare))
        try:
            yield
        finally:
            starting.cancel()
            await asyncio.wait([starting])

    def _deliver(self, function: Callable[[], T], result: asyncio.Future[T]) -> Callable[[], None]:
        """Call the function; returns what hands its result over, to be called on the loop."""
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            settle = functools.partial(result.set_exception, error)
        else:
            settle = functools.partial(result.set_result, value)

        def hand_over() -> None:
            self._places.release()
            if not result.cancelled():
                settle()

        return hand_over
