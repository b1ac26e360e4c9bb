"""A page's copy of a run, brought up to date by what it is sent, as the page's program does it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.watcher import Watcher
from jupyterlab_tir.viewing.wire import Batch, Snapshot, ViewSegment, ViewTranscript, to_page


class Page:
    """A page's copy of a run, held to what it was sent."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.state: Snapshot | None = None
        self.chars = 0
        """Characters of transcripts that it was told in batches."""

    def open(self, samples: set[int]) -> None:
        self.watcher.open(samples)

    def ask_for_all(self) -> None:
        snapshot = self.watcher.snapshot()
        if snapshot is not None:
            self.state = in_order(msgspec.convert(to_page(snapshot), Snapshot))

    def ask_for_news(self) -> bool:
        """Take a batch; whether there was one."""
        if self.state is None:
            self.ask_for_all()
            return False
        sent = self.watcher.batch()
        if sent is None:
            return False
        batch = msgspec.convert(to_page(sent), Batch)
        self.chars += sum(len(each.text) for each in batch.texts)
        self.chars += sum(len(part.text) for each in batch.transcripts for part in each.segments)
        assert batch.run_id == self.state.head.run_id
        assert batch.number == self.state.number + 1
        self.state = _applied(self.state, batch)
        return True


def _applied(state: Snapshot, batch: Batch) -> Snapshot:
    rows = {row.sample: row for row in (*state.samples, *batch.samples)}
    for sample, tokens in batch.progress:
        rows[sample] = replace(rows[sample], tokens=tokens)
    return replace(
        state,
        head=batch.head or state.head,
        number=batch.number,
        seconds=batch.seconds,
        tokens=batch.tokens,
        planned=batch.planned,
        samples=tuple(rows[sample] for sample in sorted(rows)),
        tally=batch.tally or state.tally,
        points=(*state.points, *batch.points),
        notices=(*state.notices, *batch.notices),
        steps=(*state.steps, *batch.steps),
        steps_left_out=batch.steps_left_out,
        transcripts=_transcripts(state, batch),
        end=batch.end or (None if batch.resumed else state.end),
        revote=batch.revote or (None if batch.resumed else state.revote),
    )


def _transcripts(state: Snapshot, batch: Batch) -> tuple[ViewTranscript, ...]:
    known = {each.sample: each.segments for each in state.transcripts}
    for whole in batch.transcripts:
        before = known.get(whole.sample, ())
        told = tuple(_completed(each, before) for each in whole.segments)
        known[whole.sample] = (*before[: whole.start], *told)
    for more in batch.texts:
        segments = list(known[more.sample])
        grown = segments[more.segment]
        segments[more.segment] = replace(grown, text=grown.text + more.text)
        known[more.sample] = tuple(segments)
    return tuple(
        ViewTranscript(sample=sample, segments=segments)
        for sample, segments in sorted(known.items())
    )


def _completed(segment: ViewSegment, before: tuple[ViewSegment, ...]) -> ViewSegment:
    if segment.copied is None:
        return segment
    # A page counts in UTF-16.
    source = before[segment.copied.segment].text.encode("utf-16-le", "surrogatepass")
    begin, length = 2 * segment.copied.at, 2 * segment.copied.length
    text = source[begin : begin + length].decode("utf-16-le", "surrogatepass")
    return replace(segment, copied=None, text=text + segment.text)


def now(made: Projection, page: Page) -> Snapshot:
    """The run as it is, as the page should have it."""
    assert page.state is not None
    whole = made.snapshot(number=page.state.number)
    assert whole is not None
    return in_order(whole)


def in_order(whole: Snapshot) -> Snapshot:
    """The samples in launch order, as a page lists them."""
    return replace(whole, samples=tuple(sorted(whole.samples, key=lambda row: row.sample)))


def assert_is(page: Page, made: Projection, opened: set[int]) -> None:
    expected = now(made, page)
    for field in set(Snapshot.__struct_fields__) - {"transcripts"}:
        assert getattr(page.state, field) == getattr(expected, field), field
    assert page.state is not None
    held = {each.sample: each for each in page.state.transcripts if each.sample in opened}
    assert held == {n: made.transcript(n) for n in opened & set(made.samples)}
