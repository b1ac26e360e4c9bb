# ruff: noqa: RUF001 - signs that models write
"""Telling what a model thought from what it said, in text where the server did not.

Pure functions over text; the server's own reasoning field never comes here.
"""

from __future__ import annotations

import re

from .fences import FenceScanner

_TAGS = re.compile(
    r"<(?:think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection|inner_monologue"
    r"|seed:think|\|thinking\||\|begin_of_thought\||\|START_THINKING\|)>|<\|channel>thought\b"
    r"|\[THINK\]|◁think▷"
    r"|(?P<close></(?:think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection"
    r"|inner_monologue|seed:think)>"
    r"|<\|/thinking\|>|<\|end_of_thought\|>|<\|END_THINKING\|>|<channel\|>|\[/THINK\]|◁/think▷)",
    re.IGNORECASE,
)
# Harmony whose markup was lost on the way: "analysisWe try 3.assistantfinalThe answer is 4."
_BARE_HARMONY = re.compile(r"\s*analysis(?![\sa-z,.:;'’-])")
_BARE_FINAL = "assistantfinal"
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
    if _BARE_HARMONY.match(text):
        final = text.rfind(_BARE_FINAL)
        return (final + len(_BARE_FINAL) if final >= 0 else len(text)), len(text)
    start, end = 0, len(text)
    code, read = FenceScanner(), 0
    for tag in _TAGS.finditer(text):
        if text[tag.start() - 1 : tag.start()] == "`" == text[tag.end() : tag.end() + 1]:
            # A tag in `backticks` is only named.
            continue
        if end == len(text):
            code.feed(text[read : tag.start()])
            read = tag.start()
            # A tag in a program is the program's. One that closes may also end thoughts whose
            # beginning the chat template wrote, with a block left open in them.
            own = code.is_in_string and not _is_alone(text, tag)
            if own if tag["close"] else code.open_block is not None:
                continue
        if tag["close"]:
            start, end = tag.end(), len(text)
            code, read = FenceScanner(), tag.end()
        elif end == len(text):
            end = tag.start()
    return start, max(start, end)


def _is_alone(text: str, tag: re.Match[str]) -> bool:
    """Whether nothing else stands on the tag's line."""
    before = text[max(0, tag.start() - 1) : tag.start()]
    return before in {"", "\n"} and text[tag.end() : tag.end() + 1] in {"", "\n", "\r"}


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
