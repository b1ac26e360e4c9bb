"""Streams of a scripted server as the client and the turn reader see them, faults included.

Each scenario that is known from the field names its line in the project's list of wire cases.
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest

from jupyterlab_tir.backend.faults import BackendFault, FaultKind
from jupyterlab_tir.backend.scripted.logprobs import best_probability
from jupyterlab_tir.backend.wire import Delta

BOX = "The answer is \\boxed{12}."


def text(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas)


def chunk(content: str | None, finish: str | None = None, **delta: Any) -> str:
    choice = {"index": 0, "delta": {"content": content, **delta}, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


async def fault_of(playing: Any, **options: Any) -> BackendFault:
    with pytest.raises(BackendFault) as caught:
        await playing.deltas(**options)
    return caught.value


async def until_fault(playing: Any) -> tuple[list[Delta], BackendFault]:
    seen = []
    try:
        async for delta in playing.stream():
            seen.append(delta)  # noqa: PERF401 - what was seen before the fault counts
    except BackendFault as fault:
        return seen, fault
    raise AssertionError


@pytest.mark.parametrize("chat", [True, False])
async def test_a_reply_comes_whole_with_tokens_entropies_and_usage(play: Any, chat: bool) -> None:  # noqa: FBT001
    async with play({"text": "x \N{MINUS SIGN} 1 = 39", "entropy": 0.5}) as playing:
        deltas = await playing.deltas(chat=chat, k=5)
        assert text(deltas) == "x \N{MINUS SIGN} 1 = 39"
        tokens = sum(delta.tokens for delta in deltas)
        assert tokens == deltas[-1].completion_tokens == 6  # x, minus, 1, =, 39, end of turn
        assert deltas[-1].prompt_tokens > 0
        assert [delta.finish for delta in deltas if delta.finish] == ["stop"]
        entropies = [entropy for delta in deltas for entropy in delta.entropies]
        assert entropies == pytest.approx([0.5] * 6, abs=1e-6)


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("sizes", [[1], [7, 2, 40]])
async def test_bytes_split_anywhere_give_the_same_text(
    play: Any,
    chat: bool,  # noqa: FBT001
    sizes: list[int],
) -> None:
    """Case sse-split-bytes."""
    fault = {"kind": "split_bytes", "sizes": sizes}
    async with play({"text": "3 \N{MINUS SIGN} 1 = 2 🙂", "fault": fault}) as playing:
        assert text(await playing.deltas(chat=chat, k=2)) == "3 \N{MINUS SIGN} 1 = 2 🙂"


async def test_comments_and_ids_are_no_text(play: Any) -> None:
    """Case sse-comments."""
    async with play({"text": "a b c", "fault": {"kind": "comments"}}) as playing:
        deltas = await playing.deltas()
        assert text(deltas) == "a b c"
        assert deltas[-1].completion_tokens == 4


async def test_crlf_streams_are_read(play: Any) -> None:
    body = (chunk("4") + chunk(None, "stop") + "data: [DONE]\n\n").replace("\n", "\r\n")
    async with play({"fault": {"kind": "raw", "body": [body]}}) as playing:
        assert text(await playing.deltas()) == "4"


@pytest.mark.parametrize("how", ["end", "close", "reset"])
async def test_a_stream_that_ends_unfinished_was_cut(play: Any, how: str) -> None:
    """Case cut-no-done: even where HTTP saw a proper end."""
    fault = {"kind": "cut", "after_tokens": 2, "how": how}
    async with play({"text": "a b c d", "fault": fault}) as playing:
        assert (await fault_of(playing)).kind == "cut"


async def test_done_without_a_finish_reason_is_cut_at_once(play: Any) -> None:
    body = [chunk("4"), "data: [DONE]\n\n"]
    async with play({"fault": {"kind": "raw", "body": body, "then": "hang"}}) as playing:
        assert (await fault_of(playing)).words == (
            "The server ended its stream without finishing the reply."
        )


async def test_what_came_before_a_cut_is_delivered(play: Any) -> None:
    async with play({"text": "a b c d", "fault": {"kind": "cut", "after_tokens": 2}}) as playing:
        seen, fault = await until_fault(playing)
        assert (text(seen), fault.kind) == ("a b", "cut")


async def test_what_came_before_a_broken_event_in_the_same_bytes_is_delivered(play: Any) -> None:
    body = [chunk("4") + 'data: {"choices": [{"delta": {"content": "2\n\n']
    async with play({"fault": {"kind": "raw", "body": body}}) as playing:
        seen, fault = await until_fault(playing)
        assert (text(seen), fault.kind) == ("4", "malformed")


async def test_a_broken_event_in_the_middle_is_never_a_hole_in_a_number(play: Any) -> None:
    """Case sse-bad-json."""
    async with play({"text": "4 2 0", "fault": {"kind": "bad_json"}}) as playing:
        fault = await fault_of(playing)
        assert fault.kind == "malformed"
        assert fault.raw.startswith('{"id":')


async def test_an_error_as_the_only_event_is_the_servers_refusal(play: Any) -> None:
    """Case sse-error-first."""
    data = {"code": 400, "details": "21 logprobs asked for, at most 20 allowed"}
    async with play({"text": "4", "fault": {"kind": "sse_error", "data": data}}) as playing:
        fault = await fault_of(playing)
        assert (fault.kind, fault.words) == (
            "refused",
            "The server said: 21 logprobs asked for, at most 20 allowed",
        )


async def test_an_error_in_the_middle_as_vllm_sends_it(play: Any) -> None:
    fault = {"kind": "sse_error", "after_tokens": 2, "event": None, "message": "engine died"}
    async with play({"text": "a b c", "fault": fault}) as playing:
        fault = await fault_of(playing)
        assert (fault.kind, fault.words) == ("server-error", "The server said: engine died")


async def test_an_aborted_reply_says_so(play: Any) -> None:
    """Case finish-abort: the loop makes a retry of it; the reader keeps the reason."""
    async with play({"text": BOX, "finish": "abort"}) as playing:
        turn = await playing.turn()
        assert (turn.finish, turn.text) == ("abort", BOX)


async def test_a_reply_lost_by_the_servers_parser_is_told_from_an_empty_one(play: Any) -> None:
    """Case all-null."""
    async with play({"text": BOX, "fault": {"kind": "empty", "tokens": 412}}) as playing:
        turn = await playing.turn()
        assert (turn.text, turn.reasoning, turn.tokens) == ("", "", 412)
        assert turn.lost_by_parser
    async with play({"text": ""}) as playing:
        turn = await playing.turn()
        assert turn.tokens == 1  # the end of the turn
        assert not turn.lost_by_parser


async def test_a_reply_that_begins_with_a_stop_string_is_empty_but_not_lost(play: Any) -> None:
    async with play({"text": "```output\n4\n```"}) as playing:
        turn = await playing.turn(stop=["```output"])
        assert (turn.text, turn.finish) == ("", "stop")
        assert turn.tokens == 4  # three backticks and the word
        assert not turn.lost_by_parser


@pytest.mark.parametrize("usage", [False, True])
async def test_a_finished_reply_does_not_wait_for_done(play: Any, usage: bool) -> None:  # noqa: FBT001
    """Case finish-no-done-hang."""
    fault = {"kind": "no_done", "usage": usage}
    async with play({"text": "a b c", "fault": fault}) as playing:
        started = asyncio.get_running_loop().time()
        async with asyncio.timeout(20):
            turn = await playing.turn(stall_s=300)
        took_s = asyncio.get_running_loop().time() - started
        assert (turn.text, turn.finish, turn.tokens) == ("a b c", "stop", 4)
        assert 0.5 < took_s < 10  # one second of grace


async def test_events_after_the_finish_reason_do_not_renew_the_patience(play: Any) -> None:
    body = [chunk("4", "stop"), chunk("5")]
    async with play({"fault": {"kind": "raw", "body": body, "then": "hang"}}) as playing:
        async with asyncio.timeout(10):
            assert text(await playing.deltas(stall_s=300)) == "45"


@pytest.mark.parametrize(("k", "estimated", "tokens"), [(2, False, 5), (0, True, 2)])
async def test_without_usage_tokens_are_counted_or_estimated_but_never_zero(
    play: Any,
    k: int,
    estimated: bool,  # noqa: FBT001
    tokens: int,
) -> None:
    """Case usage-missing: by log-probabilities, else a quarter of the characters, rounded up."""
    fault = {"kind": "no_usage"}
    async with play({"text": "a b c d", "fault": fault}) as playing:  # 7 characters
        turn = await playing.turn(k=k, return_token_ids=False)
        assert (turn.tokens, turn.tokens_estimated) == (tokens, estimated)
        turn = await playing.turn(k=0)
        assert (turn.tokens, turn.tokens_estimated) == (5, False)  # token ids
        assert turn.prompt_tokens is None


@pytest.mark.parametrize("chat", [True, False])
async def test_null_logprobs_leave_the_entropy_unknown(play: Any, chat: bool) -> None:  # noqa: FBT001
    """Case logprobs-null."""
    async with play({"text": BOX, "entropy": "none"}) as playing:
        turn = await playing.turn(chat=chat, k=5)
        assert turn.entropy.mean is None
        assert turn.tokens > 0


@pytest.mark.parametrize("chat", [True, False])
async def test_clamped_candidates_change_nothing(play: Any, chat: bool) -> None:  # noqa: FBT001
    """Case logprobs-clamped."""
    turn = {"text": "a b", "entropy": 0.4, "fault": {"kind": "clamped_logprobs", "count": 3}}
    async with play(turn) as playing:
        read = await playing.turn(chat=chat, k=5)
        assert read.entropy.mean == pytest.approx(0.4, abs=1e-6)
        assert read.entropy.dropped == 0


@pytest.mark.parametrize("chat", [True, False])
async def test_broken_logprobs_never_become_a_broken_entropy(play: Any, chat: bool) -> None:  # noqa: FBT001
    """Case logprobs-nan-literal: the best candidate is intact, the last one is no number."""
    words = ["NaN", "-Infinity", "Infinity", "null"]
    turn = {"text": "a b c d e f g", "fault": {"kind": "nan_logprobs", "every": 1, "values": words}}
    async with play(turn) as playing:
        read = await playing.turn(chat=chat, k=3)
        assert read.text == "a b c d e f g"
        assert read.entropy.tokens == 8
        assert read.entropy.mean is not None
        assert math.isfinite(read.entropy.mean)
    async with play(turn) as playing:
        # With one candidate a token nothing is left but -inf, which is nothing to read either.
        read = await playing.turn(chat=chat, k=1)
        assert (read.entropy.mean, read.entropy.dropped) == (None, 8)


async def test_collapsed_candidates_leave_a_lower_bound(play: Any) -> None:
    """Case logprobs-collapsed: the sampled token's own entry is missing.

    For 1.0 nats among five candidates and the rest, p is the best's probability and each other one
    has (1 - p)/5. What is listed is four of those; the best and the rest are one outcome.
    """
    best = best_probability(1.0, 5)
    other = (1 - best) / 5
    expected = -4 * other * math.log(other) - (best + other) * math.log(best + other)
    turn = {"text": "a b", "entropy": 1.0, "fault": {"kind": "collapsed_logprobs"}}
    async with play(turn) as playing:
        read = await playing.turn(chat=False, k=5)
        assert read.entropy.mean == pytest.approx(expected, abs=1e-6)
        assert 0 < expected < 1.0


async def test_thoughts_alone_are_no_answer(play: Any) -> None:
    """Case reasoning-only-length."""
    turn = {"text": "", "reasoning": "so \\boxed{12}", "finish": "length"}
    async with play(turn) as playing:
        read = await playing.turn()
        assert (read.text, read.reasoning, read.finish) == ("", "so \\boxed{12}", "length")
        assert not read.lost_by_parser


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "both"])
async def test_thoughts_come_once_under_either_name(play: Any, field: str) -> None:
    """Case reasoning-field-name."""
    thoughts = "Try:\n```python\nprint(1)\n```\nso \\boxed{7}"
    turn = {"text": BOX, "reasoning": thoughts, "reasoning_field": field}
    async with play(turn) as playing:
        read = await playing.turn(thinks=True)
        assert (read.text, read.reasoning, read.cut) == (BOX, thoughts, None)


@pytest.mark.parametrize("thinks", [True, False])
async def test_the_tail_of_thoughts_in_the_content_is_not_said(play: Any, thinks: bool) -> None:  # noqa: FBT001
    """Case think-tail-in-content; with stop strings the marker comes in pieces."""
    content = f"so \\boxed{{7}}</think>{BOX}"
    async with play({"text": content, "reasoning": "Hm, "}) as playing:
        read = await playing.turn(thinks=thinks, stop=["```output"])
        assert read.text == BOX
        assert read.reasoning == "Hm, so \\boxed{7}</think>"


async def test_thoughts_misfiled_as_content_are_thoughts_of_a_known_thinker(play: Any) -> None:
    """Case reasoning-misfiled-as-content."""
    async with play({"text": "so \\boxed{7}, or", "finish": "length"}) as playing:
        read = await playing.turn(thinks=True)
        assert (read.text, read.reasoning) == ("", "so \\boxed{7}, or")


async def test_logprobs_that_the_server_cannot_write_are_their_own_fault(play: Any) -> None:
    """Case logprobs-nan-500."""
    words = "Out of range float values are not JSON compliant: nan"
    fault = {"kind": "http", "status": 500, "message": words}
    async with play({"fault": fault}) as playing:
        fault = await fault_of(playing)
        assert (fault.kind, fault.words) == ("logprobs", f"The server said: {words} (HTTP 500)")


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "max_tokens must be at least 1, got -186.", "refused"),
        (401, "Unauthorized", "unauthorized"),
        (404, "The model `x` does not exist.", "refused"),
        (408, "Request timeout", "server-error"),
        (500, "engine died", "server-error"),
        (503, "overloaded", "server-error"),
    ],
)
async def test_http_errors_keep_the_servers_words(
    play: Any, status: int, message: str, kind: FaultKind
) -> None:
    fault = {"kind": "http", "status": status, "message": message}
    async with play({"fault": fault}) as playing:
        fault = await fault_of(playing)
        assert (fault.kind, fault.words) == (kind, f"The server said: {message} (HTTP {status})")
        assert (fault.retry_after_s, fault.raw) == (None, "")


async def test_a_prompt_over_the_context_is_refused_as_such(play: Any) -> None:
    async with play(max_model_len=64) as playing:
        fault = await fault_of(playing, max_tokens=100)
        assert fault.kind == "context"
        assert "maximum context length is 64 tokens" in fault.words


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None), ("1.5", None)],
)
async def test_busy_servers_may_say_how_long(play: Any, header: str, seconds: float | None) -> None:
    headers = {"Retry-After": header}
    fault = {"kind": "http", "status": 429, "message": "slow down", "headers": headers}
    async with play({"fault": fault}) as playing:
        fault = await fault_of(playing)
        assert (fault.kind, fault.retry_after_s) == ("server-error", seconds)


async def test_an_html_page_instead_of_an_error_is_kept_and_not_shown(play: Any) -> None:
    fault = {"kind": "http", "status": 502, "body": "<html>Bad Gateway</html>"}
    async with play({"fault": fault}) as playing:
        fault = await fault_of(playing)
        assert fault.kind == "server-error"
        assert fault.words == "The server said: no reason given (HTTP 502)"
        assert fault.raw == "<html>Bad Gateway</html>"


async def test_an_html_page_instead_of_a_stream_is_no_reply(play: Any) -> None:
    page = {"kind": "raw", "body": ["<html>hello</html>"], "content_type": "text/html"}
    async with play({"fault": page}) as playing:
        assert (await fault_of(playing)).kind == "cut"
