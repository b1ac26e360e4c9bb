"""The bootstrap of a child kernel: `python -m jupyterlab_tir.sandbox.child -f CONNECTION_FILE`.

Runs in the child's process only, and is not imported by the engine. In this order, because each
step must hold before the next can be trusted:

1. die with the engine: SIGKILL when the thread that started this process ends;
2. limits of the operating system on core dumps, open files and file sizes;
3. no debugger, so that ipykernel does not load one into every kernel;
4. seeds;
5. a Jupyter kernel without a user's history, configuration, start-up files or TCP listener, whose
   connection file (it holds the key) is deleted as soon as it was read;
6. the limit on memory, counted from what the process has mapped by then;
7. serve.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
from pathlib import Path

from .seeding import seed_on_import

_PR_SET_PDEATHSIG = 1
_OPEN_FILES = 256
_FILE_SIZE_BYTES = 64 * 1024**2
_INTEGER_DIGITS = 100_000
# What numpy, scipy, sympy, mpmath and networkx map when they are imported, rounded up.
_LIBRARIES_BYTES = 256 * 1024**2


def die_with_parent(parent_pid: int) -> None:
    """Ask the kernel for SIGKILL at the parent's death, and leave if it is dead already.

    Elsewhere than on Linux ipykernel's own watch on its parent, once a second, must do.
    """
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - only where it is used

        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent_pid:
        os._exit(1)


def limit_files() -> None:
    """Allow no core dump, 256 open files and 64 MiB a file.

    Without the second a child can pin gigabytes of socket buffers that no memory limit counts.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_SIZE_BYTES, _FILE_SIZE_BYTES))


def limit_memory(extra_bytes: int) -> None:
    """Allow `extra_bytes` of address space beyond what is mapped now and the usual libraries."""
    if sys.platform != "linux":
        return  # RLIMIT_AS is not enforced on macOS, and there is no /proc to count from
    mapped_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    mapped = mapped_pages * resource.getpagesize()
    allowed = mapped + _LIBRARIES_BYTES + extra_bytes
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))


def main() -> None:
    """Become a child kernel; returns when it is told to shut down."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-f", dest="connection_file", required=True)
    parser.add_argument("--memory-bytes", type=int, required=True)
    parser.add_argument("--keep-chars", type=int, required=True)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()

    parent_pid = int(os.environ.pop("JPY_PARENT_PID"))
    die_with_parent(parent_pid)
    limit_files()
    sys.modules["debugpy"] = None  # type: ignore[assignment]  # import machinery: "not available"
    sys.set_int_max_str_digits(_INTEGER_DIGITS)
    if options.seed is not None:
        seed_on_import(options.seed)

    from .child_kernel import make_kernel_app  # noqa: PLC0415 - must come after the debugger is off

    app = make_kernel_app(options.connection_file, parent_pid, options.keep_chars, options.seed)
    limit_memory(options.memory_bytes)
    app.start()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
