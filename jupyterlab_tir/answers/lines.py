# ruff: noqa: RUF001 - full-width and typographic signs are what models write
"""Explicit final-answer lines: "The answer is 12.", "**Answer: D**", "#### 42", in any language.

A line counts only if it names the answer and gives it at once. There is no last number in prose
and no default: what is not recognised is no answer. "The answer is 5!" is read as an exclamation,
"$5!$" as a factorial.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from .boxes import says_something
from .marks import DOUBT, FUNCTIONS, HASHES, HEADING, LEAD, MARK, NO_ANSWER

_MATH = (
    re.compile(r"\$\$([^$]{1,2000})\$\$"),
    re.compile(r"\$((?:\\\$|[^$\n]){1,2000})\$(?!\d)"),
    re.compile(r"\\\(((?:(?!\\\)).){1,2000})\\\)"),
    re.compile(r"\\\[((?:(?!\\\]).){1,2000})\\\]", re.DOTALL),
)
_MORE = re.compile(
    r"[ \t]*(?:,|;|、|and\b|or\b|,[ \t]*and\b|\\text)[ \t]*(?:and|or)?"
    r"[ \t]*(?:(?=\$|\\\()|[a-z][ \t]*=)"
)
_ENDS_LIST = re.compile(r"[ \t*_]*(?:[.,;:!。，]|$|\n|</)")
_BELOW = re.compile(r"\s*(?:[=*_-]{3,}[ \t]*\n\s*)?(?:[-•+][ \t]+)?")
_ARTICLE = re.compile(r"an? [^\W\d_]")
_DISPLAY = re.compile(r"\s*(?:\\\[|\$\$)")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_STOP = re.compile(
    r"[()\[\]{}]|[。！？；\n]|，(?!\d)|\*\*|[!?](?=[\s*\"'<]|$)|\.(?=[\s*\"'”)<]|$)|</[a-z]|<\|"
    r"|\s?(?:です|である|となる|になる|입니다|이다|이며)"
    r"|(?<!\d)\.(?=[A-Z])"
    r"|,(?=\s+(?!(?:and|or|[a-zA-Z]\s*=|[a-zA-Z]\s*(?:[,.]|and\b|or\b|$)|\d|[-+−$\\({\[]))|$)|;(?!\s*[-+−\d$\\({\[])"
    r"|\s(?:[—–]|--|\((?=[a-z]{2})|(?:because|since|as|which|where|so|after|by|when|if|that|but|with"
    r"|given|in total|i hope)\b)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<![\\A-Za-z])[^\W\d_]{2,}")
_COMMAND_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mbox|operatorname)\b|\\[A-Za-z]+")
_SEPARATOR = re.compile(r"[,;]|\b(?:and|or)\b")
_MAX_VALUE_CHARS = 500
_MAX_MARKS = 20
_MAX_TEXT_WORDS = 4


class LineAnswer(Struct, frozen=True):
    """The value on a final-answer line and its offsets in the text."""

    raw: str
    start: int
    end: int


def answer_lines(text: str, *, hashes: bool, kind: str | None = None) -> Iterator[LineAnswer]:
    """Explicit answers of a text, the last first.

    Parameters
    ----------
    text
        The final segment, with code blanked out (same length).
    hashes
        Whether "#### 42" is a final answer (few-shot prompts teach it; elsewhere it is a heading).
    kind
        The expected kind of answer; "text" admits longer phrases.
    """
    start_of = list(_line_starts(text))
    for index in range(len(start_of) - 1, -1, -1):
        start = start_of[index]
        end = start_of[index + 1] if index + 1 < len(start_of) else len(text)
        found = _on_line(text, start, end, hashes=hashes, kind=kind)
        if found is not None:
            yield found


def _line_starts(text: str) -> Iterator[int]:
    position = 0
    while position < len(text):
        yield position
        newline = text.find("\n", position)
        position = len(text) if newline < 0 else newline + 1


def _on_line(
    text: str, start: int, end: int, *, hashes: bool, kind: str | None
) -> LineAnswer | None:
    line = text[start:end].rstrip()
    if HEADING.fullmatch(line):
        return _below(text, end, kind)
    values: list[int] = []
    if hashes and (mark := HASHES.match(line)):
        values.append(mark.end())
    values += [
        m.end()
        for m in deque(MARK.finditer(line), maxlen=_MAX_MARKS)
        if not DOUBT.search(line[max(0, m.start() - 80) : m.start()])
    ]
    for value_at in reversed(values):
        rest = line[value_at : value_at + 4 * _MAX_VALUE_CHARS]
        if not rest.strip(" \t*_"):
            found = _below(text, end, kind)
        elif _DISPLAY.match(rest):
            rest = text[start + value_at : start + value_at + 4 * _MAX_VALUE_CHARS]
            found = _value(rest, start + value_at, kind=kind)
        else:
            found = _value(rest, start + value_at, kind=kind)
        if found is not None:
            return found
    return None


def _below(text: str, end: int, kind: str | None) -> LineAnswer | None:
    """The value on the next line that holds something, or in the display that begins there."""
    # Neither the underline of a heading nor the sign of a list is part of the value.
    gap = _BELOW.match(text, end)
    offset = end if gap is None else gap.end()
    last = offset + 4 * _MAX_VALUE_CHARS
    if not _DISPLAY.match(text, offset):
        newline = text.find("\n", offset, last)
        last = last if newline < 0 else newline
    return _value(text[offset:last], offset, kind=kind)


def awaits_value(text: str) -> bool:
    r"""Whether the last line of a text announces an answer that is still to come below it.

    >>> awaits_value("**Answer:**\n"), awaits_value("Answer:\n\\[\n12"), awaits_value("Answer: 12")
    (True, True, False)
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return False
    head = lines[0].rstrip()
    marks = list(MARK.finditer(head[-_MAX_VALUE_CHARS:]))
    rest = (
        ""
        if HEADING.fullmatch(head)
        else head[-_MAX_VALUE_CHARS:][marks[-1].end() :]
        if marks
        else None
    )
    if rest is None:
        return False
    below = "\n".join([rest.strip(" \t*_"), *lines[1:]]).strip()
    if not below:
        return True
    opening = _DISPLAY.match(below)
    return opening is not None and ("\\]" if "[" in opening.group() else "$$") not in below[2:]


