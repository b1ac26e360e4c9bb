"""The main job against a real vLLM: a small model on the CPU, real kernels, real votes."""

from __future__ import annotations

import asyncio
import time

import pytest

from jupyterlab_tir import asolve, solve, start
from jupyterlab_tir.backend.client import Client
from jupyterlab_tir.errors import NoServerError, UsageError
from jupyterlab_tir.events import CodeEnded, TextStreamed, TurnEnded
from jupyterlab_tir.record import read_record
from jupyterlab_tir.serving.state import ServerState

pytestmark = pytest.mark.vllm

PRODUCT = "What is the product of 17 and 23?"


def test_a_problem_is_solved_with_code_and_the_right_answer_is_verified(
    vllm_server: ServerState,
) -> None:
    result = solve(
        PRODUCT, check="391", base_url=vllm_server.base_url, samples=8, dialect="fewshot", seed=5
    )
    # The model is small: what is asked of it here it gets right in most attempts.
    assert result.answer == "391"
    assert result.verdict is not None
    assert result.verdict.verdict == "agrees"
    leader = result.tally.leader
    assert leader is not None
    assert leader.code_verified > 0
    assert leader.mean_entropy is not None
    assert not result.tally.unmeasured
    assert not result.tally.lost
    record = read_record(result.record)
    assert record.replay() == result.tally
    turns = [event for event in record.events if isinstance(event, TurnEnded)]
    assert all(0 < turn.entropy.tokens <= (turn.tokens_out or 0) for turn in turns if turn.text)
    assert not any(turn.tokens_estimated for turn in turns)
    cells = [event.result for event in record.events if isinstance(event, CodeEnded)]
    assert any(cell.status == "ok" and cell.stdout.strip() == "391" for cell in cells)
    assert result.server.version == "0.32.0"
    assert result.server.context == 4096


@pytest.mark.parametrize("mode", ["blocks", "text"])
def test_the_other_modes_end_with_every_sample_accounted_for(
    vllm_server: ServerState, mode: str
) -> None:
    result = solve(
        PRODUCT, base_url=vllm_server.base_url, samples=4, mode=mode, dialect="fewshot", stop="none"
    )
    accounted = result.tally.answered + sum(row.count for row in result.tally.without_ballot)
    assert accounted == 4 - result.saved.not_started
    ran_code = any(isinstance(e, CodeEnded) for e in read_record(result.record).events)
    assert ran_code == (mode == "blocks")


def test_the_probe_finds_how_the_model_is_to_be_asked(vllm_server: ServerState) -> None:
    result = solve("What is 2 + 2?", base_url=vllm_server.base_url, samples=1)
    assert result.server.dialect in ("fewshot", "fenced")
    assert result.server.dialect_reason.startswith(("in chat", "asked in chat"))


async def test_a_stop_frees_the_server(vllm_server: ServerState) -> None:
    handle = start(
        "Count from one to one thousand.",
        base_url=vllm_server.base_url,
        samples=16,
        parallel=16,
        mode="text",
        dialect="fenced",
        max_tokens_turn=3000,
    )
    async with Client(vllm_server.base_url) as client:
        async for event in handle.events():
            if isinstance(event, TextStreamed):
                assert await client.running_requests()
                break
        stopped = time.monotonic()
        handle.stop()
        result = await handle
        while await client.running_requests():
            assert time.monotonic() - stopped < 10
            await asyncio.sleep(0.05)
    assert result.status == "stopped"
    assert result.saved.cancelled >= 1


async def test_chat_streams_carry_entropies_too(vllm_server: ServerState) -> None:
    result = await asolve(
        PRODUCT, base_url=vllm_server.base_url, samples=1, mode="text", dialect="fenced",
        max_tokens_turn=64,
    )  # fmt: skip
    (turn,) = [e for e in read_record(result.record).events if isinstance(e, TurnEnded)]
    assert turn.entropy.mean is not None
    assert 0 < turn.entropy.mean < 10
    assert turn.tokens_in


def test_what_the_server_cannot_do_is_one_sentence(vllm_server: ServerState) -> None:
    with pytest.raises(NoServerError, match="has no model 'gpt': it has SmolLM2-135M-Instruct"):
        solve("?", base_url=vllm_server.base_url, model="gpt")
    with pytest.raises(UsageError, match=r"holds 4,096"):
        solve("many words " * 5000, base_url=vllm_server.base_url, dialect="fewshot")
