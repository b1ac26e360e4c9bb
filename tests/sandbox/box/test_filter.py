"""The filter of system calls, run by an interpreter of BPF, for both architectures."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.sandbox.box import bpf, seccomp
from jupyterlab_tir.sandbox.box.bpf import ALLOW, KILL, Check, Null, Rule, answer, assemble
from jupyterlab_tir.sandbox.box.syscalls import ARCHITECTURES, FIRST_UNKNOWN

PID = 4242
OTHER = 4243
MACHINES = sorted(ARCHITECTURES)
AUDIT_I386 = 0x4000_0003
EPERM, EACCES, ENOSYS = (answer(error) for error in (errno.EPERM, errno.EACCES, errno.ENOSYS))
FEIGNED = answer(0)


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Run a filter as Linux does; anything that Linux would not accept is an error."""
    padded = [value % 2**64 for value in (*arguments, *[0] * 6)][:6]
    data = struct.pack("=IIQ6Q", number % 2**32, architecture, 0, *padded)
    code = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    assert len(code) <= 4096
    at = accumulator = 0
    while True:
        operation, if_true, if_false, operand = code[at]
        at += 1
        match operation:
            case 0x20:
                assert operand % 4 == 0
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x05:
                at += operand
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


def judged(
    machine: str, name: str, *arguments: int, files: bool = True, reserving: bool = True
) -> int:
    known = ARCHITECTURES[machine]
    program = bpf.with_pid(seccomp.program(machine, files=files, reserving=reserving), PID)
    return verdict(program, known.audit_name, known.numbers[name], *arguments)


