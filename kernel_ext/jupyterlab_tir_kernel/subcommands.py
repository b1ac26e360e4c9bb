"""`%tir config | status | runs | show | replay | continue | stop | help`, as in a terminal.

All but `continue` and `stop` only read settings, records and the server.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable

import msgspec

from jupyterlab_tir.config import ResolvedConfig, resolve, settings
from jupyterlab_tir.config.recorded import REVOTING
from jupyterlab_tir.errors import NoServerError, TirError, UsageError

from .cell import current_shell
from .faults import in_one_line
from .options import parse_settings, split_line
from .publishing import publish
from .session import session_values
from .tables import show_table, show_text
from .usage import help_text

USAGE = (
    "%tir config | status | runs | show ID [--trace] | replay ID… [--SETTING VALUE]… | "
    "continue ID [--samples +16] [--SETTING VALUE]… | stop [ID] | help"
)
ORDER = (
    "The first source that has a value wins: option, session (%config TIR), environment (TIR_*, "
    "then OPENAI_BASE_URL), settings file, default."
)
LISTED_RUNS = 20


def run_line(line: str) -> object:
    """Carry out a `%tir` line; returns the result of a run that goes on, and None otherwise.

    Raises
    ------
    TirError
        If it cannot be carried out; shown as one line.
    """
    try:
        name, *words = split_line(line) or ["help"]
        if name not in COMMANDS:
            close = difflib.get_close_matches(name, COMMANDS, n=1)
            advice = f"did you mean %tir {close[0]}? " if close else ""
            raise UsageError(f"{name!r} is not a command of %tir: {advice}Usage: {USAGE}")
        return COMMANDS[name](words)
    except TirError as error:
        raise in_one_line(error) from None


def _resolved(words: list[str], command: str) -> ResolvedConfig:
    given = parse_settings(words, f"%tir {command} [--SETTING VALUE]…")
    if given.pop("help", False):
        raise UsageError(f"Usage: %tir {command} [--SETTING VALUE]…; `%tir help` says more.")
    return resolve(given, session=session_values(current_shell()))


def _config(words: list[str]) -> None:
    from jupyterlab_tir.terminal.overview import key_state  # noqa: PLC0415 - loads rich

    resolved = _resolved(words, "config")
    values = msgspec.to_builtins(resolved.config)
    rows = []
    for setting in settings():
        shown = "-" if values[setting.name] in (None, "") else str(values[setting.name])
        if setting.name == "api_key_env":
            shown += f" ({key_state(resolved.config.api_key_env)})"
        rows.append((setting.name, shown, resolved.sources[setting.name], setting.allowed))
    show_table(("setting", "value", "source", "allowed"), rows, ORDER)


def _status(words: list[str]) -> None:
    from jupyterlab_tir.solving import describe_server  # noqa: PLC0415 - loads the engine
    from jupyterlab_tir.terminal.overview import status_rows  # noqa: PLC0415 - loads rich

    from .waiting import refuse_while_loading, started_server  # noqa: PLC0415 - the same

    resolved = _resolved(words, "status")
    server = started_server(resolved)
    try:
        info, isolation = describe_server(resolved)
    except NoServerError as error:
        raise refuse_while_loading(server, error) from None
    show_table((), status_rows(info, isolation, resolved.config.api_key_env))


def _runs(words: list[str]) -> None:
    from jupyterlab_tir.record import list_records  # noqa: PLC0415 - loads the engine
    from jupyterlab_tir.terminal.overview import run_row  # noqa: PLC0415 - loads rich
    from jupyterlab_tir.terminal.plain import one_line  # noqa: PLC0415 - the same

    if words:
        raise UsageError(f"%tir runs takes no {words[0]}: write it alone. Usage: {USAGE}")
    found = [run_row(path) for path in list_records()[:LISTED_RUNS]]
    if not found:
        show_text("No run has been recorded yet.")
        return
    rows = [
        (
            row["run"],
            row["status"],
            one_line(row["answer"] or "-", 24),
            row["samples"],
            one_line(row["problem"], 60),
        )
        for row in found
    ]
    show_table(("run", "ended", "answer", "samples", "problem"), rows)


def _show(words: list[str]) -> None:
    from jupyterlab_tir.record import read_record  # noqa: PLC0415 - loads the engine
    from jupyterlab_tir.record.reader import locate_record  # noqa: PLC0415 - the same

    from .bundle import static_bundle  # noqa: PLC0415 - the same
    from .static_run import of_events  # noqa: PLC0415 - the same

    names = [word for word in words if word != "--trace"]
    if len(names) != 1 or names[0].startswith("-"):
        raise UsageError(
            "%tir show needs one run's id, or its beginning: `%tir runs` lists them. "
            "Usage: %tir show ID [--trace]"
        )
    record = read_record(locate_record(names[0]))
    record.require_same_tally()
    publish(static_bundle(of_events(record.events, going_on=record.going_on)))
    if "--trace" in words:
        rows = [
            (
                f"{event.at_s:.2f}",
                event.kind,
                event.decided_by,
                event.title,
                event.detail[:200],
                *("" if n is None else f"{n:,.0f}" for n in (event.tokens_in, event.tokens_out)),
                "" if event.ms is None else f"{event.ms:,.0f}",
            )
            for event in record.events
        ]
        headings = ("s", "kind", "decided by", "event", "detail", "tokens in", "out", "ms")
        show_table(headings, rows)


def _replay(words: list[str]) -> None:
    from jupyterlab_tir.record import Revote  # noqa: PLC0415 - the same
    from jupyterlab_tir.terminal.replaying import (  # noqa: PLC0415 - loads the engine and rich
        HEADINGS,
        notes,
        replay_all,
        row,
        summary,
    )

    names = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    options = parse_settings(words[len(names) :], f"%tir replay ID… [--{' --'.join(REVOTING)}]")
    other = [name for name in options if name not in REVOTING]
    if not names or other:
        raise UsageError(
            "%tir replay needs the ids of runs, or their beginnings, and then at most the options "
            f"{', '.join(REVOTING)}: `%tir runs` lists the runs."
        )
    found = replay_all(names, options)
    rows = [row(each) for each in found if isinstance(each, Revote)]
    show_table(HEADINGS, rows, " ".join([*notes(found), summary(found)]))


def _continue(words: list[str]) -> object:
    from .continuing import continue_blocking  # noqa: PLC0415 - with its first use

    return continue_blocking(words)


def _stop(words: list[str]) -> None:
    from .stopping import stop_runs  # noqa: PLC0415 - loads the engine

    if len(words) > 1 or any(word.startswith("-") for word in words):
        raise UsageError(
            "%tir stop takes one run's id, or its beginning, or nothing for all runs of this "
            "kernel. Usage: %tir stop [ID]"
        )
    show_text(stop_runs(words[0] if words else None))


def _help(_: list[str]) -> None:
    show_text(help_text())


COMMANDS: dict[str, Callable[[list[str]], object]] = {
    "config": _config,
    "status": _status,
    "runs": _runs,
    "show": _show,
    "replay": _replay,
    "continue": _continue,
    "stop": _stop,
    "help": _help,
}
"""Each command of `%tir` by its name; it is given the words behind that."""
