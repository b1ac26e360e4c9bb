"""A run from outside: wait for it, watch it, stop it, from any thread and any event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import AsyncGenerator, Callable, Generator

from ..errors import StoppedError
from ..events import Event
from .engine import Engine, tell
from .journal import Journal, Listener
from .result import RunResult
from .run import Run

RunFuture = concurrent.futures.Future[RunResult]


class RunHandle:
    """A run that is going on.

    ``await handle`` or ``handle.result()`` gives its `RunResult`; ``handle.stop()`` ends it and
    keeps what it has; ``handle.events()`` yields its events, from the first on.
    """

    def __init__(self, engine: Engine, run: Run, journal: Journal) -> None:
        self.run_id = run.run_id
        self._engine = engine
        self._run = run
        self._journal = journal
        self._future: RunFuture = engine.submit(self._execute())

    async def _execute(self) -> RunResult:
        try:
            return await self._run.execute()
        except asyncio.CancelledError:
            raise StoppedError("The run was stopped before it began.") from None

    def __await__(self) -> Generator[object, None, RunResult]:
        return self._awaited().__await__()

    async def _awaited(self) -> RunResult:
        await self.until_over()
        return self._future.result()

    async def until_over(self) -> None:
        """Wait on the caller's loop until it is over, however it ended.

        Cancelling one waiter does not cancel the run under the others.
        """
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        self.when_done(lambda: tell(loop, over.set))
        await over.wait()

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self._future.done()

    def result(self, timeout_s: float | None = None) -> RunResult:
        """Block until it is over.

        Raises
        ------
        TirError
            If it could not begin.
        TimeoutError
            If it is not over within `timeout_s` seconds; it goes on.
        UsageError
            On the engine's own thread, such as in a listener.
        """
        self._engine.require_another_thread()
        return self._future.result(timeout_s)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until it is over, however it ended; False if it is not within the time.

        Raises
        ------
        UsageError
            On the engine's own thread, such as in a listener.
        """
        self._engine.require_another_thread()
        return bool(concurrent.futures.wait([self._future], timeout_s).done)

    def stop(self) -> None:
        """End it: requests are cancelled, kernels ended, the tally so far is its result."""
        self._engine.call(self._run.stop)

    def listen(self, listener: Listener) -> None:
        """Call a function on the engine's thread with each event, those so far first.

        It must return at once and raise nothing.
        """
        self._engine.call(lambda: self._journal.listen(listener))

    def when_done(self, function: Callable[[], object]) -> None:
        """Call a function when it is over, on the engine's thread or at once."""
        self._future.add_done_callback(lambda _: function())

    async def events(self) -> AsyncGenerator[Event, None]:
        """Yield its events on the caller's loop, from the first to the last."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Event | None] = asyncio.Queue()

        def put(event: Event | None) -> None:
            tell(loop, lambda: queue.put_nowait(event))

        self.listen(put)
        # Through the engine once more, so that the end comes after the events.
        self.when_done(lambda: self._engine.call(lambda: put(None)))
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            self._engine.call(lambda: self._journal.leave(put))
