"""Runs as drawn: verdict first, numbers right, nothing of a model's text obeyed."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from jupyterlab_tir.events import (
    AnswerRead,
    CodeEnded,
    CodeStarted,
    Noticed,
    RunStarted,
    SampleEnded,
    SampleStarted,
    TextStreamed,
    TurnEnded,
    Verdict,
    VerdictKind,
)
from jupyterlab_tir.sandbox.result import CellResult, CellStatus
from jupyterlab_tir.terminal.render import TallyTable, final_view, live_view, trace_table
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.voting import SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted

from .conftest import said

Draw = Callable[..., str]
Events = Callable[..., list[Any]]
StateOf = Callable[..., Projection]

INERT = "[bold]x[/] <U+001B>[31m:smile:<U+202E><U+009B>2J"


def unfolded(drawn: str) -> str:
    """The text without the line ends that the width of the terminal made."""
    return re.sub(r"\s*\n\s*", " ", drawn)


def require_inert(drawn: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", drawn)
    assert all(len(line) <= 80 for line in drawn.splitlines())


@pytest.mark.parametrize("verdict", ["agrees", "disagrees", "undecided"])
def test_verdict_comes_first(
    verdict: VerdictKind, draw: Draw, run_events: Events, state_of: StateOf
) -> None:
    lines = draw(final_view(state_of(run_events(verdict=verdict)))).splitlines()
    assert lines[0] == f"{verdict.upper()}  words {INERT}"
    assert lines[1] == "Answer: 1/3"


def test_final_view_without_a_claim_begins_with_the_answer(
    draw: Draw, run_events: Events, state_of: StateOf
) -> None:
    drawn = draw(final_view(state_of(run_events())))
    require_inert(drawn)
    lines = [line.rstrip() for line in drawn.splitlines()]
    assert lines[0] == "Answer: 1/3"
    assert lines[1].split() == ["answer", "samples", "code-verified", "weight", "share", "entropy"]
    # 3 of 4 of the weight: 75 % of the bar.
    answer, samples, verified, weight, share, entropy, bar = lines[2].split()
    assert (answer, samples, verified) == ("1/3", "2", "1")
    assert (weight, share, entropy) == ("3.00", "75%", "0.00")
    assert bar.count("█") == round(0.75 * len(bar))
    assert bar.strip("█░") == ""
    assert "[bold]x[/]" in lines[3]
    assert lines[3].split()[1:-1] == ["1", "0", "1.00", "25%", "0.00"]
    assert any(line.split() == ["no", "answer", "1"] for line in lines)
    words = unfolded(drawn)
    assert f"notice {INERT} reason {INERT} " in words
    assert "2 of 8 samples, never started" in words
    assert "4,321 tokens of 2 samples in flight" in words
    assert lines[-1] == "3,000 tokens in 4.0 s; isolation: none; seed 7; run 20260102-030405-abcdef"


def test_numbers_stand_at_the_right_of_their_columns(
    draw: Draw, run_events: Events, state_of: StateOf
) -> None:
    lines = draw(final_view(state_of(run_events()))).splitlines()
    for heading, value in (("samples", "2"), ("code-verified", "1"), ("weight", "3.00")):
        end = lines[1].index(heading) + len(heading)
        assert lines[2][:end].endswith(" " + value)


def test_run_without_an_answer_says_so(draw: Draw, run_events: Events, state_of: StateOf) -> None:
    started, sample, *_ = run_events()
    lost = SampleOutcome(sample=0, status="server-lost", reason="gone")
    state = state_of([started, sample, SampleEnded(outcome=lost, turns=0, cells=0)])
    lines = draw(final_view(state)).splitlines()
    assert lines[0] == "No answer"
    assert any(line.split() == ["server", "lost", "1"] for line in lines)
    assert "The record ends before the run did: its process was killed." in lines


def test_remarks_of_the_tally_are_shown(draw: Draw, run_events: Events, state_of: StateOf) -> None:
    events = run_events(ended=False)
    events = [e for e in events if not (isinstance(e, SampleEnded) and e.outcome.sample == 1)]
    drawn = unfolded(draw(final_view(state_of(events))))
    assert "are tied at weight 1.00; the order is by count" in drawn
    assert "its process was killed" in drawn


def test_live_view_counts_what_samples_are_doing(
    draw: Draw, run_events: Events, state_of: StateOf
) -> None:
    drawn = draw(live_view(state_of(run_events(ended=False)), 12.34))
    require_inert(drawn)
    text = unfolded(drawn)
    assert text.startswith(f"model {INERT} on vLLM 0.11 at http://127.0.0.1:1/v1, 4,096 tokens")
    assert (
        "4 finished · 2 running (1 running code, 1 writing) · 8 planned · 3,000 tokens · 12.3 s · "
        "isolation: none"
    ) in text
    assert "3.00" in text
    assert f"notice {INERT}" in text


def test_run_that_goes_on_is_counted_by_its_policy(run_events: Events, state_of: StateOf) -> None:
    started, *others = run_events(ended=False)
    assert isinstance(started, RunStarted)
    by_count = msgspec.structs.replace(started, settings=started.settings | {"policy": "majority"})
    # Two samples, one code-verified: 2 + 1 by weight, 2 by count.
    for first, policy, weight in ((started, "weighted", 3.0), (by_count, "majority", 2.0)):
        counted = state_of([first, *others]).tally()
        assert (counted.policy, counted.candidates[0].weight) == (policy, weight)
    old = {name: value for name, value in started.settings.items() if name != "policy"}
    unnamed = msgspec.structs.replace(started, settings=old)
    assert state_of([unnamed, *others]).tally().policy == "weighted"


def test_live_view_before_the_server_is_found(draw: Draw) -> None:
    assert draw(live_view(Projection(), 2.4)) == "Finding the server (2 s) …\n"


def test_final_view_of_a_run_that_never_began(draw: Draw) -> None:
    assert draw(final_view(Projection())) == "The run did not begin.\n"


def test_bar_keeps_its_proportion_where_the_terminal_is_narrow(
    draw: Draw, outcomes: list[SampleOutcome]
) -> None:
    counted = tally(outcomes, planned=8, policy=Weighted())
    for width in (72, 80, 100, 200):
        bars = re.findall("[█░]+", draw(TallyTable(counted), width=width))
        assert len(bars) == 2
        assert [bar.count("█") for bar in bars] == [round(s * len(bars[0])) for s in (0.75, 0.25)]


def test_trace_shows_every_event_with_its_cost(draw: Draw, run_events: Events) -> None:
    drawn = draw(trace_table(tuple(run_events())))
    require_inert(drawn)
    lines = [line.rstrip() for line in drawn.splitlines()]
    assert lines[0].split() == ["s", "kind", "decided", "by", "event", "tokens", "in", "out", "ms"]
    turn = next(line for line in lines if "turn [bold]x[/]" in line)
    assert turn.startswith("1.50  model  model       turn [bold]x[/]")
    assert turn.endswith("56,789  1,000  1,234,568")
    assert sum(line.startswith("3.25  code   code") for line in lines) == 4
    assert lines[1] == "0.00  code   code        run started"
    # A long detail is shortened.
    assert drawn.count("…") == 3


def test_sample_is_followed_through_its_work(draw: Draw, run_events: Events) -> None:
    made = Projection()
    made.take(run_events()[0])

    def line() -> str:
        return unfolded(draw(live_view(made, 0.0))).partition("fenced ")[2].partition(" · 8")[0]

    result = CellResult(status=CellStatus.OK, duration_s=0.1)
    outcome = SampleOutcome(sample=3, status="no-answer")
    assert line() == "0 finished · 0 running"
    made.take(SampleStarted(sample=3, sample_seed=1, at_s=1.0))
    made.take(TextStreamed(sample=3, turn=0, text="x", at_s=2.0))
    assert line() == "0 finished · 1 running (1 writing)"
    cut = TurnEnded(sample=3, turn=0, attempt=0, text="x", finish="cut-at-code", at_s=2.0)
    for event, doing in (
        (cut, "starting a kernel"),
        (CodeStarted(sample=3, turn=0, cell=0, code="1", at_s=2.0), "running code"),
        (CodeEnded(sample=3, turn=0, cell=0, result=result, at_s=1.5), "writing"),
        (AnswerRead(sample=3, raw="7", key="n:7", shown="7"), "verifying"),
    ):
        made.take(event)
        assert line() == f"0 finished · 1 running (1 {doing})"
    made.take(SampleEnded(outcome=outcome, turns=1, cells=1))
    assert line() == "1 finished · 0 running"
    # The latest moment that was told, not the last: 2 s.
    assert "0 tokens in 2.0 s;" in draw(final_view(made))


def test_nothing_is_cut_from_what_a_run_says(
    draw: Draw, run_events: Events, state_of: StateOf
) -> None:
    started, *_, last = run_events(verdict="agrees")
    long = "word " * 1000 + "end"
    answers = [said(n, str(n), entropy=0.0) for n in range(150)]
    notices = [Noticed(title="notice", detail=f"{n}: {long}.") for n in range(60)]
    ended = msgspec.structs.replace(
        last,
        reason=f"Over: {long}.",
        tally=tally(answers, planned=150, policy=Weighted()),
        verdict=Verdict(verdict="agrees", claim="0", words=f"Same: {long}."),
    )
    drawn = draw(final_view(state_of([started, *notices, ended])), width=8000)
    lines = [line.rstrip() for line in drawn.splitlines()]
    assert lines[0] == f"AGREES  Same: {long}."
    # Under the answer and the headings, each of the 150 candidates has a line.
    assert [line.split()[0] for line in lines[3:153]] == [str(n) for n in range(150)]
    said_so = [notice.detail for notice in notices]
    first = lines.index(said_so[0])
    assert lines[first : first + 61] == [*said_so, f"Over: {long}."]
    live = draw(live_view(state_of([started, *notices]), 0.0), width=8000)
    assert [line.rstrip() for line in live.splitlines()][-60:] == said_so


def test_server_that_is_not_vllm_is_not_called_so(
    draw: Draw, run_events: Events, state_of: StateOf
) -> None:
    started = run_events()[0]
    assert isinstance(started, RunStarted)
    unknown = msgspec.structs.replace(
        started.server, product="unknown", version="", context=None, model="m"
    )
    state = state_of([msgspec.structs.replace(started, server=unknown)])
    first = draw(live_view(state, 0)).splitlines()[0]
    assert first == "m on server at http://127.0.0.1:1/v1; fenced"


@pytest.mark.parametrize(
    ("width", "headings"),
    [
        (72, ["answer", "samples", "code-verified", "weight", "share", "entropy"]),
        (71, ["answer", "samples", "verified", "weight", "share"]),
        (44, ["answer", "samples", "verified", "weight", "share"]),
        (43, ["answer", "samples", "weight"]),
        (24, ["answer", "samples", "weight"]),
    ],
)
@pytest.mark.parametrize("brief", [True, False])
def test_narrow_terminal_loses_columns_but_no_digit(
    draw: Draw,
    width: int,
    headings: list[str],
    brief: bool,  # noqa: FBT001
) -> None:
    counted = tally(
        [said(0, "1/3", entropy=0.0), said(1, "数学 " * 30)], planned=8, policy=Weighted()
    )
    lines = draw(TallyTable(counted, brief=brief), width=width).splitlines()
    assert lines[0].split() == headings
    assert lines[1].split()[:2] == ["1/3", "1"]
    assert "1.00" in lines[1].split()
    assert all(cell_len(line) <= width for line in lines)
    # The other answer: a line of its own in a live view, folded in the final one.
    assert ("…" in lines[2]) == brief
    assert (len(lines) == 3) == brief


def test_live_view_is_no_higher_than_the_terminal() -> None:
    outcomes = [said(n, str(n), entropy=0.0) for n in range(64)]
    counted = tally(outcomes, planned=64, policy=Weighted())
    file = io.StringIO()
    Console(file=file, width=80, height=24).print(TallyTable(counted, brief=True))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    # 24 lines but 10 for all else; the rest of the 64 is counted.
    assert len(lines) == 16
    assert lines[-1] == "… 50 more"
    assert lines[1].split()[:2] == ["0", "1"]
