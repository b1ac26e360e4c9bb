"""Plain text and Markdown of a run that is over, with everything foreign made inert. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from jupyterlab_tir.in_words import percent
from jupyterlab_tir.terminal.plain import one_line, plain
from jupyterlab_tir.viewing.wire import Snapshot

from .html import bar
from .wording import COLUMNS, Row, end_of, facts, heading, rows, sentences

ANSWER_CHARS = 48
CELL_CHARS = 240
_MARKUP = re.compile(r"[\\$]+|[`*_{}\[\]()<>#+\-.!|~&:@=^\"']")


def columns(headings: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table in columns, for `text/plain`; without headings there is no first line."""
    texts = [[one_line(each, CELL_CHARS) for each in row] for row in body]
    lines = [list(headings), *texts] if headings else texts
    if not lines:
        return ""
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(each.ljust(width) for each, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def run_text(run: Snapshot) -> str:
    """A run as a terminal shows it: verdict, answer, votes, sentences."""
    word, said = heading(run)
    answer = end_of(run).answer
    lines = [f"{word}  {plain(said)}".rstrip()] if word else []
    lines.append("No answer" if answer is None else f"Answer: {plain(answer)}")
    lines.append(columns((*COLUMNS, ""), (_text_row(row) for row in rows(run))))
    lines.extend(plain(each) for each in sentences(run))
    lines.append(f"run {run.head.run_id}; seed {run.head.seed}")
    return "\n".join(lines)


def _text_row(row: Row) -> tuple[str, ...]:
    if row.share is None:
        return (row.answer, str(row.samples), "", "", "", "", "")
    return (
        one_line(row.answer, ANSWER_CHARS),
        str(row.samples),
        row.code_verified,
        row.weight,
        percent(row.share),
        row.entropy,
        bar(row.share),
    )


def code_span(text: str) -> str:
    """A text on one line as Markdown code, whatever it holds.

    >>> code_span("a`b|c")
    '``a`b|c``'
    """
    line = one_line(text, 500) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", line)), default=0))
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def md_prose(text: str) -> str:
    r"""A sentence in Markdown with every mark of markup escaped, and no formula in it.

    >>> md_prose("*2* < $3$")
    '\\*2\\* \\< `$`3`$`'
    """
    return _MARKUP.sub(_escaped, one_line(text, 2_000))


def _escaped(mark: re.Match[str]) -> str:
    # What begins a formula is hidden from its renderer by code only.
    return f"`{mark[0]}`" if mark[0][0] in "\\$" else f"\\{mark[0]}"


def md_cell(text: str) -> str:
    r"""A text as code in a cell of a Markdown table.

    Parsers disagree on which backslashes keep a bar from ending the cell, so no bar is left.

    >>> md_cell("\\|x|")
    '`\\`&#124;`x`&#124;'
    """
    return "&#124;".join(code_span(part) if part else "" for part in text.split("|"))


def run_markdown(run: Snapshot) -> str:
    """A run for readers of Markdown."""
    word, said = heading(run)
    answer = end_of(run).answer
    parts = [f"**{word}** {md_prose(said)}".rstrip()] if word else []
    parts.append("**No answer**" if answer is None else f"**Answer:** {code_span(answer)}")
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + " --- |" * len(COLUMNS)]
    for row in rows(run):
        share = "" if row.share is None else percent(row.share)
        answer = md_prose(row.answer) if row.share is None else md_cell(row.answer)
        cells = (answer, str(row.samples), row.code_verified, row.weight, share, row.entropy)
        lines.append(f"| {' | '.join(cells)} |")
    parts.append("\n".join(lines))
    parts.extend(md_prose(each) for each in sentences(run))
    parts.append("\n".join(f"- {name}: {code_span(value)}" for name, value in facts(run)))
    return "\n\n".join(parts) + "\n"
