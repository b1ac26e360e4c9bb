"""All that lies around the kernels: what is planted, who listens, who may not be harmed."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jupyterlab_tir.sandbox import ChildKernel, ChildKernels

from .listeners import Listeners
from .planted import Planted, differences, secret
from .victims import Portrait, Victim, alive, harm_between, portrait, started
from .watching import direct_children

API_KEY_VARIABLE: Final = "TIR_ATTACK_API_KEY"
PREFIX_VARIABLE: Final = "TIR_ATTACK_PREFIX_FILE"
TOOLBOX: Final = Path(__file__).with_name("toolbox.py").read_text(encoding="utf-8")
# As a text within the cell, because IPython takes long over a cell of so many lines.
_USE_TOOLBOX: Final = f"exec({TOOLBOX!r})"
_TELL: Final = """
import json, os
print(json.dumps({"pid": os.getpid(), "parent": os.getppid(), "folder": os.getcwd()}))
"""
_HIDE: Final = """
hidden = {secret!r}
try:
    print(open("hidden.txt", "w").write({file_secret!r}))
except OSError:
    pass
"""
_PR_SET_CHILD_SUBREAPER: Final = 36
_NOT_HEARD: Final = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGINT}
_DETACH: Final = 2
_IOPRIO_SET: Final = 251 if os.uname().machine == "x86_64" else 30
_OURS: Final = re.compile(r"/tir-(attacks|kernels)-")
_libc = ctypes.CDLL(None, use_errno=True)


class World:
    """Made once for all attacks of one run; `renew` repairs what an attack broke."""

    def __init__(self, folder: Path) -> None:
        self.planted = Planted(folder)
        self.listeners = Listeners(folder, self.planted.token)
        self.victim = Victim(secret())
        self.signals: list[int] = []
        self._memory = ctypes.create_string_buffer(secret().encode())
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as this process lives
        self._file_secret = secret()
        self._file.write(self._file_secret.encode())
        self._file.flush()
        self.neighbour: ChildKernel | None = None
        self.neighbour_told: dict[str, Any] = {}
        self._neighbour_secrets = {
            "a neighbour's variable": secret(),
            "a neighbour's file": secret(),
        }
        self._portraits: dict[str, tuple[int, str, Portrait]] = {}
        self._neighbour_writes = False
        self._neighbour_names: list[str] = []
        self._photograph = self.planted.photograph()
        self._children: set[int] = set()

    @property
    def secrets(self) -> dict[str, str]:
        """What may not appear in any output, by what it is."""
        return {
            **self.planted.secrets,
            **self._neighbour_secrets,
            "the API key": os.environ[API_KEY_VARIABLE],
            "the engine's memory": self._memory.value.decode(),
            "the engine's open file": self._file_secret,
            "the victim's memory or file": self.victim.secret,
            "a file beside the installed packages": _prefix_secret(),
        }

    async def open(self) -> None:
        """Begin: from here on orphans come to this process, and signals are counted."""
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        for number in signal.valid_signals() - _NOT_HEARD:
            with contextlib.suppress(OSError):
                signal.signal(number, lambda got, _frame: self.signals.append(got))
        await self.listeners.open()

    async def close(self) -> None:
        """End all of it."""
        await self.listeners.close()
        await self.victim.end()
        self.planted.remove_strays()

    async def renew(self, kernels: ChildKernels) -> None:
        """Repair what was harmed, and look at everything that is about to be attacked."""
        self.unmount()
        _stand_up()
        self.planted.remove_strays()
        if differences(self._photograph, self.planted.photograph()):
            self.planted.renew()
        self._photograph = self.planted.photograph()
        await self.victim.start()
        if self.neighbour is None or not self.neighbour.alive:
            await self._start_neighbour(kernels)
        self.listeners.heard.clear()
        self.signals.clear()
        self._portraits.clear()
        self._children = set(direct_children(os.getpid()))

    def guard(self, who: str, pid: int) -> None:
        """Take a portrait that `harm` compares with."""
        self._portraits[who] = (pid, started(pid), portrait(pid))

    def targets(self, warm_pid: int, level: str) -> dict[str, Any]:
        """Return what an attack is told: the strongest attacker knows where everything is."""
        planted = self.planted
        project = Path.cwd()
        return {
            "engine": os.getpid(),
            # Where no file system limits what is written, something looks from time to time.
            "watched_s": 0 if level == "full+ns" else 3,
            "engine_address": ctypes.addressof(self._memory),
            "engine_descriptor": self._file.fileno(),
            "warm": warm_pid,
            "victim": self.victim.pid,
            "victim_address": self.victim.address,
            "victim_descriptor": self.victim.descriptor,
            "neighbour": self.neighbour_told["pid"],
            "neighbour_folder": self.neighbour_told["folder"],
            "neighbour_sockets": _sockets_in(Path(self.neighbour_told["folder"]).parent),
            "tcp": self.listeners.tcp,
            "tcp6": self.listeners.tcp6,
            "udp": self.listeners.udp,
            "stream_path": self.listeners.stream_path,
            "datagram_path": self.listeners.datagram_path,
            "abstract": self.listeners.abstract,
            "terminal": self.listeners.terminal,
            "home": str(planted.home),
            "key_file": str(planted.key_file),
            "notes": str(planted.notes),
            "link": str(planted.link),
            "library": str(planted.library),
            "probes": planted.probe_names,
            "token": planted.token,
            "project": str(project),
            "prefix_file": os.environ.get(PREFIX_VARIABLE, ""),
            "dead": _dead_pid(),
            "uid": os.getuid(),
            "known": {
                name: text[: len("planted-") + 4]
                for name, text in {
                    **self._neighbour_secrets,
                    "engine": self._memory.value.decode(),
                }.items()
            },
        }

    async def harm(self) -> list[str]:
        """Return what happened to anybody but the kernel itself since `renew`."""
        found = []
        for who, (pid, start, before) in self._portraits.items():
            now = portrait(pid) if started(pid) == start else {}
            found += harm_between(who, before, now)
            if now.get("stopped") == "True":
                os.kill(pid, signal.SIGCONT)  # or it could not be asked
        found += await self.victim.harm() + await self._neighbours_harm()
        # By now the event loop has turned often enough to have seen what arrived before.
        found += dict.fromkeys(self.listeners.heard)
        found += [f"the engine was sent signal {number}" for number in self.signals]
        self.signals.clear()
        return found

    def lasting_harm(self) -> list[str]:
        """Return what is left when the kernel is gone."""
        found = differences(self._photograph, self.planted.photograph())
        found += [f"{path} was made" for path in self.planted.strays()]
        return found

    def outliving(self, kernel_pid: int, warm_pid: int) -> list[int]:
        """Return processes that a kernel left behind.

        Orphans come to this process. While the warm process lives there is no reason for another,
        so whatever is new is an orphan.
        """
        if warm_pid != os.getpid() and not alive(warm_pid):
            return []
        known = self._children | {kernel_pid, self.victim.pid}
        return [pid for pid in direct_children(os.getpid()) if pid not in known and alive(pid)]

    async def _start_neighbour(self, kernels: ChildKernels) -> None:
        self.neighbour = await kernels.start()
        self.neighbour_told = tell(await self.neighbour.run(_TELL, timeout_s=60))
        hide = _HIDE.format(
            secret=self._neighbour_secrets["a neighbour's variable"],
            file_secret=self._neighbour_secrets["a neighbour's file"],
        )
        hid = await self.neighbour.run(hide, timeout_s=60)
        self._neighbour_writes = bool(hid.stdout)
        self._neighbour_names = _sockets_in(Path(self.neighbour_told["folder"]).parent)
        key = await self.neighbour.run(
            f"{_USE_TOOLBOX}\nprint('key', Forger().key.decode())", timeout_s=60
        )
        if "key " not in key.stdout:
            raise ValueError(f"the neighbour's key could not be found: {key.error_message}")
        self._neighbour_secrets["a neighbour's key"] = key.stdout.rpartition("key ")[2].strip()

    async def _neighbours_harm(self) -> list[str]:
        assert self.neighbour is not None
        answer = await self.neighbour.run("hidden", timeout_s=20)
        expected = repr(self._neighbour_secrets["a neighbour's variable"])
        if answer.value != expected:
            await self.neighbour.close()
            return [f"a neighbour was harmed: {answer.status} {answer.error_message}"]
        harm = []
        if self._neighbour_writes:
            file = await self.neighbour.run("open('hidden.txt').read()")
            if file.value != repr(self._neighbour_secrets["a neighbour's file"]):
                harm.append("a neighbour's file was changed or removed")
        if _sockets_in(Path(self.neighbour_told["folder"]).parent) != self._neighbour_names:
            harm.append("a neighbour's sockets were removed")
        if harm:
            await self.neighbour.close()
            return harm
        return []

    def unmount(self) -> None:
        """Undo what an attack mounted, before anything is removed by its path."""
        for _ in range(100):
            lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
            mounted = [line.split()[4] for line in lines if _OURS.search(line.split()[4])]
            if not mounted:
                return
            _libc.umount2(mounted[-1].encode(), _DETACH)
        raise OSError(f"{mounted[-1]} cannot be unmounted")


def _stand_up() -> None:
    """Undo what an attack did to this process's scheduling, as far as its user may."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        Path("/proc/self/oom_score_adj").write_text("0", encoding="ascii")
        Path("/proc/self/autogroup").write_text("0", encoding="ascii")
        _libc.syscall(_IOPRIO_SET, 1, 0, 0)


def tell(result: Any) -> dict[str, Any]:
    """Return what a kernel said about itself.

    Raises
    ------
    ValueError
        Where it said nothing of the kind.
    """
    for line in reversed(result.stdout.splitlines()):
        if line.startswith("{"):
            told: dict[str, Any] = json.loads(line)
            return told
    raise ValueError(f"the kernel did not tell about itself: {result}")


def first_cell(targets: Mapping[str, Any]) -> str:
    """Return the toolbox, the targets as `T`, and the telling."""
    told = f"from types import SimpleNamespace\nT = SimpleNamespace(**{targets!r})"
    return f"{_USE_TOOLBOX}\n{told}\n{_TELL}"


def _prefix_secret() -> str:
    with contextlib.suppress(OSError, KeyError):
        return Path(os.environ[PREFIX_VARIABLE]).read_text(encoding="ascii")
    return secret()


def _sockets_in(folder: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted(entry.path for entry in os.scandir(folder) if not entry.is_file())
    return []


def _dead_pid() -> int:
    """Return the number of no process."""
    return next(pid for pid in range(30_000, 4, -7) if not Path(f"/proc/{pid}").exists())
