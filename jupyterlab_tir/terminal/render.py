"""Drawing a run with rich: live, when it is over, and as a trace.

Everything that came from a model, a server or a problem passes through `plain` and is drawn as
text, never as markup.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ..events import Event, RunEnded, ServerInfo, Tally, Verdict
from .plain import one_line, plain
from .state import RunState

BAR_CHARS = 24
ANSWER_CHARS = 48

_VERDICT_STYLE = {"agrees": "bold green", "disagrees": "bold red", "undecided": "bold yellow"}


def server_line(server: ServerInfo) -> Text:
    """Model, server and dialect on one line."""
    version = f"{server.product} {server.version}" if server.product != "unknown" else "server"
    context = f", {server.context:,} tokens of context" if server.context else ""
    return Text(
        plain(f"{server.model} on {version} at {server.base_url}{context}; {server.dialect}"),
        style="dim",
    )


def tally_table(counted: Tally, *, width: int = ANSWER_CHARS) -> Table:
    """Candidates with raw count and weight side by side, then the samples without a ballot."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("answer", overflow="fold")
    table.add_column("samples", justify="right")
    table.add_column("code-verified", justify="right")
    table.add_column("weight", justify="right")
    table.add_column("share", justify="right")
    table.add_column("entropy", justify="right")
    table.add_column("")
    for rank, candidate in enumerate(counted.candidates):
        entropy = candidate.mean_entropy
        table.add_row(
            Text(one_line(candidate.shown, width), style="bold" if rank == 0 else ""),
            str(candidate.count),
            str(candidate.code_verified),
            f"{candidate.weight:.2f}",
            f"{candidate.share:.0%}",
            f"{entropy:.2f}" if entropy is not None else "-",
            _Bar(candidate.share),
        )
    for row in counted.without_ballot:
        table.add_row(Text(row.status.replace("-", " "), style="dim"), str(row.count))
    return table


class _Bar:
    """A share as a bar over the width that the table leaves it: a bar cut short would lie."""

    def __init__(self, share: float) -> None:
        self._share = share

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(min(4, options.max_width), min(BAR_CHARS, options.max_width))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(BAR_CHARS, options.max_width)
        filled = round(self._share * width)
        yield Text("█" * filled, style="cyan") + Text("░" * (width - filled), style="dim")


def live_view(state: RunState, seconds: float) -> RenderableType:
    """Draw a run that is going on."""
    parts: list[RenderableType] = []
    if state.started is None:
        return Text(f"Finding the server ({seconds:.0f} s) …", style="dim")
    parts.append(server_line(state.started.server))
    doing: dict[str, int] = {}
    for sample in state.samples.values():
        if sample.doing != "ended":
            doing[sample.doing] = doing.get(sample.doing, 0) + 1
    work = ", ".join(f"{count} {what}" for what, count in sorted(doing.items()))
    parts.append(
        Text(
            f"{len(state.outcomes)} finished · {state.running} running"
            f"{f' ({work})' if work else ''} · {state.planned} planned · "
            f"{state.tokens:,} tokens · {seconds:.1f} s · isolation: {state.started.isolation}"
        )
    )
    if state.outcomes:
        parts.append(tally_table(state.tally()))
    parts.extend(Text(plain(notice), style="yellow") for notice in state.notices)
    return Group(*parts)


def final_view(state: RunState) -> RenderableType:
    """Draw a run that is over (or was cut short): verdict, answer, tally, why it ended."""
    started, ended = state.started, state.ended
    if started is None:
        return Text("The run did not begin.")
    counted = ended.tally if ended is not None else state.tally()
    parts: list[RenderableType] = []
    if ended is not None and ended.verdict is not None:
        parts.append(_verdict_line(ended.verdict))
    answer = counted.leader.shown if counted.leader is not None else None
    heading = Text("Answer: " if answer is not None else "No answer", style="bold")
    parts.append(heading + Text(plain(answer) if answer is not None else "", style="bold green"))
    parts.append(tally_table(counted))
    parts.extend(Text(plain(remark), style="yellow") for remark in counted.remarks)
    parts.extend(Text(plain(words), style="dim") for words in _closing(state, ended))
    return Group(*parts)


def _verdict_line(verdict: Verdict) -> Text:
    style = _VERDICT_STYLE[verdict.verdict]
    return Text(f"{verdict.verdict.upper()}  ", style=style) + Text(plain(verdict.words))


def _closing(state: RunState, ended: RunEnded | None) -> Iterator[str]:
    started = state.started
    if started is None:
        return
    yield from state.notices
    if ended is None:
        yield "The record ends before the run did: its process was killed."
    else:
        yield ended.reason
        saved = ended.saved
        if saved.not_started or saved.cancelled:
            yield (
                f"Saved: {saved.not_started} of {state.planned} samples, never started. "
                f"Wasted: {saved.wasted_tokens:,} tokens of {saved.cancelled} samples in flight."
            )
    yield (
        f"{state.tokens:,} tokens in {state.elapsed_s:.1f} s; isolation: {started.isolation}; "
        f"seed {started.seed}; run {started.run_id}"
    )


def trace_table(events: tuple[Event, ...]) -> Table:
    """Draw every event of a run: when, what, who decided, what it cost."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading, justify in (("s", "right"), ("kind", "left"), ("decided by", "left")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    table.add_column("event", overflow="fold")
    for heading in ("tokens in", "out", "ms"):
        table.add_column(heading, justify="right")
    for event in events:
        detail = f"  {one_line(event.detail, 60)}" if event.detail else ""
        table.add_row(
            f"{event.at_s:.2f}",
            event.kind,
            event.decided_by,
            Text(plain(event.title)) + Text(detail, style="dim"),
            _number(event.tokens_in),
            _number(event.tokens_out),
            _number(event.ms),
        )
    return table


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
