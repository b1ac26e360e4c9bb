"""The fork server as a provisioner of `jupyter_client`: what starts and ends a kernel's process.

Registered in `jupyter_client.kernel_provisioners` as `jupyterlab-tir-fork-server`; a kernelspec
that names it (see `forked.py` for ours) is started by forking a warm process. `AsyncKernelManager`
and `AsyncMultiKernelManager` work unchanged. Linux only.
"""

# ruff: noqa: ANN401, D102 - what is overridden is documented where it comes from

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from jupyter_client.provisioning.provisioner_base import KernelProvisionerBase
from traitlets import Dict

from .folders import remove_folder
from .forked_process import ForkedProcess
from .inside.messages import WarmSettings
from .warm import Warm, hold_warm

if TYPE_CHECKING:
    from jupyter_client.connect import KernelConnectionInfo

PROVISIONER_NAME: Final = "jupyterlab-tir-fork-server"
_PORTS: Final = ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")
_CONNECTION_FILE: Final = "connection.json"
_SOCKETS: Final = "s"


class ForkServerProvisioner(KernelProvisionerBase):
    """Starts kernels by forking a warm process that has everything imported."""

    settings: Any = Dict(help="A WarmSettings, as JSON has it.").tag(config=True)

    _process: ForkedProcess | None = None
    _warm: Warm | None = None
    _folder: Path | None = None

    @property
    def has_process(self) -> bool:
        return self._process is not None

    @property
    def process(self) -> ForkedProcess | None:
        """The kernel's process; None before the start and after the end was waited for."""
        return self._process

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        if self._warm is None:
            self._warm = await hold_warm(msgspec.convert(self.settings, WarmSettings))
        if self._folder is None:
            self._folder = self._warm.new_folder()
        manager: Any = self.parent
        manager.transport = "ipc"
        manager.ip = str(self._folder / _SOCKETS)
        manager.connection_file = str(self._folder / _CONNECTION_FILE)
        # Sockets of ours in a folder of ours: no number is ever taken.
        for number, port in enumerate(_PORTS, start=1):
            setattr(manager, port, number)
        self.connection_info = manager.get_connection_info()
        kwargs.pop("extra_arguments", None)
        # Not the base class's: it would add the whole environment, which no child may see.
        return {"cmd": [], **kwargs}

    async def launch_kernel(
        self,
        cmd: list[str],  # noqa: ARG002 - a fork runs no command
        **kwargs: Any,  # noqa: ARG002 - nor has it an environment or a folder of the caller's
    ) -> KernelConnectionInfo:
        if self._warm is None or self._folder is None:
            raise RuntimeError("pre_launch comes before launch_kernel")
        connection = {
            name: value.decode() if isinstance(value, bytes) else value
            for name, value in self.connection_info.items()
        }
        _remove_sockets(self._folder)
        self._process = await self._warm.start(connection, self._folder)
        return self.connection_info

    async def post_launch(self, **kwargs: Any) -> None:  # noqa: ARG002
        # The manager writes it in the meantime; the key must not stay on disk.
        if self._folder is not None:
            with contextlib.suppress(FileNotFoundError):
                (self._folder / _CONNECTION_FILE).unlink()

    @property
    def pid(self) -> int | None:
        """The kernel's process id, while it has a process."""
        return self._process.pid if self._process is not None else None

    async def poll(self) -> int | None:
        return self._process.poll() if self._process is not None else 0

    async def wait(self) -> int | None:
        process = self._process
        if process is None:
            return 0
        code = await process.wait()
        if self._process is process:
            self._process = None
        return code

    async def send_signal(self, signum: int) -> None:
        if self._process is not None:
            self._process.send_signal(signum)

    async def kill(self, restart: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - overridden
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002
        await self.send_signal(signal.SIGTERM)

    async def cleanup(self, restart: bool = False) -> None:  # noqa: FBT001, FBT002
        if self._process is not None:
            self._process.close()
            self._process = None
        if restart:  # clients reconnect to the same paths
            return
        folder, self._folder = self._folder, None
        warm, self._warm = self._warm, None
        try:
            if folder is not None:
                with contextlib.suppress(OSError):  # tried again with the folder around it
                    await remove_folder(folder)
        finally:
            if warm is not None:
                await warm.release()

    async def get_provisioner_info(self) -> dict[str, Any]:
        return {**await super().get_provisioner_info(), "pid": self.pid}

    def get_shutdown_wait_time(self, recommended: float = 5.0) -> float:
        return recommended


def _remove_sockets(folder: Path) -> None:
    """Make way for a restarted kernel, which binds at the same paths."""
    for number in range(1, len(_PORTS) + 1):
        (folder / f"{_SOCKETS}-{number}").unlink(missing_ok=True)
