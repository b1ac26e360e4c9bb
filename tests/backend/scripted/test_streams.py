from __future__ import annotations

import asyncio
import json
import math
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


async def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the server has no events to wait for
            await asyncio.sleep(0.005)


async def test_a_streamed_completion_has_the_chunks_of_vllm(play: Any, parse_events: Any) -> None:
    async with play({"text": "is 4"}) as playing:
        reply = await playing.complete(
            "2+2",
            stream=True,
            stream_options={"include_usage": True},
            logprobs=0,
            return_token_ids=True,
            request_id="abc",
        )
        assert reply.headers["content-type"].startswith("text/event-stream")
        *chunks, usage, done = parse_events(reply.text)
        assert done == "[DONE]"
        for chunk in [*chunks, usage]:
            assert isinstance(chunk.pop("created"), int)
        assert usage == {
            "id": "cmpl-abc",
            "object": "text_completion",
            "model": "scripted",
            "choices": [],
            "usage": {"prompt_tokens": 3, "total_tokens": 6, "completion_tokens": 3},
        }
        choices = [chunk["choices"][0] for chunk in chunks]
        assert [choice["text"] for choice in choices] == ["is", " 4", ""]
        assert [choice["finish_reason"] for choice in choices] == [None, None, "stop"]
        assert [len(choice["token_ids"]) for choice in choices] == [1, 1, 1]
        assert len(choices[0]["prompt_token_ids"]) == 3
        assert choices[1]["prompt_token_ids"] is None
        assert choices[1]["logprobs"]["text_offset"] == [2]
        assert choices[1]["logprobs"]["tokens"] == [" 4"]
        assert list(choices[0]) == [
            *("index", "text", "logprobs", "finish_reason", "stop_reason"),
            *("prompt_token_ids", "token_ids"),
        ]


async def test_a_streamed_chat_has_the_chunks_of_vllm(play: Any, parse_events: Any) -> None:
    async with play({"text": "is 4", "reasoning": "hm"}) as playing:
        reply = await playing.chat(stream=True, logprobs=True, top_logprobs=2)
        *chunks, done = parse_events(reply.text)
        assert done == "[DONE]"  # no usage: it was not asked for
        assert chunks[0]["object"] == "chat.completion.chunk"
        choices = [chunk["choices"][0] for chunk in chunks]
        assert [choice["delta"] for choice in choices] == [
            {"role": "assistant", "content": ""},
            {"reasoning": "hm"},
            {"content": "is"},
            {"content": " 4"},
            {"content": ""},
        ]
        entry = choices[3]["logprobs"]["content"][0]
        assert (entry["token"], entry["bytes"]) == (" 4", [32, 52])
        assert [candidate["token"] for candidate in entry["top_logprobs"]] == [" 4", " the"]
        assert choices[4]["finish_reason"] == "stop"
        assert choices[4]["token_ids"] is None


async def test_streamed_tool_calls_arrive_in_fragments(play: Any, parse_events: Any) -> None:
    calls = [
        {"name": "python", "arguments": '{"code": "print(1)"}', "id": "call_a"},
        {"name": "python", "arguments": "{}", "id": "call_b"},
    ]
    async with play({"tool_calls": calls}) as playing:
        *chunks, _done = parse_events((await playing.chat(stream=True)).text)
        deltas = [chunk["choices"][0]["delta"].get("tool_calls") for chunk in chunks]
        fragments = [delta[0] for delta in deltas if delta]
        assert fragments[0]["id"] == "call_a"
        assert fragments[0]["function"]["name"] == "python"
        assert "id" not in fragments[1]
        for number, call in enumerate(calls):
            parts = [f["function"]["arguments"] for f in fragments if f["index"] == number]
            assert "".join(parts) == call["arguments"]
        assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "both"])
async def test_reasoning_has_the_field_that_the_script_names(
    play: Any,
    parse_events: Any,
    name: str,
) -> None:
    async with play({"text": "4", "reasoning": "hm", "reasoning_field": name}) as playing:
        delta = parse_events((await playing.chat(stream=True)).text)[1]["choices"][0]["delta"]
        expected = {"reasoning", "reasoning_content"} if name == "both" else {name}
        assert delta == dict.fromkeys(expected, "hm")


async def test_the_entropy_of_the_script_comes_back(play: Any, parse_events: Any) -> None:
    async with play({"text": "The sum is 30.", "entropy": 0.7}) as playing:
        completion = parse_events((await playing.complete(stream=True, logprobs=5)).text)
        chat = parse_events((await playing.chat(stream=True, logprobs=True, top_logprobs=5)).text)
        tops = [
            list(c["choices"][0]["logprobs"]["top_logprobs"][0].values()) for c in completion[:-1]
        ]
        contents = [c["choices"][0]["logprobs"]["content"] for c in chat[1:-1]]
        tops += [[entry["logprob"] for entry in content[0]["top_logprobs"]] for content in contents]
        assert len(tops) == 12
        for top in tops:
            listed = [math.exp(logprob) for logprob in top]
            outcomes = [*listed, 1 - sum(listed)]
            assert -sum(p * math.log(p) for p in outcomes) == pytest.approx(0.7, abs=1e-6)


