"""Any Jupyter kernel, driven with the stock client of `jupyter_client`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager

OURS = [
    sys.executable,
    "-m",
    "jupyterlab_tir.sandbox.inside.exec",
    "-f",
    "{connection_file}",
    f"--memory-bytes={2**30}",
    "--keep-chars=16384",
]
STOCK = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]

Message = dict[str, Any]


class OneKernelSpec(KernelSpecManager):
    """Knows the kernelspec of one command only, under any name."""

    def __init__(self, command: list[str]) -> None:
        super().__init__()
        self.command = command

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(argv=self.command, name=kernel_name, language="python")


def make_manager(command: list[str], folder: Path, **settings: Any) -> KernelManager:
    settings = {"transport": "ipc", "ip": str(folder / "s")} | settings
    return KernelManager(
        kernel_name="under-test",
        kernel_spec_manager=OneKernelSpec(command),
        connection_file=str(folder / "connection.json"),
        **settings,
    )


def start(manager: KernelManager, folder: Path, **environment: str) -> BlockingKernelClient:
    """Start a kernel that sees nothing of this user's; return a client that it answers."""
    (folder / "w").mkdir(exist_ok=True)
    manager.start_kernel(
        cwd=str(folder / "w"),
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "IPYTHONDIR": str(folder / "ipython"),
            "LANG": "C.UTF-8",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(Path(__file__).parents[3]),
        }
        | environment,
    )
    client: BlockingKernelClient = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    return client


class Ran:
    """What a cell gave: the reply, and what was published about it."""

    def __init__(self, reply: Message, published: list[Message]) -> None:
        self.reply = reply
        self.published = published

    @property
    def content(self) -> Message:
        content: Message = self.reply["content"]
        return content

    @property
    def kinds(self) -> list[str]:
        return [message["msg_type"] for message in self.published]

    def text(self, name: str) -> str:
        return "".join(
            message["content"]["text"]
            for message in self.published
            if message["msg_type"] == "stream" and message["content"]["name"] == name
        )

    def of_kind(self, kind: str) -> list[Message]:
        return [message["content"] for message in self.published if message["msg_type"] == kind]

    @property
    def value(self) -> str | None:
        values = [content["data"]["text/plain"] for content in self.of_kind("execute_result")]
        return values[-1] if values else None


def finish(client: BlockingKernelClient, request: str, timeout_s: float = 60) -> Ran:
    """Wait until the kernel has answered `request` and is idle again."""
    published = []
    end = time.monotonic() + timeout_s
    while True:
        message = client.get_iopub_msg(timeout=max(end - time.monotonic(), 0.01))
        if message["parent_header"].get("msg_id") != request:
            continue
        published.append(message)
        if message["content"].get("execution_state") == "idle":
            break
    while True:
        reply = client.get_shell_msg(timeout=max(end - time.monotonic(), 0.01))
        if reply["parent_header"].get("msg_id") == request:
            return Ran(reply, published)


def run(client: BlockingKernelClient, code: str, timeout_s: float = 60, **how: Any) -> Ran:
    how = {"store_history": False, "allow_stdin": False, "stop_on_error": False} | how
    return finish(client, client.execute(code, **how), timeout_s)


def reply_to(client: BlockingKernelClient, request: str) -> Message:
    """Return the content of the reply on the shell channel."""
    while True:
        message = client.get_shell_msg(timeout=60)
        if message["parent_header"]["msg_id"] == request:
            return dict(message["content"])


def control(client: BlockingKernelClient, kind: str, **content: Any) -> Message:
    """Return the reply to a request on the control channel."""
    message = client.session.msg(kind, content)
    client.control_channel.send(message)
    while True:
        reply = client.control_channel.get_msg(timeout=60)
        if reply["parent_header"]["msg_id"] == message["header"]["msg_id"]:
            return dict(reply)


def published_until(client: BlockingKernelClient, kind: str) -> list[Message]:
    messages = []
    while not messages or messages[-1]["msg_type"] != kind:
        messages.append(client.get_iopub_msg(timeout=60))
    return messages
