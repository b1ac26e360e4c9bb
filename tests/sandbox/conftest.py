from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio

from jupyterlab_tir.sandbox import ChildKernel, ChildKernels

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kernels() -> AsyncIterator[ChildKernels]:
    async with ChildKernels(limit=2) as opened:
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
