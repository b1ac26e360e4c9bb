"""Run by the tests of the box: `other_machine.py JSON COMMAND…` runs a command as if elsewhere.

The JSON object may name `user`, a number to become, and `refused`, system calls by number with the
error that each is to answer, as a container's filter or an older Linux would.
"""

from __future__ import annotations

import ctypes
import json
import os
import stat
import struct
import sys
from pathlib import Path

from jupyterlab_tir.sandbox.box import namespaces, privileges
from jupyterlab_tir.sandbox.box.bpf import ALLOW, Rule, answer, assemble
from jupyterlab_tir.sandbox.box.libc import call, machine, syscall
from jupyterlab_tir.sandbox.box.syscalls import ARCHITECTURES

CHECKOUT = Path(__file__).resolve().parents[3]


def become(user: int) -> None:
    """Become a user who can reach the Python installation, wherever that lies."""
    call("", "unshare", namespaces._CLONE_NEWNS)
    call("", "mount", b"none", b"/", None, namespaces._MS_REC | namespaces._MS_PRIVATE, None)
    for needed in (CHECKOUT, Path(sys.prefix), Path(sys.base_prefix)):
        for folder in reversed(needed.parents):
            if not folder.stat().st_mode & stat.S_IXOTH:
                tree = namespaces._detached(str(needed), 0)
                name = os.fsencode(folder)
                call("", "mount", b"tmpfs", name, b"tmpfs", 0, b"mode=755")
                namespaces._attach(tree, str(needed))
                break
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def refuse(refused: dict[int, int]) -> None:
    """Answer system calls with errors, in this process and what it becomes."""
    privileges.forbid_new_privileges()
    known = ARCHITECTURES[machine()]
    rules = {number: Rule(answer(error)) for number, error in refused.items()}
    code = assemble(known.audit_name, rules, [(0, Rule(ALLOW))])
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
    syscall("", known.seccomp, 1, 0, header)


def main() -> None:
    wanted = json.loads(sys.argv[1])
    if wanted.get("user"):
        become(wanted["user"])
    if wanted.get("refused"):
        refuse({int(number): error for number, error in wanted["refused"].items()})
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - its own command


if __name__ == "__main__":
    main()
