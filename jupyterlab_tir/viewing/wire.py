"""The form in which a page sees a run: a whole `Snapshot`, then a `Batch` for each change.

Every face in a browser is drawn from these structs and nothing else, live and in a saved notebook.
They are made from a run's events (`projection`), bounded in size, and hold plain text that nobody
vouches for. TypeScript's types are generated from them (`typescript`). Pure.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..events import Kind, VerdictKind
from ..voting import SampleStatus, Verification
from .wire_base import Wire
from .wire_revote import ViewRevote

MIME = "application/vnd.jupyterlab-tir.run+json"
"""Under this type a notebook's output holds a snapshot."""

VIEW_SCHEMA = 2
"""Version of a snapshot's form; it changes when a reader of the old one would misread the new."""

BATCH_SCHEMA = 3
"""The same of a batch, which no notebook keeps."""

Doing = Literal["writing", "starting a kernel", "running code", "verifying", "ended"]
SegmentKind = Literal["text", "reasoning", "code", "result", "error"]
EndStatus = Literal[
    "answered", "no-answer", "stopped", "deadline", "server-lost", "cut-short", "going-on"
]


class ViewProblem(Wire, frozen=True, kw_only=True):
    """The problem, cut; `chars` is its whole length."""

    text: str
    chars: int
    claim: str | None = None


class ViewServer(Wire, frozen=True, kw_only=True):
    """The server that the run asks."""

    model: str
    base_url: str
    source: str
    product: str
    version: str
    dialect: str


class ViewHead(Wire, frozen=True, kw_only=True):
    """What is known of a run when it begins.

    Parameters
    ----------
    version
        Of the package that ran it.
    created
        UTC, ISO 8601.
    plan
        The plan in words.
    rule
        The stop rules as the setting names them; `tau` is the share rule's threshold.
    temperature
        Of the samples; None where only a result is left of the run, which does not tell it.
    settings
        All settings by name. No secret is ever among them.
    continued
        Whether it went on after an end.
    """

    run_id: str
    version: str
    created: str
    problem: ViewProblem
    server: ViewServer
    isolation: str
    seed: int
    temperature: float | None = None
    plan: str
    rule: str
    tau: float
    settings: dict[str, Any]
    continued: bool = False


class ViewSample(Wire, frozen=True, kw_only=True):
    """One sample, by its launch index from 0.

    Parameters
    ----------
    doing
        What it is at; ``ended`` with a `status` and, without an answer, a `reason`.
    answer
        As shown; None until it has one that counts.
    verification
        How far code stands behind it, and why no further.
    entropy
        Mean token entropy in nats; None without log-probabilities, and until it has ended.
    tokens, turns, cells
        Generated tokens so far, turns begun, code blocks run.
    started_s, seconds
        On the run's clock; seconds are None until it has ended.
    """

    sample: int
    doing: Doing = "writing"
    status: SampleStatus | None = None
    reason: str = ""
    answer: str | None = None
    verification: Verification = "none"
    verification_reason: str = ""
    entropy: float | None = None
    tokens: int = 0
    turns: int = 1
    cells: int = 0
    started_s: float = 0.0
    seconds: float | None = None


class ViewCandidate(Wire, frozen=True, kw_only=True):
    """A class of equivalent answers; `share` is its part of all weight, 0 to 1."""

    key: str
    shown: str
    count: int
    code_verified: int
    weight: float
    share: float
    mean_entropy: float | None = None
    samples: tuple[int, ...]


class ViewWithoutBallot(Wire, frozen=True, kw_only=True):
    """Samples that ended in the same way without a vote."""

    status: SampleStatus
    samples: tuple[int, ...]


class ViewTally(Wire, frozen=True, kw_only=True):
    """The votes so far; the winner comes first, `left_out` candidates are not listed."""

    policy: str
    planned: int
    finished: int = 0
    answered: int = 0
    lost: int = 0
    unfinished: int = 0
    candidates: tuple[ViewCandidate, ...] = ()
    left_out: int = 0
    without_ballot: tuple[ViewWithoutBallot, ...] = ()
    tied: bool = False
    remarks: tuple[str, ...] = ()


class ViewPoint(Wire, frozen=True, kw_only=True):
    """The leader after so many finished samples: its count of them, and its share of the weight."""

    finished: int
    sample: int
    leader: str = ""
    count: int = 0
    weight_share: float = 0.0


class ViewStop(Wire, frozen=True, kw_only=True):
    """The rule that ended the run early, in words with its numbers."""

    rule: str
    words: str
    after: int
    sample: int | None = None
    numbers: dict[str, float] = msgspec.field(default_factory=dict)


