"""What several rooms' tests share: private folders, scripts, and one embedded vLLM server.

`vllm_server` is the real thing: set up where users have it (an environment that is there is used),
started once under a private runtime folder, ended with the run. Tests that use it carry the mark
`vllm`.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from jupyterlab_tir.serving.state import ServerState

LEFT_OUT = "TIR_TEST_WITHOUT_VLLM"
# What attacks a machine, measures it or counts its processes is not run beside other tests.
_ALONE = tuple(
    Path(__file__).parent / "sandbox" / name
    for name in (
        "attacks", "box", "test_hostile_cells.py", "test_lifetimes.py", "test_pool.py",
        "test_soak.py", "test_spares.py", "test_watch.py",
    )
)  # fmt: skip

# A shared machine is slow at times, which is no failure of a property. Where a change is judged
# (`CI`, as the usual services set it) the examples are the same each time: nobody's change is to
# blame for what chance finds. Elsewhere chance goes on looking.
settings.register_profile(
    "tir",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("tir")


def pytest_configure() -> None:
    """Do not hand on that signals are ignored, as a shell's `nohup` and `&` have it."""
    for number, handler in (
        (signal.SIGHUP, signal.SIG_DFL),
        (signal.SIGINT, signal.default_int_handler),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests run alone, and leave those out that need vLLM where that is asked for."""
    for item in items:
        if item.get_closest_marker("vllm") or any(
            item.path.is_relative_to(path) for path in _ALONE
        ):
            item.add_marker(pytest.mark.alone)
    if os.environ.get(LEFT_OUT):
        left_out = pytest.mark.skip(reason=f"{LEFT_OUT} is set: not run against a real vLLM")
        for item in items:
            if item.get_closest_marker("vllm"):
                item.add_marker(left_out)


@pytest.fixture
def jupyter_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Jupyter's folders, private to the test; they lie in the one returned."""
    for kind in ("DATA", "RUNTIME", "CONFIG"):
        monkeypatch.setenv(f"JUPYTER_{kind}_DIR", str(tmp_path / kind.lower()))
    return tmp_path


@pytest.fixture(scope="session")
def save_script() -> Callable[..., str]:
    """Write a script for every problem, and return it as a base URL.

    Samples are lists of turns; a turn is its text or its fields.
    """

    def save(path: Path, *samples: list[Any], **server: Any) -> str:
        body = {
            "version": 1,
            "server": server,
            "problems": [
                {
                    "contains": "",
                    "samples": [
                        {"turns": [{"text": t} if isinstance(t, str) else t for t in turns]}
                        for turns in samples
                    ],
                }
            ],
        }
        path.write_text(json.dumps(body), encoding="utf-8")
        return f"scripted:{path}"

    return save


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerState]:
    """The running embedded server; a machine that cannot run it fails the test with the reason."""
    from jupyterlab_tir.serving.environment import build_environment
    from jupyterlab_tir.serving.launch import start_server, stop_server
    from jupyterlab_tir.serving.model import make_model
    from jupyterlab_tir.serving.plans import embedded_plan

    def progress(seconds: float, message: str) -> None:
        sys.__stderr__.write(f"vllm_server: {seconds:4.0f} s  {message}\n")

    async def begin() -> ServerState:
        await build_environment(progress)
        await make_model(progress)
        plan = embedded_plan(port=None)
        return (await start_server(plan, detach=False, progress=progress)).state

    # The private folder holds only while our code runs: other tests must not find this server.
    folder = str(tmp_path_factory.mktemp("runtime"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", folder)
        state = asyncio.run(begin())
    yield state
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", folder)
        asyncio.run(stop_server(state))


@pytest.fixture(scope="session")
def below() -> Callable[[int], set[int]]:
    """The living processes below one."""
    return _descendants


@pytest.fixture(scope="session")
def forked_below() -> Callable[[int], set[int]]:
    """The child kernels of a process, without the warm process that they are forked from."""
    return lambda pid: _descendants(pid) - _children(pid)


@pytest.fixture(scope="session")
def alive() -> Callable[[int], bool]:
    """Whether a process lives; a zombie does not."""
    return _alive


def _descendants(pid: int) -> set[int]:
    """All living processes below one."""
    parents = _by_parent()
    found: set[int] = set()
    left = [pid]
    while left:
        below = parents.get(left.pop(), [])
        found.update(below)
        left += below
    return found


def _children(pid: int) -> set[int]:
    return set(_by_parent().get(pid, []))


def _by_parent() -> dict[int, list[int]]:
    """The living processes of this machine, from /proc."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if fields[0] not in "ZX":
                parents.setdefault(int(fields[1]), []).append(int(folder.name))
    return parents


def _alive(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return fields[0] not in "ZX"
