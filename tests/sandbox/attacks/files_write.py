"""Changing what lies outside the kernel's folder."""

from __future__ import annotations

from typing import Final

from .attack import EVERYWHERE, Attack, attack
from .outcome import Outcome
from .resources import WATCHED

_MOST_BESIDE: Final = 2_500


def _many_beside(outcome: Outcome) -> list[str]:
    """Names beside the working folder, where only sockets belong; gone if the kernel was ended."""
    if not outcome.alive:
        return []
    count = sum(1 for _ in outcome.folder.parent.iterdir())
    return [f"keeps {count} names beside its folder"] * (count > _MOST_BESIDE)


ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        7,
        "chmod and chown a user's file",
        """
handle = attempt("O_PATH", lambda: os.open(T.notes, os.O_PATH))
folder = attempt("O_PATH folder", lambda: os.open(T.home, os.O_PATH))
for name, call in {
    "chmod": lambda: raw(90, T.notes, 0o777),
    "fchmodat": lambda: raw(268, AT_FDCWD, T.notes, 0o777),
    "fchmodat2": lambda: raw(452, handle, "", 0o777, 0x1000),
    "fchmod": lambda: raw(91, handle, 0o777),
    "/proc/self/fd": lambda: os.chmod(f"/proc/self/fd/{handle}", 0o777),
    "dir_fd": lambda: os.chmod("notes.txt", 0o777, dir_fd=folder),
    "chown": lambda: raw(92, T.notes, os.getuid(), os.getgid()),
    "lchown": lambda: raw(94, T.notes, os.getuid(), os.getgid()),
    "fchownat": lambda: raw(260, AT_FDCWD, T.notes, os.getuid(), os.getgid(), 0),
    "machine code": lambda: native(90, T.notes, 0o777),
    "x32": lambda: x32(90, T.notes, 0o777),
    "folder": lambda: raw(90, T.home, 0o777),
    "int 0x80": lambda: int80(15, T.notes, 0o777),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        8,
        "truncate a user's file",
        """
