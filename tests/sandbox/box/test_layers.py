"""Each level of the box, entered for real, as it looks from outside."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

Boxed = Callable[..., dict[str, Any]]
SEALED = ["full+ns", "full", "nofs", "seccomp"]
CONFINED_FILES = ["full+ns", "full", "nofs", "landlock"]
BOXED = [*SEALED, "landlock"]
INSTALLED = {"module.py": "kept"}
UNTOUCHED = {"names": ["secret"], "secret": "kept", "mode": 0o644, "time": 1e9}


@pytest.mark.parametrize("level", BOXED)
def test_no_capability_and_no_privilege_is_left(
    boxed: Boxed, identity: dict[str, int], level: str
) -> None:
    found = boxed(level, "")
    status = found["status"]["status"]
    assert {status[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    if not identity and os.geteuid() == 0:
        assert status["CapBnd"] == "0" * 16


@pytest.mark.parametrize("level", SEALED)
def test_all_threads_are_sealed(boxed: Boxed, level: str) -> None:
    found = boxed(
        level,
        "import threading; t = threading.Thread(target=lambda: say(tried(os.fork)));"
        "t.start(); t.join()",
        before="import os, threading",
        threads=3,
    )
    assert found["status"]["threads"] == ["2"] * 4
    assert found["said"] == ["EPERM"]


def test_limits_are_set_and_cannot_be_raised(boxed: Boxed) -> None:
    found = boxed(
        "full",
        """
def set(kind, soft, hard):
    try:
        resource.setrlimit(kind, (soft, hard))
        say("set")
    except (OSError, ValueError):
        say("kept")
for kind in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE):
    soft, hard = resource.getrlimit(kind)
    set(kind, soft, hard + 1)
set(resource.RLIMIT_CORE, 0, 0)
set(resource.RLIMIT_NOFILE, 100, 256)
say(tried(lambda: bytearray(2**29)))
say(tried(lambda: bytearray(2**25)))
""",
        before="""
import contextlib, resource
with contextlib.suppress(ValueError):  # as some machines let users
    for kind in (resource.RLIMIT_NICE, resource.RLIMIT_RTPRIO):
        resource.setrlimit(kind, (10, 10))
""",
    )
    assert found["said"] == ["kept", "kept", "kept", "kept", "set", "MemoryError", "done"]
    limits = found["status"]["limits"]
    # 0 would not keep Linux from starting a program that collects core dumps.
    assert limits["Max core file size"] == ["1", "1"]
    assert limits["Max open files"] == ["256", "256"]
    assert limits["Max file size"] == [str(1 << 20)] * 2
    assert limits["Max locked memory"] == ["0", "0"]
    assert limits["Max pending signals"] == ["128", "128"]
    assert limits["Max nice priority"] == limits["Max realtime priority"] == ["0", "0"]
    assert int(limits["Max address space"][0]) > 1 << 28
    assert limits["Max address space"][0] == limits["Max address space"][1]


@pytest.mark.parametrize("level", [*BOXED, "none"])
def test_a_child_stands_back_behind_others(boxed: Boxed, level: str) -> None:
    found = boxed(
        level,
        "say(os.getpriority(os.PRIO_PROCESS, 0))",
        before="import os; say(os.getpriority(os.PRIO_PROCESS, 0))",
    )
    before, after = found["said"]
    assert after == min(before + 5, 19)


@pytest.mark.parametrize("level", SEALED)
def test_all_threads_share_one_table_of_descriptors(boxed: Boxed, level: str) -> None:
    code = """
