"""Reading what lies outside the kernel's folder, by every road that we know."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .attack import BOXED, NAMESPACES, Attack, attack
from .outcome import Outcome


def _passwd_handed_out(outcome: Outcome) -> list[str]:
    first = Path("/etc/passwd").read_text(encoding="utf-8").splitlines()[0]
    return ["handed out: /etc/passwd"] * (first in outcome.output)


def _project_handed_out(outcome: Outcome) -> list[str]:
    return ["handed out: the project's files"] * ("[build-system]" in outcome.output)


def _repository_handed_out(outcome: Outcome) -> list[str]:
    head = Path(".git/HEAD")
    said = head.is_file() and head.read_text(encoding="utf-8").strip() in outcome.output
    return ["handed out: the project's repository"] * said


def _watches(outcome: Outcome) -> list[str]:
    return ["watched a folder of others"] * ("saw a change" in outcome.output)


_READ: Final = "read_everyhow({})"

_PROBE: Final = """
import errno
def told_apart(probe):
    # A way of asking is of use when it answers differently about what exists and what does not.
    answers = {}
    for name in (*T.probes, T.home, T.home + "/missing"):
        try:
            probe(name)
            answers[name] = 0
        except OSError as error:
            answers[name] = error.errno
    if answers[T.home] == answers[T.home + "/missing"] and len(set(answers.values())) == 1:
        return "alike"
    missing = answers[T.home + "/missing"]
    print("what exists:", "".join("01"[answers[name] != missing] for name in T.probes))
    return "apart"
"""

_STAT: Final = """
buffer = ctypes.create_string_buffer(512)
handle = ctypes.create_string_buffer((128).to_bytes(4, "little") + bytes(132))
mount = ctypes.c_int()
probes = {
    "stat": os.stat,
    "lstat": os.lstat,
    "access": lambda p: raw(21, p, 0),
    "faccessat": lambda p: raw(269, AT_FDCWD, p, 0),
    "faccessat2": lambda p: raw(439, AT_FDCWD, p, 0, 0x200),
    "stat by number": lambda p: raw(4, p, buffer),
    "newfstatat": lambda p: raw(262, AT_FDCWD, p, buffer, 0),
    "statx": lambda p: raw(332, AT_FDCWD, p, 0, 0x7ff, buffer),
    "statfs": lambda p: raw(137, p, buffer),
    "open": lambda p: os.close(os.open(p, os.O_RDONLY)),
    "O_PATH": lambda p: os.close(os.open(p, os.O_PATH)),
    "openat2": lambda p: raw(437, AT_FDCWD, p, bytes(24), 24),
    "readlink": lambda p: os.readlink(p),
    "chdir": os.chdir,
    "mkdir": lambda p: os.mkdir(p + "/x"),
    "rename": lambda p: os.rename(p, p),
    "link": lambda p: os.link(p, "here2"),
    "unlink": lambda p: os.unlink(p + "/x"),
    "truncate": lambda p: raw(76, p + "/x", 0),
    "chmod": lambda p: raw(90, p + "/x", 0o600),
    "utime": lambda p: raw(132, p + "/x", None),
    "getxattr": lambda p: os.getxattr(p, "user.none"),
    "listxattr": os.listxattr,
    "setxattr": lambda p: os.setxattr(p + "/x", "user.none", b""),
    "handle": lambda p: raw(303, AT_FDCWD, p, handle, ctypes.byref(mount), 0),
    "inotify": lambda p: raw(254, raw(294, 0), p, 2),
    "execve": lambda p: raw(59, p, None, None),
    "dlopen": lambda p: ctypes.CDLL(p),
    "uselib": lambda p: raw(134, p),
    "swapon": lambda p: raw(167, p, 0),
    "quotactl": lambda p: raw(179, 0x80000700, p, 0, buffer),
    "umount": lambda p: raw(166, p, 8),
    "connect": lambda p: __import__("socket").socket(1, 1).connect(p),
    "mknod": lambda p: os.mkfifo(p + "/x"),
    "symlink": lambda p: os.symlink("x", p + "/x"),
    "open_tree": lambda p: os.close(raw(428, AT_FDCWD, p, 0x80000)),
    "fsopen": lambda p: raw(433, AT_FDCWD, p, 0),
    "shmget by ftok": lambda p: None if libc.ftok(p.encode(), 1) != -1 else os.stat(p),
    "import": lambda p: __import__("importlib.util").util.spec_from_file_location("m", p).loader
        .path_stats(p),
}
here = os.getcwd()
for name, probe in probes.items():
    attempt(name, lambda probe=probe: told_apart(probe))
    attempt("back", lambda: os.chdir(here))
