"""Taking a cell's steps: frames, interrupts, and a loop that signals wake."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from jupyterlab_tir_kernel.driving import (
    FRAME_S,
    Signal,
    Steps,
    drive_awaiting,
    drive_blocking,
    woken_by_signals,
)

Heard = list[str]


def stubborn(heard: Heard, interrupt_soon: Callable[[], object]) -> Steps[str]:
    """Steps that wait for ever, stop only once interrupted twice, and need three frames for it."""
    never: Signal = Signal()
    try:
        for word in ("interrupted", "again"):
            interrupt_soon()
            try:
                while True:
                    yield never
            except KeyboardInterrupt:
                heard.append(word)
        for _ in range(3):
            yield never
        return "partial"
    finally:
        heard.append("closed")


def test_blocking_steps_hear_interrupts_and_end_by_themselves() -> None:
    heard: Heard = []
    timers: list[threading.Timer] = []

    def interrupt_soon() -> None:
        timers.append(threading.Timer(FRAME_S / 2, os.kill, (os.getpid(), signal.SIGINT)))
        timers[-1].start()

    before = signal.getsignal(signal.SIGINT)
    assert drive_blocking(stubborn(heard, interrupt_soon), takes_sigint=True) == "partial"
    for timer in timers:
        timer.join()
    assert heard == ["interrupted", "again", "closed"]
    assert signal.getsignal(signal.SIGINT) is before


async def test_awaited_steps_hear_cancelling_once_each_and_end_by_themselves() -> None:
    heard: Heard = []

    def interrupt_soon() -> None:
        asyncio.get_running_loop().call_later(FRAME_S / 2, task.cancel)

    task = asyncio.create_task(drive_awaiting(stubborn(heard, interrupt_soon)))
    assert await task == "partial"
    assert heard == ["interrupted", "again", "closed"]


async def test_the_loop_goes_on_while_steps_are_awaited() -> None:
    done: Signal = Signal()
    asyncio.get_running_loop().call_later(0.02, done.set_result, None)

    def steps() -> Steps[float]:
        began = time.monotonic()
        yield done
        return time.monotonic() - began

    # The end of what is waited for ends the frame.
    assert await drive_awaiting(steps()) < 10


async def test_what_the_steps_raise_comes_out_and_closes_them() -> None:
    def failing() -> Steps[None]:
        yield Signal()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await drive_awaiting(failing())
    with pytest.raises(ValueError, match="no"):
        drive_blocking(failing(), takes_sigint=False)


async def test_a_signal_wakes_a_sleeping_loop_and_what_was_set_is_restored() -> None:
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    # As ipykernel does it: scheduled from the handler, without waking the loop.
    before = signal.signal(signal.SIGUSR1, lambda *_: loop.call_soon(came.set))
    try:
        began = time.monotonic()
        with woken_by_signals(loop):
            timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
            timer.start()
            async with asyncio.timeout(20):
                await came.wait()
        assert time.monotonic() - began < 10
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert signal.set_wakeup_fd(-1) == -1
