"""A sample's transcript as segments: text, code, result, error, in order."""

from __future__ import annotations

from jupyterlab_tir.events import CodeEnded, CodeStarted, TextStreamed, TurnEnded
from jupyterlab_tir.sandbox.result import CellResult, CellStatus
from jupyterlab_tir.viewing.transcripts import Transcript


def streamed(text: str, *, turn: int = 0, reasoning: bool = False) -> TextStreamed:
    return TextStreamed(sample=0, turn=turn, text=text, reasoning=reasoning)


def turn_ended(text: str, *, turn: int = 0, attempt: int = 0, finish: str = "stop") -> TurnEnded:
    return TurnEnded(sample=0, turn=turn, attempt=attempt, text=text, finish=finish)  # type: ignore[arg-type]


def ran(code: str, result: CellResult, transcript: Transcript, *, turn: int = 0) -> None:
    transcript.start_code(CodeStarted(sample=0, turn=turn, cell=0, code=code))
    transcript.end_code(CodeEnded(sample=0, turn=turn, cell=0, result=result))


def said(transcript: Transcript) -> list[tuple[str, str]]:
    return [(segment.kind, segment.text) for segment in transcript.segments]


def test_text_that_streams_in_is_one_segment_and_marked_as_such() -> None:
    transcript = Transcript()
    transcript.stream(streamed("I "))
    transcript.stream(streamed("add."))
    assert said(transcript) == [("text", "I add.")]
    assert transcript.segments[0].streaming


def test_appending_text_changes_no_revision_and_a_new_segment_does() -> None:
    transcript = Transcript()
    transcript.stream(streamed("hm", reasoning=True))
    before = transcript.revision
    transcript.stream(streamed("m", reasoning=True))
    assert transcript.revision == before
    transcript.stream(streamed("So"))
    assert transcript.revision > before
    assert [segment.streaming for segment in transcript.segments] == [False, True]


def test_the_whole_turn_replaces_what_streamed_in() -> None:
    transcript = Transcript()
    transcript.stream(streamed("I ad"))
    transcript.end_turn(turn_ended("I add."))
    assert said(transcript) == [("text", "I add.")]
    assert not transcript.segments[0].streaming


def test_a_later_attempt_replaces_a_lost_one() -> None:
    transcript = Transcript()
    transcript.end_turn(turn_ended("first", finish="cut-at-code"))
    ran("1", CellResult(status=CellStatus.OK, duration_s=0.001, value="1"), transcript)
    transcript.stream(streamed("half", turn=1))
    transcript.end_turn(turn_ended("half", turn=1, finish="lost"))
    assert said(transcript)[-2:] == [
        ("text", "half"),
        ("error", "The server was lost in this turn."),
    ]
    transcript.stream(streamed("whole", turn=1))
    transcript.end_turn(turn_ended("whole", turn=1, attempt=1))
    assert said(transcript) == [
        ("text", "first"),
        ("code", "1"),
        ("result", "1"),
        ("text", "whole"),
    ]


def test_code_is_taken_out_of_the_text_that_it_was_written_in() -> None:
    transcript = Transcript()
    transcript.end_turn(turn_ended("I add.\n```python\nprint(1 + 1)\n", finish="cut-at-code"))
    ran(
        "print(1 + 1)",
        CellResult(status=CellStatus.OK, duration_s=0.0021, stdout="2\n"),
        transcript,
    )
    assert said(transcript) == [("text", "I add."), ("code", "print(1 + 1)"), ("result", "2")]
    assert transcript.segments[1].ms == 2.1


def test_text_that_is_only_code_leaves_no_empty_segment() -> None:
    transcript = Transcript()
    transcript.end_turn(turn_ended("```python\nx\n", finish="cut-at-code"))
    ran("x", CellResult(status=CellStatus.OK, duration_s=0.0), transcript)
    assert said(transcript) == [("code", "x"), ("result", "")]


def test_an_error_keeps_what_was_printed_before_it() -> None:
    transcript = Transcript()
    transcript.end_turn(turn_ended("```python\nprint(1); 1/0\n", finish="cut-at-code"))
    failed = CellResult(
        status=CellStatus.ERROR,
        duration_s=0.0,
        stdout="1\n",
        error_name="ZeroDivisionError",
        error_message="division by zero",
    )
    ran("print(1); 1/0", failed, transcript)
    assert said(transcript)[1:] == [
        ("result", "1"),
        ("error", "ZeroDivisionError: division by zero"),
    ]
    assert transcript.segments[0].status == "error"


def test_a_long_segment_keeps_its_head_and_its_tail_and_says_its_length() -> None:
    transcript = Transcript()
    transcript.end_turn(turn_ended("a" * 600 + "b" * 600))
    shown = transcript.shown(3, most=100).segments[0]
    assert shown.chars == 1200
    assert shown.text.startswith("a" * 50)
    assert shown.text.endswith("b" * 50)
    assert "1,100 characters" in shown.text
