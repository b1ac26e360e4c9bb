from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
import urllib.request
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import pytest

from jupyterlab_tir.errors import ServeError
from jupyterlab_tir.serving.launch import LaunchPlan, choose_port, start_server, stop_server
from jupyterlab_tir.serving.state import process_start, read_state, state_path
from jupyterlab_tir.serving.supervisor import descendants

if TYPE_CHECKING:
    from collections.abc import Iterator

MakePlan = Callable[..., LaunchPlan]
Children = Callable[[], list[int]]
Gone = Callable[[list[int]], Awaitable[bool]]


def silent(_seconds: float, _message: str) -> None:
    """Progress that nobody sees."""


async def launched(children: Children) -> None:
    """Wait until the fake server has been started."""
    for _ in range(600):
        if children():
            return
        await asyncio.sleep(0.05)
    pytest.fail("the fake server was not started within 30 s")


def answers(base_url: str) -> bool:
    with urllib.request.urlopen(f"{base_url}/models", timeout=5) as response:  # noqa: S310
        return bool(response.status == 200)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


async def test_started_server_answers_and_is_found(make_plan: MakePlan) -> None:
    started = await start_server(make_plan(), detach=False, wait_s=60, progress=silent)
    assert not started.found
    assert read_state() == started.state
    assert started.state.base_url.startswith("http://127.0.0.1:")
    assert started.state.model == "fake"
    assert answers(started.state.base_url)
    assert os.stat(started.state.log_path).st_mode & 0o777 == 0o600  # noqa: PTH116


async def test_stop_ends_the_whole_tree_and_nothing_else(
    make_plan: MakePlan, children: Children, gone: Gone
) -> None:
    with subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE
    ) as bystander:
        started = await start_server(make_plan(), detach=True, wait_s=60, progress=silent)
        tree = [started.state.pid, *children()]
        assert len(tree) == 3
        assert await stop_server(started.state)
        assert await gone(tree)
        assert bystander.poll() is None
    assert not state_path().exists()
    assert not await stop_server(started.state)


async def test_server_that_ignores_sigterm_is_killed(
    make_plan: MakePlan, children: Children, gone: Gone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyterlab_tir.serving.launch.GRACE_S", 0.5)
    plan = make_plan(stubborn=True)
    started = await start_server(plan, detach=True, wait_s=60, progress=silent)
    assert await stop_server(started.state)
    assert await gone(children())


async def test_second_start_waits_for_the_first_and_finds_its_server(
    make_plan: MakePlan, children: Children
) -> None:
    messages: list[str] = []
    plan = make_plan(loading_s=2.5)
    first = asyncio.create_task(start_server(plan, detach=True, wait_s=60, progress=silent))
    await launched(children)
    second = await start_server(
        plan, detach=True, wait_s=60, progress=lambda _, message: messages.append(message)
    )
    assert second.found
    assert second.state == (await first).state
    assert any("Another start" in message for message in messages)
    assert len(children()) == 2


async def test_start_for_another_model_is_refused(make_plan: MakePlan) -> None:
    first = await start_server(make_plan(), detach=True, wait_s=60, progress=silent)
    with pytest.raises(ServeError, match=r"fake already runs at .*--stop"):
        await start_server(make_plan(model="other"), detach=True, wait_s=60, progress=silent)
    assert read_state() == first.state


async def test_death_while_loading_tells_the_cause_and_leaves_nothing(
    make_plan: MakePlan, children: Children, gone: Gone
) -> None:
    with pytest.raises(ServeError, match=r"ValueError: no room.*log: ") as caught:
        await start_server(
            make_plan(die="ValueError: no room"), detach=True, wait_s=60, progress=silent
        )
    assert "vllm-server.log" in str(caught.value)
    assert await gone(children())
    assert read_state() is None


async def test_server_that_loads_too_long_is_ended(
    make_plan: MakePlan, children: Children, gone: Gone
) -> None:
    with pytest.raises(ServeError, match=r"Loading weights.*--wait-s"):
        await start_server(make_plan(loading_s=600), detach=True, wait_s=8, progress=silent)
    assert await gone(children())
    assert read_state() is None


async def test_cancelled_start_leaves_nothing(
    make_plan: MakePlan, children: Children, gone: Gone
) -> None:
    task = asyncio.create_task(
        start_server(make_plan(loading_s=60), detach=True, wait_s=60, progress=silent)
    )
    await launched(children)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await gone(children())
    assert read_state() is None


async def test_named_port_that_is_taken_is_refused(make_plan: MakePlan, taken_port: int) -> None:
    with pytest.raises(ServeError, match=f"Port {taken_port} on 127.0.0.1 cannot be used"):
        await start_server(make_plan(port=taken_port), detach=True, wait_s=60, progress=silent)
    assert read_state() is None


def test_free_port_is_taken_where_the_default_is_not_free(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyterlab_tir.serving.launch.DEFAULT_PORT", taken_port)
    assert choose_port(None) not in {0, taken_port}


@pytest.mark.parametrize("victim", ["server", "supervisor"])
async def test_killed_part_takes_the_rest_with_it(
    make_plan: MakePlan, children: Children, gone: Gone, victim: str
) -> None:
    started = await start_server(make_plan(), detach=True, wait_s=60, progress=silent)
    server, engine = children()
    os.kill(server if victim == "server" else started.state.pid, signal.SIGKILL)
    left = [server, started.state.pid]
    # Without its supervisor the real vLLM ends its engine itself on SIGTERM; the fake does not.
    assert await gone([*left, engine] if victim == "server" else left)
    assert read_state() is None
    if victim == "supervisor":
        os.kill(engine, signal.SIGKILL)


STARTER = """
    import asyncio, sys, time, msgspec
    from jupyterlab_tir.serving.launch import LaunchPlan, start_server
    plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=LaunchPlan)
    detach = sys.argv[1] == "detach"
    asyncio.run(start_server(plan, detach=detach, wait_s=60, progress=lambda s, m: None))
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("detach", [False, True])
async def test_only_a_detached_server_survives_the_kill_of_its_starter(
    make_plan: MakePlan, children: Children, gone: Gone, *, detach: bool
) -> None:
    import msgspec

    word = "detach" if detach else "attached"
    with subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", textwrap.dedent(STARTER), word],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as starter:
        assert starter.stdin is not None
        assert starter.stdout is not None
        starter.stdin.write(msgspec.json.encode(make_plan()) + b"\n")
        starter.stdin.flush()
        assert starter.stdout.readline() == b"ready\n"
        state = read_state()
        assert state is not None
        tree = [state.pid, *children()]
        starter.kill()
    if detach:
        await asyncio.sleep(1.0)
        assert all(process_start(pid) for pid in tree)
        assert answers(state.base_url)
    else:
        assert await gone(tree)
        assert read_state() is None


def test_descendants_are_found_through_generations() -> None:
    code = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', 'input()']);"
        "print(p.pid, flush=True); p.wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        grandchild = int(parent.stdout.readline())
        found = descendants(os.getpid())
        assert found.index(parent.pid) < found.index(grandchild)
        assert descendants(grandchild) == []
    limit = time.monotonic() + 20
    while process_start(grandchild) is not None and time.monotonic() < limit:
        time.sleep(0.02)
    assert parent.pid not in descendants(os.getpid())
