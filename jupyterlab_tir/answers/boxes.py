# ruff: noqa: RUF001 - words and signs that models write
r"""Finding `\boxed{…}` and `\fbox{…}` with matched braces, piece by piece and in linear time.

Reads characters only: which of several boxes is the answer is decided in `extract`.
"""

from __future__ import annotations

import re

from msgspec import Struct

# Up to four backslashes: replies come JSON-escaped once or twice. \x08 and \x0c are what is left
# of \b and \f where somebody unescaped too much.
# Without braces a box holds the number, the fraction of plain parts or, before the closing dollar,
# the letter that follows; a mention of the command ("in \boxed as asked") holds nothing.
_TOKEN = re.compile(
    r"(?:\\{1,4}(?:boxed|fbox|framebox)|\x08oxed|\x0cbox)(?![A-Za-z])(?:\s*\{"
    r"|[ \t]{0,3}(?P<bare>[+−-]?\d{1,100}(?:[.,/]\d{1,100}){0,30}(?!\w)|[A-Za-z](?=\s?\$)"
    r"|\\[dt]?frac\s?(?:\{[^{}\n]{1,50}\}|\d)\s?(?:\{[^{}\n]{1,50}\}|\d)))|\\.|[{}]",
    re.DOTALL,
)
_HIDDEN = re.compile(r"\\(?:[hv]space\*?|[hv]?phantom)\s*\{[^{}]*\}|\\q?quad(?![A-Za-z])")
_EMPTY = re.compile(r"\\(?:text|mathrm|mathbf|boxed|fbox|underline)\s*\{\s*\}")
_INVISIBLE = re.compile(r"\\[,;:! ]|[\s${}~]")
_PLACEHOLDER = re.compile(
    r"(?:(?:your|the|my|final|insert|numeric|numerical)[ _-]{1,2}){0,4}"
    r"(?:answer|result|value|solution)(?:[ _]here)?|(?:最终|你的)?答案|答え|정답|ответ|respuesta"
    r"|réponse|antwort|\.{2,}|\\(?:l|c|v)?dots[a-z]?|…+|\?+|_+|\\square|\\Box|\\cdot|\*+|#+|\\boxed",
    re.IGNORECASE,
)
_TEXT_WRAP = re.compile(r"\s*\\(?:text|mathrm|textbf|mathbf|textit)\s*\{([^{}]*)\}\s*")


class Box(Struct, frozen=True):
    """A complete box: offsets of its command, of its content, and after its closing brace."""

    start: int
    content_start: int
    content_end: int
    end: int


class BoxFinder:
    r"""Collects complete boxes from text fed in pieces that do not cut a command in two.

    >>> BoxFinder().feed(r"so \boxed{\frac{1}{2}}")
    [Box(start=3, content_start=10, content_end=21, end=22)]
    """

    def __init__(self, base: int = 0) -> None:
        self._offset = base
        self._open: list[tuple[int, int] | None] = []
        self._open_boxes = 0

    @property
    def is_inside(self) -> bool:
        """Whether a box is open that may still be completed."""
        return self._open_boxes > 0

    def feed(self, text: str) -> list[Box]:
        """Read a piece; return the boxes whose closing brace it holds, inner before outer."""
        boxes: list[Box] = []
        for token in _TOKEN.finditer(text):
            sign = token.group()
            if token["bare"]:
                start, end = self._offset + token.start("bare"), self._offset + token.end("bare")
                at = self._offset + token.start()
                boxes.append(Box(start=at, content_start=start, content_end=end, end=end))
            elif sign == "{":
                self._open.append(None)
            elif sign == "}":
                mark = self._open.pop() if self._open else None
                if mark is not None:
                    self._open_boxes -= 1
                    at = self._offset + token.start()
                    boxes.append(
                        Box(start=mark[0], content_start=mark[1], content_end=at, end=at + 1)
                    )
            elif sign.endswith("{") and len(sign) > 2:  # noqa: PLR2004 - longer than an escaped brace
                self._open_boxes += 1
                self._open.append((self._offset + token.start(), self._offset + token.end()))
        self._offset += len(text)
        return boxes


def says_something(content: str) -> bool:
    r"""Whether a box's content is an answer: not empty, and no placeholder such as "…" or "answer".

    >>> says_something("007"), says_something(r"\text{ }"), says_something("your answer")
    (True, False, False)
    """
    if len(content) > 100:  # noqa: PLR2004 - longer than any placeholder
        return True
    wrapped = _TEXT_WRAP.fullmatch(content)
    inner = (wrapped[1] if wrapped else content).replace("\\_", "_").strip(" $*\n\t[]()<>")
    shown = _EMPTY.sub("", _EMPTY.sub("", _HIDDEN.sub("", content)))
    return bool(_INVISIBLE.sub("", shown)) and _PLACEHOLDER.fullmatch(inner) is None
