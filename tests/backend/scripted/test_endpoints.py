from __future__ import annotations

from typing import Any

import httpx
import pytest

from jupyterlab_tir.backend.scripted import ScriptedServer, echo_script
from jupyterlab_tir.errors import ServeError, UsageError


async def test_a_vllm_server_says_who_it_is(play: Any) -> None:
    settings = {"model": "m", "max_model_len": 512, "vllm_version": "0.32.0"}
    async with play({"text": "4"}, server=settings) as playing:
        assert (await playing.get("/health")).status_code == 200
        assert (await playing.get("/version")).json() == {"version": "0.32.0"}
        models = (await playing.get("/v1/models")).json()
        assert models["object"] == "list"
        card = models["data"][0]
        assert isinstance(card.pop("created"), int)
        assert card == {
            "id": "m",
            "object": "model",
            "owned_by": "vllm",
            "root": "m",
            "parent": None,
            "max_model_len": 512,
            "permission": [],
        }


async def test_another_kind_of_server_has_only_the_openai_endpoints(play: Any) -> None:
    async with play({"text": "4"}, server={"kind": "other"}) as playing:
        for path in ("/version", "/metrics"):
            assert (await playing.get(path)).status_code == 404
        assert (await playing.post("/tokenize", {"prompt": "a"})).status_code == 404
        card = (await playing.get("/v1/models")).json()["data"][0]
        assert "max_model_len" not in card
        choice = (await playing.chat(return_token_ids=True)).json()["choices"][0]
        assert "token_ids" not in choice
        assert choice["message"]["content"] == "4"


async def test_metrics_count_what_was_generated(play: Any) -> None:
    async with play({"text": "one two three"}) as playing:
        await playing.chat()
        lines = (await playing.get("/metrics")).text.splitlines()
        labels = '{engine="0",model_name="scripted"}'
        assert f"vllm:generation_tokens_total{labels} 4.0" in lines  # three words and the end
        assert f"vllm:num_requests_running{labels} 0.0" in lines
        assert f"vllm:num_requests_waiting{labels} 0.0" in lines
        assert f"vllm:kv_cache_usage_perc{labels} 0.0" in lines
        assert "# TYPE vllm:generation_tokens counter" in lines


async def test_tokenize_counts_as_the_usage_does(play: Any) -> None:
    async with play({"text": "4"}) as playing:
        messages = [{"role": "user", "content": "What is 12345?"}]
        body = {"messages": messages, "return_token_strs": True}
        tokenized = (await playing.post("/tokenize", body)).json()
        # <|im_start|> user \n What _is _123 45 ? <|im_end|> \n <|im_start|> assistant \n
        assert tokenized["count"] == 13
        assert tokenized["token_strs"][3:8] == ["What", " is", " 123", "45", "?"]
        assert tokenized["max_model_len"] == 32768
        usage = (await playing.chat("What is 12345?")).json()["usage"]
        assert usage["prompt_tokens"] == 13
        text = await playing.post("/detokenize", {"tokens": tokenized["tokens"][3:8]})
        assert text.json() == {"prompt": "What is 12345?"}


async def test_a_prompt_of_token_ids_is_read_back(play: Any) -> None:
    async with play({"text": "So: ", "echo": True}) as playing:
        tokens = (await playing.post("/tokenize", {"prompt": "Problem: 3+4?\n\nS"})).json()[
            "tokens"
        ]
        reply = await playing.post("/v1/completions", {"prompt": tokens})
        assert reply.json()["choices"][0]["text"] == "So: 3+4?"


async def test_without_a_chat_template_chats_are_refused_as_vllm_does(play: Any) -> None:
    async with play({"text": "4"}, server={"chat_template": False}) as playing:
        messages = [{"role": "user", "content": "a"}]
        for path in ("/tokenize", "/v1/chat/completions"):
            reply = await playing.post(path, {"messages": messages})
            assert reply.status_code == 400
            assert "default chat template is no longer allowed" in reply.json()["error"]["message"]
        assert (await playing.complete()).status_code == 200


async def test_a_whole_completion_has_the_fields_of_vllm(play: Any) -> None:
    async with play({"text": "is 4"}) as playing:
        body = (
            await playing.complete("2+2", logprobs=1, return_token_ids=True, request_id="abc")
        ).json()
        assert isinstance(body.pop("created"), int)
        choice = body["choices"][0]
        assert len(choice.pop("token_ids")) == 3
        assert len(choice.pop("prompt_token_ids")) == 3
        logprobs = choice.pop("logprobs")
        assert logprobs["tokens"] == ["is", " 4", "<|im_end|>"]
        assert logprobs["text_offset"] == [0, 2, 4]
        assert [list(top) for top in logprobs["top_logprobs"]] == [["is"], [" 4"], ["<|im_end|>"]]
        assert logprobs["token_logprobs"][0] == logprobs["top_logprobs"][0]["is"] < 0
        assert choice == {
            "index": 0,
            "text": "is 4",
            "finish_reason": "stop",
            "stop_reason": None,
            "prompt_logprobs": None,
        }
        del body["choices"]
        assert body == {
            "id": "cmpl-abc",
            "object": "text_completion",
            "model": "scripted",
            "service_tier": None,
            "system_fingerprint": None,
            "usage": {
                "prompt_tokens": 3,
                "total_tokens": 6,
                "completion_tokens": 3,
                "prompt_tokens_details": None,
            },
            "kv_transfer_params": None,
        }


