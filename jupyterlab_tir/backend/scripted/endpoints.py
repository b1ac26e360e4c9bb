"""The endpoints: from a request to the steps of its reply.

Knows the paths of vLLM and who may use them; generation itself is `wire`'s and `generation`'s.
No sockets and no waiting.
"""

from __future__ import annotations

import hmac
import itertools
import time
from typing import TYPE_CHECKING, Any

import msgspec

from jupyterlab_tir.backend.scripted.generation import Limits, generate
from jupyterlab_tir.backend.scripted.refusal import RefusedRequest
from jupyterlab_tir.backend.scripted.requests import (
    ChatRequest,
    CompletionRequest,
    DetokenizeRequest,
    TokenizeRequest,
    check_generation,
    decode_body,
    prompt_text,
    token_limit,
)
from jupyterlab_tir.backend.scripted.selection import Selection, Selector
from jupyterlab_tir.backend.scripted.steps import json_reply, text_reply
from jupyterlab_tir.backend.scripted.tokens import Vocabulary, split_pieces
from jupyterlab_tir.backend.scripted.wire import Reply, reply_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyterlab_tir.backend.scripted.connection import HttpRequest
    from jupyterlab_tir.backend.scripted.metrics import Metrics
    from jupyterlab_tir.backend.scripted.script import Script, ServerSettings
    from jupyterlab_tir.backend.scripted.steps import Step

_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_GENERATION_PATHS = frozenset({"/v1/completions", "/v1/chat/completions"})


class Answer(msgspec.Struct, frozen=True):
    """The reply to a request; a generation also says how many prompt tokens it holds."""

    steps: Iterator[Step]
    prompt_tokens: int | None = None
    selection: Selection | None = None


class Endpoints:
    """Answers requests as the server that the script describes."""

    def __init__(self, script: Script, metrics: Metrics) -> None:
        self._settings: ServerSettings = script.server
        self._metrics = metrics
        self._selector = Selector(script)
        self._vocabulary = Vocabulary()
        self._numbers = itertools.count()
        self._started = int(time.time())

    def answer(self, request: HttpRequest) -> Answer:
        """The reply to a request, refusals included."""
        try:
            if not self._authorised(request):
                return Answer(iter(json_reply(401, {"error": "Unauthorized"})))
            if request.path in _GENERATION_PATHS:
                _expect(request, "POST")
                return self._generation(request)
            return Answer(iter(self._plain(request)))
        except RefusedRequest as refusal:
            return Answer(iter(json_reply(refusal.status, refusal.body())))

    def _authorised(self, request: HttpRequest) -> bool:
        """Whether the key is right, if there is one; like vLLM, it guards /v1 only."""
        key = self._settings.api_key
        if key is None or not request.path.startswith("/v1/"):
            return True
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {key}".encode())

    def _plain(self, request: HttpRequest) -> tuple[Step, ...]:
        route = request.path
        vllm = self._settings.kind == "vllm"
        if route == "/health":
            _expect(request, "GET")
            return text_reply(200, b"", "text/plain")
        if route == "/v1/models":
            _expect(request, "GET")
            return json_reply(200, {"object": "list", "data": [self._model_card()]})
        if vllm and route == "/version":
            _expect(request, "GET")
            return json_reply(200, {"version": self._settings.vllm_version})
        if vllm and route == "/metrics":
            _expect(request, "GET")
            return text_reply(200, self._metrics.text().encode(), _METRICS_TYPE)
        if vllm and route == "/tokenize":
            _expect(request, "POST")
            return json_reply(200, self._tokenize(request.body))
        if vllm and route == "/detokenize":
            _expect(request, "POST")
            body = decode_body(request.body, DetokenizeRequest, self._settings)
            return json_reply(200, {"prompt": self._vocabulary.decode(body.tokens)})
        raise RefusedRequest(404, "Not Found", "Not Found")

    def _model_card(self) -> dict[str, Any]:
        card: dict[str, Any] = {
            "id": self._settings.model,
            "object": "model",
            "created": self._started,
            "owned_by": self._settings.kind,
        }
        if self._settings.kind == "vllm":
            card |= {
                "root": self._settings.model,
                "parent": None,
                "max_model_len": self._settings.max_model_len,
                "permission": [],
            }
        return card

    def _tokenize(self, raw: bytes) -> dict[str, Any]:
        body = decode_body(raw, TokenizeRequest, self._settings)
        text = prompt_text(body, self._settings, self._vocabulary)
        return {
            "count": len(split_pieces(text)),
            "max_model_len": self._settings.max_model_len,
            "tokens": self._vocabulary.encode(text),
            "token_strs": split_pieces(text) if body.return_token_strs else None,
        }

    def _generation(self, request: HttpRequest) -> Answer:
        body: CompletionRequest | ChatRequest
        if request.path == "/v1/completions":
            body = decode_body(request.body, CompletionRequest, self._settings)
        else:
            body = decode_body(request.body, ChatRequest, self._settings)
        check_generation(body)
        prompt = prompt_text(body, self._settings, self._vocabulary)
        prompt_ids = tuple(self._vocabulary.encode(prompt))
        limits = Limits(
            token_limit(body, len(prompt_ids), self._settings),
            body.stops,
            body.include_stop_str_in_output,
        )
        given = request.headers.get("x-request-id")
        selection = self._selector.select(body, prompt, given)
        turn = selection.turn
        chat = isinstance(body, ChatRequest)
        generation = generate(turn, selection.text, prompt_ids, limits, chat=chat)
        for token in generation.tokens:
            self._vocabulary.remember(token.piece)
        prefix = "chatcmpl" if chat else "cmpl"
        reply = Reply(
            request=body,
            turn=turn,
            generation=generation,
            settings=self._settings,
            request_id=f"{prefix}-{given or format(next(self._numbers), '032x')}",
            created=int(time.time()),
        )
        steps = reply_steps(reply)
        for fault in turn.faults:
            steps = fault.steps(steps)
        return Answer(steps, prompt_tokens=len(prompt_ids), selection=selection)


def _expect(request: HttpRequest, method: str) -> None:
    if request.method != method:
        raise RefusedRequest(405, "Method Not Allowed", "Method Not Allowed")
