"""Starting programs and processes, and outliving the kernel."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from typing import Final

from .attack import EVERYWHERE, Attack, attack
from .outcome import Outcome
from .victims import alive

_GONE_S: Final = 20.0
_ENDED: Final = "the engine ends the kernels of a process that kernels are forked from, with it"
_SETTLE_S: Final = 0.5  # until the engine has seen it, or the next attack would be blamed


async def survives_its_parent(outcome: Outcome) -> list[str]:
    """Kill the process that the kernel was forked from; the kernel must go with it."""
    if outcome.warm_pid == os.getpid() or not outcome.alive:
        return []
    with contextlib.suppress(ProcessLookupError):
        os.kill(outcome.warm_pid, signal.SIGKILL)
    until = time.monotonic() + _GONE_S
    while time.monotonic() < until and alive(outcome.pid):  # noqa: ASYNC110 - nothing tells
        await asyncio.sleep(0.01)
    await asyncio.sleep(_SETTLE_S)
    if not alive(outcome.pid):
        return []
    os.kill(outcome.pid, signal.SIGKILL)
    return ["outlived the process it was forked from"]


_FORKS: Final = """
import subprocess, threading
stack = ctypes.create_string_buffer(65536)
top = (ctypes.addressof(stack) + 65000) & ~15
def child(pid):
    if pid == 0:
        time.sleep(1)
        os._exit(0)
    return pid
idle = executable(b"\\x48\\xc7\\xc0\\x22\\x00\\x00\\x00\\x0f\\x05\\xeb\\xf5")  # pause, for ever
def clone3(flags):
    import struct
    arguments = struct.pack("QQQQQQQQ", flags, 0, 0, 0, 17, 0, 0, 0)
    return child(raw(435, arguments, 64))
FORKS = {
    "fork": lambda: child(os.fork()),
    "fork by number": lambda: child(raw(57)),
    "clone": lambda: child(raw(56, 17, None, None, None, None)),
    "clone without a signal": lambda: child(raw(56, 0, None, None, None, None)),
    "clone wide": lambda: child(native(56, 17 | 1 << 32, 0, 0, 0, 0)),
    "clone beside": lambda: child(raw(56, 0x8000 | 17, None, None, None, None)),
    "clone sharing memory": lambda: libc.clone(
        ctypes.c_void_p(idle), ctypes.c_void_p(top), 0x100 | 17, None),
    "clone sharing all but the group": lambda: libc.clone(
        ctypes.c_void_p(idle), ctypes.c_void_p(top), 0x100 | 0x200 | 0x400 | 0x800 | 17, None),
    "clone3": lambda: clone3(0),
    "clone3 beside": lambda: clone3(0x8000),
    "posix_spawn": lambda: os.posix_spawn("/bin/sleep", ["sleep", "1"], {}),
    "subprocess": lambda: kept.append(subprocess.Popen(["/bin/sleep", "1"])),
    "python": lambda: kept.append(subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(1)"])),
    "forkpty": lambda: child(os.forkpty()[0]),
    "machine code": lambda: child(native(57)),
    "x32": lambda: child(x32(57)),
}
"""

_EXECS: Final = """
import shutil
sleep = shutil.which("sleep") or "/bin/sleep"
def own_program():
    shutil.copy(sleep, "program")
    os.chmod("program", 0o700)
    return os.path.abspath("program")
def from_memory():
    descriptor = raw(319, "program", 0)
    os.write(descriptor, open(sleep, "rb").read())
    return descriptor
def argv(*words):
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)
def in_thread(call):
    import threading
    thread = threading.Thread(target=lambda: attempt("thread", call))
    thread.start()
    thread.join()
words = argv(b"sleep", b"5")
empty = argv()
EXECS = {
    "by loader": lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", sleep, "5"]),
    "fexecve": lambda: os.execve(os.open(sleep, os.O_RDONLY), ["sleep", "5"], {}),
    "O_PATH": lambda: raw(322, os.open(sleep, os.O_PATH), "", words, empty, 0x1000),
    "memfd": lambda: raw(322, from_memory(), "", words, empty, 0x1000),
    "own file": lambda: os.execv(own_program(), ["sleep", "5"]),
    "own script": lambda: (open("s", "w").write("#!/bin/sh\\nsleep 5"), os.chmod("s", 0o700),
        os.execv("s", ["s"])),
    "in a thread": lambda: in_thread(lambda: os.execv(sleep, ["sleep", "5"])),
    "x32": lambda: x32(520, sleep, ctypes.addressof(words), ctypes.addressof(empty)),
    "machine code": lambda: native(59, sleep, ctypes.addressof(words), ctypes.addressof(empty)),
    "execv": lambda: os.execv(sleep, ["sleep", "5"]),
}
"""

ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        43,
        "run a shell",
        """
attempt("system", lambda: os.system("sleep 0.3"))
attempt("libc", lambda: libc.system(b"sleep 0.3"))
attempt("popen", lambda: os.popen("sleep 0.3").read())
attempt("magic", lambda: get_ipython().system("sleep 0.3"))
attempt("getoutput", lambda: get_ipython().getoutput("sleep 0.3"))
attempt("bash", lambda: get_ipython().run_cell_magic("bash", "", "sleep 0.3"))
attempt("wordexp", lambda: libc.wordexp(b"$(sleep 0.3)", ctypes.create_string_buffer(256), 0))
""",
    ),
    attack(
        44,
        "start a program",
        _FORKS
        + """
