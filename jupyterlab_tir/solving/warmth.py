"""Keeping the libraries loaded between runs: the next problem's kernels then start at once.

The warm processes of a run's kernels, of samples and of replays, outlive it for two minutes, held
by a task of the engine; they end with the engine at the latest.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from .engine import engine

if TYPE_CHECKING:
    from ..sandbox import ChildKernels
    from ..sandbox.warm import Warm

LINGER_S: Final = 120.0


async def keep_warm(kernels: ChildKernels) -> None:
    """Hold what `kernels` have warmed for a while longer; before their close."""
    keeper = engine()
    if keeper.closing:  # there is no later, and what is held now would be left behind
        return
    if held := await kernels.hold():
        keeper.submit(_release_later(held))


async def _release_later(held: tuple[Warm, ...]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for warm in held:
            stack.push_async_callback(warm.release)
        await asyncio.sleep(LINGER_S)
