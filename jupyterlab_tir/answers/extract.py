# ruff: noqa: RUF001 - full-width and typographic signs are what models write
"""The answer that a reply concludes with, as written.

`extract_answer` reads a finished reply, `AnswerWatch` one that still streams. Both take the last
complete, non-empty box of the final segment, else an explicit final-answer line; never the
reasoning, code, what follows an invented output, or an unfinished tail. They find nothing rather
than guess.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

from msgspec import Struct

from .boxes import Box, BoxFinder, says_something
from .fences import Block, FenceScanner
from .lines import answer_lines, awaits_value
from .reasoning import final_segment, strip_reasoning
from .said import read_reply
from .toolcalls import tool_call_blocks

__all__ = [
    "Answer",
    "AnswerWatch",
    "answer_is_complete",
    "extract_answer",
    "extract_code",
    "strip_reasoning",
]

_AND_OR = r"and|or|et|ou|und|oder|y|o|e|и|или"
_AND_OR_CJK = "和|或者?|及|以及|と|그리고|또는"
_JOINT = re.compile(
    rf"(?:[\s$*]|\\[,;:! ()\[\]\\]|\\q?quad|\\(?:text|mathrm|textbf)\s?\{{\s?(?:{_AND_OR})\s?\}}"
    rf"|[,;，、；]|\b(?:{_AND_OR})\b(?![ \t]?=)|{_AND_OR_CJK}|&|\\lor|\\vee"
    r"|(?<=\s)(?:[-•+]|\d{1,2}[.)])(?=\s)"
    r"|(?:\\[A-Za-z]{1,8}|[A-Za-z])(?:_\{?\w{1,4}\}?)?'?\s?&?\s?=)*",
)
_JOINER = re.compile(
    rf"[,;，、；&]|\b(?:{_AND_OR})\b(?![ \t]?=)|{_AND_OR_CJK}|\\lor|\\vee"
    r"|\n\s*(?:[-•*+]|\d{1,2}[.)])\s"
)
# In one display nobody takes back what stands before the gap.
_IN_DISPLAY = r"(?:(?!\$|\\[()\[\]]).)*"
_GAP_IN_DISPLAY = re.compile(rf"{_IN_DISPLAY}(?:\\q?quad|\\\\){_IN_DISPLAY}", re.DOTALL)
_INLINE_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]{1,500}\1(?!`)")
_ANSWER_TAG = re.compile(r"<((?:final_?)?answer)>\s*([^<>\n]{1,200}?)\s*</\1>", re.IGNORECASE)
_MAX_JOINT_CHARS = 60
_MAX_BOX_CHARS = 10_000
_MAX_HEADING_CHARS = 2_000


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
    if dialect == "tools":
        return tool_call_blocks(text)
    start, end = final_segment(text)
    return read_reply(text[start:end], start)[0]


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
    visible = read_reply(text[start:end], start)[1]
    boxes = [box for box in BoxFinder().feed(visible) if _content(visible, box)]
    if boxes:
        return _from_boxes(visible, boxes, start)
    for tag in reversed(list(_ANSWER_TAG.finditer(visible))):
        if says_something(tag[2]) and not list(answer_lines(tag[2], hashes=False)):
            return Answer(
                raw=tag[2], start=start + tag.start(2), end=start + tag.end(2), found="line"
            )
    lines = answer_lines(visible, hashes=dialect == "fewshot", kind=kind)
    line = next(lines, None)
    if line is None:
        return None
    return Answer(raw=line.raw, start=start + line.start, end=start + line.end, found="line")


def _content(text: str, box: Box) -> str:
    content = text[box.content_start : box.content_end].strip()
    return content if says_something(content) else ""


def _from_boxes(text: str, boxes: list[Box], base: int) -> Answer:
    boxes = sorted(boxes, key=lambda box: box.start)
    # A box in `inline code` quotes the instruction, unless there is no other.
    boxes = _outside(boxes, [span.span() for span in _INLINE_CODE.finditer(text)]) or boxes
    joined = [boxes[-1]]
    for box in reversed(boxes[:-1]):
        joint = text[box.end : joined[-1].start]
        if not _joins(joint):
            break
        joined.append(box)
    joined.reverse()
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


def _joins(joint: str) -> bool:
    """Whether what stands between two boxes makes them one list."""
    if len(joint) > _MAX_JOINT_CHARS or not _JOINT.fullmatch(joint):
        return False
    return bool(_JOINER.search(joint) or _GAP_IN_DISPLAY.fullmatch(joint))


def _outside(boxes: list[Box], spans: list[tuple[int, int]]) -> list[Box]:
    """Boxes, in order, that begin in none of the spans, which are in order and apart."""
    starts = [low for low, _ in spans]
    return [
        box
        for box in boxes
        if (at := bisect_right(starts, box.start)) == 0 or spans[at - 1][1] <= box.start
    ]


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
        self._joined: int | None = None
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
        base = self._offset - len(self._boxed)
        complete = [
            box
            for box in self._boxes.feed(visible)
            if box.content_start < base
            or says_something(self._boxed[box.content_start - base : box.content_end - base])
        ]
        if complete:
            end = start + len(line.rstrip("\r\n"))
            tail = visible[max(box.end for box in complete) - start :]
            # "\\boxed{3}, and" at a line's end: the list goes on below.
            self._joined = end if _joins(tail) else None
            self._end = end if self._joined is None else None
            return
        if self._joined is not None and (code or visible.strip()):
            self._end = self._joined
            return
        if not self._boxes.is_inside:
            self._boxed = ""
        if visible.strip():
            # A heading alone ("**Final Answer**") takes what stands below it as its value.
            given = next(answer_lines(self._heading + visible, hashes=True), None)
            announced = self._heading + visible if self._heading else visible
            self._heading = announced if awaits_value(announced[:_MAX_HEADING_CHARS]) else ""
            if given is not None:
                self._end = start + len(line.rstrip("\r\n"))


def answer_is_complete(text: str) -> int | None:
    r"""Offset where a base model's completion may be cut since its answer stands, or None.

    >>> answer_is_complete("The answer is 15.\n\nProblem: 3")
    17
    """
    return AnswerWatch().feed(text)
