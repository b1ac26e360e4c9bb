"""One thread from which processes are started that must live as long as this one.

Linux ends a process that asked for it when the *thread* that started it ends, not the process. This
thread never ends.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class _Spawner:
    def __init__(self) -> None:
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="tir-spawner", daemon=True).start()

    def _run(self) -> None:
        while True:
            function, future = self._work.get()
            try:
                future.set_result(function())
            except BaseException as error:  # noqa: BLE001 - whoever asked gets it
                future.set_exception(error)

    def call(self, function: Callable[[], T]) -> T:
        future: Future[T] = Future()
        self._work.put((function, future))
        return future.result()


_lock = threading.Lock()
_spawner: _Spawner | None = None


def spawn(function: Callable[[], T]) -> T:
    """Call a function that starts a process, in the thread that never ends; return what it does."""
    global _spawner  # noqa: PLW0603 - a process has one
    with _lock:
        if _spawner is None:
            _spawner = _Spawner()
        spawner = _spawner
    return spawner.call(function)


def _renew() -> None:
    """The thread is not forked with the process, and another one may have held the lock."""
    global _lock, _spawner
    _lock, _spawner = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
