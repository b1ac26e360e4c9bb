"""Child kernels executed anew, without a fork server and a box: for macOS and the like."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jupyterlab_tir.serving.log import read_tail

from .box import WORK_FOLDER
from .environment import clean_environment, require_own_program
from .folders import PrivateFolder, remove_abandoned
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

if TYPE_CHECKING:
    import zmq.asyncio
    from jupyter_client.manager import AsyncKernelManager

_START_LOG: Final = "start.log"


class ExecLauncher(Launcher):
    """Executes each kernel anew, with limits on the process and no box: for macOS and the like."""

    ours = True
    cheap = False
    isolation = "none"

    def __init__(self, settings: ChildSettings) -> None:
        self._settings = settings
        self._numbers = itertools.count(1)
        self._private: PrivateFolder | None = None
        self._specs = ChildKernelSpecs(
            {},
            [
                sys.executable,
                "-P",
                "-m",
                f"{__package__}.inside.exec",
                "-f",
                "{connection_file}",
                f"--memory-bytes={settings.memory_bytes}",
                f"--keep-chars={settings.keep_chars}",
            ],
        )

    async def open(self) -> None:
        """Make the folder that holds the kernels'.

        Raises
        ------
        UsageError
            Where no process of this Python, or no private folder, can be made.
        """
        require_own_program()
        self._private = PrivateFolder()
        await remove_abandoned()

    async def start(self, context: zmq.asyncio.Context, *, replay: bool) -> AsyncKernelManager:
        """Execute a kernel in a folder of its own."""
        if self._private is None:
            raise RuntimeError("open comes before start")
        folder = self._private.path / str(next(self._numbers))
        work = folder / WORK_FOLDER
        work.mkdir(mode=0o700, parents=True)
        manager = ChildKernelManager(
            kernel_name=KERNEL_NAME,
            kernel_spec_manager=self._specs,
            transport="ipc",
            ip=str(folder / "s"),
            connection_file=str(folder / "connection.json"),
            context=context,
        )
        environment = clean_environment(os.environ) | {
            "HOME": str(work),
            "TMPDIR": str(work),
            "IPYTHONDIR": str(folder / "ipython"),
            "PYTHONHASHSEED": str(REPLAY_HASHES if replay else SAMPLE_HASHES),
        }
        with (folder / _START_LOG).open("wb") as log:
            return await started(
                manager,
                env=environment,
                cwd=str(work),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def last_words(self, manager: AsyncKernelManager) -> str:
        """Return the last line that the process wrote before it was ready."""
        lines = read_tail(Path(manager.connection_file).with_name(_START_LOG))
        return lines[-1] if lines else ""

    async def close(self) -> None:
        """Remove the folder."""
        private, self._private = self._private, None
        if private is not None:
            await private.remove()
