"""Showing plain tables and texts as a magic's output: HTML for the page, text for everyone."""

from __future__ import annotations

from collections.abc import Sequence

from .html import escape, prose, table
from .publishing import publish
from .text import columns


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
    """Show rows of untrusted text; without headings the first column holds names."""
    html, text = table(headings, rows), columns(headings, rows)
    if note:
        html, text = f"{html}<p>{prose(note)}</p>", f"{text}\n{note}"
    publish({"text/html": html, "text/plain": text})


def show_text(text: str) -> None:
    """Show a text as it is written."""
    # JupyterLab would set it in, as a quotation.
    html = f'<pre style="margin: 0; white-space: pre-wrap">{escape(text)}</pre>'
    publish({"text/html": html, "text/plain": text})
