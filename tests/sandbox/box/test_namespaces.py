"""The minimal root, and what a child finds of the machine in it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.sandbox.box import namespaces

Boxed = Callable[..., dict[str, Any]]


def test_the_machine_is_not_there(boxed: Boxed) -> None:
    code = """
for path in ("/etc/passwd", "/proc", "/sys", "/home", "/tmp/x", "/dev/shm", "/usr/bin", "/run",
             "/etc/hostname", outside, own + "/../k2"):
    say(os.path.lexists(path))
for path in ("/dev/null", "/dev/urandom", os.__file__, own + "/w"):
    say(os.path.exists(path))
say(os.uname().nodename)
say(len(socket.if_nameindex()))
"""
    # The filter refuses sockets: here without it, to see that the network itself is empty.
    found = boxed("full+ns", code, before="import os, socket", seccomp=False)
    assert "failed" not in found, found["failed"]
    assert found["said"] == [False] * 11 + [True] * 4 + ["kernel", 1]


def test_the_root_is_as_small_as_can_be(boxed: Boxed) -> None:
    code = """
say(sorted(os.listdir("/")))
say(sorted(os.listdir("/etc")))
say(sorted(os.listdir("/dev")))
say(sorted(os.listdir(own + "/..")))
say(sorted(os.listdir(own)))
# Nothing is tried that would change the machine if these were its own.
say([bool(os.statvfs(folder).f_flag & os.ST_RDONLY) for folder in ("/", "/etc", "/dev", "/usr")])
for folder in (own + "/..", outside):
    say(tried(lambda: os.mkdir(folder + "/new")))
say(tried(lambda: open(own + "/w/new", "w").close()))
"""
    found = boxed(
        "full+ns", code, before="import os", landlock=False, seccomp=False, outside_is_readable=True
    )
    root, etc, dev, base, own, read_only, *rest = found["said"]
    allowed = {"dev", "etc", "lib", "lib64", "usr", "tmp", "root", "home", "opt", "work", "srv"}
    allowed |= {Path(os.__file__).parts[1], Path(__file__).parts[1]}
    assert set(root) <= allowed
    assert set(etc) <= {"ld.so.cache", "localtime"}
    assert set(dev) == {"null", "zero", "random", "urandom"}
    assert (base, own) == (["k1"], ["w"])
    assert read_only == [True] * 4
    assert rest[0] in {"EACCES", "EROFS"}
    assert rest[1:] == ["EROFS", "done"]
    assert found["outside"]["names"] == ["secret"]


def test_disk_is_limited_in_bytes_and_in_files(boxed: Boxed) -> None:
    code = """
piece = bytes(2**19)
count = 0
try:
    while count < 1000:
        with open(f"f{count}", "wb") as file:
            file.write(piece)
        count += 1
except OSError as error:
    say(errno.errorcode[error.errno])
say(count)
for name in os.listdir("."):
    os.unlink(name)
held = []
try:
    while len(held) < 100:  # deleted, and still there
        held.append(open("f", "w+b", buffering=0))
        os.unlink("f")
        held[-1].write(piece)
except OSError as error:
    say(errno.errorcode[error.errno])
say(len(held))
held.clear()
count = 0
try:
    while count < 100_000:
        os.mkdir(f"d{count}")
        count += 1
except OSError as error:
    say(errno.errorcode[error.errno])
say(count < 5000)
"""
    found = boxed("full+ns", code, before="import errno, os", write_bytes=1 << 20)
    assert found["said"] == ["ENOSPC", 1, "ENOSPC", 2, "ENOSPC", True] or found["said"] == [
        *("ENOSPC", 2, "ENOSPC", 3, "ENOSPC", True)
    ]
    assert found["kept"] == []


def test_a_folder_behind_a_link_keeps_its_path(boxed: Boxed) -> None:
    code = """
say(tried(lambda: open("kept", "w").write("x")))
say(os.path.exists(own + "/w/kept"))
say(os.path.lexists(own + "/../k2"))
"""
    found = boxed("full+ns", code, before="import os", through_link=True)
    assert "failed" not in found, found["failed"]
    assert found["said"] == ["done", True, False]


def test_sockets_in_the_folder_are_on_the_machine_s_own_disk(boxed: Boxed) -> None:
    code = "say(os.path.exists(own + '/s'))"
    before = """
import os, socket
listener = socket.socket(socket.AF_UNIX)
"""
    # Bound in the box, before the filter, as the kernel does.
    found = boxed(
        "full+ns",
        code + "\nlistener.bind(own + '/s'); say(os.stat(own + '/s').st_dev == os.stat(own).st_dev)"
        "\nsay(os.stat(own).st_dev != os.stat(own + '/w').st_dev)",
        before=before,
        seccomp=False,
    )
    assert found["said"] == [False, True, True]


@pytest.mark.parametrize("call", ["mount", "umount2", "unshare", "setns", "chroot"])
def test_the_child_cannot_undo_it(boxed: Boxed, call: str) -> None:
    arguments = {
        "mount": "b'none', b'/', b'tmpfs', 0, None",
        "umount2": "(own + '/w').encode(), 2",
        "unshare": "0x10000000",
        "setns": "3, 0",
        "chroot": "b'.'",
    }[call]
    code = f"say(libc.{call}({arguments})); say(ctypes.get_errno())"
    before = "import ctypes; libc = ctypes.CDLL(None, use_errno=True)"
    sealed = boxed("full+ns", code, before=before)["said"]
    assert sealed == [-1, errno.EPERM]
    # Capabilities are gone as well; only a user namespace of its own is left to the filter.
    bare = boxed("full+ns", code, before=before, seccomp=False)["said"]
    assert bare[0] == -1 or call == "unshare"


def test_a_refusal_has_words(elsewhere: Callable[..., Any]) -> None:
    code = (
        "import tempfile; from jupyterlab_tir.sandbox.box import enter_namespaces\n"
        "try: enter_namespaces(tempfile.gettempdir(), ())\n"
        "except OSError as error: print(error.strerror)"
    )
    unshare = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
    done = elsewhere("-c", code, refused={unshare: errno.EPERM})
    assert done.stdout == "user namespaces are not allowed here: Operation not permitted\n"
    done = elsewhere("-c", code, refused={428: errno.ENOSYS})
    assert done.stdout.endswith("Function not implemented\n")


def test_links_on_the_way_are_made_again_and_the_outermost_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "usr/lib/deep").mkdir(parents=True)
    (tmp_path / "usr/lib/inside").symlink_to("deep")
    (tmp_path / "usr/file").write_text("x")
    (tmp_path / "lib").symlink_to("usr/lib")
    (tmp_path / "absolute").symlink_to(tmp_path / "lib")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "round").symlink_to("round")
    root = str(tmp_path)
    paths = ["lib/deep", "absolute/inside", "usr/lib", "usr/file", "dangling", "round", "missing"]
    links, roots = namespaces._layout(f"{root}/{path}" for path in paths)
    assert roots == [f"{root}/usr/file", f"{root}/usr/lib"]
    assert links[f"{root}/lib"] == "usr/lib"
    assert links[f"{root}/absolute"] == f"{root}/lib"
    assert f"{root}/usr/lib/inside" not in links
