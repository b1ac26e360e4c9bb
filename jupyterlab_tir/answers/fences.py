"""Fenced code blocks in a model's text, found while it streams.

One scanner serves the live loop and `extract_code`, so that both see the same blocks. It reads
text and never runs, compiles or guesses code. Rules:

- Fences are three or more backticks or tildes at the start of a line, at any indentation; a
  Python fence may also end a line of prose ("Let me see: ```python"). Some families write
  `<code>` and `</code>` on lines of their own instead.
- A Python block ends at a line that begins with its fence, whatever is glued to it, or at a line
  of code that its fence ends, but not inside a string. Glued "```output" opens the next block.
- A block without a language is run only if it is clearly a program (`syntax.is_program`); blocks
  in any other language are never run. A block that is open at the end is never run.
- Fences between `<think>` and `</think>` are thoughts.
"""

from __future__ import annotations

import re

from msgspec import Struct

from .bodies import QUOTATION, dedented, without_prompts, without_quotation, without_stray_fence
from .languages import is_known, language_of
from .quotes import QuoteState
from .syntax import is_program

_FENCE_LINE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)", re.DOTALL)
_TICKS = re.compile(r"`{3,}")
_HEAD_CHARS = 256
_TAG = re.compile(
    r"[ \t]*<(code|python|py|execute|execute_python|execute_ipython)"
    r"(?: (?:lang|language|class)=[\"']?(?:language-)?python3?[\"']?)?>",
    re.IGNORECASE,
)
_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_MAX_RESCANS = 16


class Block(Struct, frozen=True):
    r"""A closed block: its code (dedented, line ends \n), its language, and where it stood.

    `start` is the offset of the opening fence in the whole text, `end` the one just after the
    closing fence; `runs` says whether the block is Python to be executed.
    """

    code: str
    language: str
    start: int
    end: int
    runs: bool


class Opened(Struct, frozen=True):
    """A block began: its language ("python", "output", "" …) and the offset of its fence."""

    language: str
    start: int


class Closed(Struct, frozen=True):
    """A block ended; the text may be cut at `block.end`."""

    block: Block


class _Open(Struct):
    """The block being read."""

    language: str
    fence: str
    indent: int
    start: int
    body: int
    lines: list[str]
    quotes: QuoteState
    depth: int = 0
    is_quotation: bool = False
    """Whether every line begins with the ">" of a Markdown quotation."""
    hidden: int = -1
    """Index of the first line that would be a closing fence if it were not inside a string."""


