"""Child kernels: started at most so many at once, used one cell at a time, ended for certain.

Everything runs on the event loop that entered `ChildKernels`. On Linux the children also die with
the thread that runs that loop, so it must be one that lives as long as they should.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
from typing import TYPE_CHECKING, Final, Self

from jupyterlab_tir.errors import TirError, UsageError

from .folders import PrivateFolder, remove_abandoned, remove_folder
from .result import CellResult, CellStatus

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    import zmq.asyncio

    from .connection import Connection
    from .launch import ChildSettings
    from .process import ChildProcess

_GIB: Final = 1024**3
_START_TIMEOUT_S: Final = 60.0
_LEAST_SENT_CHARS: Final = 16_384


class KernelStartError(TirError):
    """A child kernel could not be started."""


class ChildKernel:
    """One kernel of one sample; made by `ChildKernels.start`.

    Attributes
    ----------
    number
        Counts the kernels of its `ChildKernels` from 1.
    """

    def __init__(
        self, kernels: ChildKernels, number: int, connection: Connection, process: ChildProcess
    ) -> None:
        self.number = number
        self._kernels = kernels
        self._connection = connection
        self._process = process
        self._one_cell = asyncio.Lock()

    @property
    def alive(self) -> bool:
        """Whether another cell can run: the process lives and nobody ended it."""
        return not (self._process.killed or self._process.exited.done())

    async def run(self, code: str, *, timeout_s: float = 10.0) -> CellResult:
        """Execute a cell; the kernel's state persists between cells.

        Whatever the code does is a status in the result, not an exception. Cells of one kernel
        run one after the other. If the awaiting task is cancelled the kernel is killed.

        Parameters
        ----------
        code
            Python as IPython takes it; `await` works at the top level.
        timeout_s
            Seconds after which the code is interrupted, and a second later killed.

        Raises
        ------
        UsageError
            Where `timeout_s` is no positive, finite number.
        """
        from .cell import refusal, run_cell  # noqa: PLC0415 - see ChildKernels.__aenter__

        if not (math.isfinite(timeout_s) and timeout_s > 0):
            raise UsageError(f"timeout_s is {timeout_s}; it must be a positive number of seconds.")
        async with self._one_cell:
            if not self.alive:
                return CellResult(
                    status=CellStatus.DIED,
                    duration_s=0.0,
                    error_message="This kernel has ended; start another one.",
                )
            refused = refusal(code)
            if refused is not None:
                return CellResult(status=CellStatus.REFUSED, duration_s=0.0, error_message=refused)
            try:
                return await run_cell(
                    self._connection,
                    self._process,
                    code,
                    timeout_s=timeout_s,
                    keep_chars=self._kernels.output_chars,
                )
            except asyncio.CancelledError:
                await self._process.kill()
                raise

    async def until_no_cell_runs(self) -> None:
        """Wait for the cell that runs: it still reads what a kernel that ended had said last."""
        async with self._one_cell:
            pass

    async def close(self) -> None:
        """Kill the kernel, and wait until its process, sockets and folder are gone."""
        await self._process.kill()
        await self._kernels.forget(self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class ChildKernels:
    """Starts child kernels; an asynchronous context manager that leaves nothing behind.

    Parameters
    ----------
    limit
        Kernels alive at once; `start` waits, first come first served, while there are so many.
    memory_bytes
        Address space that a kernel may take beyond what it and the usual libraries need.
    output_chars
        Characters of stdout, of stderr and of a value that are kept at the head, and as many at
        the tail.

    Raises
    ------
    UsageError
        Where one of them is not positive.
    """

    isolation: Final = "none"
    """How far the operating system confines a child; "none" until the box is built."""

    def __init__(
        self, *, limit: int = 8, memory_bytes: int = _GIB, output_chars: int = 2_000
    ) -> None:
        for name, value in (
            ("limit", limit),
            ("memory_bytes", memory_bytes),
            ("output_chars", output_chars),
        ):
            if value < 1:
                raise UsageError(f"{name} is {value}; it must be at least 1.")
        self.limit = limit
        self.memory_bytes = memory_bytes
        self.output_chars = output_chars
        self._slots = asyncio.Semaphore(limit)
        self._numbers = itertools.count(1)
        self._folder: PrivateFolder | None = None
        self._context: zmq.asyncio.Context | None = None
        self._starting: set[asyncio.Task[ChildKernel]] = set()
        self._lives: dict[ChildKernel, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def alive(self) -> int:
        """How many kernels are alive."""
        return sum(kernel.alive for kernel in self._lives)

    async def __aenter__(self) -> Self:
        # jupyter_client and zmq take a tenth of a second; only who runs code pays for them.
        from .connection import make_context  # noqa: PLC0415

        if self._folder is not None or self._closed:
            raise UsageError("These child kernels were entered before; make new ones.")
        self._folder = PrivateFolder()
        await remove_abandoned()
        self._context = make_context()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self, *, seed: int | None = None) -> ChildKernel:
        """Start a kernel and wait until it is ready.

        Parameters
        ----------
        seed
            Not negative. Seeds Python's `random`, the hashes of strings, and the global generators
            of numpy and sympy when the code imports them. None leaves them to chance.

        Raises
        ------
        UsageError
            Where `seed` is negative or these kernels are not open.
        KernelStartError
            Where the kernel does not come up.
        """
        if seed is not None and seed < 0:
            raise UsageError(f"seed is {seed}; it must not be negative.")
        self._require_open()
        await self._slots.acquire()
        starting = asyncio.create_task(self._start(seed))
        self._starting.add(starting)
        try:
            return await starting
        except asyncio.CancelledError:
            if not starting.cancelled() and starting.exception() is None:
                await starting.result().close()  # it was ready in the very moment of the cancel
            task = asyncio.current_task()
            if task is None or not task.cancelling():
                self._require_open()  # nobody cancelled us: `close` cancelled the start
            raise
        finally:
            self._starting.discard(starting)
            if starting.cancelled() or starting.exception() is not None:
                self._slots.release()

    async def close(self) -> None:
        """Kill every kernel and wait until all they had is gone; may be called again."""
        self._closed = True
        starting = list(self._starting)
        for start in starting:
            start.cancel()
        await asyncio.gather(*starting, return_exceptions=True)
        await asyncio.gather(*(kernel.close() for kernel in list(self._lives)))
        context, self._context = self._context, None
        if context is not None:
            context.destroy(linger=0)
        folder, self._folder = self._folder, None
        if folder is not None:
            await folder.remove()

    async def forget(self, kernel: ChildKernel) -> None:
        """Wait until a kernel that was killed is gone. For `ChildKernel.close`."""
        life = self._lives.get(kernel)
        if life is not None:
            # Whoever waits may be cancelled; the clean-up may not.
            await asyncio.shield(life)

    def _require_open(self) -> None:
        if self._closed:
            raise UsageError("These child kernels are closed; make new ones.")
        if self._folder is None:
            raise UsageError("Child kernels must be entered with `async with` before a start.")

    def _settings(self) -> ChildSettings:
        from .launch import ChildSettings  # noqa: PLC0415 - see __aenter__

        # Twice what is kept, because cleaning shortens.
        keep_chars = max(2 * self.output_chars, _LEAST_SENT_CHARS)
        return ChildSettings(memory_bytes=self.memory_bytes, keep_chars=keep_chars)

    async def _start(self, seed: int | None) -> ChildKernel:
        import zmq  # noqa: PLC0415 - see __aenter__

        try:
            return await self._start_one(seed)
        except (OSError, zmq.ZMQError) as error:
            raise KernelStartError(
                f"A child kernel could not be started ({error}); free disk space, memory or open "
                "files, or start fewer at once."
            ) from None

    async def _start_one(self, seed: int | None) -> ChildKernel:
        from .connection import Connection  # noqa: PLC0415 - see __aenter__
        from .launch import make_manager, start_process  # noqa: PLC0415
        from .process import ChildProcess, kill_process  # noqa: PLC0415

        self._require_open()
        if self._folder is None or self._context is None:
            raise AssertionError  # _require_open has raised
        number = next(self._numbers)
        folder = self._folder.path / str(number)
        async with contextlib.AsyncExitStack() as undo:
            folder.mkdir(mode=0o700)
            undo.push_async_callback(_remove_if_possible, folder)
            manager = make_manager(folder, self._context)
            undo.push_async_callback(manager.cleanup_resources)
            undo.push_async_callback(kill_process, manager)  # a cancel may come inside the start
            await start_process(manager, self._settings(), folder, seed)
            process = ChildProcess(manager)
            undo.push_async_callback(process.kill_and_wait)
            connection = Connection(manager)
            undo.callback(connection.close)
            await _wait_until_ready(connection, process, folder)
            kernel = ChildKernel(self, number, connection, process)
            self._lives[kernel] = asyncio.create_task(self._live(kernel, process, undo.pop_all()))
            return kernel

    async def _live(
        self, kernel: ChildKernel, process: ChildProcess, at_end: contextlib.AsyncExitStack
    ) -> None:
        """Wait for the end of a kernel's process, clear up after it, free its slot."""
        try:
            async with at_end:
                await process.exited
                await kernel.until_no_cell_runs()
        finally:
            del self._lives[kernel]
            self._slots.release()


