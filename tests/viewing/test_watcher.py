"""Batches bring a page to where the run is, whatever the order of events and of questions."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from jupyterlab_tir import start
from jupyterlab_tir.config import resolve
from jupyterlab_tir.events import (
    CodeEnded,
    CodeStarted,
    Event,
    Noticed,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    TextStreamed,
    TurnEnded,
)
from jupyterlab_tir.sandbox.result import CellResult
from jupyterlab_tir.solving import wait_for
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.watcher import Watcher

from .told_page import Page, assert_is

CODE = "Let us see.\n```python\nprint(6 * 7)\n```\n"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, save_script: Any) -> list[Event]:
    """All events of a real run, those that only live faces see among them."""
    folder: Path = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("DATA", "RUNTIME", "CONFIG"):
            patch.setenv(f"JUPYTER_{kind}_DIR", str(folder / kind.lower()))
        patch.setenv("TIR_SANDBOX", "best")
        base_url = save_script(
            folder / "script.json",
            [CODE, r"So it is \boxed{42}."],
            [r"In one's head: \boxed{42}."],
            ["I do not know."],
            ["```python\n1 / 0\n```\n", r"Well, \boxed{41}."],
        )
        asked = {"base_url": base_url, "samples": 6, "parallel": 3, "seed": 1, "stop": "none"}
        handle = start("What is 6 times 7?", resolved=resolve(asked))
        events: list[Event] = []
        handle.listen(events.append)
        assert wait_for(handle).answer == "42"
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    assert any(isinstance(event, TextStreamed) for event in events)
    return events


def shuffled(events: list[Event], random: Random) -> list[Event]:
    """Another order in which the samples could have done what they did."""
    streams: dict[int | None, list[Event]] = defaultdict(list)
    for event in events[1:-1]:
        sample = event.outcome.sample if isinstance(event, SampleEnded) else None
        streams[getattr(event, "sample", sample)].append(event)
    merged: list[Event] = []
    while left := [stream for stream in streams.values() if stream]:
        merged.append(random.choice(left).pop(0))
    return [events[0], *merged, events[-1]]


@pytest.mark.parametrize("seed", range(40))
def test_a_page_that_takes_all_batches_has_the_run_as_it_is(told: list[Event], seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same orders each time
    made = Projection()
    page = Page(Watcher(made))
    opened: set[int] = set()
    for event in shuffled(told, random):
        made.take(event)
        if random.random() < 0.1:
            opened = set(random.sample(range(7), random.randrange(4)))
            page.open(opened)
        if random.random() < 0.05:
            page.ask_for_all()
        if random.random() < 0.3:
            page.ask_for_news()
            assert_is(page, made, opened)
    page.ask_for_news()
    assert_is(page, made, opened)


def test_nothing_is_told_twice(told: list[Event]) -> None:
    made = Projection()
    page = Page(Watcher(made))
    page.open({0, 1})
    for event in told:
        made.take(event)
        page.ask_for_news()
        assert not page.ask_for_news()


def test_a_transcript_is_told_to_those_only_who_opened_it(told: list[Event]) -> None:
    made = Projection()
    page = Page(Watcher(made))
    page.ask_for_news()
    for event in told:
        made.take(event)
        page.ask_for_news()
    assert page.state is not None
    assert page.state.transcripts == ()
    page.open({1})
    assert page.ask_for_news()
    assert [each.sample for each in page.state.transcripts] == [1]
    assert page.state.transcripts[0].segments[0].text == r"In one's head: \boxed{42}."


def turn(made: Projection, page: Page, sample: int, turn: int, text: str) -> None:
    """Have a sample write a text, run code that it held, and see the result, a batch each time."""
    code = f"{sample} + {turn}"
    written = f"{text}\n```python\n{code}\n```\n"
    ran = CellResult(status="ok", duration_s=0.1, stdout="7\n")
    for event in (
        TextStreamed(sample=sample, turn=turn, text=text),
        TextStreamed(sample=sample, turn=turn, text=written.removeprefix(text)),
        TurnEnded(sample=sample, turn=turn, attempt=0, text=written, finish="cut-at-code"),
        CodeStarted(sample=sample, turn=turn, cell=turn, code=code),
        CodeEnded(sample=sample, turn=turn, cell=turn, result=ran),
    ):
        made.take(event)
        page.ask_for_news()


def watched_samples(told: list[Event], samples: int) -> tuple[Projection, Page]:
    made = Projection()
    page = Page(Watcher(made))
    made.take(told[0])
    for sample in range(samples):
        made.take(SampleStarted(sample=sample, sample_seed=sample))
    page.open(set(range(samples)))
    page.ask_for_news()
    return made, page


def test_a_turn_is_told_alone_however_long_the_transcript_is(told: list[Event]) -> None:
    made, page = watched_samples(told, 2)
    sent: list[int] = []
    for number in range(12):
        before = page.chars
        for sample in range(2):
            turn(made, page, sample, number, "x" * 2_000)
        sent.append(page.chars - before)
        assert_is(page, made, {0, 1})
    # Once, as it is written: that it ends, and where its code begins, is told without its text.
    assert max(sent) < 2 * (2_000 + 150)
    assert sent[-1] - sent[0] < 20


def test_a_transcript_that_is_cut_is_cut_alike_on_the_page(told: list[Event]) -> None:
    made, page = watched_samples(told, 1)
    for number in range(30):
        turn(made, page, 0, number, "x" * 9_000)
        assert page.state is not None
        [held] = page.state.transcripts
        transcript = made.samples[0].transcript
        assert held == transcript.shown(0, transcript.cut_within())
    # 30 texts: as much as a page bears, each of 100,000 / 32 characters.
    assert held.segments[0].chars == 9_000
    assert held.segments[0].text.startswith("x" * 1_563 + "\n… 5,875 characters …")
    # Each text once, and all of them when they are cut shorter.
    assert page.chars < 30 * 9_300 + 5 * 100_000


def test_a_turn_that_is_asked_again_takes_back_what_the_page_had_of_it(told: list[Event]) -> None:
    made, page = watched_samples(told, 1)
    turn(made, page, 0, 0, "So.")
    for event in (
        TextStreamed(sample=0, turn=1, text="Hm", reasoning=True),
        TextStreamed(sample=0, turn=1, text="It"),
        TurnEnded(sample=0, turn=1, attempt=0, text="", finish="lost", finish_detail="Gone."),
        TurnEnded(sample=0, turn=1, attempt=1, text="", finish="stop"),
    ):
        made.take(event)
        page.ask_for_news()
        assert_is(page, made, {0})
    assert page.state is not None
    assert [each.kind for each in page.state.transcripts[0].segments] == ["text", "code", "result"]


def test_tokens_that_stream_change_no_row_but_its_count(told: list[Event]) -> None:
    made = Projection()
    watcher = Watcher(made)
    made.take(told[0])
    for sample in range(3):
        made.take(SampleStarted(sample=sample, sample_seed=sample))
    watcher.snapshot()
    for word in ("So", " it", " is"):
        made.take(TextStreamed(sample=1, turn=0, text=word))
    batch = watcher.batch()
    assert batch is not None
    assert (batch.samples, batch.progress, batch.tally) == ((), ((1, 3),), None)


def test_a_plan_that_is_raised_is_told(told: list[Event]) -> None:
    made = Projection()
    page = Page(Watcher(made))
    for event in told:
        made.take(event)
    page.ask_for_all()
    started = told[0]
    assert isinstance(started, RunStarted)
    made.take(
        RunContinued(
            created="2026-01-02T03:04:05+00:00",
            version=started.version,
            planned=12,
            settings={**started.settings, "samples": 12},
            sources={},
            server=started.server,
            isolation=started.isolation,
        )
    )
    made.take(Noticed(detail="it goes on"))
    page.ask_for_news()
    assert page.state is not None
    assert page.state.planned == 12
    assert page.state.notices[-1] == "it goes on"
    # It is no longer over, and its head says so.
    assert_is(page, made, set())
    assert (page.state.end, page.state.revote, page.state.head.continued) == (None, None, True)
    assert page.state.head.plan.startswith("12 samples")
    made.take(Noticed(detail="still"))
    told_again = page.watcher.batch()
    assert told_again is not None
    assert (told_again.head, told_again.resumed) == (None, False)


@pytest.mark.parametrize("letter", ["x", "\U0001d465", "é"])
def test_a_text_is_told_once_in_whatever_letters(told: list[Event], letter: str) -> None:
    made, page = watched_samples(told, 1)
    words = f"{letter}{' so' * 100}{letter}"
    code = f"y = '{letter}'  # {'z' * 100}"
    written = f"{words}\n```python\n{code}\n```\n"
    ran = CellResult(status="ok", duration_s=0.1, stdout="7\n")
    for event in (
        TextStreamed(sample=0, turn=0, text=written[:150]),
        TextStreamed(sample=0, turn=0, text=written[150:]),
        TurnEnded(sample=0, turn=0, attempt=0, text=written, finish="cut-at-code"),
        CodeStarted(sample=0, turn=0, cell=0, code=code),
        CodeEnded(sample=0, turn=0, cell=0, result=ran),
        TextStreamed(sample=0, turn=1, text=code),
    ):
        made.take(event)
        page.ask_for_news()
        assert_is(page, made, {0})
    assert page.state is not None
    assert [each.text for each in page.state.transcripts[0].segments] == [words, code, "7", code]
    # The text, the result, and the code where it is written a second time.
    assert page.chars == len(written) + 1 + len(code)


def test_a_turn_that_ends_with_more_than_it_streamed_is_told_the_rest(told: list[Event]) -> None:
    made, page = watched_samples(told, 1)
    made.take(TextStreamed(sample=0, turn=0, text="a" * 500))
    page.ask_for_news()
    made.take(TurnEnded(sample=0, turn=0, attempt=0, text="a" * 500 + "bc", finish="stop"))
    page.ask_for_news()
    assert_is(page, made, {0})
    assert page.chars == 502
