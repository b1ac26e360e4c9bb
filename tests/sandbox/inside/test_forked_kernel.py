"""A kernel that is forked from a process which has warmed up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from .driver import run

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(),
    reason="threads, descriptors and memory are counted in /proc",
)

# Forks two kernels after the other preparations; each line that it writes is JSON.
_WARM = """
import gc, json, linecache, os, random, sys
import numpy
from jupyterlab_tir.sandbox.inside.kernel import build_shell, serve, warm_up

output = os.dup(1)  # a kernel takes the first two for itself

def say(**what):
    os.write(output, json.dumps(what).encode() + b"\\n")

folder = sys.argv[1]
shell = build_shell(16384)
names = set(shell.user_ns)
descriptors = os.listdir("/proc/self/fd")
random.seed(5), numpy.random.seed(5)
warm_up(shell)
say(
    threads=len(os.listdir("/proc/self/task")),
    descriptors=len(os.listdir("/proc/self/fd")) - len(descriptors),
    names=sorted(set(shell.user_ns) ^ names),
    drawn=[random.random(), float(numpy.random.rand())],
    count=shell.execution_count,
    lines=[name for name in linecache.cache if name.startswith("<")],
    streams=[type(stream).__name__ for stream in (sys.stdout, sys.stderr)],
)
gc.collect(); gc.freeze()
for number in range(2):
    pid = os.fork()
    if pid == 0:
        connection = {
            "transport": "ipc", "ip": f"{folder}/{number}", "key": f"key {number}",
            "signature_scheme": "hmac-sha256", "shell_port": 1, "iopub_port": 2, "stdin_port": 3,
            "control_port": 4, "hb_port": 5,
        }
        serve(shell, connection, on_bound=lambda: say(number=number, connection=connection))
        os._exit(0)
    say(pid=pid)
os.read(0, 1)
"""


class Forked:
    def __init__(self, pid: int, client: BlockingKernelClient) -> None:
        self.pid = pid
        self.client = client


@pytest.fixture
def warm(folder: Path) -> Iterator[tuple[dict[str, Any], list[Forked]]]:
    """What the warm process said of itself, and two kernels forked from it."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WARM, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"}
        | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    about = json.loads(process.stdout.readline())
    said = [json.loads(process.stdout.readline()) for _ in range(4)]
    pids = [entry["pid"] for entry in said if "pid" in entry]
    connections = {entry["number"]: entry["connection"] for entry in said if "number" in entry}
    forked = []
    for number in range(2):
        client = BlockingKernelClient()
        client.load_connection_info(connections[number])
        client.start_channels()
        client.wait_for_ready(timeout=60)
        forked.append(Forked(pids[number], client))
    yield about, forked
    for kernel in forked:
        if kernel.client.is_alive():
            kernel.client.shutdown()
        kernel.client.stop_channels()
    process.stdin.close()
    process.stdout.read()
    assert process.wait(timeout=60) == 0
    process.stdout.close()


def test_warming_up_leaves_no_trace_and_kernels_are_like_new_and_apart(
    warm: tuple[dict[str, Any], list[Forked]],
) -> None:
    about, (first, second) = warm
    assert about["threads"] == 1
    assert about["descriptors"] == 0
    assert about["names"] == []
    # random.seed(5) and numpy.random.seed(5): the first numbers of MT19937.
    assert about["drawn"] == [0.6229016948897019, 0.22199317108973948]
    assert about["count"] == 1
    assert about["lines"] == []
    assert about["streams"] == ["TextIOWrapper", "TextIOWrapper"]

    assert run(first.client, "In, Out, _, __name__").value == "([''], {}, '', '__main__')"
    assert run(first.client, "_[0], _[3]").value == "([''], '__main__')"
    fresh = run(first.client, "sorted(name for name in globals() if not name.startswith('_'))")
    assert fresh.value == "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit']"
    assert run(first.client, "1 / 0").content["traceback"] == ["cell 4, line 1: 1 / 0"]
    run(first.client, "x = 1; import numpy; numpy.random.seed(1)")
    assert run(second.client, "'x' in globals()").value == "False"
    assert run(second.client, "import asyncio; await asyncio.sleep(0, 'own loop')").value == (
        "'own loop'"
    )
    assert run(second.client, "import os; os.getpid()").value == str(second.pid)
    assert run(first.client, "import os; os.getpid()").value == str(first.pid)


def test_forked_kernel_at_rest_takes_little_memory_and_few_threads(
    warm: tuple[dict[str, Any], list[Forked]],
) -> None:
    _, kernels = warm
    for kernel in kernels:
        private_kb = 0
        for line in Path(f"/proc/{kernel.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(("Private_Clean", "Private_Dirty")):
                private_kb += int(line.split()[1])
        assert private_kb < 16_000
        # Its main thread, its service, and two of zmq.
        assert len(list(Path(f"/proc/{kernel.pid}/task").iterdir())) == 4


def test_seeding_a_forked_kernel_as_the_engine_does(
    warm: tuple[dict[str, Any], list[Forked]],
) -> None:
    _, (first, second) = warm
    seed = (
        '__import__("jupyterlab_tir.sandbox.inside.seeding", fromlist=["seed_all"]).seed_all(123)'
    )
    for kernel in (first, second):
        assert run(kernel.client, seed, silent=True).content["status"] == "ok"
        # MT19937 seeded with 123, by Python's and by numpy's documentation.
        drawn = run(
            kernel.client,
            "import random, numpy\nrandom.random(), float(numpy.random.rand())",
        )
        assert drawn.value == "(0.052363598850944326, 0.6964691855978616)"
        # Not loaded when it was seeded.
        later = run(
            kernel.client,
            "import sympy.core.random as r, random\nr.rng.random() == random.Random(123).random()",
        )
        assert later.value == "True"
