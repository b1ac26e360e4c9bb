"""Child kernels: started ahead, so many at once, used one cell at a time, ended for certain.

Everything runs on the event loop that entered `ChildKernels`.
"""

from __future__ import annotations

import asyncio
import itertools
import resource
import sys
from collections import deque
from typing import TYPE_CHECKING, Final, Self

from jupyterlab_tir.errors import UsageError

from .errors import KernelStartError
from .kernel import ChildKernel
from .levels import Choice, choose, probe
from .memory import budget_bytes as usual_budget_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import zmq.asyncio

    from .launchers import Launcher
    from .warm import Warm
    from .watch import Watch

_GIB: Final = 1024**3
WRITE_BYTES: Final = 64 * 1024**2
"""What a kernel may keep on disk, where nobody says."""

_LEAST_SENT_CHARS: Final = 16_384
_STARTS_AT_ONCE: Final = 8
_REFILL_AFTER_S: Final = 0.02
_SPARE_BYTES: Final = 32 * 1024**2  # a kernel at rest, with room to work
_FILES_OF_A_KERNEL: Final = 8


class ChildKernels:
    """Starts child kernels; an asynchronous context manager that leaves nothing behind.

    Parameters
    ----------
    level
        How they must be confined: "auto" (full with namespaces where the machine allows them, else
        full, else refused), one of the levels, "partial" (the best that there is, at least that),
        or "best" (the best that there is, even none).
    limit
        Kernels in use at once; `start` waits, first come first served, while there are so many.
    memory_bytes
        Address space that a kernel may take beyond what it starts with.
    write_bytes
        What a kernel may write into its folder; 0 gives it no folder to write in.
    budget_bytes
        Memory that all of them may hold together, the warm processes included; half the machine's
        where it is None. The largest kernel is ended when they pass it.
    output_chars
        Characters of stdout, of stderr and of a value that are kept at the head, and as many at
        the tail.
    preload
        Modules to load before kernels are started, beside the usual ones; their packages become
        readable.
    kernel
        Name of an installed kernelspec to start instead: confined as that provides, not by us.

    Attributes
    ----------
    isolation
        The level in force, once entered; or that it is "provided by the kernel" that was named.

    Raises
    ------
    UsageError
        Where a number is not positive.
    SandboxError
        On entering, where the machine does not offer the level.
    """

    def __init__(
        self,
        *,
        level: Choice = "auto",
        limit: int = 8,
        memory_bytes: int = _GIB,
        write_bytes: int = WRITE_BYTES,
        budget_bytes: int | None = None,
        output_chars: int = 2_000,
        preload: Sequence[str] = (),
        kernel: str | None = None,
    ) -> None:
        for name, value, least in (
            ("limit", limit, 1),
            ("memory_bytes", memory_bytes, 1),
            ("write_bytes", write_bytes, 0),
            ("budget_bytes", 1 if budget_bytes is None else budget_bytes, 1),
            ("output_chars", output_chars, 1),
        ):
            if value < least:
                raise UsageError(f"{name} is {value}; it must be at least {least}.")
        self.limit = limit
        self.memory_bytes = memory_bytes
        self.write_bytes = write_bytes
        self.budget_bytes = usual_budget_bytes() if budget_bytes is None else budget_bytes
        self.output_chars = output_chars
        self.isolation = ""
        self._level = level
        self._preload = tuple(preload)
        self._named = kernel
        self._slots = asyncio.Semaphore(limit)
        self._starts = asyncio.Semaphore(_STARTS_AT_ONCE)
        self._numbers = itertools.count(1)
        self._context: zmq.asyncio.Context | None = None
        self._launcher: Launcher | None = None
        self._watching: tuple[Watch, asyncio.Task[None]] | None = None
        self._wanted = self._wanted_replays = 0
        self._refilling: asyncio.TimerHandle | None = None
        # Started ahead, or on the way, for samples and for replays.
        self._spares: dict[bool, deque[asyncio.Task[ChildKernel]]] = {False: deque(), True: deque()}
        self._starting: set[asyncio.Task[ChildKernel]] = set()
        self._living: set[ChildKernel] = set()
        self._in_use: set[ChildKernel] = set()
        self._taking = 0
        self._closed = False
        self._ending: asyncio.Task[None] | None = None

    @property
    def alive(self) -> int:
        """How many kernels are in use and alive."""
        return sum(kernel.alive for kernel in self._in_use)

    @property
    def ready(self) -> int:
        """How many kernels wait, started, to be used."""
        return sum(
            task.done()
            and not task.cancelled()
            and task.exception() is None
            and task.result().alive
            for spares in self._spares.values()
            for task in spares
        )

    async def __aenter__(self) -> Self:
        # jupyter_client and zmq take a tenth of a second; only who runs code pays for them.
        import zmq.asyncio  # noqa: PLC0415

        from .launchers import ChildSettings, ExecLauncher, ForkLauncher, NamedLauncher  # noqa: PLC0415
        from .watch import Watch  # noqa: PLC0415

        if self._context is not None or self._closed:
            raise UsageError("These child kernels were entered before; make new ones.")
        launcher: Launcher
        own_file_systems = False
        if self._named is not None:
            launcher = NamedLauncher(self._named)
        else:
            offer = await probe()
            settings = ChildSettings(
                level=choose(self._level, offer),
                partial=offer.partial,
                memory_bytes=self.memory_bytes,
                write_bytes=self.write_bytes,
                # Twice what is kept, because cleaning shortens.
                keep_chars=max(2 * self.output_chars, _LEAST_SENT_CHARS),
                preload=self._preload,
            )
            own_file_systems = settings.level == "full+ns"
            forks = sys.platform == "linux"
            launcher = ForkLauncher(settings) if forks else ExecLauncher(settings)
        await launcher.open()
        self._launcher, self.isolation = launcher, launcher.isolation
        # Managers want one. No socket is made in it: see `zmtp.py`.
        self._context = zmq.asyncio.Context()
        watch = Watch(
            lambda: list(self._living),
            launcher.processes,
            budget_bytes=self.budget_bytes,
            write_bytes=self.write_bytes,
            own_file_systems=own_file_systems,
        )
        self._watching = watch, asyncio.create_task(watch.run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def prepare(self, kernels: int, replays: int = 0) -> None:
        """Start kernels ahead, in the background, until so many are in use or wait to be.

        Does nothing where a start is not cheap: kernels of another kernelspec, or without a fork.

        Parameters
        ----------
        kernels
            How many; the limit, twice, the memory budget and the descriptors that this process may
            open bound it. 0 starts no more.
        replays
            How many more are to wait for replays. The first one loads the libraries anew.
        """
        _, launcher = self._require_open()
        if not launcher.cheap:
            return
        fits = min(self.budget_bytes // _SPARE_BYTES, _open_files() // _FILES_OF_A_KERNEL)
        self._wanted = min(kernels, 2 * self.limit, fits)
        self._wanted_replays = min(replays, self.limit, fits)
        self._refill()

    async def missing(self) -> dict[str, str]:
        """Wait until kernels can be started; return modules that could not be loaded, and why.

        Raises
        ------
        KernelStartError
            Where no kernel can be started.
        """
        _, launcher = self._require_open()
        launcher.begin()
        return await launcher.missing()

    async def hold(self) -> tuple[Warm, ...]:
        """Return one more hold on each warm process that runs, which outlives these kernels.

        The next `ChildKernels` with the same settings then need not wait for it. Whoever holds one
        must await its `release`.
        """
        _, launcher = self._require_open()
        return await launcher.hold()

    async def start(self, *, seed: int | None = None, replay: bool = False) -> ChildKernel:
        """Return a kernel that is ready and that nobody has used: one that waits, or a new one.

        Parameters
        ----------
        seed
            Not negative. Seeds the global generators of Python, numpy and sympy. None leaves them
            to chance.
        replay
            Whether the kernel is to repeat what another one did: it then has other hashes of
            strings (and so another order of sets).

        Raises
        ------
        UsageError
            Where `seed` is negative or these kernels are not open.
        KernelStartError
            Where the kernel does not come up.
        """
        if seed is not None and seed < 0:
            raise UsageError(f"seed is {seed}; it must not be negative.")
        self._require_open()
        await self._slots.acquire()
        self._taking += not replay
        try:
            kernel = await self._take(replay=replay)
        except BaseException:
            self._slots.release()
            raise
        finally:
            self._taking -= not replay
        if seed is not None:
            kernel.seed(seed)
        self._in_use.add(kernel)
        kernel.whenever_gone(lambda: self._give_back(kernel))
        self._refill_later()
        return kernel

    async def close(self) -> None:
        """Kill every kernel and wait until all they had is gone; may be called again."""
        self._closed = True
        if self._ending is None:
            self._ending = asyncio.create_task(self._close())
        # Whoever waits may be cancelled; the clean-up may not.
        await asyncio.shield(self._ending)

    async def _close(self) -> None:
        if self._refilling is not None:
            self._refilling.cancel()
        starting = list(self._starting)
        for start in starting:
            if not start.cancelling():  # one that is being cancelled is clearing up
                start.cancel()
        await asyncio.gather(*starting, return_exceptions=True)
        await asyncio.gather(*(kernel.close() for kernel in list(self._living)))
        watching, self._watching = self._watching, None
        if watching is not None:
            watching[1].cancel()
            await asyncio.gather(watching[1], return_exceptions=True)
        context, self._context = self._context, None
        if context is not None:
            context.destroy(linger=0)
        launcher, self._launcher = self._launcher, None
        if launcher is not None:
            await launcher.close()

    def _require_open(self) -> tuple[zmq.asyncio.Context, Launcher]:
        if self._closed:
            raise UsageError("These child kernels are closed; make new ones.")
        if self._context is None or self._launcher is None:
            raise UsageError("Child kernels must be entered with `async with` before a start.")
        return self._context, self._launcher

    async def _take(self, *, replay: bool) -> ChildKernel:
        """Take the first kernel that was started ahead, or start one."""
        spares = self._spares[replay]
        while True:
            self._require_open()
            starting = spares.popleft() if spares else self._begin(replay=replay)
            try:
                kernel = await asyncio.shield(starting)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    self._put_back(starting, replay=replay)
                else:
                    self._require_open()  # nobody cancelled us: `close` cancelled the start
                raise
            if kernel.alive:  # it may have been ended while it waited
                return kernel

    def _put_back(self, starting: asyncio.Task[ChildKernel], *, replay: bool) -> None:
        """Keep what a cancelled start had taken, if it is wanted ahead, else end it."""
        if not replay and self._wanted > self._counted() - 1:  # the one put back was counted
            self._spares[replay].appendleft(starting)
        elif not starting.done():
            starting.cancel()
        elif not starting.cancelled() and starting.exception() is None:
            starting.result().close_soon()

    def _begin(self, *, replay: bool) -> asyncio.Task[ChildKernel]:
        starting = asyncio.create_task(self._start(replay=replay))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        return starting

    def _counted(self) -> int:
        """How many kernels there are for samples: used, asked for, or ahead."""
        return len(self._in_use) + self._taking + len(self._spares[False])

    def _refill_later(self) -> None:
        """Start kernels ahead in a moment: whoever just got one is to have the machine first."""
        if self._refilling is None and (self._wanted or self._wanted_replays) and not self._closed:
            loop = asyncio.get_running_loop()
            self._refilling = loop.call_later(_REFILL_AFTER_S, self._refill)

    def _refill(self) -> None:
        """Start kernels ahead, as many as are wanted and fit into the budget."""
        if self._refilling is not None:
            self._refilling.cancel()
            self._refilling = None
        if self._closed or self._watching is None or self._watching[0].near_budget():
            return
        while self._counted() < self._wanted:
            self._begin_spare(replay=False)
        while len(self._spares[True]) < self._wanted_replays:
            self._begin_spare(replay=True)

    def _begin_spare(self, *, replay: bool) -> None:
        spares = self._spares[replay]
        starting = self._begin(replay=replay)
        spares.append(starting)

        def forget() -> None:
            if starting in spares:
                spares.remove(starting)
                self._refill_later()

        def look(_: object) -> None:
            if starting.cancelled():
                forget()
            elif starting.exception() is not None:
                # Tried again, and told, when a kernel is asked for.
                self._wanted = self._wanted_replays = 0
                forget()
            else:
                starting.result().whenever_gone(forget)

        starting.add_done_callback(look)

    def _give_back(self, kernel: ChildKernel) -> None:
        self._in_use.discard(kernel)
        self._slots.release()
        self._refill_later()

    async def _start(self, *, replay: bool) -> ChildKernel:
        import zmq  # noqa: PLC0415 - see __aenter__

        context, launcher = self._require_open()
        try:
            async with self._starts:
                kernel = await ChildKernel.launch(
                    launcher,
                    context,
                    number=next(self._numbers),
                    output_chars=self.output_chars,
                    replay=replay,
                )
        except (OSError, UsageError, zmq.ZMQError) as error:
            raise KernelStartError(
                f"A child kernel could not be started ({error}); free disk space, memory or open "
                "files, or start fewer at once."
            ) from None
        self._living.add(kernel)
        kernel.whenever_gone(lambda: self._living.discard(kernel))
        return kernel


def _open_files() -> int:
    """Return how many files this process may spend on kernels: half of what it may open."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if allowed == resource.RLIM_INFINITY else allowed // 2
