"""The kernels that wait: as many as wanted, none of them dead, none left behind."""

from __future__ import annotations

import asyncio
import os

import pytest

from jupyterlab_tir.sandbox import ChildKernels, KernelStartError

from .processes import descendants, until


async def test_spares_that_die_are_replaced() -> None:
    async with ChildKernels(level="best", limit=4) as kernels:
        kernels.prepare(3)
        assert await until(lambda: kernels.ready == 3, 60)
        pids = [task.result().pid for task in kernels._spares[False]]
        for pid in pids:
            assert pid is not None
            os.kill(pid, 9)
        assert await until(
            lambda: (
                kernels.ready == 3
                and not {t.result().pid for t in kernels._spares[False]} & set(pids)
            ),
            60,
        )


async def test_kernels_on_their_way_to_a_taker_are_counted() -> None:
    async with ChildKernels(level="best", limit=4) as kernels:
        await kernels.missing()
        kernels.prepare(4)
        taking = [asyncio.create_task(kernels.start()) for _ in range(4)]
        await asyncio.sleep(0)
        kernels.prepare(4)
        taken = await asyncio.gather(*taking)
        await asyncio.sleep(0.5)
        assert len(kernels._living) == len(taken) == 4


async def test_a_kernel_for_replays_can_wait_as_well() -> None:
    async with ChildKernels(level="best", limit=4) as kernels:
        kernels.prepare(1, replays=1)
        assert await until(lambda: kernels.ready == 2, 60)
        before = descendants()
        kernel = await kernels.start(replay=True)
        assert kernel.pid in before


async def test_close_that_is_cancelled_still_closes() -> None:
    kernels = ChildKernels(level="best", memory_bytes=2**28, limit=4)
    before = descendants()
    async with kernels:
        await kernels.start()
        kernels.prepare(4)
        closing = asyncio.create_task(kernels.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        await kernels.close()
        assert descendants() <= before


async def test_starts_that_fail_do_not_end_what_is_asked_for_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ChildKernels(level="best", limit=4) as kernels:
        assert kernels._launcher is not None

        async def fail(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as broken:
            broken.setattr(kernels._launcher, "start", fail)
            kernels.prepare(3)
            with pytest.raises(KernelStartError, match="No space left"):
                await kernels.start()
        async with await kernels.start() as kernel:
            assert (await kernel.run("1")).value == "1"
