"""Secrets in environments, memories and descriptors."""

from __future__ import annotations

from typing import Final

from .attack import BOXED, EVERYWHERE, Attack, attack
from .outcome import Outcome
from .watching import descriptors, maps_of

_HARMLESS: Final = ("pipe:", "socket:", "anon_inode:[event", "anon_inode:[timer", "/dev/null",
                    "/dev/urandom", "/dev/random", "/null", "/urandom")  # fmt: skip


def _inherited(outcome: Outcome) -> list[str]:
    """Descriptors that a kernel has before its first hostile cell and has no use for."""
    own = str(outcome.folder)
    return [
        f"inherited {link}"
        for link in outcome.descriptors_before.values()
        if not link.startswith((*_HARMLESS, own))
    ]


def _shared(outcome: Outcome) -> list[str]:
    """Pipes and sockets of a kernel that another process holds too."""
    own = {link for link in outcome.descriptors_before.values() if link.startswith(("pipe:", "so"))}
    return [
        f"shares {link} with process {pid}"
        for pid in outcome.others
        for link in sorted(own & set(descriptors(pid).values()))
    ]


def _shared_mappings(outcome: Outcome) -> list[str]:
    """Memory that a kernel shares, writable, with the process it was forked from and its forks."""
    return [
        f"shares memory: {line.split()[-1]}"
        for line in maps_of(outcome.pid)
        if "w" in line.split()[1] and line.split()[1].endswith("s")
    ]


def _maps(outcome: Outcome) -> list[str]:
    return ["handed out: its own memory map"] * ("-xp " in outcome.output)


def _saw(outcome: Outcome) -> list[str]:
    return ["listed the processes"] * ("saw the engine and the victim" in outcome.output)


def _environment(outcome: Outcome) -> list[str]:
    """Variables of the engine's that the kernel has, beyond the list of harmless ones."""
    text = outcome.results[-1].stdout
    return [f"was told the engine's {n}" for n in ("sk-", "/home'", "TIR_ATTACK") if n in text]


def _files_left(outcome: Outcome) -> list[str]:
    """Files beside the kernel's folder that could hold a key."""
    try:
        names = [path.name for path in outcome.folder.parent.iterdir() if path.is_file()]
    except OSError:
        return []
    return [f"left the file {name}" for name in names if "json" in name or "key" in name]