def _value(rest: str, offset: int, *, kind: str | None) -> LineAnswer | None:
    lead = LEAD.match(rest)
    begin = lead.end() if lead else 0
    span = _math_at(rest, begin)
    if span is not None:
        end = _end_of_list(rest, span[2])
        if end == span[2]:
            return _trimmed(rest[span[0] : span[1]], offset + span[0])
        if end is not None:
            return _trimmed(rest[begin:end], offset + begin)
    elif _DISPLAY.match(rest, begin):
        return None
    stop = _sentence_end(rest, begin)
    if rest[stop : stop + 1] == "?":
        return None
    raw = rest[begin:stop]
    return _trimmed(raw, offset + begin) if _is_plausible(raw, kind) else None


def _math_at(rest: str, at: int) -> tuple[int, int, int] | None:
    """Start and end of what stands between the dollars that open here, and where they end."""
    for pattern in _MATH:
        math = pattern.match(rest, at)
        if math is None or (
            pattern is _MATH[1] and math[1][:1].isspace() != math[1][-1:].isspace()
        ):
            continue
        return math.start(1), math.end(1), math.end()
    return None


def _end_of_list(rest: str, first: int) -> int | None:
    """End of the formulas joined to a first one that ends there; None if names stand among them.

    What goes on after the last of them ("$12$, and $13$ is the next") does not belong to it.
    """
    end = first
    while (more := _MORE.match(rest, end)) is not None:
        if more.group().rstrip().endswith("="):
            return None
        span = _math_at(rest, more.end())
        if span is None:
            return None if end > first else first
        end = span[2]
    return end if _ENDS_LIST.match(rest, end) else first


def _sentence_end(rest: str, begin: int) -> int:
    depth = 0
    for token in _STOP.finditer(rest, begin, begin + _MAX_VALUE_CHARS):
        step = _BRACKETS.get(token.group(), 0)
        depth = max(0, depth + step)
        if step == 0 and (depth == 0 or token.group() == "\n"):
            return token.start()
    return min(len(rest), begin + _MAX_VALUE_CHARS)


def _is_plausible(raw: str, kind: str | None) -> bool:
    value = raw.strip(' \t*_`"”.,:$')
    if not value or MARK.match(value):
        return False
    words = [word.lower() for word in _WORDS.findall(_COMMAND_TEXT.sub(" ", value))]
    words = [word for word in words if word not in FUNCTIONS]
    if words and words[0] in NO_ANSWER and value.lower().startswith(words[0]):
        return False
    if kind == "text":
        return True
    if _ARTICLE.match(value) and any(sign.isdigit() for sign in value):
        # "a multiple of 12" says something about the answer.
        return False
    return len(words) <= _MAX_TEXT_WORDS and not (
        words
        and any(sign.isdigit() for sign in value)
        and value[:1].isalpha()
        and _starts_with_word(value)
    )


def _starts_with_word(value: str) -> bool:
    first = _WORDS.match(value)
    return first is not None and first.group().lower() not in FUNCTIONS


def _trimmed(raw: str, offset: int) -> LineAnswer | None:
    """The value without outer spaces, emphasis and punctuation; of a chain a = b = c, the last."""
    right = raw.rstrip(' \t\r\n*_`"”.,;:：，。')
    if right.endswith("\\") and not right.endswith("\\\\"):
        right = raw[: len(right) + 1].rstrip()
    value = right.lstrip(' \t\r\n*_`"“')
    start = offset + len(right) - len(value)
    parts = value.split("=")
    is_chain = len(parts) > 2 and all(map(str.strip, parts)) and not _SEPARATOR.search(value)  # noqa: PLR2004 - two signs
    if is_chain:
        start += len(value) - len(parts[-1].lstrip())
        value = parts[-1].strip()
    if not value or not says_something(value):
        return None
    return LineAnswer(raw=value, start=start, end=start + len(value))