async def test_a_whole_chat_has_the_fields_of_vllm(play: Any) -> None:
    call = {"name": "python", "arguments": '{"code": "1"}', "id": "call_a"}
    async with play({"reasoning": "hm", "tool_calls": [call]}) as playing:
        choice = (await playing.chat()).json()["choices"][0]
        assert choice == {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "annotations": None,
                "audio": None,
                "function_call": None,
                "reasoning": "hm",
                "tool_calls": [
                    {
                        "id": "call_a",
                        "type": "function",
                        "function": {"name": "python", "arguments": '{"code": "1"}'},
                    },
                ],
            },
            "logprobs": None,
            "finish_reason": "tool_calls",
            "stop_reason": None,
            "token_ids": None,
        }


def long_chat(**fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "word " * 600}], **fields}


CHAT = {"messages": [{"role": "user", "content": "a"}]}


@pytest.mark.parametrize(
    ("body", "status", "kind", "param", "message"),
    [
        ({**CHAT, "model": "x"}, 404, "NotFoundError", "model", "The model `x` does not exist."),
        (
            {**CHAT, "logprobs": True, "top_logprobs": 21},
            *(400, "BadRequestError", "logprobs"),
            "Requested sample logprobs of 21, which is greater than max allowed: 20",
        ),
        (
            {**CHAT, "top_logprobs": 3},
            *(400, "BadRequestError", "top_logprobs"),
            "when using `top_logprobs`, `logprobs` must be set to true.",
        ),
        (
            {**CHAT, "max_tokens": -186},
            *(400, "BadRequestError", "max_tokens"),
            "max_tokens must be at least 1, got -186.",
        ),
        (
            {**CHAT, "stream_options": {"include_usage": True}},
            *(400, "BadRequestError", "stream_options"),
            "Stream options can only be defined when `stream=True`.",
        ),
        (
            {**CHAT, "max_tokens": "many"},
            *(400, "Bad Request", "body.max_tokens"),
            "1 validation error:",
        ),
        ({"model": "scripted"}, 400, "Bad Request", "body", "1 validation error:"),
        (
            long_chat(max_tokens=100),
            *(400, "BadRequestError", "input_tokens"),
            "This model's maximum context length is 512 tokens. However, you requested 100 output",
        ),
        (
            long_chat(),
            *(400, "BadRequestError", "input_tokens"),
            "This model's maximum context length is 512 tokens.",
        ),
    ],
)
async def test_what_vllm_refuses_is_refused_in_its_words(
    play: Any,
    body: dict[str, Any],
    status: int,
    kind: str,
    param: str,
    message: str,
) -> None:
    async with play({"text": "4"}, server={"max_model_len": 512}) as playing:
        reply = await playing.post("/v1/chat/completions", body)
        assert reply.status_code == status
        error = reply.json()["error"]
        assert error.pop("message").startswith(message)
        assert error == {"type": kind, "param": param, "code": status}
        assert playing.server.requests[0].outcome == "refused"


async def test_malformed_json_is_a_bad_request(play: Any) -> None:
    async with play({"text": "4"}) as playing:
        url = f"{playing.root}/v1/completions"
        reply = await playing.client.post(url, content=b'{"prompt": ')
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, 400)


async def test_a_key_guards_the_api_and_is_not_kept(play: Any) -> None:
    async with play({"text": "4"}, server={"api_key": "s3cret"}) as playing:
        refused = await playing.get("/v1/models")
        assert (refused.status_code, refused.json()) == (401, {"error": "Unauthorized"})
        assert (await playing.get("/health")).status_code == 200
        headers = {"authorization": "Bearer s3cret"}
        assert (await playing.get("/v1/models", headers=headers)).status_code == 200
        assert "s3cret" not in repr(playing.server.requests)


async def test_what_was_received_is_kept_for_tests(play: Any) -> None:
    async with play({"text": "4"}) as playing:
        await playing.chat("2+2?", seed=7, request_id="tir-r-s0-a0-t0")
        received = playing.server.requests[0]
        assert (received.method, received.path) == ("POST", "/v1/chat/completions")
        assert received.body["seed"] == 7
        assert received.headers["x-request-id"] == "tir-r-s0-a0-t0"
        assert (received.outcome, received.status, received.tokens_sent) == ("finished", 200, 2)
        assert (received.sample, received.attempt, received.turn) == (0, 0, 0)


async def test_what_is_not_http_is_answered_and_closed(play: Any) -> None:
    import asyncio

    async with play({"text": "4"}) as playing:
        port = int(playing.root.rsplit(":", 1)[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"NOT HTTP AT ALL\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 400")
        writer.close()
        await writer.wait_closed()


async def test_only_loopback_is_served() -> None:
    with pytest.raises(UsageError, match=r"cannot listen on 0\.0\.0\.0"):
        ScriptedServer(echo_script(), host="0.0.0.0")  # noqa: S104 - refused


async def test_a_taken_port_is_one_sentence() -> None:
    async with ScriptedServer(echo_script()) as server:
        port = httpx.URL(server.base_url).port
        assert port is not None
        with pytest.raises(ServeError, match=f"cannot listen on 127.0.0.1:{port} .*another port"):
            await ScriptedServer(echo_script(), port=port).start()


async def test_the_address_is_known_only_after_the_start() -> None:
    with pytest.raises(UsageError, match="start it first"):
        _ = ScriptedServer(echo_script()).base_url
