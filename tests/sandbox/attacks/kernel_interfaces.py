"""Interfaces of the operating system that mathematics has no use for."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

from .attack import EVERYWHERE, Attack, attack
from .network import new_anonymous
from .outcome import Outcome

_DOMAIN: Final = Path("/proc/sys/kernel/domainname")
# Of the engine's own IPC namespace, which `identity.py` enters: the machine's stay as they are.
_KNOB: Final = Path("/proc/sys/kernel/msgmax")
_KNOB_AS_MADE: Final = "8192"
_KNOB_CHANGED: Final = "8191"
_SYSTEM_V_KEYS: Final = {0x7E57, 0x7E58}
_IPC_RMID: Final = 0
_DEVICES: Final = (
    "/dev/kmsg",
    "/dev/net/tun",
    "/dev/fuse",
    "/dev/ptmx",
    "/dev/pts/",
    "/dev/mem",
    "/dev/loop",
    "/dev/kvm",
    "/dev/vda",
    "/dev/sda",
    "/dev/nvme",
    "/dev/btrfs",
    "/dev/cuse",
    "/dev/vhost",
    "/dev/uinput",
    "/dev/rtc",
    "/dev/hpet",
    "/dev/tty",
    "/dev/mapper",
    "/dev/vfio",
    "/dev/port",
)


def _message_queue(outcome: Outcome) -> list[str]:
    libc = ctypes.CDLL(None)
    return ["made a message queue"] * (libc.mq_unlink(f"/{outcome.token}".encode()) == 0)


def _keys(outcome: Outcome) -> list[str]:
    try:
        keys = Path("/proc/keys").read_text(encoding="utf-8")
    except OSError:
        return []
    return ["left a key with the operating system"] * (outcome.token in keys)


def _domain(outcome: Outcome) -> list[str]:
    changed = outcome.token[:20] in _DOMAIN.read_text(encoding="ascii")
    if changed:
        ctypes.CDLL(None).setdomainname(b"(none)", 6)
    return ["changed the machine's name"] * changed


def _knob(outcome: Outcome) -> list[str]:  # noqa: ARG001 - a check has an outcome
    changed = _KNOB.read_text(encoding="ascii").strip() == _KNOB_CHANGED
    if changed:
        _KNOB.write_text(_KNOB_AS_MADE, encoding="ascii")
    return ["changed a setting of the machine"] * changed


def _groups(outcome: Outcome) -> list[str]:
    made = [p for p in Path("/sys/fs/cgroup").glob(f"**/{outcome.token}*") if p.is_dir()]
    for path in made:
        path.rmdir()
    return ["made a control group"] * bool(made)


def _devices(outcome: Outcome) -> list[str]:
    return sorted(
        {f"opened {link}" for link in outcome.new_descriptors if link.startswith(_DEVICES)}
    )


def _system_v(outcome: Outcome) -> list[str]:
    found = []
    for kind in ("shm", "sem", "msg"):
        lines = Path(f"/proc/sysvipc/{kind}").read_text(encoding="ascii").splitlines()[1:]
        for key, identifier in (line.split()[:2] for line in lines):
            if int(key) in _SYSTEM_V_KEYS:
                found.append(f"left System V {kind}")
                _remove_system_v(kind, int(identifier))
    return found + ["attached shared memory"] * ("attached shared memory" in outcome.output)


def _remove_system_v(kind: str, identifier: int) -> None:
    libc = ctypes.CDLL(None)
    if kind == "sem":
        libc.semctl(identifier, 0, _IPC_RMID)
    else:
        getattr(libc, f"{kind}ctl")(identifier, _IPC_RMID, None)


_CALLS: Final = """
def every(number, *arguments):
    attempt(f"{number}", lambda: kept.append(raw(number, *arguments)))
    attempt(f"{number} machine code", lambda: kept.append(native(number, *arguments)))
    attempt(f"{number} x32", lambda: x32(number, *arguments))
"""

ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        82,
        "bpf, perf, userfaultfd",
        _CALLS
        + """
