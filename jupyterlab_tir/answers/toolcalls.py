"""Code in tool calls that a server sent as text because it did not parse them.

Reads the spellings of the common families: JSON or XML in `<tool_call>` and its like,
`[TOOL_CALLS]`, `<|python_tag|>`, Harmony messages to a Python tool, or a reply that is nothing but
the JSON of a call. A call shown in a code block or in inline code is an illustration.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from .fences import Block, scan
from .reasoning import final_segment
from .syntax import parse_quietly

_OPENING = re.compile(
    r"(?<!`)<(?P<tag>tool_calls?|function_calls?|functioncall)>|\[TOOL_CALLS\]|<\|python_tag\|>"
)
_HARMONY_CALL = re.compile(
    r"(?:<\|start\|>[^<>|]{0,80})?<\|channel\|>[^<>|]{0,80}"
    r"(?:<\|[a-z]{1,12}\|>[^<>|]{0,80})??<\|message\|>"
)
_HARMONY_CALL_END = re.compile(r"<\|(?:call|end|return|start|channel)\|>")
_RECIPIENT = re.compile(r"to=(?:functions\.)?([\w.-]+)")
_TAG_END = re.compile(r"<\|(?:eom_id|eot_id|end|im_end)\|>|</s>")
_XML_CALL = re.compile(r"\s*<function=([\w.-]{1,60})>")
_XML_CODE = re.compile(
    r"<parameter=(?:code|script|source)>\n?(.*?)\n?[ \t]*</parameter>"
    r"|<arg_key>(?:code|script|source)</arg_key>\s*<arg_value>(.*?)</arg_value>",
    re.DOTALL,
)
_NAME_BEFORE_ARGUMENTS = re.compile(r"\s*([\w.-]{1,60})(?:\[CALL_ID\][\w-]{1,40})?\[ARGS\]")
_PYTHON_TOOL = re.compile(r".*(?:python|code|jupyter|interpreter|execute|sandbox).*", re.IGNORECASE)
_OTHER_TOOL = re.compile(
    r"(?:bash|shell|sh|terminal|javascript|js|node|sql|r|latex)", re.IGNORECASE
)
_CODE_KEYS = ("code", "python_code", "script", "source")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_BETWEEN_CALLS = re.compile(r"[\s,;]*")
_DECODER = json.JSONDecoder(strict=False)
_MAX_CALL_CHARS = 200_000
_MAX_CALLS = 1_000


def tool_call_blocks(text: str) -> list[Block]:
    """Code of each complete call of a Python tool in a reply, in order.

    A call that is cut, or that does not decode, is left out; so are calls in the reasoning.

    >>> call = '<tool_call>{"name": "python", "arguments": {"code": "print(1)"}}</tool_call>'
    >>> [block.code for block in tool_call_blocks(call)]
    ['print(1)']
    """
    if "<|channel|>" in text:
        return list(_harmony_calls(text))
    start, end = final_segment(text)
    segment = text[start:end]
    return [
        _block(code, start + low, start + high)
        for low, high, codes in _calls(segment, _quoted(segment))
        for code in codes
    ]


def call_spans(text: str, blocks: list[Block]) -> list[tuple[int, int]]:
    """Where complete calls stand in a final segment with the given code blocks, in order."""
    quoted = [(block.start, block.end) for block in blocks]
    return [(low, high) for low, high, _ in _calls(text, quoted)]


def _quoted(text: str) -> list[tuple[int, int]]:
    blocks, unfinished = scan(text)
    spans = [(block.start, block.end) for block in blocks]
    if unfinished is not None and unfinished.language:
        spans.append((unfinished.start, len(text)))
    return spans


def _block(code: str, start: int, end: int) -> Block:
    return Block(code=code, language="python", start=start, end=end, runs=True)


def _calls(text: str, quoted: list[tuple[int, int]]) -> Iterator[tuple[int, int, list[str]]]:
    """Start, end and codes of each complete call that no code block holds."""
    if text.lstrip()[:1] in {"{", "["}:
        yield from _lone_call(text)
    position = 0
    last_close: dict[str | None, int] = {}
    for _ in range(_MAX_CALLS):
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        holder = next((high for low, high in quoted if low <= opening.start() < high), None)
        if holder is not None:
            position = holder
            continue
        tag = opening["tag"]
        if tag is not None and tag not in last_close:
            last_close[tag] = text.rfind(f"</{tag}>")
        found = _call_at(text, opening, last_close.get(tag, -1))
        if found is None:
            position = opening.end()
            continue
        yield opening.start(), found[0], found[1]
        position = found[0]


def _call_at(text: str, opening: re.Match[str], last_close: int) -> tuple[int, list[str]] | None:
    """End of the call that begins here, and its codes; None if it is not complete."""
    if opening["tag"] is None:
        values, end = _decoded(text, opening.end())
        if values:
            return end, _codes(values)
        if opening.group() == "[TOOL_CALLS]":
            return _named_arguments(text, opening.end())
        ending = _TAG_END.search(text, opening.end())
        end = len(text) if ending is None else ending.start()
        return end, _clean(text[opening.end() : end])
    closing = f"</{opening['tag']}>"
    values, end = _decoded(text, opening.end())
    # The closing tag may stand in a string of the call, so it is looked for behind the JSON.
    close = text.find(closing, end) if end <= last_close else -1
    if close < 0:
        return None
    if values:
        return close + len(closing), _codes(values)
    return close + len(closing), _marked_up(text[opening.end() : close])


def _named_arguments(text: str, start: int) -> tuple[int, list[str]] | None:
    name = _NAME_BEFORE_ARGUMENTS.match(text, start)
    if name is None:
        return None
    values, end = _decoded(text, name.end())
    return (end, _codes([{"name": name[1], "arguments": values[0]}])) if values else None


def _marked_up(call: str) -> list[str]:
    """Codes of a call that is no JSON: XML parameters, or the repr of a dict."""
    if len(call) > _MAX_CALL_CHARS:
        return []
    name = _XML_CALL.match(call)
    if name is not None and _OTHER_TOOL.fullmatch(name[1]):
        return []
    codes = [found[1] or found[2] or "" for found in _XML_CODE.finditer(call)]
    if codes or not call.lstrip().startswith("{"):
        return [code for raw in codes for code in _clean(raw)]
    tree = parse_quietly(call.strip())
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return []
    try:
        return _codes([ast.literal_eval(tree.body[0].value)])
    except (ValueError, TypeError, RecursionError):
        # No literal, an unhashable key, or nesting beyond the limits: nothing was called.
        return []


def _decoded(text: str, start: int) -> tuple[list[object], int]:
    """JSON values one after the other, and where the last of them ends."""
    values: list[object] = []
    gap = _BETWEEN_CALLS.match(text, start)
    position = start if gap is None else gap.end()
    end = start
    while text[position : position + 1] in {"{", "["} and len(values) < _MAX_CALLS:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        values.append(value)
        gap = _BETWEEN_CALLS.match(text, end)
        position = end if gap is None else gap.end()
    return values, end


def _lone_call(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """A reply that is JSON and nothing else."""
    values, end = _decoded(text, 0)
    codes = _codes(values) if values and not _TAG_END.sub("", text[end:]).strip() else []
    if codes:
        yield 0, end, codes


def _codes(values: list[object]) -> list[str]:
    flat = [call for value in values for call in (value if isinstance(value, list) else [value])]
    return [code for call in flat if isinstance(call, dict) for code in _code(call)]


def _code(call: dict[str, object]) -> list[str]:
    inner = call.get("function")
    call = inner if isinstance(inner, dict) else call
    name = call.get("name")
    if not isinstance(name, str) or _OTHER_TOOL.fullmatch(name):
        return []
    arguments = next((call[key] for key in _ARGUMENT_KEYS if key in call), None)
    if isinstance(arguments, str):
        values, _ = _decoded(arguments, 0)
        if not values:
            return _clean(arguments) if _PYTHON_TOOL.fullmatch(name) else []
        arguments = values[0]
    if not isinstance(arguments, dict):
        return []
    code = next((arguments[key] for key in _CODE_KEYS if key in arguments), None)
    return _clean(code) if isinstance(code, str) else []


def _clean(code: str) -> list[str]:
    """The code, without a fence around it; nothing if it is blank or longer than any program."""
    if len(code) > _MAX_CALL_CHARS:
        return []
    fenced, _ = scan(code)
    running = [block.code for block in fenced if block.language in {"python", ""}]
    text = re.sub(r"\r\n?", "\n", running[0] if running else code).strip("\n")
    return [text] if text.strip() else []


def _harmony_calls(text: str) -> Iterator[Block]:
    """Messages to a Python tool in raw Harmony markup: code as it is, or JSON around it."""
    for header in _HARMONY_CALL.finditer(text):
        recipient = _RECIPIENT.search(header.group())
        if recipient is None or not _PYTHON_TOOL.fullmatch(recipient[1]):
            continue
        ending = _HARMONY_CALL_END.search(text, header.end())
        if ending is None or ending.group() != "<|call|>":
            continue
        message = text[header.end() : ending.start()]
        values, end = _decoded(message, 0)
        whole = bool(values) and not message[end:].strip()
        codes = (
            _codes([{"name": recipient[1], "arguments": values[0]}]) if whole else _clean(message)
        )
        yield from (_block(code, header.start(), ending.end()) for code in codes)