THREAD = 0x3D0F00  # what a C library's thread is cloned with
AT_FDCWD = -100
CASES = [
    ("read", (), ALLOW),
    ("exit_group", (), ALLOW),
    ("clone", (THREAD,), ALLOW),
    ("clone", (THREAD | 0x400000,), ALLOW),
    ("clone", (17,), EPERM),  # a fork: SIGCHLD
    ("clone", (THREAD & ~0x10000,), EPERM),  # not a thread
    ("clone", (THREAD | 0x10000000,), EPERM),  # a user namespace
    ("clone", (THREAD | 0x20000,), EPERM),  # a mount namespace
    ("clone", (THREAD & ~0x400,), EPERM),  # own table of descriptors
    ("kill", (PID, 9), ALLOW),
    ("kill", (OTHER, 0), EPERM),
    ("kill", (0, 9), EPERM),
    ("kill", (-1, 9), EPERM),
    ("kill", (-PID, 9), EPERM),
    ("tgkill", (PID, 5, 2), ALLOW),
    ("tgkill", (OTHER, 5, 2), EPERM),
    ("prlimit64", (0, 7), ALLOW),
    ("prlimit64", (PID, 7), ALLOW),
    ("prlimit64", (OTHER, 7), EPERM),
    ("prlimit64", (0, 7, 0x7F00_0000_0000), ALLOW),
    ("prlimit64", (0, 4, 0), ALLOW),  # reading the limit on core dumps
    ("prlimit64", (0, 4, 0x7F00_0000_0000), EPERM),
    ("prlimit64", (PID, 1 << 32 | 4, 0x7F00_0000_0000), EPERM),
    ("prlimit64", (OTHER, 4, 0), EPERM),
    ("setrlimit", (3, 1), ALLOW),
    ("setrlimit", (4, 1), EPERM),
    ("close_range", (3, 255, 0), ALLOW),
    ("close_range", (3, 255, 4), ALLOW),
    ("close_range", (3, 255, 2), answer(errno.EINVAL)),  # a table of its own
    ("close_range", (3, 255, 6), answer(errno.EINVAL)),
    ("close_range", (3, 255, 1 << 32 | 2), answer(errno.EINVAL)),
    ("mkdirat", (AT_FDCWD, 1, 0o777), ALLOW),
    ("mkdirat", (AT_FDCWD, 1, 0o1700), ALLOW),
    *(("mkdirat", (AT_FDCWD, 1, mode), EACCES) for mode in (0, 0o300, 0o577, 0o677, 1 << 9)),
    ("umask", (0o077,), ALLOW),
    *(("umask", (mask,), FEIGNED) for mask in (0o100, 0o200, 0o400, 0o777)),
    ("getpriority", (0, 0), ALLOW),
    ("getpriority", (0, OTHER), EPERM),
    ("getpriority", (2, 0), EPERM),
    ("getpgid", (OTHER,), EPERM),
    ("getsid", (OTHER,), EPERM),
    ("sched_getaffinity", (0,), ALLOW),
    ("sched_getaffinity", (OTHER,), ENOSYS),
    ("sched_setaffinity", (OTHER,), FEIGNED),
    ("sched_setscheduler", (OTHER,), FEIGNED),
    ("sched_getscheduler", (OTHER,), FEIGNED),
    ("clock_gettime", (1,), ALLOW),
    ("clock_gettime", ((~OTHER << 3) | 2,), answer(errno.EINVAL)),  # another process's
    ("clock_nanosleep", ((~OTHER << 3) | 2,), answer(errno.EINVAL)),
    ("prctl", (15,), ALLOW),
    ("prctl", (1, 0), EPERM),  # not to die with the parent
    ("prctl", (4, 0), EPERM),
    ("prctl", (22, 2), EPERM),  # seccomp
    ("prctl", (0x59616D61,), EPERM),  # let another trace it
    ("mmap", (0, 4096, 3, 0x22), ALLOW),
    ("mmap", (0, 4096, 3, 0x22 | 0x40000), EPERM),
    ("madvise", (0, 4096, 4), ALLOW),
    ("madvise", (0, 4096, 12), answer(errno.EINVAL)),
    ("madvise", (0, 4096, 21), answer(errno.EINVAL)),
    ("madvise", (0, 4096, 101), answer(errno.EINVAL)),
    ("ioctl", (0, 0x5401), ALLOW),
    ("ioctl", (0, 0x5412), answer(errno.ENOTTY)),  # TIOCSTI
    ("ioctl", (0, 0x541C), answer(errno.ENOTTY)),  # TIOCLINUX
    ("ioctl", (0, 1 << 32 | 0x5412), answer(errno.ENOTTY)),
    ("fcntl", (3, 4, 0x800), ALLOW),
    ("fcntl", (3, 6, 1), FEIGNED),
    ("fcntl", (3, 7, 1), FEIGNED),
    *(("fcntl", (3, command), answer(errno.EINVAL)) for command in (8, 10, 15, 1024, 1026, 1031)),
    ("pipe2", (0, 0x80800), ALLOW),
    ("pipe2", (0, 0x80), answer(errno.EINVAL)),
    ("socketpair", (1, 1), ALLOW),
    ("socketpair", (1, 1 | 0x80800), ALLOW),
    ("socketpair", (1, 2), EPERM),  # datagrams
    ("socketpair", (1, 5), EPERM),
    ("socketpair", (2, 1), EPERM),
    ("sendto", (3, 1, 1, 0x4040, 0), ALLOW),
    ("sendto", (3, 1, 1, 0, 0x7F00_0000_0000), EPERM),
    ("sendto", (3, 1, 1, 0, 1 << 32), EPERM),
    ("sendto", (3, 1, 1, 1, 0), EPERM),  # MSG_OOB
    ("recvfrom", (3, 1, 1, 0x40), ALLOW),
    ("recvfrom", (3, 1, 1, 1), EPERM),
    ("getsockopt", (3, 1, 3), ALLOW),
    ("getsockopt", (3, 1, 17), answer(errno.ENOPROTOOPT)),  # SO_PEERCRED
    ("getsockopt", (3, 1, 77), answer(errno.ENOPROTOOPT)),  # SO_PEERPIDFD
    ("getsockopt", (3, 6, 3), answer(errno.ENOPROTOOPT)),
    ("openat", (AT_FDCWD, 1, 0x80000), ALLOW),
    ("openat", (AT_FDCWD, 1, 0x241), ALLOW),  # to write, create, truncate
    ("openat", (AT_FDCWD, 1, 0x200), EACCES),  # to read and truncate
    ("openat", (AT_FDCWD, 1, 0x3), EACCES),
    ("openat", (AT_FDCWD, 1, 0x203), EACCES),
    ("openat", (AT_FDCWD, 1, 0x200000), EACCES),  # O_PATH
    ("fchmod", (3, 0o777), FEIGNED),
    ("fchmodat", (AT_FDCWD, 1, 0o777), FEIGNED),
    ("utimensat", (AT_FDCWD, 1, 0x7000_0000_0000), FEIGNED),
    ("utimensat", (AT_FDCWD, 1, 0), EPERM),
    ("fsync", (3,), FEIGNED),
    ("wait4", (-1,), answer(errno.ECHILD)),
    ("setxattr", (1,), answer(errno.ENOTSUP)),
    ("getxattr", (1,), answer(errno.ENOTSUP)),
    ("sendfile", (), ENOSYS),
    ("copy_file_range", (), ENOSYS),
    ("unlinkat", (), ALLOW),
    ("renameat2", (), ALLOW),
    ("getdents64", (), ALLOW),
]
ONLY_X86 = [
    ("open", (1, 0x200), EACCES),
    ("open", (1, 0x200000), EACCES),
    ("open", (1, 0), ALLOW),
    ("mkdir", (1, 0o700), ALLOW),
    ("mkdir", (1, 0o300), EACCES),
    ("chmod", (1, 0o777), FEIGNED),
    ("utime", (1, 0), EPERM),
    ("futimesat", (AT_FDCWD, 1, 5), FEIGNED),
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_calls_are_judged_by_their_arguments(
    machine: str, name: str, arguments: tuple[int, ...], expected: int
) -> None:
    if name not in ARCHITECTURES[machine].numbers:
        pytest.fail(f"{machine} has no {name}: move the case")
    assert judged(machine, name, *arguments) == expected


@pytest.mark.parametrize(("name", "arguments", "expected"), ONLY_X86)
def test_old_calls_are_judged_like_new_ones(
    name: str, arguments: tuple[int, ...], expected: int
) -> None:
    assert judged("x86_64", name, *arguments) == expected


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "name",
    [
        *("openat", "getdents64", "readlinkat", "chdir", "fchdir", "statfs", "mkdirat"),
        *("unlinkat", "renameat", "renameat2"),
    ],
)
def test_without_files_none_can_be_opened_or_changed(machine: str, name: str) -> None:
    assert judged(machine, name, AT_FDCWD, 1, 0, files=False) == EACCES
    assert judged(machine, "read", files=False) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_space_can_be_reserved_only_where_a_file_system_limits_it(machine: str) -> None:
    assert judged(machine, "fallocate", 3, 0, 0, 1 << 40) == ALLOW
    refused = judged(machine, "fallocate", 3, 0, 0, 1 << 40, reserving=False)
    assert refused == answer(errno.EOPNOTSUPP)  # on which the C library writes instead


