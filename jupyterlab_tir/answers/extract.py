# ruff: noqa: RUF001 - full-width and typographic signs are what models write
"""The answer that a reply concludes with, as written.

`extract_answer` reads a finished reply, `AnswerWatch` one that still streams. Both take the last
complete, non-empty box of the final segment, else an explicit final-answer line; never the
reasoning, code, what follows an invented output, or an unfinished tail. They find nothing rather
than guess.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from .boxes import Box, BoxFinder, says_something
from .fences import Block, FenceScanner, scan
from .languages import is_output, is_typeset, is_untyped
from .lines import answer_lines
from .reasoning import final_segment, strip_reasoning
from .toolcalls import tool_call_blocks

__all__ = [
    "Answer",
    "AnswerWatch",
    "answer_is_complete",
    "extract_answer",
    "extract_code",
    "strip_reasoning",
]

_JOINT = re.compile(
    r"(?:[\s$*]|\\[,;:! ()\[\]]|\\q?quad|\\text\s?\{\s?(?:and|or)\s?\}"
    r"|[,;，、]|\b(?:and|or)\b|&|[A-Za-z]\s?=|和)*",
)
_JOINER = re.compile(r"[,;，、&和]|\b(?:and|or)\b")
_LABEL = re.compile(
    r"[\s*_]*(?:output|result|execution result|the output is)?[\s*_:]*", re.IGNORECASE
)
_INLINE_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]{1,500}`(?!`)")
_ANSWER_TAG = re.compile(r"<answer>\s*([^<>\n]{1,200}?)\s*</answer>", re.IGNORECASE)
_MAX_JOINT_CHARS = 60
_MAX_BOX_CHARS = 10_000


class Answer(Struct, frozen=True):
    """An answer as written (no outer spaces), its offsets in the reply, and how it was found.

    For a list of boxes, `raw` joins them with ", " and the offsets span them all.
    """

    raw: str
    start: int
    end: int
    found: Literal["box", "line"]


def extract_code(text: str, *, dialect: str = "fenced") -> list[Block]:
    r"""Python blocks of a reply that are to be run, in order.

    Parameters
    ----------
    text
        The whole reply. Offsets of the blocks refer to it.
    dialect
        "fenced", "fewshot" and "reasoning" read fences; "tools" reads calls that a server sent
        as text. Blocks inside the reasoning are thoughts in every dialect.

    >>> [block.code for block in extract_code("```py\nprint(1)\n```")]
    ['print(1)']
    """
    start, end = final_segment(text)
    if dialect == "tools":
        return tool_call_blocks(text[start:end], start)
    blocks, _ = scan(text[start:end], start)
    return [block for block in blocks if block.runs]


def extract_answer(text: str, *, dialect: str = "fenced", kind: str | None = None) -> Answer | None:
    r"""The answer that a finished reply concludes with, or None.

    Parameters
    ----------
    text
        The whole reply.
    dialect
        "fewshot" admits "#### 42" too.
    kind
        The expected kind, if any: "integer", "expression", "choice" or "text". Only "text" matters
        here (a line may then hold a phrase); what does not fit its kind is decided by the ballot.

    >>> extract_answer(r"Hence $\boxed{\frac{1}{2}}$.").raw
    '\\frac{1}{2}'
    """
    start, end = final_segment(text)
    visible = _without_code(text[start:end])
    boxes = [box for box in BoxFinder().feed(visible) if _content(visible, box)]
    if boxes:
        return _from_boxes(visible, boxes, start)
    for tag in reversed(list(_ANSWER_TAG.finditer(visible))):
        if says_something(tag[1]) and not list(answer_lines(tag[1], hashes=False)):
            return Answer(
                raw=tag[1], start=start + tag.start(1), end=start + tag.end(1), found="line"
            )
    line = next(answer_lines(visible, hashes=dialect == "fewshot", kind=kind), None)
    if line is None or not says_something(line.raw):
        return None
    return Answer(raw=line.raw, start=start + line.start, end=start + line.end, found="line")


def _content(text: str, box: Box) -> str:
    content = text[box.content_start : box.content_end].strip()
    return content if says_something(content) else ""


def _from_boxes(text: str, boxes: list[Box], base: int) -> Answer:
    boxes = sorted(boxes, key=lambda box: box.start)
    quoted = [span.span() for span in _INLINE_CODE.finditer(text)]
    if quoted:
        # A box in `inline code` quotes the instruction, unless there is no other.
        plain = [box for box in boxes if not _is_inside(box.start, quoted)]
        boxes = plain or boxes
    joined = [boxes[-1]]
    for box in reversed(boxes[:-1]):
        joint = text[box.end : joined[0].start]
        if (
            len(joint) > _MAX_JOINT_CHARS
            or not _JOINT.fullmatch(joint)
            or not _JOINER.search(joint)
        ):
            break
        joined.insert(0, box)
    raws = [_content(text, box) for box in joined]
    if len(set(raws)) == 1:
        joined, raws = joined[-1:], raws[-1:]
    first, last = joined[0], joined[-1]
    lead = text[first.content_start : first.content_end]
    tail = text[last.content_start : last.content_end]
    return Answer(
        raw=", ".join(raws),
        start=base + first.content_start + len(lead) - len(lead.lstrip()),
        end=base + last.content_end - (len(tail) - len(tail.rstrip())),
        found="box",
    )


def _is_inside(offset: int, spans: list[tuple[int, int]]) -> bool:
    return any(low <= offset < high for low, high in spans)


def _without_code(text: str) -> str:
    """The text with its code blanked out, cut where the model began to invent results."""
    blocks, unfinished = scan(text)
    spans: list[tuple[int, int]] = []
    previous: Block | None = None
    for block in blocks:
        if _invents_output(text, previous, block.language, block.start) and not block.runs:
            return _blank(text[: block.start], spans)
        if block.runs or not _is_readable(block.language, block.code):
            spans.append((block.start, block.end))
        previous = block
    if unfinished is not None:
        if _invents_output(text, previous, unfinished.language, unfinished.start, unnamed=False):
            return _blank(text[: unfinished.start], spans)
        # A stray fence without a language opens nothing and hides nothing.
        if unfinished.language and not is_typeset(unfinished.language):
            spans.append((unfinished.start, len(text)))
    return _blank(text, spans)


def _is_readable(language: str, code: str) -> bool:
    return is_typeset(language) or (is_untyped(language) and "\\" in code)


def _invents_output(
    text: str,
    previous: Block | None,
    language: str,
    start: int,
    *,
    unnamed: bool = True,
) -> bool:
    """Whether a block shows a result that nothing computed: named so, or right behind the code."""
    if previous is None or not previous.runs:
        return False
    if is_output(language):
        return True
    between = text[previous.end : start]
    return (
        unnamed
        and is_untyped(language)
        and len(between) < _MAX_JOINT_CHARS
        and bool(_LABEL.fullmatch(between))
    )


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start:end])]
        position = end
    return "".join([*pieces, text[position:]])


class AnswerWatch:
    r"""Tells while a completion streams where it may be cut: after the line that gives the answer.

    A base model goes on to invent the next problem. The completion is done at the end of the line
    that completes a non-empty box, or that gives an explicit final answer, outside code. Linear
    in the length of the text.

    >>> watch = AnswerWatch()
    >>> watch.feed("So 7.\nThe answer is "), watch.feed("7.\nProblem: 2+"), watch.feed("2")
    (None, 22, 22)
    """

    def __init__(self) -> None:
        self._scanner = FenceScanner()
        self._boxes = BoxFinder()
        self._pending: list[str] = []
        self._boxed: str = ""
        self._heading = ""
        self._offset = 0
        self._end: int | None = None

    def feed(self, text: str) -> int | None:
        """Read the next piece; return the offset just after the answer's line, or None so far."""
        position = 0
        while self._end is None and position < len(text):
            newline = text.find("\n", position)
            end = len(text) if newline < 0 else newline + 1
            self._pending.append(text[position:end])
            position = end
            if newline >= 0:
                self._read("".join(self._pending))
                self._pending = []
        return self._end

    def _read(self, line: str) -> None:
        was_open = self._scanner.open_block is not None
        events = self._scanner.feed(line)
        start, self._offset = self._offset, self._offset + len(line)
        code = was_open or bool(events)
        visible = re.sub(r"[^\n]", " ", line) if code else line
        self._boxed = (self._boxed + visible)[-_MAX_BOX_CHARS:]
        complete = self._boxes.feed(visible)
        base = self._offset - len(self._boxed)
        if any(
            box.content_start < base
            or says_something(self._boxed[box.content_start - base : box.content_end - base])
            for box in complete
        ):
            self._end = start + len(line.rstrip("\r\n"))
            return
        if not self._boxes.is_inside:
            self._boxed = ""
        if visible.strip():
            # A heading alone ("**Final Answer**") takes the next line of text as its value.
            given = next(answer_lines(self._heading + visible, hashes=True), None)
            self._heading = visible
            if given is not None:
                self._end = start + len(line.rstrip("\r\n"))


def answer_is_complete(text: str) -> int | None:
    r"""Offset where a base model's completion may be cut since its answer stands, or None.

    >>> answer_is_complete("The answer is 15.\n\nProblem: 3")
    17
    """
    return AnswerWatch().feed(text)
