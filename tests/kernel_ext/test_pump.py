"""How often pages are told what is new of a run, and when they are told nothing."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

from jupyterlab_tir.events import SampleStarted, TextStreamed
from jupyterlab_tir.solving.engine import engine
from jupyterlab_tir_kernel.pump import FRAME_S, Pump

from .static_runs import run_events
from .watched_runs import begun

Json = dict[str, Any]


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
