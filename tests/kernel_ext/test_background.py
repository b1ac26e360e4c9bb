"""`%%tir --background`: the cell ends, the run goes on and shows itself; `%tir stop` ends runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.record import read_record
from jupyterlab_tir.viewing.wire import MIME

Json = dict[str, Any]

# A second is the aim; the machine of a test may be busy with other things.
SLACK = 10
WAITS_S = 60.0


@pytest.fixture(scope="module")
def server(serve: Callable[[str], Any], write_script: Callable[..., str]) -> Any:
    """One attempt answers at once; another runs code and then streams for minutes."""
    endless = {"text": "so " * 20_000, "token_ms": 10}
    script = write_script(
        ["The answer is \\boxed{4}."],
        ["I compute.\n\n```python\nprint(2 + 2)\n```\n", endless],
    )
    return serve(script.removeprefix("scripted:"))


@pytest.fixture(scope="module")
def start(start_notebook: Callable[..., Any], server: Any) -> Callable[[], Any]:
    def started() -> Any:
        notebook = start_notebook(
            TIR_BASE_URL=server.base_url, TIR_SAMPLES="2", TIR_DIALECT="fenced", TIR_STOP="none"
        )
        notebook.run("%load_ext jupyterlab_tir")
        return notebook

    return started


@pytest.fixture(scope="module")
def notebook(start: Callable[[], Any]) -> Iterator[Any]:
    """A kernel that every test leaves without a run."""
    notebook = start()
    yield notebook
    notebook.close()


@pytest.fixture
def doomed(start: Callable[[], Any]) -> Iterator[Any]:
    """A kernel that the test ends."""
    notebook = start()
    yield notebook
    notebook.close()


@pytest.fixture(scope="module")
def quick(write_script: Callable[..., str]) -> str:
    """A server whose attempts answer soon."""
    return write_script([{"text": "It is \\boxed{4}.", "first_token_ms": 300}], first_token_ms=300)


def begin(notebook: Any, server: Any, options: str = "") -> tuple[str, str]:
    """Have a run go on in the background, its code run; what was sent, and the run's id."""
    sent = notebook.send(f"%%tir --background {options}\nWhat is 2 + 2?")
    ran = notebook.ran(sent)
    assert ran.status == "ok"
    [bundle] = ran.bundles
    run: str = bundle[MIME]["head"]["runId"]
    until = time.monotonic() + WAITS_S
    while not (server.running == 1 and cells_of(notebook, run) == 1):
        assert time.monotonic() < until, "the run did not come to its last turn"
        time.sleep(0.05)
    return sent, run


def cells_of(notebook: Any, run: str) -> int:
    """Cells that a run has begun so far, as a page sees it."""
    told = notebook.ask({"kind": "hello", "run": run, "page": "cells", "opened": []})
    notebook.ask({"kind": "bye", "run": run, "page": "cells"})
    return sum(each.get("cells", 0) for each in told["snapshot"].get("samples", []))


def await_end(notebook: Any, sent: str) -> Json:
    """The static bundle that a cell's output holds in the end."""
    message = notebook.await_message(
        sent, "update_display_data", lambda content: "end" in content["data"].get(MIME, {})
    )
    bundle: Json = message["content"]["data"]
    return bundle


def soon(condition: Callable[[], object], seconds: float = SLACK) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_cell_ends_at_once_and_shows_its_run_while_another_blocks(
    notebook: Any, server: Any
) -> None:
    sent, run = begin(notebook, server, "--out run")
    assert notebook.run("print(type(_).__name__, _ is run, run.done, run.result)").printed == (
        "BackgroundRun True False None\n"
    )
    assert notebook.run("run").bundles == [{"text/plain": f"<TIR run {run}, going on>"}]
    notebook.ask({"kind": "hello", "run": run, "page": "p", "opened": []})
    blocked = notebook.run("import time; time.sleep(1); print('slept')")
    assert [each["type"] for each in blocked.outputs] == ["stream"]
    busy, done = (
        message["header"]["date"]
        for message in notebook.published(notebook_last(notebook))
        if message["msg_type"] == "status"
    )
    during = [
        message for message in notebook._published[""] if busy < message["header"]["date"] < done
    ]
    assert 3 < len(during) <= 15 * (done - busy).total_seconds() + 2
    # Stopped while a cell blocks, it shows its end while that cell blocks.
    blocked_by = notebook.send("time.sleep(2); print(run.result.status)")
    assert notebook.ask({"kind": "stop", "run": run}) == {"status": "ok"}
    bundle = await_end(notebook, sent)
    assert (bundle[MIME]["end"]["status"], bundle[MIME]["end"]["answer"]) == ("stopped", "4")
    assert set(bundle) == {MIME, "text/html", "text/markdown", "image/png", "text/plain"}
    assert blocked_by not in notebook._replies
    assert notebook.ran(blocked_by).printed == "stopped\n"
    assert notebook.ask({"kind": "final", "run": run})["bundle"] == bundle
    assert notebook.run("run").bundles == [bundle]


def notebook_last(notebook: Any) -> str:
    """The cell that was sent last."""
    return list(notebook._replies)[-1]


def test_handle_is_awaited_and_stopped(notebook: Any, quick: str) -> None:
    notebook.run(f"%%tir --background --out run --mode text --base-url {quick}\nWhat is 2 + 2?")
    code = "result = await run\nprint(result, result is run.result, result.status, run.done)"
    assert notebook.run(code).printed == "4 True answered True\n"
    assert notebook.run("print((await run).status)").printed == "answered\n"


