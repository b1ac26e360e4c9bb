"""Child kernels against stock ones: start, memory, latency, and what the sandbox costs.

    python -m benchmarks.kernels [--counts 1,8,32,64] [--rounds 3] [--quick]

*ready* is the time from asking for N kernels at once until each has answered a cell that imports
what models' code imports. The sides take turns within a round, so that a machine whose speed
drifts slows both alike; medians are printed. `…_stock` is ipykernel as Jupyter starts it, `…_ours`
what runs use (`ChildKernels`, its warm process there already, each kernel forked on demand),
`…_forked` the same kernels behind jupyter_client's own manager and client. 64 stock kernels take
8 GB and half a minute, so that pair is measured once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import zmq.asyncio

from jupyterlab_tir.sandbox import ChildKernels
from jupyterlab_tir.sandbox.kernels import WRITE_BYTES
from jupyterlab_tir.sandbox.launchers import ChildSettings
from jupyterlab_tir.sandbox.levels import choose, probe

from .kernel_sides import (
    Forked,
    Kernel,
    Pooled,
    Side,
    Stock,
    box_ms,
    close_all,
    start_all,
)

IMPORTS = "import numpy, sympy, scipy, scipy.linalg, scipy.optimize, mpmath, networkx"
ONCE_FROM = 64
RESTING = 8
CELLS = 400
CELLS_EACH = 20
FIRST_CELLS = 20
WARM = 4
POLL_S = 0.01
KEEP_CHARS = 16_384
SETTLE_S = 0.5

Figures = dict[str, list[float]]


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


async def ready(side: Side, count: int, taken: Figures) -> list[Kernel]:
    """Start so many kernels at once and have each import; the caller ends them."""
    began = time.perf_counter()

    async def one() -> Kernel:
        kernel = await side.start()
        await kernel.run(IMPORTS)
        return kernel

    kernels = list(await asyncio.gather(*(one() for _ in range(count))))
    seconds = time.perf_counter() - began
    taken.setdefault(f"ready_{count}_{side.name}_s", []).append(seconds)
    say(f"{count} {side.name}: ready in {seconds:.3f} s")
    return kernels


async def measure_ready(
    sides: list[Side], counts: Iterable[int], rounds: int, taken: Figures
) -> None:
    for number in range(rounds):
        for count in counts:
            if count >= ONCE_FROM and number > 0:
                continue
            # Who begins changes, since the machine is warmer for the second.
            for side in sides if number % 2 == 0 else reversed(sides):
                before = leaves()
                kernels = await ready(side, count, taken)
                if count == RESTING and number == 0:
                    await asyncio.sleep(SETTLE_S)
                    resting = leaves() - before
                    taken[f"private_mb_{side.name}"] = [private_mb(pid) for pid in resting]
                began = time.perf_counter()
                await close_all(kernels)
                taken.setdefault(f"kill_{count}_{side.name}_s", []).append(
                    time.perf_counter() - began
                )


def leaves() -> set[int]:
    """Return the processes below this one that have no child: kernels, and idle warm processes."""
    parents: dict[int, int] = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (process / "stat").read_text().rpartition(") ")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            parents[int(process.name)] = int(parent)
    return {pid for pid in parents if pid not in parents.values() and _is_ours(pid, parents)}


def _is_ours(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def private_mb(pid: int) -> float:
    """Return the memory of a process that no other one shares."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    kib = {name: int(size.split()[0]) for name, _, size in (line.partition(":") for line in lines)}
    return (kib["Private_Clean"] + kib["Private_Dirty"]) / 1024


async def measure_cells(sides: list[Side], cells: int, taken: Figures) -> None:
    """Time `1+1` from sending it until its reply and idle status, the sides in turn."""
    kernels = [(side.name, await side.start()) for side in sides]
    for _ in range(cells):
        for name, kernel in kernels:
            began = time.perf_counter()
            await kernel.run("1+1")
            taken.setdefault(f"cell_ms_{name}", []).append((time.perf_counter() - began) * 1000)
    await close_all([kernel for _, kernel in kernels])


