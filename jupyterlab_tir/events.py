"""The events of a run: the one stream that feeds the record, the faces and the trace.

Every arrow of the design is an event. Each carries the trace fields (`kind`, `decided_by`,
`title`, `detail`, `tokens_in`, `tokens_out`, `ms`), so that a trace is the list of events and
nothing else. The structs are the schema that leaves the process: they are frozen, tagged by
`type` and versioned by `SCHEMA`, which changes when a reader of the old form would misread the new.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from .in_words import number_of, part_of
from .problem import Problem
from .sandbox.result import CellResult
from .voting import Ballot, RuleDecision, SampleOutcome, SampleStatus, Tally, Verification
from .voting.windows import WindowEntropies

SCHEMA = 2
"""Version of the events' form."""

Kind = Literal["model", "code"]
"""What did the work: the model, or code (ours or the sample's)."""

Finish = Literal["stop", "length", "cut-at-code", "cut-at-answer", "cancelled", "lost"]
"""Why a turn's text ended.

``cut-at-code`` and ``cut-at-answer``: we closed the stream, at the end of a code block or of a
completion's answer line. ``cancelled``: the run ended. ``lost``: the server failed; the turn may
be asked again.
"""

RunStatus = Literal["answered", "no-answer", "stopped", "deadline", "server-lost"]
"""How a run ended: with an answer; without; stopped by its user; out of time; no server left."""

VerdictKind = Literal["agrees", "disagrees", "undecided"]


class ServerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The server that a run asks.

    Parameters
    ----------
    base_url
        Its address, without secrets.
    source
        Where the address came from.
    product, version
        "vLLM" and its version, or "unknown" for another server.
    model
        The model's name.
    context
        Its context length in tokens, or None where the server does not say.
    dialect, dialect_reason
        How the model is asked for code, and why.
    reasoning
        Whether the model thinks in a channel of its own.
    tokenizes
        Whether the server counts a prompt's tokens on request.
    """

    base_url: str
    source: str
    product: str
    version: str
    model: str
    context: int | None
    dialect: str
    dialect_reason: str
    reasoning: bool
    tokenizes: bool


class TokenEntropy(msgspec.Struct, frozen=True, kw_only=True):
    """Entropies of generated tokens: their sum in nats, how many, how many were unreadable."""

    nats: float = 0.0
    tokens: int = 0
    dropped: int = 0

    @property
    def mean(self) -> float | None:
        """Mean in nats a token; None where no token has one."""
        return self.nats / self.tokens if self.tokens else None

    def __add__(self, other: TokenEntropy) -> TokenEntropy:
        return TokenEntropy(
            nats=self.nats + other.nats,
            tokens=self.tokens + other.tokens,
            dropped=self.dropped + other.dropped,
        )


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a run says of a claimed answer, in words with numbers."""

    verdict: VerdictKind
    claim: str
    words: str


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What stopping early was worth.

    Parameters
    ----------
    not_started
        Planned samples that were never asked for.
    cancelled
        Samples that were in flight and cancelled.
    wasted_tokens
        Tokens that the cancelled ones had generated.
    saved_tokens_estimated
        Tokens that those never started would have taken, each as many as the mean of the samples
        that finished; None where none did, and in old records.
    """

    not_started: int
    cancelled: int
    wasted_tokens: int
    saved_tokens_estimated: int | None = None

    def in_words(self, planned: int) -> str:
        """Say it in a sentence for a run of so many samples; empty where nothing was saved.

        Examples
        --------
        >>> saved = Saved(
        ...     not_started=10, cancelled=2, wasted_tokens=512, saved_tokens_estimated=12_340
        ... )
        >>> saved.in_words(16).partition(". ")[0]
        'Saved: 10 of 16 samples, never started, about 12,340 tokens'
        """
        if not self.not_started and not self.cancelled:
            return ""
        tokens = self.saved_tokens_estimated
        about = f", about {number_of(tokens, 'token')}" if tokens else ""
        return (
            f"Saved: {part_of(self.not_started, planned, 'sample')}, never started{about}. "
            f"Wasted: {number_of(self.wasted_tokens, 'token')} of "
            f"{number_of(self.cancelled, 'sample')} in flight."
        )


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """What every event has.

    Parameters
    ----------
    seq
        Its number in the run, from 0, without gaps.
    at_s
        Seconds since the run started.
    kind
        Who did the work that the event reports.
    decided_by
        ``model`` only where the model's output chose what happens next.
    title, detail
        For a trace: a few words, and what belongs to them.
    tokens_in, tokens_out, ms
        What it cost, where it cost anything.
    """

    seq: int = 0
    at_s: float = 0.0
    kind: Kind = "code"
    decided_by: Kind = "code"
    title: str = ""
    detail: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    ms: float | None = None


class RunStarted(Event, frozen=True, kw_only=True, tag="run-started"):
    """The first event of a run: all that a replay needs to know.

    `sources` tells where each of the `settings` came from; `created` is UTC, ISO 8601; `prompt` is
    a fingerprint (SHA-256) of the first request's text with its instructions, empty in old records.
    """

    run_id: str
    created: str
    version: str
    problem: Problem
    settings: dict[str, Any]
    sources: dict[str, str]
    seed: int
    temperature: float
    server: ServerInfo
    isolation: str
    prompt: str = ""
    schema: int = SCHEMA


class SampleStarted(Event, frozen=True, kw_only=True, tag="sample-started"):
    """Sample number `sample` (launch index, from 0) began, with its own seed."""

    sample: int
    sample_seed: int


class TextStreamed(Event, frozen=True, kw_only=True, tag="text-streamed"):
    """Text that just arrived. For live faces only: a record holds whole turns instead."""

    sample: int
    turn: int
    text: str
    reasoning: bool = False


class TurnEnded(Event, frozen=True, kw_only=True, tag="turn-ended"):
    """The model's text of one turn is complete, or was cut.

    Parameters
    ----------
    attempt
        How often this turn had been asked before; a later attempt replaces an earlier one.
    text, reasoning
        What the model wrote, and what it thought in a channel of its own.
    finish, finish_detail
        Why it ended, and the server's words where it failed.
    entropy
        Of the tokens generated in this turn.
    tokens_estimated
        Whether `tokens_out` was estimated because the server did not count.
    """

    sample: int
    turn: int
    attempt: int
    text: str
    finish: Finish
    reasoning: str = ""
    finish_detail: str = ""
    entropy: TokenEntropy = TokenEntropy()
    tokens_estimated: bool = False


class CodeStarted(Event, frozen=True, kw_only=True, tag="code-started"):
    """A code block goes to the sample's child kernel."""

    sample: int
    turn: int
    cell: int
    code: str


