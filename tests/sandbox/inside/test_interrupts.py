"""SIGINT ends the cell that runs, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from jupyterlab_tir.sandbox.inside.interrupts import Interrupts

from .driver import Ran, finish, published_until, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import KernelManager


_HOG = """
import asyncio
async def hog():
    while True: pass
task = asyncio.create_task(hog())
await asyncio.sleep(1000)
"""
_SLOW_ERROR = """
class Slow(Exception):
    def __str__(self):
        while True: pass
raise Slow
"""


def interrupt_during(
    manager: KernelManager,
    client: BlockingKernelClient,
    code: str,
    *,
    times: int = 1,
    after_s: float = 0.05,
) -> Ran:
    """Run a cell and interrupt it a moment after it has said something, so many times."""
    request = client.execute(f"print('begun', flush=True)\n{code}")
    for _ in range(times):
        published_until(client, "stream")
        time.sleep(after_s)
        manager.interrupt_kernel()
    return finish(client, request)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import time; time.sleep(1000)", "KeyboardInterrupt"),
        ("while True: pass", "KeyboardInterrupt"),
        ("while True: print('spam')", "KeyboardInterrupt"),
        ("import os\nwhile True: os.write(1, b'spam')", "KeyboardInterrupt"),
        ("while True: display('spam')", "KeyboardInterrupt"),
        # What a stock kernel cannot do (ipykernel issue 881).
        ("import asyncio\nawait asyncio.sleep(1000)", "CancelledError"),
        ("import asyncio\nawait asyncio.sleep(0)\nwhile True: pass", "KeyboardInterrupt"),
        ("import asyncio\nwhile True: await asyncio.sleep(0)", None),
        ("class Slow:\n    def __repr__(self):\n        while True: pass\nSlow()", None),
        (_SLOW_ERROR, None),
        ("class Slow:\n    def __del__(self):\n        while True: pass\nSlow()\n1", None),
        (_HOG, None),
        ("import threading\nthreading.Event().wait()", "KeyboardInterrupt"),
        ("import threading\nlock = threading.Lock()\nwhile lock.acquire(): pass", None),
    ],
)
def test_cell_is_interrupted_and_its_state_kept(
    manager: KernelManager, client: BlockingKernelClient, code: str, name: str | None
) -> None:
    run(client, "kept = 1")
    # What is awaited can be cancelled only once it is awaited.
    ran = interrupt_during(manager, client, code, after_s=1 if name == "CancelledError" else 0.05)
    if name is not None:
        assert (ran.content["status"], ran.content["ename"]) == ("error", name)
        assert ran.of_kind("error")[0]["ename"] == name
    assert run(client, "kept").value == "1"


class RingingLoop(asyncio.SelectorEventLoop):
    """A loop that is interrupted once while it puts a task back into its queue."""

    rings = 0

    def call_soon(self, *args: Any, **options: Any) -> asyncio.Handle:
        if self.rings and asyncio.current_task(self) is not None:
            self.rings -= 1
            signal.raise_signal(signal.SIGINT)
        return super().call_soon(*args, **options)


@pytest.fixture
def ringing_loop() -> Iterator[RingingLoop]:
    loop = RingingLoop()
    wakeup, handler = signal.set_wakeup_fd(-1), signal.getsignal(signal.SIGINT)
    yield loop
    loop.close()
    signal.signal(signal.SIGINT, handler)
    signal.set_wakeup_fd(wakeup)


def test_interrupt_of_the_loop_itself_cancels_the_cell(ringing_loop: RingingLoop) -> None:
    interrupts = Interrupts(ringing_loop)

    async def cell() -> None:
        task = asyncio.current_task()
        assert task is not None
        interrupts.arm(task)
        ringing_loop.rings = 1
        while True:  # noqa: ASYNC110 - the loop is what is tested
            await asyncio.sleep(0)

    with pytest.raises(asyncio.CancelledError):
        ringing_loop.run_until_complete(asyncio.wait_for(cell(), 60))
    interrupts.close()
    assert ringing_loop.rings == 0


def test_interrupt_of_an_idle_kernel_does_nothing(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    for _ in range(5):
        manager.interrupt_kernel()
        time.sleep(0.02)
    assert run(client, "import time; time.sleep(0.2); 'whole'").value == "'whole'"
    manager.interrupt_kernel()
    assert run(client, "import asyncio; await asyncio.sleep(0.2, 'whole')").value == "'whole'"


def test_storm_of_interrupts_garbles_no_message(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    # The client checks the signature of every message; half a message would be one too few frames.
    assert manager.provisioner is not None
    pid = manager.provisioner.process.pid  # type: ignore[attr-defined]
    caught = 0
    for index in range(40):
        code = (
            "import sys\nfor i in range(100_000):\n"
            "    print(i); display(i); sys.stderr.write('x'); sys.stdout.flush()"
        )
        request = client.execute(code, store_history=False)
        for wait in range(1 + index % 3):
            time.sleep(0.002 * (1 + index % 7) + 0.001 * wait)
            os.kill(pid, 2)
        ran = finish_or_interrupt(client, request, pid)
        caught += ran.content.get("ename") == "KeyboardInterrupt"
        assert ran.kinds[0] == "status"
        assert ran.content["status"] in {"ok", "error"}
    assert caught > 5
    assert run(client, "'alive'").value == "'alive'"


def test_handlers_of_the_code_act_in_its_cells_only(client: BlockingKernelClient) -> None:
    run(
        client,
        "import os, signal\nrang = []\n"
        "def ring(number, frame): rang.append(number)\n"
        "for each in (signal.SIGALRM, signal.SIGUSR1): signal.signal(each, ring)\n"
        "_ = signal.setitimer(signal.ITIMER_REAL, 0.05)",
    )
    time.sleep(0.5)
    code = "os.kill(os.getpid(), signal.SIGUSR1); rang, signal.getsignal(signal.SIGALRM) is ring"
    assert run(client, code).value == f"([{int(signal.SIGUSR1)}], True)"
    run(client, "signal.signal(signal.SIGUSR1, signal.SIG_IGN)")
    assert run(client, code).value == f"([{int(signal.SIGUSR1)}], True)"


def finish_or_interrupt(client: BlockingKernelClient, request: str, pid: int) -> Ran:
    """Finish a cell that may have begun only after it was interrupted."""
    published: list[Any] = []
    began = interrupted = time.monotonic()
    while not published or published[-1]["content"].get("execution_state") != "idle":
        if time.monotonic() > interrupted + 0.05:
            assert time.monotonic() < began + 60
            os.kill(pid, 2)
            interrupted = time.monotonic()
        with contextlib.suppress(queue.Empty):
            message = client.get_iopub_msg(timeout=0.05)
            if message["parent_header"].get("msg_id") == request:
                published.append(message)
    while (reply := client.get_shell_msg(timeout=60))["parent_header"]["msg_id"] != request:
        pass
    return Ran(reply, published)


def test_code_that_handles_the_interrupt_goes_on(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    code = (
        "import time\n"
        "try:\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n    print('handled')\n"
        "7"
    )
    ran = interrupt_during(manager, client, code, after_s=1)
    assert (ran.content["status"], ran.value) == ("ok", "7")
    assert ran.text("stdout") == "handled\n"


def test_second_interrupt_reaches_code_that_ignored_the_first(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    code = (
        "import time\ntry:\n    time.sleep(1000)\nexcept KeyboardInterrupt:\n    pass\n"
        "print('again', flush=True)\ntime.sleep(1000)"
    )
    ran = interrupt_during(manager, client, code, times=2, after_s=1)
    assert ran.content["ename"] == "KeyboardInterrupt"


def test_handler_of_a_cell_lasts_as_long_as_the_cell(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    run(client, "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)")
    ran = interrupt_during(manager, client, "import time; time.sleep(1000)")
    assert ran.content["ename"] == "KeyboardInterrupt"


@pytest.mark.parametrize("delay_s", [0.0, 0.3])
def test_late_alarm_of_the_code_does_not_end_the_kernel(
    client: BlockingKernelClient, delay_s: float
) -> None:
    run(
        client,
        "import signal\ndef late(*_): raise TimeoutError('late')\n"
        "signal.signal(signal.SIGALRM, late)\n_ = signal.setitimer(signal.ITIMER_REAL, 0.1, 0.01)",
    )
    time.sleep(delay_s)
    # The alarm goes on ringing; the kernel must get through to code that turns it off.
    for _ in range(200):
        ran = run(client, "signal.setitimer(signal.ITIMER_REAL, 0); signal.alarm(0)")
        if ran.content["status"] == "ok":
            break
    assert run(client, "'alive'").value == "'alive'"
