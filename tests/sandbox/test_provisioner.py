"""The fork server behind jupyter_client's own managers, which know nothing of it."""

# ruff: noqa: ASYNC240 - nothing else runs on the loop while a test looks

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import zmq.asyncio
from jupyter_client.manager import AsyncKernelManager, KernelManager
from jupyter_client.multikernelmanager import AsyncMultiKernelManager

from jupyterlab_tir.sandbox.launchers import ChildSettings, forked_kernel_specs

from .processes import descendants, is_running, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

SETTINGS = ChildSettings(
    level="none", memory_bytes=2**30, write_bytes=2**26, keep_chars=16_384, preload=()
)


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
async def context() -> AsyncIterator[zmq.asyncio.Context]:
    made = zmq.asyncio.Context()
    yield made
    made.destroy(linger=0)


@pytest.fixture
async def manager(
    temporary: Path, context: zmq.asyncio.Context
) -> AsyncIterator[AsyncKernelManager]:
    assert temporary
    started = AsyncKernelManager(
        kernel_name="any", kernel_spec_manager=forked_kernel_specs(SETTINGS), context=context
    )
    await started.start_kernel()
    yield started
    if started.has_kernel:
        await started.shutdown_kernel(now=True)
    else:
        await started.cleanup_resources()


async def run(
    client: Any, code: str, hear: Callable[[dict[str, Any]], object] = lambda _: None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    outputs: list[dict[str, Any]] = []

    def take(message: dict[str, Any]) -> None:
        outputs.append(message)
        hear(message)

    reply = await client._async_execute_interactive(
        code, output_hook=take, timeout=60, allow_stdin=False
    )
    return reply["content"], [message["content"] for message in outputs]


async def connect(manager: AsyncKernelManager) -> Any:
    client = manager.client()
    client.start_channels()
    await client.wait_for_ready(timeout=60)
    return client


async def test_kernel_answers_an_unchanged_client(manager: AsyncKernelManager) -> None:
    client = await connect(manager)
    reply, outputs = await run(client, "x = 6 * 7\nprint('said')\nx")
    assert reply["status"] == "ok"
    assert {"name": "stdout", "text": "said\n"} in outputs
    assert any(o.get("data", {}).get("text/plain") == "42" for o in outputs)
    assert await manager.is_alive()
    client.stop_channels()


async def test_restart_gives_a_fresh_kernel_to_the_same_client(
    manager: AsyncKernelManager,
) -> None:
    client = await connect(manager)
    await run(client, "x = 1")
    await manager.restart_kernel(now=True)
    await client.wait_for_ready(timeout=60)
    reply, _ = await run(client, "x")
    assert reply["ename"] == "NameError"
    await manager.restart_kernel()  # asked to shut down, instead of killed
    await client.wait_for_ready(timeout=60)
    assert (await run(client, "1"))[0]["status"] == "ok"
    client.stop_channels()


async def test_interrupt_reaches_the_cell_and_keeps_the_state(manager: AsyncKernelManager) -> None:
    client = await connect(manager)
    await run(client, "x = 5")
    code = "print('on', flush=True)\nwhile True: pass"
    begun = asyncio.Event()
    running = asyncio.create_task(
        run(client, code, lambda message: message["msg_type"] == "stream" and begun.set())
    )
    async with asyncio.timeout(60):
        await begun.wait()
    await manager.interrupt_kernel()
    assert (await running)[0]["ename"] == "KeyboardInterrupt"
    assert (await run(client, "x"))[0]["status"] == "ok"
    client.stop_channels()


@pytest.mark.parametrize("now", [True, False])
async def test_shutdown_leaves_nothing(
    temporary: Path, context: zmq.asyncio.Context, *, now: bool
) -> None:
    before = descendants()
    manager = AsyncKernelManager(
        kernel_name="any", kernel_spec_manager=forked_kernel_specs(SETTINGS), context=context
    )
    await manager.start_kernel()
    assert len(descendants() - before) == 2
    await manager.shutdown_kernel(now=now)
    assert not manager.has_kernel
    assert descendants() <= before
    assert list(temporary.iterdir()) == []


async def test_manager_can_start_again_after_a_shutdown(manager: AsyncKernelManager) -> None:
    await manager.shutdown_kernel(now=True)
    await manager.start_kernel()
    client = await connect(manager)
    assert (await run(client, "2 + 2"))[0]["status"] == "ok"
    client.stop_channels()


async def test_manager_of_many_kernels_works_unchanged(
    temporary: Path, context: zmq.asyncio.Context
) -> None:
    assert temporary
    before = descendants()
    many = AsyncMultiKernelManager(
        kernel_spec_manager=forked_kernel_specs(SETTINGS), context=context
    )
    identities = [await many.start_kernel(kernel_name="any") for _ in range(3)]
    assert len(descendants() - before) == 4  # one warm process for all
    await many.restart_kernel(identities[0], now=True)
    await many.interrupt_kernel(identities[1])
    client = await connect(many.get_kernel(identities[0]))
    assert (await run(client, "1"))[0]["status"] == "ok"
    client.stop_channels()
    await many.shutdown_all(now=True)
    assert descendants() <= before


def test_blocking_manager_works_as_well(temporary: Path) -> None:
    manager = KernelManager(kernel_name="any", kernel_spec_manager=forked_kernel_specs(SETTINGS))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    assert client.execute_interactive("1 + 1", timeout=60)["content"]["status"] == "ok"
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    assert list(temporary.iterdir()) == []


async def test_key_is_not_left_on_disk(temporary: Path, manager: AsyncKernelManager) -> None:
    key = manager.session.key
    assert key
    files = [path for path in temporary.rglob("*") if path.is_file()]
    assert files  # the lock and the log
    assert not [path for path in files if key in path.read_bytes()]
    assert oct(next(temporary.iterdir()).stat().st_mode & 0o777) == "0o700"


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key")
    return "planted"


async def test_environment_has_no_secret(secret: str, manager: AsyncKernelManager) -> None:
    for pid in descendants():
        if "inside.server" in Path(f"/proc/{pid}/cmdline").read_text():
            assert secret.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
    client = await connect(manager)
    _, outputs = await run(client, "import os\nprint(dict(os.environ))")
    assert secret not in str(outputs)
    assert "HOME" in str(outputs)
    client.stop_channels()


async def test_dead_warm_process_is_replaced(manager: AsyncKernelManager) -> None:
    provisioner: Any = manager.provisioner
    warm, kernel = provisioner._warm.pid, provisioner.pid
    os.kill(warm, signal.SIGKILL)
    assert await until(lambda: not is_running(kernel), 20)
    assert not await manager.is_alive()
    await manager.restart_kernel(now=True)
    client = await connect(manager)
    assert (await run(client, "1"))[0]["status"] == "ok"
    client.stop_channels()
