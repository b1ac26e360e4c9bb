"""Chunks and error objects as servers of several ages write them."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.backend.faults import BackendFault
from jupyterlab_tir.backend.wire import Delta, decode_json, error_fault, read_chunk

LN2 = math.log(2)


def read(chunk: Any, k: int = 2) -> Delta:
    return read_chunk(json.dumps(chunk), k=k)


def chat(delta: dict[str, Any], **choice: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, **choice}]}


def top(*logprobs: Any) -> dict[str, Any]:
    return {"token": "a", "top_logprobs": [{"token": "a", "logprob": value} for value in logprobs]}


def test_a_completion_chunk() -> None:
    logprobs = {"tokens": ["3", "9"], "top_logprobs": [{"3": -LN2, "4": -LN2}, {"9": 0.0}]}
    choice = {"text": "39", "logprobs": logprobs, "token_ids": [7, 8], "finish_reason": None}
    assert read({"choices": [choice]}) == Delta(text="39", tokens=2, entropies=(LN2, 0.0))


def test_a_chat_chunk() -> None:
    assert read(chat({"content": "39"}, logprobs={"content": [top(-LN2, -LN2)]})) == Delta(
        text="39", tokens=1, entropies=(LN2,)
    )


def test_the_role_chunk_adds_nothing() -> None:
    assert read(chat({"role": "assistant", "content": ""}, finish_reason=None)) == Delta()


def test_the_last_chunk_says_why_and_the_usage_chunk_how_much() -> None:
    assert read(chat({}, finish_reason="length")) == Delta(finish="length")
    stopped = chat({}, finish_reason="stop", stop_reason="```output")
    assert read(stopped) == Delta(finish="stop", stopped_by="```output")
    assert read(chat({}, finish_reason="stop", stop_reason=151645)) == Delta(finish="stop")
    usage = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46}
    assert read({"choices": [], "usage": usage}) == Delta(prompt_tokens=12, completion_tokens=34)


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning": "hm"},
        {"reasoning_content": "hm"},
        {"reasoning": "hm", "reasoning_content": "hm"},
        {"reasoning": None, "reasoning_content": "hm"},
    ],
)
def test_reasoning_has_two_names_and_is_read_once(delta: dict[str, Any]) -> None:
    assert read(chat({"content": None, **delta})) == Delta(reasoning="hm")


def test_tokens_are_counted_by_ids_else_by_logprobs_else_not() -> None:
    two = {"content": [top(0.0), top(0.0)]}
    assert read(chat({"content": "x"}, logprobs=two, token_ids=[1, 2, 3])).tokens == 3
    assert read(chat({"content": "x"}, logprobs=two)).tokens == 2
    assert read(chat({"content": "x"}, logprobs=two, token_ids=None)).tokens == 2
    assert read(chat({"content": "x"}, logprobs=None)).tokens == 0


def test_no_logprobs_asked_for_means_no_entropies() -> None:
    assert read(chat({"content": "x"}, logprobs={"content": [top(0.0)]}), k=0).entropies == ()


def test_positions_that_cannot_be_read_are_kept_as_unknown() -> None:
    no_list = {"token": "a", "logprob": -0.1}
    positions = [top(0.0), top(), no_list, {**no_list, "top_logprobs": None}, None, top(None)]
    found = read(chat({"content": "abcdef"}, logprobs={"content": positions}))
    assert found.entropies == (0.0, None, None, None, None, None)
    assert found.tokens == 6
    found = read({"choices": [{"text": "ab", "logprobs": {"top_logprobs": [None, {"b": 0.0}]}}]})
    assert found.entropies == (None, 0.0)


def test_bare_nan_and_infinity_are_read() -> None:
    words = '{"choices":[{"text":"a","logprobs":{"top_logprobs":[{"a":NaN,"b":-Infinity,"c":0}]}}]}'
    assert read_chunk(words, k=5) == Delta(text="a", tokens=1, entropies=(0.0,))
    assert math.isnan(decode_json("[NaN]")[0])


@pytest.mark.parametrize(
    "choice",
    [
        {"text": 5, "logprobs": [], "token_ids": "x", "finish_reason": {}},
        {"text": None, "logprobs": {"top_logprobs": "x"}},
        {"delta": None},
        {"delta": "x", "logprobs": {"content": "x"}},
        {"delta": {"content": ["x"], "reasoning": 5}},
        None,
        "x",
    ],
)
def test_what_has_the_wrong_type_counts_as_missing(choice: Any) -> None:
    assert read({"choices": [choice], "usage": "x"}) == Delta()
    assert read({"choices": choice}) == Delta()


def test_half_of_an_emoji_can_be_written_to_a_record() -> None:
    delta = read_chunk('{"choices":[{"delta":{"content":"a\\ud83d","reasoning":"\\ude42"}}]}', k=0)
    assert delta == Delta(text="a�", reasoning="�")
    assert msgspec.json.decode(msgspec.json.encode(delta), type=Delta) == delta
    fault = error_fault({"error": {"message": "bad \ud83d"}}, 400)
    assert fault.words.encode() == "The server said: bad �".encode()


@pytest.mark.parametrize(
    "data", ['{"choices":[{"delta":{"content":"4', "", "data", "[" * 100_000, "1" * 5000]
)
def test_an_event_that_is_no_json_is_a_fault_with_its_text(data: str) -> None:
    with pytest.raises(BackendFault, match="not JSON") as caught:
        read_chunk(data, k=0)
    assert (caught.value.kind, caught.value.raw) == ("malformed", data[:2000])


@pytest.mark.parametrize("data", ["[]", "null", '"x"', "12"])
def test_an_event_that_is_no_object_is_a_fault(data: str) -> None:
    with pytest.raises(BackendFault, match="no object"):
        read_chunk(data, k=0)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["choices", "delta", "content", "logprobs", "top_logprobs", "usage", "error"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_json_comes_is_a_delta_or_a_fault(chunk: Any) -> None:
    try:
        found = read({"choices": [chunk], "usage": chunk})
    except BackendFault:
        return
    assert isinstance(found, Delta)


@pytest.mark.parametrize(
    ("body", "status", "kind", "words"),
    [
        # vLLM; its older form; FastAPI; a gateway; a guard in front of vLLM
        ({"error": {"message": "no", "code": 400}}, 400, "refused", "no"),
        ({"object": "error", "message": "no", "code": 400}, 400, "refused", "no"),
        ({"detail": "Not Found"}, 404, "refused", "Not Found"),
        ({"error": "Unauthorized"}, 401, "unauthorized", "Unauthorized"),
        ({"code": 400, "details": "21 asked"}, None, "refused", "21 asked"),
        # a code inside a stream, as number and as a gateway writes it
        ({"error": {"message": "died", "code": 500}}, None, "server-error", "died"),
        ({"error": {"message": "died", "code": "503"}}, None, "server-error", "died"),
        ({"error": {"message": "no", "code": "invalid_value"}}, None, "refused", "no"),
        # status decides before the code
        ({"error": {"message": "no", "code": 500}}, 400, "refused", "no"),
        ({"error": {"message": "slow down"}}, 429, "server-error", "slow down"),
        ({"error": {"message": "timeout"}}, 408, "server-error", "timeout"),
        ({"error": {"message": "forbidden"}}, 403, "unauthorized", "forbidden"),
        (None, 502, "server-error", "no reason given"),
        (None, 400, "refused", "no reason given"),
        ({}, None, "malformed", "no reason given"),
        ([], None, "malformed", "no reason given"),
        ({"error": {"message": ""}}, None, "malformed", "no reason given"),
        (
            {"error": {"message": "Out of range float values are not JSON compliant: nan"}},
            *(500, "logprobs", "Out of range float values are not JSON compliant: nan"),
        ),
        ({"error": {"message": "nan in the weights"}}, 500, "server-error", "nan in the weights"),
    ],
)
def test_error_objects_of_every_form(body: Any, status: int | None, kind: str, words: str) -> None:
    fault = error_fault(body, status)
    assert (fault.kind, fault.words) == (kind, f"The server said: {words}")


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 512 tokens. However, you requested 600.",
        "The decoder prompt (length 6000) is longer than the maximum model length of 4096.",
        "the request exceeds the available context size",
        "Prompt is too long",
    ],
)
def test_a_prompt_that_does_not_fit_is_told_from_other_refusals(words: str) -> None:
    assert error_fault({"error": {"message": words}}, 400).kind == "context"


def test_long_words_are_shown_in_part_and_on_one_line() -> None:
    fault = error_fault({"error": {"message": "a\n b\t" + "x" * 1000}}, 400)
    assert fault.words == "The server said: a b " + "x" * 296 + "…"


def test_an_error_beside_choices_is_an_error() -> None:
    chunk = {**chat({"content": ""}, finish_reason="error"), "error": {"message": "x", "code": 502}}
    with pytest.raises(BackendFault) as caught:
        read(chunk)
    assert caught.value.kind == "server-error"
    assert read({**chat({"content": "4"}), "error": None}) == Delta(text="4")


def test_what_could_not_be_read_is_kept_in_part() -> None:
    assert len(BackendFault("malformed", "x", raw="y" * 5000).raw) == 2000
