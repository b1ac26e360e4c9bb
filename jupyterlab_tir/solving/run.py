"""One run: plan, launch, count, stop, conclude.

The scheduler launches samples in index order, four at first and one slot more for each that
finishes, up to the cap. After each outcome it counts anew and asks the stop rules; a stop cancels
what is in flight and waits until it is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import functools
import secrets
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from .. import __version__
from ..backend.dialects import Conversation
from ..backend.discovery import connect
from ..backend.faults import BackendFault
from ..config import ResolvedConfig
from ..errors import NoServerError, UsageError
from ..events import (
    CodeEnded,
    Event,
    Noticed,
    RunEnded,
    RunStarted,
    StopFired,
    Tally,
    TallyChanged,
    Verdict,
)
from ..problem import Problem
from ..record import RecordWriter
from ..sandbox import CellStatus, ChildKernels
from ..voting import RuleDecision, SampleOutcome
from .asking import LEAST_TOKENS
from .context import Ending, RunContext
from .counting import Count
from .journal import Journal
from .kernels import enter_kernels, say_what_is_missing
from .reading import Reading
from .result import RunResult
from .sample import Sample
from .seeds import draw_seed
from .verdict import judge, undecided

T = TypeVar("T")

_REPLAYS_AHEAD = 2
JUDGING_S = 3.0
STOPPED_JUDGING_S = 0.5
"""Seconds that comparing a claim with the leader may take; the second where a user stopped."""

FIRST_SLOTS = 4
"""Samples in flight at the start: early finishers are short, not typical, so a run ramps up."""


def new_run_id() -> str:
    """Name a run: the time in UTC, and some chance."""
    now = dt.datetime.now(dt.UTC)
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


class Run:
    """One solve of one problem. `execute` is awaited once; `stop` may be called at any time."""

    def __init__(self, problem: Problem, resolved: ResolvedConfig, journal: Journal) -> None:
        self.run_id = new_run_id()
        self._problem = problem
        self._resolved = resolved
        self._config = resolved.config
        self._journal = journal
        self._count = Count(resolved.config)
        self._running: dict[asyncio.Task[SampleOutcome], int] = {}
        self._launched = 0
        self._replays_ahead = 0
        self._stop: RuleDecision | None = None
        self._ending: Ending = ""
        self._wake = asyncio.Event()
        self._connecting: asyncio.Task[object] | None = None

    def stop(self) -> None:
        """End the run now, keeping what it has; call it on the engine's thread."""
        self._ending = self._ending or "user"
        self._wake.set()
        if self._connecting is not None:
            self._connecting.cancel()

    async def execute(self) -> RunResult:
        """Run to the end.

        Raises
        ------
        NoServerError
            If no server can be used.
        UsageError
            If the problem does not fit into the model's context.
        SandboxError
            If the machine cannot confine the code as the settings ask.
        """
        deadline = asyncio.get_running_loop().time() + self._config.deadline
        async with contextlib.AsyncExitStack() as stack:
            context = await self._prepare(stack, deadline)
            record = stack.enter_context(RecordWriter(self.run_id, self._notice))
            self._journal.listen(record.write)
            stack.callback(self._journal.leave, record.write)
            self._announce(context)
            async with self._watching_kernels(context.kernels), context.reading.ready():
                await self._take_samples(context, deadline)
            self._say_what_does_not_count()
            ended = await self._conclude()
            self._journal.emit(ended)
            return self._result(context, ended, record.path)

    async def _prepare(self, stack: contextlib.AsyncExitStack, deadline: float) -> RunContext:
        """Find the sandbox, the server and what it is; a stop meanwhile ends the run at once."""
        self._connecting = asyncio.current_task()
        if self._ending:
            self.stop()
        try:
            # First, because it takes a moment and needs no server.
            kernels = await enter_kernels(stack, self._config)
            async with asyncio.timeout_at(deadline):
                backend = await stack.enter_async_context(connect(self._resolved))
                context = RunContext(
                    run_id=self.run_id,
                    problem=self._problem,
                    config=self._config,
                    backend=backend,
                    kernels=kernels,
                    journal=self._journal,
                    seed=draw_seed() if self._config.seed is None else self._config.seed,
                )
                context.opening_tokens = await _opening_tokens(context)
        except TimeoutError:
            seconds = self._config.deadline
            raise NoServerError(
                f"The server did not say what it is within the run's {seconds:g} s: "
                "look at its log, or give the run more time with --deadline."
            ) from None
        finally:
            self._connecting = None
        return context

    @contextlib.asynccontextmanager
    async def _watching_kernels(self, kernels: ChildKernels | None) -> AsyncIterator[None]:
        """Meanwhile, say what is missing and have kernels for replays started in time."""
        if kernels is None:
            yield
            return
        foresee = functools.partial(self._foresee_replays, kernels)
        self._journal.listen(foresee)
        missing = asyncio.create_task(say_what_is_missing(kernels, self._notice))
        try:
            yield
        finally:
            self._journal.leave(foresee)
            missing.cancel()
            # However it ended: where no kernel can be started, the samples have said it.
            await _until_over([missing])

    def _notice(self, words: str) -> None:
        self._journal.emit(Noticed(title="notice", detail=words))

    async def _take_samples(self, context: RunContext, deadline: float) -> None:
        running = self._running
        loop = asyncio.get_running_loop()
        waking = asyncio.create_task(self._wake.wait())
        try:
            while not self._ending:
                self._launch(context)
                if not running:
                    return
                done, _ = await asyncio.wait(
                    {waking, *running},
                    timeout=max(0.0, deadline - loop.time()),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not done:
                    self._ending = "deadline"
                # In launch order, so that what finished together is counted in one order.
                for task in sorted(running.keys() & done, key=running.__getitem__):
                    del running[task]
                    self._take(task.result())
        except asyncio.CancelledError:
            # The process is ending: a run that is cancelled from outside concludes as stopped.
            self._ending = self._ending or "user"
        finally:
            waking.cancel()
            context.ending = self._ending or "user"
            for task in running:
                task.cancel()
            ended = await _until_over(running)
        for outcome in ended:
            if isinstance(outcome, BaseException):
                raise outcome
            self._take(outcome)

    def _launch(self, context: RunContext) -> None:
        while len(self._running) < self._places and self._launched < self._config.samples:
            sample = Sample(context, self._launched)
            self._running[asyncio.create_task(sample.run())] = sample.index
            self._launched += 1
        self._start_kernels_ahead(context.kernels)

    @property
    def _places(self) -> int:
        """How many samples may be in flight now."""
        return min(self._config.parallel, FIRST_SLOTS + len(self._count.outcomes))

    def _start_kernels_ahead(self, kernels: ChildKernels | None) -> None:
        """Have kernels started while the model thinks: for the samples in flight and the next."""
        if kernels is not None:
            following = min(self._places, self._config.samples - self._launched)
            kernels.prepare(len(self._running) + following, replays=self._replays_ahead)

    def _foresee_replays(self, kernels: ChildKernels, event: Event) -> None:
        """Have kernels for replays started once a cell has computed something."""
        if (
            self._replays_ahead == 0
            and not self._ending
            and self._config.verify
            and isinstance(event, CodeEnded)
            and event.result.status == CellStatus.OK
        ):
            self._replays_ahead = min(_REPLAYS_AHEAD, self._config.samples)
            self._start_kernels_ahead(kernels)

    def _take(self, outcome: SampleOutcome) -> None:
        count = self._count
        count.add(outcome)
        self._journal.emit(TallyChanged(title="tally", tally=count.tally()))
        if self._ending:
            return
        if len(count.outcomes) >= FIRST_SLOTS and count.all_lost:
            # Each was asked again already: the server is gone, and the plan would only repeat it.
            self._ending = "lost"
            return
        self._stop = count.decide()
        if self._stop is not None:
            self._ending = "rule"
            self._journal.emit(
                StopFired(
                    title=f"stopped by {self._stop.rule}",
                    detail=self._stop.words,
                    decision=self._stop,
                )
            )

    def _announce(self, context: RunContext) -> None:
        settings = msgspec.to_builtins(self._config)
        self._journal.emit(
            RunStarted(
                title=f"run {self.run_id}: {self._config.samples} samples",
                detail=self._problem.text[:200],
                run_id=self.run_id,
                created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
                version=__version__,
                problem=self._problem,
                settings=settings,
                sources=self._resolved.sources,
                seed=context.seed,
                temperature=context.temperature,
                server=context.backend.info,
                isolation=context.isolation,
            )
        )

    def _say_what_does_not_count(self) -> None:
        if unexpected := self._count.unexpected:
            first = unexpected[0]
            self._notice(
                f"Answers that were not asked for, and count for no candidate: {len(unexpected)}. "
                f"The first, of sample {first.sample + 1}: {first.reason}"
            )

    async def _judge(self, counted: Tally) -> Verdict | None:
        """Compare the claim with the tally, soon: who stopped the run is waiting."""
        claim = self._problem.claim
        if claim is None:
            return None
        limit_s = STOPPED_JUDGING_S if self._ending == "user" else JUDGING_S
        kind, half_s = self._config.answer, limit_s / 2
        # In a thread of its own: those of the samples may still be at what nobody waits for.
        judging = Reading(1).call(judge, claim, counted, kind=kind, timeout_s=half_s)
        [verdict] = await _until_over([asyncio.create_task(asyncio.wait_for(judging, limit_s))])
        if isinstance(verdict, TimeoutError):
            words = f"it could not be compared with the votes within {limit_s:g} s"
            return undecided(claim, words)
        if isinstance(verdict, BaseException):
            raise verdict
        return verdict

    async def _conclude(self) -> RunEnded:
        counted = self._count.tally()
        verdict = await self._judge(counted)
        status, reason = self._count.status(counted, self._ending, self._stop)
        leader = counted.leader
        return RunEnded(
            title=f"run ended: {status}",
            detail=reason,
            tokens_out=self._count.tokens,
            ms=round(self._journal.elapsed_s * 1000, 1),
            status=status,
            reason=reason,
            answer=leader.shown if leader is not None else None,
            tally=counted,
            verdict=verdict,
            stop=self._stop,
            saved=self._count.saved(self._launched),
        )

    def _result(self, context: RunContext, ended: RunEnded, path: Path) -> RunResult:
        return RunResult(
            run_id=self.run_id,
            record=path,
            status=ended.status,
            reason=ended.reason,
            problem=self._problem,
            answer=ended.answer,
            tally=ended.tally,
            verdict=ended.verdict,
            stop=ended.stop,
            saved=ended.saved,
            server=context.backend.info,
            isolation=context.isolation,
            seed=context.seed,
            seconds=round(self._journal.elapsed_s, 3),
            tokens=ended.tokens_out or 0,
        )


async def _until_over(tasks: Iterable[asyncio.Task[T]]) -> list[T | BaseException]:
    """Wait for tasks that were cancelled and return how each ended.

    Being cancelled meanwhile changes nothing: a kernel that shuts down after an interrupt cancels a
    run that is stopping already, and it must still conclude.
    """
    ended = asyncio.gather(*tasks, return_exceptions=True)
    while not ended.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(ended)
    return ended.result()


async def _opening_tokens(context: RunContext) -> int | None:
    """Count the first request's tokens; None where the server does not count.

    Raises
    ------
    UsageError
        If the model cannot hold it: better said before anything is asked.
    """
    backend, info = context.backend, context.backend.info
    if info.context is None or not info.tokenizes:
        return None
    body = backend.dialect.prompt(Conversation(context.problem.text), context.config.mode)
    try:
        size = await backend.client.count_tokens({"model": info.model, **body})
    except BackendFault as fault:
        if fault.kind != "context":
            words = f"The server at {info.base_url} failed: {fault.words}"
            raise NoServerError(words) from None
        size = info.context + 1
    if size + LEAST_TOKENS > info.context:
        raise UsageError(
            f"The problem with its instructions takes {size:,} tokens or more, and {info.model} "
            f"holds {info.context:,}: shorten it, or use a model with a longer context."
        )
    return size
