from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from jupyterlab_tir.backend.scripted import echo_script, load_script
from jupyterlab_tir.backend.scripted.faults import FAULT_KINDS
from jupyterlab_tir.backend.scripted.script import parse_script
from jupyterlab_tir.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


EXPECTS_AT_ONCE = {"attempts": [{"turns": [{"result_contains": "4"}]}]}


def script_with(turn: Any) -> str:
    sample = {"turns": [{"text": "a"}, turn]}
    return json.dumps({"version": 1, "problems": [{"contains": "", "samples": [sample]}]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"version": 2}', "version must be 1, the only one that this release reads"),
        ('{"problems": []}', "problems: expected `array` of length >= 1"),
        ('{"version": 1,\n "problems": [}', "is not JSON: line 2, column 15: invalid character"),
        (script_with({"txt": "a"}), "samples[0].turns[1]: object contains unknown field `txt`"),
        (script_with({"token_ms": -1}), "turns[1].token_ms: expected `float` >= 0.0"),
        (
            script_with({"fault": {"kind": "explode"}}),
            "turns[1].fault.kind: invalid value 'explode' (the kinds are http, cut,",
        ),
        (
            script_with({"fault": [{"kind": "cut"}, {"kind": "split_bytes", "sizes": [0]}]}),
            "turns[1].fault[1].sizes[0]: expected `int` >= 1",
        ),
        (
            script_with({"fault": {"kind": "http", "headers": {"x": "a\r\nb"}}}),
            "turns[1].fault.headers[...]: expected `str` matching",
        ),
        (
            '{"version": 1, "problems": [{"contains": "", "samples": [{}]}]}',
            'problems[0].samples[0] needs either "turns" or "attempts"',
        ),
        (
            json.dumps(
                {"version": 1, "problems": [{"contains": "", "samples": [EXPECTS_AT_ONCE]}]}
            ),
            'samples[0] has "result_contains" in its first turn',
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_script(text, "demo.json")
    assert str(caught.value).startswith("The script demo.json is not ")
    assert message in str(caught.value)


def test_a_file_that_is_absent_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be read \(No such file or directory\): name an"):
        load_script(tmp_path / "none.json")


def test_a_script_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(script_with({"text": "\N{MINUS SIGN}1", "entropy": "none"}), "utf-8")
    turns = load_script(path).problems[0].samples[0].turns_of(3)
    assert [turn.text for turn in turns] == ["a", "\N{MINUS SIGN}1"]
    assert turns[1].entropy == "none"


def test_retries_stay_at_the_last_attempt() -> None:
    attempts = [{"turns": [{"text": text}]} for text in ("first", "second")]
    data = {"version": 1, "problems": [{"contains": "", "samples": [{"attempts": attempts}]}]}
    sample = parse_script(json.dumps(data)).problems[0].samples[0]
    assert [sample.turns_of(n)[0].text for n in range(4)] == ["first", "second", "second", "second"]


def test_every_documented_fault_kind_is_known() -> None:
    assert set(FAULT_KINDS) == {
        *("http", "cut", "hang", "silent", "split_bytes", "raw", "no_done", "no_usage"),
        *("bad_json", "sse_error", "comments", "empty", "nan_logprobs", "clamped_logprobs"),
        "collapsed_logprobs",
    }


def test_echo_is_a_script_that_fits_every_problem() -> None:
    script = echo_script()
    assert script.problems[0].contains == ""
    assert script.server.model == "echo"
