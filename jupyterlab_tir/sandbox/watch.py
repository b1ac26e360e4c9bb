"""The watch over what no limit of the operating system covers: all memory, disks, threads.

One task for a `ChildKernels`, which looks ten times a second while a kernel lives, and more often
while memory runs out. Where all kernels together pass the memory budget the largest are ended; so
is one that holds more on disk than it may without having a file system of its own, that has too
many threads (Linux does not limit root's), or that cannot be measured: hiding must not pay. Each
gets a status that says so. All measuring is done in threads (`lanes.py`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from .disk import LARGEST_ENTRIES
from .lanes import Lanes
from .memory import HAS_PROC, size
from .process import End
from .result import CellStatus
from .subject import Subject

LOOK_S: Final = 0.1
LEAST_LOOK_S: Final = 0.02
MOST_THREADS: Final = 512
MEASURING_S: Final = 1.0
_FAILURES: Final = 2  # one alone may be the kernel's natural end, seen half-way
_NEAR: Final = 0.9
_MB: Final = 1024**2
_log: Final = logging.getLogger(__name__)


class Watched(Protocol):
    """What is watched of a kernel: its process here, if it has one, and the folder it works in."""

    @property
    def pid(self) -> int | None:
        """The process."""

    @property
    def work_folder(self) -> Path | None:
        """The folder; None where the kernel is not ours to look at."""

    async def end(self, end: End) -> None:
        """Kill the kernel for a reason."""


class Watch:
    """Looks after the kernels of one `ChildKernels`.

    Parameters
    ----------
    kernels
        Returns those that live.
    shared
        Returns the processes that serve all of them.
    budget_bytes
        Memory that all may hold together.
    write_bytes
        What a kernel may hold on disk.
    own_file_systems
        Whether each has a sized file system of its own (which is memory).
    """

    def __init__(
        self,
        kernels: Callable[[], Sequence[Watched]],
        shared: Callable[[], Sequence[int]],
        *,
        budget_bytes: int,
        write_bytes: int,
        own_file_systems: bool,
    ) -> None:
        self._kernels = kernels
        self._shared = shared
        self._budget_bytes = budget_bytes
        self._write_bytes = write_bytes
        self._own_file_systems = own_file_systems
        self._lanes: Lanes[Subject] = Lanes()
        self._watched: dict[Watched, Subject] = {}
        self._serving: dict[int, Subject] = {}
        self._ended: set[Watched] = set()
        self._held_bytes: int | None = None
        self._grown_bytes_s = 0.0
        self._looked_at = time.monotonic()
        self._told: set[type[BaseException]] = set()

    async def run(self) -> None:
        """Look until cancelled."""
        try:
            while True:
                await asyncio.sleep(self._pause_s())
                # A watch that ends unseen would leave everything unbounded.
                (failure,) = await asyncio.gather(self._look(), return_exceptions=True)
                if failure is not None:
                    self._tell(failure)
        finally:
            await self._lanes.close()

    def near_budget(self) -> bool:
        """Say whether the kernels hold so much that no further one should be started ahead.

        Goes by the last look, for whoever asks is on the event loop.
        """
        held = self._held_bytes
        if held is None:
            held = sum(size(pid).resident_bytes for pid in self._shared())
        return held > _NEAR * self._budget_bytes

    def _tell(self, failure: BaseException) -> None:
        """Log why a look failed, once for each kind."""
        if type(failure) not in self._told:
            self._told.add(type(failure))
            _log.error("A look at the child kernels failed; looking goes on.", exc_info=failure)

    def _pause_s(self) -> float:
        """Return the time to the next look: a quarter of what it takes to pass the budget."""
        if self._held_bytes is None or self._grown_bytes_s <= 0:
            return LOOK_S
        left_s = (self._budget_bytes - self._held_bytes) / self._grown_bytes_s
        return min(max(left_s / 4, LEAST_LOOK_S), LOOK_S)

    async def _look(self) -> None:
        kernels, shared = self._subjects()
        await self._lanes.measure(Subject.look, (*kernels.values(), *shared))
        ends: dict[Watched, End] = {}
        late = set(self._lanes.overdue(MEASURING_S))
        for kernel, subject in kernels.items():
            end = self._too_late() if subject in late else self._reason(subject)
            if end is not None:
                ends[kernel] = end
        rest = {kernel: subject for kernel, subject in kernels.items() if kernel not in ends}
        ends |= await self._over_budget(rest, shared)
        await self._end(ends, kernels)

    def _subjects(self) -> tuple[dict[Watched, Subject], list[Subject]]:
        """Return what is to be looked at: kernels that were not ended, and what serves them."""
        living = self._kernels()
        self._ended &= set(living)  # the others are gone
        here = {
            kernel: kernel.pid
            for kernel in living
            if kernel.pid is not None and kernel not in self._ended
        }
        self._watched = {
            kernel: self._watched.get(kernel)
            or Subject(
                pid,
                kernel.work_folder,
                write_bytes=self._write_bytes,
                own_file_system=self._own_file_systems,
            )
            for kernel, pid in here.items()
        }
        self._serving = {
            pid: self._serving.get(pid) or Subject(pid, None, write_bytes=0, own_file_system=False)
            for pid in self._shared()
        }
        for subject in self._watched.values():
            subject.beside = len(here)
        return self._watched, list(self._serving.values())

    def _reason(self, subject: Subject) -> End | None:
        """Return why a kernel is to be ended for what it is alone, if it is."""
        if subject.gone:
            return None
        if subject.over_limit:
            return End(
                CellStatus.OUTPUT_LIMIT,
                f"The code wrote more than {self._write_bytes // _MB:,} MB, or more than "
                f"{LARGEST_ENTRIES:,} files, or what cannot be counted, and its kernel was ended; "
                "its variables are lost. Keep data in memory.",
            )
        if subject.threads > MOST_THREADS:
            return End(
                CellStatus.DIED,
                f"The code had more than {MOST_THREADS} threads and its kernel was ended; "
                "its variables are lost.",
            )
        if subject.failures >= _FAILURES and subject.ours and HAS_PROC:
            return End(
                CellStatus.DIED,
                f"The kernel could not be measured any more ({subject.failure}) and was ended; "
                "its variables are lost.",
            )
        return None

    @staticmethod
    def _too_late() -> End:
        return End(
            CellStatus.DIED,
            f"The kernel could not be measured within {MEASURING_S:g} s and was ended; its "
            "variables are lost. Use fewer threads.",
        )

    async def _over_budget(
        self, kernels: dict[Watched, Subject], shared: list[Subject]
    ) -> dict[Watched, End]:
        """Return which are to be ended because all together hold too much: the largest first."""
        # What is resident counts shared pages once for each kernel, so it is never too little,
        # and a hundred times cheaper to ask for.
        every = [*kernels.values(), *shared]
        held = sum(subject.most_bytes for subject in every)
        if held > _NEAR * self._budget_bytes:
            await self._lanes.measure(Subject.weigh, every)
            held = sum(subject.held_bytes for subject in every)
        now = time.monotonic()
        grown = held - (held if self._held_bytes is None else self._held_bytes)
        self._grown_bytes_s = grown / max(now - self._looked_at, LEAST_LOOK_S)
        self._looked_at = now
        ends: dict[Watched, End] = {}
        by_size = sorted(kernels, key=lambda kernel: kernels[kernel].held_bytes, reverse=True)
        for kernel in by_size:
            if held <= self._budget_bytes:
                break
            largest = kernels[kernel].held_bytes
            held -= largest
            ends[kernel] = End(
                CellStatus.OUT_OF_MEMORY,
                f"All kernels together passed their {self._budget_bytes // _MB:,} MB of memory; "
                f"this one, the largest with {largest // _MB:,} MB, was ended and its variables "
                "are lost.",
            )
        self._held_bytes = held
        return ends

    async def _end(self, ends: dict[Watched, End], kernels: dict[Watched, Subject]) -> None:
        """End kernels, those that are ending anyway excepted: their own reason is the true one."""
        chosen = {k: end for k, end in ends.items() if not kernels[k].has_ended()}
        done = await asyncio.gather(
            *(kernel.end(end) for kernel, end in chosen.items()), return_exceptions=True
        )
        failures = [result for result in done if isinstance(result, BaseException)]
        self._ended.update(
            kernel
            for kernel, result in zip(chosen, done, strict=True)
            if not isinstance(result, BaseException)
        )
        for failure in failures:
            raise failure
