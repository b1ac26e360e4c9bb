r"""Finding `\boxed{…}` and `\fbox{…}` with matched braces, piece by piece and in linear time.

Reads characters only: which of several boxes is the answer is decided in `extract`.
"""

from __future__ import annotations

import re

from msgspec import Struct

# Up to four backslashes: replies come JSON-escaped once or twice. \x08 and \x0c are what is left
# of \b and \f where somebody unescaped too much.
_TOKEN = re.compile(
    r"(?:\\{1,4}(?:boxed|fbox|framebox)|\x08oxed|\x0cbox)(?![A-Za-z])\s*\{|\\.|[{}]",
    re.DOTALL,
)
_INVISIBLE = re.compile(r"\\(?:text|mathrm|mathbf|boxed|fbox)\s*\{\s*\}|\\[,;:! ]|[\s${}~]")
_PLACEHOLDER = re.compile(
    r"(?:(?:your|the|my|final|insert)[ _-]{1,2}){0,3}(?:answer|result|value)(?: here)?"
    r"|\.{2,}|\\(?:l|c|v)?dots[a-z]?|…+|\?+|_+|\\square|\\Box|\\cdot|\*+|#+|\\boxed",
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
            if sign == "{":
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
    inner = (wrapped[1] if wrapped else content).strip(" $*\n\t")
    return bool(_INVISIBLE.sub("", content)) and _PLACEHOLDER.fullmatch(inner) is None
