"""What a run goes on from: its record, held against other writers, and what must not have changed.

Votes are compared only if they were taken in the same way. So a run goes on with the same model,
server, instructions, sampling and counting, or not at all; the sentence that refuses names what is
different.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence

import msgspec

from .. import __version__
from ..backend.dialects import Conversation
from ..backend.discovery import Backend, connect
from ..config import Config, ResolvedConfig
from ..errors import UsageError
from ..events import (
    CodeStarted,
    Event,
    Noticed,
    RunContinued,
    SampleEnded,
    SampleStarted,
    StopFired,
    TurnEnded,
)
from ..in_words import number_of
from ..record import HeldRecord
from ..voting import RuleDecision, SampleOutcome
from ..voting.rules_look import RuleName
from .context import RunContext
from .counting import Count

MOST_VALUE_CHARS = 80
KILLED = "Cancelled: the run's process ended before it did."

VOID = "That its leader could not be caught was said of"
"""How the notice begins that an earlier end holds no more."""

Difference = tuple[str, object, object]
"""What is different, as it was, as it would be; the last two are None where they say nothing."""


class Earlier:
    """A run that goes on.

    Parameters
    ----------
    held
        Its record; who goes on closes it.

    Attributes
    ----------
    launched
        Samples that had begun; the next one has this launch index.
    killed
        Ends for the samples that have none, since their process did not see them.
    """

    def __init__(self, held: HeldRecord) -> None:
        self.held = held
        self.record = held.record
        self.launched = self.record.launched
        self.killed = _killed(self.record.events)

    @property
    def outcomes(self) -> list[SampleOutcome]:
        """How the samples that had begun ended, in the order in which they were counted."""
        return [*self.record.outcomes, *(end.outcome for end in self.killed)]

    def require_same(self, context: RunContext) -> None:
        """Refuse to go on with a server that would be asked for something else.

        Raises
        ------
        UsageError
            With all differences.
        """
        started, info = self.record.started, context.backend.info
        before = started.server
        pairs: list[Difference] = [
            ("model", before.model, info.model),
            (
                "server version",
                f"{before.product} {before.version}",
                f"{info.product} {info.version}",
            ),
            ("dialect", before.dialect, info.dialect),
            ("temperature", started.temperature, context.temperature),
        ]
        found = [each for each in pairs if each[1] != each[2]]
        refuse(started.run_id, found)
        # Compared last: with another dialect it is another one of course.
        if not started.prompt:
            raise UsageError(
                f"The run {started.run_id} cannot be continued: its record does not say with which "
                "prompt its votes were taken, and with another they cannot be added up. Start a "
                "new run."
            )
        if started.prompt != prompt_fingerprint(context):
            refuse(started.run_id, [("prompt", None, None)])

    async def name_what_is_there(
        self, resolved: ResolvedConfig, context_of: Callable[[Backend], RunContext]
    ) -> None:
        """Where the recorded model cannot be asked, say what is there instead.

        Raises
        ------
        UsageError
            With all differences.
        NoServerError
            If no server can be used at all.
        """
        any_model = msgspec.structs.replace(resolved.config, model=None)
        async with connect(ResolvedConfig(any_model, resolved.sources)) as backend:
            self.require_same(context_of(backend))

    def announcement(self, context: RunContext, sources: dict[str, str]) -> list[Event]:
        """Events that tell how it goes on, what was left open, and what was said in vain."""
        planned = context.config.samples
        added = number_of(planned - self.launched, "more sample")
        continued = RunContinued(
            title=f"continued: {added}, {planned} in all",
            created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            version=__version__,
            planned=planned,
            settings=msgspec.to_builtins(context.config),
            sources=sources,
            server=context.backend.info,
            isolation=context.isolation,
        )
        void = self._void(context.config)
        notices = [Noticed(title="notice", detail=void)] if void else []
        return [continued, *self.killed, *notices]

    def _void(self, config: Config) -> str:
        """What is to be said where it had ended because nothing could change; or nothing."""
        before, planned, last = self.record.planned, config.samples, self._last_stop
        if last is None or last.rule != "uncatchable" or planned <= before or self._said_void:
            return ""
        if Count(config, self.outcomes).decide() is not None:
            # No sample is added, and so nothing changes.
            return ""
        return f"{VOID} {before} planned samples, and no longer held when it went on to {planned}."

    @property
    def _said_void(self) -> bool:
        """Whether it was said when the run went on before: a reader needs to be told once."""
        events = self.record.events
        return any(isinstance(each, Noticed) and each.detail.startswith(VOID) for each in events)

    @property
    def _last_stop(self) -> RuleDecision | None:
        """The rule that ended it the last time."""
        if self.record.ended is not None:
            return self.record.ended.stop
        for event in reversed(self.record.events):
            if isinstance(event, StopFired):
                return event.decision
            if isinstance(event, RunContinued):
                break
        return None


def prompt_fingerprint(context: RunContext) -> str:
    """SHA-256 of a run's first request without its sampling parameters, in hexadecimal."""
    dialect = context.backend.dialect
    asked = {
        "endpoint": dialect.endpoint,
        "stop": dialect.stops,
        **dialect.prompt(Conversation(context.problem.text), context.config.mode),
    }
    return hashlib.sha256(msgspec.json.encode(asked, order="sorted")).hexdigest()