# Numbers from the headers, not from our tables.
REFUSED = {
    "x86_64": {
        "socket": 41, "connect": 42, "accept": 43, "sendmsg": 46, "recvmsg": 47, "bind": 49,
        "listen": 50, "setsockopt": 54, "fork": 57, "vfork": 58, "execve": 59, "flock": 73,
        "truncate": 76, "link": 86, "symlink": 88, "chown": 92, "ptrace": 101, "setuid": 105,
        "setpgid": 109, "setsid": 112, "rt_sigqueueinfo": 129, "mknod": 133, "personality": 135,
        "setpriority": 141, "mlock": 149, "pivot_root": 155, "chroot": 161, "mount": 165,
        "umount2": 166, "sethostname": 170, "quotactl": 179, "tkill": 200, "timer_create": 222,
        "set_mempolicy": 238, "mq_open": 240, "keyctl": 250, "ioprio_set": 251,
        "inotify_init": 253, "unshare": 272, "get_robust_list": 274, "splice": 275, "tee": 276,
        "vmsplice": 278, "signalfd": 282, "timerfd_create": 283, "fanotify_init": 300,
        "name_to_handle_at": 303, "open_by_handle_at": 304, "sendmmsg": 307, "setns": 308,
        "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "seccomp": 317,
        "memfd_create": 319, "bpf": 321, "execveat": 322, "userfaultfd": 323, "shmget": 29,
        "perf_event_open": 298, "capset": 126, "arch_prctl": 158, "modify_ldt": 154, "mincore": 27,
        "remap_file_pages": 216, "reboot": 169, "swapon": 167, "init_module": 175, "iopl": 172,
        "sync": 162, "acct": 163, "syslog": 103, "sched_getattr": 315, "creat": 85,
    },
    "aarch64": {
        "mknodat": 33, "symlinkat": 36, "linkat": 37, "umount2": 39, "mount": 40, "pivot_root": 41,
        "truncate": 45, "chroot": 51, "fchownat": 54, "vmsplice": 75, "splice": 76, "unshare": 97,
        "get_robust_list": 100, "timer_create": 107, "ptrace": 117, "tkill": 130,
        "rt_sigqueueinfo": 138, "setpriority": 140, "setuid": 146, "setpgid": 154, "setsid": 157,
        "shmget": 194, "socket": 198, "bind": 200, "listen": 201, "accept": 202, "connect": 203,
        "setsockopt": 208, "sendmsg": 211, "recvmsg": 212, "keyctl": 219, "execve": 221,
        "perf_event_open": 241, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268,
        "process_vm_readv": 270, "kcmp": 272, "seccomp": 277, "memfd_create": 279, "bpf": 280,
        "execveat": 281, "userfaultfd": 282,
    },
}  # fmt: skip
NEW = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_open": 434, "clone3": 435,
    "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
    "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446,
    "memfd_secret": 447, "process_mrelease": 448, "futex_waitv": 449, "setxattrat": 463,
}  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("files", [True, False])
def test_what_is_not_named_is_refused(machine: str, *, files: bool) -> None:
    program = bpf.with_pid(seccomp.program(machine, files=files), PID)
    audit = ARCHITECTURES[machine].audit_name
    for name, number in REFUSED[machine].items():
        assert verdict(program, audit, number, PID) == (EPERM if number < 424 else ENOSYS), name
    for name, number in NEW.items():
        assert verdict(program, audit, number, PID) == ENOSYS, name
    named = set(ARCHITECTURES[machine].numbers.values())
    for number in range(1024):
        if number not in named:
            expected = EPERM if number < FIRST_UNKNOWN else ENOSYS
            assert verdict(program, audit, number, PID) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_ends_the_process(machine: str) -> None:
    program = seccomp.program(machine, files=True)
    (other,) = set(MACHINES) - {machine}
    for foreign in (AUDIT_I386, 0x4000_0028, ARCHITECTURES[other].audit_name):
        assert verdict(program, foreign, 0) == KILL
        assert verdict(program, foreign, 20) == KILL  # getpid there
    own = ARCHITECTURES[machine].audit_name
    for x32 in (0x4000_0000, 0x4000_0000 | 39, 0x4000_0200, 0xFFFF_FFFF):
        assert verdict(program, own, x32) == KILL


