"""What ends a command besides Ctrl-C: SIGTERM and, when its terminal is closed, SIGHUP."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType


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

    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in () if heard else numbers:
            signal.signal(number, signal.SIG_DFL)
