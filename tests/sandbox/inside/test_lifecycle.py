"""Starting, restarting and ending the kernel as the stock clients do it."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from .driver import OURS, OneKernelSpec, control, make_manager, published_until, run, start

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import KernelManager


def test_restart_keeps_the_clients(manager: KernelManager, client: BlockingKernelClient) -> None:
    run(client, "x = 1")
    manager.restart_kernel()
    client.wait_for_ready(timeout=60)
    assert run(client, "'x' in globals()").value == "False"


@pytest.mark.parametrize("channel", ["control", "shell"])
@pytest.mark.parametrize("restart", [True, False])
def test_shutdown_is_answered_told_to_all_and_done(
    manager: KernelManager,
    client: BlockingKernelClient,
    channel: str,
    restart: bool,  # noqa: FBT001
) -> None:
    message = client.session.msg("shutdown_request", {"restart": restart})
    getattr(client, f"{channel}_channel").send(message)
    reply = getattr(client, f"{channel}_channel").get_msg(timeout=60)
    assert reply["msg_type"] == "shutdown_reply"
    assert reply["content"] == {"status": "ok", "restart": restart}
    told = published_until(client, "shutdown_reply")[-1]
    assert told["content"] == {"status": "ok", "restart": restart}
    assert process_of(manager).wait(timeout=60) == 0


def process_of(manager: KernelManager) -> Any:
    assert manager.provisioner is not None
    return manager.provisioner.process  # type: ignore[attr-defined]


def test_shutdown_ends_a_kernel_that_computes_and_what_it_started(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    client.execute(
        "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
        "print(child.pid, flush=True)\nwhile True: pass"
    )
    child = int(published_until(client, "stream")[-1]["content"]["text"])
    process = process_of(manager)
    assert control(client, "shutdown_request", restart=False)["content"]["status"] == "ok"
    assert process.wait(timeout=60) in {0, -signal.SIGKILL}
    assert gone(child)


def gone(pid: int) -> bool:
    """Say whether a process that is not ours to reap has ended, within a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123
                if stat.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_kernel_over_tcp_works(folder: Path) -> None:
    manager = make_manager(OURS, folder, transport="tcp", ip="127.0.0.1")
    client = start(manager, folder)
    try:
        assert run(client, "1 + 1").value == "2"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def test_connection_file_is_deleted(manager: KernelManager, client: BlockingKernelClient) -> None:
    assert client.is_alive()
    assert not os.path.exists(manager.connection_file)  # noqa: PTH110


async def test_notebook_is_executed_by_nbclient(folder: Path) -> None:
    cells = [
        "x = 20\nprint('out')",
        "import sys\nprint('err', file=sys.stderr)\nx + 1",
        "display('shown')",
        "import asyncio\nawait asyncio.sleep(0.01, 'awaited')",
        "%%time\npass",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    manager = make_async_manager(folder)
    runner = NotebookClient(notebook, km=manager, timeout=60)
    await runner.async_execute(cwd=str(folder), cleanup_kc=True)
    assert not manager.has_kernel
    outputs = [cell["outputs"] for cell in notebook["cells"]]
    assert [output["text"] for output in outputs[0]] == ["out\n"]
    assert {output["output_type"] for output in outputs[1]} == {"stream", "execute_result"}
    assert outputs[1][-1]["data"] == {"text/plain": "21"}
    assert outputs[2][0]["output_type"] == "display_data"
    assert outputs[3][0]["data"] == {"text/plain": "'awaited'"}
    assert "Wall time" in outputs[4][0]["text"]
    assert [cell["execution_count"] for cell in notebook["cells"]] == [1, 2, 3, 4, 5]


def make_async_manager(folder: Path) -> Any:
    from jupyter_client.manager import AsyncKernelManager

    return AsyncKernelManager(
        kernel_name="under-test",
        kernel_spec_manager=OneKernelSpec(OURS),
        transport="ipc",
        ip=str(folder / "s"),
        connection_file=str(folder / "connection.json"),
    )


async def test_async_manager_starts_interrupts_restarts_and_ends(folder: Path) -> None:
    manager = make_async_manager(folder)
    await manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=60)
        request = client.execute("print('begun', flush=True)\nimport time\ntime.sleep(1000)")
        while (await client.get_iopub_msg(timeout=60))["msg_type"] != "stream":
            pass
        await manager.interrupt_kernel()
        reply = await client.get_shell_msg(timeout=60)
        assert reply["parent_header"]["msg_id"] == request
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        await manager.restart_kernel()
        await client.wait_for_ready(timeout=60)
        request = client.execute("1")
        while (reply := await client.get_shell_msg(timeout=60))["parent_header"][
            "msg_id"
        ] != request:
            pass
        assert reply["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        await manager.shutdown_kernel()
    assert not await manager.is_alive()