async def measure_throughput(side: Side, count: int, taken: Figures) -> None:
    """Have so many kernels run trivial cells at once."""
    kernels = await start_all(side, count)

    async def drive(kernel: Kernel) -> None:
        for _ in range(CELLS_EACH):
            await kernel.run("1+1")

    began = time.perf_counter()
    await asyncio.gather(*map(drive, kernels))
    seconds = time.perf_counter() - began
    taken[f"cells_per_s_{count}"] = [count * CELLS_EACH / seconds]
    await close_all(kernels)


async def measure_sandbox(side: Forked, count: int, taken: Figures) -> None:
    """What the box cost each kernel, one after the other."""
    for _ in range(count):
        kernel = await side.start()
        taken.setdefault("sandbox_ms", []).append(box_ms(kernel))
        await kernel.close()


async def measure_first_cell(kernels: ChildKernels, count: int, taken: Figures) -> None:
    """What a sample waits for its first cell where kernels were started ahead."""
    kernels.prepare(WARM)
    for seed in range(count):
        while kernels.ready < WARM:  # noqa: ASYNC110 - there is nothing to wait on
            await asyncio.sleep(POLL_S)
        # One clock for both processes: the cell says when it began.
        asked = time.monotonic_ns()
        kernel = await kernels.start(seed=seed)
        result = await kernel.run("__import__('time').monotonic_ns()")
        taken.setdefault("first_cell_wait_ms", []).append((int(result.value or 0) - asked) / 1e6)
        await kernel.close()


def report(taken: Figures, rounds: int, **others: object) -> dict[str, object]:
    """Return the medians of what was taken, by name, and how many times ours is faster."""
    middle = {name: statistics.median(values) for name, values in taken.items() if values}
    figures: dict[str, object] = {
        name: round(value, 1 if name.startswith(("private_mb", "cells_per_s")) else 4)
        for name, value in middle.items()
    }
    for count in {name.split("_")[1] for name in middle if name.startswith("ready_")}:
        stock, ours = (middle.get(f"ready_{count}_{side}_s") for side in ("stock", "ours"))
        if stock and ours:
            figures[f"ratio_{count}"] = round(stock / ours, 1)
        if f"kill_{count}_ours_s" in figures:
            figures[f"kill_{count}_s"] = figures.pop(f"kill_{count}_ours_s")
    return {**dict(sorted(figures.items())), **others, "rounds": rounds, "cpus": os.cpu_count()}


async def run(counts: list[int], rounds: int, cells: int) -> dict[str, object]:
    taken: Figures = {}
    context = zmq.asyncio.Context()
    context.setsockopt(zmq.LINGER, 0)
    began = time.perf_counter()
    offer = await probe()
    taken["probe_s"] = [time.perf_counter() - began]
    level = choose("best", offer)
    # Those that `ChildKernels` has, so that both sides share one warm process.
    settings = ChildSettings(
        level=level,
        partial=offer.partial,
        memory_bytes=2**30,
        write_bytes=WRITE_BYTES,
        keep_chars=KEEP_CHARS,
    )
    with tempfile.TemporaryDirectory(prefix="tir-bench-") as folder:
        async with ChildKernels(level=level, limit=max(counts)) as kernels:
            began = time.perf_counter()
            say(f"level {level}; not loaded: {await kernels.missing() or 'nothing'}")
            taken["warm_boot_s"] = [time.perf_counter() - began]
            stock, ours = Stock(Path(folder), context), Pooled(kernels)
            forked = Forked(settings, context)
            await measure_ready([stock, forked, ours], counts, rounds, taken)
            say("cells")
            await measure_cells([stock, forked, ours], cells, taken)
            await measure_throughput(ours, max(counts), taken)
            say("sandbox and first cells")
            await measure_sandbox(forked, FIRST_CELLS, taken)
            await measure_first_cell(kernels, FIRST_CELLS, taken)
    context.destroy(linger=0)
    return report(taken, rounds, level=level)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", default="1,8,32,64", help="kernels at once")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one round of 1 and 8, 40 cells")
    options = parser.parse_args()
    counts = [int(count) for count in options.counts.split(",")]
    if options.quick:
        counts, options.rounds = [1, RESTING], 1
    cells = CELLS // 10 if options.quick else CELLS
    print(json.dumps(asyncio.run(run(counts, options.rounds, cells))))


if __name__ == "__main__":
    main()
