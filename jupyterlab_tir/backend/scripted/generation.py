"""What the model generates for one turn: tokens, the text that each releases, how it ends.

Pure. Knows the turn and the request's limits (tokens, stop strings), nothing of JSON or time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from jupyterlab_tir.backend.scripted.logprobs import (
    DEFAULT_ENTROPY_NATS,
    TokenLogprobs,
    logprobs_of,
)
from jupyterlab_tir.backend.scripted.tokens import END_OF_TURN, split_pieces, token_id

if TYPE_CHECKING:
    from jupyterlab_tir.backend.scripted.script import Turn

Channel = Literal["reasoning", "content", "tool", "end"]


class Token(msgspec.Struct, frozen=True):
    """One generated token.

    `delta` is the text that the reply releases with it: not the piece itself where stop strings
    hold text back, and nothing for the end-of-turn token.
    """

    piece: str
    token_id: int
    channel: Channel
    delta: str
    call: int = 0


class Generation(msgspec.Struct, frozen=True):
    """A whole generated turn; `claimed_tokens` replaces the count where a fault loses the text."""

    tokens: tuple[Token, ...]
    finish: str
    stop_reason: int | str | None
    prompt_token_ids: tuple[int, ...]
    claimed_tokens: int | None = None

    @property
    def completion_tokens(self) -> int:
        """What the usage says."""
        return len(self.tokens) if self.claimed_tokens is None else self.claimed_tokens

    def text(self, channel: Channel) -> str:
        """The released text of a channel; the end-of-turn token belongs to the content."""
        channels = {channel, "end"} if channel == "content" else {channel}
        return "".join(token.delta for token in self.tokens if token.channel in channels)


class Limits(msgspec.Struct, frozen=True):
    """What ends a generation early."""

    max_tokens: int
    stops: tuple[str, ...] = ()
    include_stop: bool = False


def generate(
    turn: Turn,
    text: str,
    prompt_token_ids: tuple[int, ...],
    limits: Limits,
    *,
    chat: bool,
) -> Generation:
    """The tokens of a turn under the limits of a request.

    Parameters
    ----------
    turn
        The turn to play.
    text
        Its text (the turn's own, or with the echoed problem).
    prompt_token_ids
        Ids of the prompt's tokens.
    limits
        The request's limits. Stop strings are looked for in the content only.
    chat
        Whether reasoning and tool calls have fields of their own. Without them reasoning stands
        between think tags in the text, and tool calls are left out.
    """
    claimed = next((n for n in (f.claimed_tokens() for f in turn.faults) if n is not None), None)
    finish = turn.finish or ("tool_calls" if turn.tool_calls and chat else "stop")
    if claimed is not None:
        return Generation((), finish, turn.stop_reason, prompt_token_ids, claimed)
    pieces = _pieces(turn, text, chat=chat)
    if finish in {"stop", "tool_calls"}:
        pieces.append((END_OF_TURN, "end", 0))
    stop_reason = turn.stop_reason
    hit = _stop_hit(pieces, limits)
    if hit is not None:
        pieces, content_length, finish, stop_reason = hit
    elif len(pieces) > limits.max_tokens:
        pieces, finish, stop_reason = pieces[: limits.max_tokens], "length", None
        content_length = _content_length(pieces)
    else:
        content_length = _content_length(pieces)
    tokens = _released(pieces, content_length, _held_back(limits))
    return Generation(tokens, finish, stop_reason, prompt_token_ids)


def token_logprobs(turn: Turn, position: int, token: Token, k: int) -> TokenLogprobs | None:
    """Log-probabilities at a position, with what the turn's faults do to them.

    None when the turn says that the server has none.
    """
    if turn.entropy == "none":
        return None
    entropy = DEFAULT_ENTROPY_NATS if turn.entropy is None else float(turn.entropy)
    entry = logprobs_of(token.piece, entropy, k)
    for fault in turn.faults:
        entry = fault.logprobs(position, entry)
    return entry


_Piece = tuple[str, Channel, int]


def _pieces(turn: Turn, text: str, *, chat: bool) -> list[_Piece]:
    if not chat:
        thought = f"<think>\n{turn.reasoning}\n</think>\n\n" if turn.reasoning else ""
        return [(piece, "content", 0) for piece in split_pieces(thought + text)]
    pieces: list[_Piece] = [(p, "reasoning", 0) for p in split_pieces(turn.reasoning or "")]
    pieces += [(piece, "content", 0) for piece in split_pieces(text)]
    for number, call in enumerate(turn.tool_calls):
        pieces += [(piece, "tool", number) for piece in split_pieces(call.arguments) or [""]]
    return pieces


def _content_length(pieces: list[_Piece]) -> int:
    return sum(len(piece) for piece, channel, _ in pieces if channel == "content")


def _stop_hit(
    pieces: list[_Piece],
    limits: Limits,
) -> tuple[list[_Piece], int, str, str] | None:
    """Pieces up to the one that completes a stop string, and how much text is kept."""
    content = "".join(piece for piece, channel, _ in pieces if channel == "content")
    found = [(content.find(stop), stop) for stop in limits.stops]
    ends = [(start + len(stop), start, stop) for start, stop in found if start >= 0]
    if not ends:
        return None
    length = 0
    for number, (piece, channel, _) in enumerate(pieces[: limits.max_tokens]):
        if channel != "content":
            continue
        length += len(piece)
        for end, start, stop in ends:  # in the request's order, as vLLM looks for them
            if end <= length:
                kept = end if limits.include_stop else start
                return pieces[: number + 1], kept, "stop", stop
    return None


def _held_back(limits: Limits) -> int:
    """How many characters vLLM holds back in a stream: they may become a stop string."""
    if limits.include_stop or not limits.stops:
        return 0
    return max(len(stop) for stop in limits.stops) - 1


def _released(pieces: list[_Piece], content_length: int, held_back: int) -> tuple[Token, ...]:
    content = "".join(piece for piece, channel, _ in pieces if channel == "content")
    content = content[:content_length]
    tokens = []
    seen = 0
    sent = 0
    for number, (piece, channel, call) in enumerate(pieces):
        delta = "" if channel == "end" else piece
        if channel in {"content", "end"}:
            seen += len(delta)
            following = pieces[number + 1][1] if number + 1 < len(pieces) else None
            last = following is None or following == "tool"
            until = content_length if last else min(seen - held_back, content_length)
            delta = content[sent : max(until, sent)]
            sent += len(delta)
        tokens.append(Token(piece, token_id(piece), channel, delta, call))
    return tuple(tokens)
