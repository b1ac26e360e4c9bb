"""Runs as pages watch them: requests and answers, leases, and how much a page is told how often."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_tir.events import (
    AnyEvent,
    RunContinued,
    SampleEnded,
    SampleStarted,
    TallyChanged,
    TextStreamed,
)
from jupyterlab_tir.solving.engine import engine
from jupyterlab_tir.viewing.wire import to_page
from jupyterlab_tir_kernel.control import MOST_OPEN, answer
from jupyterlab_tir_kernel.hub import KEPT_RUNS, LEASE_S, MOST_PAGES, Hub, WatchedRun
from jupyterlab_tir_kernel.pump import FRAME_S, Pump

from .static_runs import RUN_ID, continued, run_events

Json = dict[str, Any]


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Handle:
    """A run's handle, without a run."""

    def __init__(self, run_id: str = RUN_ID) -> None:
        self.run_id = run_id
        self.done = False
        self.stops = 0

    def stop(self) -> None:
        self.stops += 1


def watched(run_id: str = RUN_ID, clock: Clock | None = None, **about: Any) -> WatchedRun:
    return WatchedRun(Handle(run_id), clock=clock or Clock(), **about)  # type: ignore[arg-type]


def begun(events: list[AnyEvent], **about: Any) -> WatchedRun:
    run = watched(**about)
    for event in events:
        run.take(event)
    run.begin(lambda: None)
    return run


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
    run = begun(run_events(), cell_id="cell-7")
    ask = Asked(run)
    assert ask("stop", run=RUN_ID) == {"status": "ok"}
    assert (run.handle.stops, run.stopping) == (1, True)  # type: ignore[attr-defined]
    listed = {"runId": RUN_ID, "cellId": "cell-7", "over": False}
    assert ask("runs") == {"status": "ok", "runs": [listed]}
    assert ask("final", run=RUN_ID) == {"status": "not-over"}
    run.bundle = {"text/plain": "Answer: 385"}
    about = {"bundle": run.bundle, "metadata": {}}
    assert ask("final", run=RUN_ID) == {"status": "ok", **about}
    assert ask("runs")["runs"] == [{**listed, "over": True}]


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


async def test_page_is_told_at_most_fifteen_times_a_second_whatever_streams() -> None:
    start, streams, seconds = run_events()[0], 64, 0.6
    run = begun([start, *(SampleStarted(sample=n, sample_seed=n) for n in range(streams))])
    sent: list[tuple[float, Json]] = []
    loop = asyncio.get_running_loop()
    pump = Pump(run, engine())
    run.hello("a", range(streams), lambda batch: sent.append((loop.time(), batch)))
    began, chunks = loop.time(), 0
    while loop.time() < began + seconds:
        for n in range(streams):
            run.take(TextStreamed(sample=n, turn=0, text="so "))
            pump.wake()
        chunks += 1
        await asyncio.sleep(0.002)
    await asyncio.sleep(3 * FRAME_S)
    gaps = [after[0] - before[0] for before, after in itertools.pairwise(sent)]
    assert min(gaps) > FRAME_S * 0.9
    assert 2 < len(sent) <= (seconds + 4 * FRAME_S) / FRAME_S + 1
    # Nothing is lost: all that was streamed to a sample has come.
    texts = [
        each["text"] for _, batch in sent for each in batch.get("texts", []) if each["sample"] == 9
    ]
    whole = [
        segment["text"]
        for _, batch in sent
        for each in batch.get("transcripts", [])
        if each["sample"] == 9
        for segment in each["segments"]
    ]
    assert "".join(whole + texts) == "so " * chunks
    assert sent[-1][1]["tokens"] == streams * chunks
    before = len(sent)
    await asyncio.sleep(3 * FRAME_S)
    assert len(sent) == before


async def test_nothing_is_sent_where_no_page_watches_or_the_kernel_exits() -> None:
    run = begun(run_events()[:2])
    sent: list[Json] = []
    closing: Any = SimpleNamespace(closing=False)
    pump = Pump(run, closing)
    run.take(run_events()[2])
    pump.wake()
    await asyncio.sleep(2 * FRAME_S)
    run.hello("a", [], sent.append)
    closing.closing = True
    run.take(run_events()[3])
    pump.wake()
    await asyncio.sleep(2 * FRAME_S)
    assert sent == []
    closing.closing = False
    pump.wake()
    await asyncio.sleep(2 * FRAME_S)
    assert len(sent) == 1


async def test_transcripts_that_had_no_room_come_with_the_next_batches() -> None:
    run = begun(run_events()[:1])
    for n in range(4):
        run.take(SampleStarted(sample=n, sample_seed=n))
        run.take(TextStreamed(sample=n, turn=0, text="x" * 90_000))
    sent: list[Json] = []
    pump = Pump(run, engine())
    run.hello("a", [], sent.append)
    run.open("a", range(4))
    pump.wake()
    await asyncio.sleep(10 * FRAME_S)
    told = [[each["sample"] for each in batch["transcripts"]] for batch in sent]
    assert told == [[0], [1], [2], [3]]


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
