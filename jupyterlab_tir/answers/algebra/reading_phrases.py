# ruff: noqa: SIM905 - tables of words are read as text
r"""Numbers, times and ranks as everyday language has them: "twelve", "7 million", "3rd", "2:30 pm".

Tables and text only; where such words stand in a formula is the tokenizer's matter.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from .tree import Node, Number, Text, call, whole

SCALES = {
    "dozen": 12, "hundred": 100, "thousand": 10**3, "lakh": 10**5, "million": 10**6,
    "crore": 10**7, "billion": 10**9, "trillion": 10**12, "quadrillion": 10**15,
}  # fmt: skip
"""Words that multiply the number before them."""

POWERS = {"squared": 2, "cubed": 3}
"""Words that raise the value before them."""

_RANKS = (
    "half third quarter fourth fifth sixth seventh eighth ninth tenth eleventh twelfth hundredth"
    " thousandth millionth"
).split()
PARTS = dict(zip(_RANKS, (2, 3, 4, 4, *range(5, 13), 100, 1_000, 10**6), strict=True))
"""Words that divide the number before them."""

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_CARDINALS = {word: value for value, word in enumerate(_ONES)} | {
    word: value * 10 for value, word in enumerate(_TENS, start=2)
}
_SIGNS = frozenset({"minus", "negative"})
_MAX_WORDS = 14
_HUNDRED = 100

ENDING = re.compile(r"st|nd|rd|th")
"""What makes a number a rank, right behind its digits."""

_STYLE = r"\\(?:text\w{0,12}|mathrm|mbox|rm)(?![A-Za-z])\s?"
RAISED_ENDING = re.compile(
    rf"\s?(?:\^\s?)?(?:\{{\s?{_STYLE}\{{\s?(?P<a>st|nd|rd|th)\s?\}}\s?\}}"
    rf"|{_STYLE}\{{\s?(?P<b>st|nd|rd|th)\s?\}})|\s?\^\s?\{{\s?(?P<c>st|nd|rd|th)\s?\}}"
)
"""The same, raised or in a group of text."""

_GAP = r"(?:\s|~|\\[,;:! ]){0,3}"
CLOCK = (
    rf"(?<![\w.:])(?P<hour>\d{{1,2}})(?:\s?:\s?(?P<minute>[0-5]\d))?{_GAP}"
    rf"(?:{_STYLE}\{{{_GAP})?(?P<half>[apAP])(?:\.\s?)?[mM](?![A-Za-z])\.?(?:\s?\}})?"
    r"(?=\s*(?:$|[,;)\]}$]|and\b|or\b|to\b|\\text|\\[)\]}]))"
)
"""A time of day with its half; groups `hour`, `minute` and `half`."""

_TIME = re.compile(r"(\d{1,2})\s?:\s?([0-5]\d)")
_ABSENT = re.compile(r"(?:\\text\s?\{\s?)?(N\s?/\s?A|[Nn]\.\s?[Aa])\.?\s?\}?")
_HOURS, _HALF = 24, 12


def time_of_day(match: re.Match[str]) -> str | None:
    """A time in one spelling, "2:30 pm"; None for an hour that no clock shows."""
    hour = int(match["hour"])
    if hour > _HALF:
        return None
    minute = f":{match['minute']}" if match["minute"] else ""
    return f"{hour}{minute} {match['half'].lower()}m"


def time_or_ratio(text: str) -> tuple[Node, ...]:
    """Readings of "3:45"; none of another text.

    A ratio is given in lowest terms, and has no zeros in front: anything else is a clock's.

    >>> [type(node).__name__ for node in time_or_ratio("3:05")], time_or_ratio("25:10")
    (['Text', 'Call'], ())
    >>> [type(node).__name__ for node in time_or_ratio("3:16")]
    ['Call', 'Text']
    """
    match = _TIME.fullmatch(text)
    if match is None or int(match[1]) > _HOURS:
        return ()
    time = Text(f"{int(match[1])}:{match[2]}")
    ratio = call("ratio", whole(int(match[1])), whole(int(match[2])))
    zeros = match[2].startswith("0") or (match[1].startswith("0") and match[1] != "0")
    is_time = zeros or math.gcd(int(match[1]), int(match[2])) > 1
    return (time, ratio) if is_time else (ratio, time)


def said_absent(text: str) -> bool:
    """Whether a text says "not applicable" in letters that would be a quotient."""
    return _ABSENT.fullmatch(text) is not None


def worded_number(words: str) -> tuple[Node, ...]:
    """Readings of a number in words, the words first; of a fraction in words, the fraction alone.

    >>> worded_number("twenty-one")[1].value, worded_number("Two and a half")[0].value
    (Fraction(21, 1), Fraction(5, 2))
    >>> worded_number("no solution")
    ()
    """
    parts = words.casefold().replace("-", " ").split()
    if len(parts) > _MAX_WORDS:
        return ()
    sign = -1 if parts and parts[0] in _SIGNS else 1
    parts = parts[1:] if sign < 0 else parts
    cardinal = _cardinal(parts)
    if cardinal is not None:
        return Text(words), _number(Fraction(sign * cardinal))
    fraction = _fraction(parts)
    return () if fraction is None else (_number(sign * fraction),)


def _number(value: Fraction) -> Node:
    if value < 0:
        return call("neg", _number(-value))
    return Number(value)


def _cardinal(parts: list[str]) -> int | None:
    """Value of "one hundred and twenty one"; None for other words."""
    total = group = 0
    last = ""
    for part in parts:
        if part == "and" and last in SCALES:
            continue
        scale = SCALES.get(part)
        if scale is not None and last not in _CARDINALS and last not in SCALES and last:
            return None
        if scale == _HUNDRED or part == "dozen":
            group = (group or 1) * (scale or 1)
        elif scale is not None:
            total, group = total + (group or 1) * scale, 0
        elif part in _CARDINALS and (last not in _CARDINALS or _follows(last, part)):
            group += _CARDINALS[part]
        else:
            return None
        last = part
    return total + group if last else None


def _follows(last: str, part: str) -> bool:
    return last in _TENS and 0 < _CARDINALS[part] < 10  # noqa: PLR2004 - one digit


def _fraction(parts: list[str]) -> Fraction | None:
    """Value of "two thirds", "two and a half"; None for other words."""
    below = PARTS.get(singular(parts[-1])) if len(parts) > 1 else None
    if below is None:
        return None
    above = parts[:-1]
    if "and" in above:
        at = len(above) - 1 - above[::-1].index("and")
        entire = _cardinal(above[:at])
        rest = _fraction([*above[at + 1 :], parts[-1]])
        return None if entire is None or rest is None else entire + rest
    if above == ["a"]:
        return Fraction(1, below)
    count = _cardinal(above)
    # "twenty-fifth" is a rank.
    is_one = parts[-1] in PARTS
    return None if count is None or is_one != (count == 1) else Fraction(count, below)


def singular(word: str) -> str:
    """A word without the ending of many: "halves" is of "half".

    >>> singular("halves"), singular("thirds"), singular("glass")
    ('half', 'third', 'glass')
    """
    if word == "halves":
        return "half"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
