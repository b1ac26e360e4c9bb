"""Finding records: by id, by its beginning, by path; what is none is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from jupyterlab_tir.errors import RecordError, UsageError
from jupyterlab_tir.events import (
    AnyEvent,
    RunStarted,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.record import (
    RecordWriter,
    find_record,
    list_records,
    locate_record,
    read_record,
    revote,
)
from jupyterlab_tir.voting import SampleOutcome

RunOf = Callable[[Sequence[SampleOutcome]], list[AnyEvent]]


def write(run_id: str, events: Sequence[AnyEvent]) -> Path:
    def fail(words: str) -> None:
        raise AssertionError(words)

    with RecordWriter(run_id, fail) as writer:
        for event in events:
            writer.write(event)
    return writer.path


@pytest.fixture
def named(runs: Path) -> list[str]:
    names = ["20260101-000000-aaaaaa", "20260101-000000-aaaaaab", "20260102-000000-bbbbbb"]
    for name in names:
        (runs / f"{name}.jsonl").touch()
    (runs / "20260103-notes.txt").touch()
    return names


def test_records_are_listed_newest_first(named: list[str]) -> None:
    assert [path.stem for path in list_records()] == sorted(named, reverse=True)


def test_record_is_found_by_its_id_or_a_beginning_that_only_it_has(named: list[str]) -> None:
    assert find_record("20260102").stem == named[2]
    assert find_record(named[2]).stem == named[2]
    # One id may begin another.
    assert find_record(named[0]).stem == named[0]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "20260101-0",
            (
                "2 runs begin with '20260101-0': write more of the id.\n"
                "  20260101-000000-aaaaaab\n  20260101-000000-aaaaaa"
            ),
        ),
        ("20260103", "There is no run '20260103': `tir runs` lists them."),
        ("*", "There is no run '*': `tir runs` lists them."),
        ("../runs/20260102", "There is no run '../runs/20260102': `tir runs` lists them."),
    ],
)
@pytest.mark.usefixtures("named")
def test_name_that_is_not_one_run_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(RecordError) as caught:
        find_record(name)
    assert str(caught.value) == sentence


def test_what_is_no_file_is_no_record(runs: Path) -> None:
    (runs / "20260101-folder.jsonl").mkdir()
    (runs / "20260102-dangling.jsonl").symlink_to(runs / "nothing")
    # Opening a pipe would wait for its writer for ever.
    os.mkfifo(runs / "20260103-pipe.jsonl")
    assert list_records() == []


@pytest.mark.usefixtures("jupyter")
def test_ambiguous_id_lists_the_newest_runs_with_time_and_problem(
    run_started: RunStarted,
) -> None:
    problems = ["What is\n  two and two?", "x" * 100, *["More?"] * 10]
    for number, text in enumerate(problems):
        started = msgspec.structs.replace(run_started, problem=Problem(text=text))
        write(f"2026010{number:x}-a", [started])
    with pytest.raises(RecordError) as caught:
        find_record("2026")
    first, *listed = str(caught.value).split("\n")
    assert first == "12 runs begin with '2026': write more of the id."
    assert listed[0] == "  2026010b-a  2026-01-02 03:04 UTC  More?"
    assert len(listed) == 11
    assert listed[10] == "  … and 2 older ones"
    (find_record("2026010b").parent / "2026010b-b.jsonl").write_bytes(b"\xff not a record")
    with pytest.raises(RecordError) as caught:
        find_record("2026010b")
    assert str(caught.value).split("\n")[1] == "  2026010b-b"
    two = write("2026020a", [msgspec.structs.replace(run_started, problem=Problem(text="y" * 99))])
    write("2026020b", [msgspec.structs.replace(run_started, problem=Problem(text="a\n b"))])
    with pytest.raises(RecordError) as caught:
        find_record("2026020")
    assert str(caught.value).endswith(f"UTC  a b\n  {two.stem}  2026-01-02 03:04 UTC  {'y' * 59}…")


def test_record_is_located_by_id_or_by_path(named: list[str], runs: Path) -> None:
    path = runs / f"{named[2]}.jsonl"
    assert locate_record("20260102") == path
    assert locate_record(str(path)) == locate_record(path) == path
    assert locate_record("./other.jsonl") == Path("other.jsonl")
    with pytest.raises(RecordError, match="There is no run 'other'"):
        locate_record("other")


@pytest.mark.parametrize("run", [None, 5, ["2026"], b"2026"])
def test_what_names_no_run_is_refused_in_a_sentence(run: object) -> None:
    for refusing in (locate_record, revote):
        with pytest.raises(UsageError) as caught:
            refusing(run)  # type: ignore[operator]
        assert str(caught.value) == (
            f"The run is of type {type(run).__name__}: give its id, as a str, the path of its "
            "record, or the record."
        )


def test_empty_or_absent_record_is_refused_in_words(runs: Path) -> None:
    empty = runs / "empty.jsonl"
    empty.touch()
    with pytest.raises(RecordError, match="holds no run"):
        read_record(empty)
    with pytest.raises(RecordError, match=r"cannot be read \(No such file or directory\)"):
        read_record(runs / "absent.jsonl")
    with pytest.raises(RecordError, match=r"cannot be read \(Is a directory\)"):
        read_record(runs)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "run.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(RecordError, match="it is no regular file"):
        read_record(pipe)
