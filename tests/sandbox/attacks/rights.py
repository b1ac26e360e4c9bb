"""Gaining rights: mounts, namespaces, capabilities, limits, other users."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .attack import BOXED, EVERYWHERE, Attack, attack
from .outcome import Outcome
from .victims import Portrait, status_of

_CALLS: Final = """
def every(number, *arguments):
    attempt(f"{number}", lambda: kept.append(raw(number, *arguments)))
    attempt(f"{number} machine code", lambda: kept.append(native(number, *arguments)))
    attempt(f"{number} x32", lambda: x32(number, *arguments))
"""


def _unfiltered_threads(outcome: Outcome) -> list[str]:
    found = []
    for task in Path(f"/proc/{outcome.pid}/task").iterdir():
        status = status_of(f"{outcome.pid}/task/{task.name}")
        if status.get("Seccomp", "").strip() != "2" or status["NoNewPrivs"].strip() != "1":
            found.append(f"thread {status.get('Name')} has no filter")
    return found


def _weaker(outcome: Outcome) -> list[str]:
    """Rights that the process has and did not have."""
    found = []
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        before, after = outcome.before.get(name, "0"), outcome.after.get(name, "0")
        found += [f"gained {name}"] * bool(int(after, 16) & ~int(before, 16))
    for name in ("NoNewPrivs", "Seccomp"):
        if outcome.after and int(outcome.after[name]) < int(outcome.before[name]):
            found.append(f"loosened {name}")
    return found


def _has_capabilities(outcome: Outcome) -> list[str]:
    held = [n for n in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(outcome.before[n], 16)]
    return [f"has {name}" for name in held]


def _unguarded(outcome: Outcome) -> list[str]:
    return ["can gain rights by programs"] * (outcome.before["NoNewPrivs"] != "1")


def _limits(portrait: Portrait) -> dict[str, tuple[float, float]]:
    limits = {}
    for line in portrait.get("limits", "").splitlines()[1:]:
        soft, hard = (
            float("inf") if word == "unlimited" else float(word) for word in line[26:].split()[:2]
        )
        limits[line[:26].strip()] = (soft, hard)
    return limits


def _raised(outcome: Outcome) -> list[str]:
    before, after = _limits(outcome.before), _limits(outcome.after)
    return [f"raised its {n}" for n in after if after[n][1] > before[n][1]]


ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        79,
        "mount",
        _CALLS
        + """
os.makedirs("m", exist_ok=True)
here = os.getcwd()
for target in (T.home, here + "/m"):
    attempt("tmpfs", lambda: raw(165, "none", target, "tmpfs", 0, None))
    attempt("bind", lambda: raw(165, T.library, target, None, 0x1000, None))
    attempt("proc", lambda: raw(165, "none", target, "proc", 0, None))
    attempt("machine code", lambda: native(165, "none", target, "tmpfs", 0, 0))
attempt("fsopen", lambda: raw(430, "tmpfs", 0))
attempt("open_tree", lambda: raw(429, raw(428, AT_FDCWD, "/", 1), "", AT_FDCWD, T.home, 4))
attempt("umount", lambda: raw(166, T.home, 2))
attempt("umount own", lambda: raw(166, here, 2))
attempt("remount", lambda: raw(165, "none", here, None, 32, None))
attempt("mount_setattr", lambda: raw(442, AT_FDCWD, here, 0, bytes(32), 32))
attempt("int 0x80", lambda: int80(21, "none", T.home, "tmpfs", 0, 0))
""",
        real=("root",),
        why="only root may mount",
    ),
    attack(
        80,
        "change the root folder",
        """
os.makedirs("r/old", exist_ok=True)
attempt("chroot", lambda: os.chroot("r"))
attempt("by number", lambda: raw(161, "r"))
attempt("machine code", lambda: native(161, "r"))
attempt("pivot_root", lambda: raw(155, "r", "r/old"))
attempt("int 0x80", lambda: int80(61, "r"))
""",
        real=("root",),
        why="only root may change it",
    ),
    attack(
        81,
        "enter namespaces to gain rights",
        """
KINDS = {"user": 0x10000000, "mnt": 0x20000, "net": 0x40000000, "ipc": 0x8000000, "uts": 0x4000000,
    "cgroup": 0x2000000, "time": 0x80}
import threading
def unshare_in_thread():
    thread = threading.Thread(target=lambda: attempt("thread", lambda: raw(272, 0x20000)))
    thread.start()
    thread.join()
for pid in (T.engine, T.victim, T.warm, T.neighbour, 1):
    for kind, flag in KINDS.items():
        space = f"/proc/{pid}/ns/{kind}"
        attempt(f"setns {kind}", lambda: raw(308, os.open(space, os.O_RDONLY), flag))
    attempt("setns pidfd", lambda: raw(308, raw(434, pid, 0), 0x10000000))
