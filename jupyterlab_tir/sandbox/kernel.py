"""One child kernel: from its process to its last cell."""

from __future__ import annotations

import asyncio
import contextlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from jupyterlab_tir.errors import UsageError

from .errors import KernelStartError
from .inside.seeding import SEEDING_CODE
from .result import CellResult, CellStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    import zmq.asyncio
    from jupyter_client.manager import AsyncKernelManager

    from .connection import Connection
    from .launchers import Launcher
    from .process import ChildProcess, End

_START_TIMEOUT_S: Final = 60.0
_FOREIGN_SEEDING: Final = '__import__("random").seed({seed})'


class ChildKernel:
    """One kernel, for one sample; `ChildKernels.start` makes it.

    Attributes
    ----------
    number
        Counts the kernels of its `ChildKernels` from 1.
    """

    def __init__(
        self,
        number: int,
        connection: Connection,
        process: ChildProcess,
        *,
        work_folder: Path | None,
        output_chars: int,
        ours: bool,
    ) -> None:
        self.number = number
        self._connection = connection
        self._process = process
        self._work_folder = work_folder
        self._output_chars = output_chars
        self._ours = ours
        self._one_cell = asyncio.Lock()
        self._life: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._when_gone: list[Callable[[], None]] = []

    @classmethod
    async def launch(
        cls,
        launcher: Launcher,
        context: zmq.asyncio.Context,
        *,
        number: int,
        output_chars: int,
        replay: bool,
    ) -> Self:
        """Start a kernel and wait until it answers; for `ChildKernels`.

        Raises
        ------
        KernelStartError
            Where it does not come up.
        OSError
            Where no process or socket can be made.
        """
        from .connection import Connection  # noqa: PLC0415 - loads zmq, see ChildKernels.__aenter__
        from .process import ChildProcess  # noqa: PLC0415 - the same

        async with contextlib.AsyncExitStack() as undo:
            manager = await launcher.start(context, replay=replay)
            undo.push_async_callback(manager.cleanup_resources)
            process = ChildProcess(manager)
            undo.push_async_callback(process.kill_and_wait)
            connection = Connection(manager)
            undo.callback(connection.close)
            await _wait_until_ready(connection, process, launcher, manager)
            kernel = cls(
                number,
                connection,
                process,
                work_folder=_work_folder(manager) if launcher.ours else None,
                output_chars=output_chars,
                ours=launcher.ours,
            )
            kernel._life = asyncio.create_task(kernel._live(undo.pop_all()))
            return kernel

    @property
    def alive(self) -> bool:
        """Whether another cell can run: the process lives and nobody ended it."""
        return self._process.end is None and not self._process.has_ended

    @property
    def pid(self) -> int | None:
        """Its process, where that is one of this machine."""
        return self._process.pid

    @property
    def work_folder(self) -> Path | None:
        """The folder that it works in, as this process sees it; None for kernels not ours."""
        return self._work_folder

    def whenever_gone(self, call: Callable[[], None]) -> None:
        """Have a function called when its process and all that it had are gone."""
        if self._life is None or self._life.done():
            call()
        else:
            self._when_gone.append(call)

    def seed(self, seed: int) -> None:
        """Seed the global generators; before the first cell.

        Does not wait: requests are taken in order, and a kernel that died says so to the cell.
        """
        code = (SEEDING_CODE if self._ours else _FOREIGN_SEEDING).format(seed=seed)
        self._connection.run_silently(code)

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
        from .cell import refusal, run_cell  # noqa: PLC0415 - see launch

        if not (math.isfinite(timeout_s) and timeout_s > 0):
            raise UsageError(f"timeout_s is {timeout_s}; it must be a positive number of seconds.")
        async with self._one_cell:
            if not self.alive:
                return self._ended_before()
            refused = refusal(code)
            if refused is not None:
                return CellResult(status=CellStatus.REFUSED, duration_s=0.0, error_message=refused)
            try:
                return await run_cell(
                    self._connection,
                    self._process,
                    code,
                    timeout_s=timeout_s,
                    keep_chars=self._output_chars,
                )
            except asyncio.CancelledError:
                await self._process.kill()
                raise

    async def end(self, end: End) -> None:
        """Kill the kernel for a reason, which the cell that runs has as its result."""
        await self._process.kill(end)

    async def close(self) -> None:
        """Kill the kernel, and wait until its process, sockets and folder are gone."""
        await self._process.kill()
        if self._life is not None:
            # Whoever waits may be cancelled; the clean-up may not.
            await asyncio.shield(self._life)

    def close_soon(self) -> None:
        """Close it without waiting."""
        self._closing = asyncio.create_task(self.close())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _ended_before(self) -> CellResult:
        end = self._process.end
        told = end is not None and end.status is not CellStatus.CANCELLED
        return CellResult(
            status=end.status if end is not None and told else CellStatus.DIED,
            duration_s=0.0,
            error_message=end.sentence
            if end is not None and told
            else "This kernel has ended; start another one.",
        )

    async def _live(self, at_end: contextlib.AsyncExitStack) -> None:
        """Wait for the end of the process, clear up after it, and tell."""
        try:
            async with at_end:
                await self._process.exited
                # The cell that ran still reads what the kernel had said last.
                async with self._one_cell:
                    pass
        finally:
            for call in self._when_gone:
                call()


def _work_folder(manager: AsyncKernelManager) -> Path:
    from .box import WORK_FOLDER  # noqa: PLC0415 - see launch

    return Path(manager.connection_file).with_name(WORK_FOLDER)


async def _wait_until_ready(
    connection: Connection, process: ChildProcess, launcher: Launcher, manager: AsyncKernelManager
) -> None:
    """Wait until the kernel answers.

    Raises
    ------
    KernelStartError
        Where its process ends first, or a minute passes.
    """
    ready = asyncio.create_task(connection.wait_until_ready())
    try:
        await asyncio.wait(
            {ready, process.exited},
            timeout=_START_TIMEOUT_S,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if ready.done():
            return await ready
        words = launcher.last_words(manager)
        saying = f", saying {words!r}" if words else ""
        if process.exited.done():
            raise KernelStartError(
                f"A child kernel ended with code {process.exited.result()} before it was ready"
                f"{saying}; check the packages of its environment."
            )
        raise KernelStartError(
            f"A child kernel was not ready after {_START_TIMEOUT_S:g} s"
            f"{saying}; the machine may be overloaded: start fewer at once."
        )
    finally:
        ready.cancel()
        await asyncio.gather(ready, return_exceptions=True)