class FenceScanner:
    r"""Incremental scanner; the same events for any split of the text, linear in its length.

    Parameters
    ----------
    base
        Offset of the first character that will be fed, added to all offsets.

    Examples
    --------
    >>> scanner = FenceScanner()
    >>> scanner.feed("So:\n```py\nprint(1)\n``")
    [Opened(language='python', start=4)]
    >>> scanner.feed("`")[0].block.end
    22
    """

    def __init__(self, base: int = 0) -> None:
        self._line_start = base
        self._pieces: list[str] = []
        self._head = ""
        self._block: _Open | None = None
        self._thinking = False
        self._cut: int | None = None
        self._rescans = 0

    @property
    def open_block(self) -> Opened | None:
        """The block that is open now, if any; after `finish` it is one left unfinished."""
        if self._block is None:
            return None
        return Opened(language=self._block.language, start=self._block.start)

    @property
    def is_in_string(self) -> bool:
        """Whether what was read so far ends inside a string or a comment of a Python block."""
        if self._block is None or self._block.language != "python":
            return False
        quotes = QuoteState(self._block.quotes.quote)
        comment = quotes.advance("".join(self._pieces))
        return bool(quotes.quote) or comment is not None

    def feed(self, text: str) -> list[Opened | Closed]:
        """Read the next piece of the text, of any length; return what it opened and closed."""
        events: list[Opened | Closed] = []
        position = 0
        while position < len(text):
            newline = text.find("\n", position)
            end = len(text) if newline < 0 else newline + 1
            piece = text[position:end]
            position = end
            self._pieces.append(piece)
            if len(self._head) < _HEAD_CHARS:
                self._head += piece[: _HEAD_CHARS - len(self._head)]
                self._close_early(events)
            if newline >= 0:
                self._end_line(events)
        return events

    def finish(self) -> list[Opened | Closed]:
        """Read the end of the text: its last line counts though nothing ended it."""
        events: list[Opened | Closed] = []
        if self._pieces:
            self._end_line(events)
        block = self._block
        if block is None or block.hidden < 0 or not block.quotes.quote:
            return events
        if self._rescans >= _MAX_RESCANS or not _was_a_closing_fence(block):
            return events
        self._rescans += 1
        before, after = block.lines[: block.hidden], block.lines[block.hidden :]
        fence_at = block.body + sum(map(len, before))
        fence_line = after[0]
        indent = len(fence_line) - len(fence_line.lstrip(" \t"))
        block.lines = before
        self._close(fence_at + indent + len(block.fence), events)
        self._line_start = fence_at + len(fence_line)
        events += self.feed("".join(after[1:]))
        events += self.finish()
        return events

    def _close_early(self, events: list[Opened | Closed]) -> None:
        block = self._block
        if block is None or self._cut is not None or block.language != "python":
            return
        if block.quotes.quote:
            return
        at = _fence_at(block, self._head)
        if at is None:
            return
        self._cut = at + len(block.fence)
        self._close(self._line_start + self._cut, events)

    def _end_line(self, events: list[Opened | Closed]) -> None:
        line = "".join(self._pieces)
        start, cut = self._line_start, self._cut
        self._pieces, self._head, self._cut = [], "", None
        self._line_start = start + len(line)
        if cut is not None:
            self._reopen(line, cut, start, events)
        elif self._thinking:
            self._thinking = _THINK_CLOSE not in line
        elif self._block is None:
            self._outside(line, start, events)
        elif self._block.language == "python":
            self._inside_python(self._block, line, start, events)
        else:
            self._inside_other(self._block, line, start, events)

    def _outside(self, line: str, start: int, events: list[Opened | Closed]) -> None:
        tag = _TAG.match(line)
        if tag is not None and self._tagged(tag, line, start, events):
            return
        opened = line.rfind(_THINK_OPEN)
        if (
            opened >= 0
            and line.find(_THINK_CLOSE, opened) < 0
            and not line.startswith("`", opened + len(_THINK_OPEN))
        ):
            self._thinking = True
            return
        found = _opening(line)
        if found is not None:
            at, fence, language = found
            quotation = QUOTATION.fullmatch(line, 0, at)
            indent = at if not line[:at].strip() else 0
            self._open(language, fence, indent, start + at, start + len(line), events)
            if self._block is not None:
                self._block.is_quotation = quotation is not None

    def _tagged(
        self, tag: re.Match[str], line: str, start: int, events: list[Opened | Closed]
    ) -> bool:
        """Open the block of a tag at the line's start; False if the tag only sets off a word."""
        closing = f"</{tag[1]}>"
        rest = line[tag.end() :]
        close = rest.find(closing)
        if close >= 0 and (rest[close + len(closing) :].strip() or not is_program(rest[:close])):
            return False
        indent = len(line) - len(line.lstrip(" \t"))
        self._open("python", closing, indent, start + indent, start + tag.end(), events)
        if rest.strip() and self._block is not None:
            self._inside_python(self._block, rest, start + tag.end(), events)
        return True

    def _inside_python(
        self,
        block: _Open,
        line: str,
        start: int,
        events: list[Opened | Closed],
    ) -> None:
        if block.fence.startswith("<") and not any(map(str.strip, block.lines)):
            found = _opening(line)
            if found is not None:
                # <code> around a fence: the fence alone is the block.
                self._block = None
                at, fence, language = found
                self._open(language, fence, at, start + at, start + len(line), events)
                return
        stuck = _stuck_fence(block, line)
        if stuck is not None:
            block.lines.append(line[:stuck])
            self._close(start + stuck + len(block.fence), events)
            return
        if block.quotes.quote and block.hidden < 0 and _fence_at(block, line) is not None:
            block.hidden = len(block.lines)
        block.quotes.advance(line)
        block.lines.append(line)

    def _inside_other(
        self,
        block: _Open,
        line: str,
        start: int,
        events: list[Opened | Closed],
    ) -> None:
        at = _fence_at(block, line)
        if at is None:
            block.lines.append(line)
            return
        ran = len(line) - at - len(line[at:].lstrip(block.fence[0]))
        info = line[at + ran :]
        language = None if "`" in info else language_of(info)
        quotation = block.language in {"markdown", "md"}
        if language == "" and block.depth == 0:
            self._close(start + at + ran, events)
        elif language == "":
            block.depth -= 1
            block.lines.append(line)
        elif language is not None and quotation:
            block.depth += 1
            block.lines.append(line)
        elif language is not None and is_known(language):
            # The closing fence was forgotten; the next block must not drown in this one.
            self._close(start + at, events)
            self._open(language, line[at : at + ran], at, start + at, start + len(line), events)
        else:
            block.lines.append(line)

    def _reopen(self, line: str, cut: int, start: int, events: list[Opened | Closed]) -> None:
        fence = line[cut - 1]
        tail = line[cut:].lstrip("`~")
        language = language_of(tail)
        if fence in "`~" and language and is_known(language):
            at = len(line) - len(line.lstrip(" \t"))
            self._open(language, line[at:cut], at, start + at, start + len(line), events)

    def _open(
        self,
        language: str,
        fence: str,
        indent: int,
        start: int,
        body: int,
        events: list[Opened | Closed],
    ) -> None:
        self._block = _Open(
            language=language,
            fence=fence,
            indent=indent,
            start=start,
            body=body,
            lines=[],
            quotes=QuoteState(),
        )
        events.append(Opened(language=language, start=start))

    def _close(self, end: int, events: list[Opened | Closed]) -> None:
        block = self._block
        assert block is not None  # noqa: S101 - every caller holds the open block
        self._block = None
        lines = block.lines
        if block.is_quotation:
            lines = without_quotation(lines)
        if block.fence.startswith("<"):
            lines = without_stray_fence(lines)
        code = dedented(lines, block.indent)
        if block.language == "python":
            code = without_prompts(code)
        runs = block.language == "python" or (block.language == "" and is_program(code))
        events.append(
            Closed(
                Block(code=code, language=block.language, start=block.start, end=end, runs=runs)
            ),
        )


