"""The chunks of a streamed reply, read into `Delta`s: vLLM's completions and chat forms. No I/O.

Servers of several ages and kinds are read: a missing field is missing, never an error, and what
cannot be trusted (broken JSON in the middle of a text) is a fault, never a hole in a number.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from .faults import BackendFault, FaultKind
from .logprobs import token_entropy


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """What one chunk added.

    Parameters
    ----------
    text, reasoning
        New characters of the reply and of the reasoning channel.
    tokens
        Tokens in the chunk as far as the server tells (token ids, else log-probability entries).
    entropies
        One a token, nats; None for a position that cannot be read.
    finish, stopped_by
        The server's finish reason, with the last chunk of a choice, and the stop string that it
        found, if it was one of those that it was given.
    prompt_tokens, completion_tokens
        From the usage chunk.
    """

    text: str = ""
    reasoning: str = ""
    tokens: int = 0
    entropies: tuple[float | None, ...] = ()
    finish: str | None = None
    stopped_by: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def decode_json(text: str) -> Any:  # noqa: ANN401 - JSON is whatever the server sent
    """Read JSON; also the bare NaN and Infinity that some servers write among log-probabilities.

    Raises
    ------
    ValueError
        If it is not JSON, or nested too deeply to be read.
    """
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.DecodeError:
        return json.loads(text)


def read_chunk(data: str, *, k: int) -> Delta:
    """Read the data of one event.

    Parameters
    ----------
    data
        JSON text.
    k
        Log-probabilities that were asked for a token; 0 for none.

    Raises
    ------
    BackendFault
        If it is an error object or cannot be read.
    """
    try:
        chunk = decode_json(data)
    except ValueError:
        raise BackendFault(
            "malformed", "The server sent an event that is not JSON.", raw=data
        ) from None
    if not isinstance(chunk, dict):
        raise BackendFault("malformed", "The server sent an event that is no object.", raw=data)
    if "choices" not in chunk or chunk.get("error"):
        raise error_fault(chunk)
    usage = _object(chunk.get("usage"))
    choices = chunk["choices"]
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    delta = _object(choice.get("delta"))
    text = choice.get("text") if "text" in choice else delta.get("content")
    # Both names may come with the same text: the new one wins.
    reasoning = delta.get("reasoning") or delta.get("reasoning_content")
    positions = _positions(choice.get("logprobs"))
    token_ids = choice.get("token_ids")
    return Delta(
        text=_text(text) or "",
        reasoning=_text(reasoning) or "",
        tokens=len(token_ids) if isinstance(token_ids, list) else len(positions),
        entropies=tuple(token_entropy(position, k) for position in positions) if k else (),
        finish=_text(choice.get("finish_reason")),
        stopped_by=_text(choice.get("stop_reason")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(outer: dict[str, Any], name: str) -> list[Any]:
    return value if isinstance(value := outer.get(name), list) else []


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    # Half of a surrogate pair (a gateway may cut an emoji in two) could not be written to a record.
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _positions(logprobs: object) -> list[list[object]]:
    """Log-probabilities of each position, from either form."""
    found = _object(logprobs)
    if isinstance(content := found.get("content"), list):  # chat
        return [
            [_object(entry).get("logprob") for entry in _list(_object(position), "top_logprobs")]
            for position in content
        ]
    if isinstance(tops := found.get("top_logprobs"), list):  # completions
        return [list(_object(position).values()) for position in tops]
    return []


def error_fault(body: object, status: int | None = None) -> BackendFault:
    """Fault of an error object, in any of the forms that servers use.

    Parameters
    ----------
    body
        The decoded body, or None if there was none.
    status
        The HTTP status; None for an error inside a stream, which then holds its own code.
    """
    outer = _object(body)
    inner = _object(outer.get("error")) or outer
    words = next(
        (
            value
            for key in ("message", "details", "detail", "error")
            if (value := _text(inner.get(key)))
        ),
        "no reason given",
    )
    code = status if status is not None else _code(inner.get("code"))
    return BackendFault(_error_kind(code, words), f"The server said: {_shorten(words)}")


def _code(value: object) -> int | None:
    """Code inside an error object: a number, or its digits as gateways write it."""
    digits = isinstance(value, str) and value.isdecimal() and len(value) == len("500")
    return int(value) if isinstance(value, str) and digits else _count(value)


SERVER_ERROR = 500
MAX_WORDS_CHARS = 300
TOO_LONG = (
    "context length",
    "maximum context",
    "maximum model length",
    "context size",
    "too long",
)
"""How servers say that a prompt does not fit, in lower case."""


def _error_kind(code: int | None, words: str) -> FaultKind:
    lowered = words.lower()
    if code in (401, 403):
        return "unauthorized"
    if code is not None and (code >= SERVER_ERROR or code in (408, 425, 429)):
        return "logprobs" if "nan" in lowered and "json" in lowered else "server-error"
    if any(phrase in lowered for phrase in TOO_LONG):
        return "context"
    return "malformed" if code is None and words == "no reason given" else "refused"


def _shorten(words: str) -> str:
    one_line = " ".join(words.split())
    return one_line if len(one_line) <= MAX_WORDS_CHARS else one_line[:MAX_WORDS_CHARS] + "…"