import struct
every(321, 0, struct.pack("IIIIIIQ", 1, 4, 4, 1, 0, 0, 0) + bytes(80), 72)
every(321, 5, struct.pack("IIQQIIQ", 1, 2, 0, 0, 0, 0, 0) + bytes(80), 72)
for kind, config in ((1, 0), (1, 9), (0, 0), (2, 0)):
    event = struct.pack("IIQQQQQ", kind, 128, config, 0, 0, 0, 0b1100011) + bytes(80)
    event = ctypes.create_string_buffer(event)
    every(298, event, 0, -1, -1, 0)
    every(298, event, T.victim, -1, -1, 0)
every(323, 1)
every(323, 0)
attempt("/dev/userfaultfd", lambda: kept.append(os.open("/dev/userfaultfd", os.O_RDWR)))
""",
        checks=(new_anonymous("bpf", "perf_event", "userfaultfd"),),
    ),
    attack(
        161,
        "memory files, watches, other anonymous descriptors",
        _CALLS
        + """
every(319, "name", 0)
every(447, 0)
every(294, 0)
every(253)
every(300, 0, 0)
every(317, 1, 8, bytes(16))
every(434, T.victim, 0)
every(434, os.getpid(), 0)
every(430, "tmpfs", 0)
every(428, AT_FDCWD, "/", 1)
""",
        checks=(
            new_anonymous(
                "memfd", "secretmem", "inotify", "fanotify", "seccomp", "pidfd", "[fscontext]"
            ),
        ),
    ),
    attack(
        162,
        "keys kept by the operating system",
        _CALLS
        + """
for keyring in (-1, -2, -3, -4, -5):
    every(248, "user", f"{T.token}{keyring}", b"x", 1, keyring)
every(250, 0, -3, 1)
every(250, 1, T.token)
every(249, "user", T.token, None, -4)
attempt("int 0x80", lambda: int80(286, "user", T.token, b"x", 1, -4))
""",
        checks=(_keys,),
    ),
    attack(
        163,
        "System V memory, semaphores and queues",
        _CALLS
        + """
every(29, 0x7E57, 1 << 20, 0o1600)
every(64, 0x7E57, 1, 0o1600)
every(68, 0x7E57, 0o1600)
def attach():
    libc.shmat.restype = ctypes.c_long
    if libc.shmat(raw(29, 0, 4096, 0o1600), None, 0) == -1:
        raise OSError(ctypes.get_errno(), "shmat")
    print("attached shared memory")
attempt("attach", attach)
attempt("int 0x80", lambda: int80(117, 23, 0x7E58, 1 << 20, 0o1600))
""",
        checks=(_system_v,),
    ),
    attack(
        164,
        "change the machine's names",
        """
name = T.token[:20]
attempt("setdomainname", lambda: raw(171, name, len(name)))
attempt("machine code", lambda: native(171, name, len(name)))
attempt("/proc", lambda: open("/proc/sys/kernel/domainname", "w").write(name))
attempt("int 0x80", lambda: int80(121, name, len(name)))
""",
        checks=(_domain,),
        real=("root",),
        why="only root may",
    ),
    attack(
        165,
        "change settings of the machine",
        f"""
attempt("sysctl", lambda: open("{_KNOB}", "w").write("{_KNOB_CHANGED}"))
attempt("/proc/1/root", lambda: open("/proc/1/root{_KNOB}", "w").write("{_KNOB_CHANGED}"))
""",
        checks=(_knob,),
        real=("root",),
        why="only root may",
    ),
    attack(
        166,
        "make control groups",
        """
import glob
for folder in ["/sys/fs/cgroup", *glob.glob("/sys/fs/cgroup/*")]:
    attempt(folder, lambda: os.mkdir(f"{folder}/{T.token}"))
""",
        checks=(_groups,),
        real=("root",),
        why="only root may",
    ),
    attack(
        167,
        "open devices",
        """
import glob
for pattern in ("/dev/kmsg", "/dev/net/tun", "/dev/fuse", "/dev/ptmx", "/dev/mem", "/dev/loop*",
    "/dev/kvm", "/dev/[vs]d?", "/dev/nvme*", "/dev/cuse", "/dev/vhost*", "/dev/uinput",
    "/dev/btrfs-control", "/dev/tty", "/dev/mapper/*"):
    for path in glob.glob(pattern) or [pattern]:
        attempt(path, lambda: kept.append(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)))
