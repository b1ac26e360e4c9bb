"""Running one cell against a kernel that may be hostile.

One absolute deadline: at it an interrupt, a second later SIGKILL. A budget of bytes over all that
the kernel sends. Its death is noticed while waiting. Messages about anything but this cell are
dropped, and counted.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from .result import CellResult, CellStatus
from .transcript import Transcript

if TYPE_CHECKING:
    from .connection import Arrival, Connection
    from .process import ChildProcess

GRACE_S: Final = 1.0
"""Seconds between the interrupt and SIGKILL."""

_HALF_S = 1.0  # between a reply and its "idle", or the other way round
_LAST_WORDS_S = 0.05
_BUDGET_BYTES = 8 * 1024**2
_MALFORMED_COST_BYTES = _BUDGET_BYTES // 64
_MESSAGE_COST_BYTES = 1024  # taking in a message costs time, however small it is
_LARGEST_CODE_CHARS = 1_000_000


def refusal(code: str) -> str | None:
    r"""Return why `code` cannot be a cell, in one sentence, or None if it can.

    Examples
    --------
    >>> refusal("1 + 1") is None
    True
    >>> refusal("a\0b")
    'The code holds a NUL character, which Python does not accept; leave it out.'
    """
    if "\0" in code:
        return "The code holds a NUL character, which Python does not accept; leave it out."
    if len(code) > _LARGEST_CODE_CHARS:
        return (
            f"The code has {len(code):,} characters, more than the {_LARGEST_CODE_CHARS:,} that a "
            "cell may have; compute the data instead of writing it out."
        )
    try:
        code.encode()
    except UnicodeEncodeError:
        return "The code holds half of a surrogate pair, which is no character; leave it out."
    return None


class _Run:
    """The state of one execution, from sending the code to knowing the outcome."""

    def __init__(
        self,
        connection: Connection,
        process: ChildProcess,
        timeout_s: float,
        keep_chars: int,
    ) -> None:
        self._connection = connection
        self._process = process
        self._timeout_s = timeout_s
        self._transcript = Transcript(keep_chars)
        self._request_id = ""
        self._spent_bytes = 0
        self._interrupted = False
        self._half_since: float | None = None
        self._clock = asyncio.get_running_loop().time
        self._started = self._clock()

    async def execute(self, code: str) -> CellResult:
        self._request_id = self._connection.send(
            "execute_request",
            {
                "code": code,
                "silent": False,
                "store_history": False,
                "user_expressions": {},
                "allow_stdin": False,
                "stop_on_error": False,
            },
        )
        while True:
            arrival = await self._next(self._process.exited, self._limit() - self._clock())
            if self._finished():
                return self._result_of_reply()
            if self._spent_bytes > _BUDGET_BYTES:
                return await self._end(
                    CellStatus.OUTPUT_LIMIT,
                    f"The code sent more than {_BUDGET_BYTES // 1024**2} MB of output and its "
                    "kernel was ended; its variables are lost. Print less.",
                )
            if arrival is None and self._connection.broken:
                return await self._result_of_break()
            if arrival is None and self._process.exited.done():
                return await self._result_of_death()
            if self._clock() >= self._limit():
                if self._half_since is not None:
                    return await self._result_of_half()
                if self._interrupted:
                    return await self._end(CellStatus.TIMEOUT, self._timeout_sentence(kept=False))
                self._interrupted = True
                await self._process.interrupt()

    def _limit(self) -> float:
        """Return the moment at which something must be done if nothing arrives."""
        limit = self._started + self._timeout_s + (GRACE_S if self._interrupted else 0.0)
        return limit if self._half_since is None else min(limit, self._half_since + _HALF_S)

    async def _next(self, until: asyncio.Future[int] | None, timeout_s: float) -> Arrival | None:
        """Take in the next message, paid for before it is looked into."""
        arrival = await self._connection.receive(
            until, max(timeout_s, 0), _BUDGET_BYTES - self._spent_bytes
        )
        if arrival is None:
            return None
        self._spent_bytes += _MESSAGE_COST_BYTES + arrival.size_bytes
        if arrival.message is None:
            self._spent_bytes += _MALFORMED_COST_BYTES
        elif arrival.message.parent_id == self._request_id:
            self._transcript.add(arrival.message)
        if self._half_since is None and (self._transcript.idle or self._transcript.reply):
            self._half_since = self._clock()
        return arrival

    def _finished(self) -> bool:
        return self._transcript.idle and self._transcript.reply is not None

    def _result_of_reply(self) -> CellResult:
        if self._interrupted:
            return self._result(CellStatus.TIMEOUT, self._timeout_sentence(kept=True))
        return self._result(self._transcript.replied_status())

    async def _result_of_death(self) -> CellResult:
        while await self._next(None, _LAST_WORDS_S) is not None:
            if self._spent_bytes > _BUDGET_BYTES:
                break
        if self._process.end is not None:
            return self._result(*self._process.end)
        if self._process.ended_for_memory():
            return self._result(
                CellStatus.OUT_OF_MEMORY,
                "The machine ran out of memory and ended the kernel; its variables are lost.",
            )
        code = self._process.exited.result()
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return self._result(
            CellStatus.DIED,
            f"The code ended the Python process {how}; its variables are lost.",
        )

    async def _result_of_break(self) -> CellResult:
        if self._connection.broken == "closed":
            # Most often by its end, which is noticed a moment later.
            await asyncio.wait({self._process.exited}, timeout=_HALF_S)
            if self._process.exited.done():
                return await self._result_of_death()
            return await self._end(
                CellStatus.DIED,
                "The kernel closed its connection and was ended; its variables are lost.",
            )
        return await self._end(
            CellStatus.OUTPUT_LIMIT,
            "The kernel sent a message that is too large, or none that a kernel may send, and was "
            "ended; its variables are lost.",
        )

    async def _result_of_half(self) -> CellResult:
        if self._interrupted:
            return await self._end(CellStatus.TIMEOUT, self._timeout_sentence(kept=False))
        if self._transcript.reply is not None:
            return await self._end(
                CellStatus.OUTPUT_LIMIT,
                "The kernel stopped sending after its reply (a message was too large, or forged) "
                "and was ended; its variables are lost.",
            )
        return await self._end(
            CellStatus.DIED,
            "The kernel finished the code without a reply and was ended; its variables are lost.",
        )

    def _timeout_sentence(self, *, kept: bool) -> str:
        state = "its variables are kept" if kept else "it did not stop, so its variables are lost"
        return f"The code was stopped after {self._timeout_s:g} s; {state}."

    async def _end(self, status: CellStatus, sentence: str) -> CellResult:
        await self._process.kill()
        return self._result(status, sentence)

    def _result(self, status: CellStatus, sentence: str = "") -> CellResult:
        return self._transcript.result(status, self._clock() - self._started, sentence)


async def run_cell(
    connection: Connection,
    process: ChildProcess,
    code: str,
    *,
    timeout_s: float,
    keep_chars: int,
) -> CellResult:
    """Execute `code` and return its result within `timeout_s` + `GRACE_S` seconds.

    Parameters
    ----------
    connection, process
        The kernel, ready and idle.
    code
        A cell for which `refusal` has nothing to say.
    timeout_s
        Seconds from now at which the code is interrupted.
    keep_chars
        Characters of each output to keep at each end.
    """
    return await _Run(connection, process, timeout_s, keep_chars).execute(code)
