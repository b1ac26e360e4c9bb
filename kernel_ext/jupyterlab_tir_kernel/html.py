"""HTML that JupyterLab's sanitiser and code hosts keep; nothing but our own tags is markup.

The sanitiser drops scripts, style sheets, SVG, every ARIA attribute and theme variables; so
everything is a table, a meter or real text. Text from models, servers and problems is escaped and
stands in `code` elements, which the page's formula renderer passes over. Pure.
"""

from __future__ import annotations

import html as escaping
from collections.abc import Iterable, Sequence

from jupyterlab_tir.terminal.plain import one_line, plain

from .static_run import StaticRun
from .wording import COLUMNS, Row, facts, heading, rows, sentences

PROBLEM_CHARS = 4_000
_VERDICT_COLOURS = {"AGREES": "#1b7f3b", "DISAGREES": "#c62828", "UNDECIDED": "#9a6700"}
_LEFT = ' style="text-align: left"'


def escape(text: str) -> str:
    r"""Make a text inert: invisible and reordering characters by name, markup as entities.

    >>> escape('<b>"\x1b\u202e')
    '&lt;b&gt;&quot;&lt;U+001B&gt;&lt;U+202E&gt;'
    """
    return escaping.escape(plain(text))


def prose(text: str) -> str:
    """A sentence that may hold foreign text: it looks like prose and is never typeset."""
    return (
        f'<code style="font-family: inherit; background-color: transparent">{escape(text)}</code>'
    )


def table(headings: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table of plain texts; without headings the first column holds the names."""
    head = "".join(f'<th scope="col"{_LEFT}>{escape(each)}</th>' for each in headings)
    lines = []
    for texts in body:
        cells = [f"<td{_LEFT}><code>{escape(each)}</code></td>" for each in texts]
        if not headings:
            cells[0] = f'<th scope="row"{_LEFT}>{escape(texts[0])}</th>'
        lines.append(f"<tr>{''.join(cells)}</tr>")
    thead = f"<thead><tr>{head}</tr></thead>" if headings else ""
    return f"<table>{thead}<tbody>{''.join(lines)}</tbody></table>"


def tally_table(shown: Sequence[Row], caption: str) -> str:
    """The votes: raw count and weight side by side, a bar for the share of the weight."""
    head = "".join(f'<th scope="col"{_LEFT}>{each}</th>' for each in (*COLUMNS, ""))
    body = "".join(_tally_row(row, first=index == 0) for index, row in enumerate(shown))
    return (
        f'<table class="jp-TirRun-tally"><caption{_LEFT}>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _tally_row(row: Row, *, first: bool) -> str:
    if row.share is None:
        cells = [f"<i>{escape(row.answer)}</i>", str(row.samples), "", "", "", "", ""]
    else:
        answer = f"<code>{escape(row.answer)}</code>"
        percent = f"{row.share:.0%}"
        cells = [
            f"<b>{answer}</b>" if first else answer,
            str(row.samples),
            row.code_verified,
            row.weight,
            percent,
            row.entropy,
            _bar(row.share, percent),
        ]
    return "<tr>" + "".join(f"<td{_LEFT}>{cell}</td>" for cell in cells) + "</tr>"


def _bar(share: float, percent: str) -> str:
    return (
        f'<meter min="0" max="1" value="{share:.4f}" title="{percent}" style="width: 12em">'
        f"{percent}</meter>"
    )


def _heading(run: StaticRun) -> str:
    word, said = heading(run)
    if not word:
        return ""
    colour = _VERDICT_COLOURS.get(word, "#9a6700")
    return f'<p><b style="color: {colour}">{escape(word)}</b> {prose(said) if said else ""}</p>'


def _answer(run: StaticRun) -> str:
    if run.answer is None:
        return "<p><b>No answer</b></p>"
    return f"<p><b>Answer:</b> <b><code>{escape(run.answer)}</code></b></p>"


def run_html(run: StaticRun) -> str:
    """A run that is over: verdict, answer, votes, sentences, and the rest behind a click."""
    shown = run.problem.text
    if len(shown) > PROBLEM_CHARS:
        shown = f"{shown[:PROBLEM_CHARS]}… ({run.problem.chars:,} characters)"
    counted = run.tally
    caption = f"{counted.finished} of {counted.planned} samples finished"
    return "".join(
        (
            '<div class="jp-TirRun">',
            _heading(run),
            _answer(run),
            tally_table(rows(run), caption),
            *(f"<p>{prose(said)}</p>" for said in sentences(run)),
            "<details><summary>Problem, server, settings</summary>",
            f'<pre style="white-space: pre-wrap">{escape(shown)}</pre>',
            table((), facts(run)),
            "</details></div>",
        )
    )


def live_html(line: str, shown: Sequence[Row], notices: Sequence[str]) -> str:
    """A run that is going on: one line of numbers, then the votes so far."""
    parts = [f'<div class="jp-TirRun"><p>{prose(one_line(line, 300))}</p>']
    if shown:
        parts.append(tally_table(shown, "Votes so far"))
    parts.extend(f"<p>{prose(one_line(notice, 300))}</p>" for notice in notices)
    return "".join(parts) + "</div>"
