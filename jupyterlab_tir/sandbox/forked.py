"""Child kernels forked from a warm process, which is how Linux starts them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import msgspec

from .box import Box
from .environment import require_own_program
from .inside.messages import WarmSettings
from .launcher import (
    KERNEL_NAME,
    REPLAY_HASHES,
    SAMPLE_HASHES,
    ChildKernelManager,
    ChildKernelSpecs,
    ChildSettings,
    Launcher,
    started,
)
from .levels import layers
from .provisioner import PROVISIONER_NAME, ForkServerProvisioner
from .warm import Warm, hold_warm

if TYPE_CHECKING:
    import zmq.asyncio
    from jupyter_client.manager import AsyncKernelManager


def warm_settings(settings: ChildSettings, *, replay: bool = False) -> WarmSettings:
    """Return the settings of the warm process that kernels with `settings` are forked from.

    Parameters
    ----------
    settings
        Of the kernels.
    replay
        Whether it serves replays, whose strings have other hashes.
    """
    box = Box(
        **layers(settings.level, settings.partial),
        readable=(),
        write_bytes=settings.write_bytes,
        memory_bytes=settings.memory_bytes,
        base_bytes=0,
    )
    return WarmSettings(
        box=box,
        preload=settings.preload,
        keep_chars=settings.keep_chars,
        hash_seed=REPLAY_HASHES if replay else SAMPLE_HASHES,
    )


def forked_kernel_specs(settings: ChildSettings, *, replay: bool = False) -> ChildKernelSpecs:
    """Return a `kernel_spec_manager` whose kernels are forked from a warm process.

    Parameters
    ----------
    settings, replay
        As for `warm_settings`.
    """
    config = {"settings": msgspec.to_builtins(warm_settings(settings, replay=replay))}
    return ChildKernelSpecs(
        {"kernel_provisioner": {"provisioner_name": PROVISIONER_NAME, "config": config}}
    )


class ForkLauncher(Launcher):
    """Forks kernels from a warm process, and those of replays from a second one."""

    ours = True
    cheap = True

    def __init__(self, settings: ChildSettings) -> None:
        self.isolation = settings.level
        self._warm_settings = {
            replay: warm_settings(settings, replay=replay) for replay in (False, True)
        }
        self._specs = ChildKernelSpecs({})
        self._held: dict[bool, Warm] = {}

    async def open(self) -> None:
        """Hold the warm process; it starts with `begin`.

        Raises
        ------
        UsageError
            Where no process of this Python, or no private folder, can be made.
        """
        require_own_program()
        await self._hold(replay=False)

    async def _hold(self, *, replay: bool) -> Warm:
        if replay not in self._held:
            held = await hold_warm(self._warm_settings[replay])
            if replay in self._held:  # another task was faster
                await held.release()
            else:
                self._held[replay] = held
        return self._held[replay]

    def begin(self) -> None:
        """Start the warm process."""
        self._held[False].begin()

    async def missing(self) -> dict[str, str]:
        """Wait for the warm process and return what it could not load."""
        return (await self._held[False].ready()).missing

    async def start(self, context: zmq.asyncio.Context, *, replay: bool) -> AsyncKernelManager:
        """Fork a kernel."""
        await self._hold(replay=replay)
        manager = ChildKernelManager(
            kernel_name=KERNEL_NAME,
            kernel_spec_manager=self._specs,
            context=context,
            kernel_id=str(uuid.uuid4()),
        )
        # Not left to the manager, which would look for the entry point of an installed package:
        # this one may be imported from a checkout or an archive.
        manager.provisioner = ForkServerProvisioner(
            kernel_id=manager.kernel_id,
            kernel_spec=manager.kernel_spec,
            parent=manager,
            settings=msgspec.to_builtins(self._warm_settings[replay]),
        )
        return await started(manager)

    def processes(self) -> list[int]:
        """Return the warm processes' ids."""
        return [pid for warm in self._held.values() if (pid := warm.pid) is not None]

    async def hold(self) -> tuple[Warm, ...]:
        """Return one more hold on each warm process that runs."""
        running = [warm for warm in self._held.values() if warm.pid is not None]
        return tuple([await hold_warm(warm.settings) for warm in running])

    async def close(self) -> None:
        """Release the warm processes."""
        held, self._held = self._held, {}
        for warm in held.values():
            await warm.release()
