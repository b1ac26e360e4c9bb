"""A run's events folded into what faces show: whole as a snapshot, and as the changes since.

A `Projection` takes every event of one run, in order. Any number of `watcher.Watcher`s tell pages
what changed since they were last asked; how often that is bounds the messages, whatever the model
streams. No clock, no I/O, no lock: whoever shares one between threads guards it.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ..events import (
    AnswerRead,
    CodeEnded,
    CodeStarted,
    Event,
    Noticed,
    PlanChanged,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    TallyChanged,
    TextStreamed,
    TurnEnded,
    VerificationEnded,
)
from ..voting import Tally, counting_settings, tally
from .clipping import clip
from .revoting import Course
from .rows import (
    end_row,
    head_row,
    outcome_row,
    point_row,
    shown_end,
    step_row,
    tally_row,
)
from .transcripts import Transcript
from .wire import (
    VIEW_SCHEMA,
    EndStatus,
    Snapshot,
    ViewEnd,
    ViewHead,
    ViewPoint,
    ViewSample,
    ViewStep,
    ViewTally,
    ViewTranscript,
)
from .wire_revote import ViewRevote

MOST_STEPS = 4_000
MOST_NOTICES = 50
MOST_POINTS = 256


class Sample:
    """One sample so far."""

    def __init__(self, sample: int, at_s: float) -> None:
        self.row = ViewSample(sample=sample, started_s=at_s)
        self.transcript = Transcript()
        self.ended_tokens = 0
        self.streamed = 0
        self.revision = 0

    @property
    def tokens(self) -> int:
        """Tokens so far; those of a turn that goes on are counted by chunks."""
        return self.ended_tokens + self.streamed


class Projection:
    """What faces show of one run; feed it every event in order with `take`.

    Attributes
    ----------
    revision
        Grows with every change.
    begun, ended, noticed
        Whole, for a face that cuts nothing: the event with which it began or went on last, the one
        of its end unless it goes on, and what it noticed.
    """

    def __init__(self) -> None:
        self.revision = 0
        self.begun: RunStarted | RunContinued | None = None
        self.ended: RunEnded | None = None
        self.noticed: list[str] = []
        self.samples: dict[int, Sample] = {}
        self.points: list[ViewPoint] = []
        self.notices: list[str] = []
        self.steps: list[ViewStep] = []
        self.steps_left_out = 0
        self.head: ViewHead | None = None
        self.end: ViewEnd | None = None
        self.planned = 0
        self.seconds = 0.0
        self.tally_revision = 0
        self._outcomes: list[SampleEnded] = []
        self._settings: dict[str, Any] = {}
        self._tally: Tally | None = None
        self._final_tokens: int | None = None
        self._course = Course()

    def take(self, event: Event) -> None:
        """Bring it up to date with one more event."""
        self.revision += 1
        self.seconds = max(self.seconds, event.at_s)
        if isinstance(event, TextStreamed):
            self._stream(event)
            return
        if isinstance(event, TallyChanged):
            self._count(event.tally)
            return
        self._course.take(event)
        self._trace(event)
        if isinstance(event, (RunStarted, RunContinued, PlanChanged)):
            self._plan(event)
        elif isinstance(event, SampleStarted):
            self.samples[event.sample] = Sample(event.sample, event.at_s)
            self._touch(event.sample)
        elif isinstance(event, SampleEnded):
            self._end_sample(event)
        elif isinstance(event, Noticed):
            self.noticed.append(event.detail)
            if len(self.notices) < MOST_NOTICES:
                self.notices.append(clip(event.detail))
        elif isinstance(event, RunEnded):
            self._end_run(event)
        else:
            self._work(event)

    @property
    def tokens(self) -> int:
        """Tokens that all samples generated so far."""
        if self._final_tokens is not None:
            return self._final_tokens
        return sum(sample.tokens for sample in self.samples.values())

    def tally(self) -> ViewTally:
        """The votes so far."""
        return tally_row(self.counted())

    def snapshot(
        self, *, number: int = 0, transcripts: tuple[ViewTranscript, ...] = ()
    ) -> Snapshot | None:
        """The run so far; None before it began."""
        if self.head is None:
            return None
        return Snapshot(
            schema=VIEW_SCHEMA,
            number=number,
            head=self.head,
            planned=self.planned,
            seconds=round(self.seconds, 3),
            tokens=self.tokens,
            samples=tuple(self.row(sample) for sample in self.samples.values()),
            tally=self.tally(),
            points=tuple(self.points),
            notices=tuple(self.notices),
            steps=tuple(self.steps),
            steps_left_out=self.steps_left_out,
            transcripts=transcripts,
            end=self.end,
            revote=self.revote(),
        )

    def revote(self) -> ViewRevote | None:
        """What a page needs to vote again; None while the run goes on."""
        return None if self.end is None else self._course.row()

    def transcript(self, sample: int) -> ViewTranscript | None:
        """A sample's transcript so far; None where there is no such sample."""
        found = self.samples.get(sample)
        return None if found is None else found.transcript.shown(sample)

    def row(self, sample: Sample) -> ViewSample:
        """A sample's row with its tokens as of now."""
        return replace(sample.row, tokens=sample.tokens)

    def count_now(self) -> None:
        """Count the votes, for events that come without tallies, as those of a record do."""
        self._count(self.counted())

    def cut_short(self, reason: str, status: EndStatus = "cut-short") -> None:
        """Say that no more events will come although the run, if it began, did not end."""
        if self.head is not None and self.end is None:
            self.revision += 1
            not_started = max(0, self.planned - len(self.samples))
            self.end = end_row(status, reason, self.counted(), not_started)

    def counted(self) -> Tally:
        """The votes so far, whole; counted once after each change."""
        if self._tally is None:
            policy = counting_settings(self._settings).policy_of_run()
            outcomes = [each.outcome for each in self._outcomes]
            self._tally = tally(outcomes, planned=self.planned, policy=policy)
        return self._tally

    def _count(self, counted: Tally) -> None:
        self._tally = counted
        self.tally_revision = self.revision
        if (
            self._outcomes
            and counted.finished
            and (not self.points or self.points[-1].finished != counted.finished)
        ):
            self._point(counted)

    def _point(self, counted: Tally) -> None:
        last = self._outcomes[-1].outcome.sample
        point = point_row(counted, last)
        if len(self.points) >= MOST_POINTS:
            # The chart has not more pixels: every other point of the first part goes.
            self.points = [*self.points[: MOST_POINTS // 2 : 2], *self.points[MOST_POINTS // 2 :]]
        self.points.append(point)

    def _plan(self, event: RunStarted | RunContinued | PlanChanged) -> None:
        self._tally = None
        self.tally_revision = self.revision
        if isinstance(event, RunStarted):
            self._settings = event.settings
            self.planned = counting_settings(event.settings).samples
            self.begun = event
            self.head = head_row(event)
            return
        self.planned = event.planned
        if isinstance(event, RunContinued):
            self._settings = event.settings
            self.begun = event
            self.end = self.ended = self._final_tokens = None
            if self.head is not None:
                self.head = head_row(event, before=self.head)

    def _touch(self, sample: int, **changes: Any) -> None:  # noqa: ANN401 - fields of the row

        found = self.samples[sample]
        found.row = replace(found.row, **changes)
        found.revision = self.revision

    def _stream(self, event: TextStreamed) -> None:
        sample = self.samples[event.sample]
        sample.streamed += 1
        sample.transcript.stream(event)
        if (sample.row.doing, sample.row.turns) != ("writing", event.turn + 1):
            self._touch(event.sample, doing="writing", turns=event.turn + 1)

    def _work(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            sample = self.samples[event.sample]
            sample.ended_tokens += event.tokens_out or 0
            sample.streamed = 0
            sample.transcript.end_turn(event)
            doing = "starting a kernel" if event.finish == "cut-at-code" else "writing"
            self._touch(event.sample, doing=doing, turns=event.turn + 1)
        elif isinstance(event, CodeStarted):
            sample = self.samples[event.sample]
            sample.transcript.start_code(event)
            self._touch(event.sample, doing="running code", cells=sample.row.cells + 1)
        elif isinstance(event, CodeEnded):
            self.samples[event.sample].transcript.end_code(event)
            self._touch(event.sample, doing="writing")
        elif isinstance(event, AnswerRead):
            self._touch(event.sample, doing="verifying", answer=clip(event.shown))
        elif isinstance(event, VerificationEnded):
            self._touch(
                event.sample,
                verification=event.verification,
                verification_reason=clip(event.reason),
            )

    def _end_sample(self, event: SampleEnded) -> None:
        number = event.outcome.sample
        if number not in self.samples:
            self.samples[number] = Sample(number, event.at_s)
        sample = self.samples[number]
        sample.ended_tokens, sample.streamed = event.outcome.tokens, 0
        sample.transcript.close()
        self._touch(number, **outcome_row(event, sample.row))
        self._outcomes.append(event)
        self._tally = None
        self.tally_revision = self.revision

    def _end_run(self, event: RunEnded) -> None:
        self._count(event.tally)
        self.ended = event
        self._final_tokens = event.tokens_out
        self.end = shown_end(event)

    def _trace(self, event: Event) -> None:
        if len(self.steps) >= MOST_STEPS:
            self.steps_left_out += 1
            return
        self.steps.append(step_row(event))