class CodeEnded(Event, frozen=True, kw_only=True, tag="code-ended"):
    """What running it gave."""

    sample: int
    turn: int
    cell: int
    result: CellResult


class AnswerRead(Event, frozen=True, kw_only=True, tag="answer-read"):
    """The sample concluded: its answer as written (`raw`), by key, and as shown."""

    sample: int
    raw: str
    key: str
    shown: str


class VerificationEnded(Event, frozen=True, kw_only=True, tag="verification-ended"):
    """How far code stands behind the sample's answer, and why no further.

    `cells` are those that the replay ran for it, by index, the one that ends in the answer last;
    empty where none was tried.
    """

    sample: int
    verification: Verification
    reason: str
    cells: tuple[int, ...] = ()


class SampleEnded(Event, frozen=True, kw_only=True, tag="sample-ended"):
    """A sample ended and was counted; the tally is made of these, in this order.

    `interrupted` says that the run was being ended by then, so that no stop rule was asked.
    `windows` are the entropies of a sample that votes, over all its tokens and its last ones; older
    records do not have them.
    """

    outcome: SampleOutcome
    turns: int
    cells: int
    entropy: TokenEntropy = TokenEntropy()
    interrupted: bool = False
    windows: WindowEntropies | None = None


class TallyChanged(Event, frozen=True, kw_only=True, tag="tally-changed"):
    """The tally after a sample ended."""

    tally: Tally


class StopFired(Event, frozen=True, kw_only=True, tag="stop-fired"):
    """A stop rule ended the run before its plan was done."""

    decision: RuleDecision


class PlanChanged(Event, frozen=True, kw_only=True, tag="plan-changed"):
    """The run means to take so many samples from here on; why, in `detail`.

    Samples that had begun stand. A plan that is raised voids what was said of the one before, that
    its leader cannot be caught.
    """

    planned: int


class RunContinued(Event, frozen=True, kw_only=True, tag="run-continued"):
    """A run that had ended goes on with more samples; all that it had stands.

    Parameters
    ----------
    created
        When, in UTC, ISO 8601.
    planned
        Samples that it means to take, those of before included.
    settings, sources, server, isolation
        As of `RunStarted`, for the samples that follow.
    """

    created: str
    version: str
    planned: int
    settings: dict[str, Any]
    sources: dict[str, str]
    server: ServerInfo
    isolation: str


class Noticed(Event, frozen=True, kw_only=True, tag="noticed"):
    """Something that a reader should know, in `detail`; the run goes on."""


class RunEnded(Event, frozen=True, kw_only=True, tag="run-ended"):
    """The last event of a run.

    Parameters
    ----------
    status
        How it ended.
    reason
        In words.
    answer
        The leader's shown form, or None.
    tally, verdict, stop, saved
        What it concluded, what that says of the claim, and why and how early it stopped.
    """

    status: RunStatus
    reason: str
    answer: str | None
    tally: Tally
    verdict: Verdict | None
    stop: RuleDecision | None
    saved: Saved


LIVE_ONLY = (TextStreamed, TallyChanged)
"""Events that only live faces see: records leave them out, since the others say it all."""

AnyEvent = (
    RunStarted
    | SampleStarted
    | TextStreamed
    | TurnEnded
    | CodeStarted
    | CodeEnded
    | AnswerRead
    | VerificationEnded
    | SampleEnded
    | TallyChanged
    | StopFired
    | PlanChanged
    | RunContinued
    | Noticed
    | RunEnded
)
"""Any event, for decoding: the tag `type` says which."""

__all__ = [
    "LIVE_ONLY",
    "SCHEMA",
    "AnswerRead",
    "AnyEvent",
    "Ballot",
    "CodeEnded",
    "CodeStarted",
    "Event",
    "Finish",
    "Noticed",
    "PlanChanged",
    "RuleDecision",
    "RunContinued",
    "RunEnded",
    "RunStarted",
    "RunStatus",
    "SampleEnded",
    "SampleOutcome",
    "SampleStarted",
    "SampleStatus",
    "Saved",
    "ServerInfo",
    "StopFired",
    "Tally",
    "TallyChanged",
    "TextStreamed",
    "TokenEntropy",
    "TurnEnded",
    "Verdict",
    "VerificationEnded",
]
