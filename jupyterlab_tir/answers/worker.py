"""The killable worker: what a hostile text could make endless runs in a process that can be ended.

The parent's side. `Worker.ask` sends a request to a process of its own and waits, with a clock: an
answer comes back, or None where the limits of time and memory end it. What a text can cause is
never an exception. It makes no threads, sets no signal handlers, and re-imports nothing of the
caller's, so that it works from scripts without a guard, from notebooks, threads and event loops
(whose thread it blocks until the answer).

How a process lives
-------------------
1. It is started by the first call that finds none free (at most two at once), with this
   interpreter's path, an environment without anything secret, and no terminal.
2. It says when it is ready, and when it is away, importing what it will need later. Time away is
   not the text's fault: a call then gets at least half its time once the process is ready.
3. Out of time, gone, or talking nonsense, it is killed and reaped, and its successor started at
   once, so that the next call seldom waits for one.
4. It ends with `Worker.close`, with the interpreter, or with its standard input: also where the
   parent was killed (`working` says how). A forked copy of the parent forgets what it inherits.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import math
import os
import sys
import threading
import time
import warnings
import weakref
from types import TracebackType
from typing import Self

from .process import Process
from .working import Request

SERVICE = "jupyterlab_tir.answers.algebra.service"
"""What the shared worker serves."""

LARGEST_PAYLOAD_BYTES = 32 << 20
"""A longer question is beyond them before it is asked."""

LONGEST_S = 3600.0
"""Nothing is waited for longer."""

_PROCESSES = 2
_HOLD_OFF_S = 60.0


class NoProcessError(Exception):
    """There is no process to ask: nothing is said about the question."""


class Worker:
    """A process, or two, that work things out and can be ended.

    Safe to use from any number of threads; nothing is started before the first `ask`. Use it as a
    context manager, or `close` it; what is left over is closed with the interpreter.

    Parameters
    ----------
    service
        Name of the module whose `OPERATIONS` the processes serve, as in `working`.
    show_errors
        Whether tracebacks of the processes reach this process's standard error, for developers.

    >>> with Worker("jupyterlab_tir.answers.working") as worker:
    ...     worker.is_running
    False
    """

    def __init__(self, service: str = SERVICE, *, show_errors: bool = False) -> None:
        self.service = service
        self._show_errors = show_errors
        self._numbers = itertools.count(1)
        self._begin()
        _workers.add(self)

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._idle: list[Process] = []
        self._busy: set[Process] = set()
        self._hold_off_until = -math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def is_running(self) -> bool:
        """Whether it has a process."""
        with self._changed:
            return bool(self._idle or self._busy)

    def ask(self, operation: str, payload: bytes, *, timeout_s: float) -> bytes | None:
        """Have an operation of the service worked out, and wait for it.

        Parameters
        ----------
        operation
            Name of the operation.
        payload
            What it works on.
        timeout_s
            How much work it may take, in seconds of the processor, once there is a process that is
            free and ready; on a busy machine the wait is up to twice as long.

        Returns
        -------
        bytes | None
            What the operation returned; None where that is beyond the limits: time, memory, size,
            an end of the process for whatever reason.

        Raises
        ------
        NoProcessError
            Where no process can be started, which a RuntimeWarning says, or the worker was closed.
        ValueError
            Where the service has no such operation.
        """
        if not timeout_s > 0 or len(payload) > LARGEST_PAYLOAD_BYTES:
            return None
        request = Request(next(self._numbers), operation, payload, min(timeout_s, LONGEST_S))
        process = reply = None
        try:
            process = self._take()
            reply = process.ask(request)
        finally:
            # Also where Ctrl-C ends the wait: a process in mid-request can answer nothing else.
            if process is not None:
                self._give_back(process, is_sound=reply is not None)
        if process.trouble or process.is_closed:
            raise NoProcessError(process.trouble or "it was closed")
        if reply is None:
            return None
        if reply.state == "unknown":
            raise ValueError(f"{self.service} has no operation {operation!r}.")
        return reply.payload

    def close(self) -> None:
        """End the processes; calls under way come back with None. A later `ask` starts anew."""
        with self._changed:
            ended, self._idle = self._idle, []
            for process in self._busy:
                process.close()
        for process in ended:
            process.end()

    def forget(self) -> None:
        """Let go of processes that belong to the process from which this one was forked."""
        inherited = [*self._idle, *self._busy]
        self._begin()  # with a new lock: another thread may have held the old one at the fork
        for process in inherited:
            process.forget()

    def _take(self) -> Process:
        """Return a process to use, a ready one if there is one; wait while all are in use."""
        with self._changed:
            while len(self._busy) >= _PROCESSES:
                self._changed.wait()
            for process in [process for process in self._idle if not process.is_alive()]:
                self._idle.remove(process)
                process.end()
            if self._idle:
                process = max(reversed(self._idle), key=lambda process: process.is_ready)
                self._idle.remove(process)
                self._busy.add(process)
                return process
            if time.monotonic() < self._hold_off_until:
                raise NoProcessError("it did not start a moment ago")
            try:
                process = Process(self.service, show_errors=self._show_errors)
            except OSError as error:
                self._hold_off_until = time.monotonic() + _HOLD_OFF_S
                trouble = str(error)
            else:
                self._busy.add(process)
                return process
        self._warn(trouble)
        raise NoProcessError(trouble)

    def _give_back(self, process: Process, *, is_sound: bool) -> None:
        """Keep a process for the next call, or start another in its place."""
        with self._changed:
            self._busy.discard(process)
            is_kept = is_sound and not process.is_closed
            if is_kept:
                self._idle.append(process)
            elif process.trouble:
                self._hold_off_until = time.monotonic() + _HOLD_OFF_S
            elif not process.is_closed:
                process.kill()
                # Where this fails, the next call tries again, and says so.
                with contextlib.suppress(OSError):
                    successor = Process(self.service, show_errors=self._show_errors)
                    self._idle.insert(0, successor)
            self._changed.notify()
        if not is_kept:
            process.end()
        if process.trouble:
            self._warn(process.trouble)

    def _warn(self, trouble: str) -> None:
        warnings.warn(
            f"Hard answers are not compared now: the process for them did not start ({trouble}). "
            f"To see why, run: {sys.executable} -c 'import {self.service}'",
            RuntimeWarning,
            stacklevel=4,
        )


_workers: weakref.WeakSet[Worker] = weakref.WeakSet()
_shared = Worker()


def shared() -> Worker:
    """Return the worker that everything in this process shares."""
    return _shared


def _close_all() -> None:
    for worker in list(_workers):
        worker.close()


def _forget_all() -> None:
    for worker in list(_workers):
        worker.forget()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
