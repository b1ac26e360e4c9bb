"""Code that breaks what it runs in: the kernel answers, and goes on where that is possible."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .driver import OURS, make_manager, run, start

if TYPE_CHECKING:
    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import KernelManager

_LEAVING_TASK = """
import asyncio
async def leave(): raise SystemExit
task = asyncio.create_task(leave())
await asyncio.sleep(0.05)
"""
_BAD_METACLASS = """
class M(type):
    @property
    def __name__(cls): raise ValueError
class Named(Exception, metaclass=M): pass
raise Named('x')
"""
_BROKEN_STREAM = """
import sys
whole = sys.stdout
class Broken:
    def write(self, text): raise ValueError('no write')
    def flush(self): raise ValueError('no flush')
sys.stdout = Broken()
"""


def test_stream_that_raises_costs_neither_values_nor_errors(shared: BlockingKernelClient) -> None:
    run(shared, _BROKEN_STREAM)
    assert run(shared, "5").value == "5"
    assert run(shared, "1 / 0").content["ename"] == "ZeroDivisionError"
    assert run(shared, "display(6)").of_kind("display_data")[0]["data"] == {"text/plain": "6"}
    assert run(shared, "print(7)").content["evalue"] == "no write"
    assert run(shared, "sys.stdout = None; 8").value == "8"
    assert run(shared, "sys.stdout = whole; print(9)").text("stdout") == "9\n"


def test_closed_stream_is_open_in_the_next_cell(shared: BlockingKernelClient) -> None:
    run(shared, "import sys; sys.stdout.close(); sys.stderr.close()")
    assert run(shared, "print('open')").text("stdout") == "open\n"


@pytest.mark.parametrize(
    "code",
    [
        "import asyncio; asyncio.get_running_loop().stop()",
        "import asyncio; asyncio.get_running_loop().stop(); await asyncio.sleep(0.05)",
        "import asyncio\nfor task in asyncio.all_tasks(): task.cancel()",
        "import asyncio\nfor task in asyncio.all_tasks(): task.cancel()\nawait asyncio.sleep(0)",
        _LEAVING_TASK,
        "import asyncio\nasyncio.get_running_loop().call_soon(lambda: 1 / 0)",
        "import asyncio\nasyncio.get_running_loop().close()",
        "import asyncio\nasyncio.set_event_loop(None)",
        "import signal; signal.set_wakeup_fd(-1)",
        "import threading\nthreading.stack_size(10**6)",
        "import sys; sys.setrecursionlimit(200)",
        "import sys; sys.settrace(lambda *a: None)",
        "import gc; gc.freeze(); gc.disable()",
        "import warnings; warnings.simplefilter('error')",
        "import os, tempfile; os.chdir(tempfile.mkdtemp()); os.rmdir(os.getcwd())",
        "import os; os.environ.clear()",
        "import linecache; linecache.clearcache()",
        "import logging; logging.disable(); logging.shutdown()",
        "del get_ipython, exit, quit, In, Out, _ih, _oh, _dh",
        "globals().clear()",
        "get_ipython().user_ns.clear()",
        "get_ipython().payload_manager.write_payload({'source': object()})",
        "get_ipython().payload_manager.write_payload({1: 2, 'x': float('nan')})",
        "get_ipython().display_formatter.formatters.clear(); 1",
        "get_ipython().ast_transformers.append(7)",
        "get_ipython().events.register('post_run_cell', lambda *a: 1 / 0)",
        "get_ipython().events.register('post_execute', lambda *a: 1 / 0)",
        "get_ipython().history_manager = None",
        "get_ipython().run_cell = None; get_ipython().showtraceback = None; 1 / 0",
        "type(get_ipython()).showtraceback = lambda *a, **k: 1 / 0\n1 / 0",
        "import builtins; builtins.print = None",
    ],
)
def test_next_cell_still_runs(client: BlockingKernelClient, code: str) -> None:
    assert run(client, code).content["status"] in {"ok", "error"}
    assert run(client, "x = 1").content["execution_count"] == 0


def test_descriptors_that_are_closed_cost_no_time(
    manager: KernelManager, client: BlockingKernelClient
) -> None:
    run(client, "import os; os.close(1); os.close(2)")
    assert run(client, "print('by python')").text("stdout") == "by python\n"
    assert manager.provisioner is not None
    stat = Path(f"/proc/{manager.provisioner.process.pid}/stat")  # type: ignore[attr-defined]
    if not stat.exists():
        pytest.skip("this system has no /proc to read processor time from")
    ticks = [0, 0]
    for index in range(2):
        fields = stat.read_text().rpartition(")")[2].split()
        ticks[index] = int(fields[11]) + int(fields[12])
        time.sleep(1)
    assert ticks[1] - ticks[0] < 50


def test_process_that_the_code_forks_ends_with_its_cell(client: BlockingKernelClient) -> None:
    code = (
        "import os\npid = os.fork()\n"
        "if pid == 0:\n    print('in the fork')\n    x = 1 / 0\n"
        "os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"
    )
    for _ in range(5):
        ran = run(client, f"print('before')\n{code}")
        assert ran.value == "1"
        assert sorted(ran.text("stdout").splitlines()) == ["before", "in the fork"]
    code = "pid = os.fork()\nif pid: print(os.waitpid(pid, 0)[1])"
    ran = run(client, code)
    assert ran.text("stdout") == "0\n"
    assert [kind for kind in ran.kinds if kind == "status"] == ["status", "status"]
    assert run(client, "'one kernel'").value == "'one kernel'"


def test_what_c_code_writes_comes_before_the_end_of_the_cell(shared: BlockingKernelClient) -> None:
    ran = run(
        shared,
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "libc.puts(b'from C'); libc.fflush(None)\nlibc.write(2, b'error\\n', 6); None",
    )
    assert (ran.text("stdout"), ran.text("stderr")) == ("from C\n", "error\n")
    for count in (1, 10_000, 60_000):
        ran = run(shared, f"import os; _ = os.write(1, b'x' * {count})")
        assert len(ran.text("stdout")) == count if count < 16_384 else 2 * 16_384


def test_character_written_in_two_halves_is_whole(shared: BlockingKernelClient) -> None:
    half = (
        "import os, time; os.write(1, b'\\xe2\\x82'); time.sleep(0.3); os.write(1, b'\\xac'); None"
    )
    assert run(shared, half).text("stdout") == "€"


def test_text_of_a_background_task_belongs_to_its_own_cell(client: BlockingKernelClient) -> None:
    task = "import asyncio\nasync def late():\n    await asyncio.sleep(0.3)\n    print('late')\n"
    first = client.execute(f"{task}kept = asyncio.create_task(late())", store_history=False)
    second = client.execute("await asyncio.sleep(1); print('mine')", store_history=False)
    said = []
    while len(said) < 2:
        message = client.get_iopub_msg(timeout=60)
        if message["msg_type"] == "stream":
            said.append((message["parent_header"]["msg_id"], message["content"]["text"]))
    assert said == [(first, "late\n"), (second, "mine\n")]


def test_text_is_sent_while_the_cell_goes_on(client: BlockingKernelClient) -> None:
    for _ in range(2):
        request = client.execute("import time\nprint('early')\ntime.sleep(3)\nprint('late')")
        kinds = []
        begun = time.monotonic()
        while "stream" not in kinds:
            message = client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") == request:
                kinds.append(message["msg_type"])
        assert time.monotonic() - begun < 2.5
        client.get_shell_msg(timeout=60)
        time.sleep(1.5)  # until the thread that sends old text sleeps


def test_memory_used_up_by_small_objects_is_reported(folder: Path) -> None:
    command = [part for part in OURS if "memory" not in part] + [f"--memory-bytes={2**27}"]
    manager = make_manager(command, folder)
    client = start(manager, folder)
    try:
        hoard = "hoard = []\nwhile True: hoard.append([0] * 3)"
        for _ in range(2):
            ran = run(client, hoard)
            assert ran.content["ename"] == "MemoryError"
            assert ran.content["payload"][0]["out_of_memory"] is True
        code = "try:\n    while True: hoard.append([0] * 3)\nexcept MemoryError: pass"
        ran = run(client, code)
        assert ran.content["status"] == "ok"
        assert run(client, "hoard = None; 'alive'").value == "'alive'"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def test_exceptions_of_every_shape_are_named(shared: BlockingKernelClient) -> None:
    for body, name in (
        (_BAD_METACLASS, "Named"),
        ("raise type('N' * 10_000, (Exception,), {})", f"{'N' * 50}...{'N' * 50}"),
        ("class Odd(Exception):\n    def __init__(self): self.args = 7\nraise Odd", "TypeError"),
        ("raise ExceptionGroup('several', [ValueError(1)])", "ExceptionGroup"),
        ("class Odd(Exception):\n    __traceback__ = 7\nraise Odd", "Odd"),
        ("class Odd(SyntaxError):\n    lineno = text = filename = 7\nraise Odd", "Odd"),
        ("class Odd(Exception):\n    def _render_traceback_(self): 1 / 0\nraise Odd", "Odd"),
    ):
        ran = run(shared, body)
        assert (ran.content["status"], ran.content["ename"]) == ("error", name)
    assert run(shared, "1").value == "1"
