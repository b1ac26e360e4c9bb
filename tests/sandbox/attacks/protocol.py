"""Deceiving, flooding and outwaiting the engine that reads what a kernel says."""

from __future__ import annotations

from typing import Final

from jupyterlab_tir.sandbox import CellStatus

from .attack import EVERYWHERE, NOWHERE, Attack, Check, attack
from .outcome import Outcome

_CLIENT: Final = "the engine bounds, checks and times whatever a kernel says, at every level"
ENDED: Final = (CellStatus.TIMEOUT, CellStatus.DIED, CellStatus.OUTPUT_LIMIT)


def ends_as(*statuses: CellStatus, cell: int = -1) -> Check:
    """Return a check that a cell ended in one of these ways."""

    def look(outcome: Outcome) -> list[str]:
        status = outcome.results[cell].status
        return [f"cell ended as {status}"] * (status not in statuses)

    return look


def ends_within(seconds: float) -> Check:
    """Return a check on the time that the last cell took; generous, for machines are slow."""

    def look(outcome: Outcome) -> list[str]:
        return [f"took {outcome.seconds[-1]:.0f} s"] * (outcome.seconds[-1] > seconds)

    return look


def shows_no(text: str, cell: int = -1) -> Check:
    """Return a check that a cell's result does not hold `text`."""

    def look(outcome: Outcome) -> list[str]:
        result = outcome.results[cell]
        return [f"showed {text!r}"] * (text in result.stdout + (result.value or ""))

    return look


def client(number: int, name: str, *cells: str, **fields: object) -> Attack:
    """Return an attack that the engine's reading of messages contains."""
    return attack(
        number, name, *cells, **{"contained": EVERYWHERE, "real": (), "why": _CLIENT, **fields}
    )


_FORGER: Final = "F = Forger()\n"

_BREAKERS: Final = (
    "(" * 100_000,
    "x = " + "-" * 300_000 + "1",
    "[" * 90 + "]" * 90,
    "1" + "+1" * 100_000,
    "x" + ".x" * 100_000,
    "lambda: " * 50_000 + "1",
    "9" * 400_000,
    "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 99)) + " " * 99 + "pass",
    "'''" + "\\" * 100_000,
    "\ufeff# coding: rot13\nprint(1)",
)

