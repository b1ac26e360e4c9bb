"""The sentences and rows that every static view shows, in one order: verdict first. Pure."""

from __future__ import annotations

import msgspec

from jupyterlab_tir.terminal.plain import one_line

from .static_run import StaticRun

COLUMNS = ("answer", "samples", "code-verified", "weight", "share", "entropy")
SHOWN_CANDIDATES = 20
ANSWER_CHARS = 200

STATUS_WORDS = {
    "answered": "answered",
    "no-answer": "no answer",
    "stopped": "stopped by the user",
    "deadline": "out of time",
    "server-lost": "the server was lost",
    "cut-short": "cut short",
}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the tally: a candidate, or samples without a ballot (then without a share)."""

    answer: str
    samples: int
    code_verified: str = ""
    weight: str = ""
    share: float | None = None
    entropy: str = ""


def heading(run: StaticRun) -> tuple[str, str]:
    """The first line: a word in bold and what it says; the verdict, else how the run ended."""
    if run.verdict is not None:
        return run.verdict.verdict.upper(), run.verdict.words
    if run.status == "answered":
        return "", ""
    return STATUS_WORDS[run.status].capitalize(), ""


def rows(run: StaticRun) -> list[Row]:
    """The tally's lines: candidates by weight, then samples without a ballot."""
    found = [
        Row(
            answer=one_line(candidate.shown, ANSWER_CHARS),
            samples=candidate.count,
            code_verified=str(candidate.code_verified),
            weight=f"{candidate.weight:.2f}",
            share=candidate.share,
            entropy="-" if candidate.mean_entropy is None else f"{candidate.mean_entropy:.2f}",
        )
        for candidate in run.tally.candidates[:SHOWN_CANDIDATES]
    ]
    without = [
        Row(answer=row.status.replace("-", " "), samples=row.count)
        for row in run.tally.without_ballot
    ]
    return found + without


def left_out(run: StaticRun) -> int:
    """Candidates that `rows` does not show."""
    return run.candidates_left_out + max(0, len(run.tally.candidates) - SHOWN_CANDIDATES)


def sentences(run: StaticRun) -> list[str]:
    """What stands below the tally: remarks, notices, why it ended, what that saved, its cost."""
    said = [*run.remarks, *run.notices, run.reason]
    if left_out(run):
        said.insert(0, f"{left_out(run)} more candidates are not shown.")
    if words := run.saved.in_words(run.tally.planned):
        said.append(words)
    said.append(f"{run.tokens:,} tokens in {run.seconds:.1f} s; isolation: {run.isolation}.")
    return said


def facts(run: StaticRun) -> list[tuple[str, str]]:
    """Names and values for whoever wants to know where the numbers come from."""
    server = run.server
    known = [
        ("run", run.run_id),
        ("model", server.model),
        ("server", f"{server.base_url} ({server.source})"),
        ("product", f"{server.product} {server.version}"),
        ("dialect", server.dialect),
        ("seed", str(run.seed)),
    ]
    if run.created is not None:
        known.append(("created", run.created))
    if run.settings is not None:
        changed = ", ".join(f"{name} = {value}" for name, value in run.settings.items())
        known.append(("settings", changed))
    return known
