"""Continuing a recorded run: what is refused, in which words, and that it changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir import RunResult, continue_run
from jupyterlab_tir.errors import NoServerError, RecordError, UsageError
from jupyterlab_tir.record import read_record

from .conftest import Scripted
from .test_continuing import refusal, rewrite, stopped_run


@pytest.fixture
def stopped(scripted: Scripted) -> RunResult:
    return stopped_run(scripted)


def test_without_a_number_there_must_be_a_rest_of_the_plan(stopped: RunResult) -> None:
    assert continue_run(stopped.run_id, "+6").tally.finished == 10
    assert refusal(stopped.run_id, None) == (
        "All 10 planned samples of the run were begun: say how many more it is to take, as in "
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


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"version": "0.0.1"}, r"version of jupyterlab_tir \(.* instead of 0\.0\.1\)"),
        ({"prompt": "0" * 64}, r"prompt:"),
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


def test_record_that_holds_no_prompt_is_refused_as_such(stopped: RunResult) -> None:
    rewrite(stopped.record, lambda event: event.pop("prompt", None))
    assert refusal(stopped.run_id) == (
        f"The run {stopped.run_id} cannot be continued: its record does not say with which prompt "
        "its votes were taken, and with another they cannot be added up. Start a new run."
    )


def test_refused_run_is_free_for_the_next_try(stopped: RunResult) -> None:
    refusal(stopped.run_id, policy="majority")
    refusal(stopped.run_id, base_url="echo")
    with pytest.raises(NoServerError):
        continue_run(stopped.run_id, "+1", base_url="http://127.0.0.1:1/v1")
    assert continue_run(stopped.run_id, "+5").tally.finished == 9


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
    assert refusal(17).startswith("The run is of type int: give its id")
    # An id's beginning, a path as text and a record all name it.
    for run in (stopped.run_id[:-2], str(stopped.record), read_record(stopped.record)):
        assert continue_run(run, "+1").run_id == stopped.run_id
