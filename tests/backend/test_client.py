"""The client besides what a stream holds: closing, stalls, questions, keys, addresses."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

import pytest

from jupyterlab_tir.backend.client import Client, Request
from jupyterlab_tir.backend.faults import BackendFault

LONG = {"text": "a " * 2000, "token_ms": 2}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def running(playing: Any, count: int) -> None:
    """Wait until the server runs so many requests."""
    async with asyncio.timeout(20):
        while playing.server.running != count:  # noqa: ASYNC110 - it offers no event
            await asyncio.sleep(0.005)


async def test_closing_a_stream_aborts_its_request_on_the_server(play: Any) -> None:
    async with play(LONG) as playing:
        async with contextlib.aclosing(playing.stream()) as stream:
            async for delta in stream:
                if delta.text:
                    assert await playing.client.running_requests() == 1
                    break
        await running(playing, 0)
        assert playing.server.requests[0].outcome == "aborted"
        assert playing.server.requests[0].tokens_sent < 2000


async def test_cancelling_the_reader_aborts_its_request_on_the_server(play: Any) -> None:
    async with play(LONG) as playing:
        reading = asyncio.create_task(playing.deltas())
        await running(playing, 1)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await running(playing, 0)
        assert playing.server.requests[0].outcome == "aborted"


async def test_a_request_closed_before_its_first_token_is_aborted(play: Any) -> None:
    async with play({"text": "a", "fault": {"kind": "silent"}}) as playing:
        reading = asyncio.create_task(playing.deltas())
        await running(playing, 1)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await running(playing, 0)


async def test_sixty_four_streams_at_once_are_independent(play: Any) -> None:
    async with play({"text": "a b c", "token_ms": 1}) as playing:
        replies = await asyncio.gather(
            *(playing.deltas(request_id=f"tir-run-s{n}-a0-t0") for n in range(64))
        )
        assert {"".join(delta.text for delta in reply) for reply in replies} == {"a b c"}
        assert {request.sample for request in playing.server.requests} == set(range(64))
        await running(playing, 0)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "silent"},
        {"kind": "hang", "after_tokens": 0},
        {"kind": "hang", "after_tokens": 2},
        {"kind": "hang", "after_tokens": 2, "ping_ms": 20},
    ],
)
async def test_no_token_for_too_long_is_a_stall_whatever_comments_come(
    play: Any, fault: dict[str, Any]
) -> None:
    async with play({"text": "a b c d", "fault": fault}) as playing:
        async with asyncio.timeout(10):
            with pytest.raises(BackendFault) as caught:
                await playing.deltas(stall_s=0.3)
        assert (caught.value.kind, caught.value.words) == (
            "stalled",
            "The server sent no token for 0.3 s.",
        )
        await running(playing, 0)


async def test_each_token_renews_the_patience(play: Any) -> None:
    async with play({"text": "a b c d e f", "token_ms": 500}) as playing:  # 3 s in all
        deltas = await playing.deltas(stall_s=2.5)
        assert "".join(delta.text for delta in deltas) == "a b c d e f"


async def test_no_server_at_the_address_is_one_sentence() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    async with Client(url) as client:
        request = Request(endpoint="/completions", body={}, request_id="x", top_logprobs=0)
        for asking in (
            anext(client.stream(request, stall_s=5)),
            client.get(f"{url}/models"),
            client.post(f"{url}/completions", {}),
            client.count_tokens({"prompt": "a"}),
            client.running_requests(),
        ):
            with pytest.raises(BackendFault) as caught:
                await asking
            assert caught.value.kind == "unreachable"
            assert caught.value.words == (
                f"No server answers at {url} (All connection attempts failed)."
            )


async def test_what_does_not_speak_http_is_no_server() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"220 mail.example ESMTP\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(shout, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, Client(url) as client:
        with pytest.raises(BackendFault, match=f"{url} hung up or does not speak HTTP"):
            await client.get(f"{url}/models")


async def test_the_prompt_is_counted_as_the_server_reads_it(play: Any) -> None:
    async with play() as playing:
        assert await playing.client.count_tokens({"prompt": "17 times 23"}) == 3
        messages = [{"role": "user", "content": "17 times 23"}]
        assert await playing.client.count_tokens({"messages": messages}) > 3
    async with play(kind="other") as playing:
        with pytest.raises(BackendFault, match="Not Found"):
            await playing.client.count_tokens({"prompt": "17"})


async def test_a_count_that_is_no_number_is_a_fault(answer: Any) -> None:
    async with (
        answer({"/tokenize": (200, {"tokens": []})}) as plain,
        Client(plain.base_url) as asker,
    ):
        with pytest.raises(BackendFault, match="did not count"):
            await asker.count_tokens({"prompt": "a"})


@pytest.mark.parametrize(
    ("metrics", "running"),
    [
        ("# TYPE x gauge\nvllm:num_requests_running 3\n", 3),
        ('vllm:num_requests_running{engine="0",model_name="a}b"} 16.0\n', 16),
        (
            'vllm:num_requests_running{engine="0"} 2\nvllm:num_requests_running{engine="1"} 1\n',
            3,
        ),
        ("vllm:num_requests_waiting 3\n", None),
        ("<html></html>", None),
    ],
)
async def test_running_requests_are_those_of_all_engines(
    answer: Any, metrics: str, running: int | None
) -> None:
    async with answer({"/metrics": (200, metrics)}) as plain, Client(plain.base_url) as client:
        assert await client.running_requests() == running


async def test_a_server_without_metrics_does_not_say_what_it_runs(answer: Any) -> None:
    async with answer({}) as plain, Client(plain.base_url) as client:
        assert await client.running_requests() is None


async def test_errors_of_small_questions_keep_the_servers_words(answer: Any) -> None:
    refusal = {"error": {"message": "no chat template"}}
    replies = {"/v1/chat/completions": (400, refusal), "/v1/completions": (503, "<html>")}
    async with answer(replies) as plain, Client(plain.base_url) as client:
        with pytest.raises(BackendFault, match="The server said: no chat template") as caught:
            await client.post(f"{plain.base_url}/chat/completions", {})
        assert caught.value.kind == "refused"
        with pytest.raises(BackendFault, match="no reason given") as caught:
            await client.post(f"{plain.base_url}/completions", {})
        assert caught.value.kind == "server-error"


async def test_the_request_says_who_asks_and_holds_the_key(play: Any) -> None:
    async with play(api_key="s3cret") as playing:
        await playing.deltas(request_id="tir-run-s3-a1-t0", seed=7)
        received = playing.server.requests[0]
        assert received.headers["x-request-id"] == "tir-run-s3-a1-t0"
        assert (received.sample, received.attempt, received.body["seed"]) == (3, 1, 7)
        assert "s3cret" not in repr(vars(playing.client)) + repr(playing.client)


async def test_a_wrong_key_is_refused_without_showing_it(play: Any) -> None:
    async with (
        play(api_key="s3cret") as playing,
        Client(playing.server.base_url, "wr0ng") as client,
    ):
        request = Request(endpoint="/completions", body={}, request_id="x", top_logprobs=0)
        with pytest.raises(BackendFault) as caught:
            await anext(client.stream(request, stall_s=5))
        assert caught.value.kind == "unauthorized"
        assert "wr0ng" not in repr(caught.value) + caught.value.words + caught.value.raw


async def test_a_key_that_the_server_repeats_is_not_passed_on(play: Any, answer: Any) -> None:
    refusal = {"error": {"message": "Invalid key: Bearer s3cret"}}
    async with answer({"/v1/x": (401, refusal)}) as plain, Client(plain.base_url, "s3cret") as ours:
        with pytest.raises(BackendFault, match="The server said: Invalid key: Bearer …"):
            await ours.post(f"{plain.base_url}/x", {})
    page = {"kind": "http", "status": 429, "body": "s3cret", "headers": {"Retry-After": "2"}}
    async with play({"fault": page}, api_key="s3cret") as playing:
        with pytest.raises(BackendFault) as caught:
            await playing.deltas()
        assert (caught.value.raw, caught.value.retry_after_s) == ("…", 2.0)
    error = {"kind": "sse_error", "code": 500, "message": "no s3cret here"}
    async with play({"fault": error}, api_key="s3cret") as playing:
        with pytest.raises(BackendFault) as caught:
            await playing.deltas()
        assert (caught.value.kind, caught.value.words) == (
            "server-error",
            "The server said: no … here",
        )


@pytest.mark.parametrize(
    ("base_url", "root"),
    [
        ("http://h:1/v1", "http://h:1"),
        ("http://h:1/v1/", "http://h:1"),
        ("http://h:1/api/v2", "http://h:1/api"),
        ("http://h:1", "http://h:1"),
    ],
)
async def test_the_root_is_the_address_without_its_version(base_url: str, root: str) -> None:
    async with Client(base_url) as client:
        assert client.root_url == root


async def test_a_proxy_does_not_come_between_us_and_loopback(
    play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    async with play() as playing, Client(playing.server.base_url) as client:
        assert (await client.get(f"{client.base_url}/models")).status_code == 200
