"""Telling what a model thought from what it said, in text where the server did not.

Pure functions over text; the server's own reasoning field never comes here.
"""

from __future__ import annotations

import re

_TAGS = re.compile(
    r"<(?P<close>/?)(?:think|thinking|thought|thoughts|reasoning|seed:think)>"
    r"|\[(?P<close2>/?)THINK\]|◁(?P<close3>/?)think▷"
    r"|<\|(?P<thought>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_HARMONY_HEADER = re.compile(
    r"<\|channel\|>([^<>|]{0,80})(?:<\|[a-z]{1,12}\|>[^<>|]{0,80})??<\|message\|>"
)
_HARMONY_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")


def final_segment(text: str) -> tuple[int, int]:
    """Start and end of what the model said to its reader; an empty range if it only thought.

    With Harmony markup it is the last message on the final channel. With `<think>` and its like
    it is what follows the last closing tag (the opening one may be the chat template's), up to
    thoughts that never ended.

    >>> final_segment("<think>6*5</think>31")
    (18, 20)
    """
    if "<|channel|>" in text:
        return _harmony_final(text)
    start, end = 0, len(text)
    for tag in _TAGS.finditer(text):
        closes = "/" in tag.group() or tag["thought"] == "end"
        if closes:
            start, end = tag.end(), len(text)
        elif end == len(text):
            end = tag.start()
    return start, max(start, end)


def _harmony_final(text: str) -> tuple[int, int]:
    final = (len(text), len(text))
    for header in _HARMONY_HEADER.finditer(text):
        if header[1].split()[:1] == ["final"]:
            ending = _HARMONY_END.search(text, header.end())
            final = (header.end(), ending.start() if ending else len(text))
    return final


def strip_reasoning(text: str) -> tuple[str, str]:
    """Split a reply into what was thought and what was said.

    Returns
    -------
    tuple
        The reasoning with its markup, and the rest: the final segment, as it stands.

    >>> strip_reasoning("<think>6*5</think>31")
    ('<think>6*5</think>', '31')
    """
    start, end = final_segment(text)
    return text[:start] + text[end:], text[start:end]
