"""What the ways of starting child kernels have in common: their interface, settings and managers.

Each way is a kernelspec for an unchanged start of `AsyncKernelManager`; ours are private to the
package and in no list of the user's kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

import msgspec
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from .levels import Level, PartialBy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import zmq.asyncio

    from .warm import Warm

KERNEL_NAME: Final = "jupyterlab-tir-child"
SAMPLE_HASHES: Final = 1
"""Seed of the hashes of strings in kernels of samples."""

REPLAY_HASHES: Final = 2
"""The same for replays: what depends on the order of a set is not repeated by chance."""


class ChildSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What every child of a `ChildKernels` is started with.

    Attributes
    ----------
    level, partial
        The box, and which layer it has where the level is "partial".
    memory_bytes
        Address space beyond what it starts with.
    write_bytes
        What it may keep in its folder; 0 gives it none.
    keep_chars
        Characters of each output that it sends at each end.
    preload
        Modules loaded before the fork beside the usual ones.
    """

    level: Level
    partial: PartialBy = "seccomp"
    memory_bytes: int
    write_bytes: int
    keep_chars: int
    preload: tuple[str, ...] = ()


class Launcher(ABC):
    """One way of starting kernels. `open` it, `close` it.

    What is not overridden says that the kernels have nothing in common.

    Attributes
    ----------
    isolation
        How its kernels are confined, in a word or a few.
    ours
        Whether the kernels are this package's own: they send a report with each cell, and can be
        seeded completely.
    cheap
        Whether starting one costs so little that some are started before they are needed.
    """

    isolation: str
    ours: bool
    cheap: bool

    @abstractmethod
    async def open(self) -> None:
        """Make what all kernels share, or check that they can be started; starts no process."""

    @abstractmethod
    async def start(self, context: zmq.asyncio.Context, *, replay: bool) -> AsyncKernelManager:
        """Start a kernel; its process runs when this returns, or nothing is left of it."""

    def begin(self) -> None:
        """Start what takes long, if anything does; does not wait for it."""
        return

    async def missing(self) -> dict[str, str]:
        """Return modules that should have been loaded and were not, with the reasons."""
        return {}

    def last_words(self, manager: AsyncKernelManager) -> str:  # noqa: ARG002
        """Return what a kernel's process wrote last before it was ready, if that is known."""
        return ""

    def processes(self) -> list[int]:
        """Return the ids of processes that serve all kernels and count in their memory."""
        return []

    async def hold(self) -> tuple[Warm, ...]:
        """Return one more hold on each process that is shared and runs."""
        return ()

    async def close(self) -> None:
        """End what `open` and `begin` made. Every kernel must have ended."""
        return


class ChildKernelSpecs(KernelSpecManager):
    """Knows one kernelspec, that of our child kernels, and no other; it lies in no folder."""

    def __init__(self, metadata: Mapping[str, Any], argv: Sequence[str] = ()) -> None:
        super().__init__()
        self._metadata = dict(metadata)
        self._argv = list(argv)

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the kernelspec, whatever it is called."""
        return KernelSpec(
            argv=self._argv,
            name=kernel_name,
            display_name=kernel_name,
            language="python",
            metadata=self._metadata,
        )


class ChildKernelManager(AsyncKernelManager):
    """A manager that connects to nothing: its kernels may be hostile, and libzmq is no match.

    What jupyter_client sends on the control channel is a polite request to end; ours are killed.
    """

    def _connect_control_socket(self) -> None:
        pass


async def started(manager: AsyncKernelManager, **how: Any) -> AsyncKernelManager:  # noqa: ANN401
    """Start a manager's kernel; where that fails or is cancelled, leave nothing of it.

    Raises
    ------
    OSError, KernelStartError
        Where it cannot be started.
    """
    try:
        await manager.start_kernel(**how)
    except BaseException:
        provisioner = manager.provisioner
        try:
            if provisioner is not None and provisioner.has_process:
                await provisioner.kill()
                await provisioner.wait()
        finally:
            await manager.cleanup_resources()
        raise
    return manager
