"""A sample's code: its cells, its kernel, and what came of them."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

import msgspec

from ..events import CodeEnded, CodeStarted
from ..sandbox import CellResult, ChildKernel, KernelStartError
from .asking import SampleEnd
from .context import RunContext
from .seeds import derive_seed

NEW_SESSION = "(The Python session ended; the next block starts a new one without its variables.)"


class RanCell(msgspec.Struct, frozen=True):
    """A cell that was run, its result, and in which of the sample's sessions (kernels) it ran."""

    code: str
    result: CellResult
    session: int


class Notebook:
    """The cells of one sample, run in order in its own child kernel.

    The kernel starts while the first block is still being written (`warm`), is replaced when it
    dies, and ends with the context. Waiting for it counts in no cell's time limit.
    """

    def __init__(self, context: RunContext, sample: int, sample_seed: int) -> None:
        self._context = context
        self._sample = sample
        self._seed = derive_seed(sample_seed, "kernel")
        self._kernel: ChildKernel | None = None
        self._starting: asyncio.Task[ChildKernel] | None = None
        self._session = 0
        self.cells: list[RanCell] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def run(self, code: str, turn: int) -> str:
        """Run a block as the next cell; returns what the model is shown.

        Raises
        ------
        SampleEnd
            If no kernel can be started.
        """
        journal, cell = self._context.journal, len(self.cells)
        kernel = await self._ready_kernel()
        label = f"sample {self._sample + 1}, cell {cell + 1}"
        journal.emit(
            CodeStarted(
                decided_by="model",
                title=f"{label}: started",
                sample=self._sample,
                turn=turn,
                cell=cell,
                code=code,
            )
        )
        result = await kernel.run(code, timeout_s=self._context.config.timeout)
        self.cells.append(RanCell(code, result, self._session))
        journal.emit(
            CodeEnded(
                title=f"{label}: {result.status}",
                detail=result.error_name or "",
                ms=round(result.duration_s * 1000, 1),
                sample=self._sample,
                turn=turn,
                cell=cell,
                result=result,
            )
        )
        shown = result.text_for_model()
        return shown if kernel.alive else f"{shown}\n{NEW_SESSION}"

    def warm(self) -> None:
        """Start the kernel now, if there is none: a cell will follow."""
        if self._kernel is None and self._starting is None:
            self._starting = asyncio.create_task(start_kernel(self._context, self._seed))

    async def close(self) -> None:
        """End the kernel, also one that is still starting, and give its place back."""
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            # Not awaited itself: its being cancelled could not be told from our own.
            await asyncio.wait({starting})
            # A kernel that had just become ready is closed; what else it came to is nobody's now.
            if not starting.cancelled() and starting.exception() is None:
                self._kernel = starting.result()
        kernel, self._kernel = self._kernel, None
        if kernel is not None:
            await kernel.close()

    async def _ready_kernel(self) -> ChildKernel:
        if self._kernel is not None and not self._kernel.alive:
            self._session += 1
            await self.close()
        if self._kernel is None:
            self.warm()
            assert self._starting is not None  # noqa: S101 - warm started it
            # Shielded: if this sample is cancelled meanwhile, `close` sees to the kernel.
            self._kernel = await asyncio.shield(self._starting)
            self._starting = None
        return self._kernel


async def start_kernel(context: RunContext, seed: int, *, replay: bool = False) -> ChildKernel:
    """Wait for a place and take a child kernel.

    Raises
    ------
    SampleEnd
        If the kernel cannot be started.
    """
    assert context.kernels is not None  # noqa: S101 - a run of text has no cells
    try:
        return await context.kernels.start(seed=seed, replay=replay)
    except KernelStartError as error:
        raise SampleEnd("kernel-failed", str(error)) from None
