"""What an attack came to, as seen from outside."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from jupyterlab_tir.sandbox import CellResult

from .victims import Portrait
from .watching import Peaks

OUTPUT_CHARS = 2_000
MEMORY_BYTES = 512 * 1024**2
WRITE_BYTES = 64 * 1024**2
_MARKER_CHARS = 200
_SLACK_S = 25.0
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Outcome(msgspec.Struct, kw_only=True):
    """Everything that checks may look at; descriptors and portraits are the kernel's own.

    Attributes
    ----------
    level, root
        At which level, and whether as root.
    others
        The engine, the warm process, a neighbour.
    pid, warm_pid, folder
        The kernel's process, its parent, and the folder it works in.
    results
        Of the attack's cells.
    peaks
        What it had at most while they ran.
    resident_before
        Bytes of memory before the first of them.
    descriptors_before, descriptors_after
        What its descriptors led to.
    before, after
        Its portraits; `after` is empty where it ended.
    told
        What the first cell said about itself.
    alive
        Whether its process lived after the last cell.
    """

    level: str
    root: bool
    others: list[int]
    pid: int
    warm_pid: int
    folder: Path
    token: str
    timeout_s: float
    results: list[CellResult]
    peaks: Peaks
    resident_before: int
    descriptors_before: dict[int, str]
    descriptors_after: dict[int, str]
    before: Portrait
    after: Portrait
    alive: bool
    told: dict[str, Any]
    seconds: list[float]
    disk_now: tuple[int, int]

    @property
    def output(self) -> str:
        """All that the engine would pass on."""
        return "\n".join(said(result) for result in self.results)

    @property
    def new_descriptors(self) -> list[str]:
        """What descriptors lead to that was not there before."""
        old = set(self.descriptors_before.values())
        return [link for link in self.descriptors_after.values() if link not in old]


def said(result: CellResult) -> str:
    """Return every text of a result."""
    return "\n".join(_texts(result))


def _texts(result: CellResult) -> list[str]:
    texts = (
        result.stdout,
        result.stderr,
        result.value,
        result.error_name,
        result.error_message,
        result.traceback,
        result.hint,
    )
    return [text for text in texts if text]


def harm_in(outcome: Outcome, secrets: dict[str, str]) -> list[str]:
    """Return the harm that is looked for after every attack, whatever it was after."""
    found = [f"handed out: {name}" for name, text in secrets.items() if text in outcome.output]
    found += [f"started {what}" for what in outcome.peaks.started.values()]
    longest = 2 * OUTPUT_CHARS + _MARKER_CHARS
    for result, seconds in zip(outcome.results, outcome.seconds, strict=True):
        if seconds > outcome.timeout_s + _SLACK_S:
            found.append(f"held the engine for {seconds:.0f} s")
        if _CONTROL.search(said(result)):
            found.append("control characters in the output")
        if max(map(len, _texts(result)), default=0) > longest:
            found.append("more output than is kept")
    for name in ("ns/user", "ns/mnt", "ns/net", "ns/pid", "ns/ipc", "ns/uts", "root", "Uid", "Gid",
                 "mountinfo", "personality"):  # fmt: skip
        if name in outcome.after and outcome.before.get(name) != outcome.after[name]:
            found.append(f"its own {name} was changed")
    return found


def engine_harm(rss_before: int, growth_bytes: int) -> list[str]:
    """Say whether the engine grew by more than that."""
    grown = engine_peak() - rss_before
    return [f"the engine's memory grew by {grown >> 20} MB"] if grown > growth_bytes else []


def engine_peak() -> int:
    """Return the most memory that this process had since `new_engine_peak`, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ValueError("the system does not tell how much memory this process had")


def new_engine_peak() -> int:
    """Forget the most memory that this process had; return what it has."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return engine_peak()
