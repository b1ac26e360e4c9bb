"""Drawing a run with rich: live, when it is over, and as a trace.

Everything that came from a model, a server or a problem passes through `plain` and is drawn as
text, never as markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.cells import cell_len
from rich.console import (
    Console,
    ConsoleOptions,
    Group,
    OverflowMethod,
    RenderableType,
    RenderResult,
)
from rich.table import Table
from rich.text import Text

from ..events import Event, ServerInfo, Tally, Verdict
from ..in_words import number_of, percent
from ..viewing.projection import Projection
from ..viewing.saved import CUT_SHORT, GOING_ON
from ..voting import Candidate
from .plain import one_line, plain

BAR_CHARS = 24
LEAST_BAR_CHARS = 8
ANSWER_CHARS = 48
WIDE_CHARS = 72
MEDIUM_CHARS = 44
OTHER_LINES = 10
"""Lines of a live view that are not the tally's rows, as a rule."""

GAP = 2

_VERDICT_STYLE = {"agrees": "bold green", "disagrees": "bold red", "undecided": "bold yellow"}


def server_line(server: ServerInfo) -> Text:
    """Model, server and dialect on one line."""
    version = f"{server.product} {server.version}" if server.product != "unknown" else "server"
    context = f", {server.context:,} tokens of context" if server.context else ""
    return Text(
        plain(f"{server.model} on {version} at {server.base_url}{context}; {server.dialect}"),
        style="dim",
    )


class TallyTable:
    """Candidates with raw count and weight side by side, then the samples without a ballot.

    A narrow terminal gets fewer columns, never a number that is cut short.

    Parameters
    ----------
    counted
        The tally.
    brief
        Give each answer one line, and as many as the terminal holds beside a dozen other lines.
    """

    def __init__(self, counted: Tally, *, brief: bool = False) -> None:
        self._counted = counted
        self._brief = brief

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = _columns(options.max_width)
        shown = self._counted.candidates
        others = [row.status.replace("-", " ") for row in self._counted.without_ballot]
        if self._brief:
            most = options.size.height - OTHER_LINES - len(others)
            shown = shown[: max(1, most)]
        left_out = len(self._counted.candidates) - len(shown)
        more = [f"… {left_out:,} more"] if left_out else []
        answers = [one_line(candidate.shown, ANSWER_CHARS) for candidate in shown]
        cells = [_cells(candidate) for candidate in shown]
        numbers = {
            name: max(map(len, [name, *(row[name] for row in cells)]))
            for name in columns
            if name != "bar"
        }
        room = options.max_width - sum(numbers.values()) - GAP * len(columns)
        if "bar" in columns:
            room -= LEAST_BAR_CHARS
        longest = max(map(cell_len, ["answer", *answers, *more, *others]))
        width = max(1, min(longest, room))
        table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0))
        # Widths are given, since rich would share a lack of room among words and numbers.
        overflow: OverflowMethod = "ellipsis" if self._brief else "fold"
        table.add_column("answer", overflow=overflow, no_wrap=self._brief, width=width)
        for name, chars in numbers.items():
            table.add_column(name, justify="right", no_wrap=True, width=chars)
        if "bar" in columns:
            bar_chars = min(BAR_CHARS, LEAST_BAR_CHARS + room - width)
            table.add_column("", no_wrap=True, width=bar_chars)
        for rank, (candidate, answer, row) in enumerate(zip(shown, answers, cells, strict=True)):
            drawn = [row[name] for name in numbers]
            bars = [_bar(candidate.share, bar_chars)] if "bar" in columns else []
            table.add_row(Text(answer, style="bold" if rank == 0 else ""), *drawn, *bars)
        for words in more:
            table.add_row(Text(words, style="dim"))
        for words, other in zip(others, self._counted.without_ballot, strict=True):
            table.add_row(Text(words, style="dim"), str(other.count))
        yield table


def _columns(width: int) -> tuple[str, ...]:
    """Those that leave the answers room in a terminal of so many characters."""
    if width < MEDIUM_CHARS:
        return ("samples", "weight")
    if width < WIDE_CHARS:
        return ("samples", "verified", "weight", "share")
    return ("samples", "code-verified", "weight", "share", "entropy", "bar")


def _cells(candidate: Candidate) -> dict[str, str]:
    entropy = candidate.mean_entropy
    verified = str(candidate.code_verified)
    return {
        "samples": str(candidate.count),
        "code-verified": verified,
        "verified": verified,
        "weight": f"{candidate.weight:.2f}",
        "share": percent(candidate.share),
        "entropy": f"{entropy:.2f}" if entropy is not None else "-",
    }


def _bar(share: float, chars: int) -> Text:
    """A share as a bar of exactly so many characters: a bar cut short would lie."""
    filled = round(share * chars)
    return Text("█" * filled, style="cyan") + Text("░" * (chars - filled), style="dim")


def live_view(made: Projection, seconds: float) -> RenderableType:
    """Draw a run that is going on."""
    parts: list[RenderableType] = []
    if made.begun is None:
        return Text(f"Finding the server ({seconds:.0f} s) …", style="dim")
    doing = Counter(sample.row.doing for sample in made.samples.values())
    ended = doing.pop("ended", 0)
    work = ", ".join(f"{count} {what}" for what, count in sorted(doing.items()))
    parts.append(server_line(made.begun.server))
    parts.append(
        Text(
            f"{ended} finished · {doing.total()} running{f' ({work})' if work else ''} · "
            f"{made.planned} planned · {number_of(made.tokens, 'token')} · {seconds:.1f} s · "
            f"isolation: {made.begun.isolation}"
        )
    )
    if ended:
        parts.append(TallyTable(made.counted(), brief=True))
    parts.extend(Text(plain(notice), style="yellow") for notice in made.noticed)
    return Group(*parts)


def final_view(made: Projection, *, going_on: bool = False) -> RenderableType:
    """Draw a run that is over (or was cut short): verdict, answer, tally, why it ended.

    Parameters
    ----------
    going_on
        Whether one without an end is still going on, and was not cut short.
    """
    if made.begun is None:
        return Text("The run did not begin.")
    counted = made.counted()
    parts: list[RenderableType] = []
    if made.ended is not None and made.ended.verdict is not None:
        parts.append(_verdict_line(made.ended.verdict))
    answer = counted.leader.shown if counted.leader is not None else None
    heading = Text("Answer: " if answer is not None else "No answer", style="bold")
    parts.append(heading + Text(plain(answer) if answer is not None else "", style="bold green"))
    parts.append(TallyTable(counted))
    parts.extend(Text(plain(remark), style="yellow") for remark in counted.remarks)
    parts.extend(Text(plain(words), style="dim") for words in _closing(made, going_on=going_on))
    return Group(*parts)


def _verdict_line(verdict: Verdict) -> Text:
    style = _VERDICT_STYLE[verdict.verdict]
    return Text(f"{verdict.verdict.upper()}  ", style=style) + Text(plain(verdict.words))


def _closing(made: Projection, *, going_on: bool) -> Iterator[str]:
    begun, head, ended = made.begun, made.head, made.ended
    if begun is None or head is None:
        return
    yield from made.noticed
    if ended is None:
        yield GOING_ON if going_on else CUT_SHORT
    else:
        yield ended.reason
        if words := ended.saved.in_words(made.planned):
            yield words
    yield (
        f"{number_of(made.tokens, 'token')} in {made.seconds:.1f} s; isolation: {begun.isolation}; "
        f"seed {head.seed}; run {head.run_id}"
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
