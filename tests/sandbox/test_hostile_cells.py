"""Code that tries to end, hang, flood or deceive whoever runs it."""

from __future__ import annotations

import asyncio

import pytest

from jupyterlab_tir.sandbox import CellStatus, ChildKernel, ChildKernels

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Through the kernel's own key and socket, which any cell can find.
_FORGE = """
publisher = get_ipython().publisher
wire, raw, parent = publisher._wire, publisher._send, publisher.parent
def publish(kind, content, parent=parent):
    raw(wire.pack(kind, content, parent=parent))
"""


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os; os._exit(3)", "with exit code 3"),
        ("import ctypes; ctypes.string_at(0)", "by signal 11"),
        ("import os; os.abort()", "by signal 6"),
        ("import os; os.kill(os.getpid(), 9)", "by signal 9"),
    ],
)
async def test_death_is_noticed_at_once(kernel: ChildKernel, code: str, how: str) -> None:
    result = await kernel.run(
        f"import time; print('last words', flush=True); time.sleep(0.2)\n{code}", timeout_s=30
    )
    assert result.status is CellStatus.DIED
    assert result.duration_s < 10
    assert result.stdout == "last words\n"
    assert how in (result.error_message or "")
    assert not kernel.alive
    again = await kernel.run("1")
    assert again.status is CellStatus.DIED
    assert again.error_message == "This kernel has ended; start another one."


@pytest.mark.parametrize(
    "code",
    [
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "import itertools\nsum(itertools.repeat(0))",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "while True:\n    try:\n        import time; time.sleep(9)\n    except BaseException: pass",
    ],
)
async def test_what_ignores_the_interrupt_is_killed(kernel: ChildKernel, code: str) -> None:
    result = await kernel.run(code, timeout_s=0.2)
    assert result.status is CellStatus.TIMEOUT
    assert 1.2 <= result.duration_s < 10
    assert "its variables are lost" in result.text_for_model()
    assert not kernel.alive


@pytest.mark.parametrize("descriptors", ["range(3, 256)", "range(0, 256)"])
async def test_closed_descriptors_end_the_kernel_in_time(
    kernel: ChildKernel, descriptors: str
) -> None:
    result = await kernel.run(
        f"import os\nfor fd in {descriptors}:\n    try: os.close(fd)\n    except OSError: pass",
        timeout_s=1,
    )
    assert result.status in {CellStatus.DIED, CellStatus.TIMEOUT, CellStatus.OUTPUT_LIMIT}
    assert result.duration_s < 10
    assert not kernel.alive


async def test_flood_of_messages_is_ended_at_the_budget(kernel: ChildKernel) -> None:
    flood = f"{_FORGE}\nwhile True: publish('stream', {{'name': 'stdout', 'text': 'x' * 100_000}})"
    result = await kernel.run(flood, timeout_s=30)
    assert result.status is CellStatus.OUTPUT_LIMIT
    assert result.duration_s < 25
    assert len(result.stdout) < 4100
    assert not kernel.alive


@pytest.mark.parametrize("size", [5_000_000, 200_000_000])
async def test_message_that_is_too_large_is_not_accepted(kernel: ChildKernel, size: int) -> None:
    huge = f"{_FORGE}\npublish('stream', {{'name': 'stdout', 'text': 'x' * {size}}})"
    result = await kernel.run(huge, timeout_s=30)
    assert result.status is CellStatus.OUTPUT_LIMIT
    assert not kernel.alive


async def test_unreadable_frames_are_survived(kernel: ChildKernel) -> None:
    garbage = f"""{_FORGE}
from jupyter_client.session import DELIM
raw([b"no delimiter"])
raw([DELIM])
raw([DELIM, b"bad signature", b"{{}}", b"{{}}", b"{{}}", b"{{}}"])
for parts in ([b"[" * 100_000] * 4, [b"1", b"2", b"3", b"4"], [b"{{}}", b"[]", b"null", b"7"]):
    raw([DELIM, wire.sign(parts), *parts])
header = b'{{"msg_id": "1", "msg_type": "stream"}}'
for content in (b"[1]", b"null", b"7", b'"text"'):
    parts = [header, parent, b"{{}}", content]
    raw([DELIM, wire.sign(parts), *parts])
publish("stream", {{"name": ["stdout"], "text": 7}})
publish("error", {{"ename": None, "evalue": {{}}, "traceback": 3}})
publish("execute_result", {{"data": "text"}})
'still here'"""
    result = await kernel.run(garbage)
    assert (result.status, result.value) == (CellStatus.OK, "'still here'")


async def test_many_unreadable_frames_are_not(kernel: ChildKernel) -> None:
    result = await kernel.run(f"{_FORGE}\nwhile True: raw([b'junk'])", timeout_s=30)
    assert result.status is CellStatus.OUTPUT_LIMIT


async def test_messages_about_other_cells_are_dropped(kernel: ChildKernel) -> None:
    forged = f"""{_FORGE}
import json
other = json.dumps(json.loads(parent) | {{"msg_id": "another"}}).encode()
publish("stream", {{"name": "stdout", "text": "forged"}}, parent=other)
publish("status", {{"execution_state": "idle"}}, parent=other)
import time; time.sleep(0.1)
print("mine")"""
    assert (await kernel.run(forged)).stdout == "mine\n"


async def test_forged_reply_before_an_endless_loop_gains_nothing(kernel: ChildKernel) -> None:
    forged = f"""{_FORGE}
publish("status", {{"execution_state": "idle"}})
while True: pass"""
    result = await kernel.run(forged, timeout_s=30)
    assert result.status is CellStatus.DIED
    assert result.duration_s < 10
    assert not kernel.alive


async def test_hostile_kernel_leaves_its_neighbour_alone(kernels: ChildKernels) -> None:
    first, second = await asyncio.gather(kernels.start(), kernels.start())
    async with first, second:
        await second.run("x = 7")
        assert (await first.run("import os; os._exit(1)")).status is CellStatus.DIED
        assert (await second.run("x")).value == "7"
