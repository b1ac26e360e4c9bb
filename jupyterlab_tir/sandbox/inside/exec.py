"""A child kernel that is started, not forked: `python -m … -f CONNECTION_FILE`, in no box.

For machines without the fork server. In this order, because each step must hold before the next
can be trusted:

1. die with the engine: SIGKILL when the thread that started this process ends, or, elsewhere than
   on Linux, when a look once a second finds it gone;
2. limits of the operating system on core dumps, open files and file sizes, where there are any;
3. the connection file (it holds the key) is deleted as soon as it was read;
4. the shell, and sockets and threads;
5. the limit on memory, counted from what the process has mapped by then;
6. serve.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

from ..box import privileges
from ..box.rlimits import mapped_bytes
from .kernel import serve
from .shell import build_shell

_OPEN_FILES: Final = 256
_FILE_SIZE_BYTES: Final = 64 * 1024**2
_INTEGER_DIGITS: Final = 100_000
# What numpy, scipy, sympy, mpmath and networkx map when they are imported, rounded up.
_LIBRARIES_BYTES: Final = 256 * 1024**2
_WATCH_S: Final = 1.0


def die_with_parent(parent_pid: int) -> None:
    """End when the parent does, and at once if it is dead already."""
    if sys.platform == "linux":
        with contextlib.suppress(ProcessLookupError):  # seen to below
            privileges.die_with_parent(parent_pid)
    else:
        threading.Thread(target=_watch, args=(parent_pid,), daemon=True).start()
    if os.getppid() != parent_pid:
        os._exit(1)


def _watch(parent_pid: int) -> None:
    while os.getppid() == parent_pid:
        time.sleep(_WATCH_S)
    os._exit(1)


def limit_files() -> None:
    """Allow no core dump, 256 open files and 64 MiB a file, where the system can limit them.

    Without the second a child can pin gigabytes of socket buffers that no memory limit counts.
    """
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_SIZE_BYTES, _FILE_SIZE_BYTES))


def limit_memory(extra_bytes: int) -> None:
    """Allow `extra_bytes` of address space beyond what is mapped now and the usual libraries."""
    if sys.platform != "linux":
        return  # RLIMIT_AS is not enforced on macOS, and there is no /proc to count from
    import resource  # noqa: PLC0415 - not on Windows

    allowed = mapped_bytes() + _LIBRARIES_BYTES + extra_bytes
    # A limit that is there already cannot be raised.
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))


def main() -> None:
    """Become a child kernel; ends the process when it is told to shut down."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-f", dest="connection_file", required=True)
    parser.add_argument("--memory-bytes", type=int, required=True)
    parser.add_argument("--keep-chars", type=int, required=True)
    options = parser.parse_args()

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until there is a cell to interrupt
    die_with_parent(int(os.environ.pop("JPY_PARENT_PID")))
    limit_files()
    sys.set_int_max_str_digits(_INTEGER_DIGITS)
    file = Path(options.connection_file)
    connection = json.loads(file.read_text(encoding="utf-8"))
    file.unlink()
    limits = functools.partial(limit_memory, options.memory_bytes)
    serve(build_shell(options.keep_chars), connection, on_bound=limits)
    os._exit(0)  # threads of the code's own may go on without end


if __name__ == "__main__":
    main()