import multiprocessing, concurrent.futures
attempt("subprocess", lambda: subprocess.run(["sleep", "0.3"]))
attempt("vfork", lambda: subprocess._fork_exec)
attempt("spawn", lambda: os.waitpid(FORKS["posix_spawn"](), 0))
attempt("multiprocessing", lambda: multiprocessing.get_context("fork").Process(
    target=time.sleep, args=(0.3,)).start())
attempt("executor", lambda: concurrent.futures.ProcessPoolExecutor(1).submit(pow, 2, 3).result(5))
""",
    ),
    attack(45, "become another program", _EXECS + "attempt('execv', EXECS['execv'])", timeout_s=2),
    attack(
        46,
        "become another program by other calls",
        _EXECS + "for name in EXECS: attempt(name, EXECS[name])\ntime.sleep(0.2)",
        timeout_s=1,
    ),
    attack(
        132,
        "become another program held in memory",
        _EXECS + "attempt('memfd', EXECS['memfd'])\ntime.sleep(0.2)",
        timeout_s=1,
        checks=(lambda o: ["a file in memory" for link in o.new_descriptors if "memfd" in link],),
    ),
    attack(
        133,
        "become another program by 32-bit system calls",
        """
words = low_memory((low_memory(b"sleep")).to_bytes(4, "little")
    + low_memory(b"5").to_bytes(4, "little") + bytes(4))
attempt("execve", lambda: int80(11, "/bin/sleep", words, 0))
time.sleep(0.2)
""",
        timeout_s=1,
    ),
    attack(
        48,
        "fork bomb",
        _FORKS + "for _ in range(200): attempt('fork', FORKS['fork'])\ntime.sleep(0.2)",
    ),
    attack(
        130,
        "fork in every way",
        _FORKS + "for name, fork in FORKS.items(): attempt(name, fork)\ntime.sleep(0.3)",
    ),
    attack(
        131,
        "fork by 32-bit system calls",
        """
def child(pid):
    if pid == 0:
        time.sleep(1)
        os._exit(0)
attempt("clone", lambda: child(int80(120, 17, 0, 0, 0)))
attempt("vfork", lambda: int80(1, 0) if False else None)
attempt("fork", lambda: child(int80(2)))
time.sleep(0.2)
""",
    ),
    attack(
        49,
        "leave a process behind",
        """
import signal
def daemon(fork):
    if fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if fork() == 0:
            libc.prctl(1, 0, 0, 0, 0)
            for d in range(256):
                try: os.close(d)
                except OSError: pass
            time.sleep(20)
        os._exit(0)
attempt("fork", lambda: daemon(os.fork))
attempt("clone", lambda: daemon(lambda: raw(56, 0, None, None, None, None)))
attempt("beside", lambda: daemon(lambda: raw(56, 0x8000 | 17, None, None, None, None)))
time.sleep(0.3)
""",
    ),
    attack(
        84,
        "outlive the process it was forked from",
        """
attempt("PDEATHSIG", lambda: libc.prctl(1, 0, 0, 0, 0))
attempt("by number", lambda: raw(157, 1, 0, 0, 0, 0))
attempt("machine code", lambda: native(157, 1, 0, 0, 0, 0))
attempt("wide", lambda: native(157, 1 | 1 << 32, 0, 0, 0, 0))
attempt("x32", lambda: x32(157, 1, 0, 0, 0, 0))
attempt("setuid clears it", lambda: raw(117, os.getuid(), os.getuid(), os.getuid()))
attempt("setgid clears it", lambda: raw(119, os.getgid(), os.getgid(), os.getgid()))
attempt("setfsuid clears it", lambda: (raw(122, 65534), raw(122, os.getuid())))
attempt("capset clears it", lambda: raw(126, (0x20080522).to_bytes(8, "little"), bytes(24)))
attempt("session", lambda: os.setsid())
attempt("dumpable", lambda: raw(157, 4, 0, 0, 0, 0))
""",
        contained=EVERYWHERE,
        real=(),
        why=_ENDED,
        afterwards=survives_its_parent,
    ),
    attack(
        134,
        "outlive it by 32-bit system calls",
        "attempt('prctl', lambda: int80(172, 1, 0, 0, 0, 0))",
        contained=EVERYWHERE,
        real=(),
        why=_ENDED,
        afterwards=survives_its_parent,
    ),
    attack(
        135,
        "leave the session and the group",
        """
attempt("setsid", os.setsid)
attempt("setpgid", lambda: os.setpgid(0, 0))
attempt("foreground", lambda: os.tcsetpgrp(0, os.getpgrp()))
import signal
for n in set(signal.valid_signals()) - {9, 19}:
    attempt(str(n), lambda: signal.signal(n, signal.SIG_IGN))
attempt("block", lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()))
""",
        contained=("none", "partial", "nofs", "full", "full+ns"),
        real=(),
        why="a kernel is ended by its number, not by its group",
    ),
)
