"""Start and stop a vLLM server: the embedded one and the user's own go the same way.

A server is started under `supervisor.py`, which owns its process tree; this module writes the state
file, waits until the server answers, and ends it. It builds no environment and makes no model
(`environment`, `model`), and knows nothing of command lines (`command`).

At most one server that this package started runs per runtime folder; a lock file serialises starts,
so a second start waits for the first and finds its server.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from jupyterlab_tir import paths
from jupyterlab_tir.errors import ServeError
from jupyterlab_tir.serving import log
from jupyterlab_tir.serving.locking import exclusive
from jupyterlab_tir.serving.readiness import wait_until_ready
from jupyterlab_tir.serving.state import (
    ServerKind,
    ServerState,
    is_alive,
    process_start,
    read_state,
    remove_state,
    write_state,
)
from jupyterlab_tir.serving.supervisor import descendants

if TYPE_CHECKING:
    from jupyterlab_tir.serving.locking import Progress

HOST = "127.0.0.1"
DEFAULT_PORT = 8765
DEFAULT_WAIT_S = 600.0
GRACE_S = 8.0
"""Time that a server gets to end in order before what is left of it is killed."""
STOP_LIMIT_S = GRACE_S + 12.0
POLL_S = 0.1


class LaunchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to start.

    Attributes
    ----------
    kind
        `embedded` or `vllm`.
    python
        Interpreter whose vLLM is launched.
    model
        Folder or name given to vLLM.
    served_model_name
        Name that requests will give; None leaves it to vLLM.
    arguments
        Further arguments for vLLM's API server; must not name host or port.
    environment
        The server's whole environment.
    port
        Port that the user named; None takes 8765 or, where that is taken, a free one.
    """

    kind: ServerKind
    python: str
    model: str
    environment: Mapping[str, str]
    served_model_name: str | None = None
    arguments: tuple[str, ...] = ()
    port: int | None = None


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a start: the server, and whether it ran before."""

    state: ServerState
    found: bool


async def start_server(
    plan: LaunchPlan,
    *,
    detach: bool,
    wait_s: float = DEFAULT_WAIT_S,
    progress: Progress,
) -> Started:
    """Start the server of `plan` and wait until it answers, or find the one that runs.

    Parameters
    ----------
    plan
        What to start.
    detach
        Whether the server outlives this process; otherwise it ends with it, however that ends.
    wait_s
        Longest time to wait for the server to answer, in seconds.
    progress
        Called with the seconds waited and what the server says it is doing.

    Raises
    ------
    ServeError
        If another server runs already, the port is taken, the server dies while it starts, or it
        does not answer in time; nothing is left running then.
    """
    if sys.platform != "linux":
        raise ServeError(
            f"Servers are started on Linux only (this is {sys.platform}); start vLLM elsewhere and"
            " give its address with --base-url."
        )
    limit = time.monotonic() + wait_s
    async with exclusive(
        paths.runtime_dir() / "server.lock",
        limit=limit,
        busy="Another start is loading the server",
        progress=progress,
    ):
        state = read_state()
        found = state is not None
        if state is None:
            state = _spawn(plan, detach=detach)
        else:
            _refuse_other(state, plan)
        # Until it answers, leaving by any way (an error, a cancellation) leaves nothing running.
        ready = False
        try:
            model = await wait_until_ready(
                state, limit=limit, environment=plan.environment, progress=progress
            )
            ready = True
        finally:
            if not ready and not found:
                await asyncio.shield(stop_server(state))
        if model != state.model:
            state = msgspec.structs.replace(state, model=model)
            write_state(state)
        return Started(state=state, found=found)


async def stop_server(state: ServerState) -> bool:
    """End that very server and its whole tree; return whether it was running.

    Raises
    ------
    ServeError
        If it cannot be ended.
    """
    if not is_alive(state):
        remove_state(state)
        return False
    tree = {pid: process_start(pid) for pid in descendants(state.pid)}
    _signal(state.pid, state.process_start, signal.SIGTERM)
    if not await _gone(state, STOP_LIMIT_S):
        tree |= {pid: process_start(pid) for pid in descendants(state.pid)}
        _signal(state.pid, state.process_start, signal.SIGKILL)
    # The supervisor ends the tree; these are left only if it was itself killed.
    for pid, start in tree.items():
        _signal(pid, start, signal.SIGKILL)
    if not await _gone(state, 5.0):
        raise ServeError(
            f"The server (process {state.pid}) does not end; its log is {state.log_path}."
        )
    remove_state(state)
    return True


async def wait_until_gone(state: ServerState) -> None:
    """Wait until the server ends by whatever cause."""
    while not await _gone(state, 3600.0):
        pass


def choose_port(named: int | None) -> int:
    """Free port on loopback: the named one, else 8765, else one that the system gives.

    Raises
    ------
    ServeError
        If the named port is taken or not allowed.
    """
    for port in (named,) if named is not None else (DEFAULT_PORT, 0):
        with contextlib.closing(socket.socket()) as probe:
            # A server that has just ended leaves connections in TIME_WAIT, which do not matter.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError as error:
                if named is None:
                    continue
                raise ServeError(
                    f"Port {named} on {HOST} cannot be used ({error.strerror}); name another with"
                    " --port or leave it out to take a free one."
                ) from error
            return int(probe.getsockname()[1])
    raise ServeError(f"No free port is left on {HOST}; end other servers first.")


def _refuse_other(state: ServerState, plan: LaunchPlan) -> None:
    same = state.kind == plan.kind and state.model in {plan.model, plan.served_model_name}
    if not same or (plan.port is not None and f":{plan.port}/" not in state.base_url):
        raise ServeError(
            f"A server with {state.model} already runs at {state.base_url}; stop it first with"
            " `tir serve --stop`."
        )


def _spawn(plan: LaunchPlan, *, detach: bool) -> ServerState:
    """Start the supervisor with the server below it, and note its state."""
    port = choose_port(plan.port)
    argv = [plan.python, "-m", "vllm.entrypoints.openai.api_server"]
    argv += ["--model", plan.model, *plan.arguments]
    if plan.served_model_name is not None:
        argv += ["--served-model-name", plan.served_model_name]
    argv += ["--host", HOST, "--port", str(port)]
    log_path = paths.runtime_dir() / f"{plan.kind}-server.log"
    order = {
        "argv": argv,
        "env": dict(plan.environment),
        "starter": None if detach else os.getpid(),
        "grace_s": GRACE_S,
    }
    pid = _spawn_supervisor(msgspec.json.encode(order), plan.environment, log_path)
    start = process_start(pid)
    if start is None:
        cause = log.last_error(log.read_tail(log_path))
        raise ServeError(f"The server could not be started: {cause} (log: {log_path}).")
    state = ServerState(
        base_url=f"http://{HOST}:{port}/v1",
        model=plan.served_model_name or plan.model,
        pid=pid,
        process_start=start,
        log_path=str(log_path),
        detached=detach,
        kind=plan.kind,
        started_at=time.time(),
    )
    write_state(state)
    return state


def _spawn_supervisor(order: bytes, environment: Mapping[str, str], log_path: Path) -> int:
    """Start supervisor.py in a session of its own, hand it `order`, return its process number.

    posix_spawn rather than subprocess: a detached server has no owner here, and an object that
    stands for it would complain when it is collected.
    """
    log_path.unlink(missing_ok=True)
    output = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    order_out, order_in = os.pipe()
    try:
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-E", "-s", str(Path(__file__).with_name("supervisor.py"))],
            dict(environment),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, order_out, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, output, 2),
            ],
            setsid=True,
        )
        with os.fdopen(os.dup(order_in), "wb") as pipe:
            pipe.write(order)
    finally:
        for descriptor in (output, order_out, order_in):
            os.close(descriptor)
    return pid


def _signal(pid: int, start: str | None, number: signal.Signals) -> None:
    """Send a signal to that very process, if it is still there."""
    if start is not None and process_start(pid) == start:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


async def _gone(state: ServerState, limit_s: float) -> bool:
    """Wait until the server's supervisor has ended; False if it has not within `limit_s`."""
    limit = time.monotonic() + limit_s
    while is_alive(state):
        if time.monotonic() > limit:
            return False
        await asyncio.sleep(POLL_S)
    _reap(state.pid)
    return True


def _reap(pid: int) -> None:
    """Take the end of an ended supervisor, if it was a child of this process."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
