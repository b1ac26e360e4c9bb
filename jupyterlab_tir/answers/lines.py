# ruff: noqa: RUF001 - full-width and typographic signs are what models write
"""Explicit final-answer lines: "The answer is 12.", "**Answer: D**", "#### 42", in any language.

A line counts only if it names the answer and gives it at once. There is no last number in prose
and no default: what is not recognised is no answer. "The answer is 5!" is read as an exclamation,
"$5!$" as a factorial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_MARK = re.compile(
    r"\b(?:answer|(?:final|end) (?:result|value|solution))\b(?:\s?\([^()\n]{0,40}\))?"
    r"(?: (?:to|for|of|in) [^.:=\n]{1,60}?)?[*_]{0,3}[ \t]{0,3}"
    r"(?:[:：=]|(?:is|was|equals|(?:should|must|will) (?:then )?be|comes (?:out )?to)\b"
    r"[ \t]{0,3}:?)"
    r"|(?:答案|答)(?:应该|应当|应)?(?:[是为]|[:：])[:：]?"
    r"|\b(?:la respuesta(?: final)? es|la réponse(?: finale)? est|die (?:end)?antwort ist"
    r"|die (?:end)?antwort lautet"
    r"|la risposta(?: finale)? è|a resposta(?: final)? é"
    r"|ответ[ \t]{0,3}(?:[:：=—-]|равен))[ \t]{0,3}:?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+)?(?:[*_]{1,3})?(?:the )?(?:final )?answer(?:[*_]{1,3})?[ \t]*[:：]?"
    r"(?:[*_]{1,3})?[ \t]*",
    re.IGNORECASE,
)
_HASHES = re.compile(r"####[ \t]{0,3}")
_DOUBT = re.compile(
    r"\b(?:if|suppose|supposing|assuming|assume|unless|whether|had|say|guess|claims?|says)\b"
    r"[^.;!?]{0,60}$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:[\s*_:：`\"“]|(?:therefore|thus|then|hence|indeed|simply|just|now|also|actually|exactly|"
    r"approximately|about|equal to|given by|clearly|option|choice|选项|the number|"
    r"the)\b,?(?=[\s$*(\\]))*",
    re.IGNORECASE,
)
_MATH = (
    re.compile(r"\$\$([^$\n]{1,2000})\$\$"),
    re.compile(r"\$((?:\\\$|[^$\n]){1,2000})\$(?!\d)"),
    re.compile(r"\\\(((?:(?!\\\)).){1,2000})\\\)"),
    re.compile(r"\\\[((?:(?!\\\]).){1,2000})\\\]"),
)
_MORE = re.compile(
    r"[ \t]*(?:,|;|、|and\b|or\b|,[ \t]*and\b|\\text)[ \t]*(?:and|or)?"
    r"[ \t]*(?:\$|\\\(|[a-z][ \t]*=)"
)
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_STOP = re.compile(
    r"[()\[\]{}]|[。！？；\n]|，(?!\d)|\*\*|[!?](?=[\s*\"']|$)|\.(?=[\s*\"'”)]|$)|(?<!\d)\.(?=[A-Z])"
    r"|,(?=\s+(?!(?:and|or|[a-zA-Z]\s*=|[a-zA-Z]\s*[,.]|\d|[-+−$\\({\[]))|$)|;(?!\s*[-+−\d$\\({\[])"
    r"|\s(?:[—–]|--|\((?=[a-z]{2})|(?:because|since|as|which|where|so|after|by|when|if|that|but|with"
    r"|given|in total|i hope)\b)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<![\\A-Za-z])[^\W\d_]{2,}")
_COMMAND_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mbox|operatorname)\b|\\[A-Za-z]+")
_NO_ANSWER = frozenset(
    [
        "not",
        "wrong",
        "incorrect",
        "correct",
        "right",
        "found",
        "obtained",
        "given",
        "computed",
        "calculated",
        "determined",
        "derived",
        "below",
        "above",
        "in",
        "that",
        "as",
        "what",
        "how",
        "still",
        "hard",
        "easy",
        "unclear",
        "unknown",
        "clear",
        "obvious",
        "based",
        "of",
        "on",
        "at",
        "here",
        "there",
        "this",
        "it",
        "we",
        "see",
        "going",
        "always",
        "also",
        "only",
        "never",
        "likely",
        "probably",
        "either",
        "a",
        "an",
        "follows",
    ],
)
_FUNCTIONS = frozenset(
    [
        "sqrt",
        "sin",
        "cos",
        "tan",
        "log",
        "ln",
        "exp",
        "pi",
        "infinity",
        "oo",
        "frac",
        "binom",
        "mod",
        "gcd",
        "lcm",
        "and",
        "or",
    ]
)
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
    values: list[int] = []
    if hashes and (mark := _HASHES.match(line)):
        values.append(mark.end())
    if _HEADING.fullmatch(line):
        following = text[end : end + _MAX_VALUE_CHARS]
        below = following.lstrip()
        offset = end + len(following) - len(below)
        return _value(below.split("\n", 1)[0], offset, kind=kind)
    values += [
        m.end()
        for m in _MARK.finditer(line)
        if not _DOUBT.search(line[max(0, m.start() - 80) : m.start()])
    ]
    for value_at in reversed(values[-_MAX_MARKS:]):
        found = _value(
            line[value_at : value_at + 4 * _MAX_VALUE_CHARS], start + value_at, kind=kind
        )
        if found is not None:
            return found
    return None


def _value(rest: str, offset: int, *, kind: str | None) -> LineAnswer | None:
    lead = _LEAD.match(rest)
    begin = lead.end() if lead else 0
    for pattern in _MATH:
        math = pattern.match(rest, begin)
        if math is None or (
            pattern is _MATH[1] and math[1][:1].isspace() != math[1][-1:].isspace()
        ):
            continue
        if _MORE.match(rest, math.end()):
            break
        return _trimmed(math[1], offset + math.start(1))
    stop = _sentence_end(rest, begin)
    if rest[stop : stop + 1] == "?":
        return None
    raw = rest[begin:stop]
    return _trimmed(raw, offset + begin) if _is_plausible(raw, kind) else None


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
    if not value or _MARK.match(value):
        return False
    words = [word.lower() for word in _WORDS.findall(_COMMAND_TEXT.sub(" ", value))]
    words = [word for word in words if word not in _FUNCTIONS]
    if words and words[0] in _NO_ANSWER and value.lower().startswith(words[0]):
        return False
    if kind == "text":
        return True
    return len(words) <= _MAX_TEXT_WORDS and not (
        words
        and any(sign.isdigit() for sign in value)
        and value[:1].isalpha()
        and _starts_with_word(value)
    )


def _starts_with_word(value: str) -> bool:
    first = _WORDS.match(value)
    return first is not None and first.group().lower() not in _FUNCTIONS


def _trimmed(raw: str, offset: int) -> LineAnswer | None:
    """The value without outer spaces, emphasis and punctuation; of a chain a = b = c, the last."""
    right = raw.rstrip(' \t\r\n*_`"”.,;:：，。')
    if right.endswith("\\") and not right.endswith("\\\\"):
        right = raw[: len(right) + 1].rstrip()
    value = right.lstrip(' \t*_`"“')
    start = offset + len(right) - len(value)
    parts = value.split("=")
    is_chain = len(parts) > 2 and all(map(str.strip, parts)) and not _SEPARATOR.search(value)  # noqa: PLR2004 - two signs
    if is_chain:
        start += len(value) - len(parts[-1].lstrip())
        value = parts[-1].strip()
    if not value:
        return None
    return LineAnswer(raw=value, start=start, end=start + len(value))
