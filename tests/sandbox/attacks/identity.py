"""Becoming somebody weaker, then a program: `python -I -S identity.py [OPTION…] -- COMMAND…`.

`--user UID`: another user, for whom the Python installation is made reachable where its folder is
closed to others (a private mount namespace, an empty folder over the closed one, the installation
bound into it). `--private`: what an attack mounts, the names that it gives the machine and the
settings of its IPC are seen by nobody else, and gone with it. `--forbid-namespaces`: a machine on
which nested namespaces are refused, as in a container. `--forbid-landlock`: a kernel without
Landlock.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import signal
import stat
import struct
import sys
from pathlib import Path

_NEWNS, _NEWUTS, _NEWIPC = 0x20000, 0x4000000, 0x8000000
_NEW_ANY = 0x7E020080
_MS_BIND_REC, _MS_PRIVATE_REC = 0x5000, 0x44000
_NAMESPACE_CALLS = {"mount": 165, "umount2": 166, "pivot_root": 155, "setns": 308}
_UNSHARE, _CLONE, _CLONE3 = 272, 56, 435
_LANDLOCK = (444, 445, 446)
_ALLOW, _ERRNO = 0x7FFF0000, 0x50000
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 38, 22, 24
_PR_SET_PDEATHSIG = 1
_CAP_SYS_ADMIN = 21

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    arguments = [text.encode() for text in (source, target, kind)]
    _checked(
        _libc.mount(*arguments, ctypes.c_ulong(flags), data.encode() or None), f"mount {target}"
    )


def _closed_above(path: Path) -> Path | None:
    """Return the outermost folder on the way to `path` that others may not pass."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def make_reachable(paths: list[Path]) -> None:
    """Let every user reach `paths`, which only this process's mount namespace is to show."""
    closed: dict[Path, list[Path]] = {}
    for path in paths:
        folder = _closed_above(path)
        if folder is not None:
            closed.setdefault(folder, []).append(path)
    for folder, inside in closed.items():
        held = [(path, os.open(path, os.O_PATH)) for path in inside]
        _mount("none", str(folder), "tmpfs", 0, "mode=755,size=1m")
        for path, descriptor in held:
            if not path.exists():
                path.mkdir(parents=True)
                _mount(f"/proc/self/fd/{descriptor}", str(path), "none", _MS_BIND_REC)
            os.close(descriptor)


def keep_changes_private() -> None:
    """Enter namespaces that pass on neither mounts nor names nor settings."""
    _checked(_libc.unshare(_NEWNS | _NEWUTS | _NEWIPC), "unshare")
    _mount("none", "/", "none", _MS_PRIVATE_REC)


def become(uid: int) -> None:
    """Become another user for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def forbid(*, namespaces: bool, landlock: bool) -> None:
    """Refuse system calls from here on, as machines do that do not have them."""
    program = [struct.pack("HBBI", _LOAD, 0, 0, 0)]

    def answer(number: int, error: int, *, only_flags: bool = False) -> None:
        refuse = struct.pack("HBBI", _RETURN, 0, 0, _ERRNO | error)
        if only_flags:
            program.append(struct.pack("HBBI", _EQUAL, 0, 4, number))
            program.append(struct.pack("HBBI", _LOAD, 0, 0, 16))
            program.append(struct.pack("HBBI", _ANY_BIT, 0, 1, _NEW_ANY))
            program.append(refuse)
            program.append(struct.pack("HBBI", _RETURN, 0, 0, _ALLOW))
        else:
            program.append(struct.pack("HBBI", _EQUAL, 0, 1, number))
            program.append(refuse)

    if landlock:
        for number in _LANDLOCK:
            answer(number, errno.ENOSYS)
    if namespaces:
        for number in _NAMESPACE_CALLS.values():
            answer(number, errno.EPERM)
        answer(_CLONE3, errno.ENOSYS)
        answer(_UNSHARE, errno.EPERM, only_flags=True)
        answer(_CLONE, errno.EPERM, only_flags=True)
        if os.geteuid() == 0:
            _checked(_libc.prctl(_PR_CAPBSET_DROP, _CAP_SYS_ADMIN, 0, 0, 0), "drop CAP_SYS_ADMIN")
    program.append(struct.pack("HBBI", _RETURN, 0, 0, _ALLOW))
    code = ctypes.create_string_buffer(b"".join(program))
    filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, filter_, 0, 0), "seccomp")


def main() -> None:
    """Become what the options say, then the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int)
    parser.add_argument("--reach", type=Path, action="append", default=[])
    parser.add_argument("--private", action="store_true")
    parser.add_argument("--forbid-namespaces", action="store_true")
    parser.add_argument("--forbid-landlock", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.private:
        keep_changes_private()
    if options.user is not None:
        make_reachable(options.reach)
        become(options.user)
    if options.forbid_namespaces or options.forbid_landlock:
        forbid(namespaces=options.forbid_namespaces, landlock=options.forbid_landlock)
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")
    os.execv(options.command[0], options.command)  # noqa: S606 - what it is for


if __name__ == "__main__":
    if sys.platform != "linux":
        raise SystemExit("only Linux has these")
    main()