def number(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")
for flags in (2, 6, 8):
    say(tried(lambda: number(436, 200, 0xFFFFFFFF, flags)))
descriptor = os.dup(0)
say(tried(lambda: number(436, descriptor, descriptor, 0)))
say(tried(lambda: os.fstat(descriptor)))
"""
    found = boxed(level, code, before="import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)")
    assert found["said"] == ["EINVAL"] * 3 + ["done", "EBADF"]


@pytest.mark.parametrize("level", ["full+ns", "full", "seccomp"])
def test_a_child_can_list_every_folder_that_it_makes(boxed: Boxed, level: str) -> None:
    code = """
for mode in (0, 0o300, 0o577, 0o700, 0o777):
    say(tried(lambda: os.mkdir(f"m{mode}", mode)))
os.umask(0o777)
say(tried(lambda: os.mkdir("masked")))
os.mkdir("changed")
os.chmod("changed", 0)
say(all(os.stat(name).st_mode & 0o700 == 0o700 for name in os.listdir(".")))
say(os.umask(0o077) & 0o700)
say(os.umask(0o077))
"""
    found = boxed(level, code, before="import os")
    assert found["said"] == ["EACCES"] * 3 + ["done"] * 3 + [True, 0, 0o077]


@pytest.mark.parametrize(
    ("level", "expected"),
    [("full+ns", 0), ("full", errno.EOPNOTSUPP), ("seccomp", errno.EOPNOTSUPP)],
)
def test_space_is_reserved_only_in_a_file_system_of_its_own(
    boxed: Boxed, level: str, expected: int
) -> None:
    code = """
descriptor = os.open("reserved", os.O_RDWR | os.O_CREAT)
result = libc.syscall(fallocate, descriptor, 0, ctypes.c_long(0), ctypes.c_long(65536))
say(result and ctypes.get_errno())
say(tried(lambda: os.posix_fallocate(descriptor, 0, 65536)))
say(os.fstat(descriptor).st_size)
"""
    before = """
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
fallocate = 285 if platform.machine() == "x86_64" else 47
"""
    found = boxed(level, code, before=before)
    assert found["said"] == [expected, "done", 65536]  # the C library makes up for it


def test_level_none_has_the_limits_and_nothing_else(boxed: Boxed) -> None:
    found = boxed("none", "say(tried(lambda: open(outside + '/secret')))")
    assert found["said"] == ["done"]
    assert found["status"]["status"]["NoNewPrivs"] == "0"
    assert found["status"]["limits"]["Max open files"] == ["256", "256"]


FILES = """
for call in (
    lambda: open(secret).read(),
    lambda: open(secret, "w").write("changed"),
    lambda: open(secret, "a").write("changed"),
    lambda: os.open(secret, os.O_RDONLY | os.O_TRUNC),
    lambda: os.open(secret, 3),
    lambda: os.open(outside + "/new", os.O_WRONLY | os.O_CREAT),
    lambda: os.open(outside, os.O_RDONLY | os.O_DIRECTORY),
    lambda: os.listdir(outside),
    lambda: os.open(outside, os.O_TMPFILE | os.O_RDWR),
    lambda: os.mkdir(outside + "/new"),
    lambda: os.unlink(secret),
    lambda: os.rename(secret, outside + "/moved"),
    lambda: os.rename(secret, "moved"),
    lambda: os.rename("own", outside + "/moved"),
    lambda: os.link(secret, "linked"),
    lambda: os.symlink(secret, "linked"),
    lambda: os.mkfifo("fifo"),
    lambda: os.open("/proc/self/maps", os.O_RDONLY),
    lambda: os.open(f"/proc/{outsider}/environ", os.O_RDONLY),
    lambda: os.listdir("/proc"),
    lambda: os.listdir("/"),
    lambda: os.listdir(own),
    lambda: os.open(own + "/x", os.O_WRONLY | os.O_CREAT),
    lambda: os.open(own + "/../k2/w/theirs", os.O_RDONLY),
    lambda: os.open(installed, os.O_WRONLY),
):
    say(tried(call))
for call in (
    lambda: os.truncate(installed, 0),
    lambda: os.truncate(secret, 0),
    lambda: os.chmod(secret, 0o777),
    lambda: os.utime(secret, (1, 1)),
    lambda: os.chown(secret, 1, 1),
    lambda: os.setxattr(secret, "user.x", b"y"),
):
    tried(call)
"""
NAMES = "import os; secret = outside + '/secret'\n"


@pytest.mark.parametrize("level", ["full+ns", "full", "nofs"])
def test_nothing_outside_is_read_or_changed(boxed: Boxed, level: str) -> None:
    own = "" if level == "nofs" else "open('own', 'w').close()\n"
    found = boxed(level, own + FILES, before=NAMES)
    assert "failed" not in found
    assert found["outside"] == UNTOUCHED
    assert found["installation"] == INSTALLED
    assert len(found["said"]) == 25
    assert "done" not in found["said"]
    if level == "full+ns":
        assert set(found["said"][:3]) == {"ENOENT"}
        assert set(found["said"][17:20]) == {"ENOENT"}


def test_landlock_alone_keeps_contents_but_not_modes(boxed: Boxed) -> None:
    found = boxed(
        "landlock", FILES.partition("for call in (\n    lambda: os.truncate")[0], before=NAMES
    )
    said = found["said"]
    # Without the filter of system calls, links and access mode 3 are what is left.
    assert [place for place, words in enumerate(said) if words == "done"] == [4]
    assert found["outside"] == UNTOUCHED
    assert found["installation"] == INSTALLED


@pytest.mark.parametrize(("abi", "truncates"), [(1, True), (2, True), (3, False), (6, False)])
def test_landlock_alone_lets_what_is_readable_be_truncated_before_its_third_version(
    boxed: Boxed, abi: int, *, truncates: bool
) -> None:
    code = """
say(tried(lambda: open(secret).read()))
say(tried(lambda: open(secret, "r+")))
say(tried(lambda: os.truncate(secret, 0)))
"""
    found = boxed("landlock", code, before=NAMES, abi=abi, outside_is_readable=True)
    assert found["said"] == ["done", "EACCES", "done" if truncates else "EACCES"]
    assert found["outside"]["secret"] == ("" if truncates else "kept")
    # The filter makes up for it.
    both = boxed("full", code, before=NAMES, abi=abi, outside_is_readable=True)
    assert both["outside"] == UNTOUCHED
    assert both["said"][0] == "done"


CALLS = """
def gone(call):
    say("done" if tried(call) == "done" else "refused")

def datagram():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.sendto(b"x", outside + "/nobody")

def number(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")

def chained(*arguments):
    a, b = socket.socketpair()
    a.sendmsg([b"x"])

for call in (
    lambda: socket.socket(),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    datagram,
    chained,
    os.fork,
    lambda: os.posix_spawn("/bin/true", ["true"], {}),
    lambda: os.execv("/bin/true", ["true"]),
    lambda: os.kill(outsider, 0),
    lambda: os.kill(warm, 0),
    lambda: os.kill(0, 0),
    lambda: os.kill(-1, 0),
    lambda: os.pidfd_open(outsider),
    lambda: resource.prlimit(outsider, resource.RLIMIT_CPU),
    lambda: os.getpriority(os.PRIO_PROCESS, outsider),
    lambda: os.setpriority(os.PRIO_PROCESS, outsider, 5),
    lambda: os.sched_getaffinity(outsider),
    lambda: os.getpgid(outsider),
    lambda: os.setsid(),
    lambda: os.memfd_create("x"),
    lambda: os.chroot("."),
    lambda: os.mkfifo("x"),
    lambda: os.symlink("x", "y"),
    lambda: os.sendfile(1, 1, 0, 1),
    lambda: os.splice(0, 1, 1),
    lambda: fcntl.fcntl(0, fcntl.F_SETOWN, outsider),
    lambda: fcntl.fcntl(0, fcntl.F_NOTIFY, 1),
    lambda: fcntl.flock(0, fcntl.LOCK_SH),
    lambda: fcntl.ioctl(0, 0x5412, b"x"),
    lambda: time.clock_gettime(~outsider << 3 | 2),
    lambda: mmap.mmap(-1, 4096, flags=0x40022),
    lambda: number(ptrace, 0x4206, outsider, 0, 0),
    lambda: number(unshare, 0x10000000),
    lambda: number(unshare, 0x20000),
    lambda: number(425, 4, ctypes.create_string_buffer(200)),
    lambda: number(444, 0, 0, 1),
):
    gone(call)
os.setuid(os.getuid()) if False else None
"""
CALLS_BEFORE = """
import ctypes, fcntl, mmap, os, platform, resource, socket, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ptrace, unshare = (101, 272) if platform.machine() == "x86_64" else (117, 97)
"""


@pytest.mark.parametrize("level", SEALED)
def test_no_call_reaches_another_process(boxed: Boxed, level: str) -> None:
    found = boxed(level, CALLS, before=CALLS_BEFORE)
    assert "failed" not in found
    assert found["said"] == ["refused"] * 37


def test_calls_do_work_where_nothing_forbids_them(boxed: Boxed) -> None:
    """The attempts above mean something: most succeed in a process with limits only."""
    harmless = [
        "lambda: socket.socket(),", "datagram,", "lambda: os.pidfd_open(outsider),", "chained,",
        "lambda: os.kill(outsider, 0),", "lambda: os.getpgid(outsider),",
        "lambda: os.sched_getaffinity(outsider),", 'lambda: os.memfd_create("x"),',
        "lambda: time.clock_gettime(~outsider << 3 | 2),", "lambda: number(444, 0, 0, 1),",
        "lambda: fcntl.flock(0, fcntl.LOCK_SH),", 'lambda: os.mkfifo("x"),',
    ]  # fmt: skip
    code = CALLS[: CALLS.index("for call in (")] + "open('f', 'w').close()\n"
    code += f"for call in ({' '.join(harmless)}):\n    gone(call)\n"
    found = boxed("none", code, before=CALLS_BEFORE)
    done = found["said"].count("done")
    assert done >= len(harmless) - 2, found["said"]


WORKING = """
import colorsys
open("a", "wb").write(b"x" * 1000)
os.mkdir("d"); os.rename("a", "d/b"); shutil.copy2("d/b", "c"); shutil.copytree("d", "e")
pathlib.Path("touched").touch(); say(pathlib.Path("touched").exists())
with tempfile.TemporaryFile() as f: f.write(b"x")
with tempfile.TemporaryDirectory() as f: open(f + "/x", "w").close()
base = sqlite3.connect("base"); base.execute("create table t (x)"); base.commit(); base.close()
shutil.rmtree("e"); os.remove("c")
callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 1); say(callback(1))
a, b = socket.socketpair(); a.sendall(b"x"); say(b.recv(1).decode())
with concurrent.futures.ThreadPoolExecutor(3) as pool: say(list(pool.map(abs, [1, -2])))
say(asyncio.run(asyncio.to_thread(lambda: 5)))
os.kill(os.getpid(), 0); os.urandom(1); open("/dev/null", "w").write("x")
signal.setitimer(signal.ITIMER_REAL, 100); signal.alarm(0)
say(len(os.listdir(os.path.dirname(os.__file__))) > 100)
"""
WORKING_BEFORE = """
import asyncio, concurrent.futures, concurrent.futures.thread, ctypes, os, pathlib, shutil
import signal, socket, sqlite3, tempfile
tempfile.tempdir = own + "/w"
"""


@pytest.mark.parametrize("level", ["full+ns", "full", "seccomp"])
def test_what_computing_needs_works(boxed: Boxed, level: str) -> None:
    found = boxed(level, WORKING, before=WORKING_BEFORE)
    assert "failed" not in found, found["failed"]
    assert found["said"] == [True, 2, "x", [1, 2], 5, True]
    kept = ["base", "d", "touched"]
    # With namespaces the folder's contents are memory that is gone with the process.
    assert found["kept"] == ([] if level == "full+ns" else kept)


@pytest.mark.parametrize("level", ["full+ns", "full"])
def test_no_folder_to_write_in(boxed: Boxed, level: str) -> None:
    code = """
say(tried(lambda: open("x", "w").write("x")))
say(tried(lambda: os.mkdir("d")))
say(tried(lambda: open("/dev/null", "w").write("x")))
"""
    found = boxed(level, code, before="import os", write_bytes=0)
    assert found["said"] == ["EACCES", "EACCES", "done"]
    assert found["kept"] == []


@pytest.mark.parametrize("abi", range(1, 10))
def test_each_version_of_landlock_keeps_files(boxed: Boxed, abi: int) -> None:
    code = """
for call in (
    lambda: open(secret).read(),
    lambda: os.open(outside + "/new", os.O_WRONLY | os.O_CREAT),
    lambda: os.open(installed, os.O_RDONLY | os.O_TRUNC),
    lambda: os.truncate(secret, 0),
    lambda: os.rename(secret, "moved"),
    lambda: open("own", "w").write("x"),
    lambda: open("own", "w").write("y"),
    lambda: os.unlink("own"),
    lambda: open(installed).read(),
):
    say(tried(call))
"""
    found = boxed("full", code, before=NAMES, abi=abi)
    said = found["said"]
    assert "done" not in said[:5]
    assert said[5:] == ["done"] * 4
    assert found["outside"] == UNTOUCHED
    assert found["installation"] == INSTALLED


def test_a_child_dies_with_the_warm_process() -> None:
    code = """
import os, signal, tempfile, time
from jupyterlab_tir.sandbox.box import Box, confine, seal
base = tempfile.mkdtemp()
os.mkdir(base + "/k"); os.mkdir(base + "/k/w")
box = Box(namespaces=False, landlock=True, seccomp=True, files=True, readable=(), write_bytes=0,
          memory_bytes=1 << 28, base_bytes=1 << 30)
ours, theirs = os.pipe()
warm = os.fork()
if warm == 0:
    child = os.fork()
    if child == 0:
        os.close(ours)
        confine(box, base + "/k"); seal(box)
        os.write(theirs, b"!")
        time.sleep(100)
    time.sleep(100)
os.close(theirs)
os.read(ours, 1)
os.kill(warm, signal.SIGKILL)
print(os.read(ours, 1))  # ends when the child has: it holds the other end
"""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=90, check=False
    )
    assert done.stdout == "b''\n", done.stderr
    assert time.monotonic() - started < 60


def test_a_gate_of_another_architecture_ends_the_process(boxed: Boxed) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("this machine has no 32-bit gate")
    # mov eax, 20 (getpid of i386); int 0x80; ret
    code = """
page = mmap.mmap(-1, 4096, prot=7)
page[:8] = bytes.fromhex("b814000000cd80c3")
entry = ctypes.addressof(ctypes.c_char.from_buffer(page))
say("before")
say(ctypes.CFUNCTYPE(ctypes.c_int)(entry)())
"""
    found = boxed("seccomp", code, before="import ctypes, mmap")
    assert found["said"] == ["before"]
    assert boxed("landlock", code, before="import ctypes, mmap")["said"][:1] == ["before"]


def test_layers_are_importable_where_they_cannot_be_used() -> None:
    """The engine imports `Box` on every system."""
    code = (
        "import ctypes, sys; from jupyterlab_tir.sandbox import box;"
        "mine = [name for name in sys.modules if name.startswith('jupyterlab_tir.sandbox.box')];"
        "[sys.modules.pop(name) for name in mine];"
        "sys.platform = 'win32'; sys.modules['resource'] = None; ctypes.CDLL = None;"
        "import jupyterlab_tir.sandbox.box as box; print(len(mine), box.Box.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.endswith("Box\n"), done.stderr
    assert not done.stdout.startswith("0 ")
