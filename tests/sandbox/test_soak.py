"""Thousands of kernels, one after the other and together: nothing may grow, nothing may stay."""

# ruff: noqa: ASYNC240 - nothing else runs on the loop while a test looks

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox import CellStatus, ChildKernels
from jupyterlab_tir.sandbox.levels import LEVELS, Level, choose, probe
from jupyterlab_tir.sandbox.memory import size

from .processes import descendants, open_descriptors

MB = 1024**2


def resident_mb(pid: int) -> float:
    return size(pid).resident_bytes / MB


async def _require(level: Level) -> None:
    offer = await probe()
    if level not in offer.offered:
        pytest.skip(f"this machine does not offer {level}: {offer.lacking[level]}")


async def _serve_once(kernels: ChildKernels, number: int) -> None:
    async with await kernels.start(seed=number) as kernel:
        result = await kernel.run(f"x = {number}\nx + 1")
        assert (result.status, result.value) == (CellStatus.OK, str(number + 1))


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
async def test_thousands_of_kernels_in_sequence_leave_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, level: Level
) -> None:
    await _require(level)
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    before = descendants()
    async with ChildKernels(level=level, limit=2, memory_bytes=2**29) as kernels:
        for number in range(50):
            await _serve_once(kernels, number)
        assert kernels._launcher is not None
        (warm,) = kernels._launcher.processes()
        gc.collect()
        held = resident_mb(os.getpid()), resident_mb(warm), open_descriptors()
        for number in range(2000 if level == choose("best", await probe()) else 300):
            await _serve_once(kernels, number)
        assert kernels._launcher.processes() == [warm]
        assert descendants() - before == {warm}
        (base,) = folder.iterdir()
        assert sorted(path.name for path in base.iterdir()) == ["lock", "warm.log"]
        gc.collect()
        assert open_descriptors() == held[2]
        assert resident_mb(warm) < held[1] + 8
        assert resident_mb(os.getpid()) < held[0] + 32
    assert descendants() == before
    assert list(folder.iterdir()) == []


@pytest.mark.slow
async def test_pool_that_is_always_full_leaves_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    before = descendants(), open_descriptors()
    async with ChildKernels(level="best", limit=32, memory_bytes=2**29) as kernels:
        kernels.prepare(64)
        numbers = iter(range(1000))

        async def worker() -> None:
            for number in numbers:
                await _serve_once(kernels, number)

        await asyncio.gather(*(worker() for _ in range(32)))
    assert (descendants(), open_descriptors()) == before
    assert list(Path(folder).iterdir()) == []


@pytest.mark.slow
async def test_kernels_that_die_each_in_another_way_leave_nothing(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    before = descendants(), open_descriptors()
    deaths = [
        "import os; os._exit(3)",
        "import os; os.abort()",
        "import ctypes; ctypes.string_at(0)",
        "import os; os.kill(os.getpid(), 9)",
        "import os; os.kill(os.getpid(), 19)",
        "import os\nfor fd in range(256):\n    try: os.close(fd)\n    except OSError: pass",
        "import signal\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
        "def f(n): return f(n + 1)\nimport sys; sys.setrecursionlimit(10**9); f(0)",
        "x = []\nwhile True: x.append(bytearray(10**8))",
    ]
    async with ChildKernels(level="best", limit=8, memory_bytes=2**29) as kernels:
        kernels.prepare(16)

        async def die(number: int) -> None:
            async with await kernels.start() as kernel:
                await kernel.run(deaths[number % len(deaths)], timeout_s=2)

        await asyncio.gather(*(die(number) for number in range(20 * len(deaths))))
        async with await kernels.start() as kernel:
            assert (await kernel.run("1 + 1")).value == "2"
    assert (descendants(), open_descriptors()) == before
    assert list(Path(folder).iterdir()) == []
