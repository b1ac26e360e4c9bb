"""HTML that JupyterLab's sanitiser and code hosts keep; nothing but our own tags is markup.

The sanitiser drops scripts, style sheets, SVG, every ARIA attribute and theme variables; so
everything is a table, a meter or real text. Text from models, servers and problems is escaped and
stands in `code` or `pre` elements, which the page's formula renderer passes over. All of it is one
line: in a Markdown file an empty line would end the HTML, and what follows it would be Markdown.
Pure.
"""

from __future__ import annotations

import html as escaping
from collections.abc import Iterable, Sequence

from jupyterlab_tir.in_words import percent
from jupyterlab_tir.terminal.plain import one_line, plain

from .formulas import readable_answer, readable_text
from .wording import ANSWER_CHARS, COLUMNS, Row

BAR_CHARS = 20
LEFT = ' style="text-align: left"'


def escape(text: str) -> str:
    r"""Make a text inert: invisible and reordering characters by name, markup as entities.

    >>> escape('<b>"\x1b\u202e'), escape("1\n2")
    ('&lt;b&gt;&quot;&lt;U+001B&gt;&lt;U+202E&gt;', '1&#10;2')
    """
    return _escaped(plain(text))


def _escaped(text: str) -> str:
    return escaping.escape(text).replace("\n", "&#10;")


def cut(text: str, most: int) -> str:
    r"""Escape a text of which at most so many characters are shown; names of characters count.

    >>> cut("<b>", 3), cut("\x1b\x1b", 9)
    ('&lt;b&gt;', '&lt;U+001B&gt;…')
    """
    named = plain(text[: most + 1])
    return _escaped(named if len(named) <= most else f"{named[: most - 1]}…")


def answer(text: str, most: int) -> str:
    r"""An answer as a person reads it, at most so many characters; its title has it as written.

    >>> answer(r"\frac{1}{2}", 100), answer("1/2", 100)
    ('<code title="\\frac{1}{2}">1/2</code>', '<code>1/2</code>')
    """
    shown = readable_answer(text)
    title = "" if shown == text else f' title="{cut(text, most)}"'
    return f"<code{title}>{cut(shown, most)}</code>"


def maths(text: str, most: int) -> tuple[str, bool]:
    r"""A text whose formulas are readable, and whether it is cut; titles have them as written.

    >>> maths(r"Is $\pi > 3$?", 100)
    ('Is <code title="$\\pi &gt; 3$">π &gt; 3</code>?', False)
    """
    shown: list[str] = []
    room = titles = most
    for piece in readable_text(text[:most]):
        written = plain(piece.written)
        readable = piece.shown != piece.written and len(written) <= titles
        part = plain(piece.shown) if readable else written
        if len(part) > room:
            shown.append(_escaped(f"{part[: room - 1]}…" if room else "…"))
            return "".join(shown), True
        room -= len(part)
        if readable:
            titles -= len(written)
            shown.append(f'<code title="{_escaped(written)}">{_escaped(part)}</code>')
        else:
            shown.append(_escaped(part))
    is_cut = len(text) > most
    return "".join(shown) + ("…" if is_cut else ""), is_cut


def prose(text: str) -> str:
    """A sentence that may hold foreign text: it looks like prose and is never typeset."""
    return _as_prose(escape(text))


def cut_prose(text: str, most: int) -> str:
    """The same for a text of which at most so many characters are shown."""
    return _as_prose(cut(text, most))


def _as_prose(escaped: str) -> str:
    style = "font-family: inherit; background-color: transparent; padding: 0"
    return f'<code style="{style}">{escaped}</code>'


def table(headings: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A table of plain texts; without headings the first column holds the names."""
    head = "".join(f'<th scope="col"{LEFT}>{escape(each)}</th>' for each in headings)
    lines = "".join(table_row(texts, named=not headings) for texts in body)
    thead = f"<thead><tr>{head}</tr></thead>" if headings else ""
    return f"<table>{thead}<tbody>{lines}</tbody></table>"


def table_row(texts: Sequence[str], *, named: bool) -> str:
    """One line of plain texts; `named` if the first of them names the others."""
    cells = [f"<td{LEFT}><code>{escape(each)}</code></td>" for each in texts]
    if named:
        cells[0] = f'<th scope="row"{LEFT}>{escape(texts[0])}</th>'
    return f"<tr>{''.join(cells)}</tr>"


def tally_table(shown: Sequence[Row], caption: str) -> str:
    """The votes: raw count and weight side by side, a bar for the share of the weight."""
    head = "".join(f'<th scope="col"{LEFT}>{each}</th>' for each in (*COLUMNS, ""))
    body = "".join(_tally_row(row, first=index == 0) for index, row in enumerate(shown))
    return (
        f'<table class="jp-TirRun-tally"><caption{LEFT}>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _tally_row(row: Row, *, first: bool) -> str:
    if row.share is None:
        cells = [f"<i>{escape(row.answer)}</i>", str(row.samples), "", "", "", "", ""]
    else:
        shown = answer(row.answer, ANSWER_CHARS)
        cells = [
            f"<b>{shown}</b>" if first else shown,
            str(row.samples),
            row.code_verified,
            row.weight,
            percent(row.share),
            row.entropy,
            meter(row.share),
        ]
    return "<tr>" + "".join(f"<td{LEFT}>{cell}</td>" for cell in cells) + "</tr>"


def bar(share: float) -> str:
    """A bar of characters, for whoever can draw no other.

    >>> bar(0.25)
    '█████░░░░░░░░░░░░░░░'
    """
    filled = round(share * BAR_CHARS)
    return "█" * filled + "░" * (BAR_CHARS - filled)


def meter(share: float) -> str:
    """A bar; hosts that do not know the element show its text."""
    return (
        f'<meter min="0" max="1" value="{share:.4f}" title="{percent(share)}" style="width: 12em">'
        f"{bar(share)}</meter>"
    )


def live_html(line: str, shown: Sequence[Row], notices: Sequence[str]) -> str:
    """A run that is going on: one line of numbers, then the votes so far."""
    parts = [f'<div class="jp-TirRun"><p>{prose(one_line(line, 300))}</p>']
    if shown:
        parts.append(tally_table(shown, "Votes so far"))
    parts.extend(f"<p>{prose(one_line(notice, 300))}</p>" for notice in notices)
    return "".join(parts) + "</div>"
