"""How far code stands behind an answer: none, echo, computed, replayed.

"Some code ran" is not verification. An answer is *computed* when the final value of one of the
sample's cells is the answer and comes out of a computation; it is *replayed*, which every face
calls code-verified, when the cells up to that one, run again in order in a fresh child kernel with
other seeds, end in it once more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ..answers import is_echo, output_matches
from ..answers.outputs import output_rounds_to
from ..sandbox import CellResult, CellStatus
from ..voting import Verification
from .asking import SampleEnd
from .cells import RanCell, start_kernel
from .context import RunContext
from .seeds import derive_seed

_ASKS_FOR_ROUNDING = re.compile(
    r"\bround(?:ed|ing)?\b|\bnearest\b|\bdecimal places?\b|\bsignificant (?:figures?|digits?)\b"
    r"|\bapproximat",
    re.IGNORECASE,
)


def asks_for_rounding(problem: str) -> bool:
    """Whether a problem asks for a rounded answer: then a value that rounds to it verifies it.

    Examples
    --------
    >>> asks_for_rounding("What is pi to two decimal places?"), asks_for_rounding("What is pi?")
    (True, False)
    """
    return _ASKS_FOR_ROUNDING.search(problem) is not None


class Verified(msgspec.Struct, frozen=True):
    """A level, why it is no higher, and the cell whose final value is the answer, if any."""

    level: Verification
    reason: str
    cell: int | None = None


def final_value(result: CellResult) -> str | None:
    r"""What a cell ended in: the value of its last expression, else the last line printed.

    Output that was cut is no value; nor is anything of a cell that did not end well.

    Examples
    --------
    >>> final_value(CellResult(status=CellStatus.OK, duration_s=0.1, stdout="1\n2870\n"))
    '2870'
    """
    if result.status != CellStatus.OK or result.truncated:
        return None
    if result.value is not None:
        return result.value
    lines = result.stdout.rstrip().splitlines()
    return lines[-1].strip() if lines else None


def _amounts_to(value: str, answer: str, *, rounded: bool) -> bool:
    return output_matches(value, answer) or (rounded and output_rounds_to(value, answer))


def verifying_cell(cells: Sequence[RanCell], answer: str, *, rounded: bool = False) -> int | None:
    """Index of the last cell whose final value is the answer, or None."""
    for index in reversed(range(len(cells))):
        value = final_value(cells[index].result)
        if value is not None and _amounts_to(value, answer, rounded=rounded):
            return index
    return None


def without_replay(cells: Sequence[RanCell], answer: str, *, rounded: bool = False) -> Verified:
    """Judge the cells as they ran: ``none``, ``echo`` or ``computed``.

    A value that only rounds to the answer counts where the problem asks for that. Comparing values
    can take a while: on an event loop, call it in a thread.
    """
    index = verifying_cell(cells, answer, rounded=rounded)
    if index is None:
        ran = "no cell's final value is the answer" if cells else "it ran no code"
        return Verified("none", ran)
    if is_echo([cell.code for cell in _up_to(cells, index)]):
        return Verified("echo", "the value is a literal that the code only repeats", index)
    return Verified("computed", "it was not replayed", index)


async def replay(
    context: RunContext, sample_seed: int, cells: Sequence[RanCell], index: int, answer: str
) -> Verified:
    """Run the cells up to `index` again, in a fresh kernel with another seed.

    The final value of the last one, which was the answer, must be the answer once more.
    """
    try:
        kernel = await start_kernel(context, derive_seed(sample_seed, "replay"), replay=True)
    except SampleEnd as end:
        return Verified("computed", f"no kernel for the replay: {end.reason}")
    async with kernel:
        for cell in _up_to(cells, index):
            result = await kernel.run(cell.code, timeout_s=context.config.timeout)
            if not kernel.alive:
                return Verified("computed", "in the replay, a cell ended the kernel")
    return await context.reading.call(
        _compare, result, answer, rounded=asks_for_rounding(context.problem.text)
    )


def _up_to(cells: Sequence[RanCell], index: int) -> list[RanCell]:
    """Cells that the one at `index` could build on: those of its session, itself the last."""
    return [cell for cell in cells[: index + 1] if cell.session == cells[index].session]


def _compare(result: CellResult, answer: str, *, rounded: bool) -> Verified:
    value = final_value(result)
    if value is None:
        return Verified("computed", f"in the replay, the cell ended as {result.status}")
    if not _amounts_to(value, answer, rounded=rounded):
        return Verified("computed", f"the replay gave {value[:80]}")
    return Verified("replayed", "")
