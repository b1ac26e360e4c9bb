"""What must go on working in every box: "harm" here means that a box is too tight."""

from __future__ import annotations

from typing import Final

from jupyterlab_tir.sandbox import CellStatus

from .attack import EVERYWHERE, Attack, attack
from .outcome import Outcome

_MUST_WORK: Final = "honest code must work at every level"


def _works(outcome: Outcome) -> list[str]:
    return [
        f"honest code failed: {result.error_name} {result.error_message}"
        for result in outcome.results
        if result.status is not CellStatus.OK
    ]


def _honest(number: int, name: str, *cells: str, **fields: object) -> Attack:
    return attack(
        number,
        f"must work: {name}",
        *cells,
        **{"contained": EVERYWHERE, "real": (), "why": _MUST_WORK, "checks": (_works,), **fields},
    )


_WITH_FILES: Final = ("none", "partial", "full", "full+ns")

ATTACKS: Final[tuple[Attack, ...]] = (
    _honest(
        86,
        "import from the installation, numpy.save, temporary files",
        """
import pathlib, wave, sqlite3, tempfile, shutil
import numpy as np, sympy, scipy.special, networkx
np.save("a.npy", np.arange(5))
assert np.load("a.npy").sum() == 10
with tempfile.TemporaryFile() as file:
    file.write(b"x")
with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder:
    shutil.copy(file.name, folder)
with open("text.txt", "w") as file:
    file.write("hello")
os.rename("text.txt", "other.txt")
os.chmod("other.txt", 0o600)
os.utime("other.txt", (1, 1))
shutil.copy2("other.txt", "copy.txt")
pathlib.Path("touched").touch()
pathlib.Path("touched").touch()
assert os.listdir(".")
os.makedirs("x/y")
shutil.rmtree("x")
""",
        contained=_WITH_FILES,
        not_at=("nofs",),
    ),
    _honest(
        240,
        "mathematics",
        """
import numpy as np, sympy, scipy.optimize, mpmath, networkx as nx
x = sympy.Symbol("x")
assert sympy.solve(x**2 - 2, x) == [-sympy.sqrt(2), sympy.sqrt(2)]
assert abs(np.linalg.det(np.eye(200)) - 1) < 1e-9
assert abs(scipy.optimize.brentq(lambda t: t * t - 2, 0, 2) - 2**0.5) < 1e-9
assert str(mpmath.mp.pi)[:4] == "3.14"
assert nx.shortest_path_length(nx.path_graph(5), 0, 4) == 4
assert (np.random.rand(300, 300) @ np.random.rand(300, 300)).shape == (300, 300)
""",
    ),
    _honest(
        241,
        "threads, timers, signals to itself, asyncio",
        """
import asyncio, signal, threading
from concurrent.futures import ThreadPoolExecutor
assert sum(ThreadPoolExecutor(4).map(abs, range(-5, 5))) == 25
heard = []
signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(0.2)
assert heard
os.kill(os.getpid(), signal.SIGALRM)
signal.raise_signal(signal.SIGALRM)
assert len(heard) == 3
await asyncio.sleep(0.01)
assert await asyncio.to_thread(lambda: 5) == 5
reader, writer = os.pipe()
os.write(writer, b"x")
assert os.read(reader, 1) == b"x"
""",
    ),
    _honest(
        242,
        "callbacks, randomness, clocks, dates",
        """
import datetime, random, uuid
assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda n: n + 1)(4) == 5
assert len(os.urandom(8)) == 8
assert uuid.uuid4() != uuid.uuid4()
assert random.SystemRandom().random() < 1
assert datetime.datetime.now() and time.perf_counter() and time.process_time()
os.cpu_count(), os.getpid(), os.getloadavg, sys.platform, os.getcwd(), os.uname()
import platform
platform.python_version()
""",
    ),
    _honest(
        243,
        "zones of the world, modules not yet loaded",
        """
import zoneinfo, calendar, colorsys, cmath, statistics, fractions, decimal, html.parser
zoneinfo.ZoneInfo("Europe/Berlin")
import sympy.combinatorics, scipy.stats, networkx.algorithms.isomorphism, numpy.polynomial
""",
        contained=_WITH_FILES,
        not_at=("nofs",),
    ),
    _honest(
        244,
        "memory within the limit, given back",
        """
import numpy as np
for _ in range(20):
    a = np.ones(20 << 20, dtype=np.uint8).sum()
b = [bytearray(1 << 20) for _ in range(100)]
""",
    ),
    _honest(
        245,
        "a refused process or socket is an exception, not the end",
        """
import socket, subprocess
for call in (lambda: subprocess.run(["true"]), lambda: os.system("true"),
             lambda: os.fork() or os._exit(0), lambda: open("/etc/passwd").read(),
             lambda: socket.create_connection(("127.0.0.1", 9), 1),
             lambda: os.listdir("/"), lambda: os.kill(1, 0), lambda: os.mkdir("/x" + T.token)):
    attempt("refused", call)
""",
        "1 + 1",
        not_at=("none", "partial"),
    ),
)
