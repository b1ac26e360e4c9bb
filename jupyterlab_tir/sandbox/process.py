"""Watching and ending the process of a child kernel, whatever started it.

The end is noticed at once through a pidfd where there is one, else by asking twenty times a
second. No signal handler, no child watcher and no thread: any event loop will do.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager

_POLL_S = 0.05


class ChildProcess:
    """The process behind a kernel manager. Use its `exited` task to wait for the end.

    Attributes
    ----------
    exited
        Task that ends with the exit code when the process has ended and was reaped.
    killed
        Whether `kill` was called.
    """

    def __init__(self, manager: AsyncKernelManager) -> None:
        if manager.provisioner is None:
            raise ValueError("the kernel manager has not started a kernel")
        self._provisioner = manager.provisioner
        self._oom_kills_before = _oom_kills()
        self.killed = False
        self.exited: asyncio.Task[int] = asyncio.create_task(self._wait())

    async def interrupt(self) -> None:
        """Send SIGINT to the kernel and what it started."""
        with contextlib.suppress(ProcessLookupError):
            await self._provisioner.send_signal(signal.SIGINT)

    async def kill(self) -> None:
        """Send SIGKILL to the kernel and what it started; does not wait for the end."""
        self.killed = True
        if not self.exited.done():
            await self._provisioner.kill()

    async def kill_and_wait(self) -> None:
        """Send SIGKILL and wait until the process was reaped."""
        await self.kill()
        await self.exited

    def ended_for_memory(self) -> bool:
        """Say whether the machine killed the process because memory ran out."""
        return (
            not self.killed
            and self.exited.done()
            and self.exited.result() == -signal.SIGKILL
            and _oom_kills() > self._oom_kills_before
        )

    async def _wait(self) -> int:
        pid = getattr(self._provisioner, "pid", None)
        if pid is not None and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):  # an old Linux; then the poll below serves
                await _readable(os.pidfd_open(pid))
        code: int | None
        while (code := await self._provisioner.poll()) is None:  # noqa: ASYNC110 - nothing to wait on
            await asyncio.sleep(_POLL_S)
        await self._provisioner.wait()
        return code


async def kill_process(manager: AsyncKernelManager) -> None:
    """Kill and reap what a manager started, where no `ChildProcess` has done it."""
    provisioner = manager.provisioner
    if provisioner is not None and provisioner.has_process:
        await provisioner.kill()
        await provisioner.wait()


async def _readable(descriptor: int) -> None:
    """Wait until `descriptor` can be read; close it in every case."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def set_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    try:
        loop.add_reader(descriptor, set_ready)
        try:
            await ready
        finally:
            loop.remove_reader(descriptor)
    finally:
        os.close(descriptor)


def _oom_kills() -> int:
    """Return how many processes this machine has killed for want of memory; 0 where unknown."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