ATTACKS: Final[tuple[Attack, ...]] = (
    client(
        62,
        "flood of print",
        "for _ in range(20):\n    print('x' * 10**8)",
        timeout_s=30,
    ),
    client(
        63,
        "flood of descriptor 1",
        """
block = b"x" * 10**7
for _ in range(100):
    os.write(1, block)
    os.write(2, block)
""",
        timeout_s=5,
    ),
    client(64, "endless print", "while True: print('x' * 100)", timeout_s=1),
    client(
        211,
        "endless flush",
        "while True:\n    print('x', flush=True)\n    sys.stderr.flush()",
        timeout_s=1,
    ),
    client(
        65,
        "flood of messages on the own sockets",
        _FORGER + "while True: F.publish('stream', {'name': 'stdout', 'text': 'x' * 100_000})",
        timeout_s=20,
        checks=(ends_as(CellStatus.OUTPUT_LIMIT),),
    ),
    client(
        212,
        "flood of frames on every socket",
        """
import zmq
for s in zmq_sockets():
    for _ in range(3000):
        attempt("", lambda: s.send(b"x" * 1000, zmq.NOBLOCK | zmq.SNDMORE * (_ % 3 > 0)))
""",
        timeout_s=10,
    ),
    client(
        66,
        "a message of 200 MB",
        _FORGER
        + """
F.raw([b"x" * 200_000_000])
F.publish("stream", {"name": "stdout", "text": "x" * 50_000_000})
""",
        timeout_s=20,
        checks=(ends_as(*ENDED, CellStatus.OUT_OF_MEMORY),),
    ),
    client(
        213,
        "a message of a hundred thousand frames",
        _FORGER + "F.raw([b'x'] * 100_000)\nF.raw([b''] * 300_000)",
        timeout_s=20,
    ),
    client(
        67,
        "garbage and bad signatures",
        _FORGER
        + """
F.raw([b"x"])
F.raw([b"<IDS|MSG>"])
F.raw([b"a", b"<IDS|MSG>", b"0" * 64, b"{}", b"{}", b"{}", b"{}"])
for content in ([], None, 7, "text", {"name": ["x"], "text": 7}, {"data": "x"}, {"ename": None}):
    for kind in ("stream", "error", "execute_result", "display_data", "status", "execute_reply",
                 "clear_output", "shutdown_reply", None, 7, [], "x" * 1000):
        F.publish(kind, content)
for text in (b"NaN", b"1e999", b'"\\\\ud800"', b"{" * 1000, b"\\xff\\xfe", b'{"a": 1, "a": 2}'):
    parts = [b"{}", text, text, text]
    F.raw([b"<IDS|MSG>", F.sign(parts), *parts])
print("mine")
""",
    ),
    client(
        68,
        "deeply nested messages",
        _FORGER
        + """
for text in (b"[" * 100_000, b"[" * 900 + b"]" * 900, b'{"a":' * 50_000):
    parts = [json.dumps(F.header).encode(), json.dumps(F.parent).encode(), b"{}", text]
    F.raw([b"<IDS|MSG>", F.sign(parts), *parts])
print("mine")
""",
    ),
    client(
        214,
        "numbers that cost time and names that cost memory",
        _FORGER
        + """
for n in range(40):
    F.publish("stream", {"name": "stdout", "text": "", **{f"k{i}": i for i in range(5000)}})
parts = [json.dumps(F.header).encode(), json.dumps(F.parent).encode(), b"{}", b"9" * 1_000_000]
F.raw([b"<IDS|MSG>", F.sign(parts), *parts])
""",
        checks=(ends_within(60),),
    ),
    attack(
        69,
        "forge the own result",
        _FORGER
        + """
F.publish("execute_result", {"data": {"text/plain": "for" + "ged"}, "metadata": {}})
time.sleep(0.2)
""",
        contained=NOWHERE,
        why="code and kernel share a process: what a kernel says of its own cell is its own word",
        checks=(lambda o: ["showed a forged value"] * ("forged" in (o.results[-1].value or "")),),
    ),
    client(
        70,
        "forge the end of the cell, then go on for ever",
        _FORGER + "F.publish('status', {'execution_state': 'idle'})\nwhile True: time.sleep(1)",
        "print('another')",
        timeout_s=10,
        checks=(ends_as(*ENDED, cell=0), ends_as(CellStatus.DIED)),
    ),
    client(
        224,
        "forge reply and end, then go on for ever",
        _FORGER
        + """
F.reply({"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []})
F.publish("status", {"execution_state": "idle"})
while True: pass
""",
        "print('another')",
        timeout_s=1,
        checks=(ends_as(*ENDED),),
    ),
    client(
        225,
        "forge replies to cells that were not sent yet",
        _FORGER
        + """
for n in range(50):
    F.reply({"status": "error", "ename": "LATE", "evalue": "LATE", "traceback": ["LATE"]})
    F.publish("status", {"execution_state": "idle"})
""",
        "print('own')",
        checks=(shows_no("LATE"), ends_as(CellStatus.OK)),
    ),
    client(
        226,
        "hostile payloads and numbers in the reply",
        _FORGER
        + """
F.reply({"status": "ok", "execution_count": 10**400, "payload": [{"source": "jupyterlab_tir", **{
    k: v for k in ("out_of_memory", "stdout_cut", "stderr_cut", "value_cut", "peak_memory_bytes")
    for v in (-1,)}}, {"source": None}, 7, None, "x" * 10**6, [[[]]]], "user_expressions": 7})
""",
    ),
    client(
        215,
        "forge reply and end, then speak into the next cell",
        _FORGER
        + """
import threading
first = F.parent
def later():
    for _ in range(100):
        time.sleep(0.02)
        F.publish("stream", {"name": "stdout", "text": "LATE"}, first)
        F.publish("execute_result", {"data": {"text/plain": "LATE"}, "metadata": {}}, first)
        F.publish("status", {"execution_state": "idle"}, first)
threading.Thread(target=later, daemon=True).start()
""",
        "time.sleep(0.5)\nprint('own')",
        checks=(shows_no("LATE"),),
    ),
    client(
        216,
        "speak as another kernel",
        _FORGER
        + """
other = {**F.parent, "msg_id": "0" * 32, "session": "1" * 32}
F.publish("stream", {"name": "stdout", "text": "OTHER"}, other)
F.publish("status", {"execution_state": "idle"}, other)
time.sleep(0.2)
print("own")
""",
        checks=(shows_no("OTHER"), ends_as(CellStatus.OK)),
    ),
    client(
        217,
        "ask the engine for input",
        """
attempt("input", lambda: input("secret? "))
import getpass
attempt("getpass", lambda: getpass.getpass())
attempt("forged", lambda: Forger().publish("input_request", {"prompt": "x", "password": True}))
attempt("stdin", lambda: print(sys.stdin.read(100)))
attempt("0", lambda: print(os.read(0, 100)))
""",
        timeout_s=10,
    ),
    client(
        71,
        "escape sequences and HTML in the output",
        r"""
from IPython.display import HTML, Javascript, display
print("\x1b[2J\x1b]0;title\x07\x1b]8;;http://x\x07 \x9b31m \r\b\b over \u202e left \x00 nul \x7f")
sys.stderr.write("\x1bP q\x1b\\ \x90 \x85\n")
display(HTML("<script>alert(1)</script>"), Javascript("alert(1)"))
attempt("forged", lambda: Forger().publish("stream", {"name": "stdout", "text": "\x1b[31mred\x9b"}))
class Hostile:
    def __repr__(self):
        return "\x1b[31m" + "\r" * 10 + "\x9b"
raise type("\x1b[1mName", (Exception,), {})("\x1b[2J message \x9b")
""",
    ),
    client(
        78,
        "thread that outlives its cell and prints",
        """
import threading
def later():
    for _ in range(20):
        time.sleep(0.03)
        print("LATE", flush=True)
        sys.__stdout__ and sys.__stdout__.write("LATE")
threading.Thread(target=later, daemon=True).start()
""",
        "time.sleep(0.3)\n'own'",
        checks=(shows_no("LATE"), ends_as(CellStatus.OK)),
        why=_CLIENT,
    ),
    client(
        227,
        "exceptions that are endless, huge or hostile",
        """
class E(Exception):
    def __str__(self): raise SystemExit
    __repr__ = __str__
    @property
    def __cause__(self): raise KeyboardInterrupt
raise E
""",
        "raise ValueError('x' * 10**8)",
        """
e = ValueError(1)
for _ in range(50_000):
    e2 = ValueError(2)
    e2.__cause__ = e
    e = e2
raise e
""",
        """
def f(n):
    if n: return f(n - 1)
    raise ValueError
sys.setrecursionlimit(10**6)
f(50_000)
""",
        "raise ExceptionGroup('g', [ValueError(n) for n in range(10**5)])",
        "raise type('N' * 10**7, (Exception,), {})",
        timeout_s=10,
    ),
    client(228, "code that breaks a compiler", *_BREAKERS, timeout_s=10),
    client(
        229,
        "text that cannot be sent",
        r"""
print("\ud800" * 100, "\x00\uffff\U0010ffff")
sys.stderr.write("\udfff")
os.write(1, b"\xff\xfe\xc0\x80" * 100)
"\ud800"
""",
        checks=(ends_as(CellStatus.OK),),
    ),
)
