"""Seccomp: the system calls that computing needs, and no other, for all threads.

An allow-list: what is not named here answers EPERM, and what came to Linux late enough that
libraries expect its absence answers ENOSYS, so that they fall back on what is named. A call by
another architecture's gate (32-bit, x32) ends the process. The filter comes after the kernel has
bound its sockets and started its threads, so it need not allow that.

Numbers of processes in arguments may only be 0 or the process's own, so that no other process is
signalled, limited or measured, or by that known to exist. `stat` of a path in /proc tells which
exist as well, and neither this nor Landlock judges paths of `stat`: only namespaces, in which there
is no /proc, hide that.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct

from .bpf import (
    ALLOW,
    INSTRUCTION_BYTES,
    KILL,
    PID,
    Check,
    Null,
    Rule,
    answer,
    assemble,
    with_pid,
)
from .libc import machine, syscall
from .syscalls import ARCHITECTURES, FIRST_UNKNOWN

_SET_MODE_FILTER = 1
_ALL_THREADS = 1
_X32_BIT = 0x4000_0000

# Reason: names.
_ALLOWED = {
    "descriptors that are open": """
        read write readv writev pread64 pwrite64 preadv pwritev lseek close dup dup2 dup3 fstat
        ftruncate""",
    "names of files: Landlock judges what is opened, made, moved or removed": """
        getcwd stat lstat newfstatat statx access faccessat faccessat2""",
    "waiting": """
        poll ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2 pipe
        futex nanosleep pause restart_syscall sched_yield""",
    "memory": "munmap mremap mprotect brk msync",
    "threads; where rseq is refused, the C library ends the process at the first one": """
        set_tid_address set_robust_list rseq exit exit_group gettid""",
    "signals to itself and what to do with them": """
        rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
        sigaltstack alarm getitimer setitimer""",
    "time": "time gettimeofday times",
    "who and where it is": """
        getpid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid getgroups uname
        sysinfo getcpu getrusage getrlimit""",
    "random numbers": "getrandom",
    "scheduling constants": "sched_get_priority_max sched_get_priority_min",
    "sockets that exist: the kernel's own to its clients, and pairs": """
        accept4 shutdown getsockname getpeername""",
}

_FILE_NAMES = """
    getdents getdents64 readlink readlinkat chdir fchdir statfs fstatfs rmdir unlink unlinkat
    rename renameat renameat2"""

# Libraries call these as a matter of course and give up where they fail, or end the process
# (libzmq, where it may not set a thread's scheduling). None may be made: Landlock does not judge
# modes; scheduling can be another process's; nothing written here is to last, so flushing would
# only load the machine's disk; advice would empty the caches of libraries.
_FEIGNED = """
    chmod fchmod fchmodat fchmodat2
    sched_setscheduler sched_setparam sched_setattr sched_setaffinity
    sched_getscheduler sched_getparam
    fsync fdatasync fadvise64"""

# Landlock does not judge these, which tell where links of the user lead.
_LINKS = ("readlink", "readlinkat")

_ANSWERED = {
    # Copying a file goes on without these.
    errno.ENOTSUP: """
        setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
        removexattr lremovexattr fremovexattr""",
    errno.ENOSYS: "sendfile copy_file_range",
    # There are no child processes to wait for.
    errno.ECHILD: "wait4 waitid",
}

_OWNER = 0o700
_RLIMIT_CORE = 4
_CLOSE_RANGE_ON_EXEC = 4
_O_TRUNC = 0x200
_O_PATH = 0x20_0000
_O_ACCESS = 0b11
_NONBLOCKING_AND_CLOSED_ON_EXEC = 0x800 | 0x8_0000
_MAP_HUGETLB = 0x4_0000
_CLONE_THREAD_OF_LIBC = 0x3D_0F00
_CLONE_DETACHED = 0x40_0000
# Merging equal pages of all processes, putting out pages that others use, poisoning pages.
_MADV_ON_OTHERS = (12, 20, 21, 100, 101)
_TERMINAL_AND_BLOCKING = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C_542A)
_FCNTL = (0, 1, 2, 3, 4, 5, 1030)  # duplicates, flags, asking for record locks
_SET_RECORD_LOCK = (6, 7)
_SENDING = 0x40 | 0x4000 | 0x8000  # not blocking, without a signal, more to come
_RECEIVING = 0x2 | 0x40 | 0x100  # peeking, not blocking, waiting for all
_SOCKET_FACTS = (3, 4, 7, 8, 30, 38, 39)  # type, error, buffer sizes, listening, protocol, domain
_THREAD_NAME = (15, 16)
_CLOCKS = 0xF
_ALL_BITS = 0xFFFF_FFFF
_NO = answer(errno.EPERM)


def _opens(flags: int) -> Rule:
    """Return the rule of a call that opens, whose flags are that argument.

    Refused are ways past Landlock: a descriptor that is only a name; access mode 3, which opens
    for neither reading nor writing; and truncating what is opened for reading, which versions
    before 3 do not see.
    """
    return Rule(
        ALLOW,
        (
            Check(flags, (0,), mask=_O_PATH),
            Check(flags, (_O_ACCESS,), mask=_O_ACCESS, wanted=False),
            Check(flags, (_O_TRUNC,), mask=_O_ACCESS | _O_TRUNC, wanted=False),
        ),
        answer(errno.EACCES),
    )


def _zero_but(argument: int, bits: int, value: int = 0) -> Check:
    return Check(argument, (value,), mask=_ALL_BITS & ~bits)


def _makes_folder(mode: int) -> Rule:
    """Return the rule of a call that makes a folder, whose mode is that argument.

    Refused are folders that their own user may not list: an engine that is not root's could not
    count what they hold.
    """
    return Rule(ALLOW, (Check(mode, (_OWNER,), mask=_OWNER),), answer(errno.EACCES))


_OPENING = {"open": _opens(1), "openat": _opens(2)}
_MAKING = {"mkdir": _makes_folder(1), "mkdirat": _makes_folder(2)}

_CHECKED = {
    # Exactly the flags with which the C libraries start a thread: no process, no namespace.
    "clone": Rule(ALLOW, (_zero_but(0, _CLONE_DETACHED, _CLONE_THREAD_OF_LIBC),), _NO),
    # Feigned as well, but for "now", where failing makes `Path.touch` create the file.
    "utime": Rule(_NO, (Null(1),), answer(0)),
    "utimes": Rule(_NO, (Null(1),), answer(0)),
    "utimensat": Rule(_NO, (Null(2),), answer(0)),
    "futimesat": Rule(_NO, (Null(2),), answer(0)),
    "kill": Rule(ALLOW, (Check(0, (PID,)),), _NO),
    "tgkill": Rule(ALLOW, (Check(0, (PID,)),), _NO),
    # Its own limits: none can be raised. That on core dumps holds by not being 0, see `rlimits.py`.
    "setrlimit": Rule(ALLOW, (Check(0, (_RLIMIT_CORE,), wanted=False),), _NO),
    "prlimit64": Rule(
        ALLOW, (Check(0, (0, PID)), Check(1, (_RLIMIT_CORE,), otherwise=ALLOW), Null(2)), _NO
    ),
    # A thread with a table of descriptors of its own (CLOSE_RANGE_UNSHARE) would have a limit of
    # its own as well, and could hide there what it has open.
    "close_range": Rule(ALLOW, (_zero_but(2, _CLOSE_RANGE_ON_EXEC),), answer(errno.EINVAL)),
    # Feigned where folders would be made that their own user may not list, see `_makes_folder`.
    "umask": Rule(ALLOW, (Check(0, (0,), mask=_OWNER),), answer(0)),
    "getpriority": Rule(ALLOW, (Check(0, (0,)), Check(1, (0, PID))), _NO),
    "getpgid": Rule(ALLOW, (Check(0, (0, PID)),), _NO),
    "getsid": Rule(ALLOW, (Check(0, (0, PID)),), _NO),
    # The C library asks it of each thread's number, and takes this answer for "no such thing".
    "sched_getaffinity": Rule(ALLOW, (Check(0, (0, PID)),), answer(errno.ENOSYS)),
    # Other numbers are clocks of other processes.
    "clock_gettime": Rule(ALLOW, (_zero_but(0, _CLOCKS),), answer(errno.EINVAL)),
    "clock_getres": Rule(ALLOW, (_zero_but(0, _CLOCKS),), answer(errno.EINVAL)),
    "clock_nanosleep": Rule(ALLOW, (_zero_but(0, _CLOCKS),), answer(errno.EINVAL)),
    # Everything else that prctl does changes what holds the process: its parent's death, dumps.
    "prctl": Rule(ALLOW, (Check(0, _THREAD_NAME),), _NO),
    # Huge pages come from a reserve of the whole machine.
    "mmap": Rule(ALLOW, (Check(3, (0,), mask=_MAP_HUGETLB),), _NO),
    "madvise": Rule(ALLOW, (Check(2, _MADV_ON_OTHERS, wanted=False),), answer(errno.EINVAL)),
    # Device controls do anything; typing into the terminal (TIOCSTI) is one of them.
    "ioctl": Rule(ALLOW, (Check(1, _TERMINAL_AND_BLOCKING),), answer(errno.ENOTTY)),
    # A record lock is kernel memory that no limit counts; as no other process could hold one
    # against this, locking is feigned. What is left out sends signals, watches or leases files, or
    # enlarges what pipes may hold.
    "fcntl": Rule(
        ALLOW,
        (Check(1, _SET_RECORD_LOCK, wanted=False, otherwise=answer(0)), Check(1, _FCNTL)),
        answer(errno.EINVAL),
    ),
    "pipe2": Rule(ALLOW, (_zero_but(1, _NONBLOCKING_AND_CLOSED_ON_EXEC),), answer(errno.EINVAL)),
    # Streams only: a datagram socket, paired or not, can send to any other by its path.
    "socketpair": Rule(
        ALLOW,
        (Check(0, (1,)), _zero_but(1, _NONBLOCKING_AND_CLOSED_ON_EXEC, 1)),
        _NO,
    ),
    # To whom it is connected, to no address; and nothing urgent, which Linux has got wrong before.
    "sendto": Rule(ALLOW, (Null(4), _zero_but(3, _SENDING)), _NO),
    "recvfrom": Rule(ALLOW, (_zero_but(3, _RECEIVING),), _NO),
    "getsockopt": Rule(ALLOW, (Check(1, (1,)), Check(2, _SOCKET_FACTS)), answer(errno.ENOPROTOOPT)),
}


@functools.cache
def program(architecture: str, *, files: bool, links: bool = True, reserving: bool = True) -> bytes:
    """Return the filter, but for the process's own number; slow, so it is remembered.

    Parameters
    ----------
    architecture
        One of `syscalls.ARCHITECTURES`.
    files
        False refuses to open, list, make, move or remove files.
    links
        False says of every path that it is no link.
    reserving
        False says that no file system can reserve space: where none limits what files take
        together, that takes a whole disk before anybody looks.
    """
    known = ARCHITECTURES[architecture]
    by_name = {name: Rule(ALLOW) for names in _ALLOWED.values() for name in names.split()}
    by_name |= {name: Rule(answer(0)) for name in _FEIGNED.split()}
    for error, names in _ANSWERED.items():
        by_name |= {name: Rule(answer(error)) for name in names.split()}
    by_name |= _CHECKED
    refused = Rule(answer(errno.EACCES))
    by_name |= {name: Rule(ALLOW) if files else refused for name in _FILE_NAMES.split()}
    by_name |= _OPENING | _MAKING if files else dict.fromkeys(_OPENING | _MAKING, refused)
    by_name["fallocate"] = Rule(ALLOW if reserving else answer(errno.EOPNOTSUPP))
    if not links:
        by_name |= {name: Rule(answer(errno.EINVAL)) for name in _LINKS}
    numbers = known.numbers
    return assemble(
        known.audit_name,
        {numbers[name]: rule for name, rule in by_name.items() if name in numbers},
        [
            (0, Rule(_NO)),
            (FIRST_UNKNOWN, Rule(answer(errno.ENOSYS))),
            (_X32_BIT, Rule(KILL)),
        ],
    )


def prepare(*, files: bool, links: bool = True, reserving: bool = True) -> None:
    """Do, in the warm process, what takes long about `limit_calls`."""
    if machine() in ARCHITECTURES:
        with_pid(program(machine(), files=files, links=links, reserving=reserving), os.getpid())


def limit_calls(*, files: bool, links: bool = True, reserving: bool = True) -> None:
    """Apply the filter to all threads, for good; needs no_new_privs.

    Raises
    ------
    OSError
        With words; also on an architecture whose numbers are not known.
    """
    known = ARCHITECTURES.get(machine())
    if known is None:
        raise OSError(errno.ENOSYS, f"no filter of system calls is written for {machine()}")
    filter_ = program(machine(), files=files, links=links, reserving=reserving)
    code = with_pid(filter_, os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HP", len(code) // INSTRUCTION_BYTES, ctypes.addressof(buffer))
    doing = "filtering system calls"
    blocker = syscall(doing, known.seccomp, _SET_MODE_FILTER, _ALL_THREADS, header)
    if blocker:
        raise OSError(errno.EBUSY, f"{doing}: thread {blocker} could not be filtered")
