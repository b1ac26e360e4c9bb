"""Own a server's whole process tree, so that all of it ends together.

Executed as a script (`python -E -s supervisor.py`) between the one who starts a server and the
server itself; it therefore imports the standard library only. It reads one JSON object from
standard input (`argv`, `env`, `starter`, `grace_s`), and then

1. becomes the reaper of everything below it, so that no orphan can leave the tree;
2. starts the server, which gets SIGTERM if this process should be killed itself;
3. waits until the server ends, SIGTERM arrives, or the process `starter` is gone (when it is given:
   a server that was not detached does not outlive its starter, however that one died);
4. ends the tree: SIGTERM to the server, SIGKILL after `grace_s` seconds to all that is left.

It watches its parent's number instead of asking the kernel for a death signal, because that signal
concerns the starting thread, which may end long before its process.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.2
KILL_LIMIT_S = 10.0


def prctl(option: int, value: int) -> None:
    """Call prctl(2).

    Raises
    ------
    OSError
        If the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def descendants(pid: int) -> list[int]:
    """Processes below `pid`, parents before children, without zombies."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - names are wanted, not paths
        if not entry.isdigit():
            continue
        # A process may end between listing and reading.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            stat = Path(f"/proc/{entry}/stat").read_text(encoding="utf-8", errors="replace")
            state, parent = stat[stat.rindex(")") + 2 :].split()[:2]
            if state not in "ZX":
                children.setdefault(int(parent), []).append(int(entry))
    found: list[int] = []
    pending = [pid]
    while pending:
        below = children.get(pending.pop(), [])
        found += below
        pending += below
    return found


def _prepare_server() -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _reap() -> None:
    """Take the end of adopted orphans, so that they do not stay as zombies."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def _wait_for_end(server: subprocess.Popen[bytes], starter: int | None) -> str:
    """Reason in words why the tree must end now."""
    wanted = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
    while True:
        info = signal.sigtimedwait(wanted, POLL_S)
        if server.poll() is not None:
            return _describe(server.returncode)
        if info is not None and info.si_signo != signal.SIGCHLD:
            return f"the server was asked to end ({signal.Signals(info.si_signo).name})"
        if starter is not None and os.getppid() != starter:
            return "the process that started the server is gone"


def _describe(returncode: int) -> str:
    if returncode == -signal.SIGKILL:
        return "the server was killed (SIGKILL), by hand or for want of memory"
    if returncode < 0:
        return f"the server was ended by {signal.Signals(-returncode).name}"
    return f"the server ended by itself with exit code {returncode}"


def _end_tree(server: subprocess.Popen[bytes], grace_s: float) -> None:
    if server.poll() is None:
        server.terminate()
        limit = time.monotonic() + grace_s
        while server.poll() is None and time.monotonic() < limit:
            time.sleep(0.05)
    limit = time.monotonic() + KILL_LIMIT_S
    while left := descendants(os.getpid()):
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        server.poll()
        _reap()
        if time.monotonic() > limit:
            sys.stdout.write(f"supervisor: processes that cannot be ended: {left}\n")
            return
        time.sleep(0.02)
    # Where this runs in a container, nobody else may take the ends of what was orphaned.
    server.poll()
    _reap()


def main() -> int:
    """Run as the module's docstring says; the exit code is the server's (128 + signal)."""
    order = json.load(sys.stdin)
    starter: int | None = order["starter"]
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
    )
    server = subprocess.Popen(  # noqa: S603 - the order comes from launch.py, over a pipe
        order["argv"],
        env=order["env"],
        stdin=subprocess.DEVNULL,
        # There is one thread here, so running code between fork and exec is safe.
        preexec_fn=_prepare_server,  # noqa: PLW1509
    )
    reason = _wait_for_end(server, starter)
    _end_tree(server, float(order["grace_s"]))
    sys.stdout.write(f"supervisor: {reason}\n")
    sys.stdout.flush()
    code = server.poll()
    if code is None:
        return 1
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
