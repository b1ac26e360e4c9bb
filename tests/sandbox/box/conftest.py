"""Boxed processes for the tests: each test runs its code in one, and sees it from outside."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent
_USER = 54_321
_LONGEST_S = 120

LAYERS: dict[str, dict[str, bool]] = {
    "full+ns": {"namespaces": True, "landlock": True, "seccomp": True},
    "full": {"landlock": True, "seccomp": True},
    "nofs": {"seccomp": True, "files": False},
    "seccomp": {"seccomp": True},
    "landlock": {"landlock": True},
    "none": {},
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if sys.platform != "linux":
        for item in items:
            if _HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="the box is Linux's"))


@pytest.fixture(params=["as it is", "unprivileged"])
def identity(request: pytest.FixtureRequest) -> dict[str, int]:
    """As whom the box is entered: as the tests run, and as a user where they run as root."""
    if request.param == "as it is":
        return {}
    if os.geteuid() != 0:
        pytest.skip("the tests run as an ordinary user: that is tested as it is")
    return {"user": _USER}


def on_machine(machine: dict[str, Any], *arguments: str) -> list[str]:
    """Return the command that runs Python so; see `other_machine.py`."""
    command = [sys.executable, "-P", *arguments]
    if not machine:
        return command
    wrapper = [sys.executable, "-P", str(_HERE / "other_machine.py"), json.dumps(machine)]
    return [*wrapper, *command]


@pytest.fixture
def elsewhere() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a Python program as if on another machine; see `other_machine.py`."""

    def run(*arguments: str, **machine: Any) -> subprocess.CompletedProcess[str]:
        command = on_machine(machine, *arguments)
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_LONGEST_S, check=False, cwd="/"
        )

    return run


@pytest.fixture(scope="session")
def boxed_processes() -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Running `boxed_process.py`, by the machine that they run on."""
    running: dict[str, subprocess.Popen[str]] = {}
    yield running
    for process in running.values():
        process.communicate(timeout=60)


@pytest.fixture
def boxed(
    boxed_processes: dict[str, subprocess.Popen[str]], identity: dict[str, int]
) -> Callable[..., dict[str, Any]]:
    """Run code in a box; return what it said and how things look from outside.

    Called with a level, the code, and whatever else `boxed_process.Spec` has.
    """
    machine = json.dumps(identity)
    process = boxed_processes.get(machine)
    if process is None:
        process = boxed_processes[machine] = subprocess.Popen(
            on_machine(identity, str(_HERE / "boxed_process.py")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
        )

    def run(level: str, code: str, **spec: Any) -> dict[str, Any]:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({**LAYERS[level], "code": code, **spec}) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], _LONGEST_S)
        assert ready, "the boxed process did not end"
        line = process.stdout.readline()
        assert line, "the process that boxes others ended: see its stderr"
        found: dict[str, Any] = json.loads(line)
        return found

    return run
