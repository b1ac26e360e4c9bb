"""One run: plan, launch, count, stop, conclude.

The schedule launches samples in index order. After each outcome the run counts anew and asks the
stop rules; a stop cancels what is in flight and waits until it is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from .. import __version__
from ..backend.discovery import Backend
from ..config import ResolvedConfig
from ..events import (
    Noticed,
    RunEnded,
    RunStarted,
    SampleEnded,
    StopFired,
    TallyChanged,
)
from ..in_words import number_of
from ..problem import Problem
from ..record import RecordWriter
from ..sandbox import ChildKernels
from ..voting import RuleDecision
from .concluding import judge_in_time, until_over
from .context import Ending, RunContext
from .counting import Count, too_late
from .earlier import Earlier, none_added, prompt_fingerprint
from .journal import Journal
from .kernels import say_what_is_missing
from .preparing import prepare
from .result import RunResult
from .schedule import Schedule
from .seeds import draw_seed

JUDGING_S = 3.0
STOPPED_JUDGING_S = 0.5
"""Seconds that comparing a claim with the leader may take; the second where a user stopped."""

FIRST_LOST = 4
"""Samples that a server must lose, and no other end, before the run gives it up."""


def new_run_id() -> str:
    """Name a run: the time in UTC, and some chance."""
    now = dt.datetime.now(dt.UTC)
    return f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


class Run:
    """One solve of one problem. `execute` is awaited once; `stop` may be called at any time.

    Parameters
    ----------
    earlier
        The run that goes on here, if one does: with its id, its outcomes, its record.
    """

    def __init__(
        self,
        problem: Problem,
        resolved: ResolvedConfig,
        journal: Journal,
        earlier: Earlier | None = None,
    ) -> None:
        self.run_id = earlier.record.started.run_id if earlier is not None else new_run_id()
        self._earlier = earlier
        self._problem = problem
        self._resolved = resolved
        self._config = resolved.config
        self._journal = journal
        self._count = Count(resolved.config, earlier.outcomes if earlier is not None else ())
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
            If the problem does not fit into the model's context, or a run that goes on would be
            taken otherwise.
        SandboxError
            If the machine cannot confine the code as the settings ask.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._config.deadline
        async with contextlib.AsyncExitStack() as stack:
            if self._earlier is not None:
                stack.enter_context(self._earlier.held)
            context = await self._prepare(stack, deadline)
            record = self._begin_record(stack)
            self._announce(context)
            launched = self._earlier.launched if self._earlier is not None else 0
            schedule = Schedule(
                context, self._count, deadline=deadline, clock=clock, launched=launched
            )
            async with self._watching_kernels(context, schedule), context.reading.ready():
                await self._take_samples(context, schedule)
            self._say_what_does_not_count()
            ended = await self._conclude(schedule.launched)
            self._journal.emit(ended)
            return self._result(context, ended, record.path)

    def _begin_record(self, stack: contextlib.AsyncExitStack) -> RecordWriter:
        """Have events recorded from here on; those of an earlier run stand in its record."""
        earlier = self._earlier
        record = stack.enter_context(
            RecordWriter(self.run_id if earlier is None else earlier.held, self._notice)
        )
        if earlier is not None:
            self._journal.go_on_from(earlier.record.events)
        self._journal.listen(record.write, since=len(self._journal.kept))
        stack.callback(self._journal.leave, record.write)
        return record

    async def _prepare(self, stack: contextlib.AsyncExitStack, deadline: float) -> RunContext:
        """Find the sandbox, the server and what it is; a stop meanwhile ends the run at once."""
        self._connecting = asyncio.current_task()
        if self._ending:
            self.stop()
        try:
            return await prepare(
                stack, self._resolved, self._context, deadline=deadline, earlier=self._earlier
            )
        finally:
            self._connecting = None

    def _context(self, backend: Backend, kernels: ChildKernels | None) -> RunContext:
        seed = self._config.seed
        if self._earlier is not None:
            seed = self._earlier.record.started.seed
        return RunContext(
            run_id=self.run_id,
            problem=self._problem,
            config=self._config,
            backend=backend,
            kernels=kernels,
            journal=self._journal,
            seed=draw_seed() if seed is None else seed,
        )

    @contextlib.asynccontextmanager
    async def _watching_kernels(
        self, context: RunContext, schedule: Schedule
    ) -> AsyncIterator[None]:
        """Meanwhile, say what is missing and have kernels for replays started in time."""
        if context.kernels is None:
            yield
            return
        self._journal.listen(schedule.foresee_replays)
        missing = asyncio.create_task(say_what_is_missing(context.kernels, self._notice))
        try:
            yield
        finally:
            self._journal.leave(schedule.foresee_replays)
            missing.cancel()
            # However it ended: where no kernel can be started, the samples have said it.
            await until_over([missing])

    def _notice(self, words: str) -> None:
        self._journal.emit(Noticed(title="notice", detail=words))

    async def _take_samples(self, context: RunContext, schedule: Schedule) -> None:
        running = schedule.running
        waking = asyncio.create_task(self._wake.wait())
        try:
            while not self._ending:
                if schedule.launch():
                    self._ask_the_rules()
                    continue
                if not running:
                    return
                done, _ = await asyncio.wait(
                    {waking, *running},
                    timeout=schedule.left_s,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not done:
                    self._ending = "deadline"
                for landed in schedule.landed(done):
                    self._take(landed)
        except asyncio.CancelledError:
            # The process is ending: a run that is cancelled from outside concludes as stopped.
            self._ending = self._ending or "user"
        finally:
            waking.cancel()
            context.ending = self._ending or "user"
            for task in running:
                task.cancel()
            ended = await until_over(running)
        for end in ended:
            if isinstance(end, BaseException):
                raise end
            self._take(end)

    def _take(self, ended: SampleEnded) -> None:
        count = self._count
        if self._ending == "rule":
            ended = too_late(ended)
        self._journal.emit(msgspec.structs.replace(ended, interrupted=bool(self._ending)))
        count.add(ended.outcome)
        self._journal.emit(TallyChanged(title="tally", tally=count.tally()))
        if self._ending:
            return
        if count.added >= FIRST_LOST and count.all_lost:
            # Each was asked again already: the server is gone, and the plan would only repeat it.
            self._ending = "lost"
            return
        self._ask_the_rules()

    def _ask_the_rules(self) -> None:
        self._stop = self._count.decide()
        if self._stop is not None:
            self._ending = "rule"
            self._journal.emit(
                StopFired(
                    title=f"stopped by {self._stop.spelled}",
                    detail=self._stop.words,
                    decision=self._stop,
                )
            )

    def _announce(self, context: RunContext) -> None:
        if self._earlier is not None:
            for event in self._earlier.announcement(context, self._resolved.sources):
                self._journal.emit(event)
            self._journal.emit(TallyChanged(title="tally", tally=self._count.tally()))
            self._ask_the_rules()
            if self._stop is not None:
                self._notice(none_added(self._stop.rule))
            return
        self._journal.emit(
            RunStarted(
                title=f"run {self.run_id}: {number_of(self._config.samples, 'sample')}",
                detail=self._problem.text[:200],
                run_id=self.run_id,
                created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
                version=__version__,
                problem=self._problem,
                settings=msgspec.to_builtins(self._config),
                sources=self._resolved.sources,
                seed=context.seed,
                temperature=context.temperature,
                server=context.backend.info,
                isolation=context.isolation,
                prompt=prompt_fingerprint(context),
            )
        )

    def _say_what_does_not_count(self) -> None:
        if unexpected := self._count.unexpected:
            first = unexpected[0]
            self._notice(
                f"Answers that were not asked for, and count for no candidate: {len(unexpected)}. "
                f"The first, of sample {first.sample + 1}: {first.reason}"
            )

    async def _conclude(self, launched: int) -> RunEnded:
        counted = self._count.tally()
        limit_s = STOPPED_JUDGING_S if self._ending == "user" else JUDGING_S
        verdict = await judge_in_time(self._problem, counted, self._config.answer, limit_s)
        # Asked only now: who stops the run while its claim is compared has stopped it.
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
            saved=self._count.saved(launched),
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
            continued=self._earlier is not None,
        )
