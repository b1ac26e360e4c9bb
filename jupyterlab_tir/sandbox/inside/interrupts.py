"""SIGINT ends the cell that runs and nothing else.

Python runs a signal's handler in the main thread between any two steps. The one here raises
KeyboardInterrupt where the main thread is inside the cell's code, also in code after an `await`,
and has the event loop cancel the cell where it awaits something or the loop is just putting it
back into its queue. While output is being collected or sent it waits until that is done; without a
cell it does nothing.

Handlers that code has installed for other signals act while a cell runs, for the same reason: an
alarm that a cell forgot, and that raises, would else cut off whatever the kernel is just saying.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

_Handler = Callable[[int, FrameType | None], Any]
# All but SIGINT that Python can have handlers for; real-time signals have no names.
_SIGNALS: Final = tuple(
    number
    for number in signal.Signals
    if number not in (signal.SIGINT, signal.SIGKILL, signal.SIGSTOP)
    and not number.name.startswith("SIGRT")
)
_TRIES: Final = 5


class Interrupts:
    """Turns SIGINT into the end of the running cell. Made in the main thread.

    Parameters
    ----------
    loop
        The main thread's event loop.

    Attributes
    ----------
    lock
        Held while output is collected or sent. The same thread may take it again: a signal handler
        of the code's own may print. Whoever releases it calls `deliver`.
    cell
        The task of the cell that runs; None where an interrupt does nothing.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.lock = threading.RLock()
        self.cell: asyncio.Task[Any] | None = None
        self._held: dict[signal.Signals, _Handler] = {}
        self._loop = loop
        self._main = threading.get_ident()
        self._waiting = False
        self._cancel = False
        # A signal must wake the loop: a stock kernel's sleeps on in `await asyncio.sleep(60)`
        # (ipykernel issue 881). Not `loop.add_signal_handler`, which touches a lot of memory.
        self._bell, self._ringer = os.pipe()
        os.set_blocking(self._bell, False)
        os.set_blocking(self._ringer, False)
        signal.set_wakeup_fd(self._ringer, warn_on_full_buffer=False)
        loop.add_reader(self._bell, self._woken)
        signal.signal(signal.SIGINT, self._handle)

    def close(self) -> None:
        """Let go of signals and descriptors; for a process that does not end now."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.set_wakeup_fd(-1)
        self._loop.remove_reader(self._bell)
        os.close(self._bell)
        os.close(self._ringer)

    def arm(self, cell: asyncio.Task[Any]) -> None:
        """Let SIGINT interrupt `cell`, and other signals have the handlers that code gave them.

        It is disarmed by setting the attribute to None, and then by `hold`.
        """
        for number, handler in self._held.items():
            signal.signal(number, handler)
        self._held = {}
        self._waiting = self._cancel = False
        # Each time, because an earlier cell may have installed a handler of its own.
        signal.signal(signal.SIGINT, self._handle)
        self.cell = cell

    def hold(self) -> None:
        """Keep the handlers that code has installed until the next cell.

        What they raise in the meantime is dropped; they may ring without end.
        """
        for _ in range(_TRIES):
            with contextlib.suppress(BaseException):
                for number in _SIGNALS:
                    handler = signal.getsignal(number)
                    if callable(handler) and handler is not _ignore:
                        self._held[number] = handler
                        signal.signal(number, _ignore)
                return

    def deliver(self) -> None:
        """Raise the interrupt that came while the lock was held, if one did."""
        if self._waiting and threading.get_ident() == self._main:
            self._handle(signal.SIGINT, sys._getframe())  # noqa: SLF001 - its documented use

    def _handle(self, _number: int, frame: FrameType | None) -> None:
        if self.cell is None:
            return
        # The only way to ask; `threading.Condition` relies on it too.
        self._waiting = self.lock._is_owned()  # type: ignore[attr-defined]  # noqa: SLF001
        if self._waiting:
            return
        running = asyncio.current_task(self._loop)
        inside = running is not None and _runs_code_of(running, frame)
        self._cancel = not inside or running is not self.cell
        if inside:
            raise KeyboardInterrupt

    def _woken(self) -> None:
        """Called by the loop, after the handler, for every signal."""
        with contextlib.suppress(OSError):  # the code may have closed it
            os.read(self._bell, 64)
        if self._cancel and self.cell is not None:
            self._cancel = False
            self.cell.cancel()


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Be a handler between cells."""


def _runs_code_of(task: asyncio.Task[Any], frame: FrameType | None) -> bool:
    """Whether `frame` is in the task's own code, not in the loop's around it.

    The task is current too while the loop schedules its next step. An exception there would be the
    loop's, and the task would never be called again.
    """
    coroutine = task.get_coro()
    for name in ("cr_frame", "gi_frame"):  # of a coroutine; of a generator used as one
        if hasattr(coroutine, name):
            outermost = getattr(coroutine, name)  # None at its end
            while frame is not None and frame is not outermost:
                frame = frame.f_back
            return frame is not None
    return True  # not written in Python