@given(
    name=st.sampled_from(
        sorted(ARCHITECTURES["x86_64"].numbers.keys() & ARCHITECTURES["aarch64"].numbers.keys())
    ),
    arguments=st.lists(
        st.one_of(
            st.sampled_from([0, 1, 2, 3, 15, PID, OTHER, THREAD, 0x200, 2**32, 2**64 - 1]),
            st.integers(0, 2**64 - 1),
        ),
        min_size=6,
        max_size=6,
    ),
    files=st.booleans(),
)
def test_both_architectures_judge_alike(name: str, arguments: list[int], *, files: bool) -> None:
    verdicts = {judged(machine, name, *arguments, files=files) for machine in MACHINES}
    assert len(verdicts) == 1


REPLACED_ON_ARM = {
    *("open", "stat", "lstat", "access", "readlink", "getdents", "mkdir", "rmdir", "unlink"),
    *("rename", "dup2", "pipe", "epoll_wait", "poll", "select", "alarm", "pause", "getpgrp"),
    *("time", "chmod", "utime", "utimes", "futimesat"),
}


def test_tables_hold_exactly_the_names_that_rules_use() -> None:
    used = {*seccomp._CHECKED, *seccomp._OPENING, *seccomp._MAKING, "fallocate"}
    for names in (
        *seccomp._ALLOWED.values(),
        seccomp._FILE_NAMES,
        seccomp._FEIGNED,
        *seccomp._ANSWERED.values(),
    ):
        used |= set(names.split())
    assert set(ARCHITECTURES["x86_64"].numbers) == used
    # What ARM lacks are calls that a newer one replaces.
    lacking = used - set(ARCHITECTURES["aarch64"].numbers)
    assert lacking == REPLACED_ON_ARM


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_tables_agree_with_the_headers_of_linux(machine: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"this machine has no {header}")
    found = re.findall(
        r"#define __NR(?:3264)?_(\w+)\s+(\d+)$", Path(header).read_text(), re.MULTILINE
    )
    numbers = {name: int(number) for name, number in found}
    if machine == "aarch64":
        numbers["newfstatat"] = numbers.pop("fstatat")
    numbers.setdefault("fchmodat2", 452)  # in headers since Linux 6.6
    known = ARCHITECTURES[machine].numbers
    assert {name: numbers.get(name) for name in known} == known


