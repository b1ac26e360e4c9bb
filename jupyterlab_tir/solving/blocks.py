"""The votes of a sample's code blocks: what each of them ended in, judged as answers are.

A block's value is by definition what it ends in, so none is ``none``: a literal that the code only
repeats is ``echo``, what was computed is ``computed``, and ``replayed`` where a fresh kernel gave
it once more. One replay judges all blocks of a sample and its answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..answers import Canonical, canonical
from ..answers.expected import Expected, as_expected, reason_against
from ..answers.printed import spellings, values
from .cells import RanCell
from .verification import Verified, as_it_ran, final_value

_MAX_VALUE_CHARS = 10_000


class BlockValue(msgspec.Struct, frozen=True):
    """What a block ended in, and how far code stands behind that."""

    block: int
    raw: str
    answer: Canonical
    verified: Verified


def read_blocks(
    cells: Sequence[RanCell], expected: Expected, *, most: int
) -> tuple[BlockValue, ...]:
    """Read the final values of the first `most` cells, as the cells ran.

    Left out are blocks that failed or ended in nothing, and values that are not such as the problem
    asks for; where it asks for no kind, a printed sentence is none. It can take a while: on an
    event loop, call it in a thread.
    """
    found: list[BlockValue] = []
    for index, cell in enumerate(cells[:most]):
        value = final_value(cell.result)
        read = None if value is None else read_value(value, expected)
        if read is not None:
            found.append(BlockValue(index, *read, as_it_ran(cells, index)))
    return tuple(found)


def read_value(value: str, expected: Expected) -> tuple[str, Canonical] | None:
    """Read a final value as an answer: its text without a label, and as mathematics.

    Examples
    --------
    >>> read_value("total = 17", Expected())[0]
    '17'
    >>> read_value("It is easy to see.", Expected()) is None
    True
    """
    if len(value) > _MAX_VALUE_CHARS:
        return None
    found: tuple[str, Canonical] | None = None
    for text in values(value):
        for spelled in spellings(text):
            answer = as_expected(canonical(spelled, kind=expected.kind), expected)
            if not _is_asked_for(answer, spelled, expected):
                continue
            # The first reading decides; a later text of the same value is one without its label.
            if found is None or found[1].key == answer.key:
                found = spelled, answer
            break
    return found


def _is_asked_for(answer: Canonical, raw: str, expected: Expected) -> bool:
    if expected.kind in (None, "expression") and answer.form in ("text", "opaque"):
        return False
    return reason_against(answer, raw, expected) is None