def refuse(run_id: str, differences: Sequence[Difference]) -> None:
    """Say what is different, if anything is.

    Raises
    ------
    UsageError
        If anything is different.

    Examples
    --------
    >>> refuse("a-run", [("policy", "weighted", "majority")])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    jupyterlab_tir.errors.UsageError: ... another policy (majority instead of weighted): ...
    """
    if not differences:
        return
    named = [
        name if before is now is None else f"{name} ({_shown(now)} instead of {_shown(before)})"
        for name, before, now in differences
    ]
    listed = ", ".join(named[:-1]) + (" and " if named[1:] else "") + named[-1]
    raise UsageError(
        f"The run {run_id} cannot be continued with another {listed}: votes that were taken or "
        f"counted otherwise cannot be added up. Leave {'them' if named[1:] else 'it'} as "
        f"{'they were' if named[1:] else 'it was'}, or start a new run."
    )


def _shown(value: object) -> str:
    text = "none" if value is None or value == "" else str(value)
    return text if len(text) <= MOST_VALUE_CHARS else f"{text[:MOST_VALUE_CHARS]}…"


def _killed(events: Sequence[Event]) -> list[SampleEnded]:
    """Ends for the samples that have none, since their process was killed."""
    open_samples: dict[int, None] = {}
    turns: dict[int, int] = defaultdict(int)
    cells: dict[int, int] = defaultdict(int)
    tokens: dict[int, int] = defaultdict(int)
    for event in events:
        if isinstance(event, SampleStarted):
            open_samples[event.sample] = None
        elif isinstance(event, SampleEnded):
            open_samples.pop(event.outcome.sample, None)
        elif isinstance(event, TurnEnded):
            turns[event.sample] = event.turn + 1
            tokens[event.sample] += event.tokens_out or 0
        elif isinstance(event, CodeStarted):
            cells[event.sample] += 1
    return [
        SampleEnded(
            title=f"sample {sample + 1}: cancelled",
            detail=KILLED,
            tokens_out=tokens[sample],
            outcome=SampleOutcome(
                sample=sample, status="cancelled", reason=KILLED, tokens=tokens[sample]
            ),
            turns=turns[sample],
            cells=cells[sample],
            interrupted=True,
        )
        for sample in open_samples
    ]


def none_added(rule: RuleName) -> str:
    """Say why a run that was to go on took no sample.

    >>> none_added("lead").partition(".")[0]
    'No sample was added, since what it has satisfies the rule lead already'
    """
    if rule == "uncatchable":
        words = "its leader cannot be caught by so few more. Ask for more samples."
    else:
        words = (
            f"what it has satisfies the rule {rule} already. Leave the rule out, or name another."
        )
    return f"No sample was added, since {words}"
