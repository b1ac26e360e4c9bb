"""The live output: the run for pages that draw it, HTML where none does, and words before."""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ipywidgets.widgets.widget import _instances

from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import NoServerError
from jupyterlab_tir.serving.state import ServerState, process_start, write_state
from jupyterlab_tir.viewing.wire import MIME
from jupyterlab_tir_kernel import waiting, widget

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def notebook(
    start_notebook: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A kernel that a page has started, with a program that draws the widget."""
    notebook = start_notebook(
        TIR_SAMPLES="1",
        TIR_MODE="text",
        TIR_DIALECT="fenced",
        JPY_SESSION_NAME="/notebooks/x.ipynb",
    )
    folder = tmp_path_factory.mktemp("built")
    (folder / "view.js").write_text("export default { render() {} };")
    notebook.run("%load_ext jupyterlab_tir")
    notebook.run("import pathlib, jupyterlab_tir_kernel.widget as widget")
    notebook.run(f"widget.FOLDER = pathlib.Path({str(folder)!r})")
    # A page of this test says hello at once or never.
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


def ask_as_widget(notebook: Any, model_id: str, content: object) -> None:
    data = {"method": "custom", "content": content}
    notebook.client.shell_channel.send(
        notebook.client.session.msg("comm_msg", {"comm_id": model_id, "data": data})
    )


def said_by(messages: list[Any], what: str) -> list[Any]:
    """What the widget said to its page, among these messages."""
    said = [
        message["content"]["data"]["content"]
        for message in messages
        if message["msg_type"] == "comm_msg"
        and message["content"]["data"].get("method") == "custom"
    ]
    return [each for each in said if what in each]


def test_first_output_holds_the_run_in_every_form_before_a_sample_was_begun(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    script = write_script(["It is \\boxed{4}."])
    sent = notebook.send(f"%%tir --base-url {script}\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")["content"]["data"]
    assert set(first) == {MIME, WIDGET, "text/html", "text/plain"}
    assert first[MIME]["head"]["problem"]["text"] == "What is 2 + 2?"
    assert first[MIME]["planned"] == 1
    assert "samples" not in first[MIME]
    assert "end" not in first[MIME]
    assert first["text/plain"].startswith("TIR run: Starting · 0 finished · 0 running · 1 planned")
    [bundle] = notebook.ran(sent).bundles
    assert bundle[MIME]["end"]["status"] == "answered"


def test_page_that_says_hello_keeps_its_output_until_the_end(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["so " * 150 + "\\boxed{4}"], token_ms=10)
    sent = notebook.send(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")["content"]["data"]
    run = first[MIME]["head"]["runId"]
    assert notebook.ask({"kind": "hello", "run": run, "page": "p", "opened": []})["status"] == "ok"
    assert notebook.ran(sent).updates == 1


def test_widget_answers_requests_and_is_told_what_is_new(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["so " * 150 + "\\boxed{4}"], token_ms=10)
    sent = notebook.send(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")["content"]["data"]
    run, model_id = first[MIME]["head"]["runId"], first[WIDGET]["model_id"]
    hello = {"kind": "hello", "run": run, "page": "w", "opened": []}
    ask_as_widget(notebook, model_id, {"id": "1", "request": hello})
    ask_as_widget(notebook, model_id, {"id": "2", "request": {"kind": "hello"}})
    ask_as_widget(notebook, model_id, ["no request"])
    ran = notebook.ran(sent)
    # Drawn by the widget, so that only the end replaced it.
    assert ran.updates == 1
    everything = [each for messages in notebook._published.values() for each in messages]
    replies = {each["id"]: each["reply"] for each in said_by(everything, "reply")}
    assert replies["1"]["snapshot"]["head"]["runId"] == run
    assert replies["2"]["status"] == "refused"
    batches = said_by(everything, "batch")
    assert {(each["run"], each["page"]) for each in batches} == {(run, "w")}
    numbers = [each["batch"]["number"] for each in batches]
    assert numbers == list(range(1, len(numbers) + 1))
    assert batches[-1]["batch"]["end"]["answer"] == "4"
    # Whoever draws the widget anew sees the end in its state.
    states = [
        each["content"]["data"]["state"]["snapshot"]
        for each in everything
        if each["msg_type"] == "comm_msg" and "snapshot" in each["content"]["data"].get("state", {})
    ]
    assert states[-1]["end"]["answer"] == "4"


def test_output_that_no_page_draws_gives_way_to_html(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["so " * 150 + "\\boxed{4}"], token_ms=10)
    began = time.monotonic()
    sent = notebook.send(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    update = notebook.await_message(sent, "update_display_data")["content"]["data"]
    assert set(update) == {"text/html", "text/plain"}
    assert "1 writing" in update["text/html"]
    notebook.await_message(sent, "update_display_data", lambda content: content["data"] != update)
    # One each half second, and one at the end.
    assert 2 < notebook.ran(sent).updates <= 2 * (time.monotonic() - began) + 2


def test_page_that_says_hello_late_gets_an_output_to_draw(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    slow = write_script(["so " * 300 + "\\boxed{4}"], token_ms=10)
    sent = notebook.send(f"%%tir --base-url {slow}\nWhat is 2 + 2?")
    html = notebook.await_message(sent, "update_display_data")["content"]["data"]
    assert MIME not in html
    run = notebook.await_message(sent, "display_data")["content"]["data"][MIME]["head"]["runId"]
    notebook.ask({"kind": "hello", "run": run, "page": "late", "opened": []})
    drawn, end = (
        notebook.await_message(sent, "update_display_data", fits)["content"]["data"]
        for fits in (
            lambda content: MIME in content["data"] and "end" not in content["data"][MIME],
            lambda content: "end" in content["data"].get(MIME, {}),
        )
    )
    assert set(drawn) == {MIME, "text/html", "text/plain"}
    assert drawn[MIME]["head"]["runId"] == run
    assert end[MIME]["end"]["answer"] == "4"
    kinds = [MIME in each["content"]["data"] for each in notebook.published(sent)
             if each["msg_type"] == "update_display_data"]  # fmt: skip
    # Once it draws, nothing replaces its view before the end.
    assert kinds[-2:] == [True, True]


@pytest.mark.parametrize(
    ("without", "again"),
    [
        ("import sys; sys.modules['anywidget'] = None; del sys.modules[widget.__name__]",
         "del sys.modules['anywidget']; sys.modules[widget.__name__] = widget"),
        ("built, widget.FOLDER = widget.FOLDER, pathlib.Path('nowhere')", "widget.FOLDER = built"),
    ],
)  # fmt: skip
def test_without_ipywidgets_or_a_built_view_the_output_has_no_widget(
    notebook: Any, without: str, again: str, write_script: Callable[..., str]
) -> None:
    script = write_script(["It is \\boxed{4}."])
    notebook.run(without)
    sent = notebook.send(f"%%tir --base-url {script}\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")
    ran = notebook.ran(sent)
    notebook.run(again)
    assert set(first["content"]["data"]) == {MIME, "text/html", "text/plain"}
    assert ran.bundles[0]["text/plain"].startswith("Answer: 4\n")


def test_widgets_are_closed_when_so_many_later_runs_are_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "view.js").write_text("export default { render() {} };")
    monkeypatch.setattr(widget, "FOLDER", tmp_path)
    monkeypatch.setattr(widget, "_over", deque())
    words = "TIR run: 1 writing"
    known = set(widgets_with_a_comm())
    made = [widget.LiveWidget({}, words) for _ in range(widget.KEPT_OPEN + 3)]
    assert repr(made[-1]) == words
    # However many go on at once.
    assert all(each.comm is not None for each in made)
    for each in made[2:]:
        each.keep_for_late()
    assert [each.comm is None for each in made[:4]] == [False, False, True, False]
    for each in made:
        each.close()
    # Their layouts are widgets of their own.
    assert set(widgets_with_a_comm()) == known


def widgets_with_a_comm() -> list[str]:
    """The ids of all widgets that ipywidgets keeps."""
    return list(_instances)


def test_a_server_that_is_still_loading_is_waited_for_with_progress(
    notebook: Any, note: ServerState, serve: Callable[..., Any], write_script: Callable[..., str]
) -> None:
    sent = notebook.send("%%tir\nWhat is 2 + 2?")
    first = notebook.await_message(sent, "display_data")["content"]["data"]
    script = write_script(["It is \\boxed{4}."])
    assert set(first) == {"text/html", "text/plain"}
    loads = "The embedded server is still loading after 1"
    notebook.await_message(sent, "update_display_data", lambda told: loads in str(told["data"]))
    assert "0 planned" not in first["text/html"]
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