"""

_SIZES: Final = """
for path in (T.key_file, T.notes):
    for name, call in {"stat": os.stat, "lstat": os.lstat}.items():
        attempt(name, lambda: print("size", call(path).st_size, "time", call(path).st_mtime_ns))
"""


def _sizes_handed_out(outcome: Outcome) -> list[str]:
    return ["handed out: sizes and times of files"] * ("size 32 time" in outcome.output)


ATTACKS: Final[tuple[Attack, ...]] = (
    attack(1, "read /etc/passwd", _READ.format("'/etc/passwd'"), checks=(_passwd_handed_out,)),
    attack(2, "read a planted ~/.ssh/id_rsa", _READ.format("T.key_file")),
    attack(
        3,
        "list the home folder",
        """
import glob
def by_number():
    descriptor = raw(2, T.home, 0x10000, 0)
    buffer = ctypes.create_string_buffer(8192)
    return buffer.raw[: raw(217, descriptor, buffer, 8192)]
def by_path_descriptor():
    descriptor = os.open(T.home, os.O_PATH)
    return os.listdir(os.open(".", 0, dir_fd=descriptor))
def by_chdir():
    os.chdir(T.home)
    return os.listdir(".")
for name, call in {
    "listdir": lambda: os.listdir(T.home),
    "scandir": lambda: [e.name for e in os.scandir(T.home)],
    "glob": lambda: glob.glob(T.home + "/*"),
    "glob from here": lambda: glob.glob("../" * 40 + T.home[1:] + "/*"),
    "getdents": by_number,
    "O_PATH": by_path_descriptor,
    "/proc": lambda: os.listdir(f"/proc/{T.engine}/root{T.home}"),
    "own /proc": lambda: os.listdir("/proc/self/root" + T.home),
    "by walking": lambda: list(os.walk(T.home)),
    "chdir": by_chdir,
}.items():
    print(attempt(name, call))
""",
    ),
    attack(
        4,
        "read through a symbolic link in the own folder",
        """
def read(link, target, path):
    os.symlink(target, link)
    return open(path).read()
print(attempt("file", lambda: read("a", T.key_file, "a")))
print(attempt("folder", lambda: read("b", T.home, "b/.ssh/id_rsa")))
print(attempt("relative", lambda: read("c", "../" * 40, "c" + T.key_file)))
print(attempt("chain", lambda: read("d", "a", "d")))
up = f"/proc/{T.engine}/cwd/../../../../../.."
print(attempt("/proc", lambda: read("e", up, "e" + T.key_file)))
""",
    ),
    attack(
        5,
        "hard link to the key in the own folder",
        """
handle = attempt("O_PATH", lambda: os.open(T.key_file, os.O_PATH))
for name, call in {
    "link": lambda: os.link(T.key_file, "l1"),
    "by number": lambda: raw(86, T.key_file, "l2"),
    "linkat": lambda: raw(265, AT_FDCWD, T.key_file, AT_FDCWD, "l3", 0),
    "magic link": lambda: raw(265, AT_FDCWD, f"/proc/self/fd/{handle}", AT_FDCWD, "l4", 0x400),
    "empty path": lambda: raw(265, handle, "", AT_FDCWD, "l5", 0x1000),
    "machine code": lambda: native(86, T.key_file, "l6"),
    "outside": lambda: os.link(T.key_file, T.home + "/l7"),
    "int 0x80": lambda: int80(9, T.key_file, "l8"),
}.items():
    attempt(name, call)
for number in range(1, 9):
    print(attempt(f"l{number}", lambda: open(f"l{number}").read()))
""",
    ),
    attack(6, "find out which paths exist", _PROBE + _STAT, contained=NAMESPACES),
    attack(
        87,
        "sizes and times of files outside",
        _SIZES,
        contained=NAMESPACES,
        checks=(_sizes_handed_out,),
    ),
    attack(
        36,
        "read a neighbour's folder and files",
        """
print(attempt("list", lambda: os.listdir(T.neighbour_folder)))
read_everyhow(T.neighbour_folder + "/hidden.txt")
read_everyhow(f"/proc/{T.neighbour}/cwd/hidden.txt")
read_everyhow(f"/proc/{T.neighbour}/root{T.neighbour_folder}/hidden.txt")
import glob
for base in {os.path.dirname(os.path.dirname(T.neighbour_folder)), "../..", "../../.."}:
    for found in glob.glob(base + "/*/w/*") + glob.glob(base + "/*/*/w/*"):
        print(attempt(found[-30:], lambda: open(found).read()))
""",
    ),
    attack(
        88,
        "read the target of a symbolic link outside",
        """
