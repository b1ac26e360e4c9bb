"""The process that attacks are aimed at: of the same user, minding its own business.

Tells on stdout where it can be hurt, then every signal that reaches it; answers a line on stdin
with the bytes at the address it named. Run with `python -I -S`.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import tempfile

_PR_SET_PTRACER = 0x59616D61
_LEFT_ALONE = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}


def say(**fields: object) -> None:
    """Write one line of JSON, whole, even from inside a signal handler."""
    os.write(1, json.dumps(fields).encode() + b"\n")


def main() -> None:
    """Live until stdin ends."""
    secret = sys.stdin.buffer.readline().strip()
    os.setsid()
    if sys.platform == "linux":
        # Where Yama guards processes, let the attack show what a machine without it would allow.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(2**64 - 1), 0, 0, 0)
    memory = ctypes.create_string_buffer(secret)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as this process lives
    file.write(secret)
    file.flush()
    for number in signal.valid_signals() - _LEFT_ALONE:
        signal.signal(number, lambda got, _frame: say(signal=got))
    say(pid=os.getpid(), address=ctypes.addressof(memory), descriptor=file.fileno())
    for _ in sys.stdin:
        say(memory=memory.raw.hex())


if __name__ == "__main__":
    main()
