from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from jupyterlab_tir.sandbox import ChildKernel, ChildKernels

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from jupyterlab_tir.sandbox.warm import Warm


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kernels() -> AsyncIterator[ChildKernels]:
    async with ChildKernels(level="best", limit=2) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(kernels: ChildKernels) -> AsyncIterator[ChildKernel]:
    """One kernel for all tests that leave it as it was."""
    async with await kernels.start(seed=123) as kernel:
        yield kernel


@pytest_asyncio.fixture(loop_scope="module")
async def kernel(kernels: ChildKernels) -> AsyncIterator[ChildKernel]:
    """A kernel of the test's own, for code that may end it."""
    async with await kernels.start() as fresh:
        yield fresh


@pytest.fixture(scope="session", autouse=True)
def kept_warm() -> Iterator[None]:
    """Load the libraries once for all tests that use kernels as they are without settings."""

    async def hold() -> tuple[Warm, ...]:
        async with ChildKernels(level="best") as kernels:
            await kernels.missing()
            return await kernels.hold()

    held = asyncio.run(hold())
    yield
    for warm in held:
        asyncio.run(warm.release())
