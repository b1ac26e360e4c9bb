"""Taking more than a kernel may have: processor, memory, disk, descriptors, threads.

Every bomb is bounded, so that one that goes off proves it and harms nobody.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .attack import EVERYWHERE, Attack, attack
from .network import new_anonymous
from .outcome import MEMORY_BYTES, Outcome

_SLACK_BYTES: Final = 320 * 1024**2  # libraries that are loaded later are allowed for
_MOST_THREADS: Final = 1_000
_MOST_DESCRIPTORS: Final = 300
_MOST_PIPE_BYTES: Final = 64 * 1024**2
_F_GETPIPE_SZ: Final = 1032


def _too_much_memory(outcome: Outcome) -> list[str]:
    taken = outcome.peaks.resident_bytes - outcome.resident_before
    return [f"took {taken >> 20} MB of memory"] * (taken > MEMORY_BYTES + _SLACK_BYTES)


def _too_many_threads(outcome: Outcome) -> list[str]:
    threads = int(outcome.after.get("threads", "0"))
    return [f"keeps {threads} threads"] * (threads > _MOST_THREADS)


def _too_many_descriptors(outcome: Outcome) -> list[str]:
    count = len(outcome.descriptors_after)
    return [f"opened {count} descriptors"] * (count > _MOST_DESCRIPTORS)


def _pipe_memory(outcome: Outcome) -> list[str]:
    import fcntl
    import os

    total = 0
    for number, link in outcome.descriptors_after.items():
        if link.startswith("pipe:"):
            try:
                pipe = os.open(f"/proc/{outcome.pid}/fd/{number}", os.O_RDONLY | os.O_NONBLOCK)
            except OSError:
                continue
            total += fcntl.fcntl(pipe, _F_GETPIPE_SZ)
            os.close(pipe)
    return [f"filled {total >> 20} MB of pipes"] * (total > _MOST_PIPE_BYTES)


def _shared_memory(outcome: Outcome) -> list[str]:
    """Memory that no process maps, by the marker that the cell puts into its size."""
    kept = [line for line in outcome.results[-1].stdout.splitlines() if line.startswith("kept ")]
    total = sum(int(line.split()[1]) for line in kept)
    return [f"kept {total >> 20} MB beside its memory"] * (total > MEMORY_BYTES)


def _core(outcome: Outcome) -> list[str]:
    here = [path.name for path in Path.cwd().glob("core*") if path.is_file()]
    try:
        here += [path.name for path in outcome.folder.glob("core*")]
    except OSError:
        return []
    return ["left a core dump"] * bool(here)


PROCESS_LIMIT: Final = "the limits on a process hold at every level"
WATCHED: Final = "the engine looks at every kernel at every level, and ends one that has too much"

ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        50,
        "thread bomb",
        """