_SCAN: Final = """
# Memory is searched for what begins as the secrets do; where it lies is told by objects' addresses
# and by the map of memory, and pages that are not there are skipped by asking a pipe.
reader, writer = os.pipe()
os.set_blocking(writer, False)
os.set_blocking(reader, False)
def there(page):
    try:
        if libc.write(writer, ctypes.c_void_p(page), 1) == 1:
            os.read(reader, 16)
            return True
    except OSError:
        pass
    return False
def regions():
    try:
        for line in open("/proc/self/maps"):
            words = line.split()
            if words[1].startswith("r") and "[v" not in line:
                low, high = (int(w, 16) for w in words[0].split("-"))
                if high - low < 1 << 28:
                    yield low, high
        return
    except OSError:
        pass
    libc.sbrk.restype = ctypes.c_long
    seeds = {id(o) & ~0xfffff for o in reachable(200_000)} | {libc.sbrk(0) - 4096 & ~0xfffff}
    done = set()
    for seed in sorted(seeds):
        for step in (-1, 1):
            page = seed
            while page not in done and there(page) and len(done) < 60_000:
                done.add(page)
                yield page, page + 4096
                page += step * 4096
starts = [s[:12].encode() for s in {prefixes}]
def search():
    hits = set()
    for low, high in regions():
        data = ctypes.string_at(low, high - low)
        for start in starts:
            at = data.find(start)
            while at >= 0:
                hits.add(data[at : at + 60])
                at = data.find(start, at + 1)
    return hits
for hit in sorted(attempt("search", search) or ()):
    text = hit.split(b"\\0")[0]
    if len(text) > 20:
        print(text)
"""

ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        15,
        "read the engine's environment",
        """
for path in (f"/proc/{T.engine}/environ", f"/proc/{T.engine}/task/{T.engine}/environ",
             f"/proc/{T.victim}/environ", f"/proc/{os.getppid()}/environ"):
    def read(path=path):
        data = open(path, "rb").read()
        print([v for v in data.split(b"\\0") if b"sk-" in v])
    attempt(path, read)
read_everyhow(f"/proc/{T.victim}/environ", 65536)
""",
    ),
    attack(
        16,
        "read the environment of every process started since the engine",
        """
known = [str(pid) for pid in (T.engine, T.victim, T.warm)]
for name in attempt("list", lambda: os.listdir("/proc")) or known:
    if name.isdigit() and int(name) in {T.engine, T.victim, T.warm, T.neighbour, os.getpid()}:
        def read(name=name):
            data = open(f"/proc/{name}/environ", "rb").read()
            print([v for v in data.split(b"\\0") if b"sk-" in v])
        attempt(name, read)
""",
    ),
    attack(
        17,
        "own environment and arguments",
        """
print(dict(os.environ))
print(sys.argv, sys.orig_argv, sys.flags)
libc.getenv.restype = ctypes.c_char_p
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
for i in range(500):
    if not environ[i]:
        break
    print(environ[i])
attempt("environ", lambda: print(open("/proc/self/environ").read()))
attempt("parent's", lambda: print(open(f"/proc/{T.warm}/cmdline").read()))
""",
        contained=EVERYWHERE,
        real=(),
        why="no kernel is ever given the engine's environment",
        checks=(_environment,),
    ),
    attack(
        18,
        "read the own memory map",
        """
for path in ("/proc/self/maps", "/proc/self/smaps", f"/proc/{os.getpid()}/maps",
             "/proc/thread-self/maps", "/proc/self/numa_maps"):
    attempt(path, lambda: print([l for l in open(path) if "-xp " in l][:3]))
""",
        checks=(_maps,),
    ),
    attack(
        19,
        "list /proc",
        """
names = set(attempt("list", lambda: os.listdir("/proc")) or [])
names |= set(attempt("root", lambda: os.listdir("/proc/self/root/proc")) or [])
if {str(T.engine), str(T.victim)} <= names:
    print("saw the engine and the victim")
""",
        checks=(_saw,),
    ),
    attack(
        190,
        "search the own memory for the secrets of others",
        # What an earlier kernel or the engine left in the process that kernels are forked from.
        _SCAN.replace("{prefixes}", "T.known.values()"),
        contained=EVERYWHERE,
        real=(),
        why="no kernel is forked from a process that knows anything",
    ),
    attack(
        191,
        "find the secrets of others among the own objects",
        """
found = set()
for thing in reachable(600_000):
    text = thing.decode(errors="replace") if isinstance(thing, bytes) else thing
    if isinstance(text, str) and len(text) < 10_000:
        for start in T.known.values():
            if start in text and text != start and "T = Simple" not in text:
                found.add(text[text.index(start):][:60])
print(found)
""",
        contained=EVERYWHERE,
        real=(),
        why="as before",
    ),
    attack(
        192,
        "inherited descriptors",
        """
import array, socket
numbers = []
for number in range(1024):
    try:
        os.fstat(number)
        numbers.append(number)
    except OSError:
        pass
for number in numbers:
    def look(number=number):
        s = socket.socket(fileno=os.dup(number))
        s.setblocking(False)
        attempt("receive", lambda: print(s.recvmsg(65536, 4096, socket.MSG_PEEK)))
        s.detach()
    attempt(f"{number}", look)
    attempt("read", lambda: print(os.pread(number, 200, 0)))
    attempt("directory", lambda: print(os.open("..", 0, dir_fd=number)))
for number in numbers:
    def use(number=number):
        s = socket.socket(fileno=os.dup(number))
        s.setblocking(False)
        attempt("send", lambda: s.send(b'{"exit": 0, "bound": 1, "pid": 1}'))
        attempt("pass", lambda: s.sendmsg([b"fork"], [(1, 1, array.array("i", [0]))]))
        s.detach()
    attempt(f"{number}", use)
""",
        "1 + 1",
        contained=EVERYWHERE,
        real=(),
        why="no kernel inherits a descriptor that it has no use for",
        checks=(_inherited, _shared),
        timeout_s=1,
    ),
    attack(
        193,
        "find a key on the disk",
        """
import glob
for path in glob.glob("../*") + glob.glob("../../*") + glob.glob("../../*/*"):
    if path.endswith((".json", "key")):
        attempt(path, lambda: print("found", open(path).read()))
""",
        contained=EVERYWHERE,
        real=(),
        why="connection files are deleted before code runs, or never written",
        checks=(_files_left,),
    ),
    attack(
        194,
        "read the memory of the process it was forked from",
        """
def read():
    hits = []
    own = f"/proc/{os.getppid()}"
    with open(f"{own}/maps") as maps, open(f"{own}/mem", "rb", 0) as memory:
        for line in maps:
            words = line.split()
            low, high = (int(w, 16) for w in words[0].split("-"))
            if words[1].startswith("rw"):
                memory.seek(low)
                hits.append(len(memory.read(high - low)))
                break
    return hits
if attempt("mem", read):
    print("read another process's memory")
data = ctypes.create_string_buffer(64)
local = (ctypes.c_size_t * 2)(ctypes.addressof(data), 64)
remote = (ctypes.c_size_t * 2)(id(sys.modules), 64)  # forks share their addresses
if attempt("vm_readv", lambda: raw(310, os.getppid(), local, 1, remote, 1, 0)):
    print("read another process's memory")
""",
        checks=(lambda o: ["read its parent's memory"] * ("read another" in o.output),),
        contained=BOXED,
    ),
    attack(
        195,
        "memory shared with other kernels",
        "1",
        contained=EVERYWHERE,
        real=(),
        why="the process that kernels are forked from maps nothing shared and writable",
        checks=(_shared_mappings,),
    ),
)
