"""A real kernel as a notebook's page sees it, and scripted servers that can be watched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

Json = dict[str, Any]
TIMEOUT_S = 60.0


class Ran(msgspec.Struct, frozen=True):
    """What a cell left: its status and its outputs, display updates applied."""

    status: str
    outputs: list[Json]
    updates: int

    @property
    def error(self) -> Json:
        return next(each for each in self.outputs if each["type"] == "error")

    @property
    def bundles(self) -> list[Json]:
        kinds = ("display_data", "execute_result")
        return [each["data"] for each in self.outputs if each["type"] in kinds]

    @property
    def printed(self) -> str:
        return "".join(each["text"] for each in self.outputs if each["type"] == "stream")


class Notebook:
    """One kernel and what its front end knows of it; it answers no comm, as a plain client."""

    def __init__(self, environment: dict[str, str]) -> None:
        # A machine that is busy with other things must not make a slow shutdown a kill.
        self.manager = KernelManager(kernel_name="python3", shutdown_wait_time=TIMEOUT_S)
        self.manager.start_kernel(
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=TIMEOUT_S)
        self._replies: dict[str, Json] = {}
        self._published: dict[str, list[Json]] = {}

    @property
    def pid(self) -> int:
        provisioner: Any = self.manager.provisioner
        return int(provisioner.pid)

    def send(self, code: str, cell_id: str | None = None) -> str:
        """Have a cell run; JupyterLab says which one it is."""
        if cell_id is None:
            return str(self.client.execute(code))
        content = {"code": code, "silent": False, "store_history": True, "stop_on_error": True}
        request = self.client.session.msg("execute_request", content, metadata={"cellId": cell_id})
        self.client.shell_channel.send(request)
        return str(request["header"]["msg_id"])

    def reply(self, sent: str) -> Json:
        """The content of the reply to a cell."""
        while sent not in self._replies:
            message = self.client.get_shell_msg(timeout=TIMEOUT_S)
            self._replies[message["parent_header"]["msg_id"]] = message["content"]
        return self._replies[sent]

    def published(self, sent: str) -> list[Json]:
        """What a cell published, up to its end."""
        while not any(_is_end(each) for each in self._published.get(sent, [])):
            message = self.client.get_iopub_msg(timeout=TIMEOUT_S)
            self._published.setdefault(_cell_of(message), []).append(message)
        return self._published[sent]

    def await_message(
        self, sent: str, kind: str, fits: Callable[[Any], bool] = lambda _: True
    ) -> Json:
        """The first message of a kind that a cell has published or will publish."""
        seen = 0
        while True:
            for message in self._published.get(sent, [])[seen:]:
                seen += 1
                if message["msg_type"] == kind and fits(message["content"]):
                    return message
            message = self.client.get_iopub_msg(timeout=TIMEOUT_S)
            self._published.setdefault(_cell_of(message), []).append(message)

    def ask(self, content: object) -> Json:
        """Ask over the control channel, as a page's view of a run does."""
        # A client sends dictionaries only; packed content it passes on.
        packed = content if isinstance(content, dict) else json.dumps(content).encode()
        request = self.client.session.msg("tir_request", packed)
        self.client.control_channel.send(request)
        while True:
            reply = self.client.get_control_msg(timeout=TIMEOUT_S)
            if reply["parent_header"]["msg_id"] == request["header"]["msg_id"]:
                assert reply["msg_type"] == "tir_reply"
                answer: Json = reply["content"]
                return answer

    def batches(self, page: str) -> list[Json]:
        """The batches that came for a page so far."""
        return [
            message["content"]["batch"]
            for message in self._published.get("", [])
            if message["msg_type"] == "tir_batch" and message["content"]["page"] == page
        ]

    def run(self, code: str) -> Ran:
        sent = self.send(code)
        status = self.reply(sent)["status"]
        return _gather(status, self.published(sent))

    def ran(self, sent: str) -> Ran:
        status = self.reply(sent)["status"]
        return _gather(status, self.published(sent))

    def close(self) -> None:
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()
        self.manager.context.destroy(linger=0)


def _cell_of(message: Json) -> str:
    """The cell that a message belongs to; batches for pages belong to none."""
    return str(message["parent_header"].get("msg_id", ""))


def _is_end(message: Json) -> bool:
    return bool(message["msg_type"] == "status" and message["content"]["execution_state"] == "idle")


def _gather(status: str, messages: list[Json]) -> Ran:
    outputs: list[Json] = []
    updates = 0
    for message in messages:
        kind, content = message["msg_type"], message["content"]
        if kind == "update_display_data":
            updates += 1
            for output in outputs:
                if output.get("transient") == content["transient"]:
                    output["data"] = content["data"]
        elif kind in ("display_data", "execute_result", "stream", "error"):
            outputs.append({"type": kind, **content})
    return Ran(status, outputs, updates)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Jupyter folders of the module's own; short, since a socket's path may hold 107 bytes."""
    temporary = tempfile.mkdtemp(prefix="tir-test-")
    folder = tmp_path_factory.mktemp("jupyter")
    ours = ("TIR_", "OPENAI_", "JUPYTER", "JPY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    yield {
        **kept,
        "TMPDIR": temporary,
        # Where the machine offers less these tests are about the notebook all the same.
        "TIR_SANDBOX": "best",
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
    }
    shutil.rmtree(temporary)


@pytest.fixture(scope="module")
def write_script(
    tmp_path_factory: pytest.TempPathFactory, save_script: Callable[..., str]
) -> Callable[..., str]:
    """Write a script and return it as a base URL."""
    folder = tmp_path_factory.mktemp("scripts")

    def write(*samples: list[Any], **server: Any) -> str:
        path = folder / f"script-{len(list(folder.iterdir()))}.json"
        return save_script(path, *samples, **server)

    return write


@pytest.fixture(scope="module")
def start_notebook(environment: dict[str, str]) -> Callable[..., Notebook]:
    """Start a kernel; who starts one closes it."""
    return lambda **variables: Notebook({**environment, **variables})


class WatchedServer:
    """A scripted server in a process of its own; `running` is what vLLM's metric says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        self.base_url = next(word for word in line.split() if word.startswith("http"))

    @property
    def running(self) -> int:
        address = self.base_url.removesuffix("/v1") + "/metrics"
        with urllib.request.urlopen(address, timeout=10) as response:  # noqa: S310 - loopback
            text = response.read().decode()
        line = next(x for x in text.splitlines() if x.startswith("vllm:num_requests_running"))
        return int(float(line.rsplit(" ", 1)[1]))


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., WatchedServer]]:
    started: list[subprocess.Popen[str]] = []

    def begin(file: str, *options: str) -> WatchedServer:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab_tir", "serve", "--scripted", file, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        started.append(process)
        return WatchedServer(process)

    yield begin
    for process in started:
        process.terminate()
        process.wait(timeout=30)
        assert process.stdout is not None
        process.stdout.close()