class ViewVerdict(Wire, frozen=True, kw_only=True):
    """What the run says of a claimed answer."""

    verdict: VerdictKind
    claim: str
    words: str


class ViewSaved(Wire, frozen=True, kw_only=True):
    """What stopping early was worth; see `events.Saved`."""

    not_started: int = 0
    cancelled: int = 0
    wasted_tokens: int = 0
    saved_tokens_estimated: int | None = None


class ViewEnd(Wire, frozen=True, kw_only=True):
    """How the run ended.

    ``cut-short`` where its process died; ``going-on`` where a record was read before its end.
    """

    status: EndStatus
    reason: str
    answer: str | None = None
    verdict: ViewVerdict | None = None
    stop: ViewStop | None = None
    saved: ViewSaved = ViewSaved()


class ViewStep(Wire, frozen=True, kw_only=True):
    """One event, as a trace lists it; `type` is the event's tag."""

    seq: int
    at_s: float
    type: str
    kind: Kind = "code"
    decided_by: Kind = "code"
    sample: int | None = None
    title: str = ""
    detail: str = ""
    tokens_out: int | None = None
    ms: float | None = None


class ViewCopied(Wire, frozen=True, kw_only=True):
    """A part of a segment that the page had before, by its place and length in UTF-16."""

    segment: int
    at: int
    length: int


class ViewSegment(Wire, frozen=True, kw_only=True):
    """A piece of a transcript; `chars` is its whole length where `text` is cut, else 0.

    `status` says how a cell ended where that is not ``ok``; `streaming` that more may come. In a
    batch `copied` is text that the page has already, which stands before `text`.
    """

    kind: SegmentKind
    turn: int
    text: str
    chars: int = 0
    ms: float | None = None
    status: str = ""
    streaming: bool = False
    copied: ViewCopied | None = None


class ViewTranscript(Wire, frozen=True, kw_only=True):
    """Segments of a sample's transcript, in order, from number `start` on; they replace those."""

    sample: int
    segments: tuple[ViewSegment, ...]
    start: int = 0


class ViewText(Wire, frozen=True, kw_only=True):
    """Text to append to a segment of an open transcript."""

    sample: int
    segment: int
    text: str


class Snapshot(Wire, frozen=True, kw_only=True):
    """A run so far, or as it ended.

    Parameters
    ----------
    number
        Of the last batch that it includes.
    seconds, tokens
        What the run took so far.
    notices
        What it noticed.
    steps, steps_left_out
        The trace, its first part where it is long.
    transcripts
        Those that were asked for; in a saved notebook all that its budget had room for.
    end, revote
        None while it goes on.
    """

    schema: int
    number: int = 0
    head: ViewHead
    planned: int
    seconds: float = 0.0
    tokens: int = 0
    samples: tuple[ViewSample, ...] = ()
    tally: ViewTally
    points: tuple[ViewPoint, ...] = ()
    notices: tuple[str, ...] = ()
    steps: tuple[ViewStep, ...] = ()
    steps_left_out: int = 0
    transcripts: tuple[ViewTranscript, ...] = ()
    end: ViewEnd | None = None
    revote: ViewRevote | None = None


class Batch(Wire, frozen=True, kw_only=True):
    """What changed since the batch before; `number` counts them for one page, without gaps.

    Parameters
    ----------
    progress
        Sample and tokens so far, for samples of which nothing else changed.
    samples
        Rows that are new or changed otherwise.
    head, tally, end, revote
        None where unchanged.
    resumed
        Whether the run goes on after an end that the page was told: that, and `revote`, are gone.
    points, notices, steps
        New ones.
    transcripts, texts
        Of the samples that the page has opened; apply the transcripts first.
    """

    schema: int
    run_id: str
    number: int
    seconds: float
    tokens: int
    planned: int
    head: ViewHead | None = None
    resumed: bool = False
    progress: tuple[tuple[int, int], ...] = ()
    samples: tuple[ViewSample, ...] = ()
    tally: ViewTally | None = None
    points: tuple[ViewPoint, ...] = ()
    notices: tuple[str, ...] = ()
    steps: tuple[ViewStep, ...] = ()
    steps_left_out: int = 0
    transcripts: tuple[ViewTranscript, ...] = ()
    texts: tuple[ViewText, ...] = ()
    end: ViewEnd | None = None
    revote: ViewRevote | None = None


def to_page(part: Snapshot | Batch) -> dict[str, Any]:
    """Return it as JSON holds it."""
    built: dict[str, Any] = msgspec.to_builtins(part)
    return built