async def _remove_if_possible(folder: Path) -> None:
    # What is left is tried again with the folder that holds all of them.
    with contextlib.suppress(OSError):
        await remove_folder(folder)


async def _wait_until_ready(connection: Connection, process: ChildProcess, folder: Path) -> None:
    """Wait until the kernel answers.

    Raises
    ------
    KernelStartError
        Where its process ends first, or a minute passes.
    """
    from .launch import last_words  # noqa: PLC0415 - see ChildKernels.__aenter__

    ready = asyncio.create_task(connection.wait_until_ready())
    try:
        await asyncio.wait(
            {ready, process.exited},
            timeout=_START_TIMEOUT_S,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if ready.done():
            return await ready
        if process.exited.done():
            raise KernelStartError(
                f"A child kernel ended with code {process.exited.result()} before it was ready"
                f"{_saying(last_words(folder))}; check that this environment's ipykernel works."
            )
        raise KernelStartError(
            f"A child kernel was not ready after {_START_TIMEOUT_S:g} s"
            f"{_saying(last_words(folder))}; the machine may be overloaded: start fewer at once."
        )
    finally:
        ready.cancel()
        await asyncio.gather(ready, return_exceptions=True)


def _saying(words: str) -> str:
    return f", saying {words!r}" if words else ""
