"""Stopping in the middle: nothing is left, the partial tally is kept, Run All does not go on.

One attempt answers at once; another runs code and then waits for a server that sends nothing more.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.events import RunEnded
from jupyterlab_tir.record import Record, read_record
from jupyterlab_tir.viewing.wire import MIME

CELL = "%%tir\nWhat is 2 + 2?"
BLOCKING = "get_ipython().run_cell_magic('tir', '', 'What is 2 + 2?')"
BLOCKING_IN_AWAITED = f"import asyncio\nawait asyncio.sleep(0)\n{BLOCKING}"

# A second is the aim; the machine of a test may be busy with other things.
SLACK = 10

Begin = Callable[[Any, str], set[int]]


@pytest.fixture(scope="module")
def server(serve: Callable[[str], Any], write_script: Callable[..., str]) -> Any:
    silent = {"text": "x", "fault": {"kind": "silent"}}
    script = write_script(
        ["The answer is \\boxed{4}."],
        ["I compute.\n\n```python\nprint(2 + 2)\n```\n", silent],
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
    """A kernel that every test leaves as it was."""
    notebook = start()
    yield notebook
    notebook.close()


@pytest.fixture
def doomed(start: Callable[[], Any]) -> Iterator[Any]:
    """A kernel that the test ends."""
    notebook = start()
    yield notebook
    notebook.close()


@pytest.fixture
def record(environment: dict[str, str]) -> Callable[[], Record]:
    """The newest record, whole."""

    def newest() -> Record:
        folder = Path(environment["JUPYTER_DATA_DIR"]) / "tir" / "runs"
        return read_record(max(folder.iterdir(), key=lambda path: path.name))

    return newest


@pytest.fixture
def begin(
    server: Any, environment: dict[str, str], below: Callable[[int], set[int]]
) -> Callable[[Any, str], set[int]]:
    """Run a cell until one attempt has ended and the other waits; returns the child processes."""
    folder = Path(environment["JUPYTER_DATA_DIR"]) / "tir" / "runs"

    def run(notebook: Any, code: str) -> set[int]:
        before = set(folder.glob("*"))
        notebook.sent = notebook.send(code)
        until = time.monotonic() + 60
        recorded = b""
        while not (b'"sample-ended"' in recorded and b'"code-ended"' in recorded):
            assert time.monotonic() < until, "the run did not come to wait"
            time.sleep(0.05)
            recorded = b"".join(path.read_bytes() for path in set(folder.glob("*")) - before)
        while server.running != 1:
            assert time.monotonic() < until, "the run did not come to wait"
            time.sleep(0.05)
        return below(notebook.pid)

    return run


def soon(condition: Callable[[], object], seconds: float = SLACK) -> bool:
    """Whether something comes to be so in time: the end of a run is not yet that of the others."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("code", [CELL, BLOCKING, BLOCKING_IN_AWAITED])
def test_an_interrupt_ends_the_run_and_keeps_what_it_has(
    notebook: Any,
    server: Any,
    code: str,
    record: Callable[[], Record],
    begin: Begin,
    forked_below: Callable[[int], set[int]],
) -> None:
    begin(notebook, code)
    assert forked_below(notebook.pid)
    queued = notebook.send("print('went on')")
    began = time.monotonic()
    notebook.manager.interrupt_kernel()
    ran = notebook.ran(notebook.sent)
    assert time.monotonic() - began < 1 * SLACK
    assert ran.status == "error"
    assert ran.error["ename"] == "TirStopped"
    assert ran.error["traceback"] == ["Stopped by the user; what had finished is kept."]
    assert notebook.reply(queued)["status"] == "aborted"
    [bundle] = ran.bundles
    assert bundle[MIME]["end"]["status"] == "stopped"
    assert bundle[MIME]["end"]["answer"] == "4"
    assert bundle[MIME]["tally"]["finished"] == 1
    assert soon(lambda: server.running == 0)
    # What they are forked from stays a while, for the next run.
    assert soon(lambda: forked_below(notebook.pid) == set())
    [ended] = [event for event in record().events if isinstance(event, RunEnded)]
    assert ended.status == "stopped"
    # The kernel is as it was: it interrupts and runs other cells.
    assert notebook.run("print(1 + 1)").printed == "2\n"
    handler = "import signal; print(signal.getsignal(signal.SIGINT), signal.set_wakeup_fd(-1))"
    assert notebook.run(handler).printed.endswith("> -1\n")


def test_the_partial_result_is_bound_when_it_was_asked_for(notebook: Any, begin: Begin) -> None:
    begin(notebook, "%%tir --out kept\nWhat is 2 + 2?")
    notebook.manager.interrupt_kernel()
    notebook.ran(notebook.sent)
    assert notebook.run("print(kept.status, kept)").printed == "stopped 4\n"


def test_a_run_can_be_interrupted_while_it_looks_for_the_server(
    notebook: Any,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        sent = notebook.send(f"%%tir --base-url {address}\nWhat is 2 + 2?")
        deaf.settimeout(30)
        connection, _ = deaf.accept()
        with connection:
            notebook.manager.interrupt_kernel()
            ran = notebook.ran(sent)
    assert ran.error["traceback"] == ["Stopped before the run began."]


@pytest.mark.parametrize("interrupts_first", [True, False])
def test_shutting_the_kernel_down_ends_the_run_and_records_it(
    doomed: Any,
    server: Any,
    record: Callable[[], Record],
    begin: Begin,
    alive: Callable[[int], bool],
    interrupts_first: bool,  # noqa: FBT001
) -> None:
    children = begin(doomed, CELL)
    pid = doomed.pid
    if interrupts_first:
        doomed.manager.shutdown_kernel()
    else:
        doomed.client.shutdown()
    assert soon(lambda: not doomed.manager.is_alive(), 2 * SLACK)
    assert soon(lambda: not server.running and not any(map(alive, children)), 2 * SLACK)
    assert not alive(pid)
    assert record().ended is not None


def test_restarting_the_kernel_ends_the_run(
    doomed: Any, server: Any, begin: Begin, alive: Callable[[int], bool]
) -> None:
    children = begin(doomed, CELL)
    doomed.manager.restart_kernel()
    assert soon(lambda: server.running == 0)
    assert soon(lambda: not any(map(alive, children)))


def test_a_killed_kernel_leaves_no_process_and_no_request(
    doomed: Any,
    server: Any,
    record: Callable[[], Record],
    begin: Begin,
    alive: Callable[[int], bool],
) -> None:
    children = begin(doomed, CELL)
    assert children
    os.kill(doomed.pid, signal.SIGKILL)
    assert soon(lambda: not server.running and not any(map(alive, children)))
    assert record().cut_short
    assert [outcome.status for outcome in record().outcomes] == ["answered"]
