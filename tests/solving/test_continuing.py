"""Continuing a recorded run: what stands, what is refused, and what a hostile record does."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir import RunResult, continue_run, revote, solve, start, start_continuing
from jupyterlab_tir.errors import NoServerError, TirError
from jupyterlab_tir.events import (
    Noticed,
    RunContinued,
    RunEnded,
    SampleEnded,
    SampleStarted,
    TurnEnded,
)
from jupyterlab_tir.record import Record, read_record

from .conftest import Scripted

SOON_S = 30.0
"""Tenfold slack, and more, for what takes a second or two on an idle machine."""

FIVE, SIX = [r"\boxed{5}"], [r"\boxed{6}"]
Change = Callable[[dict[str, Any]], object]


def stopped_run(scripted: Scripted) -> RunResult:
    """A run of 16 that its rule stopped after the first four samples, which say 5; others say 6."""
    return solve(
        "What?", base_url=scripted(*[FIVE] * 4, *[SIX] * 40), samples=16, mode="text",
        top_logprobs=0, parallel=1, seed=3,
    )  # fmt: skip


@pytest.fixture
def stopped(scripted: Scripted) -> RunResult:
    return stopped_run(scripted)


def rewrite(path: Path, change: Change) -> None:
    """Change every event of a record."""
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    for event in events:
        change(event)
    path.write_bytes(b"".join(json.dumps(event).encode() + b"\n" for event in events))


def of_type(record: Record, kind: type[Any]) -> list[Any]:
    return [event for event in record.events if isinstance(event, kind)]


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON_S
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def refusal(run: Any, samples: Any = "+4", **settings: Any) -> str:
    with pytest.raises(TirError) as caught:
        continue_run(run, samples, **settings)
    return str(caught.value)


def test_run_goes_on_in_its_record_with_new_samples_and_all_that_it_had(
    stopped: RunResult,
) -> None:
    before = read_record(stopped.record)
    assert (before.launched, before.planned) == (4, 16)
    result = continue_run(stopped.run_id, "+6")
    record = read_record(result.record)
    assert (result.run_id, result.record) == (stopped.run_id, stopped.record)
    assert result.continued
    assert not stopped.continued
    # The earlier events stand as they were, and the others follow without a gap.
    assert record.events[: len(before.events)] == before.events
    assert [event.seq for event in record.events] == list(range(len(record.events)))
    times = [event.at_s for event in record.events]
    assert times == sorted(times)
    continued = record.events[len(before.events)]
    assert isinstance(continued, RunContinued)
    assert (continued.planned, continued.settings["samples"]) == (10, 10)
    # The next launch indices, and seeds of the same run.
    samples = of_type(record, SampleStarted)
    assert [event.sample for event in samples] == list(range(10))
    assert len({event.sample_seed for event in samples}) == 10
    # The last end speaks of all; what the plan had not begun is not in it.
    assert (result.tally.finished, result.tally.planned) == (10, 10)
    assert (stopped.answer, result.answer, result.stop) == ("5", "6", None)
    assert (result.saved.not_started, result.saved.cancelled) == (0, 0)
    assert result.tokens == sum(event.tokens_out or 0 for event in of_type(record, TurnEnded))
    assert result.tokens > stopped.tokens
    assert result.seconds > stopped.seconds
    assert result.seed == stopped.seed == 3
    assert record.replay() == result.tally
    assert not record.cut_short


def test_seeds_are_those_of_a_run_that_was_planned_so_at_once(
    stopped: RunResult, scripted: Scripted
) -> None:
    record = read_record(continue_run(stopped.run_id, 10).record)
    base_url = scripted(*[FIVE] * 4, *[SIX] * 6)
    whole = solve("What?", base_url=base_url, samples=10, mode="text", seed=3, ahead=64)
    assert [(e.sample, e.sample_seed) for e in of_type(record, SampleStarted)] == [
        (e.sample, e.sample_seed) for e in of_type(read_record(whole.record), SampleStarted)
    ]


def test_old_rule_does_not_stop_the_samples_that_were_asked_for(
    stopped: RunResult, scripted: Scripted
) -> None:
    assert stopped.stop is not None
    assert (stopped.stop.rule, stopped.stop.after) == ("share", 4)
    # With one more, 5 of 5 say 5, more than 0.75; only from 12 of 24 on nothing can change.
    scripted(FIVE)
    result = continue_run(stopped.run_id, "+20")
    assert result.stop is not None
    assert (result.stop.rule, result.stop.after) == ("uncatchable", 12)


def notices(result: RunResult) -> list[str]:
    return [notice.detail for notice in of_type(read_record(result.record), Noticed)]


def test_named_rule_that_holds_already_ends_it_before_anything_is_asked(
    stopped: RunResult,
) -> None:
    result = continue_run(stopped.run_id, "+20", stop="share")
    assert result.stop is not None
    assert (result.stop.rule, result.stop.after, result.status) == ("share", 4, "answered")
    assert (result.tally.finished, result.tally.planned) == (4, 24)
    assert result.tokens == stopped.tokens
    assert notices(result) == [
        (
            "No sample was added, since what it has satisfies the rule share already. Leave the "
            "rule out, or name another."
        )
    ]
    again = revote(result.record)
    assert (again.tally, again.decision, again.differs) == (result.tally, result.stop, False)
    # One that does not hold yet is asked after each new sample.
    more = continue_run(stopped.run_id, "+6", stop="lead:5")
    assert (more.tally.finished, more.stop) == (10, None)


def test_leader_that_so_few_more_cannot_catch_ends_it_before_anything_is_asked(
    stopped: RunResult,
) -> None:
    # Four say 5, and among equals the first one wins.
    result = continue_run(stopped.run_id, "+4")
    assert result.stop is not None
    assert (result.stop.rule, result.stop.after) == ("uncatchable", 4)
    assert (result.answer, result.tally.finished, result.tally.planned) == ("5", 4, 8)
    assert result.saved.not_started == 4
    assert notices(result) == [
        (
            "No sample was added, since its leader cannot be caught by so few more. Ask for more "
            "samples."
        )
    ]
    again = revote(result.record)
    assert (again.tally, again.decision) == (result.tally, result.stop)
    # Five could.
    more = continue_run(stopped.run_id, "+5")
    assert (more.answer, more.tally.finished, more.stop) == ("6", 9, None)
    assert revote(more.record).tally == more.tally


def test_new_votes_can_overturn_the_old_answer_and_the_notice_says_so(scripted: Scripted) -> None:
    # Samples 0 to 2 say 5, all later ones 6; the first two of 4 can be reached, but not passed.
    base_url = scripted(FIVE, FIVE, FIVE, *[SIX] * 30)
    first = solve(
        "?", base_url=base_url, samples=4, mode="text", stop="none", parallel=1, policy="majority"
    )
    assert first.stop is not None
    assert (first.answer, first.stop.rule, first.stop.after) == ("5", "uncatchable", 2)
    result = continue_run(first.run_id, "+20", parallel=20, ahead=64)
    assert result.answer == "6"
    [notice] = of_type(read_record(result.record), Noticed)
    assert notice.detail == (
        "That its leader could not be caught was said of 4 planned samples, and no longer held "
        "when it went on to 22."
    )
    assert result.stop is None or "of 22 samples" in result.stop.words
    # Once is enough, however often it goes on.
    again = continue_run(first.run_id, "+60", parallel=20, ahead=64)
    assert again.tally.planned > result.tally.planned
    assert notices(again) == [notice.detail]


def test_what_was_said_of_a_plan_that_is_not_raised_still_holds(scripted: Scripted) -> None:
    first = solve(
        "?", base_url=scripted(FIVE), samples=9, mode="text", stop="none", parallel=1,
        policy="majority",
    )  # fmt: skip
    assert first.stop is not None
    assert (first.stop.rule, first.stop.after) == ("uncatchable", 5)
    result = continue_run(first.run_id, "+2")
    assert [words for words in notices(result) if words.startswith("That its leader")] == []


def test_run_can_go_on_again_and_again(stopped: RunResult) -> None:
    for more, planned in (("+5", 9), ("+1", 10), ("+4", 14)):
        result = continue_run(stopped.record, more)
        # Of 14, 8 that say 6 cannot be caught by 4 and two to come.
        assert (result.tally.planned, result.tally.finished) == (planned, min(planned, 12))
    record = read_record(stopped.record)
    assert len(of_type(record, RunContinued)) == 3
    assert len(of_type(record, RunEnded)) == 4
    assert revote(record).tally == result.tally


def test_without_a_number_the_rest_of_the_plan_is_taken(stopped: RunResult) -> None:
    # From 9 of 13 on, 6 cannot be caught by the 4 that say 5 and three to come.
    result = continue_run(stopped.run_id)
    assert (result.tally.planned, result.tally.finished, result.answer) == (16, 13, "6")


def test_what_only_costs_time_can_be_given_anew_and_what_is_the_same_repeated(
    stopped: RunResult,
) -> None:
    result = continue_run(
        stopped.run_id, "+1", parallel=1, ahead=2.0, kernels=3, memory=128, memory_share=0.1,
        deadline=50, stall=9, retries=0, timeout=3, tau=0.9, min_answers=2, stop="share",
        sandbox="none", preload="math", write=False,
        # The same as they were, as set or as found.
        policy="weighted", model="scripted", temperature=0.7, seed=3, dialect="fenced", mode="text",
    )  # fmt: skip
    begun = read_record(result.record).begun
    assert isinstance(begun, RunContinued)
    assert (begun.settings["parallel"], begun.settings["tau"]) == (1, 0.9)
    assert (begun.sources["parallel"], begun.sources["policy"]) == ("option", "option")
    assert begun.sources["max_turns"] == "record"


def test_environment_and_settings_file_change_nothing_of_the_run(
    stopped: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIR_POLICY", "majority")
    monkeypatch.setenv("TIR_PARALLEL", "2")
    monkeypatch.setenv("TIR_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("TIR_API_KEY_ENV", "OTHER_KEY")
    result = continue_run(stopped.run_id, "+1")
    settings = read_record(result.record).begun.settings
    assert (settings["policy"], settings["parallel"]) == ("weighted", 1)
    assert settings["base_url"].startswith("scripted:")
    # How the server is reached is this machine's matter.
    assert settings["api_key_env"] == "OTHER_KEY"


def test_run_of_the_embedded_server_asks_whatever_server_is_usual_now(
    stopped: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = read_record(stopped.record).started.settings["base_url"]

    def as_embedded(event: dict[str, Any]) -> None:
        if event["type"] == "run-started":
            event["settings"]["base_url"] = None

    rewrite(stopped.record, as_embedded)
    with pytest.raises(NoServerError, match="no embedded server is running"):
        continue_run(stopped.run_id, "+1")
    monkeypatch.setenv("TIR_BASE_URL", address)
    assert continue_run(stopped.run_id, "+5").tally.finished == 9


async def test_run_that_goes_on_here_is_not_continued_twice(
    stopped: RunResult, scripted: Scripted
) -> None:
    slow = scripted([{"text": r"\boxed{5}", "first_token_ms": 4000}])
    handle = start("?", base_url=slow, samples=2, mode="text")
    folder = stopped.record.parent
    await asyncio.to_thread(until, lambda: any(folder.glob(f"{handle.run_id}*")))
    path = folder / f"{handle.run_id}.jsonl"
    assert refusal(path) == (
        f"The run {handle.run_id} is still going on, here or in another process: stop it, or wait "
        "until it is over."
    )
    await handle
    first = start_continuing(handle.run_id, "+4")
    assert "is still going on" in refusal(handle.run_id)
    finished = (await first).tally.finished
    scripted(SIX)
    # By then it is free.
    assert continue_run(handle.run_id, "+40").tally.finished > finished > 2


async def test_stop_while_it_goes_on_keeps_everything_and_can_be_continued(
    stopped: RunResult, scripted: Scripted
) -> None:
    slow = [{"text": r"\boxed{5}", "first_token_ms": 60_000}]
    scripted(*[FIVE] * 4, *[SIX] * 3, slow, slow, slow)
    handle = start_continuing(stopped.run_id, "+6", parallel=6, ahead=64)
    async with asyncio.timeout(SOON_S):
        ended = 0
        async for event in handle.events():
            ended += isinstance(event, SampleEnded)
            if ended == 7:
                break
        handle.stop()
        result = await handle
    assert result.status == "stopped"
    assert (result.tally.finished, result.tally.unfinished, result.tally.planned) == (7, 3, 10)
    scripted(SIX)
    # Two more that say 6 are enough to pass the four that say 5.
    after = continue_run(stopped.run_id, "+2")
    assert (after.tally.finished, after.tally.unfinished, after.tally.planned) == (9, 3, 12)
    # Those that were cancelled are not asked again; new ones come behind them.
    record = read_record(after.record)
    assert [event.sample for event in of_type(record, SampleStarted)] == list(range(12))
    assert revote(record).tally == after.tally


async def test_listener_hears_the_whole_run_once_and_in_order(stopped: RunResult) -> None:
    handle = start_continuing(stopped.run_id, "+6")
    heard = [event async for event in handle.events()]
    kept = [
        event for event in heard if type(event).__name__ not in ("TextStreamed", "TallyChanged")
    ]
    assert tuple(kept) == read_record(stopped.record).events


def test_server_that_loses_all_new_samples_ends_it_and_the_old_answer_stands(
    stopped: RunResult, scripted: Scripted
) -> None:
    scripted([{"text": "x", "fault": {"kind": "http", "status": 500}}])
    result = continue_run(stopped.run_id, "+30", retries=0, parallel=1)
    assert result.status == "server-lost"
    assert result.reason.startswith("The server lost every sample that was added: ")
    assert (result.answer, result.tally.finished, result.tally.lost) == ("5", 4, 4)
    assert result.saved.not_started == 26
