"""How far code stands behind an answer: none, echo, computed, replayed.

"Some code ran" is not verification. An answer is *computed* when the final value of one of the
sample's cells is the answer and comes out of a computation; it is *replayed*, which every face
calls code-verified, when the cells up to that one, run again in order in a fresh child kernel with
other seeds, end in it once more (`replaying`). Here cells are judged as they ran; nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ..answers import is_echo, output_matches
from ..answers.outputs import output_rounds_to
from ..sandbox import CellResult, CellStatus
from ..voting import Verification
from .cells import RanCell

_ASKS_FOR_ROUNDING = re.compile(
    r"\bround(?:ed|ing)?\b|\bnearest\b|\bdecimal places?\b|\bsignificant (?:figures?|digits?)\b"
    r"|\bapproximat",
    re.IGNORECASE,
)
_CUT_HERE = re.compile(r"\[\.\.\. \d+ characters cut \.\.\.\]")

NOT_REPLAYED = "it was not replayed"


def asks_for_rounding(problem: str) -> bool:
    """Whether a problem asks for a rounded answer: then a value that rounds to it verifies it.

    Examples
    --------
    >>> asks_for_rounding("What is pi to two decimal places?"), asks_for_rounding("What is pi?")
    (True, False)
    """
    return _ASKS_FOR_ROUNDING.search(problem) is not None


class Verified(msgspec.Struct, frozen=True):
    """How far code stands behind a value.

    Parameters
    ----------
    level, reason
        The level, and in one clause why it is no higher; empty for ``replayed``.
    cell
        The cell whose final value it is, if any.
    cells
        The cells that the replay ran for it, `cell` the last; empty where none was tried. Those of
        the session that are missing had failed at first and were shown not to be needed.
    """

    level: Verification
    reason: str
    cell: int | None = None
    cells: tuple[int, ...] = ()


def final_value(result: CellResult) -> str | None:
    r"""What a cell ended in: the value of its last expression, else the last line printed.

    A line or a value that was cut is none; nor is anything of a cell that did not end well. Where
    only the middle of a long output was cut, its last line is whole.

    Examples
    --------
    >>> final_value(CellResult(status=CellStatus.OK, duration_s=0.1, stdout="1\n2870\n"))
    '2870'
    """
    if result.status != CellStatus.OK:
        return None
    if result.value is not None:
        return None if result.value_cut else result.value
    lines = result.stdout.rstrip().splitlines()
    if not lines:
        return None
    if result.stdout_cut and any(map(_CUT_HERE.fullmatch, lines[-2:])):
        # What stands behind the marker may be the end of a line whose beginning is gone.
        return None
    return lines[-1].strip()


def amounts_to(value: str, answer: str, *, rounded: bool) -> bool:
    """Whether a final value is the answer, or rounds to it where that is asked for."""
    return output_matches(value, answer) or (rounded and output_rounds_to(value, answer))


def without_replay(cells: Sequence[RanCell], answer: str, *, rounded: bool = False) -> Verified:
    """Judge the cells as they ran: ``none``, ``echo`` or ``computed``.

    The last cell counts whose final value is the answer and was computed; what a later cell only
    repeats takes nothing from it. A value that only rounds to the answer counts where the problem
    asks for that. Comparing values can take a while: on an event loop, call it in a thread.
    """
    echo: Verified | None = None
    for index in reversed(range(len(cells))):
        value = final_value(cells[index].result)
        if value is not None and amounts_to(value, answer, rounded=rounded):
            found = as_it_ran(cells, index)
            if found.level == "computed":
                return found
            echo = echo or found
    if echo is not None:
        return echo
    return Verified("none", "no cell's final value is the answer" if cells else "it ran no code")


def as_it_ran(cells: Sequence[RanCell], index: int) -> Verified:
    """Say whether a cell's final value comes out of a computation: ``computed`` or ``echo``."""
    session = cells[index].session
    ran = [
        cell
        for cell in cells[: index + 1]
        if cell.session == session and cell.result.status != CellStatus.REFUSED
    ]
    codes = [cell.code for cell in ran]
    failed = [place for place, cell in enumerate(ran) if cell.result.status != CellStatus.OK]
    if is_echo(codes, printed=cells[index].result.value is None, failed=failed):
        return Verified("echo", "the value is a literal that the code only repeats", index)
    return Verified("computed", NOT_REPLAYED, index)
