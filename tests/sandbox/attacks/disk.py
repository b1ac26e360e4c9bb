"""Taking more of the disk than a kernel may have. Every bomb is bounded."""

from __future__ import annotations

from typing import Final

from .attack import EVERYWHERE, Attack, attack
from .outcome import WRITE_BYTES, Outcome
from .resources import PROCESS_LIMIT, WATCHED

_MOST_ENTRIES: Final = 20_000


def _too_much_disk(outcome: Outcome) -> list[str]:
    """A kernel may be ended after the fact; what counts is that it does not keep the space."""
    written, entries = outcome.disk_now
    found = [f"kept {written >> 20} MB of disk"] * (written > WRITE_BYTES * 5 // 4)
    return found + [f"kept {entries} files"] * (entries > _MOST_ENTRIES)


def _hard_disk_limit(outcome: Outcome) -> list[str]:
    """Where the folder is a tmpfs, there is not even a moment of more."""
    more = outcome.peaks.written_bytes > WRITE_BYTES * 5 // 4
    return ["wrote more than it may for a moment"] * (more and outcome.level == "full+ns")


ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        55,
        "fill the disk with files",
        """
block = os.urandom(1 << 20)
def fill():
    for number in range(40):
        with open(f"f{number}", "wb") as file:
            for _ in range(8):
                file.write(block)
attempt("files", fill)
time.sleep(T.watched_s)
""",
        checks=(_too_much_disk, _hard_disk_limit),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
    attack(
        204,
        "fill the disk with files without a name",
        """
block = os.urandom(1 << 20)
def fill():
    for number in range(40):
        descriptor = os.open(f"f{number}", os.O_RDWR | os.O_CREAT)
        os.unlink(f"f{number}")
        kept.append(descriptor)
        for _ in range(8):
            os.write(descriptor, block)
def nameless():
    for number in range(40):
        descriptor = os.open(".", 0o20200002, 0o600)
        kept.append(descriptor)
        for _ in range(8):
            os.write(descriptor, block)
attempt("unlinked", fill)
attempt("O_TMPFILE", nameless)
time.sleep(T.watched_s)
""",
        checks=(_too_much_disk, _hard_disk_limit),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
    attack(
        205,
        "fill the disk by mappings and reservations",
        """
def reserve():
    for number in range(10):
        descriptor = os.open(f"r{number}", os.O_RDWR | os.O_CREAT)
        kept.append(descriptor)
        raw(285, descriptor, 0, 0, 60 << 20)
def beyond_the_end():
    descriptor = os.open("b", os.O_RDWR | os.O_CREAT)
    raw(285, descriptor, 1, 0, 200 << 20)
def mapped():
    for number in range(8):
        descriptor = os.open(f"m{number}", os.O_RDWR | os.O_CREAT)
        os.truncate(descriptor, 40 << 20)
        at = libc.mmap(None, 40 << 20, 3, 1, descriptor, 0)
        for page in range(0, 40 << 20, 4096):
            ctypes.memset(at + page, 1, 1)
attempt("beyond", beyond_the_end)
attempt("reserve", reserve)
attempt("mapped", mapped)
time.sleep(T.watched_s)
""",
        checks=(_too_much_disk, _hard_disk_limit),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
    attack(
        56,
        "one huge file",
        """
def write():
    with open("huge", "wb") as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
def sparse():
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)
attempt("sparse", sparse)
attempt("write", write)
print("sizes:", [n for n in os.listdir(".") if os.stat(n).st_size > 70 << 20])
""",
        checks=(
            _too_much_disk,
            lambda o: ["made a huge file"] * ("sizes: ['" in o.results[-1].stdout),
        ),
        contained=EVERYWHERE,
        real=(),
        why=PROCESS_LIMIT,
    ),
    attack(
        57,
        "use up the names of files",
        """
def many():
    for number in range(30_000):
        os.close(os.open(f"i{number}", os.O_CREAT | os.O_WRONLY))
def folders():
    for number in range(10_000):
        os.mkdir(f"d{number}")
def links():
    for number in range(10_000):
        os.link("i0", f"l{number}")
attempt("files", many)
attempt("folders", folders)
attempt("links", links)
time.sleep(T.watched_s)
""",
        checks=(_too_much_disk,),
        timeout_s=40,
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
    attack(
        206,
        "deep folders and long names",
        """
def deep():
    for _ in range(2000):
        os.mkdir("n" * 200)
        os.chdir("n" * 200)
attempt("deep", deep)
attempt("attributes", lambda: [os.setxattr(".", f"user.a{n}", bytes(60000)) for n in range(2000)])
""",
        contained=EVERYWHERE,
        real=(),
        why="depth is no harm as long as the folder can be removed",
    ),
    attack(
        207,
        "memory in attributes of own files",
        """
open("own", "w")
total = 0
def fill(name):
    global total
    for file in range(200):
        open(f"{name}{file}", "w")
        for n in range(20):
            os.setxattr(f"{name}{file}", f"user.a{n}", bytes(60_000))
            total += 60_000
attempt("attributes", lambda: fill("a"))
print("kept", total)
""",
        checks=(
            lambda o: [
                f"kept {n >> 20} MB of attributes"
                for n in (
                    int(w.split()[1])
                    for w in o.results[-1].stdout.splitlines()
                    if w.startswith("kept ")
                )
                if n > WRITE_BYTES
            ],
        ),
        real=(),
        why="the file systems of this machine hold few attributes a file",
        contained=EVERYWHERE,
    ),
)
