"""What `tir replay` prints: recorded runs, voted on again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from ..config import read_setting
from ..config.stop_rules import parse_stop
from ..errors import RecordError
from ..record import Revote, revote
from .console import text_console
from .plain import one_line, plain
from .streams import write_json_line

NO_ANSWER = "no answer"
ANSWER_CHARS = 24
PROBLEM_CHARS = 40
HEADINGS = ("run", "problem", "recorded", "now", "samples", "rule")


class NotReplayed(msgspec.Struct, frozen=True):
    """A run that could not be voted on again, as it was named, and why."""

    run: str
    error: str


def replay_all(runs: Sequence[str], options: Mapping[str, Any]) -> list[Revote | NotReplayed]:
    """Vote again over each run; what is wrong with one does not keep the others from it.

    Raises
    ------
    UsageError
        If an option cannot be used: that is no run's fault.
    """
    read: dict[str, Any] = {
        name: read_setting(name, value) for name, value in options.items() if value is not None
    }
    if "stop" in read:
        parse_stop(read["stop"], tau=1.0)
    return [_replay(run, read) for run in runs]


def _replay(run: str, options: Mapping[str, Any]) -> Revote | NotReplayed:
    try:
        return revote(run, **options)
    except RecordError as error:
        return NotReplayed(run, str(error))


def print_replayed(found: Sequence[Revote | NotReplayed], *, as_json: bool) -> None:
    """Print a row for each run and how many answers differ; or one line of JSON."""
    if as_json:
        rows = [msgspec.to_builtins(each) for each in found]
        write_json_line(json.dumps({"runs": rows}, ensure_ascii=False))
        return
    done = [each for each in found if isinstance(each, Revote)]
    console = text_console()
    if done:
        console.print(_table(done))
    for words in notes(found):
        console.print(Text(words, style="yellow"))
    console.print(Text(summary(found), style="bold"))


def _table(done: Sequence[Revote]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold", no_wrap=heading in ("run", "samples", "rule"))
    for each in done:
        table.add_row(*map(Text, row(each)), style="bold" if each.differs else "")
    return table


def row(of: Revote) -> tuple[str, ...]:
    """The cells of one run, under `HEADINGS`; its text is made safe to print."""
    now = one_line(of.answer or NO_ANSWER, ANSWER_CHARS)
    return (
        plain(of.run),
        one_line(of.problem, PROBLEM_CHARS),
        one_line(of.recorded or NO_ANSWER, ANSWER_CHARS),
        f"{now} (differs)" if of.differs else now,
        f"{of.samples} of {of.of}",
        of.decision.rule if of.decision is not None else "-",
    )


def notes(found: Sequence[Revote | NotReplayed]) -> list[str]:
    """What a reader must know of single runs, and why some could not be voted on again."""
    said: dict[str, list[str]] = {}
    for each in found:
        for words in (each.error,) if isinstance(each, NotReplayed) else each.remarks:
            said.setdefault(words, []).append(each.run)
    if len(found) == 1:
        return [plain(words) for words in said]
    return [
        plain(f"{runs[0] if len(runs) == 1 else f'{len(runs)} runs'}: {words}")
        for words, runs in said.items()
    ]


def summary(found: Sequence[Revote | NotReplayed]) -> str:
    """How many answers differ, and how many runs could not be voted on again.

    Examples
    --------
    >>> summary([])
    '0 of 0 answers differ.'
    """
    done = [each for each in found if isinstance(each, Revote)]
    differing = sum(each.differs for each in done)
    words = f"{differing} of {len(done)} answers {'differs' if differing == 1 else 'differ'}."
    failed = len(found) - len(done)
    return words + (f" Not voted on again: {failed}." if failed else "")
