"""What a run looks like so far, gathered from its events. No rendering, no clock."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec

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
    TextStreamed,
    TurnEnded,
)
from ..voting import SampleOutcome, Tally, counting_settings, tally

_NO_SETTINGS = {"samples": 1, "w_code": 1.0}

Doing = Literal["writing", "starting a kernel", "running code", "verifying", "ended"]


class SampleState(msgspec.Struct):
    """What one sample is doing.

    `tokens` are those of the turns that ended, `streamed` the chunks of the one that goes on: about
    a token each.
    """

    doing: Doing = "writing"
    turns: int = 1
    cells: int = 0
    tokens: int = 0
    streamed: int = 0
    outcome: SampleOutcome | None = None


class RunState(msgspec.Struct):
    """What a run is doing; feed it every event in order with `take`.

    `begun` tells how it began, or went on for the last time: its settings, server and isolation;
    `planned` how many samples it means to take, as was said last.
    """

    started: RunStarted | None = None
    begun: RunStarted | RunContinued | None = None
    planned: int = 0
    samples: dict[int, SampleState] = {}
    outcomes: list[SampleOutcome] = []
    notices: list[str] = []
    ended: RunEnded | None = None
    elapsed_s: float = 0.0
    counted: Tally | None = None

    def take(self, event: Event) -> None:
        """Bring the state up to date with one more event."""
        self.elapsed_s = max(self.elapsed_s, event.at_s)
        if isinstance(event, (RunStarted, RunContinued, PlanChanged)):
            self._plan(event)
        elif isinstance(event, SampleStarted):
            self.samples[event.sample] = SampleState()
        elif isinstance(event, SampleEnded):
            self._end_sample(event)
        elif isinstance(event, Noticed):
            self.notices.append(event.detail)
        elif isinstance(event, RunEnded):
            self.ended = event
        else:
            self._take_work(event)

    def _plan(self, event: RunStarted | RunContinued | PlanChanged) -> None:
        self.counted = None
        if isinstance(event, RunStarted):
            self.started = self.begun = event
            self.planned = counting_settings(event.settings).samples
            return
        self.planned = event.planned
        if isinstance(event, RunContinued):
            self.begun, self.ended = event, None

    def _take_work(self, event: Event) -> None:
        if isinstance(event, TextStreamed):
            self.samples[event.sample].doing = "writing"
            self.samples[event.sample].streamed += 1
        elif isinstance(event, TurnEnded):
            sample = self.samples[event.sample]
            sample.turns = event.turn + 1
            sample.tokens += event.tokens_out or 0
            sample.streamed = 0
            sample.doing = "starting a kernel" if event.finish == "cut-at-code" else "writing"
        elif isinstance(event, AnswerRead):
            self.samples[event.sample].doing = "verifying"
        elif isinstance(event, CodeStarted):
            self.samples[event.sample].doing = "running code"
            self.samples[event.sample].cells += 1
        elif isinstance(event, CodeEnded):
            self.samples[event.sample].doing = "writing"

    def _end_sample(self, event: SampleEnded) -> None:
        sample = self.samples[event.outcome.sample]
        sample.doing = "ended"
        sample.outcome = event.outcome
        self.outcomes.append(event.outcome)
        self.counted = None

    @property
    def running(self) -> int:
        """Samples in flight."""
        return sum(sample.outcome is None for sample in self.samples.values())

    @property
    def tokens(self) -> int:
        """Tokens so far; those of turns that go on are counted by chunks."""
        return sum(sample.tokens + sample.streamed for sample in self.samples.values())

    @property
    def work(self) -> str:
        """What the samples in flight are doing, in words; empty where there are none."""
        doing = Counter(s.doing for s in self.samples.values() if s.doing != "ended")
        return ", ".join(f"{count} {what}" for what, count in sorted(doing.items()))

    def tally(self) -> Tally:
        """Count the outcomes so far; once after each change, since every frame asks."""
        if self.counted is None:
            settings = self.started.settings if self.started else _NO_SETTINGS
            policy = counting_settings(settings).policy_of_run()
            self.counted = tally(self.outcomes, planned=self.planned, policy=policy)
        return self.counted
