"""What `tir config`, `tir runs` and `tir show` print."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir.config import Config, resolve
from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.record import RecordWriter
from jupyterlab_tir.terminal.overview import print_config, print_run, print_runs

Events = Callable[..., list[Any]]
Capture = pytest.CaptureFixture[str]


def record(run_id: str, events: list[Any]) -> Path:
    with RecordWriter(run_id, print) as writer:
        for event in events:
            writer.write(event)
    return writer.path


def test_config_shows_value_and_source_but_no_key(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "hunter2")
    resolved = resolve(
        {"samples": 3}, environ={"TIR_API_KEY_ENV": "MY_KEY"}, file=Path("/dev/null")
    )
    print_config(resolved, as_json=False)
    shown = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in shown.splitlines() if line.strip()}
    assert rows["samples"][1:3] == ["3", "option"]
    assert rows["tau"][1:3] == ["0.75", "default"]
    assert rows["api_key_env"][1:3] == ["MY_KEY", "(set)"]
    assert "hunter2" not in shown
    print_config(resolved, as_json=True)
    values = json.loads(capsys.readouterr().out)
    assert list(values) == list(Config.__struct_fields__)
    assert values["samples"] == {
        "value": 3,
        "source": "option",
        "default": 8,
        "allowed": "a whole number from 1 to 1,024",
        "environment": "TIR_SAMPLES",
    }
    assert "hunter2" not in json.dumps(values)


def test_no_run_yet_is_said(capsys: Capture) -> None:
    print_runs(20, as_json=False)
    assert capsys.readouterr().out == "No run has been recorded yet.\n"
    print_runs(20, as_json=True)
    assert json.loads(capsys.readouterr().out) == []


def test_runs_are_listed_whole_cut_and_unreadable(capsys: Capture, run_events: Events) -> None:
    record("20260101-a", run_events())
    record("20260102-b", run_events(ended=False))
    record("20260103-c", []).write_text("no record\n")
    uncountable = run_events()
    uncountable[0] = msgspec.structs.replace(uncountable[0], settings={})
    record("20260104-d", uncountable)
    print_runs(20, as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [(row["run"], row["status"], row["answer"], row["samples"]) for row in rows] == [
        ("20260104-d", "unreadable", None, ""),
        ("20260103-c", "unreadable", None, ""),
        ("20260102-b", "cut short", "1/3", "4 of 8"),
        ("20260101-a", "answered", "1/3", "4 of 8"),
    ]
    print_runs(2, as_json=False)
    shown = capsys.readouterr().out
    assert "20260103-c" in shown
    assert "20260102-b" not in shown


def test_run_that_is_going_on_was_not_killed(capsys: Capture, run_events: Events) -> None:
    with RecordWriter("20260101-a", print) as writer:
        for event in run_events(ended=False):
            writer.write(event)
        print_runs(20, as_json=True)
        [row] = json.loads(capsys.readouterr().out)
        assert (row["status"], row["answer"], row["samples"]) == ("still going on", "1/3", "4 of 8")
        print_run("2026", trace=False, as_json=False)
        shown = capsys.readouterr().out
        assert "The run is still going on: this is what it has so far." in shown
        assert "killed" not in shown
        print_run("2026", trace=False, as_json=True)
        told = json.loads(capsys.readouterr().out)
        assert (told["going_on"], told["cut_short"], told["ended"]) == (True, False, None)
    print_run("2026", trace=False, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["going_on"], told["cut_short"], told["ended"]) == (False, True, None)


def test_run_is_shown_by_the_path_of_its_record_too(capsys: Capture, run_events: Events) -> None:
    path = record("20260101-a", run_events())
    elsewhere = path.rename(path.parents[1] / "elsewhere.jsonl")
    print_run(str(elsewhere), trace=False, as_json=True)
    assert json.loads(capsys.readouterr().out)["started"]["problem"]["text"].startswith("Problem")
    with pytest.raises(RecordError, match=r"cannot be read \(No such file"):
        print_run(str(path), trace=False, as_json=True)


def test_run_is_redrawn_with_its_problem_inert(capsys: Capture, run_events: Events) -> None:
    record("20260101-a", run_events(verdict="agrees"))
    print_run("2026", trace=True, as_json=False)
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[0] == "Problem [bold]x[/] <U+001B>[31m:smile:<U+202E><U+009B>2J"
    assert lines[1].split()[:2] == ["s", "kind"]
    assert any(line.startswith("AGREES  words [bold]x[/]") for line in lines)
    assert "\x1b" not in shown
    print_run("2026", trace=False, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["run"] == "20260101-a"
    assert told["cut_short"] is False
    assert told["tally"] == told["ended"]["tally"]


@pytest.mark.parametrize("as_json", [True, False])
def test_run_whose_ballots_were_changed_is_refused(
    run_events: Events,
    as_json: bool,  # noqa: FBT001
) -> None:
    path = record("20260101-a", run_events())
    lines = path.read_text().splitlines(keepends=True)
    changed = [
        line.replace('"verification":"replayed"', '"verification":"none"')
        if '"sample-ended"' in line
        else line
        for line in lines
    ]
    assert changed != lines
    path.write_text("".join(changed))
    with pytest.raises(RecordError, match="contradicts itself"):
        print_run("2026", trace=False, as_json=as_json)


def test_cut_run_that_cannot_be_counted_is_an_error_of_its_record(run_events: Events) -> None:
    events = run_events(ended=False)
    events[0] = msgspec.structs.replace(events[0], settings={})
    record("20260101-a", events)
    with pytest.raises(RecordError, match="cannot be counted"):
        print_run("2026", trace=False, as_json=False)


def test_one_record_that_nobody_could_have_written_hides_no_other(
    capsys: Capture, run_events: Events
) -> None:
    path = record("20260101-a", run_events())
    too_long = path.read_text().replace("Problem [bold]", "p" * 100_001)
    path.with_name("20260102-b.jsonl").write_text(too_long)
    print_runs(20, as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [(row["run"], row["status"]) for row in rows] == [
        ("20260102-b", "unreadable"),
        ("20260101-a", "answered"),
    ]
    assert "100,0" in rows[0]["problem"]


def test_name_of_a_file_cannot_drive_the_terminal(capsys: Capture, run_events: Events) -> None:
    path = record("20260101-a", run_events())
    path.rename(path.with_name("2026\x1b[31m\u202e.jsonl"))
    print_runs(20, as_json=False)
    shown = capsys.readouterr().out
    assert "2026<U+001B>[31m<U+202E>" in shown
    assert not {"\x1b", "\u202e"} & set(shown)


def test_reason_of_an_unreadable_record_is_seen(capsys: Capture) -> None:
    record("20260103-c", []).write_text("no record\n")
    print_runs(20, as_json=False)
    # Not the path of the folder, behind which there would be no room for it.
    shown = " ".join(capsys.readouterr().out.split())
    assert "The record 20260103-c.jsonl is damaged" in shown