attempt("pty", lambda: kept.append(os.openpty()))
for name, number in (("null", 0x103), ("kmsg", 0x10b), ("loop", 0x700)):
    attempt(name, lambda: os.mknod("node-" + name, 0o60600 if name == "loop" else 0o20600, number))
attempt("made", lambda: kept.append(os.open("node-kmsg", os.O_RDONLY | os.O_NONBLOCK)))
""",
        checks=(_devices,),
    ),
    attack(
        168,
        "write to a terminal of others, and type for them",
        """
import fcntl
def typed(path):
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    attempt("write", lambda: os.write(descriptor, b"gotcha"))
    attempt("controlling", lambda: fcntl.ioctl(descriptor, 0x540E, 1))
    attempt("TIOCSTI", lambda: fcntl.ioctl(descriptor, 0x5412, b"x"))
    attempt("paste", lambda: fcntl.ioctl(descriptor, 0x541C, b"\\x03" + bytes(8)))
attempt("session", os.setsid)
attempt("terminal", lambda: typed(T.terminal))
attempt("tty", lambda: typed("/dev/tty"))
""",
    ),
    attack(
        169,
        "read the kernel's log and addresses",
        """
buffer = ctypes.create_string_buffer(1 << 16)
for call in (raw, native):
    if attempt("syslog", lambda: call(103, 3, ctypes.addressof(buffer), 1 << 16)):
        print("the log:", buffer.value[:50])
for path in ("/proc/kallsyms", "/proc/modules", "/proc/iomem", "/proc/kcore", "/sys/kernel/notes",
             "/proc/version", "/proc/cpuinfo", "/proc/meminfo", "/proc/mounts", "/proc/net/tcp",
             "/sys/class/net", "/proc/cmdline", "/etc/machine-id",
             "/sys/class/dmi/id/product_uuid"):
    if attempt(path, lambda: open(path, "rb").read(100)) is not None:
        print("the log:", path)
""",
        checks=(lambda o: ["read about the machine"] * ("the log:" in o.output),),
    ),
    attack(
        170,
        "personality, segments, ports, modules, clocks",
        _CALLS
        + """
every(135, 0x0040000)
every(135, 0x0400000)
every(154, 1, bytes(16), 16)
every(172, 3)
every(173, 0, 1, 1)
every(175, b"x", 1, "")
every(313, 0, "", 0)
every(246, 0, 0, None, 0)
every(169, 0, 0, 0, None)
every(305, 0, ctypes.create_string_buffer(208))
every(227, 0, None)
every(212, 0, None, 0)
every(216, 0, 0, 0, 0, 0)
attempt("int 0x80", lambda: int80(136, 0x0040000))
""",
        checks=(
            lambda o: (
                ["changed its personality"]
                * (bool(o.after) and o.before.get("personality") != o.after.get("personality"))
            ),
        ),
    ),
    attack(
        174,
        "vsyscall page and unusual entries",
        """
def at(address):
    return ctypes.CFUNCTYPE(ctypes.c_long)(address)()
attempt("sysenter", lambda: ctypes.CFUNCTYPE(ctypes.c_long)(executable(
    b"\\x53\\x55\\xb8\\x25\\x00\\x00\\x00\\xbb" + T.victim.to_bytes(4, "little")
    + b"\\xb9\\x0c\\x00\\x00\\x00\\x0f\\x34\\x5d\\x5b\\xc3"))())
""",
        real=(),
        why="this processor's kernel has no such entry from 64-bit code",
        contained=EVERYWHERE,
    ),
    attack(
        176,
        "message queues",
        """
attempt("mq_open", lambda: kept.append(raw(240, T.token, 0o102, 0o600, None)))
attempt("machine code", lambda: kept.append(native(240, T.token, 0o102, 0o600, 0)))
attempt("mq_notify", lambda: raw(244, 0, None))
""",
        checks=(_message_queue,),
        real=(),
        why="the limit on message queues keeps everybody from them but a root who may raise it",
    ),
)
