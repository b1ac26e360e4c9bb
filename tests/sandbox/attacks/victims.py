"""The processes that may not be harmed, and portraits of them that show every known harm."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import sys
from pathlib import Path

Portrait = dict[str, str]

_IOPRIO_GET = 252 if os.uname().machine == "x86_64" else 31
_NAMESPACES = ("user", "mnt", "net", "ipc", "uts", "pid", "cgroup")
_STATUS = [
    "TracerPid",
    "Uid",
    "Gid",
    "Groups",
    "CapInh",
    "CapPrm",
    "CapEff",
    "CapAmb",
    "NoNewPrivs",
    "Seccomp",
    "SigPnd",
    "ShdPnd",
    "Cpus_allowed",
]
_ITS_OWN = {"queued", "locked", "threads"}  # of the user, or of its own making
_libc = ctypes.CDLL(None, use_errno=True)


class Victim:
    """A process of the same user that hears signals and holds secrets in memory and in a file."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.pid = 0
        self.address = 0
        self.descriptor = 0
        self.signals: list[int] = []
        self._memory: asyncio.Queue[str] = asyncio.Queue()
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start it where it does not live."""
        if self._process is not None and self._process.returncode is None:
            return
        await self.end()
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(Path(__file__).with_name("victim.py"))),
            stdin=pipe,
            stdout=pipe,
        )
        self._write(f"{self.secret}\n")
        assert self._process.stdout is not None
        told = json.loads(await self._process.stdout.readline())
        self.pid, self.address, self.descriptor = (
            told["pid"],
            told["address"],
            told["descriptor"],
        )
        self.signals.clear()
        self._listening = asyncio.create_task(self._listen(self._process.stdout))

    async def harm(self) -> list[str]:
        """Say what happened to it that a portrait does not show."""
        if not alive(self.pid):
            return ["the victim was killed"]
        said: list[str] = []
        self._write("?\n")
        try:
            memory = bytes.fromhex(await asyncio.wait_for(self._memory.get(), 10))
        except TimeoutError:
            return [*said, "the victim does not answer"]
        # It answers after it has told of the signals that came before.
        said += [f"the victim was sent signal {number}" for number in self.signals]
        self.signals.clear()
        if memory.rstrip(b"\0") != self.secret.encode():
            said.append("the victim's memory was written to")
            await self.end()
        return said

    async def end(self) -> None:
        """Kill and reap it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            self._process = None
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
            self._listening = None

    def _write(self, text: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())

    async def _listen(self, stdout: asyncio.StreamReader) -> None:
        async for line in stdout:
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if "memory" in told:
                    self._memory.put_nowait(told["memory"])
                else:
                    self.signals.append(told["signal"])


def alive(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def started(pid: int) -> str:
    """Return when a process started, to know it from a later one with its number."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def status_of(pid: int | str) -> dict[str, str]:
    """Return the fields of /proc/PID/status; empty where the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return dict(
        line.replace("\t", " ").split(": ", 1) for line in lines if ": " in line or ":\t" in line
    )


def portrait(pid: int) -> Portrait:
    """Return what another process could have changed about `pid`."""
    status = status_of(pid)
    if not status:
        return {}
    seen = {name: status.get(name, "").strip() for name in _STATUS}
    for name in ("SigPnd", "ShdPnd"):
        # The end of a child is told to its parent, and may be on its way.
        seen[name] = hex(int(seen[name] or "0", 16) & ~(1 << (signal.SIGCHLD - 1)))
    seen["queued"] = status.get("SigQ", "").strip()
    seen["threads"] = status.get("Threads", "0").strip()
    seen["locked"] = status.get("VmLck", "0 kB").strip()
    seen["stopped"] = str(status.get("State", "").startswith(("T", "t")))
    for name in ("limits", "oom_score_adj", "personality", "mountinfo", "coredump_filter",
                 "autogroup"):  # fmt: skip
        with contextlib.suppress(OSError):
            seen[name] = Path(f"/proc/{pid}/{name}").read_text()
    for name in (*(f"ns/{kind}" for kind in _NAMESPACES), "root", "exe"):
        with contextlib.suppress(OSError):
            seen[name] = os.readlink(f"/proc/{pid}/{name}")  # noqa: PTH115 - not always a path
    with contextlib.suppress(OSError):
        seen["nice"] = str(os.getpriority(os.PRIO_PROCESS, pid))
        seen["scheduler"] = str(os.sched_getscheduler(pid))
    seen["ioprio"] = str(_libc.syscall(_IOPRIO_GET, 1, pid))
    return seen


def harm_between(who: str, before: Portrait, after: Portrait) -> list[str]:
    """Say in words how a process differs from its earlier portrait."""
    if before and not after:
        return [f"{who} was ended"]
    return [
        f"{name} of {who} was changed"
        for name in before.keys() - _ITS_OWN
        if before[name] != after.get(name) and (name in after or name == "exe")
    ]