for name, call in {
    "truncate": lambda: os.truncate(T.notes, 0),
    "by number": lambda: raw(76, T.notes, 0),
    "ftruncate": lambda: os.ftruncate(os.open(T.notes, os.O_WRONLY), 1),
    "/proc/self/root": lambda: os.truncate("/proc/self/root" + T.notes, 0),
    "fallocate": lambda: raw(285, os.open(T.notes, os.O_RDWR), 3, 0, 10),
    "machine code": lambda: native(76, T.notes, 0),
    "x32": lambda: x32(76, T.notes, 0),
    "int 0x80": lambda: int80(92, T.notes, 0),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        9,
        "open a user's file for reading and truncate it",
        """
for name, call in {
    "open": lambda: os.open(T.notes, os.O_RDONLY | os.O_TRUNC),
    "creat": lambda: raw(85, T.notes, 0o600),
    "openat2": lambda: raw(437, AT_FDCWD, T.notes, (0o1000).to_bytes(8, "little") + bytes(16), 24),
    "machine code": lambda: native(2, T.notes, 0o1000, 0),
    "int 0x80": lambda: int80(5, T.notes, 0o1000, 0),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        10,
        "overwrite a user's file",
        """
import numpy as np
def by_map():
    descriptor = os.open(T.notes, os.O_RDWR)
    at = libc.mmap(None, PAGE, 3, 1, descriptor, 0)
    ctypes.memmove(at, b"spoiled", 7)
def by_splice():
    reader, writer = os.pipe()
    os.write(writer, b"spoiled")
    raw(275, reader, None, os.open(T.notes, os.O_WRONLY), None, 7, 0)
def by_copy():
    open("source", "w").write("spoiled")
    raw(326, os.open("source", 0), None, os.open(T.notes, os.O_WRONLY), None, 7, 0)
for name, call in {
    "open": lambda: open(T.notes, "w").write("spoiled"),
    "append": lambda: open(T.notes, "a").write("spoiled"),
    "numpy": lambda: np.array([1.0]).tofile(T.notes),
    "mmap": by_map,
    "splice": by_splice,
    "copy_file_range": by_copy,
    "rename over": lambda: (open("mine", "w").write("spoiled"), os.rename("mine", T.notes)),
    "link over": lambda: os.link("source", T.home + "/extra"),
    "magic": lambda: get_ipython().run_cell_magic("writefile", T.notes, "spoiled"),
    "/proc": lambda: open(f"/proc/{T.engine}/root{T.notes}", "w").write("spoiled"),
    "walking": lambda: open("../" * 40 + T.notes[1:], "w").write("spoiled"),
    "machine code": lambda: os.write(native(2, T.notes, 1, 0), b"spoiled"),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        11,
        "delete or move a user's file",
        """
for name, call in {
    "exchange": lambda: (open("mine", "w"), raw(316, AT_FDCWD, T.notes, AT_FDCWD, "mine", 2)),
    "rename into the own folder": lambda: os.rename(T.notes, "stolen"),
    "rename outside": lambda: os.rename(T.notes, T.home + "/elsewhere"),
    "unlink": lambda: os.unlink(T.notes),
    "unlinkat": lambda: raw(263, AT_FDCWD, T.key_file, 0),
    "rmdir": lambda: os.rmdir(T.home + "/.ssh"),
    "machine code": lambda: native(87, T.key_file),
    "x32": lambda: x32(87, T.link),
    "int 0x80": lambda: int80(10, T.link),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        12,
        "change times and attributes of a user's file",
        """
times = (1).to_bytes(8, "little") * 2
for name, call in {
    "utime": lambda: raw(132, T.notes, times),
    "utimes": lambda: raw(235, T.notes, None),
    "futimesat": lambda: raw(261, AT_FDCWD, T.notes, None),
    "utimensat": lambda: raw(280, AT_FDCWD, T.notes, times * 2, 0),
    "setxattr": lambda: os.setxattr(T.notes, "user.tir-attack", b"spoiled"),
    "lsetxattr": lambda: os.setxattr(T.notes, "user.more", b"x", follow_symlinks=False),
    "setxattrat": lambda: raw(463, AT_FDCWD, T.notes, 0, "user.more", bytes(16), 16),
    "removexattr": lambda: os.removexattr(T.notes, "user.tir-attack"),
    "O_PATH": lambda: os.utime(f"/proc/self/fd/{os.open(T.notes, os.O_PATH)}", (1, 1)),
    "file_setattr": lambda: raw(469, AT_FDCWD, T.notes, bytes(24), 24, 0),
    "machine code": lambda: native(132, T.notes, 0),
    "int 0x80": lambda: int80(30, T.notes, 0),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        13,
        "write to /tmp and the like",
        """
for folder in ("/tmp", "/var/tmp", "/run", "/", "/dev"):
    attempt(folder, lambda: open(f"{folder}/{T.token}", "w").write("x"))
    attempt(folder + " folder", lambda: os.mkdir(f"{folder}/{T.token}-folder"))
    attempt(folder + " O_TMPFILE", lambda: kept.append(os.open(folder, 0o20200001, 0o600)))
""",
        checks=(
            lambda o: [
                "a nameless file outside"
                for link in o.new_descriptors
                if "(deleted)" in link and not link.startswith(str(o.folder))
            ],
        ),
    ),
    attack(
        14,
        "write to /dev/shm and message queues",
        """
from multiprocessing import shared_memory
for name, call in {
    "file": lambda: open(f"/dev/shm/{T.token}", "w").write("x"),
    "shm_open": lambda: ctypes.CDLL("librt.so.1").shm_open(f"/{T.token}-a".encode(), 0o102, 0o600),
    "SharedMemory": lambda: shared_memory.SharedMemory(f"{T.token}-b", create=True, size=4096),
    "sem_open": lambda: ctypes.CDLL("libpthread.so.0").sem_open(
        f"/{T.token}-c".encode(), 0o100, 0o600, 1),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        100,
        "make folders, links, pipes and sockets outside",
        """
for name, call in {
    "mkdir": lambda: os.mkdir(T.home + "/a"),
    "symlink": lambda: os.symlink("x", T.home + "/b"),
    "fifo": lambda: os.mkfifo(T.home + "/c"),
    "file": lambda: os.mknod(T.home + "/d"),
    "socket": lambda: __import__("socket").socket(1, 1).bind(T.home + "/e"),
    "socket by mknod": lambda: os.mknod(T.home + "/f", 0o140600),
    "own link": lambda: (open("mine", "w"), os.link("mine", T.home + "/g")),
    "own file": lambda: (open("mine", "w"), os.rename("mine", T.home + "/h")),
    "O_TMPFILE": lambda: raw(265, os.open(T.home, 0o20200002, 0o600), "", AT_FDCWD,
        T.home + "/i", 0x1000),
    "machine code": lambda: native(83, T.home + "/j", 0o700),
    "int 0x80": lambda: int80(39, T.home + "/k", 0o700),
}.items():
    attempt(name, call)
""",
    ),
    attack(
        101,
        "write into a neighbour's folder",
        """
for base in (T.neighbour_folder, f"/proc/{T.neighbour}/cwd",
             f"/proc/{T.neighbour}/root{T.neighbour_folder}"):
    attempt("file", lambda: open(base + "/hidden.txt", "w").write("spoiled"))
    attempt("unlink", lambda: os.unlink(base + "/hidden.txt"))
    attempt("swap", lambda: os.rename(base, base + "-moved"))
for path in T.neighbour_sockets:
    attempt("socket", lambda: os.unlink(path))
attempt("all", lambda: os.rename(os.path.dirname(T.neighbour_folder), "stolen"))
""",
    ),
    attack(
        102,
        "lead the removal of the own folder astray",
        """
for name, call in {
    "link to a folder": lambda: os.symlink(T.home, "link"),
    "link to a file": lambda: os.symlink(T.notes, "link2"),
    "link for the folder": lambda: (os.rename(os.getcwd(), "../moved"),
        os.symlink(T.home, os.path.join("..", "w"))),
    "link beside it": lambda: os.symlink(T.home, "../link"),
    "link beside its parent": lambda: os.symlink(T.home, "../../link"),
    "swap the parent": lambda: (os.rename("..", "../../moved2"),
        os.symlink(T.home, os.path.dirname(T.neighbour_folder) + "/../9")),
    "odd names": lambda: [open(os.fsencode(n), "w") for n in ("a\\nb", "-rf", "*", "\\udcff")],
    "closed folders": lambda: (os.makedirs("x/y/z"), os.chmod("x/y", 0)),
}.items():
    attempt(name, call)
depth = 0
try:
    while depth < 3000:
        os.mkdir("d" * 100)
        os.chdir("d" * 100)
        depth += 1
except OSError:
    pass
attempt("close", lambda: os.chmod(".", 0))
""",
        contained=("none", "partial", "nofs", "full", "full+ns"),
        real=(),
        why="removal follows no link at any level",
    ),
    attack(
        103,
        "replace the sockets that the engine talks to",
        """
import glob, socket
for path in glob.glob("../*"):
    if not os.path.isdir(path):
        def replace(path=path):
            os.unlink(path)
            os.symlink(T.stream_path, path)
        attempt("link " + path, replace)
attempt("bind", lambda: socket.socket(1, 1).bind("../s-1"))
""",
        "1 + 1",
        contained=("none", "partial", "nofs", "full", "full+ns"),
        real=(),
        why="the engine connected before, and never again",
        timeout_s=3,
    ),
    attack(
        104,
        "make own files that cannot be removed",
        """
import fcntl
for name in ("immutable", "append"):
    def mark(name=name):
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT)
        flags = 0x10 if name == "immutable" else 0x20
        fcntl.ioctl(descriptor, 0x40086602, flags.to_bytes(8, "little"))
    attempt(name, mark)
attempt("folder", lambda: fcntl.ioctl(os.open(".", 0), 0x40086602, (0x10).to_bytes(8, "little")))
attempt("file_setattr", lambda: raw(469, AT_FDCWD, "append", (16).to_bytes(24, "little"), 24, 0))
attempt("modes", lambda: (os.makedirs("a/b"), os.chmod("a", 0), os.chmod(".", 0)))
""",
        real=("root",),
        why="only root may mark them so",
    ),
    attack(
        105,
        "fill the folder of its sockets",
        """
import socket
def make(kind, call):
    for number in range(1000):
        call(f"../{kind}{number}")
attempt("sockets", lambda: make("s", lambda path: os.mknod(path, 0o140600)))
attempt("files", lambda: make("f", lambda path: os.close(os.open(path, os.O_CREAT | os.O_WRONLY))))
attempt("folders", lambda: make("d", os.mkdir))
attempt("links", lambda: make("l", lambda path: os.symlink("x", path)))
attempt("moved", lambda: make("m", lambda path: (open("own", "w"), os.rename("own", path))))
attempt("bound", lambda: make("b", lambda path: socket.socket(1, 1).bind(path)))
""",
        checks=(_many_beside,),
        contained=EVERYWHERE,
        real=(),
        why=WATCHED,
    ),
)
