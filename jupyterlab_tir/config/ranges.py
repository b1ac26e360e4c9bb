"""Ranges as users write them: "0..99999"."""

from __future__ import annotations

import re
from fractions import Fraction

from ..errors import UsageError

_RANGE = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)?\s*\.\.\s*([+-]?\d+(?:\.\d+)?)?\s*")
_MAX_SHOWN_CHARS = 60


def parse_range(text: str) -> tuple[Fraction | None, Fraction | None]:
    """Read "0..99999", "1.." or "..0.5": integers or decimals, one side may be open.

    Raises
    ------
    UsageError
        If it is no such range, or its bounds are the wrong way round.

    >>> parse_range("-1..0.5"), parse_range("1..")
    ((Fraction(-1, 1), Fraction(1, 2)), (Fraction(1, 1), None))
    """
    match = _RANGE.fullmatch(text)
    if match is None or not any(match.groups()) or not text.isascii():
        raise UsageError(
            f"The range {text[:_MAX_SHOWN_CHARS]!r} is not two numbers with two dots between: "
            "write it as 0..99999, 1.. or ..0.5."
        )
    low, high = (None if bound is None else Fraction(bound) for bound in match.groups())
    if low is not None and high is not None and low > high:
        raise UsageError(
            f"The range {text[:_MAX_SHOWN_CHARS]} ends below its beginning: write the lower bound "
            "first."
        )
    return low, high