for name, call in {
    "readlink": lambda: os.readlink(T.link),
    "readlinkat": lambda: os.readlink("link", dir_fd=os.open(T.home, os.O_PATH)),
    "machine code": lambda: ctypes.string_at(
        (b := low_memory(bytes(200))), native(89, T.link, b, 200)),
    "realpath": lambda: os.path.realpath(T.link),
}.items():
    print(attempt(name, call))
""",
    ),
    attack(
        89,
        "read an extended attribute outside",
        """
for name, call in {
    "getxattr": lambda: os.getxattr(T.notes, "user.tir-attack"),
    "lgetxattr": lambda: os.getxattr(T.notes, "user.tir-attack", follow_symlinks=False),
    "O_PATH": lambda: os.getxattr(
        f"/proc/self/fd/{os.open(T.notes, os.O_PATH)}", "user.tir-attack"),
    "machine code": lambda: ctypes.string_at(
        (b := low_memory(bytes(200))), native(191, T.notes, "user.tir-attack", b, 200)),
    "getxattrat": lambda: raw(464, AT_FDCWD, T.notes, 0, "user.tir-attack", bytes(16), 16),
}.items():
    print(attempt(name, call))
""",
        contained=BOXED,
    ),
    attack(
        90,
        "read what other processes have open or work in",
        """
for pid in (T.engine, T.victim, T.warm, T.neighbour, 1):
    for link in ("cwd", "root", "exe"):
        attempt(f"{pid} {link}", lambda: print(os.listdir(f"/proc/{pid}/{link}")[:5]))
    read_everyhow(f"/proc/{pid}/root{T.key_file}")
for path in (
    f"/proc/{T.engine}/fd/{T.engine_descriptor}",
    f"/proc/{T.victim}/fd/{T.victim_descriptor}",
):
    def read_start(path=path):
        descriptor = os.open(path, os.O_RDONLY)
        return os.pread(descriptor, 100, 0)
    print(attempt(path, read_start))
""",
    ),
    attack(
        91,
        "read a file beside the installed packages",
        """
read_everyhow(T.prefix_file or sys.prefix + "/pip.conf")
for base in (sys.prefix, sys.base_prefix):
    attempt(base, lambda: print(os.listdir(base)))
""",
        real=("root", "user"),
    ),
    attack(
        92,
        "read the project's repository",
        """
read_everyhow(T.project + "/.git/HEAD")
read_everyhow(T.project + "/.git/config")
""",
        checks=(_repository_handed_out,),
    ),
    attack(
        93,
        "read the project's other files",
        'read_everyhow(T.project + "/pyproject.toml")',
        checks=(_project_handed_out,),
    ),
    attack(
        94,
        "read from another folder that modules come from",
        """
read_everyhow(T.library + "/credentials.txt")
for path in sys.path:
    attempt(path, lambda: print(open(path + "/credentials.txt").read()))
""",
    ),
    attack(
        95,
        "import and run a file outside",
        """
import importlib, runpy
sys.path.insert(0, T.home)
attempt("import", lambda: importlib.import_module("lure"))
attempt("runpy", lambda: runpy.run_path(T.home + "/lure.py"))
attempt("magic", lambda: get_ipython().run_line_magic("run", T.home + "/lure.py"))
attempt("load", lambda: get_ipython().run_line_magic("cat", T.home + "/lure.py"))
""",
    ),
    attack(
        96,
        "watch a folder outside for changes",
        """
import select
def by_inotify():
    descriptor = raw(294, 0x800)
    raw(254, descriptor, T.home, 0xfff)
    raw(254, descriptor, os.path.dirname(T.home), 0xfff)
    kept.append(descriptor)
    attempt("touch", lambda: open(T.home + "/touched", "w"))
    return os.read(descriptor, 4096)
def by_dnotify():
    import fcntl
    fcntl.fcntl(os.open(T.home, os.O_RDONLY), fcntl.F_NOTIFY, 4)
    return b"dnotify"
def by_fanotify():
    descriptor = raw(300, 0x200, 0)
    raw(301, descriptor, 1, 0x8000020, AT_FDCWD, T.home)
    return b"fanotify"
for call in (by_inotify, by_dnotify, by_fanotify):
    if attempt(call.__name__, call):
        print("saw a change")
""",
        checks=(_watches,),
    ),
    attack(
        97,
        "load a shared library outside",
        """
import shutil
source = next(p for p in (T.home + "/lure.py", T.key_file))
def refused_for_its_format(path):
    # The loader says what is wrong with a file that it could read.
    try:
        ctypes.CDLL(path)
    except OSError as error:
        return "read it" if "invalid ELF header" in str(error) or "too short" in str(error) else 0
    return "loaded it"
print(attempt("dlopen", lambda: refused_for_its_format(T.notes)))
""",
        checks=(lambda o: ["loaded a file outside"] * ("read it" in o.results[-1].stdout),),
    ),
)
