"""Three ways to the same kernel, so that `benchmarks.kernels` can time them with the same words.

`Stock` starts ipykernel as Jupyter does; `Forked` is our fork server behind the same
`AsyncKernelManager` and `AsyncKernelClient`; `Pooled` is `ChildKernels`, which runs use.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, Protocol

import zmq.asyncio
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from jupyterlab_tir.sandbox import CellStatus, ChildKernel, ChildKernels
from jupyterlab_tir.sandbox.launchers import ChildSettings, forked_kernel_specs

LIMIT_S = 300.0


class Kernel(Protocol):
    """One kernel that answers."""

    async def run(self, code: str) -> object: ...
    async def close(self) -> None: ...


class Side(Protocol):
    """A way to start kernels."""

    name: str

    async def start(self) -> Kernel: ...


class _StockSpec(KernelSpecManager):
    """Knows the kernelspec that ipykernel installs, wherever it is or is not installed."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            name=kernel_name,
            display_name=kernel_name,
            language="python",
        )


class Managed:
    """A kernel behind jupyter_client's own manager and client."""

    def __init__(self, manager: AsyncKernelManager, client: AsyncKernelClient) -> None:
        self.manager = manager
        self._client = client

    async def info(self) -> None:
        await self._reply_to(self._client.kernel_info())

    async def run(self, code: str) -> object:
        """Run a cell; over when its reply and its idle status are here."""
        sent = self._client.execute(code, store_history=False, allow_stdin=False)
        content = await self._reply_to(sent)
        if content["status"] != "ok":
            raise RuntimeError(f"{code!r} ended with {content}")
        while True:
            message = await self._client.get_iopub_msg(timeout=LIMIT_S)
            if (
                message["parent_header"].get("msg_id") == sent
                and message["content"].get("execution_state") == "idle"
            ):
                return content

    async def _reply_to(self, sent: str) -> dict[str, Any]:
        while True:
            message = await self._client.get_shell_msg(timeout=LIMIT_S)
            if message["parent_header"].get("msg_id") == sent:
                content: dict[str, Any] = message["content"]
                return content

    async def close(self) -> None:
        self._client.stop_channels()
        await self.manager.shutdown_kernel(now=True)


class Stock:
    """ipykernel as Jupyter starts it, over ipc like ours."""

    name = "stock"

    def __init__(self, folder: Path, context: zmq.asyncio.Context) -> None:
        self._folder = folder
        self._context = context
        self._count = 0

    async def start(self) -> Managed:
        self._count += 1
        folder = self._folder / str(self._count)
        folder.mkdir()
        manager = AsyncKernelManager(
            kernel_name="stock",
            kernel_spec_manager=_StockSpec(),
            transport="ipc",
            ip=str(folder / "s"),
            connection_file=str(folder / "connection.json"),
            context=self._context,
        )
        return await _started(manager, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})


class Forked:
    """Our kernels behind the stock manager, by way of the provisioner."""

    name = "forked"

    def __init__(self, settings: ChildSettings, context: zmq.asyncio.Context) -> None:
        self._specs = forked_kernel_specs(settings)
        self._context = context

    async def start(self) -> Managed:
        manager = AsyncKernelManager(
            kernel_name="forked", kernel_spec_manager=self._specs, context=self._context
        )
        return await _started(manager)


async def _started(manager: AsyncKernelManager, **options: object) -> Managed:
    await manager.start_kernel(**options)
    client = manager.client()
    # A heartbeat is a thread for each kernel, which neither side needs here.
    client.start_channels(stdin=False, hb=False)
    kernel = Managed(manager, client)
    await kernel.info()
    return kernel


def box_ms(kernel: Managed) -> float:
    """What getting into its box took a kernel, as its own process measured it."""
    return float(kernel.manager.provisioner.process.box_ms)


class _PooledKernel:
    def __init__(self, kernel: ChildKernel) -> None:
        self._kernel = kernel

    async def run(self, code: str) -> object:
        result = await self._kernel.run(code, timeout_s=LIMIT_S)
        if result.status is not CellStatus.OK:
            raise RuntimeError(f"{code!r} ended with {result}")
        return result.value

    async def close(self) -> None:
        await self._kernel.close()


class Pooled:
    """The kernels of runs."""

    name = "ours"

    def __init__(self, kernels: ChildKernels) -> None:
        self._kernels = kernels

    async def start(self) -> _PooledKernel:
        return _PooledKernel(await self._kernels.start(seed=1))


async def start_all(side: Side, count: int) -> list[Kernel]:
    """Start so many at once."""
    return list(await asyncio.gather(*(side.start() for _ in range(count))))


async def close_all(kernels: list[Kernel]) -> None:
    """End all of them at once."""
    await asyncio.gather(*(kernel.close() for kernel in kernels))
