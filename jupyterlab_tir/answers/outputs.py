r"""Whether what a cell printed, or the repr of its last value, amounts to an answer.

A value is compared, never a substring: errors, addresses, truncated output, bounds in prose and
truth values match no number. One label before one value is dropped; a list of several values
matches only the whole list.
"""

from __future__ import annotations

import re
import time

from .canonical import TIMEOUT_S, Canonical, canonical
from .compare import rounds_to, same
from .printed import spellings, values
from .structure import bracketed, split_top

_MAX_OUTPUT_CHARS = 100_000
_SOLUTION = re.compile(r"\s*'?([A-Za-z]\w*)'?\s*:\s*(.+)")


def output_matches(output: str, answer: str, *, timeout_s: float = TIMEOUT_S) -> bool:
    r"""Whether a cell's output is the answer.

    Parameters
    ----------
    output
        What a cell printed, or the repr of its last value. Of several lines the last one counts,
        unless all of them are bare values: then they are a list.
    answer
        The answer as written.
    timeout_s
        Longest time to think, in seconds; what is not compared by then does not match.

    >>> output_matches("Fraction(1, 2)\n", "0.5"), output_matches("8,250", "250")
    (True, False)
    """
    if not output.strip() or len(output) > _MAX_OUTPUT_CHARS:
        return False
    end = time.monotonic() + timeout_s
    wanted = canonical(answer, timeout_s=timeout_s)
    return any(_is(text, wanted, end) for text in values(output))


def output_rounds_to(output: str, answer: str) -> bool:
    """Whether the answer is a cell's output, rounded to the digits of the answer.

    >>> output_rounds_to("x = 6.283185307179586", "6.28"), output_rounds_to("6.29", "6.28")
    (True, False)
    """
    if not output.strip() or len(output) > _MAX_OUTPUT_CHARS:
        return False
    return any(rounds_to(spelled, answer) for text in values(output) for spelled in spellings(text))


def _is(text: str, wanted: Canonical, end: float) -> bool:
    """Whether a printed value is the answer, in one of its spellings, as far as time allows."""
    for raw in (text, *_solutions(text)):
        for spelled in spellings(raw):
            left_s = max(end - time.monotonic(), 0.0)
            if same(canonical(spelled, timeout_s=left_s), wanted) is True:
                return True
    return False


def _solutions(text: str) -> list[str]:
    """What `solve` prints as dicts: values by name, and the values alone."""
    outer = bracketed(text)
    if outer is None:
        return []
    rows = [outer] if outer[0] == "{" else [bracketed(part) for part in split_top(outer[1], ",")]
    tuples: list[str] = []
    named: list[str] = []
    for row in rows:
        if row is None or row[0] != "{":
            return []
        found = [_SOLUTION.fullmatch(part) for part in split_top(row[1], ",")]
        pairs = [(match[1], match[2]) for match in found if match is not None]
        if not pairs or len(pairs) < len(found):
            return []
        values_of = ", ".join(value for _, value in pairs)
        tuples.append(f"({values_of})" if len(pairs) > 1 else values_of)
        named.append(", ".join(f"{name} = {value}" for name, value in pairs))
    if len(rows) == 1:
        return [named[0], tuples[0]]
    return ["{" + ", ".join(tuples) + "}"]
