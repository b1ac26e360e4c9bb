"""One turn of a sample: ask, stream, retry what the server lost, know what it cost.

A turn is asked again from the last completed turn: nothing that the sample had concluded is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Callable

from ..backend.client import Request
from ..backend.dialects import Conversation
from ..backend.faults import ONCE, RETRIABLE, BackendFault
from ..backend.turns import TurnReader
from ..events import Finish, TextStreamed, TurnEnded
from ..in_words import number_of
from ..voting import SampleStatus
from .context import RunContext
from .seeds import derive_seed

LEAST_TOKENS = 16
"""Room that a turn needs; with less the sample ends as ``context`` or ``token-limit``."""

BACKOFF_S = 0.25
MAX_BACKOFF_S = 10.0


class SampleEnd(Exception):  # noqa: N818 - an outcome that unwinds a sample's turns, not an error
    """The sample is over without an answer."""

    def __init__(self, status: SampleStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Asker:
    """Asks one sample's turns and adds up what they cost.

    Parameters
    ----------
    context
        The run.
    sample
        Launch index.
    sample_seed
        Its seed; each request's is derived from it, so that no two are copies.
    when_code_opens
        Called while a turn that may run code streams, once its first code block has opened.
    """

    def __init__(
        self,
        context: RunContext,
        sample: int,
        sample_seed: int,
        when_code_opens: Callable[[], None],
    ) -> None:
        self._context = context
        self._sample = sample
        self._seed = sample_seed
        self._when_code_opens = when_code_opens
        self._top_logprobs = context.config.top_logprobs
        self.tokens = 0
        self.turns = 0

    async def ask(self, conversation: Conversation, *, scans_code: bool) -> TurnReader:
        """Ask for the next turn, again if the server loses it.

        Raises
        ------
        SampleEnd
            If no room is left, the server refuses, or it lost the turn too often.
        """
        tries = 0
        while True:
            try:
                return await self._ask_once(conversation, tries, scans_code=scans_code)
            except BackendFault as fault:
                most = (
                    min(1, self._context.config.retries)
                    if fault.kind in ONCE
                    else (self._context.config.retries)
                )
                if fault.kind not in RETRIABLE or tries >= most:
                    raise SampleEnd(_status_of(fault), fault.words) from None
                if fault.kind == "logprobs":
                    self._top_logprobs = 0
                await asyncio.sleep(_backoff_s(tries, fault.retry_after_s))
                tries += 1

    async def _ask_once(
        self, conversation: Conversation, attempt: int, *, scans_code: bool
    ) -> TurnReader:
        context, turn = self._context, len(conversation.turns)
        body = context.backend.dialect.prompt(conversation, context.config.mode)
        reader = TurnReader(
            scans_code=scans_code,
            ends_at_answer=context.backend.dialect.ends_at_answer,
            thinks=context.backend.info.reasoning,
        )
        started = time.monotonic()
        finish: Finish | None = "cancelled"
        detail = ""
        try:
            prompt_tokens = await self._count(body, turn)
            reader.prompt_tokens = prompt_tokens
            room = self._room(prompt_tokens)
            request = self._request(body, room, turn, attempt)
            await self._stream(request, reader, turn, room)
            finish = _finish(reader)
        except BackendFault as fault:
            finish, detail = "lost", fault.words + (f"\n{fault.raw}" if fault.raw else "")
            raise
        except SampleEnd:
            # It ended before it was asked: there was no turn.
            finish = None
            raise
        finally:
            self.tokens += reader.tokens
            self.turns = max(self.turns, turn + (finish is not None))
            if finish is not None:
                self._report(reader, turn, attempt, finish, detail, _ms_since(started))
        return reader

    def _report(
        self,
        reader: TurnReader,
        turn: int,
        attempt: int,
        finish: Finish,
        detail: str,
        ms: float,
    ) -> None:
        self._context.journal.emit(
            TurnEnded(
                kind="model",
                decided_by="model" if finish in ("stop", "cut-at-code") else "code",
                title=f"sample {self._sample + 1}, turn {turn + 1}: {finish}",
                detail=detail,
                tokens_in=reader.prompt_tokens,
                tokens_out=reader.tokens,
                ms=ms,
                sample=self._sample,
                turn=turn,
                attempt=attempt,
                text=reader.text,
                reasoning=reader.reasoning,
                finish=finish,
                finish_detail=detail,
                entropy=reader.entropy,
                tokens_estimated=reader.tokens_estimated,
            )
        )

    async def _stream(self, request: Request, reader: TurnReader, turn: int, room: int) -> None:
        context = self._context
        stream = context.backend.client.stream(request, stall_s=context.config.stall)
        async with contextlib.aclosing(stream) as deltas:
            async for delta in deltas:
                cut = reader.feed(delta)
                for text, reasoning in ((delta.reasoning, True), (delta.text, False)):
                    if text:
                        context.journal.emit(
                            TextStreamed(
                                kind="model",
                                sample=self._sample,
                                turn=turn,
                                text=text,
                                reasoning=reasoning,
                            )
                        )
                if reader.code_opened:
                    self._when_code_opens()
                if cut is not None:
                    return
                if reader.takes_more_than(room + LEAST_TOKENS):
                    reader.finish = "length"
                    break
        reader.end()
        if reader.finish == "abort":
            raise BackendFault("aborted", "The server aborted the request.")
        if reader.lost_by_parser:
            words = (
                f"The server counted {number_of(reader.tokens, 'token')} and sent nothing of them."
            )
            raise BackendFault("empty", words)

    async def _count(self, body: dict[str, object], turn: int) -> int | None:
        """Tokens of the prompt; None where the server does not count, or nothing limits them."""
        context, info = self._context, self._context.backend.info
        if turn == 0 and context.opening_tokens is not None:
            return context.opening_tokens
        if info.context is None or not info.tokenizes:
            return None
        return await context.backend.client.count_tokens({"model": info.model, **body})

    def _room(self, prompt_tokens: int | None) -> int:
        """Tokens that the turn may take: of the turn, of the sample, of the model's context."""
        config, limit = self._context.config, self._context.backend.info.context
        left = config.max_tokens - self.tokens
        if left < LEAST_TOKENS:
            raise SampleEnd(
                "token-limit",
                f"It used its {number_of(config.max_tokens, 'token')} without an answer.",
            )
        room = min(self._context.turn_tokens, left)
        if limit is None or prompt_tokens is None:
            return room
        if limit - prompt_tokens < LEAST_TOKENS:
            raise SampleEnd(
                "context",
                f"Its text so far takes {prompt_tokens:,} of the {limit:,} tokens that the model "
                "can hold.",
            )
        return min(room, limit - prompt_tokens)

    def _request(self, body: dict[str, object], room: int, turn: int, attempt: int) -> Request:
        context, config = self._context, self._context.config
        dialect, info = context.backend.dialect, context.backend.info
        # Other servers refuse fields that they do not know.
        own = {"return_token_ids": True} if info.product == "vLLM" else {}
        if own and config.min_p > 0:
            own["min_p"] = config.min_p  # type: ignore[assignment]
        if own and dialect.endpoint == "/completions" and self._top_logprobs:
            own["return_tokens_as_token_ids"] = True
        return Request(
            endpoint=dialect.endpoint,
            body={
                "model": info.model,
                **body,
                "max_tokens": room,
                "temperature": context.temperature,
                "top_p": config.top_p,
                "seed": derive_seed(self._seed, "turn", turn, "attempt", attempt),
                "stop": list(dialect.stops),
                "stream": True,
                "stream_options": {"include_usage": True},
                **dialect.logprobs(self._top_logprobs),
                **own,
            },
            request_id=f"tir-{context.run_id}-s{self._sample}-a{attempt}-t{turn}",
            top_logprobs=self._top_logprobs,
        )


def _finish(reader: TurnReader) -> Finish:
    if reader.cut is not None:
        return "cut-at-code" if reader.cut.kind == "code" else "cut-at-answer"
    return "length" if reader.finish == "length" else "stop"


def _status_of(fault: BackendFault) -> SampleStatus:
    if fault.kind in ("malformed", "empty"):
        return "malformed-reply"
    if fault.kind == "context":
        return "context"
    return "request-refused" if fault.kind in ("refused", "unauthorized") else "server-lost"


def _backoff_s(tries: int, asked_s: float | None) -> float:
    if asked_s is not None:
        return min(asked_s, MAX_BACKOFF_S)
    # Spread out, so that samples that were lost together do not come back together.
    wait = float(min(MAX_BACKOFF_S, BACKOFF_S * 2.0**tries))
    return wait * random.uniform(0.5, 1.5)  # noqa: S311


def _ms_since(started: float) -> float:
    return round((time.monotonic() - started) * 1000, 1)
