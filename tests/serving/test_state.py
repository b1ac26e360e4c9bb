from __future__ import annotations

import os
import stat
import subprocess
import sys

import msgspec
import pytest

from jupyterlab_tir.serving.state import (
    ServerState,
    process_start,
    read_state,
    remove_state,
    state_path,
    write_state,
)


def a_state(pid: int, start: str | None) -> ServerState:
    assert start is not None
    return ServerState(
        base_url="http://127.0.0.1:1/v1",
        model="m",
        pid=pid,
        process_start=start,
        log_path="/nowhere",
        detached=True,
        kind="vllm",
        started_at=0.0,
    )


@pytest.fixture
def own_state() -> ServerState:
    return a_state(os.getpid(), process_start(os.getpid()))


def test_no_file_means_no_server() -> None:
    assert read_state() is None


def test_state_of_a_living_process_is_read_back(own_state: ServerState) -> None:
    write_state(own_state)
    assert read_state() == own_state


def test_file_is_private_and_nothing_else_is_left_beside_it(own_state: ServerState) -> None:
    write_state(own_state)
    assert stat.S_IMODE(state_path().stat().st_mode) == 0o600
    assert [path.name for path in state_path().parent.iterdir()] == ["server.json"]


def test_state_of_an_ended_process_is_removed() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        state = a_state(process.pid, process_start(process.pid))
    write_state(state)
    assert read_state() is None
    assert not state_path().exists()


def test_zombie_counts_as_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert process_start(process.pid) is None


def test_another_process_with_the_same_number_is_not_the_server(own_state: ServerState) -> None:
    boot, ticks = own_state.process_start.split(":")
    write_state(msgspec.structs.replace(own_state, process_start=f"{boot}:{int(ticks) - 1}"))
    assert read_state() is None
    assert not state_path().exists()


def test_same_number_and_ticks_after_a_reboot_is_not_the_server(own_state: ServerState) -> None:
    ticks = own_state.process_start.split(":")[1]
    write_state(msgspec.structs.replace(own_state, process_start=f"another-boot:{ticks}"))
    assert read_state() is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[]", b'{"version": 1}', b'{"pid": "many"}']
)
def test_corrupt_file_is_removed(content: bytes) -> None:
    state_path().write_bytes(content)
    assert read_state() is None
    assert not state_path().exists()


def test_file_of_another_version_is_not_used(own_state: ServerState) -> None:
    write_state(msgspec.structs.replace(own_state, version=2))
    assert read_state() is None


def test_removing_spares_the_state_of_a_newer_server(own_state: ServerState) -> None:
    write_state(own_state)
    remove_state(msgspec.structs.replace(own_state, process_start="earlier:1"))
    assert read_state() == own_state
    remove_state(own_state)
    assert read_state() is None


def test_process_with_blanks_and_parentheses_in_its_name_is_read() -> None:
    code = (
        "import ctypes, sys; ctypes.CDLL(None).prctl(15, b'a) S 1 (b', 0, 0, 0);"
        "print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        start = process_start(process.pid)
    own = process_start(os.getpid())
    assert start is not None
    assert own is not None
    assert int(start.split(":")[1]) > int(own.split(":")[1])


def test_discovery_loads_no_heavy_library() -> None:
    code = (
        "import sys; import jupyterlab_tir.serving.state, jupyterlab_tir.serving.command;"
        "heavy = {'httpx', 'jupyter_client', 'numpy', 'sympy'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
