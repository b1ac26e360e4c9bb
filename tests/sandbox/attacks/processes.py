"""Hurting, steering and seeing other processes."""

from __future__ import annotations

import os
from typing import Final

from .attack import NAMESPACES, Attack, attack
from .launch import USER_ID
from .outcome import Outcome

# These hit all processes of a user: not where that is somebody who works here.
_HARMS_OTHERS: Final = () if os.getuid() in {0, USER_ID} else ("none", "partial")


def _saw_processes(outcome: Outcome) -> list[str]:
    return ["saw other processes"] * ("saw the engine" in outcome.output)


_SIGNAL: Final = """
import signal
def send(pid, number):
    info = number.to_bytes(8, "little") + (-1 & 0xffffffff).to_bytes(4, "little") + bytes(116)
    for name, call in {
        "kill": lambda: os.kill(pid, number),
        "kill by number": lambda: raw(62, pid, number),
        "tgkill": lambda: raw(234, pid, pid, number),
        "tkill": lambda: raw(200, pid, number),
        "rt_sigqueueinfo": lambda: raw(129, pid, number, info),
        "rt_tgsigqueueinfo": lambda: raw(297, pid, pid, number, info),
        "pidfd": lambda: raw(424, raw(434, pid, 0), number, None, 0),
        "pidfd of a thread": lambda: raw(424, raw(434, pid, 0x80), number, None, 0),
        "/proc as pidfd": lambda: raw(424, os.open(f"/proc/{pid}", os.O_RDONLY), number, None, 0),
        "killpg": lambda: os.killpg(pid, number),
        "machine code": lambda: native(62, pid, number),
        "x32": lambda: x32(62, pid, number),
        "negative": lambda: raw(62, -pid, number),
        "wide": lambda: native(62, pid | 1 << 32, number),
    }.items():
        attempt(name, call)
"""


ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        20,
        "write the memory of another process",
        """
def by_proc():
    with open(f"/proc/{T.victim}/mem", "r+b", buffering=0) as memory:
        memory.seek(T.victim_address)
        memory.write(b"spoiled")
data = ctypes.create_string_buffer(b"spoiled")
local = (ctypes.c_size_t * 2)(ctypes.addressof(data), 7)
remote = (ctypes.c_size_t * 2)(T.victim_address, 7)
attempt("/proc/PID/mem", by_proc)
attempt("process_vm_writev", lambda: raw(311, T.victim, local, 1, remote, 1, 0))
attempt("machine code", lambda: native(
    311, T.victim, ctypes.addressof(local), 1, ctypes.addressof(remote), 1, 0))
""",
    ),
    attack(
        21,
        "trace another process",
        """
libc.ptrace.argtypes = [ctypes.c_long] * 4
for pid in (T.victim, T.engine, T.neighbour, T.warm):
    if pid == T.engine or (pid == T.warm and T.warm == T.engine):
        continue  # stopped by us it could not tell what it saw
    attempt("seize", lambda: raw(101, 0x4206, pid, 0, 0))
    attempt("machine code", lambda: native(101, 0x4206, pid, 0, 0))
    attempt("x32", lambda: x32(521, 0x4206, pid, 0, 0))
    if pid == T.victim:
        attempt("attach", lambda: raw(101, 16, pid, 0, 0))
attempt("int 0x80", lambda: int80(26, 0x4206, T.victim, 0, 0))
""",
    ),
    attack(
        22,
        "read the memory of other processes",
        """
def vm_read(pid, address, call=raw):
    data = ctypes.create_string_buffer(64)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(data), 64)
    remote = (ctypes.c_size_t * 2)(address, 64)
    call(310, pid, ctypes.addressof(local), 1, ctypes.addressof(remote), 1, 0)
    return data.raw
def proc_read(path, address):
    with open(path, "rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(64)
for pid, address in ((T.engine, T.engine_address), (T.victim, T.victim_address)):
    print(attempt("process_vm_readv", lambda: vm_read(pid, address)))
    print(attempt("machine code", lambda: vm_read(pid, address, native)))
    print(attempt("mem", lambda: proc_read(f"/proc/{pid}/mem", address)))
    print(attempt("task", lambda: proc_read(f"/proc/{pid}/task/{pid}/mem", address)))
""",
    ),
    attack(
        23,
        "take a descriptor from another process",
        """
for pid, number in ((T.engine, T.engine_descriptor), (T.victim, T.victim_descriptor)):
    def take(call):
        return os.pread(call(438, call(434, pid, 0), number, 0), 100, 0)
    print(attempt("pidfd_getfd", lambda: take(raw)))
    print(attempt("machine code", lambda: take(native)))
    print(attempt("/proc/PID/fd", lambda: os.pread(
        os.open(f"/proc/{pid}/fd/{number}", os.O_RDONLY), 100, 0)))
""",
    ),
    attack(37, "kill another process", _SIGNAL + "send(T.victim, signal.SIGKILL)"),
    attack(
        38,
        "kill the process that kernels are forked from",
        _SIGNAL
        + """
if T.warm != T.engine:
    send(os.getppid(), signal.SIGKILL)
    attempt("int 0x80", lambda: int80(37, os.getppid(), signal.SIGKILL))
""",
    ),
    attack(
        39,
        "signal the engine",
        _SIGNAL + "for number in (signal.SIGUSR1, signal.SIGTERM, 40): send(T.engine, number)",
    ),
    attack(
        40,
        "signal the engine by way of descriptors and timers",
        """
import fcntl, signal, socket, struct
a, b = attempt("socketpair", socket.socketpair) or (None, None)
reader, writer = os.pipe()
def asynchronous(descriptor, other, own, number=0):
    own(descriptor)
    if number:
        fcntl.fcntl(descriptor, 10, number)  # F_SETSIG
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | 0x2000)
    os.write(other, b"x")
owners = {
    "F_SETOWN": lambda d: fcntl.fcntl(d, 8, T.engine),
    "F_SETOWN_EX": lambda d: fcntl.fcntl(d, 15, struct.pack("ii", 1, T.engine)),
    "FIOSETOWN": lambda d: fcntl.ioctl(d, 0x8901, struct.pack("i", T.engine)),
    "SIOCSPGRP": lambda d: fcntl.ioctl(d, 0x8902, struct.pack("i", T.engine)),
    "by number": lambda d: raw(72, d, 8, T.engine),
    "machine code": lambda d: native(72, d, 8, T.engine),
    "wide": lambda d: native(72, d, 8 | 1 << 32, T.engine),
    "victim": lambda d: raw(72, d, 8, T.victim),
}
for name, own in owners.items():
    attempt(name + " socket", lambda: asynchronous(a.fileno(), b.fileno(), own))
    attempt(name + " pipe", lambda: asynchronous(reader, writer, own))
    attempt(name + " signal", lambda: asynchronous(reader, writer, own, signal.SIGUSR1))
event = struct.pack("QiiiI", 0, signal.SIGUSR1, 4, T.engine, 0) + bytes(40)
timer = ctypes.c_int()
attempt("timer for a thread", lambda: raw(222, 1, event, ctypes.byref(timer)))
attempt("timer", lambda: raw(223, timer, 0, struct.pack("qqqq", 0, 0, 0, 1000), None))
attempt("lease", lambda: fcntl.fcntl(os.open("own", 0o102), 1024, 1))
attempt("int 0x80", lambda: (int80(55, reader, 8, T.engine), int80(55, reader, 4, 0x2000),
    os.write(writer, b"x")))
""",
    ),
    attack(
        41,
        "change the limits of another process",
        """
import struct
for pid in (T.victim, T.neighbour):
    attempt("prlimit64", lambda: raw(302, pid, 7, struct.pack("QQ", 100, 200), None))
    attempt("machine code", lambda: native(302, pid, 4, struct.pack("QQ", 0, 0), 0))
    attempt("wide", lambda: native(302, pid | 1 << 32, 4, struct.pack("QQ", 0, 0), 0))
    attempt("x32", lambda: x32(302, pid, 1, struct.pack("QQ", 1 << 20, 1 << 20), 0))
attempt("int 0x80", lambda: int80(340, T.victim, 4, struct.pack("QQ", 0, 0), 0))
""",
    ),
    attack(
        42,
        "steer the scheduling of other processes",
        """
import struct
one = (1).to_bytes(128, "little")
parameters = struct.pack("i", 0)
attributes = struct.pack("IIQiIQQQ", 48, 3, 0, 0, 0, 0, 0, 0)
for pid in (T.engine, T.victim, T.neighbour, T.warm):
    for name, call in {
        "setpriority": lambda: raw(141, 0, pid, 5),
        "group": lambda: raw(141, 1, pid, 5),
        "affinity": lambda: raw(203, pid, 8, one),
        "scheduler": lambda: raw(144, pid, 3, parameters),
        "parameters": lambda: raw(142, pid, parameters),
        "attributes": lambda: raw(314, pid, attributes, 0),
        "ioprio": lambda: raw(251, 1, pid, 3 << 13),
        "ioprio group": lambda: raw(251, 2, pid, 3 << 13),
        "machine code": lambda: native(141, 0, pid, 6),
        "x32": lambda: x32(203, pid, 8, one),
        "core scheduling": lambda: raw(157, 62, 1, pid, 0, 0),
    }.items():
        attempt(f"{name} {pid}", call)
attempt("int 0x80", lambda: int80(97, 0, T.victim, 7))
""",
    ),
    attack(
        47,
        "signal by machine code of its own",
        """
import signal
attempt("kill", lambda: native(62, T.victim, signal.SIGUSR2))
attempt("tkill", lambda: native(200, T.victim, signal.SIGUSR2))
attempt("x32", lambda: x32(62, T.victim, signal.SIGUSR2))
attempt("x32 rt_sigqueueinfo", lambda: x32(
    524, T.victim, signal.SIGUSR2, bytes(128)))
""",
    ),
    attack(
        110,
        "signal by 32-bit system calls",
        """
attempt("kill", lambda: int80(37, T.victim, 12))
attempt("tkill", lambda: int80(238, T.victim, 12))
""",
    ),
    attack(
        111,
        "signal every process of the user",
        "import signal\nfor p in (-1, 0): attempt('kill', lambda: raw(62, p, signal.SIGURG))\n"
        "attempt('machine code', lambda: native(62, 2**64 - 1, signal.SIGURG))",
        by=("user",),
        real=("user",),
        not_at=_HARMS_OTHERS,
    ),
    attack(
        112,
        "steer the scheduling of the user and of groups",
        """
attempt("user", lambda: raw(141, 2, T.uid, 15))
attempt("user's io", lambda: raw(251, 3, T.uid, 3 << 13))
attempt("group", lambda: raw(141, 1, T.victim, 15))
attempt("machine code", lambda: native(141, 2, T.uid, 15))
attempt("group of ours", lambda: raw(109, 0, T.victim))
""",
        by=("user",),
        real=("user",),
        not_at=_HARMS_OTHERS,
    ),
    attack(
        113,
        "stop another process",
        _SIGNAL + "send(T.victim, signal.SIGSTOP)\nsend(T.neighbour, signal.SIGSTOP)",
    ),
    attack(
        114,
        "write what /proc lets a user write about others",
        """
for pid in (T.victim, T.neighbour, T.warm):
    for name, text in {
        "oom_score_adj": "900",
        "coredump_filter": "0x7f",
        "autogroup": "5",
    }.items():
        attempt(f"{name} {pid}", lambda: open(f"/proc/{pid}/{name}", "w").write(text))
""",
    ),
    attack(
        115,
        "see which processes exist",
        """
import random, errno
alive = [T.engine, T.victim, T.neighbour]
def told_apart(probe):
    def answer(pid):
        try:
            probe(pid)
            return "yes"
        except OSError as error:
            return error.errno
    # As in "find out which paths exist": a probe is of use when the living differ from the dead.
    if all(answer(pid) != answer(T.dead) for pid in alive):
        print("saw the engine, the victim and the neighbour")
        return "apart"
    return "alike"
buffer = ctypes.create_string_buffer(512)
for name, probe in {
    "kill": lambda p: raw(62, p, 0),
    "tgkill": lambda p: raw(234, p, p, 0),
    "tkill": lambda p: raw(200, p, 0),
    "getpgid": lambda p: raw(121, p),
    "getsid": lambda p: raw(124, p),
    "getpriority": lambda p: raw(140, 0, p),
    "getpriority of a group": lambda p: raw(140, 1, p),
    "affinity": lambda p: raw(204, p, 128, buffer),
    "scheduler": lambda p: raw(145, p),
    "parameters": lambda p: raw(143, p, buffer),
    "interval": lambda p: raw(148, p, buffer),
    "attributes": lambda p: raw(315, p, buffer, 56, 0),
    "prlimit": lambda p: raw(302, p, 7, None, buffer),
    "ioprio": lambda p: raw(252, 1, p),
    "pidfd": lambda p: os.close(raw(434, p, 0)),
    "robust list": lambda p: raw(274, p, buffer, buffer),
    "capget": lambda p: raw(125, (0x20080522 | p << 32).to_bytes(8, "little"), buffer),
    "kcmp": lambda p: raw(312, p, p, 0, 0, 0),
    "process_vm_readv": lambda p: raw(310, p, buffer, 1, buffer, 1, 0),
    "setpgid": lambda p: raw(109, p, p),
    "waitid": lambda p: raw(247, 1, p, buffer, 5, None),
    "move_pages": lambda p: raw(279, p, 0, None, None, None, 0),
    "clock of a process": lambda p: raw(229, (~p << 3) | 2, buffer),
    "clock of a process, read": lambda p: raw(228, (~p << 3) | 2, buffer),
    "core scheduling": lambda p: raw(157, 62, 0, p, 0, ctypes.addressof(buffer)),
    "owner of a descriptor": lambda p: __import__("fcntl").fcntl(os.pipe()[0], 8, p),
    "migrate_pages": lambda p: raw(256, p, 0, None, None),
}.items():
    attempt(name, lambda: told_apart(probe))
""",
        checks=(_saw_processes,),
    ),
    attack(
        117,
        "see which processes exist by what lies in /proc",
        """
for name, probe in {
    "stat": os.stat,
    "access": lambda p: raw(21, p, 0),
    "readlink": lambda p: os.readlink(p + "/exe"),
    "chdir": os.chdir,
}.items():
    def told_apart(probe=probe):
        answers = []
        for pid in (T.engine, T.victim, T.neighbour, T.dead):
            try:
                probe(f"/proc/{pid}")
                answers.append(0)
            except OSError as error:
                answers.append(error.errno)
        return answers[-1] not in answers[:-1]
    if attempt(name, told_apart):
        print("saw the engine, the victim and the neighbour")
""",
        contained=NAMESPACES,
        checks=(_saw_processes,),
    ),
    attack(
        116,
        "tell the machine to drop another process's memory",
        """
descriptor = attempt("pidfd_open", lambda: raw(434, T.victim, 0))
vector = (ctypes.c_size_t * 2)(T.victim_address & ~4095, 4096)
if descriptor is not None:
    print("opened a pidfd")
    attempt("process_madvise", lambda: raw(440, descriptor, vector, 1, 21, 0))
    attempt("process_mrelease", lambda: raw(448, descriptor, 0))
""",
        checks=(
            lambda o: [
                "held another process's pidfd" for link in o.new_descriptors if "pidfd" in link
            ],
        ),
    ),
)
