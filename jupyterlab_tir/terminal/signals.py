"""What ends a command: Ctrl-C from its first moment on, SIGTERM, and SIGHUP of a closed terminal.

It loads nothing that takes time, since it is loaded before all else.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType

INTERRUPTED = 130
"""Exit code of what Ctrl-C ended."""


def leave_on_ctrl_c() -> None:
    """Let Ctrl-C end the process at once, with one line, until a command hears it by itself.

    While modules are loaded there is nothing to clean up, and an exception in the middle of one
    would be a traceback. Main thread only; where SIGINT is ignored it stays so.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def hear_ctrl_c() -> None:
    """Let Ctrl-C raise KeyboardInterrupt from here on: there may be something to clean up."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    with contextlib.suppress(OSError):
        os.write(2, b"tir: Interrupted.\n")
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and SIGHUP do what Ctrl-C does: stop, keep what there is, clean up.

    A signal that the starter has told us to ignore (`nohup`) stays ignored. Of those that come, the
    first counts: a closed terminal sends several, and none may cut the cleaning up short. Main
    thread only.
    """
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) == signal.SIG_DFL]
    heard = False
    terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal heard
        heard = True
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        if number == signal.SIGHUP:
            # Writing to a terminal that has gone is an error, and cleaning up must not meet it.
            null = os.open(os.devnull, os.O_WRONLY)
            for descriptor in terminals:
                os.dup2(null, descriptor)
            os.close(null)
        raise KeyboardInterrupt

    hear_ctrl_c()
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in () if heard else numbers:
            signal.signal(number, signal.SIG_DFL)