def test_run_that_is_over_when_its_cell_ends_shows_that(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    instant = write_script(["It is \\boxed{4}."])
    options = f"--background --mode text --base-url {instant}"
    for _ in range(3):
        sent = notebook.send(f"%%tir {options}\nWhat is 2 + 2?")
        assert notebook.ran(sent).status == "ok"
        assert await_end(notebook, sent)[MIME]["end"]["answer"] == "4"


def test_interrupt_ends_the_waiting_and_not_the_run(notebook: Any, server: Any) -> None:
    begin(notebook, server, "--out run")
    # A kernel that only reads a cell drops an interrupt.
    waiting = notebook.send("print('waiting', flush=True); await run")
    notebook.await_message(waiting, "stream")
    notebook.manager.interrupt_kernel()
    [line] = notebook.ran(waiting).error["traceback"]
    assert line == "The waiting was interrupted; the run goes on. `%tir stop` ends it."
    assert notebook.run("print(run.done)").printed == "False\n"
    # Whoever cancels the waiting otherwise hears what asyncio says.
    code = "\n".join(  # noqa: FLY002 - lines are read more easily than one
        [
            "import asyncio",
            "try:",
            "    async with asyncio.timeout(0.2): await run",
            "except TimeoutError: print('late')",
        ]
    )
    assert notebook.run(code).printed == "late\n"
    code = "run.stop(); print(run); print((await run).status)"
    assert notebook.run(code).printed.endswith(", stopping>\nstopped\n")


@pytest.mark.parametrize(
    ("options", "name", "words"),
    [
        ("--sampels 3", "UsageError", "did you mean --samples?"),
        ("--out 1x", "UsageError", "--out 1x is not a variable's name"),
        ("--background=yes", "UsageError", "--background takes no value"),
        ("--base-url http://127.0.0.1:9/v1", "NoServerError", "tir serve --embedded"),
        ("--kernel nowhere", "UsageError", "No kernel is called 'nowhere'"),
    ],
)
def test_what_keeps_a_run_from_beginning_is_one_line_in_its_cell(
    notebook: Any, options: str, name: str, words: str
) -> None:
    notebook.run("bound = 'before'")
    ran = notebook.run(f"%%tir --background --out bound {options}\nWhat is 2 + 2?")
    assert (ran.status, ran.bundles) == ("error", [])
    assert ran.error["ename"] == name
    [line] = ran.error["traceback"]
    assert words in line
    assert notebook.run("print(bound)").printed == "before\n"


def test_magic_that_waits_leaves_a_run_in_the_background_too(notebook: Any, quick: str) -> None:
    options = f"--background --mode text --base-url {quick}"
    code = f"run = get_ipython().run_cell_magic('tir', '{options}', 'What is 2 + 2?')"
    sent = notebook.send(code)
    assert notebook.ran(sent).status == "ok"
    assert await_end(notebook, sent)[MIME]["end"]["answer"] == "4"
    assert notebook.run("print(run.result)").printed == "4\n"


def test_stop_line_ends_one_run_or_all(
    notebook: Any, server: Any, forked_below: Callable[[int], set[int]]
) -> None:
    none = [{"text/plain": "No run of this kernel is going on."}]
    assert [
        {"text/plain": each["text/plain"]} for each in notebook.run("%tir stop").bundles
    ] == none
    first_sent, first = begin(notebook, server)
    second_sent = notebook.send("%%tir --background --out second\nWhat is 3 + 3?")
    [bundle] = notebook.ran(second_sent).bundles
    second = bundle[MIME]["head"]["runId"]
    [line] = notebook.run("%tir stop 2").error["traceback"]
    assert line == f"'2' begins several runs: write one of {first}, {second}."
    began = time.monotonic()
    [said] = notebook.run(f"%tir stop {first}").bundles
    assert time.monotonic() - began < 1 * SLACK
    assert said["text/plain"] == f"Stopped, and what had finished is kept: {first}."
    assert await_end(notebook, first_sent)[MIME]["end"]["status"] == "stopped"
    [line] = notebook.run(f"%tir stop {first}").error["traceback"]
    assert line == (
        f"No run of this kernel that goes on begins with '{first}'. These go on: {second}."
    )
    ran = notebook.run("%tir stop\nprint(second.done)")
    assert ran.bundles[0]["text/plain"] == f"Stopped, and what had finished is kept: {second}."
    # What it has started is gone when the line has been carried out.
    assert ran.printed == "True\n"
    assert await_end(notebook, second_sent)[MIME]["end"]["status"] == "stopped"
    assert soon(lambda: server.running == 0)
    assert soon(lambda: forked_below(notebook.pid) == set())
    [line] = notebook.run("%tir stop one two").error["traceback"]
    assert "Usage: %tir stop [ID]" in line


@pytest.mark.parametrize("way", ["shutdown", "restart"])
def test_run_in_the_background_ends_with_its_kernel(
    doomed: Any,
    server: Any,
    environment: dict[str, str],
    below: Callable[[int], set[int]],
    alive: Callable[[int], bool],
    way: str,
) -> None:
    sent, run = begin(doomed, server)
    children = below(doomed.pid)
    assert children
    if way == "restart":
        doomed.manager.restart_kernel()
    else:
        doomed.manager.shutdown_kernel()
    assert soon(lambda: not server.running and not any(map(alive, children)), 2 * SLACK)
    record = read_record(Path(environment["JUPYTER_DATA_DIR"]) / "tir" / "runs" / f"{run}.jsonl")
    assert record.ended is not None
    assert record.ended.status == "stopped"
    # A page that is still there sees how it ended.
    assert await_end(doomed, sent)[MIME]["end"]["status"] == "stopped"
