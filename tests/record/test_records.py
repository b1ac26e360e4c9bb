"""Records: what was written is read, whole, cut or damaged."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from jupyterlab_tir import paths
from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.events import (
    SCHEMA,
    AnswerRead,
    AnyEvent,
    CodeEnded,
    CodeStarted,
    Noticed,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    Saved,
    StopFired,
    TallyChanged,
    TextStreamed,
    TokenEntropy,
    TurnEnded,
    Verdict,
    VerificationEnded,
)
from jupyterlab_tir.record import read_record
from jupyterlab_tir.sandbox.result import CellResult, CellStatus
from jupyterlab_tir.voting import RuleDecision, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted

from .conftest import said, write

RunOf = Callable[[Sequence[SampleOutcome]], list[AnyEvent]]


@pytest.fixture
def whole(run_started: RunStarted) -> list[AnyEvent]:
    """A short run with an event of every kind that records keep."""
    outcome = said(0, "1/3", entropy=0.25, verification="replayed")
    counted = tally([outcome], planned=8, policy=Weighted())
    stop = RuleDecision(rule="share", words="1 of 1.", after=1)
    result = CellResult(status=CellStatus.ERROR, duration_s=0.1, stdout="é\n\t\"'", value="[1]")
    events: list[AnyEvent] = [
        run_started,
        SampleStarted(sample=0, sample_seed=2**53 - 1),
        CodeStarted(sample=0, turn=0, cell=0, code="1/3\nprint('\\n')"),
        CodeEnded(sample=0, turn=0, cell=0, result=result),
        TurnEnded(
            sample=0,
            turn=1,
            attempt=0,
            text="so \u2028 \x00\x1b 1/3 שלום \U0001d53d",
            finish="stop",
            entropy=TokenEntropy(nats=0.1 + 0.2, tokens=3),
            tokens_in=10,
            tokens_out=3,
            ms=12.5,
        ),
        AnswerRead(sample=0, raw="1/3", key="q:1/3", shown="1/3"),
        VerificationEnded(sample=0, verification="replayed", reason=""),
        SampleEnded(outcome=outcome, turns=2, cells=1),
        Noticed(title="notice", detail="so it is"),
        StopFired(decision=stop),
        RunEnded(
            status="answered",
            reason="1 of 1.",
            answer="1/3",
            tally=counted,
            verdict=Verdict(verdict="agrees", claim="1/3", words="The samples agree."),
            stop=stop,
            saved=Saved(not_started=7, cancelled=0, wasted_tokens=0),
        ),
    ]
    return [msgspec.structs.replace(event, seq=seq) for seq, event in enumerate(events)]


def test_whole_run_is_read_as_it_was_written(runs: Path, whole: list[AnyEvent]) -> None:
    path = write("a-run", whole)
    record = read_record(path)
    assert path == runs / "a-run.jsonl"
    assert record.events == tuple(whole)
    assert record.started == whole[0]
    assert record.ended == whole[-1]
    assert not record.cut_short
    assert record.ended is not None
    assert record.replay() == record.ended.tally


def test_events_for_live_faces_are_left_out(runs: Path, whole: list[AnyEvent]) -> None:
    live = [
        TextStreamed(sample=0, turn=0, text="1"),
        TallyChanged(tally=tally([], planned=8, policy=Weighted())),
    ]
    path = write("a-run", [whole[0], *live, *whole[1:]])
    assert path.parent == runs
    assert read_record(path).events == tuple(whole)


@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("jupyter")
def test_record_cut_at_any_byte_is_read_up_to_its_last_whole_line(
    whole: list[AnyEvent], step: int
) -> None:
    path = write("a-run", whole)
    data = path.read_bytes()
    assert data.count(b"\n") == len(whole)
    for length in range(len(data) - 1, -1, -step):
        os.truncate(path, length)
        # A line is whole when only its line end is missing.
        lines = data.count(b"\n", 0, length) + (data[length : length + 1] == b"\n")
        if lines == 0:
            with pytest.raises(RecordError, match=r"holds no run: its process died at once\.$"):
                read_record(path)
            continue
        record = read_record(path)
        assert record.events == tuple(whole[:lines])
        assert record.cut_short is (lines < len(whole))
        assert (record.ended is None) is record.cut_short
        assert record.replay().answered == (1 if lines > 7 else 0)


@pytest.mark.usefixtures("jupyter")
def test_cut_character_does_not_hide_what_came_before(whole: list[AnyEvent]) -> None:
    path = write("a-run", whole[:1])
    path.write_bytes(path.read_bytes() + b'{"type":"noticed","detail":"\xd7')
    assert len(read_record(path).events) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"type":"noticed","seq":1', "is damaged at line 2 ("),
        (b"\x00\x00\x00", "is damaged at line 2 ("),
        (b'{"type":"noticed","seq":1,"detail":"\xff"}', "is damaged at line 2 ("),
        (b'{"type":"noticed","seq":"one"}', "is damaged at line 2 ("),
        (b'{"type":"sample-started","seq":1}', "is damaged at line 2 ("),
        (b"[]", "is damaged at line 2 ("),
        (b"", "is damaged at line 3: event 1 is missing."),
        (b'{"type":"noticed","seq":5}', "is damaged at line 2: event 1 is missing."),
        (
            b'{"type":"poem-written","seq":1}',
            (
                "holds an event that this version does not know, 'poem-written' at line 2: "
                "update jupyterlab_tir."
            ),
        ),
    ],
)
@pytest.mark.usefixtures("jupyter")
def test_damaged_line_in_the_middle_is_named(
    line: bytes, words: str, whole: list[AnyEvent]
) -> None:
    path = write("a-run", whole)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], line, *lines[2:]]))
    with pytest.raises(RecordError) as caught:
        read_record(path)
    assert str(caught.value).startswith(f"The record {path} {words}")


@pytest.mark.usefixtures("jupyter")
def test_record_of_a_problem_that_no_run_takes_is_damaged(whole: list[AnyEvent]) -> None:
    path = write("a-run", whole)
    first, rest = path.read_bytes().split(b"\n", 1)
    empty = json.loads(first) | {"problem": {"text": " "}}
    path.write_bytes(json.dumps(empty).encode() + b"\n" + rest)
    with pytest.raises(RecordError, match="damaged at line 1"):
        read_record(path)


@pytest.mark.parametrize("same_fields", [True, False])
@pytest.mark.usefixtures("jupyter")
def test_record_of_a_newer_form_asks_for_an_update(
    same_fields: bool,  # noqa: FBT001
    whole: list[AnyEvent],
) -> None:
    path = write("a-run", whole)
    first, rest = path.read_bytes().split(b"\n", 1)
    newer = json.loads(first) | {"schema": SCHEMA + 1}
    if not same_fields:
        newer["seed"] = [newer.pop("problem")]
    path.write_bytes(json.dumps(newer).encode() + b"\n" + rest)
    with pytest.raises(RecordError) as caught:
        read_record(path)
    assert str(caught.value) == (
        f"The record {path} is of form {SCHEMA + 1}, and this version reads forms up to {SCHEMA}: "
        "update jupyterlab_tir."
    )


@pytest.mark.usefixtures("jupyter")
def test_record_of_form_1_knows_one_policy_and_is_read_and_counted(whole: list[AnyEvent]) -> None:
    path = write("a-run", whole)
    lines = []
    for line in map(json.loads, path.read_bytes().splitlines()):
        if line["type"] == "run-started":
            line["schema"] = 1
            del line["settings"]["policy"]
        elif line["type"] == "run-ended":
            del line["tally"]["policy"]
        lines.append(json.dumps(line).encode() + b"\n")
    path.write_bytes(b"".join(lines))
    record = read_record(path)
    assert record.ended == whole[-1]
    assert record.ended is not None
    assert record.ended.stop == RuleDecision(rule="share", words="1 of 1.", after=1)
    assert record.replay() == record.ended.tally


@pytest.mark.usefixtures("jupyter")
def test_impossible_entropy_is_an_error_of_the_record(run_of: RunOf) -> None:
    path = write("a-run", run_of([said(0, "1", entropy=0.5)]))
    path.write_bytes(path.read_bytes().replace(b'"entropy":0.5', b'"entropy":-0.5'))
    with pytest.raises(RecordError, match=r"is damaged at line 3 \(an entropy is finite"):
        read_record(path)


def test_record_that_begins_without_a_run_is_refused(runs: Path, whole: list[AnyEvent]) -> None:
    path = write("a-run", [msgspec.structs.replace(whole[1], seq=0)])
    assert path.parent == runs
    with pytest.raises(RecordError, match="holds no run"):
        read_record(path)


@pytest.mark.usefixtures("jupyter")
def test_records_and_their_folders_are_private(whole: list[AnyEvent]) -> None:
    path = write("a-run", whole)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
    assert path.parent == paths.records_dir()


@pytest.mark.usefixtures("jupyter")
def test_record_is_never_written_over(whole: list[AnyEvent]) -> None:
    path = write("a-run", whole)
    with pytest.raises(RecordError, match="cannot be made"):
        write("a-run", whole[:1])
    assert read_record(path).events == tuple(whole)
