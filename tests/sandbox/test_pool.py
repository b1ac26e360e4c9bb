"""Kernels started ahead, and the budget of memory and disk that bounds them."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox import CellStatus, ChildKernels, KernelStartError
from jupyterlab_tir.sandbox.levels import LEVELS, Level, probe
from jupyterlab_tir.sandbox.memory import (
    budget_bytes,
    held_bytes,
    machine_bytes,
    size,
)

from .processes import descendants, until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="memory is read from /proc"
)

MB = 1024**2


async def test_kernels_are_started_ahead_and_taken_without_waiting() -> None:
    async with ChildKernels(level="best", limit=4) as kernels:
        kernels.prepare(3)
        assert await until(lambda: kernels.ready == 3, 60)
        before = descendants()
        began = time.monotonic()
        kernel = await kernels.start(seed=1)
        result = await kernel.run("6 * 7")
        waited_s = time.monotonic() - began
        assert result.value == "42"
        assert waited_s < 10  # a few milliseconds
        assert kernel.pid in before
        # In use and waiting are three together again.
        assert await until(lambda: (kernels.alive, kernels.ready) == (1, 2), 20)


async def test_ahead_is_bounded_by_the_limit_and_by_the_budget() -> None:
    async with ChildKernels(level="best", limit=2) as kernels:
        kernels.prepare(100)
        assert await until(lambda: kernels.ready == 4, 60)
        await asyncio.sleep(0.3)
        assert kernels.ready == 4
    async with ChildKernels(level="best", limit=50, budget_bytes=64 * MB) as kernels:
        kernels.prepare(100)
        await asyncio.sleep(1)
        assert kernels.ready <= 2


async def test_a_kernel_serves_once_and_is_replaced() -> None:
    async with ChildKernels(level="best", limit=1) as kernels:
        kernels.prepare(2)
        first = await kernels.start()
        await first.run("x = 1")
        pid = first.pid
        await first.close()
        second = await kernels.start()
        assert second.pid != pid
        assert (await second.run("x")).error_name == "NameError"


async def test_seed_decides_what_chance_gives() -> None:
    draw = (
        "import random, numpy, sympy\n"
        "(random.random(), numpy.random.rand(), sympy.randprime(1, 10**9))"
    )
    async with ChildKernels(level="best", limit=4) as kernels:
        kernels.prepare(4)
        values = []
        for seed in (7, 7, 8, None):
            async with await kernels.start(seed=seed) as kernel:
                values.append((await kernel.run(draw)).value)
        assert values[0] == values[1]
        assert len({str(value) for value in values}) == 3
        async with await kernels.start() as first, await kernels.start() as second:
            assert (await first.run(draw)).value != (await second.run(draw)).value


async def test_replays_have_other_hashes_of_strings() -> None:
    async with ChildKernels(level="best", limit=4) as kernels:
        hashes = []
        for replay in (False, False, True, True):
            async with await kernels.start(seed=1, replay=replay) as kernel:
                hashes.append((await kernel.run("hash('a string')")).value)
        assert hashes[0] == hashes[1]
        assert hashes[2] == hashes[3]
        assert hashes[0] != hashes[2]


async def test_spare_that_died_is_not_handed_out() -> None:
    async with ChildKernels(level="best", limit=2) as kernels:
        kernels.prepare(1)
        assert await until(lambda: kernels.ready == 1, 60)
        (task,) = kernels._spares[False]
        dead = task.result()
        assert dead.pid is not None
        os.kill(dead.pid, 9)
        assert await until(lambda: not dead.alive, 10)
        kernel = await kernels.start()
        assert kernel is not dead
        assert (await kernel.run("1")).value == "1"


async def test_largest_kernel_is_ended_when_all_pass_the_budget() -> None:
    async with ChildKernels(level="best", limit=3, budget_bytes=700 * MB) as kernels:
        small, middle, large = [await kernels.start() for _ in range(3)]
        await small.run("a = 1")
        await middle.run(f"b = bytearray({100 * MB})")
        hungry = (
            "import time\nhoard = []\n"
            f"for _ in range(60): hoard.append(bytearray(b'x') * {10 * MB}); time.sleep(0.02)\n"
            "time.sleep(20)"
        )
        result = await large.run(hungry, timeout_s=25)
        assert result.status is CellStatus.OUT_OF_MEMORY
        assert "the largest" in result.text_for_model()
        assert not large.alive
        assert (await small.run("a")).value == "1"
        assert (await middle.run("len(b)")).value == str(100 * MB)


@pytest.mark.parametrize("level", LEVELS)
async def test_disk_is_bounded(level: Level) -> None:
    if level not in (await probe()).offered:
        pytest.skip(f"this machine does not offer {level}: {(await probe()).lacking[level]}")
    fill = (
        "for n in range(400):\n"
        "    with open(f'f{n}', 'wb') as file: file.write(b'x' * 1_000_000)\n"
        "import time; time.sleep(5)"
    )
    async with ChildKernels(level=level, limit=1, write_bytes=16 * MB) as kernels:
        kernel = await kernels.start()
        result = await kernel.run(fill, timeout_s=25)
        if kernels.isolation == "full+ns":
            assert (result.status, result.error_name) == (CellStatus.ERROR, "OSError")
            assert "No space left" in (result.error_message or "")
        elif result.error_name != "PermissionError":  # a level that opens no file at all
            assert result.status is CellStatus.OUTPUT_LIMIT
            assert "wrote more than 16 MB" in result.text_for_model()


def test_memory_is_read() -> None:
    assert 2**26 < machine_bytes() < 2**50
    assert budget_bytes(0.5) == max(machine_bytes() // 2, 512 * MB)
    assert 0 < held_bytes(os.getpid()) <= 2 * size(os.getpid()).resident_bytes
    assert size(os.getpid()).threads >= 1
    nobody = 2**22 + 1  # above the highest number that Linux gives
    assert (size(nobody).resident_bytes, size(nobody).state) == (0, "X")
    with pytest.raises(FileNotFoundError):
        held_bytes(nobody)


async def test_modules_that_are_missing_are_said_and_left_out() -> None:
    async with ChildKernels(
        level="best", limit=1, preload=("no_such_module", "colorsys")
    ) as kernels:
        missing = await kernels.missing()
        assert list(missing) == ["no_such_module"]
        assert "No module named" in missing["no_such_module"]
        kernel = await kernels.start()
        assert (await kernel.run("import sys\n'colorsys' in sys.modules")).value == "True"


async def test_module_that_starts_threads_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "threading_module.py").write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with ChildKernels(level="best", limit=1, preload=("threading_module",)) as kernels:
        with pytest.raises(KernelStartError, match="started 1 thread"):
            await kernels.start()


async def test_too_many_threads_end_the_kernel() -> None:
    bomb = (
        "import threading, time\nthreading.stack_size(65536)\n"
        'sleep = {"target": time.sleep, "args": (60,), "daemon": True}\n'
        "for _ in range(2000): threading.Thread(**sleep).start()\n"
        "time.sleep(20)"
    )
    async with ChildKernels(level="best", limit=1) as kernels:
        kernel = await kernels.start()
        result = await kernel.run(bomb, timeout_s=25)
        assert result.status is CellStatus.DIED
        assert "more than 512 threads" in result.text_for_model()
