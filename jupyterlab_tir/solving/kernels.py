"""The kernels of one run: made from its settings, and kept warm for the next one.

The warm processes of a run's kernels, of samples and of replays, outlive it for two minutes, held
by a task of the engine; they end with the engine at the latest.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..config import Config
from ..sandbox import ChildKernels, KernelStartError
from ..sandbox.kernels import WRITE_BYTES
from ..sandbox.memory import budget_bytes
from .engine import engine

if TYPE_CHECKING:
    from ..sandbox.warm import Warm

LINGER_S: Final = 120.0
_MIB: Final = 1024**2


async def enter_kernels(stack: contextlib.AsyncExitStack, config: Config) -> ChildKernels | None:
    """Return child kernels with a run's settings; None where the run is of text alone.

    Parameters
    ----------
    stack
        Closes them.
    config
        The run's settings.

    Raises
    ------
    SandboxError
        If the machine cannot confine the code as the settings ask.
    """
    if config.mode == "text":
        return None
    kernels = ChildKernels(
        level=config.sandbox,
        limit=config.kernels,
        memory_bytes=config.memory * _MIB,
        write_bytes=WRITE_BYTES if config.write else 0,
        budget_bytes=budget_bytes(config.memory_share),
        preload=[name.strip() for name in config.preload.split(",") if name.strip()],
        kernel=config.kernel,
    )
    await stack.enter_async_context(kernels)
    stack.push_async_callback(keep_warm, kernels)
    return kernels


async def say_what_is_missing(kernels: ChildKernels, notice: Callable[[str], None]) -> None:
    """Say which modules the code will have to do without, once that is known."""
    with contextlib.suppress(KernelStartError):  # the samples that need a kernel will say it
        for name, reason in (await kernels.missing()).items():
            notice(f"{name} is not loaded ahead and may be missing: {reason}.")


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