def test_pid_is_put_in_wherever_it_is_compared() -> None:
    template = seccomp.program("x86_64", files=True)
    program = bpf.with_pid(template, 0x0102_0304)
    changed = [
        at
        for at in range(0, len(program), 8)
        if program[at:] and (program[at : at + 8] != template[at : at + 8])
    ]
    assert len(changed) == 7
    assert all(program[at + 4 : at + 8] == bytes([4, 3, 2, 1]) for at in changed)
    assert struct.pack("=I", bpf.PID) not in [program[at + 4 : at + 8] for at in changed]


def test_far_branches_reach() -> None:
    rules = {
        number: Rule(ALLOW, (Check(0, tuple(range(number, number + 90))),), answer(number))
        for number in range(1, 40, 2)
    }
    program = assemble(1, rules, [(0, Rule(KILL)), (30, Rule(answer(99)))])
    assert len(program) // 8 > 1024
    for number in range(45):
        if number in rules:
            assert verdict(program, 1, number, number) == ALLOW
            assert verdict(program, 1, number, number + 89) == ALLOW
            assert verdict(program, 1, number, number + 90) == answer(number)
        else:
            assert verdict(program, 1, number, 0) == (KILL if number < 30 else answer(99))


def test_checks_compose() -> None:
    rule = Rule(
        ALLOW,
        (
            Null(1),
            Check(0, (7, 8), wanted=False, otherwise=FEIGNED),
            Check(0, (1, 4), mask=0b111),
        ),
        EPERM,
    )
    program = assemble(1, {5: rule}, [(0, Rule(KILL))])
    assert verdict(program, 1, 5, 1, 0) == ALLOW
    assert verdict(program, 1, 5, 12, 0) == ALLOW
    assert verdict(program, 1, 5, 2, 0) == EPERM
    assert verdict(program, 1, 5, 7, 0) == FEIGNED
    assert verdict(program, 1, 5, 8, 0) == FEIGNED
    assert verdict(program, 1, 5, 1, 1 << 40) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_where_links_lead_is_told_only_where_they_are_the_installations(machine: str) -> None:
    numbers = ARCHITECTURES[machine].numbers
    program = bpf.with_pid(seccomp.program(machine, files=True, links=False), PID)
    for name in ("readlink", "readlinkat"):
        if name in numbers:
            judged_as = verdict(program, ARCHITECTURES[machine].audit_name, numbers[name])
            assert judged_as == answer(errno.EINVAL)