async def test_a_turn_without_logprobs_sends_null(play: Any, parse_events: Any) -> None:
    async with play({"text": "4", "entropy": "none"}) as playing:
        chunks = parse_events((await playing.complete(stream=True, logprobs=5)).text)[:-1]
        assert [chunk["choices"][0]["logprobs"] for chunk in chunks] == [None, None]


async def test_a_stop_string_is_never_streamed(play: Any, parse_events: Any) -> None:
    async with play({"text": "```python\nprint(4)\n```\n```output\n5\n```"}) as playing:
        reply = await playing.complete(stream=True, stop=["```output", "Problem:"])
        choices = [event["choices"][0] for event in parse_events(reply.text)[:-1]]
        assert "".join(choice["text"] for choice in choices) == "```python\nprint(4)\n```\n"
        assert choices[-1]["stop_reason"] == "```output"


async def test_two_servers_give_the_same_bytes(play: Any) -> None:
    async def stream() -> str:
        async with play({"text": "The answer is \\boxed{4}."}) as playing:
            reply = await playing.chat(stream=True, logprobs=True, top_logprobs=5)
            created = json.loads(reply.text.splitlines()[0].removeprefix("data: "))["created"]
            return str(reply.text.replace(f'"created":{created}', ""))

    assert await stream() == await stream()


async def test_timing_is_the_scripts(play: Any) -> None:
    turn = {"text": "a b c", "first_token_ms": 100, "token_ms": 50}
    async with play(turn) as playing:
        start = time.monotonic()
        await playing.chat(stream=True)
        assert time.monotonic() - start >= 0.25  # 100 ms, then three more tokens at 50 ms
        start = time.monotonic()
        await playing.chat()
        assert time.monotonic() - start >= 0.25


async def test_sixty_four_streams_run_at_once(play: Any, parse_events: Any) -> None:
    turn = {"text": "word " * 20, "first_token_ms": 4000, "token_ms": 2}
    async with play(turn) as playing:
        streams = [asyncio.create_task(playing.chat(stream=True)) for _ in range(64)]
        await wait_until(lambda: playing.server.running == 64)
        replies = await asyncio.gather(*streams)
        assert playing.server.running == 0
        for reply in replies:
            *chunks, done = parse_events(reply.text)
            text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks)
            assert (text, done) == ("word " * 20, "[DONE]")


async def test_no_more_run_than_the_server_has_places_for(play: Any) -> None:
    turn = {"text": "a", "first_token_ms": 1000}
    async with play(turn, server={"max_num_seqs": 2}) as playing:
        streams = [asyncio.create_task(playing.chat(stream=True)) for _ in range(3)]
        await wait_until(lambda: len(playing.server.requests) == 3 and playing.server.running == 2)
        waiting = [
            line
            for line in (await playing.get("/metrics")).text.splitlines()
            if line.startswith("vllm:num_requests_waiting{")
        ]
        assert waiting[0].endswith(" 1.0")
        await asyncio.gather(*streams)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_stops_the_generation(play: Any, *, stream: bool) -> None:
    async with play({"text": "word " * 1000, "token_ms": 20}) as playing:
        raws = [await playing.raw_chat(stream=stream) for _ in range(16)]
        await wait_until(lambda: playing.server.running == 16)
        assert await playing.running() == 16
        for raw in raws:
            await raw.close()
        await wait_until(lambda: playing.server.running == 0)
        # What became of a request is noted after it has left.
        await wait_until(lambda: all(r.outcome != "running" for r in playing.server.requests))
        outcomes = [r.outcome for r in playing.server.requests if r.path != "/metrics"]
        assert outcomes == ["aborted"] * 16
        counted = (await playing.get("/metrics")).text
        await asyncio.sleep(0.1)
        assert (await playing.get("/metrics")).text == counted


async def test_a_waiting_client_that_leaves_takes_no_place(play: Any) -> None:
    turn = {"text": "a", "first_token_ms": 1000}
    async with play(turn, server={"max_num_seqs": 1}) as playing:
        first = asyncio.create_task(playing.chat(stream=True))
        await wait_until(lambda: playing.server.running == 1)
        second = await playing.raw_chat()
        await wait_until(lambda: len(playing.server.requests) == 2)
        await second.close()
        await wait_until(lambda: playing.server.requests[1].outcome == "aborted")
        await first
        assert (await playing.chat()).status_code == 200


async def test_one_connection_carries_many_requests(play: Any) -> None:
    async with play({"text": "4"}) as playing:
        raw = await playing.raw_chat()
        await raw.until(b"data: [DONE]\n\n")
        await raw.until(b"0\r\n\r\n")
        raw.writer.write(b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b'"0.32.0"' in await raw.until(b"}")
        await raw.close()


async def test_stopping_the_server_ends_what_is_running(play: Any) -> None:
    async with play({"text": "word " * 1000, "token_ms": 20}) as playing:
        raw = await playing.raw_chat()
        await raw.until(b"word")
        await playing.server.stop()
        async with asyncio.timeout(20):
            await raw.reader.read()
        assert playing.server.requests[0].outcome == "stopped"
        with pytest.raises(httpx.ConnectError):
            await playing.get("/health")
        await raw.close()
