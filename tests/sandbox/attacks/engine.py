"""The engine under attack: one process, one `ChildKernels`, a fresh kernel for each attack.

    python -m tests.sandbox.attacks.engine FOLDER LEVEL [NUMBER…]

Prints one line of JSON about the level, then one for each attack. Started by `launch`, which makes
the folder and plants the environment.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from jupyterlab_tir.errors import TirError
from jupyterlab_tir.sandbox import ChildKernels

from .attack import Attack
from .catalogue import ATTACKS
from .outcome import (
    MEMORY_BYTES,
    OUTPUT_CHARS,
    WRITE_BYTES,
    Outcome,
    engine_harm,
    harm_in,
    new_engine_peak,
)
from .planted import make_removable
from .victims import alive, portrait
from .watching import Lag, Peaks, children, command, descriptors, disk_use, end
from .world import World, first_cell, tell

_LIMIT_S = 120.0
_GONE_S = 20.0
_LAST_ROADS = ("x32(", "int80(", "read_everyhow(", "every(")


def say(**fields: Any) -> None:
    """Print one line of JSON."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


async def main() -> None:
    """Run the attacks that the command line names."""
    folder, level, numbers = Path(sys.argv[1]), sys.argv[2], {int(n) for n in sys.argv[3:]}
    identity = "user" if os.getuid() else "root"
    chosen = [
        attack
        for attack in ATTACKS
        if (not numbers or attack.number in numbers)
        and identity in attack.by
        and level not in attack.not_at
    ]
    world = World(folder)
    await world.open()
    try:
        kernels = make_kernels(level)
        async with kernels:
            say(isolation=kernels.isolation, identity=identity)
            for attack in chosen:
                await run(attack, world, kernels, level)
    except TirError as error:
        say(refused=str(error), identity=identity)
    finally:
        await world.close()


def make_kernels(level: str) -> ChildKernels:
    """Return kernels with limits small enough to be reached at once."""
    settings = {"level": level, "write_bytes": WRITE_BYTES}
    known = inspect.signature(ChildKernels.__init__).parameters
    return ChildKernels(
        limit=4,
        memory_bytes=MEMORY_BYTES,
        output_chars=OUTPUT_CHARS,
        **{k: v for k, v in settings.items() if k in known},
    )


async def run(attack: Attack, world: World, kernels: ChildKernels, level: str) -> None:
    """Carry out one attack, and say what came of it."""
    say(begun=attack.number)
    begun = time.monotonic()
    lag = Lag()
    measuring = asyncio.create_task(lag.measure())
    try:
        async with asyncio.timeout(_LIMIT_S):
            harm, log = await carry_out(attack, world, kernels, level)
    except (TimeoutError, TirError, ValueError) as error:
        harm, log = [f"afterwards: {type(error).__name__} {error}"], ""
    finally:
        measuring.cancel()
    harm += lag.harm()
    seconds = round(time.monotonic() - begun, 2)
    say(number=attack.number, name=attack.name, harm=harm, seconds=seconds, log=log)


async def carry_out(
    attack: Attack, world: World, kernels: ChildKernels, level: str
) -> tuple[list[str], str]:
    """Return the harm that an attack did, and what its cells said."""
    await world.renew(kernels)
    rss_before = new_engine_peak()
    kernel = await kernels.start()
    try:
        told = tell(
            await kernel.run("import os, json\nprint(json.dumps({'parent': os.getppid()}))")
        )
        warm = told["parent"]
        started = await kernel.run(first_cell(world.targets(warm, level)), timeout_s=60)
        told = tell(started)
        pid, work = told["pid"], Path(told["folder"])
        world.guard("the engine", os.getpid())
        world.guard("the victim", world.victim.pid)
        world.guard("a neighbour", world.neighbour_told["pid"])
        if warm != os.getpid():
            world.guard("the warm process", warm)
        others = [os.getpid(), warm, world.neighbour_told["pid"]]
        outcome = await attacked(attack, kernel, told, others, level, world.planted.token)
        harm = looked_at(attack, outcome, world)
        if outcome.alive and any(word in cell for word in _LAST_ROADS for cell in attack.cells):
            last = msgspec.structs.replace(attack, cells=("finish()",))
            finished = await attacked(last, kernel, told, others, level, world.planted.token)
            harm += looked_at(attack, finished, world)
            outcome.results += finished.results
        harm += await world.harm()
        if attack.afterwards is not None:
            harm += await attack.afterwards(outcome)
    finally:
        world.unmount()  # the removal of the kernel's folder must meet nothing that was mounted
        left = children(locals().get("pid", 0)) if "pid" in locals() else []
        await kernel.close()
    harm += await after_the_end(world, pid, warm, work, left)
    harm += engine_harm(rss_before, attack.engine_growth_bytes)
    log = "\n--\n".join(
        f"{r.status} {r.stdout}\n{r.stderr}\n{r.value}\n"
        f"{r.error_name} {r.error_message} {r.traceback}"
        for r in outcome.results
    )
    return list(dict.fromkeys(harm)), log


def looked_at(attack: Attack, outcome: Outcome, world: World) -> list[str]:
    """Return the harm that an outcome shows."""
    harm = harm_in(outcome, world.secrets)
    for check in attack.checks:
        harm += check(outcome)
    return harm


async def attacked(
    attack: Attack, kernel: Any, told: dict[str, Any], others: list[int], level: str, token: str
) -> Outcome:
    """Run the cells of an attack while its kernel is watched."""
    pid, work = told["pid"], Path(told["folder"])
    peaks = Peaks(pid, work)
    peaks.look()
    resident, before, opened = peaks.resident_bytes, portrait(pid), descriptors(pid)
    watching = asyncio.create_task(peaks.watch())
    results, seconds = [], []
    for cell in attack.cells:
        begun = time.monotonic()
        results.append(await kernel.run(cell, timeout_s=attack.timeout_s))
        seconds.append(time.monotonic() - begun)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    peaks.look()
    lives = alive(pid)
    return Outcome(
        level=level,
        root=os.getuid() == 0,
        others=others,
        pid=pid,
        warm_pid=others[1],
        folder=work,
        token=token,
        timeout_s=attack.timeout_s,
        results=results,
        peaks=peaks,
        resident_before=resident,
        descriptors_before=opened,
        descriptors_after=descriptors(pid),
        before=before,
        after=portrait(pid) if lives else {},
        alive=lives,
        told=told,
        seconds=seconds,
        disk_now=disk_use(pid, work) if lives else (0, 0),
    )


async def after_the_end(
    world: World, pid: int, warm: int, work: Path, left: list[int]
) -> list[str]:
    """Return what outlived a kernel that was closed."""
    until = time.monotonic() + _GONE_S
    while time.monotonic() < until and (alive(pid) or work.parent.exists()):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    harm = []
    if alive(pid):
        harm.append("the kernel outlived its end")
    if work.parent.exists():
        harm.append("the kernel's folder outlived it")
    outliving = world.outliving(pid, warm)
    harm += [f"a process outlived the kernel: {command(pid)}" for pid in outliving]
    make_removable(work.parent)
    end([*outliving, *[pid] * alive(pid), *(child for child in left if alive(child))])
    return harm + world.lasting_harm()


if __name__ == "__main__":
    asyncio.run(main())
