"""Code in tool calls that a server sent as text because it did not parse them.

Reads `<tool_call>` elements only; a call shown in a code block is an illustration.
"""

from __future__ import annotations

import re

import msgspec

from .fences import Block, scan

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_MAX_CALL_CHARS = 200_000


def tool_call_blocks(text: str, base: int = 0) -> list[Block]:
    """Code of each complete call of a Python tool, in order; a call that is no JSON is left out."""
    quoted, unfinished = scan(text)
    spans = [(block.start, block.end) for block in quoted]
    if unfinished is not None and unfinished.language:
        spans.append((unfinished.start, len(text)))
    blocks: list[Block] = []
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        close = text.find(_CLOSE, start)
        if close < 0:
            break
        position = close + len(_CLOSE)
        if any(low <= start < high for low, high in spans):
            continue
        code = _code(text[start + len(_OPEN) : close].strip())
        if code is not None:
            blocks.append(
                Block(
                    code=code, language="python", start=base + start, end=base + position, runs=True
                ),
            )
    return blocks


def _code(call: str) -> str | None:
    arguments = _decode(call).get("arguments")
    if isinstance(arguments, str):
        arguments = _decode(arguments)
    code = arguments.get("code") if isinstance(arguments, dict) else None
    if not isinstance(code, str):
        return None
    fenced, _ = scan(code)
    running = [block.code for block in fenced if block.language in {"python", ""}]
    return re.sub(r"\r\n?", "\n", running[0] if running else code).strip("\n")


def _decode(text: str) -> dict[str, object]:
    if len(text) > _MAX_CALL_CHARS:
        return {}
    try:
        decoded = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}
