"""What a live view says of a run in words and a table, where no script can draw it. Pure."""

from __future__ import annotations

from collections import Counter

from jupyterlab_tir.in_words import number_of
from jupyterlab_tir.viewing.wire import Snapshot

from .html import live_html
from .publishing import Bundle
from .wording import rows

MOST_NOTICES = 4


def waiting_bundle(phase: str, seconds: float) -> Bundle:
    """What is shown before a run has begun.

    >>> waiting_bundle("Asking the server", 2.04)["text/plain"]
    'TIR run: Asking the server · 2.0 s'
    """
    return _bundle(f"{phase} · {seconds:.1f} s")


def live_bundle(shown: Snapshot, seconds: float, *, stopping: bool = False) -> Bundle:
    """A run that goes on: one line of numbers, and the votes so far."""
    return _bundle(live_line(shown, seconds, stopping=stopping), shown)


def live_line(shown: Snapshot, seconds: float, *, stopping: bool = False) -> str:
    """The numbers of a run that goes on, and what its samples do."""
    doing = Counter(each.doing for each in shown.samples if each.doing != "ended")
    work = ", ".join(f"{count} {what}" for what, count in sorted(doing.items()))
    idle = "Counting" if shown.samples else "Starting"
    parts = [
        "Stopping" if stopping else work or idle,
        f"{len(shown.samples) - doing.total()} finished",
        f"{doing.total()} running",
        f"{shown.planned} planned",
        number_of(shown.tokens, "token"),
        f"{seconds:.1f} s",
    ]
    return " · ".join(parts)


def _bundle(line: str, shown: Snapshot | None = None) -> Bundle:
    votes, notices = ([], ()) if shown is None else (rows(shown), shown.notices[-MOST_NOTICES:])
    return {"text/html": live_html(line, votes, notices), "text/plain": f"TIR run: {line}"}
