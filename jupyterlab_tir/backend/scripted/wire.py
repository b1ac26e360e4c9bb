"""vLLM's JSON: stream chunks and whole replies of both generation endpoints.

Field for field what vLLM 0.32 writes, nulls included. Pure; a reply comes out as steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from jupyterlab_tir.backend.scripted.generation import Generation, Token
from jupyterlab_tir.backend.scripted.requests import ChatRequest, CompletionRequest
from jupyterlab_tir.backend.scripted.steps import (
    DONE,
    STREAM_HEAD,
    Head,
    Part,
    Send,
    Step,
    event,
    json_bytes,
)
from jupyterlab_tir.backend.scripted.wire_logprobs import wire_logprobs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jupyterlab_tir.backend.scripted.script import ServerSettings, Turn

_JSON_HEAD = Head(200, (("content-type", "application/json"),))


class Reply(msgspec.Struct, frozen=True):
    """Everything that decides what a reply looks like on the wire."""

    request: CompletionRequest | ChatRequest
    turn: Turn
    generation: Generation
    settings: ServerSettings
    request_id: str
    created: int

    @property
    def chat(self) -> bool:
        """Whether this is a reply of /v1/chat/completions."""
        return isinstance(self.request, ChatRequest)

    @property
    def first_token_ms(self) -> float:
        """Time until the first token."""
        wished = self.turn.first_token_ms
        return self.settings.first_token_ms if wished is None else wished

    @property
    def token_ms(self) -> float:
        """Time between two tokens."""
        wished = self.turn.token_ms
        return self.settings.token_ms if wished is None else wished

    def ids(self, identifiers: Sequence[int]) -> list[int] | None:
        """Token ids, if the request wants them and this kind of server has them."""
        wanted = self.request.return_token_ids and self.settings.kind == "vllm"
        return list(identifiers) if wanted else None


def reply_steps(reply: Reply) -> Iterator[Step]:
    """The reply as it should be, faults not yet applied."""
    if reply.request.stream:
        return _stream(reply)
    return _whole(reply)


def _stream(reply: Reply) -> Iterator[Step]:
    yield STREAM_HEAD
    generation = reply.generation
    wait_ms = reply.first_token_ms
    if reply.chat:
        yield Send(event(_chunk(reply, [_role_choice(reply)], role=True)), "role", 0, wait_ms)
        wait_ms = 0.0
    last = len(generation.tokens) - 1
    offset = 0
    for position, token in enumerate(generation.tokens):
        finished = position == last
        choice = _stream_choice(reply, position, token, offset, finished=finished)
        part: Part = "finish" if finished else "token"
        yield Send(event(_chunk(reply, [choice])), part, 1, wait_ms)
        offset += len(token.delta)
        wait_ms = reply.token_ms
    if not generation.tokens:
        yield Send(event(_chunk(reply, [_lost_choice(reply)])), "finish", 0, wait_ms)
    if reply.request.include_usage:
        usage = {**_chunk_head(reply), "choices": [], "usage": _usage(generation)}
        yield Send(event(usage), "usage")
    yield DONE


def _whole(reply: Reply) -> Iterator[Step]:
    generation = reply.generation
    count = len(generation.tokens)
    wait_ms = reply.first_token_ms + max(count - 1, 0) * reply.token_ms
    usage = {**_usage(generation), "prompt_tokens_details": None}
    body = _chat_body(reply, usage) if reply.chat else _completion_body(reply, usage)
    yield _JSON_HEAD
    yield Send(json_bytes(body), "body", count, wait_ms)


def _chunk_head(reply: Reply) -> dict[str, Any]:
    kind = "chat.completion.chunk" if reply.chat else "text_completion"
    return {
        "id": reply.request_id,
        "object": kind,
        "created": reply.created,
        "model": reply.settings.model,
    }


def _chunk(reply: Reply, choices: list[dict[str, Any]], *, role: bool = False) -> dict[str, Any]:
    chunk = {**_chunk_head(reply), "choices": choices}
    if role and reply.settings.kind == "vllm":
        chunk["prompt_token_ids"] = reply.ids(reply.generation.prompt_token_ids)
    return chunk


def _usage(generation: Generation) -> dict[str, int]:
    prompt, completion = len(generation.prompt_token_ids), generation.completion_tokens
    return {
        "prompt_tokens": prompt,
        "total_tokens": prompt + completion,
        "completion_tokens": completion,
    }


def _role_choice(reply: Reply) -> dict[str, Any]:
    lost = reply.generation.claimed_tokens is not None
    delta = {"role": "assistant", "content": None if lost else ""}
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}


def _lost_choice(reply: Reply) -> dict[str, Any]:
    generation = reply.generation
    content: dict[str, Any] = {"delta": {}} if reply.chat else {"text": ""}
    ending = {"finish_reason": generation.finish, "stop_reason": generation.stop_reason}
    return {"index": 0, **content, "logprobs": None, **ending}


def _stream_choice(
    reply: Reply,
    position: int,
    token: Token,
    offset: int,
    *,
    finished: bool,
) -> dict[str, Any]:
    generation = reply.generation
    choice: dict[str, Any] = {"index": 0}
    if reply.chat:
        choice["delta"] = _delta(reply, position, token)
    else:
        choice["text"] = token.delta
    choice["logprobs"] = wire_logprobs(
        reply.request,
        reply.turn,
        (token,),
        position,
        offset,
    )
    choice["finish_reason"] = generation.finish if finished else None
    vllm = reply.settings.kind == "vllm"
    if vllm and (finished or not reply.chat):
        choice["stop_reason"] = generation.stop_reason if finished else None
    if vllm and not reply.chat:
        choice["prompt_token_ids"] = None if position else reply.ids(generation.prompt_token_ids)
    if vllm:
        choice["token_ids"] = reply.ids([token.token_id])
    return choice


def _delta(reply: Reply, position: int, token: Token) -> dict[str, Any]:
    if token.channel == "reasoning":
        return _reasoning(reply, token.delta)
    if token.channel != "tool":
        return {"content": token.delta}
    tokens = reply.generation.tokens
    before = tokens[position - 1] if position else None
    call: dict[str, Any] = {"index": token.call, "function": {"arguments": token.delta}}
    if before is None or before.channel != "tool" or before.call != token.call:
        made = reply.turn.tool_calls[token.call]
        call["id"] = made.id or _call_id(reply, token.call)
        call["type"] = "function"
        call["function"]["name"] = made.name
    return {"tool_calls": [call]}


def _reasoning(reply: Reply, text: str) -> dict[str, Any]:
    name = reply.turn.reasoning_field
    names = ("reasoning", "reasoning_content") if name == "both" else (name,)
    return dict.fromkeys(names, text)


def _call_id(reply: Reply, number: int) -> str:
    return f"chatcmpl-tool-{reply.request_id.removeprefix('chatcmpl-')}-{number}"


def _completion_body(reply: Reply, usage: dict[str, Any]) -> dict[str, Any]:
    generation = reply.generation
    choice: dict[str, Any] = {
        "index": 0,
        "text": generation.text("content"),
        "logprobs": wire_logprobs(reply.request, reply.turn, generation.tokens),
        "finish_reason": generation.finish,
    }
    if reply.settings.kind == "vllm":
        choice |= {
            "stop_reason": generation.stop_reason,
            "token_ids": reply.ids([token.token_id for token in generation.tokens]),
            "prompt_logprobs": None,
            "prompt_token_ids": reply.ids(generation.prompt_token_ids),
        }
    return _body(reply, "text_completion", choice, usage)


def _chat_body(reply: Reply, usage: dict[str, Any]) -> dict[str, Any]:
    generation = reply.generation
    content = generation.text("content")
    reasoning = generation.text("reasoning")
    aside = bool(reasoning or reply.turn.tool_calls or generation.claimed_tokens is not None)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": content if content or not aside else None,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
        **_reasoning(reply, reasoning or ""),
    }
    if not reasoning:
        message |= dict.fromkeys(_reasoning(reply, ""))
    calls = _whole_calls(reply)
    if calls or generation.claimed_tokens is not None:
        message["tool_calls"] = calls
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "logprobs": wire_logprobs(reply.request, reply.turn, generation.tokens),
        "finish_reason": generation.finish,
    }
    if reply.settings.kind == "vllm":
        choice |= {
            "stop_reason": generation.stop_reason,
            "token_ids": reply.ids([token.token_id for token in generation.tokens]),
        }
    body = _body(reply, "chat.completion", choice, usage)
    if reply.settings.kind == "vllm":
        body["prompt_logprobs"] = None
        body["prompt_token_ids"] = reply.ids(generation.prompt_token_ids)
    return body


def _whole_calls(reply: Reply) -> list[dict[str, Any]]:
    calls = []
    for number, made in enumerate(reply.turn.tool_calls):
        tokens = [t for t in reply.generation.tokens if t.channel == "tool" and t.call == number]
        if tokens:
            function = {"name": made.name, "arguments": "".join(t.delta for t in tokens)}
            identifier = made.id or _call_id(reply, number)
            calls.append({"id": identifier, "type": "function", "function": function})
    return calls


def _body(
    reply: Reply,
    kind: str,
    choice: dict[str, Any],
    usage: dict[str, Any],
) -> dict[str, Any]:
    return {
        "id": reply.request_id,
        "object": kind,
        "created": reply.created,
        "model": reply.settings.model,
        "choices": [choice],
        "service_tier": None,
        "system_fingerprint": None,
        "usage": usage,
        "kv_transfer_params": None,
    }
