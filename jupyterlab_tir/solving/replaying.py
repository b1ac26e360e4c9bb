"""Running a sample's cells again, in a fresh kernel with other seeds.

1. Only cells of the value's own session (kernel) and only up to the value's own cell are run: no
   other could have gone into it.
2. Where some of them had failed, they are first left out. If the rest ends in the value, they were
   shown not to be needed, and a notebook made of the rest is clean. If not, all are run in order;
   those that failed may fail again, since what they did before they failed may be needed.
3. All of it, for all values of a sample, has one budget of time. What it does not reach stays
   ``computed``, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..sandbox import CellResult, CellStatus
from .asking import SampleEnd
from .cells import RanCell, start_kernel
from .context import RunContext
from .seeds import derive_seed
from .verification import Verified, amounts_to, final_value

MOST_TIMEOUTS = 6
"""A replay's budget is no more than so many times the seconds that one cell may run."""

_LEAST_S = 0.05
_MAX_SHOWN_CHARS = 80


class Claim(msgspec.Struct, frozen=True):
    """That the final value of a cell is `value`, or rounds to it where `rounded`."""

    cell: int
    value: str
    rounded: bool = False


class _Budget:
    """Seconds that the cells of a replay may still run; starting kernels takes none of them."""

    def __init__(self, seconds: float) -> None:
        self.seconds = self.left = seconds

    @property
    def spent(self) -> bool:
        return self.left < _LEAST_S


def budget_s(cells: Sequence[RanCell], timeout_s: float) -> float:
    """Seconds for a replay: twice what the cells took, and one cell's limit for a slower machine.

    Examples
    --------
    >>> cell = RanCell("f()", CellResult(status=CellStatus.OK, duration_s=3.0), session=0)
    >>> budget_s([cell] * 2, 10.0), budget_s([cell] * 20, 10.0)
    (22.0, 60.0)
    """
    took = sum(cell.result.duration_s for cell in cells)
    return min(2 * took + timeout_s, MOST_TIMEOUTS * timeout_s)


async def replay(
    context: RunContext, sample_seed: int, cells: Sequence[RanCell], claims: Sequence[Claim]
) -> list[Verified]:
    """Run the cells again and say of each claim whether they end in its value once more.

    Parameters
    ----------
    cells
        The sample's cells, as they ran.
    claims
        Claims about them, the first being the most important: its session is replayed first.

    Returns
    -------
    list of Verified
        For each claim ``replayed``, or ``computed`` with the reason.
    """
    budget = _Budget(budget_s(cells, context.config.timeout))
    found: dict[Claim, Verified] = {}
    for session in dict.fromkeys(cells[claim.cell].session for claim in claims):
        mine = [claim for claim in claims if cells[claim.cell].session == session]
        last = max(claim.cell for claim in mine)
        whole = [
            index
            for index, cell in enumerate(cells[: last + 1])
            if cell.session == session and cell.result.status != CellStatus.REFUSED
        ]
        well = [index for index in whole if cells[index].result.status == CellStatus.OK]
        replayer = _Replayer(context, derive_seed(sample_seed, "replay", session), cells, budget)
        found |= await replayer.run(well, mine)
        left = [claim for claim in mine if found[claim].level != "replayed"]
        if left and well != whole and not budget.spent and replayer.could_start:
            upto = max(claim.cell for claim in left)
            found |= await replayer.run([index for index in whole if index <= upto], left)
    return [found[claim] for claim in claims]


class _Replayer:
    """Runs cells of one session again, as often as asked, each time in a kernel of its own."""

    def __init__(
        self, context: RunContext, seed: int, cells: Sequence[RanCell], budget: _Budget
    ) -> None:
        self._context = context
        self._seed = seed
        self._cells = cells
        self._budget = budget
        self.could_start = True

    async def run(self, which: Sequence[int], claims: Sequence[Claim]) -> dict[Claim, Verified]:
        """Run these cells in order and look what became of the claims."""
        try:
            kernel = await start_kernel(self._context, self._seed, replay=True)
        except SampleEnd as end:
            self.could_start = False
            words = f"no kernel for the replay: {end.reason}"
            return {claim: Verified("computed", words, claim.cell) for claim in claims}
        budget, timeout_s = self._budget, self._context.config.timeout
        results: dict[int, CellResult] = {}
        over = f"the replay's {budget.seconds:g} s were over"
        stopped = ""
        async with kernel:
            for index in which:
                if budget.spent:
                    stopped = over
                    break
                allowed_s = min(timeout_s, budget.left)
                result = await kernel.run(self._cells[index].code, timeout_s=allowed_s)
                budget.left -= result.duration_s
                if result.status == CellStatus.TIMEOUT and allowed_s < timeout_s:
                    stopped = over
                    break
                results[index] = result
                if not kernel.alive:
                    stopped = f"in the replay, cell {index + 1} ended the kernel"
                    break
        return await self._context.reading.call(_judge, claims, results, stopped)


def _judge(
    claims: Sequence[Claim], results: dict[int, CellResult], stopped: str
) -> dict[Claim, Verified]:
    judged: dict[Claim, Verified] = {}
    for claim in claims:
        result = results.get(claim.cell)
        reason = stopped if result is None else _reason_against(claim, result)
        cells = tuple(index for index in results if index <= claim.cell)
        judged[claim] = Verified("computed" if reason else "replayed", reason, claim.cell, cells)
    return judged


def _reason_against(claim: Claim, result: CellResult) -> str:
    """Why a cell's second result does not bear the claim out; empty if it does."""
    value = final_value(result)
    if value is not None:
        same = amounts_to(value, claim.value, rounded=claim.rounded)
        return "" if same else f"the replay gave {_shown(value)}"
    match result.status:
        case CellStatus.OK:
            words = "ended without a value"
        case CellStatus.ERROR:
            words = f"raised {_shown(_error(result))}"
        case CellStatus.TIMEOUT:
            words = "ran longer than a cell may"
        case CellStatus.DIED:
            words = "ended the kernel"
        case _:
            words = f"ended as {result.status}"
    return f"in the replay, cell {claim.cell + 1} {words}"


def _error(result: CellResult) -> str:
    message = f": {result.error_message}" if result.error_message else ""
    return f"{result.error_name or 'an error'}{message}"


def _shown(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _MAX_SHOWN_CHARS else one_line[:_MAX_SHOWN_CHARS] + "…"
