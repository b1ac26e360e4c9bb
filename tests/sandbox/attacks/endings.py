"""Ending, hanging and breaking the own kernel."""

from __future__ import annotations

from typing import Final

from jupyterlab_tir.sandbox import CellStatus

from .attack import Attack
from .protocol import ENDED, client, ends_as

ATTACKS: Final[tuple[Attack, ...]] = (
    client(
        58,
        "endless loop that ignores the interrupt",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        timeout_s=0.3,
        checks=(ends_as(CellStatus.TIMEOUT),),
    ),
    client(
        59,
        "endless loop in C that blocks every signal",
        """
import signal, itertools
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
sum(itertools.repeat(0))
""",
        timeout_s=0.3,
        checks=(ends_as(CellStatus.TIMEOUT),),
    ),
    client(
        60,
        "stops itself",
        """
import signal
os.kill(os.getpid(), signal.SIGSTOP)
raw(200, os.getpid(), 19)
while True: pass
""",
        timeout_s=0.3,
        checks=(ends_as(CellStatus.TIMEOUT),),
    ),
    client(
        72,
        "close every descriptor",
        "for fd in range(256):\n    try: os.close(fd)\n    except OSError: pass",
        timeout_s=1,
        checks=(ends_as(*ENDED),),
    ),
    client(
        218,
        "point every descriptor at itself",
        """
reader, writer = os.pipe()
for fd in range(3, 256):
    if fd not in (reader, writer):
        try:
            os.fstat(fd)
            os.dup2(reader, fd)
        except OSError:
            pass
""",
        timeout_s=1,
        checks=(ends_as(*ENDED),),
    ),
    client(73, "sys.exit", "sys.exit(3)", checks=(ends_as(CellStatus.ERROR, CellStatus.DIED),)),
    client(74, "os._exit", "os._exit(3)", checks=(ends_as(CellStatus.DIED),)),
    client(76, "segmentation fault", "ctypes.string_at(0)", checks=(ends_as(CellStatus.DIED),)),
    client(
        77,
        "overflow of the stack",
        "import sys\nsys.setrecursionlimit(10**8)\ndef f(n): return sorted([n], key=f)\nf(0)",
        checks=(ends_as(CellStatus.DIED, CellStatus.ERROR, CellStatus.OUT_OF_MEMORY),),
        timeout_s=15,
    ),
    client(
        219,
        "delete the own sockets and folder",
        """
import shutil, glob
for path in glob.glob("../*"):
    attempt(path, lambda: os.unlink(path))
attempt("tree", lambda: shutil.rmtree(".."))
""",
        "1 + 1",
        timeout_s=5,
    ),
    client(
        220,
        "spoil the kernel's own machinery",
        """
import builtins, threading
for name in list(vars(builtins)):
    if name not in ("print", "Exception"):
        try: delattr(builtins, name)
        except BaseException: pass
""",
        "1 + 1",
        timeout_s=1,
    ),
    client(
        221,
        "values whose methods are hostile",
        """
class Hostile:
    def __getattribute__(self, name): raise SystemExit(name)
    def __repr__(self): os.kill(os.getpid(), 2); raise KeyboardInterrupt
Hostile()
""",
        """
class Loop:
    def __repr__(self):
        while True: pass
Loop()
""",
        timeout_s=1,
        checks=(ends_as(CellStatus.TIMEOUT),),
    ),
    client(
        222,
        "interrupt storm",
        """
import threading, signal
def storm():
    for _ in range(3000):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.0003)
threading.Thread(target=storm, daemon=True).start()
time.sleep(2)
""",
        "1 + 1",
        timeout_s=3,
    ),
    client(
        223,
        "close the own sockets",
        """
for s in zmq_sockets():
    attempt("close", s.close)
""",
        "1 + 1",
        # It looks through all objects first, and must get to its end.
        timeout_s=5,
        checks=(ends_as(*ENDED),),
    ),
)
