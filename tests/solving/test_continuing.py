"""Continuing a recorded run: what stands, what is refused, and what a hostile record does."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir import RunResult, continue_run, revote, solve, start, start_continuing
from jupyterlab_tir.errors import NoServerError, RecordError, TirError, UsageError
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
KILLED_WORDS = "Cancelled: the run's process ended before it did."
Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def stopped(scripted: Scripted) -> RunResult:
    """A run of 16 that its rule stopped after the first four samples, which say 5; others say 6."""
    return solve(
        "What?", base_url=scripted(*[FIVE] * 4, *[SIX] * 40), samples=16, mode="text",
        top_logprobs=0, parallel=1, seed=3,
    )  # fmt: skip


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
    # A rule that is named is asked after the first new sample.
    again = continue_run(stopped.run_id, "+20", stop="share")
    assert again.stop is not None
    assert (again.stop.rule, again.stop.after, again.tally.planned) == ("share", 13, 32)


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
        "That its leader could not be caught was said of 4 planned samples, and is void with 22: "
        "the answer can change."
    )
    assert result.stop is None or "of 22 samples" in result.stop.words


def test_what_was_said_of_a_plan_that_is_not_raised_still_holds(scripted: Scripted) -> None:
    first = solve(
        "?", base_url=scripted(FIVE), samples=9, mode="text", stop="none", parallel=1,
        policy="majority",
    )  # fmt: skip
    assert first.stop is not None
    assert (first.stop.rule, first.stop.after) == ("uncatchable", 5)
    result = continue_run(first.run_id, "+2")
    assert not of_type(read_record(result.record), Noticed)


def test_run_can_go_on_again_and_again(stopped: RunResult) -> None:
    for planned in (5, 6, 7):
        result = continue_run(stopped.record, "+1")
        assert result.tally.planned == result.tally.finished == planned
    record = read_record(stopped.record)
    assert len(of_type(record, RunContinued)) == 3
    assert len(of_type(record, RunEnded)) == 4
    assert revote(record).tally == result.tally


def test_without_a_number_the_rest_of_the_plan_is_taken(stopped: RunResult) -> None:
    # From 9 of 13 on, 6 cannot be caught by the 4 that say 5 and three to come.
    result = continue_run(stopped.run_id)
    assert (result.tally.planned, result.tally.finished, result.answer) == (16, 13, "6")
    done = continue_run(stopped.run_id, "+1")
    assert done.tally.planned == done.tally.finished == 14
    assert refusal(stopped.run_id, None) == (
        "All 14 planned samples of the run were begun: say how many more it is to take, as in "
        "--samples +16."
    )


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        ("+0", "samples is +0, and 4 samples were begun already: name more than these, or add "),
        ("4", "samples is 4, and 4 samples were begun already: "),
        (4, "samples is 4, and 4 samples were begun already: "),
        (0, "samples is 0, and 4 samples were begun already: "),
        ("-3", "samples is '-3', but must be the number of samples to add, such as +16, or that "),
        (-3, "samples is -3, but must be the number of samples to add"),
        ("+x", "samples is '+x', but must be the number of samples to add"),
        ("", "samples is '', but must be"),
        ("+ +3", "samples is '+ +3', but must be"),
        ("5.0", "samples is '5.0', but must be"),
        (5.0, "samples is 5.0, but must be"),
        (True, "samples is True, but must be"),
        ("٣٣", "samples is '٣٣', but must be"),
        ("9" * 5000, "samples is '9999"),
        (2000, "samples is 2000, which makes 2,000 with those that were begun, and a run has 1,02"),
        ("+1021", "samples is +1021, which makes 1,025 with those that were begun"),
    ],
)
def test_number_of_samples_that_cannot_be_is_refused_in_a_sentence(
    samples: Any, sentence: str, stopped: RunResult
) -> None:
    written = stopped.record.read_bytes()
    said = refusal(stopped.run_id, samples)
    assert said.startswith(sentence)
    assert len(said) < 400
    assert stopped.record.read_bytes() == written


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"policy": "majority"}, "policy (majority instead of weighted)"),
        ({"w_code": "3"}, "w_code (3.0 instead of 2.0)"),
        ({"max_blocks": 4}, "max_blocks (4 instead of 8)"),
        ({"entropy_window": 64}, "entropy_window (64 instead of none)"),
        ({"top_logprobs": 5}, "top_logprobs (5 instead of 0)"),
        ({"mode": "tir"}, "mode (tir instead of text)"),
        ({"dialect": "fewshot"}, "dialect (fewshot instead of fenced)"),
        ({"temperature": 0.9}, "temperature (0.9 instead of 0.7)"),
        ({"top_p": 0.9}, "top_p (0.9 instead of 1.0)"),
        ({"min_p": 0.1}, "min_p (0.1 instead of 0.0)"),
        ({"answer": "integer"}, "answer (integer instead of none)"),
        ({"range": "0..9"}, "range (0..9 instead of none)"),
        ({"mod": 7}, "mod (7 instead of none)"),
        ({"verify": False}, "verify (False instead of True)"),
        ({"max_turns": 3}, "max_turns (3 instead of 8)"),
        ({"seed": 4}, "seed (4 instead of 3)"),
        ({"model": "another"}, "model (another instead of scripted)"),
        (
            {"policy": "majority", "mod": 7, "seed": 4},
            "policy (majority instead of weighted), mod (7 instead of none) and seed (4 instead ",
        ),
    ],
)
def test_what_votes_depend_on_cannot_be_changed(
    settings: dict[str, Any], named: str, stopped: RunResult
) -> None:
    written = stopped.record.read_bytes()
    sentence = refusal(stopped.run_id, **settings)
    assert f"{stopped.run_id} cannot be continued with another {named}" in sentence
    assert stopped.record.read_bytes() == written


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


def test_number_that_cannot_be_written_is_refused_all_the_same(stopped: RunResult) -> None:
    assert refusal(stopped.run_id, 10**5000).startswith("samples is 'a huge number', but must be")


def test_rules_number_without_the_rule_is_refused(stopped: RunResult) -> None:
    assert refusal(stopped.run_id, tau=0.9).startswith(
        "tau and min_answers belong to the stop rule"
    )


def test_setting_that_does_not_exist_or_cannot_be_is_refused_as_anywhere(
    stopped: RunResult,
) -> None:
    assert refusal(stopped.run_id, parralel=3) == (
        "The option parralel is not a setting: did you mean parallel?"
    )
    assert "must be a whole number from 1 to 64" in refusal(stopped.run_id, parallel=65)
    assert refusal(stopped.run_id, stop="shore").startswith("There is no stop rule 'shore'")


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
    assert continue_run(stopped.run_id, "+1").tally.finished == 5


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": "0.0.1"}, r"version of jupyterlab_tir \(.* instead of 0\.0\.1\)"),
        ({"prompt": "0" * 64}, r"prompt:"),
        ({"prompt": ""}, r"prompt:"),
        ({"temperature": 0.8}, r"temperature \(0\.7 instead of 0\.8\)"),
        ({"server": {"version": "0.0.9"}}, r"server version \(vLLM \S+ instead of vLLM 0\.0\.9\)"),
        ({"server": {"dialect": "fewshot"}}, r"dialect \(fenced instead of fewshot\)"),
        (
            {"server": {"version": "0.0.9", "model": "gone", "dialect": "fewshot"}},
            (
                r"model \(scripted instead of gone\), server version \(vLLM \S+ instead of vLLM "
                r"0\.0\.9\) and dialect \(fenced instead of fewshot\)"
            ),
        ),
    ],
)
def test_other_server_program_or_prompt_is_refused_with_all_differences(
    change: dict[str, Any], named: str, stopped: RunResult
) -> None:
    def edit(event: dict[str, Any]) -> None:
        if event["type"] == "run-started":
            event["server"] |= change.get("server", {})
            event |= {name: value for name, value in change.items() if name != "server"}

    rewrite(stopped.record, edit)
    written = stopped.record.read_bytes()
    with pytest.raises(UsageError, match=rf"cannot be continued with another {named}"):
        continue_run(stopped.run_id, "+4")
    assert stopped.record.read_bytes() == written


def test_refused_run_is_free_for_the_next_try(stopped: RunResult) -> None:
    refusal(stopped.run_id, policy="majority")
    refusal(stopped.run_id, base_url="echo")
    with pytest.raises(NoServerError):
        continue_run(stopped.run_id, "+1", base_url="http://127.0.0.1:1/v1")
    assert continue_run(stopped.run_id, "+1").tally.finished == 5


def test_record_that_contradicts_itself_is_not_continued(stopped: RunResult) -> None:
    def say_6(event: dict[str, Any]) -> None:
        if event["type"] == "sample-ended":
            event["outcome"]["ballot"]["answer"]["key"] = "q:6"

    rewrite(stopped.record, say_6)
    assert "contradicts itself" in refusal(stopped.run_id)


def test_settings_that_no_run_has_are_the_records_fault(stopped: RunResult) -> None:
    def break_it(event: dict[str, Any]) -> None:
        if event["type"] == "run-started":
            event["settings"]["parallel"] = "many"

    rewrite(stopped.record, break_it)
    with pytest.raises(RecordError, match="holds settings that no run has"):
        continue_run(stopped.run_id, "+1")


def test_what_is_no_run_is_refused_in_a_sentence(stopped: RunResult, tmp_path: Path) -> None:
    assert refusal("nothing") == "There is no run 'nothing': `tir runs` lists them."
    assert "cannot be continued (No such file" in refusal(tmp_path / "nothing.jsonl")
    assert "cannot be continued (Is a directory)" in refusal(tmp_path)
    assert refusal(17).startswith("The run to continue is of type int: give its id")
    # An id's beginning, a path as text and a record all name it.
    for run in (stopped.run_id[:-2], str(stopped.record), read_record(stopped.record)):
        assert continue_run(run, "+1").run_id == stopped.run_id


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
    first = start_continuing(handle.run_id, "+1")
    assert "is still going on" in refusal(handle.run_id)
    assert (await first).tally.finished == 3
    assert continue_run(handle.run_id, "+1").tally.finished == 4


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
    after = continue_run(stopped.run_id, "+1")
    assert (after.tally.finished, after.tally.unfinished, after.tally.planned) == (8, 3, 11)
    # Those that were cancelled are not asked again; new ones come behind them.
    record = read_record(after.record)
    assert [event.sample for event in of_type(record, SampleStarted)] == list(range(11))
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
    result = continue_run(path, "+1")
    after = read_record(path)
    assert after.events[: len(record.events)] == record.events
    assert not after.cut_short
    # Every sample that had begun has one end.
    assert sorted(outcome.sample for outcome in after.outcomes) == list(range(9))
    killed = [o.sample for o in after.outcomes if o.reason == KILLED_WORDS]
    assert killed == [2, 3, 6, 7]
    assert (result.tally.finished, result.tally.unfinished, result.tally.planned) == (5, 4, 9)
    assert after.replay() == result.tally == revote(after).tally


def test_ends_of_killed_samples_keep_what_they_had_cost(stopped: RunResult) -> None:
    lines = stopped.record.read_bytes().splitlines(keepends=True)
    last_end = max(n for n, line in enumerate(lines) if b'"sample-ended"' in line)
    stopped.record.write_bytes(b"".join(lines[:last_end]))
    lost = read_record(stopped.record)
    tokens = [e.tokens_out for e in of_type(lost, TurnEnded) if e.sample == 3]
    result = continue_run(stopped.run_id, "+1")
    [end] = [
        event
        for event in of_type(read_record(result.record), SampleEnded)
        if event.outcome.reason == KILLED_WORDS
    ]
    assert (end.outcome.sample, end.turns, end.cells) == (3, 1, 0)
    assert [end.outcome.tokens] == tokens
    assert result.tokens == stopped.tokens + of_last(result)


def of_last(result: RunResult) -> int:
    """Tokens of the sample that was begun last."""
    return read_record(result.record).outcomes[-1].tokens


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
    after = continue_run(result.run_id, "+1", deadline=60)
    assert after.status == "answered"
    assert after.tally.finished == result.tally.finished + 1
    assert revote(after.record).tally == after.tally
