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
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    TextStreamed,
    TurnEnded,
)
from ..voting import USUAL_POLICY, Policy, SampleOutcome, Tally, policy_named, tally

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
    """What a run is doing; feed it every event in order with `take`."""

    started: RunStarted | None = None
    samples: dict[int, SampleState] = {}
    outcomes: list[SampleOutcome] = []
    notices: list[str] = []
    ended: RunEnded | None = None
    elapsed_s: float = 0.0
    counted: Tally | None = None

    def take(self, event: Event) -> None:
        """Bring the state up to date with one more event."""
        self.elapsed_s = max(self.elapsed_s, event.at_s)
        if isinstance(event, RunStarted):
            self.started = event
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
    def planned(self) -> int:
        """Samples that the run means to take."""
        return int(self.started.settings["samples"]) if self.started else 0

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
            self.counted = tally(self.outcomes, planned=self.planned, policy=self._policy)
        return self.counted

    @property
    def _policy(self) -> Policy:
        settings = self.started.settings if self.started else {}
        name = str(settings.get("policy", USUAL_POLICY))
        return policy_named(name, w_code=float(settings.get("w_code", 1.0)))
