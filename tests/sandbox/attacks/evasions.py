"""Having more than a kernel may have where neither a limit nor the engine's look finds it."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from .attack import EVERYWHERE, Attack, attack
from .outcome import WRITE_BYTES, Outcome
from .resources import WATCHED
from .victims import alive
from .watching import thread_descriptors, threads_of

_MOST_DESCRIPTORS: Final = 300
_GONE_S: Final = 20.0
_RESERVED: Final = "reserved MB: "


def _private_tables(outcome: Outcome) -> list[str]:
    """Count what threads have open in tables of their own, which the limit knows one by one."""
    count = thread_descriptors(outcome.pid)
    return [f"opened {count} descriptors in all threads"] * (count > _MOST_DESCRIPTORS)


def _kept_too_much(outcome: Outcome) -> list[str]:
    """By the kernel's own word, for the point is that others do not see it."""
    return ["kept more on disk than it may"] * ("still there" in outcome.output)


def _reserved_too_much(outcome: Outcome) -> list[str]:
    sizes = [
        int(line.removeprefix(_RESERVED))
        for result in outcome.results
        for line in result.stdout.splitlines()
        if line.startswith(_RESERVED)
    ]
    most = max(sizes, default=0)
    return [f"reserved {most} MB of disk"] * (most << 20 > WRITE_BYTES * 5 // 4)


async def _lives_on_in_threads(outcome: Outcome) -> list[str]:
    """A process whose first thread ended looks dead from outside, and is not."""
    until = time.monotonic() + _GONE_S
    while time.monotonic() < until:
        if alive(outcome.pid) or len(threads_of(outcome.pid)) < 2:
            return []
        await asyncio.sleep(0.05)
    return ["lives on though its main thread ended"]


_BLOCKS: Final = """
block = os.urandom(4 << 20)
def fill(count=40):
    for number in range(count):
        with open(f"f{number}", "wb") as file:
            file.write(block)
def there():
    print("still there")
"""

_PATIENCE: Final = "time.sleep(T.watched_s)\n"


def _hidden(number: int, name: str, cell: str) -> Attack:
    return attack(
        number,
        f"fill the disk {name}",
        _BLOCKS + cell,
        checks=(_kept_too_much,),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    )


ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        260,
        "open more by tables of descriptors of threads' own",
        """
import threading
threading.stack_size(65536)
ready = threading.Barrier(5)
def work():
    attempt("close_range", lambda: raw(436, 200, 2**32 - 1, 2))
    attempt("machine code", lambda: native(436, 200, 2**32 - 1, 2))
    attempt("and on exec", lambda: raw(436, 200, 2**32 - 1, 6))
    attempt("unshare", lambda: raw(272, 0x400))
    attempt("pipes", lambda: [kept.append(os.pipe()) for _ in range(1000)])
    ready.wait()
    time.sleep(60)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
ready.wait()
""",
        checks=(_private_tables,),
    ),
    attack(
        261,
        "end the main thread and live on in others",
        """
F = Forger()
import threading
def later():
    time.sleep(0.3)
    kept.append(b"x" * (300 << 20))
    F.reply({"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []})
    F.publish("status", {"execution_state": "idle"})
    time.sleep(60)
threading.Thread(target=later, daemon=True).start()
libc.syscall(60, 0)
""",
        timeout_s=5,
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
        afterwards=_lives_on_in_threads,
    ),
    _hidden(
        262,
        "deeper than a path is long",
        """
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
fill()
"""
        + _PATIENCE
        + "there()",
    ),
    _hidden(
        263,
        "with files that are only mapped",
        """
def mapped(name):
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    os.truncate(descriptor, 40 << 20)
    at = libc.mmap(None, 40 << 20, 3, 1, descriptor, 0)
    os.close(descriptor)
    os.unlink(name)
    for page in range(0, 40 << 20, 4096):
        ctypes.memset(at + page, 1, 1)
for number in range(5):
    mapped(f"m{number}")
"""
        + _PATIENCE
        + "there()",
    ),
    _hidden(
        264,
        "with files that only a thread's own table holds",
        """
import threading
def work():
    raw(436, 200, 2**32 - 1, 2)
    for number in range(40):
        descriptor = os.open("u", os.O_RDWR | os.O_CREAT, 0o600)
        os.unlink("u")
        os.write(descriptor, block)
        kept.append(descriptor)
    time.sleep(T.watched_s)
    there()
thread = threading.Thread(target=work)
thread.start()
thread.join()
""",
    ),
    _hidden(
        265,
        "in folders that nobody may list",
        """
def by_mask():
    os.umask(0o400)
    os.mkdir("masked")
    return "masked"
def by_mode():
    os.mkdir("made", 0o300)
    return "made"
def by_change():
    os.mkdir("changed")
    os.chmod("changed", 0o300)
    return "changed"
for make in (by_mode, by_mask, by_change):
    name = attempt(make.__name__, make)
    if name and not os.stat(name).st_mode & 0o400:
        os.chdir(name)
        break
fill()
"""
        + _PATIENCE
        + "there()",
    ),
    attack(
        266,
        "reserve disk in no time",
        """
number = 0
def reserve(call):
    global number
    for _ in range(5):
        descriptor = os.open(f"r{number}", os.O_RDWR | os.O_CREAT, 0o600)
        kept.append(descriptor)
        number += 1
        call(285, descriptor, 0, 0, 60 << 20)
attempt("by number", lambda: reserve(raw))
attempt("machine code", lambda: reserve(native))
print("""
        + repr(_RESERVED)
        + """, sum(os.fstat(d).st_blocks for d in kept if isinstance(d, int)) * 512 >> 20, sep="",
    flush=True)
""",
        checks=(_reserved_too_much,),
    ),
)
