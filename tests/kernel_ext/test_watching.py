"""Runs as pages watch them: requests and answers, leases, and how much a page is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from jupyterlab_tir.events import (
    RunContinued,
    SampleEnded,
    SampleStarted,
    TallyChanged,
    TextStreamed,
)
from jupyterlab_tir.viewing.wire import to_page
from jupyterlab_tir_kernel.control import MOST_OPEN, answer
from jupyterlab_tir_kernel.hub import KEPT_RUNS, LEASE_S, MOST_PAGES, Hub, WatchedRun
from jupyterlab_tir_kernel.notebook_cell import NotebookCell

from .static_runs import RUN_ID, continued, run_events
from .watched_runs import Clock, begun, watched

Json = dict[str, Any]


class Asked:
    """A hub, asked as a page asks it; `sent` holds the batches that pages were sent."""

    def __init__(self, *runs: WatchedRun) -> None:
        self.hub = Hub()
        for run in runs:
            self.hub.add(run)
        self.sent: list[tuple[str, str, Json]] = []

    def __call__(self, kind: str, **content: Any) -> Json:
        def reach(run: str, page: str) -> Callable[[Json], object]:
            return lambda batch: self.sent.append((run, page, batch))

        return answer({"kind": kind, **content}, self.hub, reach)

    def pump(self) -> None:
        for run in self.hub.runs():
            for deliver, batch in run.batches():
                deliver(to_page(batch))


def test_page_gets_the_run_so_far_and_then_what_is_new_for_it() -> None:
    events = run_events()
    run = begun(events[:2])
    ask = Asked(run)
    told = ask("hello", run=RUN_ID, page="a", opened=[])
    assert told["status"] == "ok"
    assert [each["sample"] for each in told["snapshot"]["samples"]] == [0]
    for event in events[2:]:
        run.take(event)
    assert ask("hello", run=RUN_ID, page="b", opened=[])["snapshot"]["end"]["answer"] == "385"
    ask.pump()
    [(run_id, page, batch)] = ask.sent
    assert (run_id, page, batch["number"]) == (RUN_ID, "a", 1)
    assert batch["end"]["answer"] == "385"
    assert "transcripts" not in batch
    ask.pump()
    assert len(ask.sent) == 1


def test_transcripts_are_told_only_while_they_are_open() -> None:
    run = begun(run_events())
    ask = Asked(run)
    told = ask("hello", run=RUN_ID, page="a", opened=[1])
    assert [each["sample"] for each in told["snapshot"]["transcripts"]] == [1]
    assert ask("open", run=RUN_ID, page="a", opened=[0]) == {"status": "ok"}
    ask.pump()
    [(_, _, batch)] = ask.sent
    assert [each["sample"] for each in batch["transcripts"]] == [0]
    # Text, code, result, and the text of the last turn.
    assert [each["kind"] for each in batch["transcripts"][0]["segments"]] == [
        "text",
        "code",
        "result",
        "text",
    ]


def test_opening_a_transcript_asks_for_a_batch() -> None:
    run = watched()
    woken: list[str] = []
    for event in run_events():
        run.take(event)
    run.begin(lambda: woken.append("woken"))
    ask = Asked(run)
    ask("hello", run=RUN_ID, page="a")
    woken.clear()
    ask("open", run=RUN_ID, page="a", opened=[0])
    assert woken == ["woken"]


def test_page_that_is_not_heard_of_is_dropped_when_its_lease_is_over() -> None:
    clock = Clock()
    run = begun(run_events()[:2], clock=clock)
    ask = Asked(run)
    for page in ("a", "b"):
        ask("hello", run=RUN_ID, page=page)
    clock.now = LEASE_S - 1
    assert ask("alive", run=RUN_ID, page="a") == {"status": "ok"}
    clock.now = LEASE_S + 1
    for event in run_events()[2:]:
        run.take(event)
    ask.pump()
    assert [page for _, page, _ in ask.sent] == ["a"]
    assert ask("alive", run=RUN_ID, page="b") == {"status": "unknown-page"}
    assert ask("open", run=RUN_ID, page="b", opened=[]) == {"status": "unknown-page"}
    clock.now += LEASE_S
    ask.pump()
    assert not run.watched
    # Nobody watches, and yet somebody did: the output is the page's.
    assert run.heard


def test_page_that_says_bye_is_told_nothing_more() -> None:
    run = begun(run_events()[:2])
    ask = Asked(run)
    ask("hello", run=RUN_ID, page="a")
    assert ask("bye", run=RUN_ID, page="a") == {"status": "ok"}
    run.take(run_events()[2])
    ask.pump()
    assert ask.sent == []
    assert ask("bye", run=RUN_ID, page="a") == {"status": "ok"}


def test_page_unheard_of_for_the_longest_makes_room() -> None:
    clock = Clock()
    run = begun(run_events()[:2], clock=clock)
    ask = Asked(run)
    for n in range(MOST_PAGES):
        clock.now = n / MOST_PAGES
        ask("hello", run=RUN_ID, page=f"page {n}")
    ask("alive", run=RUN_ID, page="page 0")
    ask("hello", run=RUN_ID, page="one more")
    assert ask("alive", run=RUN_ID, page="page 1") == {"status": "unknown-page"}
    assert ask("alive", run=RUN_ID, page="page 0") == {"status": "ok"}


def test_stop_reaches_the_run_and_final_is_there_when_its_output_is() -> None:
    run = begun(run_events(), cell=NotebookCell("cell-7", 3, "a page"))
    ask = Asked(run)
    assert ask("stop", run=RUN_ID) == {"status": "ok"}
    assert (run.handle.stops, run.stopping) == (1, True)  # type: ignore[attr-defined]
    listed = {"runId": RUN_ID, "cellId": "cell-7", "session": "a page", "over": False}
    assert ask("runs") == {"status": "ok", "runs": [listed]}
    assert ask("final", run=RUN_ID) == {"status": "not-over"}
    run.bundle = {"text/plain": "Answer: 385"}
    place = {"cellId": "cell-7", "executionCount": 3}
    about = {"bundle": run.bundle, "metadata": {}, **place}
    assert ask("final", run=RUN_ID) == {"status": "ok", **about}
    assert ask("runs")["runs"] == [{**listed, "over": True}]


def test_page_that_asks_for_an_end_too_early_is_told_once_when_there_is_one() -> None:
    run = begun(run_events())
    ask = Asked(run)
    assert ask("final", run=RUN_ID, page="a") == {"status": "not-over"}
    assert ask("final", run=RUN_ID, page="a") == {"status": "not-over"}
    assert ask.sent == []
    run.bundle = {"text/plain": "Answer: 385"}
    run.tell_conclusion()
    run.tell_conclusion()
    assert ask.sent == [(RUN_ID, "a", {"over": True})]
    assert ask("final", run=RUN_ID, page="b")["bundle"] == run.bundle
    run.tell_conclusion()
    assert len(ask.sent) == 1


def test_as_many_pages_wait_for_an_end_as_may_watch() -> None:
    run = begun(run_events())
    ask = Asked(run)
    for number in range(MOST_PAGES + 1):
        ask("final", run=RUN_ID, page=f"page {number}")
    run.unshown = "No room."
    run.tell_conclusion()
    assert [page for _, page, _ in ask.sent] == [f"page {n}" for n in range(1, MOST_PAGES + 1)]


def test_a_cell_has_the_end_of_its_last_run_only() -> None:
    first, last = (begun(run_events(), cell=NotebookCell("cell-7")) for _ in range(2))
    last.run_id = "another"
    ask = Asked(first, last)
    for run in (first, last):
        run.bundle = {}
    assert "cellId" not in ask("final", run=RUN_ID)
    assert ask("final", run="another")["cellId"] == "cell-7"


def test_run_that_has_not_begun_is_unknown_to_pages() -> None:
    run = watched()
    ask = Asked(run)
    run.take(run_events()[0])
    for kind in ("hello", "open", "alive"):
        status = ask(kind, run=RUN_ID, page="a", opened=[])["status"]
        assert status in ("unknown-run", "unknown-page")
    assert ask("runs") == {"status": "ok", "runs": []}
    assert not run.heard
    for kind in ("hello", "open", "alive", "bye", "stop", "final"):
        assert ask(kind, run="nothing", page="a", opened=[]) == {"status": "unknown-run"}


def test_run_that_goes_on_is_shown_from_its_beginning() -> None:
    events = continued(run_events(["385", "285"]), ["385"])
    run = watched()
    for event in events:
        run.take(event)
    assert any(isinstance(event, RunContinued) for event in events)
    run.begin(lambda: None)
    snapshot = run.snapshot()
    assert snapshot is not None
    assert snapshot.head.continued
    # The record of the earlier part holds no tallies: they are counted for the chart.
    assert [point.finished for point in snapshot.points] == [1, 2, 3]


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "stop",
        {},
        {"kind": "explode"},
        {"kind": ["stop"]},
        {"kind": "stop"},
        {"kind": "stop", "run": 7},
        {"kind": "stop", "run": ""},
        {"kind": "stop", "run": "x" * 201},
        {"kind": "hello", "run": RUN_ID},
        {"kind": "hello", "run": RUN_ID, "page": {}},
        {"kind": "hello", "run": RUN_ID, "page": "a", "opened": 1},
        {"kind": "open", "run": RUN_ID, "page": "a"},
        {"kind": "open", "run": RUN_ID, "page": "a", "opened": ["0"]},
        {"kind": "open", "run": RUN_ID, "page": "a", "opened": [-1]},
        {"kind": "open", "run": RUN_ID, "page": "a", "opened": [2**70]},
        {"kind": "open", "run": RUN_ID, "page": "a", "opened": list(range(MOST_OPEN + 1))},
    ],
)
def test_what_is_no_request_is_refused_in_words(content: object) -> None:
    run = begun(run_events())
    ask = Asked(run)
    reply = answer(content, ask.hub, lambda _, __: ask.sent.append)  # type: ignore[arg-type, return-value]
    assert reply["status"] == "refused"
    assert reply["words"].startswith("This is no request to the runs of a kernel: ")
    assert run.handle.stops == 0  # type: ignore[attr-defined]
    assert not run.watched


def test_page_may_have_the_transcripts_of_all_samples_open() -> None:
    run = begun(run_events())
    ask = Asked(run)
    request = {"kind": "hello", "run": RUN_ID, "page": "a", "opened": list(range(1024))}
    reply = answer(request, ask.hub, lambda _, __: ask.sent.append)  # type: ignore[arg-type, return-value]
    assert reply["status"] == "ok"


def test_hub_keeps_all_runs_that_go_on_and_the_last_that_are_over() -> None:
    hub = Hub()
    first = watched("first")
    hub.add(first)
    over = [watched(f"over {n}") for n in range(KEPT_RUNS + 2)]
    for run in over:
        hub.add(run)
        run.handle.done = True  # type: ignore[misc]
    hub.add(watched("last"))
    assert hub.find("first") is first
    assert [hub.find(run.run_id) is run for run in over] == [False] * 2 + [True] * KEPT_RUNS
    assert [run.run_id for run in hub.going_on()] == ["first", "last"]


def test_batch_stays_below_a_megabyte_whatever_a_model_says() -> None:
    events = run_events(answers=["385"] * 4)
    run = begun(events[:1])
    run.hello("a", range(4), lambda _: None)
    for n in range(4):
        run.take(SampleStarted(sample=n, sample_seed=n))
        for turn in range(20):
            run.take(TextStreamed(sample=n, turn=turn, text="\U0001f600" * 300_000))
    assert samples_told(told_in_batches(run)) == [0, 1, 2, 3]
    for n in range(4):
        run.take(TextStreamed(sample=n, turn=19, text="\U0001f600" * 1_000_000))
    assert samples_told(told_in_batches(run)) == [0, 1, 2, 3]
    for event in events:
        if isinstance(event, (SampleEnded, TallyChanged)):
            run.take(event)
    assert samples_told(told_in_batches(run)) == [0, 1, 2, 3]
    assert told_in_batches(run) == []


def samples_told(batches: list[Json]) -> list[int]:
    """The samples whose transcripts are told whole."""
    return sorted(each["sample"] for batch in batches for each in batch.get("transcripts", []))


def told_in_batches(run: WatchedRun) -> list[Json]:
    """All batches that a page is due, each of a bounded size."""
    told = []
    while batches := run.batches():
        [(_, batch)] = batches
        told.append(to_page(batch))
        assert len(json.dumps(told[-1], ensure_ascii=False).encode()) < 1_000_000
    return told
