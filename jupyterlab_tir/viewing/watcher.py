"""What one page has been told of a run, and what is new since. No clock, no I/O, no lock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .copying import with_copies
from .projection import Projection, Sample
from .transcripts import LIVE_CHARS, Segment, Transcript
from .wire import (
    BATCH_SCHEMA,
    Batch,
    Snapshot,
    ViewEnd,
    ViewHead,
    ViewPoint,
    ViewText,
    ViewTranscript,
)

MOST_CHARS = 120_000
"""Characters of transcripts that are told at once; what is beyond that comes in later batches."""


class Watcher:
    """What one page has been told of a projection; `batch` tells the rest.

    Parameters
    ----------
    opened
        Samples whose transcripts it wants.
    """

    def __init__(self, projection: Projection) -> None:
        self.opened: dict[int, _Told] = {}
        self._projection = projection
        self._number = 0
        self._seen = -1
        self._lengths = (0, 0)
        self._last_point: ViewPoint | None = None
        self._head: ViewHead | None = None
        self._end: ViewEnd | None = None
        self._told_tokens: dict[int, int] = {}

    def snapshot(self) -> Snapshot | None:
        """The whole run so far, open transcripts included; batches go on from here."""
        made = self._projection
        for told in self.opened.values():
            told.forget()
        snapshot = made.snapshot(number=self._number, transcripts=tuple(self._transcripts()[0]))
        if snapshot is not None:
            self._seen = made.revision
            self._mark()
        return snapshot

    def open(self, samples: Iterable[int]) -> None:
        """Have the transcripts of these samples told from now on, and no others."""
        wanted = set(samples)
        self.opened = {n: self.opened.get(n, _Told()) for n in sorted(wanted)}

    def batch(self) -> Batch | None:
        """What changed since it was last asked; None where nothing did, or before the run began."""
        made = self._projection
        if made.head is None:
            return None
        transcripts, texts = self._transcripts()
        if made.revision == self._seen and not transcripts and not texts:
            return None
        changed = [s for s in made.samples.values() if s.revision > self._seen]
        points = self._new_points()
        self._number += 1
        batch = Batch(
            schema=BATCH_SCHEMA,
            run_id=made.head.run_id,
            number=self._number,
            seconds=round(made.seconds, 3),
            tokens=made.tokens,
            planned=made.planned,
            head=made.head if made.head is not self._head else None,
            resumed=made.end is None and self._end is not None,
            progress=self._progress(changed),
            samples=tuple(made.row(sample) for sample in changed),
            tally=made.tally() if made.tally_revision > self._seen else None,
            points=points,
            notices=tuple(made.notices[self._lengths[0] :]),
            steps=tuple(made.steps[self._lengths[1] :]),
            steps_left_out=made.steps_left_out,
            transcripts=tuple(transcripts),
            texts=tuple(texts),
            end=made.end if made.end is not self._end else None,
            revote=made.revote() if made.end is not self._end else None,
        )
        self._seen = made.revision
        self._mark()
        return batch

    def _mark(self) -> None:
        made = self._projection
        self._lengths = (len(made.notices), len(made.steps))
        self._last_point = made.points[-1] if made.points else None
        self._head, self._end = made.head, made.end
        self._told_tokens = {n: s.tokens for n, s in made.samples.items()}

    def _new_points(self) -> tuple[ViewPoint, ...]:
        points: Sequence[ViewPoint] = self._projection.points
        if self._last_point is None:
            return tuple(points)
        return tuple(p for p in points if p.finished > self._last_point.finished)

    def _progress(self, changed: Sequence[Sample]) -> tuple[tuple[int, int], ...]:
        rows = {sample.row.sample for sample in changed}
        return tuple(
            (number, sample.tokens)
            for number, sample in self._projection.samples.items()
            if number not in rows and self._told_tokens.get(number) != sample.tokens
        )

    def _transcripts(self) -> tuple[list[ViewTranscript], list[ViewText]]:
        whole: list[ViewTranscript] = []
        texts: list[ViewText] = []
        room = MOST_CHARS
        for number, told in tuple(self.opened.items()):
            sample = self._projection.samples.get(number)
            news = None if sample is None else told.news(number, sample.transcript)
            if sample is None or news is None:
                continue
            room -= _chars(news)
            if room < 0 and (whole or texts):
                break
            told.note(sample.transcript, whole=isinstance(news, ViewTranscript))
            if isinstance(news, ViewTranscript):
                whole.append(news)
            else:
                texts.append(news)
            # Who was told something waits until the others have been.
            self.opened[number] = self.opened.pop(number)
        return whole, texts


def _chars(news: ViewTranscript | ViewText) -> int:
    if isinstance(news, ViewText):
        return len(news.text)
    return sum(len(segment.text) for segment in news.segments)


class _Told:
    """What a page has been told of one transcript."""

    def __init__(self) -> None:
        self._revision = -1
        self._most = 0
        self._segments: list[Segment] = []
        self._whole_length = 0

    def forget(self) -> None:
        """Have it told from its beginning again."""
        self._revision = -1
        self._segments = []

    def news(self, number: int, transcript: Transcript) -> ViewTranscript | ViewText | None:
        """What it has not been told: the end of a text, or all from where more changed."""
        last = transcript.segments[-1] if transcript.segments else None
        if transcript.revision == self._revision:
            told = len(self._segments[-1].text) if self._segments else 0
            if last is None or len(last.text) <= told:
                return None
            # A text that grows beyond measure is told anew, cut.
            if len(last.text) - self._whole_length <= LIVE_CHARS:
                segment = len(transcript.segments) - 1
                return ViewText(sample=number, segment=segment, text=last.text[told:])
        most = transcript.cut_within()
        start = self._same(transcript) if most == self._most else 0
        if self._revision >= 0 and start == len(self._segments) == len(transcript.segments):
            return None
        shown = transcript.shown(number, most, start=start)
        if most != self._most:
            return shown
        return with_copies(shown, transcript.segments, self._segments, most)

    def _same(self, transcript: Transcript) -> int:
        """How many segments, from the first on, are as they were told."""
        pairs = enumerate(zip(self._segments, transcript.segments, strict=False))
        fewer = min(len(self._segments), len(transcript.segments))
        return next((n for n, (told, now) in pairs if told != now), fewer)

    def note(self, transcript: Transcript, *, whole: bool) -> None:
        """Note that it has been told that, and where `whole` not only the end of a text."""
        same = self._same(transcript)
        # Copies, since segments change; their texts are shared.
        self._segments[same:] = [each.frozen() for each in transcript.segments[same:]]
        self._revision = transcript.revision
        if whole:
            self._most = transcript.cut_within()
            self._whole_length = len(self._segments[-1].text) if self._segments else 0
