from __future__ import annotations

from typing import Any

import httpx
import pytest

from jupyterlab_tir.backend.scripted import ScriptedServer, echo_script

TWO_SAMPLES = [
    {
        "contains": "squares",
        "samples": [
            {
                "turns": [
                    {"text": "A0 ```python\nprint(385)\n```\n"},
                    {"text": "A1", "result_contains": "385"},
                ],
            },
            {
                "attempts": [
                    {"turns": [{"text": "B first"}]},
                    {"turns": [{"text": "B second"}]},
                ],
            },
        ],
    },
    {"contains": "cubes", "samples": [{"turns": [{"text": "C0"}]}]},
]


def text_of(response: httpx.Response) -> str:
    assert response.status_code == 200, response.text
    choice = response.json()["choices"][0]
    return str(choice["text"] if "text" in choice else choice["message"]["content"])


@pytest.mark.parametrize(
    ("request_id", "expected"),
    [
        ("tir-20261129-ab-s0-a0-t0", "A0 ```python\nprint(385)\n```\n"),
        ("tir-x-s1-a0-t0", "B first"),
        ("tir-x-s1-a1-t0", "B second"),
        ("tir-x-s3-a7-t0", "B second"),  # 3 is 1 modulo 2; the seventh retry is the last one's
        ("tir-x-s1-a0-t1", ""),  # past the end: an empty reply
    ],
)
async def test_the_request_id_names_sample_attempt_and_turn(
    play: Any,
    request_id: str,
    expected: str,
) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        reply = await playing.complete("Problem: sum of squares", request_id=request_id)
        assert text_of(reply) == expected
        assert reply.json()["choices"][0]["finish_reason"] == "stop"


async def test_worked_examples_do_not_choose_the_problem(play: Any) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        prompt = "Problem: sum of squares\nAnswer: 3\n\nProblem: sum of cubes\n\nSolution:"
        assert text_of(await playing.complete(prompt)) == "C0"


async def test_a_problem_that_no_phrase_fits_is_refused_with_a_sentence(play: Any) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        reply = await playing.chat("What is 2+2?")
        assert reply.status_code == 422
        assert "No problem of the script fits this request" in reply.json()["error"]["message"]


async def test_without_our_header_requests_take_samples_in_order_of_arrival(play: Any) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        texts = [text_of(await playing.complete("Problem: squares")) for _ in range(3)]
        assert [text[:2] for text in texts] == ["A0", "B ", "A0"]


async def test_without_our_header_the_conversation_names_the_turn(play: Any) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        first = text_of(await playing.complete("Problem: squares\n\n"))
        await playing.complete("Problem: squares\n\n")
        prompt = f"Problem: squares\n\n{first}```output\n385\n```\n"
        assert text_of(await playing.complete(prompt)) == "A1"
        assert [(r.sample, r.turn) for r in playing.server.requests] == [(0, 0), (1, 0), (0, 1)]


async def test_samples_with_the_same_first_reply_are_continued_one_after_the_other(
    play: Any,
) -> None:
    samples = [{"turns": [{"text": "same"}, {"text": second}]} for second in ("A1", "B1")]
    async with play(problems=[{"contains": "", "samples": samples}]) as playing:
        for _ in samples:
            await playing.complete("Problem: x\n\n")
        prompt = "Problem: x\n\nsame\n```output\n1\n```\n"
        assert [text_of(await playing.complete(prompt)) for _ in samples] == ["A1", "B1"]


async def test_a_chat_counts_its_assistant_messages(play: Any) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        messages = [
            {"role": "user", "content": "squares"},
            {"role": "assistant", "content": "A0 ```python\nprint(385)\n```\n"},
            {"role": "user", "content": "```output\n385\n```"},
        ]
        reply = await playing.post("/v1/chat/completions", {"messages": messages})
        assert text_of(reply) == "A1"


async def test_an_unexpected_code_result_is_refused_with_both_texts(play: Any) -> None:
    async with play(problems=TWO_SAMPLES) as playing:
        prompt = "Problem: squares\n\nA0\n```output\n384\n```\n"
        reply = await playing.complete(prompt, request_id="tir-x-s0-a0-t1")
        assert reply.status_code == 422
        message = reply.json()["error"]["message"]
        assert "expects '385'" in message
        assert "384" in message
        assert "problems[0].samples[0], turn 1" in message


@pytest.mark.parametrize(("follows", "mark"), [(True, "```python"), (False, "56088, so")])
async def test_the_probe_shows_whether_the_chat_writes_code(
    play: Any,
    *,
    follows: bool,
    mark: str,
) -> None:
    async with play({"text": "no"}, server={"chat_follows_code": follows}) as playing:
        reply = await playing.chat("What is 123 * 456?", request_id="tir-probe-1")
        assert mark in text_of(reply)


async def test_the_probe_ends_with_a_boxed_answer_in_its_second_turn(play: Any) -> None:
    async with play({"text": "no"}) as playing:
        messages = [
            {"role": "user", "content": "What is 123 * 456?"},
            {"role": "assistant", "content": "```python\nprint(123 * 456)\n```"},
            {"role": "user", "content": "56088"},
        ]
        headers = {"x-request-id": "tir-probe-1"}
        reply = await playing.post("/v1/chat/completions", {"messages": messages}, headers=headers)
        assert text_of(reply) == "The answer is \\boxed{56088}."


async def test_echo_sends_the_problem_back() -> None:
    async with ScriptedServer(echo_script()) as server, httpx.AsyncClient() as client:
        messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "$2^{10}$ %"}]
        body = {"messages": messages}
        reply = await client.post(f"{server.base_url}/chat/completions", json=body)
        assert text_of(reply) == "The problem reads: $2^{10}$ %"
        prompt = "Problem: 1\n\nSolution: 1\n\nProblem: What is 2+2?\n\nSolution:"
        body = {"prompt": prompt, "max_tokens": 50}
        reply = await client.post(f"{server.base_url}/completions", json=body)
        assert text_of(reply) == "The problem reads: What is 2+2?"
