"""The code of a block as it would stand in a file of its own.

Lines in, lines out; which lines a block has is found in `fences`.
"""

from __future__ import annotations

import re

QUOTATION = re.compile(r"[ \t]*>[ \t]?")
"""What begins each line of a Markdown quotation."""

_PROMPT = re.compile(r"[ \t]*>>>(?: |$)")
_PROMPTED = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)")
_FENCE_ONLY = re.compile(r"\s*(?:`{3,}|~{3,})\s*")


def dedented(lines: list[str], indent: int) -> str:
    r"""Code without the indentation of its fence, nor that of its first line; line ends \n.

    >>> dedented(["  if x:\r\n", "    y\r\n"], 2)
    'if x:\n  y'
    """
    text = "".join(lines).replace("\r\n", "\n").replace("\r", "\n")
    rows = [_outdented(row, indent) for row in text.split("\n")]
    first = next((row for row in rows if row.strip()), "")
    margin = len(first) - len(first.lstrip(" \t"))
    return "\n".join(_outdented(row, margin) for row in rows).strip("\n").rstrip()


def _outdented(row: str, width: int) -> str:
    spaces = len(row) - len(row.lstrip(" \t"))
    return row[min(width, spaces) :]


def without_prompts(code: str) -> str:
    r"""What a session ran, if the code is one: it begins with ">>>"; what it printed is dropped.

    >>> without_prompts(">>> x = 5\n>>> x\n5"), without_prompts("s = '''\n>>> x'''")
    ('x = 5\nx', "s = '''\n>>> x'''")
    """
    if not _PROMPT.match(code):
        return code
    rows = [row for row in code.split("\n") if _PROMPTED.match(row)]
    return "\n".join(_PROMPTED.sub("", row, count=1) for row in rows).strip("\n").rstrip()


def without_quotation(lines: list[str]) -> list[str]:
    """Lines of a block in a Markdown quotation, without its signs."""
    return [QUOTATION.sub("", line, count=1) for line in lines]


def without_stray_fence(lines: list[str]) -> list[str]:
    """Lines of a tagged block without a fence at their end that was closed but never opened."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or _FENCE_ONLY.fullmatch(lines[end - 1])):
        end -= 1
    return lines[:end]
