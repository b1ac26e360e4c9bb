"""The log-probability objects of both endpoints, field for field as vLLM writes them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jupyterlab_tir.backend.scripted.generation import Token, token_logprobs
from jupyterlab_tir.backend.scripted.requests import ChatRequest, CompletionRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jupyterlab_tir.backend.scripted.logprobs import Candidate, TokenLogprobs
    from jupyterlab_tir.backend.scripted.script import Turn


def wire_logprobs(
    request: CompletionRequest | ChatRequest,
    turn: Turn,
    tokens: Sequence[Token],
    start: int = 0,
    offset: int = 0,
) -> dict[str, Any] | None:
    """The `logprobs` object of a chunk or a whole reply; None when it is null.

    Parameters
    ----------
    request
        The request, which says how many are wanted and in which form.
    turn
        The turn, which says how sure the model is.
    tokens
        The tokens of this chunk.
    start
        Position of the first of them in the reply.
    offset
        How many characters the reply released before them.
    """
    k = request.top_count
    if k is None:
        return None
    entries = []
    for position, token in enumerate(tokens, start):
        entry = token_logprobs(turn, position, token, k)
        if entry is None:
            return None
        entries.append(entry)
    if isinstance(request, ChatRequest):
        return {"content": [_chat_entry(request, entry) for entry in entries]}
    return _completion_logprobs(request, entries, offset)


def _completion_logprobs(
    request: CompletionRequest | ChatRequest,
    entries: list[TokenLogprobs],
    offset: int,
) -> dict[str, Any]:
    names = [_name(request, entry) for entry in entries]
    offsets = []
    for name in names:  # vLLM counts the names of the tokens, not the text that is released
        offsets.append(offset)
        offset += len(name)
    return {
        "text_offset": offsets,
        "token_logprobs": [entry.logprob for entry in entries],
        "tokens": names,
        "top_logprobs": [
            {_name(request, candidate): candidate.logprob for candidate in _listed(request, entry)}
            for entry in entries
        ],
    }


def _listed(
    request: CompletionRequest | ChatRequest, entry: TokenLogprobs
) -> Sequence[TokenLogprobs | Candidate]:
    """The likeliest tokens; with `logprobs` 0 vLLM still lists the sampled one."""
    return entry.top if request.top_count else (entry, *entry.top)


def _chat_entry(request: CompletionRequest | ChatRequest, entry: TokenLogprobs) -> dict[str, Any]:
    top = [_chat_candidate(request, candidate) for candidate in entry.top]
    return {**_chat_candidate(request, entry), "top_logprobs": top}


def _chat_candidate(
    request: CompletionRequest | ChatRequest, candidate: TokenLogprobs | Candidate
) -> dict[str, Any]:
    name = _name(request, candidate)
    return {"token": name, "logprob": candidate.logprob, "bytes": list(name.encode())}


def _name(request: CompletionRequest | ChatRequest, candidate: TokenLogprobs | Candidate) -> str:
    if request.return_tokens_as_token_ids:
        return f"token_id:{candidate.token_id}"
    return candidate.token
