"""What of a reply is said to its reader: its text without its code, up to where it invents results.

A model that goes on after its code without waiting makes up what the code prints; from there on
nothing counts, neither text nor code.
"""

from __future__ import annotations

import re

from .fences import Block, scan
from .languages import is_output, is_typeset, is_untyped
from .toolcalls import call_spans

_BEFORE_OUTPUT = re.compile(
    r"[\s*_]*|.*\b(?:outputs?|prints?|printed|results?|execut\w{1,6}|running|returns|console)\b.*"
    r"|.*(?:输出|结果).*",
    re.IGNORECASE | re.DOTALL,
)
_OUTPUT_TAG = re.compile(
    r"^[ \t]*<(?:outputs?|results?|stdout|execution|execution_results?|tool_response|tool_result|"
    r"tool_output|function_response|interpreter|observation)>",
    re.IGNORECASE | re.MULTILINE,
)
_MAX_BETWEEN_CHARS = 60


def read_reply(text: str, base: int = 0) -> tuple[list[Block], str]:
    r"""Blocks to be run, and the text with all code blanked out (line ends stay).

    Parameters
    ----------
    text
        The final segment of a reply.
    base
        Its offset in the reply, added to the blocks' offsets.

    >>> read_reply("```py\nprint(1)\n```\nso 1")[1].split()
    ['so', '1']
    """
    blocks, unfinished = scan(text)
    spans = call_spans(text, blocks)
    calls = spans[:1]
    cut = len(text)
    ran: list[Block] = []
    previous: Block | None = None
    for block in blocks:
        if not block.runs and _invents_output(text, previous, block.language, block.start):
            cut = block.start
            break
        if block.runs:
            ran.append(block)
        if block.runs or not _is_readable(block.language, block.code):
            spans.append((block.start, block.end))
        previous = block
    if unfinished is not None and cut == len(text):
        if _invents_output(text, previous, unfinished.language, unfinished.start, unnamed=False):
            cut = unfinished.start
        # A stray fence without a language opens nothing and hides nothing.
        elif unfinished.language and not is_typeset(unfinished.language):
            spans.append((unfinished.start, len(text)))
    visible = _blank(text, sorted(spans))[:cut]
    first_end = min([block.end for block in ran[:1]] + [end for _, end in calls], default=None)
    tag = None if first_end is None else _OUTPUT_TAG.search(visible, first_end)
    if tag is not None:
        cut = tag.start()
    said = [_moved(block, base) for block in ran if block.start < cut]
    return said, visible[:cut]


def _moved(block: Block, base: int) -> Block:
    return Block(
        code=block.code,
        language=block.language,
        start=base + block.start,
        end=base + block.end,
        runs=block.runs,
    )


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
        and len(between) < _MAX_BETWEEN_CHARS
        and bool(_BEFORE_OUTPUT.fullmatch(between))
    )


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        if end <= position:
            continue
        pieces += [
            text[position:start],
            re.sub(r"[^\n]", " ", text[max(start, position) : end]),
        ]
        position = end
    return "".join([*pieces, text[position:]])
