"""What a run that ends still waits for: what goes on in it, and what is said of its claim.

Being cancelled meanwhile changes nothing: a kernel that shuts down after an interrupt cancels a run
that is stopping already, and it must still conclude.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import TypeVar

from ..config import AnswerKind
from ..events import Tally, Verdict
from ..problem import Problem
from .reading import Reading
from .verdict import judge, undecided

T = TypeVar("T")


async def judge_in_time(
    problem: Problem, counted: Tally, kind: AnswerKind | None, limit_s: float
) -> Verdict | None:
    """Compare the problem's claim, if any, with the tally; undecided where that takes too long.

    Parameters
    ----------
    kind
        Kind of answer that the problem asks for.
    limit_s
        Seconds that it may take: whoever stopped the run is waiting.
    """
    claim = problem.claim
    if claim is None:
        return None
    # In a thread of its own: those of the samples may still be at what nobody waits for.
    judging = Reading(1).call(judge, claim, counted, kind=kind, timeout_s=limit_s / 2)
    [verdict] = await until_over([asyncio.create_task(asyncio.wait_for(judging, limit_s))])
    if isinstance(verdict, TimeoutError):
        words = f"it could not be compared with the votes within {limit_s:g} s"
        return undecided(claim, words)
    if isinstance(verdict, BaseException):
        raise verdict
    return verdict


async def until_over(tasks: Iterable[asyncio.Task[T]]) -> list[T | BaseException]:
    """Wait until tasks are over and return how each ended, in their order."""
    ended = asyncio.gather(*tasks, return_exceptions=True)
    while not ended.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(ended)
    return ended.result()
