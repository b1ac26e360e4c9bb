"""The live view: a widget where a front end draws it, HTML elsewhere, and its words meanwhile."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import NoServerError
from jupyterlab_tir.serving.state import ServerState, process_start, write_state
from jupyterlab_tir_kernel import waiting
from jupyterlab_tir_kernel.live import LiveRun
from jupyterlab_tir_kernel.static_run import MIME
from jupyterlab_tir_kernel.widget import KEPT_OPEN, LiveWidget

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def notebook(start_notebook: Callable[..., Any]) -> Iterator[Any]:
    notebook = start_notebook(
        TIR_SAMPLES="1",
        TIR_MODE="text",
        TIR_DIALECT="fenced",
        JPY_SESSION_NAME="/notebooks/x.ipynb",
    )
    notebook.run("%load_ext jupyterlab_tir")
    # The test's machine draws at once or never.
    notebook.run("import jupyterlab_tir_kernel.display as shown; shown.READY_S = 0.6")
    yield notebook
    notebook.close()


def loading(port: int, log: Path, *, started_ago_s: float = 12.0) -> ServerState:
    """The note of a server that was started and belongs to this process."""
    start = process_start(os.getpid())
    assert start is not None
    return ServerState(
        base_url=f"http://127.0.0.1:{port}/v1",
        model="scripted",
        pid=os.getpid(),
        process_start=start,
        log_path=str(log),
        detached=True,
        kind="embedded",
        started_at=time.time() - started_ago_s,
    )


@pytest.fixture
def note(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ServerState]:
    """A server that is loading, on a port where nobody answers yet, as the kernel finds it."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", environment["JUPYTER_RUNTIME_DIR"])
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path / "server.log"
    log.write_text("")
    state = loading(port, log)
    write_state(state)
    yield state
    (Path(environment["JUPYTER_RUNTIME_DIR"]) / "tir" / "server.json").unlink(missing_ok=True)


def test_a_widget_that_is_drawn_gets_the_updates_at_most_ten_a_second(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["so " * 150 + "\\boxed{4}"], token_ms=10)
    notebook.run("shown.READY_S = 60")
    began = time.monotonic()
    sent = notebook.send(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")
    assert WIDGET in first["content"]["data"]
    assert first["content"]["data"]["text/plain"].startswith("TIR run: ")
    comm = first["content"]["data"][WIDGET]["model_id"]
    data = {"method": "custom", "content": {"kind": "ready"}}
    notebook.client.shell_channel.send(
        notebook.client.session.msg("comm_msg", {"comm_id": comm, "data": data})
    )
    ran = notebook.ran(sent)
    took = time.monotonic() - began
    notebook.run("shown.READY_S = 0.6")
    [bundle] = ran.bundles
    assert MIME in bundle
    # It was drawn, so that only the end replaced it.
    assert ran.updates == 1
    sent_states = [
        message["content"]["data"]["state"]["run"]
        for message in notebook.published(sent)
        if message["msg_type"] == "comm_msg" and "run" in message["content"]["data"]["state"]
    ]
    assert 3 < len(sent_states) <= 10 * took + 2
    assert sent_states[-1]["over"] is True
    assert sent_states[-1]["candidates"][0]["answer"] == "4"
    assert {"phase", "finished", "running", "planned", "tokens", "seconds"} <= set(sent_states[0])
    assert any(state["phase"] == "1 writing" and state["tokens"] > 0 for state in sent_states)


def test_a_widget_that_nobody_draws_gives_way_to_html(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["so " * 150 + "\\boxed{4}"], token_ms=10)
    began = time.monotonic()
    ran = notebook.run(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    # One each half second, one when it gives way, one at the end.
    assert 1 < ran.updates <= 2 * (time.monotonic() - began) + 2


def test_a_kernel_without_ipywidgets_shows_html(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["It is \\boxed{4}."], first_token_ms=900)
    module = "jupyterlab_tir_kernel.widget"
    notebook.run(f"import sys; sys.modules['anywidget'] = None; sys.modules.pop('{module}', None)")
    sent = notebook.send(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    first = next(m for m in notebook.published(sent) if m["msg_type"] == "display_data")
    notebook.run("del sys.modules['anywidget']")
    assert set(first["content"]["data"]) == {"text/html", "text/plain"}
    assert notebook.ran(sent).bundles[0]["text/plain"].startswith("Answer: 4\n")


def test_widgets_of_old_runs_are_closed() -> None:
    made = [LiveWidget(LiveRun(phase=f"run {n}")) for n in range(KEPT_OPEN + 1)]
    assert made[0].comm is None
    assert made[1].comm is not None
    made[-1]._hear(None, {"kind": "ready"}, [])
    assert (made[-1].ready, made[-2].ready) == (True, False)
    assert repr(made[-1]) == f"TIR run: run {KEPT_OPEN} · 0.0 s"
    for widget in made:
        widget.close()


def test_a_server_that_is_still_loading_is_waited_for_with_progress(
    notebook: Any, note: ServerState, serve: Callable[..., Any], write_script: Callable[..., str]
) -> None:
    sent = notebook.send("%%tir\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")
    script = write_script(["It is \\boxed{4}."])
    status = notebook.await_message(sent, "comm_msg", lambda data: "still loading" in str(data))
    assert "The embedded server is still loading after 1" in str(status["content"])
    assert "0 planned" not in first["content"]["data"]["text/html"]
    port = note.base_url.split(":")[2].removesuffix("/v1")
    serve(script.removeprefix("scripted:"), "--port", port)
    ran = notebook.ran(sent)
    assert ran.status == "ok"
    assert ran.bundles[0]["text/plain"].startswith("Answer: 4\n")


@pytest.mark.usefixtures("note")
def test_waiting_for_a_server_can_be_interrupted(notebook: Any) -> None:
    sent = notebook.send("%%tir\nWhat is 2 + 2?")
    notebook.await_message(sent, "display_data")
    notebook.manager.interrupt_kernel()
    ran = notebook.ran(sent)
    assert ran.error["traceback"] == ["Stopped before the run began."]
    assert ran.bundles == [{"text/plain": "Stopped before the run began."}]


def test_status_says_that_a_server_is_still_loading(notebook: Any, note: ServerState) -> None:
    ran = notebook.run("%tir status")
    [line] = ran.error["traceback"]
    assert line.startswith("The embedded server is still loading after 1")
    assert note.log_path in line


def test_waiting_for_a_server_has_a_limit(
    note: ServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "LOADING_LIMIT_S", 0.3)
    told: list[str] = []
    with pytest.raises(NoServerError) as caught:
        waiting.begin_waiting(note, told.append).result(timeout=30)
    assert "is still loading after 1" in str(caught.value)
    assert "run the cell again later" in str(caught.value)
    assert told


def test_a_server_that_died_while_loading_is_not_waited_for(note: ServerState) -> None:
    dead = msgspec.structs.replace(note, process_start="another:1")
    with pytest.raises(NoServerError, match="ended while it started"):
        waiting.begin_waiting(dead, lambda _: None).result(timeout=30)


def test_a_server_that_was_named_is_asked_as_it_is(note: ServerState) -> None:
    assert waiting.started_server(resolve({"base_url": "echo"})) is None
    assert waiting.started_server(resolve(environ={})) == note
