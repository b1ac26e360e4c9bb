"""Watching and ending the process of a child kernel, whatever started it.

The end is noticed at once through the fork server or a pidfd, else by asking twenty times a
second. No signal handler, no child watcher and no thread: any event loop will do.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from . import pidfd
from .provisioner import ForkServerProvisioner
from .result import CellStatus
from .waiting import readable

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager

_POLL_S = 0.05


class End(NamedTuple):
    """Why the engine ended a kernel: the status of the cell that ran, and a sentence."""

    status: CellStatus
    sentence: str


CLOSED = End(CellStatus.CANCELLED, "The kernel was closed while the code ran.")


class ChildProcess:
    """The process behind a kernel manager. Use its `exited` task to wait for the end.

    Attributes
    ----------
    exited
        Task that ends with the exit code when the process has ended and was reaped.
    end
        Why it was killed, once `kill` was called; the first reason stays.
    pid
        Its number, where it is a process of this machine.
    """

    def __init__(self, manager: AsyncKernelManager) -> None:
        if manager.provisioner is None:
            raise ValueError("the kernel manager has not started a kernel")
        self._provisioner = manager.provisioner
        self._oom_kills_before = _oom_kills()
        self.end: End | None = None
        self.pid: int | None = None
        if isinstance(manager.provisioner, ForkServerProvisioner | LocalProvisioner):
            self.pid = manager.provisioner.pid
        self.exited: asyncio.Task[int] = asyncio.create_task(self._wait())

    @property
    def has_ended(self) -> bool:
        """Whether it is known, or can be seen at once, that the process ended."""
        if self.exited.done():
            return True
        if not isinstance(self._provisioner, ForkServerProvisioner):
            return False
        forked = self._provisioner.process
        return forked is None or forked.poll() is not None

    async def interrupt(self) -> None:
        """Send SIGINT to the kernel and what it started."""
        with contextlib.suppress(ProcessLookupError):
            await self._provisioner.send_signal(signal.SIGINT)

    async def kill(self, end: End = CLOSED) -> None:
        """Send SIGKILL to the kernel and what it started; does not wait for the end."""
        self.end = self.end or end
        if not self.exited.done():
            await self._provisioner.kill()

    async def kill_and_wait(self) -> None:
        """Send SIGKILL and wait until the process was reaped."""
        await self.kill()
        await self.exited

    def ended_for_memory(self) -> bool:
        """Say whether the machine killed the process because memory ran out."""
        return (
            self.end is None
            and self.exited.done()
            and self.exited.result() == -signal.SIGKILL
            and _oom_kills() > self._oom_kills_before
        )

    async def _wait(self) -> int:
        if isinstance(self._provisioner, ForkServerProvisioner):
            return await self._provisioner.wait() or 0
        if self.pid is not None and sys.platform == "linux":
            with contextlib.suppress(OSError):  # an old Linux; then the poll below serves
                descriptor = pidfd.open_process(self.pid)
                try:
                    await readable(descriptor)
                finally:
                    os.close(descriptor)
        code: int | None
        while (code := await self._provisioner.poll()) is None:  # noqa: ASYNC110 - nothing to wait on
            await asyncio.sleep(_POLL_S)
        await self._provisioner.wait()
        return code


def _oom_kills() -> int:
    """Return how many processes this machine has killed for want of memory; 0 where unknown."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0
