r"""Telling formulas from dollars: in "a shirt costs $5 and trousers $20" nothing is mathematics.

Linear in the text, whoever wrote that; what is in backticks is code.
`labextension/src/view/formulas.ts` finds the same; `tests/data/readable_tex.json` holds both to one
table. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .readable_tex import readable_tex

MOST_TEXT_CHARS = 100_000
MOST_FORMULAS = 400
MOST_FORMULA_CHARS = 2_000
"""What lies further on in a text, or what is longer, is not looked at."""

_MARKS = re.compile(r"\\boxed(?![A-Za-z])|\\[\s\S]|\$\$?|`+|\n[ \t]*\r?\n")
_IN_BOX = re.compile(r"\\[\s\S]|[{}]|\n\s*\n")
# As in "$5 for each of them, or $20".
_MONEY = re.compile(r"[0-9][0-9.,]*\s+[A-Za-z]{2,}\s+[A-Za-z]{2,}")
_FENCE = 3
_CLOSED_BY = {r"\)": r"\(", r"\]": r"\["}
_COMMAND = re.compile(r"\\[A-Za-z]")
_NO_PROSE = re.compile(r"\\(?:text|mathrm|operatorname)[a-z]*\s*\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{3,}|[A-Za-z0-9]{2,}_|_[A-Za-z]{2,}")


class Formula(NamedTuple):
    """Where a formula stands with its delimiters, and what stands between them."""

    start: int
    end: int
    tex: str


class Piece(NamedTuple):
    """A part of a text, as it was written and as it is read."""

    written: str
    shown: str


def readable_text(text: str) -> list[Piece]:
    r"""A text in pieces, of which the formulas are readable.

    >>> [piece.shown for piece in readable_text(r"For $5, what is $\frac{1}{2}$?")]
    ['For $5, what is ', '1/2', '?']
    """
    pieces: list[Piece] = []
    end = 0
    for formula in formulas_in(text):
        between = text[end : formula.start]
        if between:
            pieces.append(Piece(between, between))
        pieces.append(Piece(text[formula.start : formula.end], readable_tex(formula.tex.strip())))
        end = formula.end
    if text[end:]:
        pieces.append(Piece(text[end:], text[end:]))
    return pieces


def readable_answer(answer: str) -> str:
    r"""An answer, which is bare TeX as a rule, as a person reads it.

    >>> readable_answer(r"\frac{\sqrt{3}}{2}"), readable_answer("2^10")
    ('√3/2', '2¹⁰')
    >>> readable_answer("max_value")
    'max_value'
    """
    if formulas_in(answer):
        return "".join(piece.shown for piece in readable_text(answer))
    if _COMMAND.search(answer) or not is_prose(answer):
        return readable_tex(answer)
    return answer


def is_prose(answer: str) -> bool:
    """Whether an answer is words rather than mathematics."""
    return _PROSE.search(_NO_PROSE.sub(" ", answer)) is not None


def formulas_in(text: str) -> Sequence[Formula]:
    """The formulas of a text, in order."""
    return _Finder(text[:MOST_TEXT_CHARS]).find()


class _Finder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._found: list[Formula] = []
        self._opening = ""
        self._start = 0
        self._boxes = 0

    def find(self) -> Sequence[Formula]:
        marks = list(_MARKS.finditer(self._text))
        code = _code_spans(marks)
        after = 0
        for number, found in enumerate(marks):
            mark, at = found[0], found.start()
            if at < after or len(self._found) == MOST_FORMULAS:
                continue
            if mark[0] == "`":
                after = after if self._opening else code.get(number, after)
            elif mark == "\\boxed":
                after = self._take_box(at) or after
            else:
                self._take_mark(mark, at)
        return self._found

    def _take_mark(self, mark: str, at: int) -> None:
        if mark in {r"\(", r"\["}:
            self._open(mark, at)
        elif mark in _CLOSED_BY:
            if self._opening == _CLOSED_BY[mark]:
                self._close(at, 2)
        elif mark[0] == "$":
            self._take_dollars(mark, at)
        elif mark[0] != "\\" and self._opening == "$":
            # An empty line ends what stands in single dollar signs.
            self._opening = ""

    def _take_dollars(self, mark: str, at: int) -> None:
        if self._opening.startswith("\\"):
            return
        if mark == "$$" and self._opening != "$":
            if self._opening == "$$":
                self._close(at, 2)
            else:
                self._open("$$", at)
        elif self._opening == "$" and self._closes_at(at):
            self._close(at, 1)
            if mark == "$$":
                self._open_dollar(at + 1)
        else:
            self._open_dollar(at + len(mark) - 1)

    def _closes_at(self, at: int) -> bool:
        """As in Pandoc: before the last dollar sign stands no space, and no digit follows."""
        formula = self._text[self._start + 1 : at]
        following = self._text[at + 1 : at + 2]
        return (
            not self._text[at - 1].isspace()
            and not (following.isascii() and following.isdigit())
            and len(formula) <= MOST_FORMULA_CHARS
            and _MONEY.match(formula) is None
        )

    def _open_dollar(self, at: int) -> None:
        following = self._text[at + 1 : at + 2]
        opens = following not in {"", "$"} and not following.isspace()
        self._open("$" if opens else "", at)

    def _open(self, mark: str, at: int) -> None:
        self._opening, self._start = mark, at

    def _close(self, at: int, length: int) -> None:
        start = self._start + len(self._opening)
        self._opening = ""
        if at - start <= MOST_FORMULA_CHARS and self._text[start:at].strip():
            self._found.append(Formula(self._start, at + length, self._text[start:at]))

    def _take_box(self, at: int) -> int | None:
        """A box stands without delimiters as well: where it ends, if it is one."""
        self._boxes += 1
        if self._opening or self._boxes > MOST_FORMULAS:
            return None
        text = self._text[at : at + MOST_FORMULA_CHARS]
        levels = 0
        for found in _IN_BOX.finditer(text):
            mark = found[0]
            levels += (mark == "{") - (mark == "}")
            if mark[0] == "\n":
                return None
            if mark == "}" and levels <= 0:
                if levels or not re.match(r"\\boxed\s*\{", text):
                    return None
                end = at + found.end()
                self._found.append(Formula(at, end, self._text[at:end]))
                return end
        return None


def _code_spans(marks: Sequence[re.Match[str]]) -> dict[int, int]:
    """Where the code ends, for each run of backticks that opens some, by its place in the marks."""
    ends: dict[int, int] = {}
    following: dict[str, int] = {}
    for number in reversed(range(len(marks))):
        mark = marks[number][0]
        if mark[0] == "`":
            if mark in following:
                ends[number] = following[mark]
            elif len(mark) >= _FENCE:
                ends[number] = MOST_TEXT_CHARS
            following[mark] = marks[number].end()
        elif mark[0] == "\n":
            # Code within a line ends before an empty one.
            following.pop("`", None)
            following.pop("``", None)
    return ends
