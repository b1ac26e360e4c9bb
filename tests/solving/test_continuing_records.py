"""Runs that were killed, stopped, lost or over: they go on, and voted on again say the same."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from jupyterlab_tir import RunResult, continue_run, revote, solve, start
from jupyterlab_tir.events import (
    SampleEnded,
    TurnEnded,
)
from jupyterlab_tir.record import read_record

from .conftest import Scripted
from .test_continuing import FIVE, SIX, SOON_S, of_type, refusal, stopped_run, until

KILLED_WORDS = "Cancelled: the run's process ended before it did."
KILLED = textwrap.dedent(
    """
    import sys
    from jupyterlab_tir import start
    handle = start("?", base_url=sys.argv[1], samples=10, mode="text", parallel=4, ahead=64,
                   stop="none", top_logprobs=0)
    print(handle.run_id, flush=True)
    handle.result()
    """
)


@pytest.fixture
def stopped(scripted: Scripted) -> RunResult:
    return stopped_run(scripted)


def test_server_that_is_given_up_is_given_up_when_voted_on_again(
    stopped: RunResult, scripted: Scripted
) -> None:
    scripted([{"text": "x", "fault": {"kind": "http", "status": 500}}])
    # With the fourth lost one the leader is safe, but nobody asks any more.
    result = continue_run(stopped.run_id, "+8", retries=0, parallel=1)
    assert (result.status, result.stop, result.tally.lost) == ("server-lost", None, 4)
    again = revote(result.record)
    assert (again.tally, again.decision) == (result.tally, None)


def test_killed_run_goes_on_and_nothing_of_it_disappears(
    jupyter_folders: Path, scripted: Scripted
) -> None:
    slow = [{"text": r"\boxed{5}", "first_token_ms": 600_000}]
    # Samples 0, 1, 4 and 5 end; four are in flight then.
    base_url = scripted(FIVE, FIVE, slow, slow)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, base_url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        path = (
            jupyter_folders / "data" / "tir" / "runs" / f"{process.stdout.readline().strip()}.jsonl"
        )
        try:
            until(lambda: path.exists() and path.read_bytes().count(b'"sample-started"') == 8)
            sentence = refusal(path, "+8")
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL
    assert sentence.startswith(f"The run {path.stem} is still going on, here or in another process")
    record = read_record(path)
    assert record.cut_short
    assert (record.launched, len(record.outcomes)) == (8, 4)
    with path.open("ab") as file:
        file.write(b'{"type":"sample-ended","seq":')
    scripted(SIX)
    result = continue_run(path, "+5")
    after = read_record(path)
    assert after.events[: len(record.events)] == record.events
    assert not after.cut_short
    # Every sample that had begun has one end.
    assert sorted(outcome.sample for outcome in after.outcomes) == list(range(13))
    killed = [o.sample for o in after.outcomes if o.reason == KILLED_WORDS]
    assert killed == [2, 3, 6, 7]
    assert (result.tally.finished, result.tally.unfinished, result.tally.planned) == (9, 4, 13)
    assert after.replay() == result.tally == revote(after).tally


def test_ends_of_killed_samples_keep_what_they_had_cost(stopped: RunResult) -> None:
    lines = stopped.record.read_bytes().splitlines(keepends=True)
    last_end = max(n for n, line in enumerate(lines) if b'"sample-ended"' in line)
    stopped.record.write_bytes(b"".join(lines[:last_end]))
    lost = read_record(stopped.record)
    tokens = [e.tokens_out for e in of_type(lost, TurnEnded) if e.sample == 3]
    result = continue_run(stopped.run_id, "+4")
    [end] = [
        event
        for event in of_type(read_record(result.record), SampleEnded)
        if event.outcome.reason == KILLED_WORDS
    ]
    assert (end.outcome.sample, end.turns, end.cells) == (3, 1, 0)
    assert [end.outcome.tokens] == tokens
    added = read_record(result.record).outcomes[4:]
    assert result.tokens == stopped.tokens + sum(outcome.tokens for outcome in added)


@pytest.mark.parametrize("samples", [8, 64])
@pytest.mark.parametrize("stop", ["share", "share:0.5", "beta:0.9", "lead:3", "window:3", "none"])
def test_recorded_run_voted_on_again_gives_its_own_result(
    stop: str, samples: int, scripted: Scripted
) -> None:
    # Samples end in another order than they began, several at once, one of them lost.
    turns = [
        {"text": rf"\boxed{{{5 + (number % 3 == 0)}}}", "first_token_ms": 7 * number % 60}
        for number in range(15)
    ]
    lost = {"fault": {"kind": "http", "status": 500, "message": "engine dead"}}
    result = solve(
        "?", base_url=scripted(*[[turn] for turn in turns], [lost]), samples=samples, mode="text",
        stop=stop, retries=0, seed=1,
    )  # fmt: skip
    again = revote(result.record)
    assert again.tally == result.tally
    assert again.decision == result.stop
    assert (again.answer, again.recorded, again.differs) == (result.answer, result.answer, False)
    assert (again.tokens, again.in_flight) == (result.tokens, 0)
    ends = of_type(read_record(result.record), SampleEnded)
    unfinished = [end for end in ends if end.outcome.status == "cancelled"]
    assert all(end.interrupted for end in unfinished)
    if result.stop is None:
        assert not any(end.interrupted for end in ends)


async def test_stopped_run_voted_on_again_gives_its_own_result(scripted: Scripted) -> None:
    slow = [{"text": r"\boxed{6}", "first_token_ms": 60_000}]
    handle = start("?", base_url=scripted(FIVE, FIVE, FIVE, slow), samples=8, mode="text", ahead=64)
    async with asyncio.timeout(SOON_S):
        ended = 0
        async for event in handle.events():
            ended += isinstance(event, SampleEnded)
            if ended == 3:
                break
        handle.stop()
        result = await handle
    again = revote(result.record)
    assert (again.tally, again.decision) == (result.tally, result.stop)
    assert again.differs is False


def test_run_whose_time_was_over_can_go_on_and_be_voted_on_again(scripted: Scripted) -> None:
    slow = [{"text": r"\boxed{6}", "first_token_ms": 60_000}]
    base_url = scripted(FIVE, FIVE, slow, slow)
    result = solve(
        "?",
        base_url=base_url,
        samples=12,
        mode="text",
        deadline=2,
        stop="none",
        parallel=4,
        ahead=64,
    )
    assert result.status == "deadline"
    again = revote(result.record)
    assert (again.tally, again.decision) == (result.tally, None)
    scripted(FIVE)
    # Five could catch the four that say 5.
    after = continue_run(result.run_id, "+5", deadline=60, parallel=1)
    assert after.status == "answered"
    assert after.tally.finished > result.tally.finished
    assert revote(after.record).tally == after.tally