for kind, flag in KINDS.items():
    attempt(f"unshare {kind}", lambda: raw(272, flag))
    attempt(f"unshare {kind} machine code", lambda: native(272, flag))
attempt("both", lambda: raw(272, 0x10020000))
attempt("thread", unshare_in_thread)
attempt("int 0x80", lambda: int80(310, 0x20000))
""",
        real=("root",),
        why="a process with threads may not enter a user namespace, nor a user any other",
    ),
    attack(
        160,
        "start a process in namespaces of its own",
        """
import struct
def child(pid):
    if pid == 0:
        time.sleep(1)
        os._exit(0)
    return pid
for flag in (0x10000000, 0x10020000, 0x50000000, 0x20000000 | 0x10000000):
    attempt("clone", lambda: child(raw(56, flag | 17, None, None, None, None)))
    wanted = struct.pack("QQQQQQQQ", flag, 0, 0, 0, 17, 0, 0, 0)
    attempt("clone3", lambda: child(raw(435, wanted, 64)))
time.sleep(0.2)
""",
    ),
    attack(
        171,
        "undo no_new_privs and filters",
        """
import struct
for option, *arguments in ((38, 0), (22, 0), (22, 2, 0), (28, 0), (36, 1), (8, 1), (26, 1), (33, 1),
                           (35, 1, 4096), (47, 2, 21), (52, 0, 1), (0x59616d61, -1), (4, 1)):
    attempt(f"prctl {option}", lambda: raw(157, option, *(arguments + [0] * 4)[:4]))
    attempt(f"machine code", lambda: native(157, option, *(arguments + [0] * 4)[:4]))
allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
program = struct.pack("HxxxxxxP", 1, ctypes.addressof(allow))
for flags in (0, 1, 8, 16):
    attempt(f"seccomp {flags}", lambda: kept.append(raw(317, 1, flags, program)))
for capabilities in ((0xffffffff, 0xffffffff, 0) * 2, (1 << 21, 1 << 21, 0) * 2):
    wanted = struct.pack("6I", *capabilities)
    attempt("capset", lambda: raw(126, (0x20080522).to_bytes(8, "little"), wanted))
""",
        contained=EVERYWHERE,
        checks=(_weaker,),
        real=(),
        why="the operating system lets nobody undo them",
    ),
    attack(
        172,
        "has root's capabilities",
        "1",
        checks=(_has_capabilities,),
        real=("root",),
        why="a user has none",
    ),
    attack(173, "may gain rights by programs that have them", "1", checks=(_unguarded,)),
    attack(
        83,
        "raise its own limits",
        """
import resource, struct
for n in range(16):
    for value in (resource.RLIM_INFINITY, 1 << 40):
        attempt(f"{n}", lambda: resource.setrlimit(n, (value, value)))
        attempt(f"{n} soft", lambda: resource.setrlimit(n, (value, resource.getrlimit(n)[1])))
    unlimited = struct.pack("QQ", 2**64 - 1, 2**64 - 1)
    attempt("number", lambda: raw(160, n, unlimited))
    attempt("self", lambda: raw(302, os.getpid(), n, unlimited, None))
    attempt("machine code", lambda: native(302, 0, n, unlimited, 0))
attempt("int 0x80", lambda: int80(75, 9, bytes([255]) * 8))
""",
        checks=(_raised,),
        real=(),
        why="only a root with CAP_SYS_RESOURCE can, and the root of a container has it not",
    ),
    attack(
        85,
        "become another user",
        """
for uid in (0, 1, 65534):
    for name, call in {
        "setuid": lambda: raw(105, uid),
        "setresuid": lambda: raw(117, uid, uid, uid),
        "setreuid": lambda: raw(113, uid, uid),
        "setfsuid": lambda: raw(122, uid),
        "setgid": lambda: raw(106, uid),
        "setresgid": lambda: raw(119, uid, uid, uid),
        "setgroups": lambda: raw(116, 1, uid.to_bytes(4, "little")),
        "machine code": lambda: native(105, uid),
        "su": lambda: os.execv("/bin/su", ["su", "-c", "sleep 1"]) if uid == 1 and T.uid else None,
    }.items():
        attempt(f"{name} {uid}", call)
attempt("int 0x80", lambda: int80(213, 1))
""",
        contained=BOXED,
        timeout_s=3,
        real=("root",),
        why="a user has no other to become",
    ),
    attack(
        175,
        "has threads outside the filter",
        "1",
        checks=(_unfiltered_threads,),
    ),
)
