"""The note that a running server leaves, so that every face finds it.

Only reads and writes one small file in the runtime folder and looks into `/proc`; starts, stops and
asks no server. Importing it is cheap, because discovery happens on every start of every face.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from jupyterlab_tir import paths

STATE_VERSION = 1
"""Version of the file's format; a file of another version is treated as stale."""

ServerKind = Literal["embedded", "vllm"]
"""`embedded`: our CPU server with its own model; `vllm`: the user's own vLLM and model."""


class ServerState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server that this package started.

    Attributes
    ----------
    version
        Version of this format.
    base_url
        Address for OpenAI clients, such as ``http://127.0.0.1:8765/v1``.
    model
        Name that requests must give.
    pid
        Process that owns the server's whole tree (our supervisor).
    process_start
        What tells this process from a later one with the same number, see `process_start`.
    log_path
        File with everything that the server printed.
    detached
        Whether the server outlives the process that started it.
    kind
        `embedded` or `vllm`.
    started_at
        When it was started, in seconds since the epoch.
    """

    version: int = STATE_VERSION
    base_url: str
    model: str
    pid: int
    process_start: str
    log_path: str
    detached: bool
    kind: ServerKind
    started_at: float


def state_path() -> Path:
    """File that holds the state of the running server."""
    return paths.runtime_dir() / "server.json"


def process_start(pid: int) -> str | None:
    """When the process `pid` started, as boot id and clock ticks since boot.

    Returns
    -------
    str or None
        None if no such process lives (a zombie does not), or where there is no `/proc`.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (FileNotFoundError, ProcessLookupError, NotADirectoryError):
        return None
    # The second field is the program's name in parentheses and may itself hold blanks and ")".
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else f"{boot}:{fields[19]}"


def is_alive(state: ServerState) -> bool:
    """Whether the very process of `state` still runs (not another one that got its number)."""
    return process_start(state.pid) == state.process_start


def read_state() -> ServerState | None:
    """State of the running server, which may still be loading.

    A file that is unreadable, of another version or left behind by a dead process is removed.

    Returns
    -------
    ServerState or None
        None if no server started by this package runs.
    """
    path = state_path()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        state = msgspec.json.decode(data, type=ServerState)
    except (msgspec.DecodeError, UnicodeDecodeError):
        state = None
    if state is not None and state.version == STATE_VERSION and is_alive(state):
        return state
    _remove_if_unchanged(path, data)
    return None


def write_state(state: ServerState) -> None:
    """Write `state` so that a reader sees the old file or the new one, never a part (mode 0600)."""
    path = state_path()
    handle, temporary = tempfile.mkstemp(prefix="server-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(state)))
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def remove_state(state: ServerState) -> None:
    """Remove the file if it still speaks of the process of `state`."""
    path = state_path()
    try:
        data = path.read_bytes()
        found = msgspec.json.decode(data, type=ServerState)
    except (FileNotFoundError, msgspec.DecodeError):
        return
    if (found.pid, found.process_start) == (state.pid, state.process_start):
        _remove_if_unchanged(path, data)


def _remove_if_unchanged(path: Path, data: bytes) -> None:
    """Remove `path` unless another start has just replaced it."""
    try:
        if path.read_bytes() == data:
            path.unlink()
    except FileNotFoundError:
        return
