"""The sentences and rows that every static view shows, in one order: verdict first. Pure."""

from __future__ import annotations

import msgspec

from jupyterlab_tir.events import Saved
from jupyterlab_tir.in_words import number_of, part_of, percent
from jupyterlab_tir.terminal.plain import one_line
from jupyterlab_tir.viewing.wire import Snapshot, ViewEnd, ViewSample

COLUMNS = ("answer", "samples", "code-verified", "weight", "share", "entropy")
SHOWN_CANDIDATES = 20
ANSWER_CHARS = 200
MOST_NOTICES = 12
SENTENCE_CHARS = 600
ALT_CHARS = 500

STATUS_WORDS = {
    "answered": "answered",
    "no-answer": "no answer",
    "stopped": "stopped by the user",
    "deadline": "out of time",
    "server-lost": "the server was lost",
    "cut-short": "cut short",
    "going-on": "still going on",
}

SAMPLE_COLUMNS = (
    "sample",
    "status",
    "answer",
    "verification",
    "entropy",
    "tokens",
    "seconds",
    "turns",
)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the tally: a candidate, or samples without a ballot (then without a share)."""

    answer: str
    samples: int
    code_verified: str = ""
    weight: str = ""
    share: float | None = None
    entropy: str = ""


def end_of(run: Snapshot) -> ViewEnd:
    """How it ended; one that goes on is described as far as it came."""
    if run.end is not None:
        return run.end
    leader = next(iter(run.tally.candidates), None)
    return ViewEnd(
        status="going-on",
        reason="The run had not ended.",
        answer=None if leader is None else leader.shown,
    )


def heading(run: Snapshot) -> tuple[str, str]:
    """The first line: a word in bold and what it says; the verdict, else how the run ended."""
    end = end_of(run)
    if end.verdict is not None:
        return end.verdict.verdict.upper(), end.verdict.words
    if end.status == "answered":
        return "", ""
    return STATUS_WORDS[end.status].capitalize(), ""


def rows(run: Snapshot) -> list[Row]:
    """The tally's lines: candidates by weight, then samples without a ballot."""
    found = [
        Row(
            answer=one_line(candidate.shown, ANSWER_CHARS),
            samples=candidate.count,
            code_verified=str(candidate.code_verified),
            weight=f"{candidate.weight:.2f}",
            share=candidate.share,
            entropy=_number(candidate.mean_entropy),
        )
        for candidate in run.tally.candidates[:SHOWN_CANDIDATES]
    ]
    without = [
        Row(answer=row.status.replace("-", " "), samples=len(row.samples))
        for row in run.tally.without_ballot
    ]
    return found + without


def _number(value: float | None, places: int = 2) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def left_out(run: Snapshot) -> int:
    """Candidates that `rows` does not show."""
    return run.tally.left_out + max(0, len(run.tally.candidates) - SHOWN_CANDIDATES)


def sentences(run: Snapshot) -> list[str]:
    """What stands below the tally: remarks, notices, why it ended, what that saved, its cost."""
    end, notices = end_of(run), run.notices[:MOST_NOTICES]
    said = [*run.tally.remarks, *notices]
    if len(run.notices) > len(notices):
        more = len(run.notices) - len(notices)
        are = "is" if more == 1 else "are"
        said.append(f"{number_of(more, 'more notice')} {are} in its record.")
    said.append(end.reason)
    if hidden := left_out(run):
        are = "is" if hidden == 1 else "are"
        said.insert(0, f"{number_of(hidden, 'more candidate')} {are} not shown.")
    if words := Saved(**msgspec.structs.asdict(end.saved)).in_words(run.planned):
        said.append(words)
    tokens = number_of(run.tokens, "token")
    said.append(f"{tokens} in {run.seconds:.1f} s; isolation: {run.head.isolation}.")
    return [_cut(each) for each in said]


def _cut(text: str) -> str:
    return text if len(text) <= SENTENCE_CHARS else f"{text[: SENTENCE_CHARS - 1]}…"


def facts(run: Snapshot) -> list[tuple[str, str]]:
    """Names and values for whoever wants to know where the numbers come from."""
    head, server = run.head, run.head.server
    known = [
        ("run", head.run_id),
        ("model", server.model),
        ("server", f"{server.base_url} ({server.source})"),
        ("product", f"{server.product} {server.version}"),
        ("dialect", server.dialect),
        ("seed", str(head.seed)),
    ]
    if head.temperature is not None:
        known.append(("temperature", f"{head.temperature:g}"))
    if head.created:
        known.append(("created", head.created))
    known.append(("plan", head.plan))
    if head.settings:
        changed = ", ".join(f"{name} = {value}" for name, value in head.settings.items())
        known.append(("settings", changed))
    return known


def sample_row(sample: ViewSample) -> tuple[str, ...]:
    """A sample's cells under `SAMPLE_COLUMNS`; samples are counted from 1."""
    status = sample.status or sample.doing
    answer = "" if sample.answer is None else one_line(sample.answer, ANSWER_CHARS)
    return (
        str(sample.sample + 1),
        status.replace("-", " "),
        answer or one_line(sample.reason, ANSWER_CHARS),
        "" if sample.answer is None else sample.verification,
        _number(sample.entropy),
        f"{sample.tokens:,}",
        _number(sample.seconds, 1),
        str(sample.turns),
    )


def alt_text(run: Snapshot) -> str:
    """What the picture of a run shows, for whoever cannot see it."""
    word, _ = heading(run)
    end = end_of(run)
    answer = "No answer" if end.answer is None else f"Answer: {one_line(end.answer, 80)}"
    votes = [
        f"{one_line(each.shown, 60)}: {part_of(each.count, run.tally.finished, 'sample')}, "
        f"{percent(each.share)} of the weight"
        for each in run.tally.candidates[:3]
    ]
    parts = [word, answer, *votes, one_line(end.reason, 200).rstrip(".")]
    return one_line("TIR run. " + ". ".join(part for part in parts if part) + ".", ALT_CHARS)