import threading
threading.stack_size(32768)
for n in range(1500):
    thread = threading.Thread(target=time.sleep, args=(2,), daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        print(error)
        break
time.sleep(3 if n > 500 else 0)  # for whoever looks
""",
        checks=(_too_many_threads,),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
    attack(
        200,
        "thread bomb without Python",
        """
idle = executable(b"\\x48\\xc7\\xc0\\x22\\x00\\x00\\x00\\x0f\\x05\\xeb\\xf5")  # pause, for ever
stacks = ctypes.create_string_buffer(1500 * 512)
flags = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000
libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
ctypes.set_errno(0)
for n in range(1500):
    top = (ctypes.addressof(stacks) + (n + 1) * 512 - 64) & ~15
    if libc.clone(idle, top, flags, None) == -1:
        print(n, os.strerror(ctypes.get_errno()))
        break
time.sleep(3 if n > 500 else 0)  # for whoever looks
""",
        checks=(_too_many_threads,),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
    attack(
        51,
        "memory bomb of bytes",
        """
for _ in range(30):
    kept.append(bytearray(b"x") * (32 << 20))
""",
        checks=(_too_much_memory,),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
    attack(
        52,
        "memory bomb of arrays",
        """
import numpy as np
for _ in range(30):
    kept.append(np.ones(4 << 20))
""",
        checks=(_too_much_memory,),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
    attack(
        201,
        "memory bomb of mappings of every kind",
        """
libc.sbrk.restype = ctypes.c_long
def touch(at, size):
    if at in (None, -1, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "refused")
    ctypes.memset(at, 1, size)
size = 64 << 20
for _ in range(8):
    attempt("shared", lambda: touch(libc.mmap(None, size, 3, 0x21, -1, 0), size))
    attempt("private", lambda: touch(libc.mmap(None, size, 3, 0x22, -1, 0), size))
    attempt("without reserve", lambda: touch(libc.mmap(None, size, 3, 0x4022, -1, 0), size))
    attempt("growing down", lambda: touch(libc.mmap(None, size, 3, 0x122, -1, 0), size))
    attempt("huge", lambda: touch(libc.mmap(None, size, 3, 0x40022, -1, 0), size))
    attempt("brk", lambda: touch(libc.sbrk(size), size))
    attempt("machine code", lambda: touch(native(9, 0, size, 3, 0x22, 2**64 - 1, 0), size))
""",
        checks=(_too_much_memory,),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
    attack(
        53,
        "memory in files that no folder names",
        """
def fill(descriptor, size):
    chunk = bytes(1 << 20)
    written = 0
    while written < size:
        written += os.write(descriptor, chunk)
    print("kept", written)
def memory_file():
    descriptor = raw(319, "bomb", 0)
    kept.append(descriptor)
    import resource
    fill(descriptor, 60 << 20)
for _ in range(12):
    attempt("memfd", memory_file)
def system_v():
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(raw(29, 0, 60 << 20, 0o1600), None, 0)
    if at in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    ctypes.memset(at, 1, 60 << 20)
    libc.shmdt(ctypes.c_void_p(at))
    print("kept", 60 << 20)
attempt("System V", system_v)
""",
        checks=(_shared_memory, new_anonymous("memfd")),
        real=(),
        why=WATCHED,
    ),
    attack(
        54,
        "memory of pipes and sockets",
        """
import fcntl, socket
def pipe():
    reader, writer = os.pipe()
    fcntl.fcntl(writer, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.set_blocking(writer, False)
    os.write(writer, bytes(1 << 20))
def pair():
    a, b = socket.socketpair()
    kept.extend((a, b))
    a.setblocking(False)
    attempt("buffer", lambda: a.setsockopt(1, 7, 1 << 24))
    attempt("forced", lambda: a.setsockopt(1, 32, 1 << 24))
    for _ in range(100):
        a.send(bytes(1 << 16))
for _ in range(100):
    attempt("pipe", pipe)
for _ in range(20):
    attempt("pair", pair)
""",
        checks=(_pipe_memory,),
    ),
    attack(
        202,
        "use up descriptors",
        "while len(kept) < 2000: kept.append(os.pipe())",
        checks=(_too_many_descriptors,),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
    attack(
        203,
        "hide descriptors in sockets",
        """
import array, socket
a, b = datagram_pair()
sent = 0
def stash(outer, inner):
    global sent
    outer.sendmsg([b"x"], [(1, 1, array.array("i", [inner] * 200))], 256)
    sent += 200
attempt("flat", lambda: [stash(a, os.dup(0)) for _ in range(40)])
for _ in range(40):
    c, d = datagram_pair()
    c.setblocking(False)
    for _ in range(10):
        attempt("deep", lambda: stash(c, os.pipe()[0]))
    both = array.array("i", [c.fileno(), d.fileno()])
    attempt("nested", lambda: a.sendmsg([b"x"], [(1, 1, both)], 256))
print("stashed", sent)
""",
        checks=(
            lambda o: [
                f"hid {n} descriptors"
                for n in (
                    int(w.split()[1])
                    for w in o.results[-1].stdout.splitlines()
                    if w.startswith("stashed ")
                )
                if n > 2000
            ],
        ),
        real=(),
        why="the operating system counts descriptors on their way, by the limit on open ones",
        contained=EVERYWHERE,
    ),
    attack(
        208,
        "use up watches, timers and queued signals",
        """
import signal
def timers():
    timer = ctypes.c_int()
    event = bytes(8) + (12).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(48)
    for n in range(200_000):
        raw(222, 1, event, ctypes.byref(timer))
def queued():
    info = bytes(8) + (-1 & 0xffffffff).to_bytes(4, "little") + bytes(116)
    signal.pthread_sigmask(signal.SIG_BLOCK, {40})
    for n in range(200_000):
        raw(297, os.getpid(), os.getpid(), 40, info)
attempt("timers", timers)
attempt("signals", queued)
""",
        checks=(
            lambda o: [
                f"queued {o.after['queued']} signals"
                for _ in [0]
                if o.after and int(o.after.get("queued", "0/0").split("/")[0]) > 20_000
            ],
        ),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
    attack(
        61,
        "burn every processor",
        """
import threading
def burn():
    until = time.monotonic() + 1
    while time.monotonic() < until:
        sum(range(10_000))
threads = [threading.Thread(target=burn) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
attempt("realtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99)))
""",
        contained=EVERYWHERE,
        real=(),
        why="the scheduler shares; a neighbour answers",
    ),
    attack(
        209,
        "run before everybody else",
        """
attempt("FIFO", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("nice", lambda: os.nice(-20))
attempt("setpriority", lambda: raw(141, 0, 0, -10))
attempt("io", lambda: raw(251, 1, 0, 1 << 13))
attempt("number", lambda: raw(144, 0, 1, (1).to_bytes(4, "little")))
attempt("machine code", lambda: native(141, 0, 0, 2**64 - 10))
attempt("deadline", lambda: raw(314, 0, (48).to_bytes(4, "little") + (6).to_bytes(4, "little")
    + bytes(16) + (10**7).to_bytes(8, "little") + (10**8).to_bytes(8, "little") * 2, 0))
""",
        checks=(
            lambda o: [
                f"runs first by {name}"
                for name in ("nice", "scheduler", "ioprio")
                if o.after and o.before.get(name) != o.after.get(name)
            ],
        ),
        real=("root",),
        why="a user may only stand back",
    ),
    attack(
        210,
        "lock memory",
        """
import resource
attempt("mlockall", lambda: raw(151, 3))
attempt("mlock", lambda: raw(149, libc.mmap(None, 64 << 20, 3, 0x22, -1, 0), 64 << 20))
attempt("mlock2", lambda: raw(325, libc.mmap(None, 64 << 20, 3, 0x22, -1, 0), 64 << 20, 0))
attempt("populate", lambda: libc.mmap(None, 64 << 20, 3, 0x2022, -1, 0))
""",
        checks=(
            lambda o: [
                f"locked {kb} kB"
                for kb in [int(o.after.get("locked", "0 kB").split()[0])]
                if kb > 16384
            ],
        ),
        real=("root",),
        why="a user may lock little",
    ),
    attack(
        75,
        "abort, and leave a core dump",
        """
import resource
attempt("limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
attempt("soft", lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(4)[1],) * 2))
os.abort()
""",
        checks=(_core,),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
)