def _opening(line: str) -> tuple[int, str, str] | None:
    """Offset in the line, fence and language of the block that a line opens."""
    text = line.rstrip()
    match = _FENCE_LINE.match(text)
    if match is not None:
        fence, info = match.groups()
        language = None if "`" in info and fence[0] == "`" else language_of(info)
        return None if language is None else (match.start(1), fence, language)
    ticks = _TICKS.search(text)
    if ticks is None or _TICKS.search(text, ticks.end()) is not None:
        return None
    info = text[ticks.end() :]
    if language_of(info) != "python" or " " in info.strip():
        return None
    return ticks.start(), ticks.group(), "python"


def _fence_at(block: _Open, line: str) -> int | None:
    """Offset in the line of a fence that could end the block, or None."""
    at = len(line) - len(line.lstrip(" \t"))
    # In Python a backtick is never code outside strings; a tilde is, deeper in.
    if block.fence[0] == "~" and at > block.indent + 3:
        return None
    return at if line.startswith(block.fence, at) else None


def _stuck_fence(block: _Open, line: str) -> int | None:
    """Offset in the line of a closing fence behind the last code of the block, or None."""
    text = line.rstrip()
    if not text.endswith(block.fence):
        return None
    prefix = text[: -len(block.fence)]
    if not block.fence.startswith("<"):
        prefix = prefix.rstrip(block.fence[0])
    quotes = QuoteState(block.quotes.quote)
    comment = quotes.advance(prefix)
    if quotes.quote:
        return None
    paired = comment is not None and len(_TICKS.findall(prefix, comment)) % 2 == 1
    return None if paired or not prefix.strip() else len(prefix)


def _was_a_closing_fence(block: _Open) -> bool:
    """Whether a fence inside a string that never ended was meant to close the block.

    It was if nothing follows it, or if another block is opened after it. Otherwise the text may
    have been cut inside the string, and the block is unfinished.
    """
    later = block.lines[block.hidden + 1 :]
    if not any(map(str.strip, later)):
        return True
    return any((found := _opening(line)) is not None and found[2] != "" for line in later)


def scan(text: str, base: int = 0) -> tuple[list[Block], Opened | None]:
    """All closed blocks of a text, of every language, and the one left open at its end."""
    scanner = FenceScanner(base)
    events = scanner.feed(text) + scanner.finish()
    return [event.block for event in events if isinstance(event, Closed)], scanner.open_block
