"""What `tir config`, `status`, `runs` and `show` print, for people and as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from ..config import ResolvedConfig, settings
from ..errors import TirError
from ..events import RunContinued, ServerInfo
from ..record import Record, list_records, locate_record, read_record
from ..solving import Isolation, describe_server
from ..viewing.projection import Projection
from .console import text_console
from .isolation import isolation_rows
from .plain import one_line, plain
from .render import final_view, trace_table
from .streams import write_json_line

TURN_CHARS = 4000


def _print_json(value: Any) -> None:  # noqa: ANN401 - anything that JSON holds
    write_json_line(json.dumps(value, ensure_ascii=False))


def key_state(variable: str) -> str:
    """Say whether the API key's variable is set, never what it holds."""
    return "set" if os.environ.get(variable) else "not set"


def print_config(resolved: ResolvedConfig, *, as_json: bool) -> None:
    """Print every setting, its value and its source."""
    values = msgspec.to_builtins(resolved.config)
    if as_json:
        _print_json(
            {
                setting.name: {
                    "value": values[setting.name],
                    "source": resolved.sources[setting.name],
                    "default": setting.default,
                    "allowed": setting.allowed,
                    "environment": setting.environment,
                }
                for setting in settings()
            }
        )
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("setting", "value", "source", "allowed"):
        table.add_column(heading, overflow="fold")
    for setting in settings():
        value, source = values[setting.name], resolved.sources[setting.name]
        shown = "-" if value in (None, "") else str(value)
        if setting.name == "api_key_env":
            shown += f" ({key_state(resolved.config.api_key_env)})"
        style = "dim" if source == "default" else "bold"
        table.add_row(
            setting.name, Text(plain(shown)), Text(plain(source), style=style), setting.allowed
        )
    text_console().print(table)


def print_status(resolved: ResolvedConfig, *, as_json: bool) -> None:
    """Print which server would be asked and how."""
    server, isolation = describe_server(resolved)
    key = resolved.config.api_key_env
    if as_json:
        _print_json(
            {
                **msgspec.to_builtins(server),
                "isolation": isolation.level,
                "isolation_offered": list(isolation.offered),
                "isolation_lacks": dict(isolation.lacks),
                "isolation_refusal": isolation.refusal,
                "api_key_env": key,
                "api_key_set": bool(os.environ.get(key)),
            }
        )
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in status_rows(server, isolation, key):
        table.add_row(name, Text(plain(value)))
    text_console().print(table)


def status_rows(server: ServerInfo, isolation: Isolation, key: str) -> list[tuple[str, str]]:
    """What is known of a server and of the isolation of code, as pairs of a name and words.

    Parameters
    ----------
    server, isolation
        As `describe_server` returns them.
    key
        Name of the API key's environment variable.
    """
    context = f"{server.context:,} tokens" if server.context else "not told by the server"
    return [
        ("server", f"{server.base_url} ({server.source})"),
        (
            "product",
            f"{server.product} {server.version}" if server.product == "vLLM" else "not vLLM",
        ),
        ("model", server.model + (", thinks before it answers" if server.reasoning else "")),
        ("context", context),
        ("dialect", f"{server.dialect}: {server.dialect_reason}"),
        ("API key", f"{key} ({key_state(key)})"),
        *isolation_rows(isolation),
    ]


def print_runs(most: int, *, as_json: bool) -> None:
    """List the newest records; one that cannot be read is listed as such."""
    rows = [run_row(path) for path in list_records()[:most]]
    if as_json:
        _print_json(rows)
        return
    if not rows:
        text_console().print("No run has been recorded yet.")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("run", "ended", "answer", "samples", "problem"):
        # A part of an id is of no use, and one that is broken over two lines cannot be copied.
        table.add_column(heading, overflow="fold", no_wrap=heading in ("run", "ended"))
    for row in rows:
        table.add_row(
            Text(plain(row["run"])),
            row["status"],
            Text(one_line(row["answer"] or "-", 24)),
            row["samples"],
            Text(one_line(row["problem"], 60)),
        )
    text_console().print(table)


def run_row(path: Path) -> dict[str, Any]:
    """One recorded run in a few words: run, status, answer, samples, problem."""
    try:
        record = read_record(path)
        counted = record.replay()
    except TirError as error:
        # Also of a problem in it that none may be: one bad record must not hide the others.
        return {
            "run": path.stem,
            "status": "unreadable",
            "answer": None,
            "samples": "",
            # Its row names the file; of a long path the reason would not be seen.
            "problem": str(error).replace(str(path), path.name),
        }
    leader = counted.leader
    return {
        "run": path.stem,
        "status": _status(record),
        "answer": leader.shown if leader else None,
        "samples": f"{counted.finished} of {counted.planned}",
        "problem": record.started.problem.text,
    }


def _status(record: Record) -> str:
    if record.ended is not None:
        return record.ended.status
    return "still going on" if record.going_on else "cut short"


def print_run(name: str, *, trace: bool, as_json: bool) -> None:
    """Redraw a recorded run, its votes counted again; `name` is its id, or its record's path."""
    record = read_record(locate_record(name))
    record.require_same_tally()
    if as_json:
        _print_json(
            {
                "run": record.path.stem,
                "cut_short": record.cut_short,
                "going_on": record.going_on,
                "started": msgspec.to_builtins(record.started),
                "continued": [
                    msgspec.to_builtins(event)
                    for event in record.events
                    if isinstance(event, RunContinued)
                ],
                "tally": msgspec.to_builtins(record.replay()),
                "ended": msgspec.to_builtins(record.ended),
            }
        )
        return
    made = Projection()
    for event in record.events:
        made.take(event)
    console = text_console()
    console.print(Text(plain(record.started.problem.text)))
    if trace:
        console.print(trace_table(record.events))
    console.print(final_view(made, going_on=record.going_on))
