"""Solving: `solve` waits, `asolve` is awaited, `start` gives a handle.

All three take the problem as text or as a `Problem`, and any setting of `Config` by its name.
What is not given comes from the environment, the settings file and the defaults.
"""

from __future__ import annotations

import asyncio
import contextlib

from ..backend.discovery import connect
from ..config import ResolvedConfig, resolve
from ..errors import UsageError
from ..events import ServerInfo
from ..problem import Problem
from .continuing import continue_run, start_continuing
from .engine import engine
from .handle import RunHandle
from .isolation import Isolation, find_isolation
from .journal import Journal
from .result import RunResult
from .run import Run
from .waiting import STOPPING_S, wait_for

__all__ = [
    "Isolation",
    "RunHandle",
    "RunResult",
    "asolve",
    "continue_run",
    "describe_server",
    "solve",
    "start",
    "start_continuing",
]


def start(
    problem: str | Problem,
    *,
    check: str | None = None,
    resolved: ResolvedConfig | None = None,
    **settings: object,
) -> RunHandle:
    """Start a run on the engine's thread and return its handle at once.

    Parameters
    ----------
    problem
        The text, or a `Problem`.
    check
        An answer to check, if `problem` is a text.
    resolved
        Settings that were resolved before; there must be no other `settings` then.
    settings
        Settings by name, such as ``samples=16``.

    Raises
    ------
    UsageError
        If the problem or a setting cannot be used as given.
    """
    asked = _problem(problem, check)
    if resolved is None:
        resolved = resolve(settings)
    elif settings:
        raise UsageError(
            f"{', '.join(settings)} beside settings that were resolved before would be left "
            "unread: give them to `resolve`."
        )
    journal = Journal()
    return RunHandle(engine(), Run(asked, resolved, journal), journal)


def _problem(problem: object, check: object) -> Problem:
    if isinstance(problem, Problem):
        if check is not None:
            raise UsageError(
                "An answer to check goes with a problem given as text: give this one's as the "
                "`claim` of the Problem."
            )
        return problem
    for what, given in (("problem", problem), ("answer to check", "" if check is None else check)):
        if not isinstance(given, str):
            kind = type(given).__name__
            raise UsageError(f"The {what} is of type {kind}, but must be text: write it as a str.")
    return Problem(text=str(problem), claim=None if check is None else str(check))


def solve(problem: str | Problem, *, check: str | None = None, **settings: object) -> RunResult:
    """Solve a problem and wait for the result; an interrupt stops the run first.

    Raises
    ------
    TirError
        If the run cannot begin; see `start`.
    """
    engine().require_another_thread()
    return wait_for(start(problem, check=check, resolved=resolve(settings)))


async def asolve(
    problem: str | Problem, *, check: str | None = None, **settings: object
) -> RunResult:
    """Solve a problem without blocking the caller's event loop; cancelling it stops the run.

    Raises
    ------
    TirError
        If the run cannot begin; see `start`.
    """
    handle = start(problem, check=check, resolved=resolve(settings))
    try:
        return await handle
    except asyncio.CancelledError:
        handle.stop()
        # What it started is gone before its caller goes on.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(handle.until_over(), STOPPING_S)
        raise


def describe_server(resolved: ResolvedConfig) -> tuple[ServerInfo, Isolation]:
    """Ask the server what it is; returns that and how the code of a run would be confined.

    Raises
    ------
    NoServerError
        If none can be used.
    """

    async def describe() -> tuple[ServerInfo, Isolation]:
        async with connect(resolved, fresh_probe=True) as backend:
            return backend.info, await find_isolation(resolved)

    engine().require_another_thread()
    future = engine().submit(describe())
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise
