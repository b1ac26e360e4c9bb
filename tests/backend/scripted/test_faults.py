"""Each fault as a bare client sees it."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import httpx
import pytest

TEXT = "a b c d e"  # five tokens and the end


def texts(events: list[Any]) -> list[str]:
    deltas = [event["choices"][0]["delta"] for event in events if event != "[DONE]"]
    return [delta["content"] for delta in deltas if delta.get("content")]


async def test_http_is_an_error_instead_of_the_reply(play: Any) -> None:
    fault = {
        "kind": "http",
        "status": 503,
        "message": "overloaded",
        "type": "ServiceUnavailable",
        "headers": {"Retry-After": "2"},
    }
    async with play({"text": TEXT, "fault": fault}) as playing:
        reply = await playing.chat(stream=True)
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "2")
        assert reply.json() == {
            "error": {
                "message": "overloaded",
                "type": "ServiceUnavailable",
                "param": None,
                "code": 503,
            },
        }
        assert playing.server.requests[0].outcome == "refused"
        assert playing.server.requests[0].status == 503


async def test_http_may_have_any_body(play: Any) -> None:
    fault = {"kind": "http", "status": 502, "body": "<html>Bad Gateway</html>"}
    async with play({"text": TEXT, "fault": fault}) as playing:
        assert (await playing.chat()).text == "<html>Bad Gateway</html>"


async def test_a_retry_may_fare_better(play: Any) -> None:
    attempts = [
        {"turns": [{"fault": {"kind": "http", "status": 500}}]},
        {"turns": [{"text": "4"}]},
    ]
    problems = [{"contains": "", "samples": [{"attempts": attempts}]}]
    async with play(problems=problems) as playing:
        assert (await playing.chat(request_id="tir-r-s0-a0-t0")).status_code == 500
        assert (await playing.chat(request_id="tir-r-s0-a1-t0")).status_code == 200


async def test_cut_with_a_proper_end_looks_like_success_to_http(
    play: Any,
    parse_events: Any,
) -> None:
    async with play({"text": TEXT, "fault": {"kind": "cut", "after_tokens": 2}}) as playing:
        reply = await playing.chat(stream=True)
        events = parse_events(reply.text)
        assert texts(events) == ["a", " b"]
        assert "[DONE]" not in events
        assert playing.server.requests[0].outcome == "cut"


async def test_cut_by_closing_leaves_the_body_unfinished(play: Any) -> None:
    fault = {"kind": "cut", "after_tokens": 2, "how": "close"}
    async with play({"text": TEXT, "fault": fault}) as playing:
        raw = await playing.raw_chat()
        body = await raw.reader.read()
        assert b'" b"' in body
        assert not body.endswith(b"0\r\n\r\n")
        await raw.close()
        with pytest.raises(httpx.RemoteProtocolError):
            await playing.chat(stream=True)


async def test_cut_by_reset_is_a_reset(play: Any) -> None:
    fault = {"kind": "cut", "after_tokens": 2, "how": "reset"}
    async with play({"text": TEXT, "fault": fault}) as playing:
        raw = await playing.raw_chat()
        with pytest.raises(ConnectionResetError):
            await raw.reader.read()
        await raw.close()


async def test_cut_before_the_first_token_sends_headers_only(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "cut"}}) as playing:
        reply = await playing.chat(stream=True)
        assert (reply.status_code, reply.text) == (200, "")


async def test_a_whole_reply_can_be_cut_too(play: Any) -> None:
    fault = {"kind": "cut", "after_tokens": 1}
    async with play({"text": TEXT, "fault": fault}) as playing:
        reply = await playing.chat()
        assert reply.status_code == 200
        with pytest.raises(json.JSONDecodeError):
            reply.json()


async def test_hang_keeps_the_connection_open_and_silent(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "hang", "after_tokens": 1}}) as playing:
        raw = await playing.raw_chat()
        await raw.until(b'"content":"a"}')
        await raw.until(b"\n\n\r\n")
        assert await raw.silent_for(0.3)
        assert await playing.running() == 1
        await raw.close()


async def test_hang_may_send_comments_meanwhile(play: Any) -> None:
    fault = {"kind": "hang", "after_tokens": 1, "ping_ms": 5}
    async with play({"text": TEXT, "fault": fault}) as playing:
        raw = await playing.raw_chat()
        for _ in range(3):
            await raw.until(b": ping\n\n")
        await raw.close()


async def test_silent_sends_nothing_at_all(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "silent"}}) as playing:
        raw = await playing.raw_chat()
        async with asyncio.timeout(10):
            while not playing.server.requests:  # noqa: ASYNC110 - it offers no event
                await asyncio.sleep(0.005)
        assert await raw.silent_for(0.3)
        assert playing.server.requests[0].status is None
        await raw.close()


async def test_no_done_stays_open_after_the_finish_reason(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "no_done"}}) as playing:
        raw = await playing.raw_chat()
        sent = await raw.until(b'"finish_reason":"stop"')
        await raw.until(b"\n\n\r\n")
        assert await raw.silent_for(0.3)
        assert b"usage" not in sent
        await raw.close()


async def test_no_done_may_still_send_the_usage(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "no_done", "usage": True}}) as playing:
        raw = await playing.raw_chat()
        await raw.until(b'"usage":{')
        await raw.until(b"\n\n\r\n")
        assert await raw.silent_for(0.3)
        await raw.close()


async def test_no_usage_leaves_the_usage_out(play: Any, parse_events: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "no_usage"}}) as playing:
        reply = await playing.chat(stream=True, stream_options={"include_usage": True})
        events = parse_events(reply.text)
        assert events[-1] == "[DONE]"
        assert not any("usage" in event for event in events[:-1])
        assert "usage" not in (await playing.chat()).json()


async def test_bad_json_breaks_one_event_and_no_other(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "bad_json", "after_tokens": 2}}) as playing:
        lines = (await playing.chat(stream=True)).text.split("\n\n")
        data = [line.removeprefix("data: ") for line in lines if line][:-1]
        broken = []
        for number, entry in enumerate(data):
            try:
                json.loads(entry)
            except json.JSONDecodeError:
                broken.append(number)
        assert broken == [3]  # the role, two tokens, then this one


async def test_sse_error_comes_inside_a_stream_of_status_200(play: Any) -> None:
    data = {"code": 400, "details": "21 logprobs asked for, at most 20 allowed"}
    async with play({"text": TEXT, "fault": {"kind": "sse_error", "data": data}}) as playing:
        reply = await playing.chat(stream=True)
        assert reply.status_code == 200
        assert reply.text == (
            'event: error\ndata: {"code":400,"details":"21 logprobs asked for, at most 20 allowed"}'
            "\n\ndata: [DONE]\n\n"
        )


async def test_sse_error_in_the_middle_as_vllm_sends_it(play: Any, parse_events: Any) -> None:
    fault = {"kind": "sse_error", "after_tokens": 2, "event": None, "message": "engine died"}
    async with play({"text": TEXT, "fault": fault}) as playing:
        *chunks, error, _done = parse_events((await playing.chat(stream=True)).text)
        assert texts(chunks) == ["a", " b"]
        assert error["error"]["message"] == "engine died"


async def test_split_bytes_cuts_inside_characters(play: Any) -> None:
    async with play({"text": "x \N{MINUS SIGN} y", "fault": {"kind": "split_bytes"}}) as playing:
        url = f"{playing.server.base_url}/chat/completions"
        body = {"messages": [{"role": "user", "content": "a"}], "stream": True}
        async with playing.client.stream("POST", url, json=body) as reply:
            pieces = [piece async for piece in reply.aiter_raw()]
        assert {len(piece) for piece in pieces} == {1}
        whole = b"".join(pieces).decode()
        assert '"content":" \N{MINUS SIGN}"' in whole
        assert whole.endswith("data: [DONE]\n\n")


async def test_split_bytes_repeats_its_sizes(play: Any) -> None:
    async with play({"text": "4", "fault": {"kind": "split_bytes", "sizes": [7, 2]}}) as playing:
        url = f"{playing.server.base_url}/chat/completions"
        body = {"messages": [{"role": "user", "content": "a"}], "stream": True}
        async with playing.client.stream("POST", url, json=body) as reply:
            pieces = [piece async for piece in reply.aiter_raw()]
        assert [len(piece) for piece in pieces[:4]] == [7, 2, 7, 2]


async def test_comments_stand_between_the_events(play: Any, parse_events: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "comments"}}) as playing:
        text = (await playing.chat(stream=True)).text
        assert text.startswith("id: 1\n\n: ping - 12:00\n\n\ndata: ")
        assert "\n:\n\n" in text
        assert texts(parse_events(text)) == ["a", " b", " c", " d", " e"]


async def test_empty_has_usage_but_no_content(play: Any, parse_events: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "empty"}}) as playing:
        reply = await playing.chat(stream=True, stream_options={"include_usage": True})
        *chunks, usage, _done = parse_events(reply.text)
        assert texts(chunks) == []
        assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
        assert usage["usage"]["completion_tokens"] == 412
        whole = (await playing.chat()).json()
        message = whole["choices"][0]["message"]
        assert (message["content"], message["reasoning"], message["tool_calls"]) == (None, None, [])
        assert whole["usage"]["completion_tokens"] == 412


async def test_nan_logprobs_are_bare_words(play: Any) -> None:
    async with play({"text": TEXT, "fault": {"kind": "nan_logprobs"}}) as playing:
        body = (await playing.complete(logprobs=2)).text
        values = json.loads(body)["choices"][0]["logprobs"]["token_logprobs"]
        assert math.isnan(values[0])
        assert values[1] < 0
        assert values[2] == -math.inf
        assert values[4] is None
        assert '"token_logprobs":[NaN,' in body


async def test_clamped_logprobs_add_impossible_candidates(play: Any) -> None:
    async with play({"text": "4", "fault": {"kind": "clamped_logprobs", "count": 2}}) as playing:
        reply = (await playing.chat(logprobs=True, top_logprobs=2)).json()
        top = reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        assert [candidate["logprob"] for candidate in top][2:] == [-9999.0, -9999.0]


@pytest.mark.parametrize("k", [1, 5])
async def test_collapsed_logprobs_lack_the_sampled_token(play: Any, k: int) -> None:
    async with play({"text": "4", "fault": {"kind": "collapsed_logprobs"}}) as playing:
        logprobs = (await playing.complete(logprobs=k)).json()["choices"][0]["logprobs"]
        assert logprobs["tokens"][0] == "4"
        assert len(logprobs["top_logprobs"][0]) == k - 1
        assert "4" not in logprobs["top_logprobs"][0]


async def test_raw_sends_the_strings_as_they_are(play: Any) -> None:
    fault = {"kind": "raw", "body": ["data: {\n", "\n", "…"], "content_type": "text/plain"}
    async with play({"fault": fault}) as playing:
        reply = await playing.chat(stream=True)
        assert reply.text == "data: {\n\n…"
        assert reply.headers["content-type"] == "text/plain"


async def test_raw_may_hang_afterwards(play: Any) -> None:
    fault = {"kind": "raw", "body": ["data: x\n\n"], "then": "hang"}
    async with play({"fault": fault}) as playing:
        raw = await playing.raw_chat()
        await raw.until(b"data: x\n\n\r\n")
        assert await raw.silent_for(0.3)
        await raw.close()


async def test_faults_combine_in_their_order(play: Any, parse_events: Any) -> None:
    faults = [{"kind": "cut", "after_tokens": 2}, {"kind": "comments"}, {"kind": "split_bytes"}]
    async with play({"text": TEXT, "fault": faults}) as playing:
        text = (await playing.chat(stream=True)).text
        assert texts(parse_events(text)) == ["a", " b"]
        assert ": ping" in text


@pytest.mark.parametrize("finish", ["abort", "length", "content_filter"])
async def test_a_finish_reason_of_the_script_is_sent(
    play: Any,
    parse_events: Any,
    finish: str,
) -> None:
    async with play({"text": TEXT, "finish": finish}) as playing:
        *chunks, _done = parse_events((await playing.chat(stream=True)).text)
        assert chunks[-1]["choices"][0]["finish_reason"] == finish
        assert chunks[-1]["choices"][0]["delta"] == {"content": " e"}


async def test_a_fault_of_one_stream_leaves_the_others_alone(play: Any) -> None:
    samples = [
        {"turns": [{"text": TEXT, "fault": {"kind": "cut", "how": "reset"}}]},
        {"turns": [{"text": TEXT, "token_ms": 5}]},
    ]
    async with play(problems=[{"contains": "", "samples": samples}]) as playing:
        good = [playing.chat(stream=True, request_id=f"tir-r-s{n}-a0-t0") for n in (1, 3, 5)]
        bad = [playing.chat(stream=True, request_id=f"tir-r-s{n}-a0-t0") for n in (0, 2, 4)]
        replies = await asyncio.gather(*good, *bad, return_exceptions=True)
        assert all(isinstance(reply, httpx.Response) for reply in replies[:3])
        assert all(isinstance(reply, httpx.TransportError) for reply in replies[3:])
