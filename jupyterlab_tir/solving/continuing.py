"""Continuing a recorded run with more samples: which settings it goes on with.

What votes depend on stays as recorded; what only costs time or room may be given anew. The
environment and the settings file say no more than how the server is reached.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from .. import __version__
from ..config import Config, ResolvedConfig, check, read_setting, resolve
from ..config.recorded import FREE
from ..errors import RecordError, UsageError
from ..in_words import number_of
from ..record import HeldRecord, Record, locate_record
from ..record.decoding import MOST_SAMPLES
from .earlier import Difference, Earlier, refuse
from .engine import engine
from .handle import RunHandle
from .journal import Journal
from .result import RunResult
from .run import Run
from .waiting import wait_for

RECORDED = "record"
"""The source of a setting that is as it was."""

STOP = "none"
"""The stop rule of a run that goes on, if nothing else is said: its user asked for more samples."""

_MOST_SHOWN = 40
_MOST_READ = 10**9
_SAMPLES = re.compile(r"\s*(\+?)\s*([0-9]{1,9})\s*")


class Continuation:
    """A recorded run that can go on: its settings are found, and its record is held.

    Whoever makes one starts it or leaves its context, which gives the record up.

    Parameters
    ----------
    run
        As of `continue_run`.
    options
        Settings by name, ``samples`` among them; those that are None count as not given.
    session
        Values that hold for a notebook's kernel.

    Attributes
    ----------
    resolved
        The settings that it goes on with.

    Raises
    ------
    RecordError, UsageError
        See `continue_run`.
    """

    def __init__(
        self,
        run: Record | str | Path,
        options: Mapping[str, object],
        *,
        session: Mapping[str, object] | None = None,
    ) -> None:
        with contextlib.ExitStack() as stack:
            held = stack.enter_context(HeldRecord(locate_record(run)))
            held.record.require_same_tally()
            self._earlier = Earlier(held)
            self.resolved = _resolve(self._earlier, options, session)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def start(self) -> RunHandle:
        """Go on with it, on the engine's thread; call it once."""
        journal, problem = Journal(), self._earlier.record.started.problem
        going_on = Run(problem, self.resolved, journal, self._earlier)
        handle = RunHandle(engine(), going_on, journal)
        # From here on the run gives the record up.
        self._stack.pop_all()
        return handle


def begin_continuing(run: Record | str | Path, options: Mapping[str, object]) -> RunHandle:
    """Continue a recorded run at once; see `Continuation`."""
    with Continuation(run, options) as continuation:
        return continuation.start()


def start_continuing(
    run: Record | str | Path, samples: str | int | None = None, **settings: object
) -> RunHandle:
    """Continue a recorded run and return its handle at once; see `continue_run`."""
    return begin_continuing(run, {**settings, "samples": samples})


def continue_run(
    run: Record | str | Path, samples: str | int | None = None, **settings: object
) -> RunResult:
    """Continue a recorded run with more samples and wait for the result; an interrupt stops it.

    All that the run had stands, and its record goes on. At least as many samples are taken as were
    asked for, unless the leader cannot be caught any more, or another rule is named with ``stop``.
    These are asked before the first new sample too: where they hold already, none is taken.

    Parameters
    ----------
    run
        The run's id, a beginning of that, the path of its record, or the record. What is in the
        file counts.
    samples
        ``"+16"`` for sixteen more than were begun, or a number for the whole plan. If None, the
        rest of the plan, where it has one.
    settings
        Settings that only cost time or room, such as ``parallel=32`` or ``base_url=…``; see
        `config.recorded.FREE`.

    Raises
    ------
    RecordError
        If there is no such run, it is still going on, or its record cannot be used.
    UsageError
        If a setting cannot be used as given, or anything that its votes depend on is different:
        model, server version, prompt, policy and others; the sentence names all that is.
    NoServerError
        If no server can be used.
    """
    engine().require_another_thread()
    return wait_for(start_continuing(run, samples, **settings))


def _resolve(
    earlier: Earlier, options: Mapping[str, object], session: Mapping[str, object] | None
) -> ResolvedConfig:
    """Find the settings to go on with.

    Raises
    ------
    UsageError
        If an option cannot be used, or is different where votes depend on it.
    """
    begun = earlier.record.begun
    given = {name: value for name, value in options.items() if value is not None}
    samples = _samples(given.pop("samples", None), earlier)
    read = {name: read_setting(name, value) for name, value in given.items()}
    refuse(earlier.record.started.run_id, _differences(earlier.record, read))
    if "stop" not in read and read.keys() & {"tau", "min_answers"}:
        raise UsageError(
            "tau and min_answers belong to the stop rule share, and a run goes on without it "
            "unless it is named: add the option stop with share, or leave them out."
        )
    values: dict[str, Any] = {**begun.settings, "stop": STOP, **_server(begun.settings, session)}
    values |= {name: value for name, value in read.items() if name in FREE}
    values |= {"samples": samples, "model": earlier.record.started.server.model}
    try:
        config = msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        raise RecordError(
            f"The record {earlier.record.path} holds settings that no run has ({error})."
        ) from None
    check(config)
    sources = {
        field.name: "option" if field.name in options and options[field.name] is not None
        else RECORDED
        for field in msgspec.structs.fields(Config)
    }  # fmt: skip
    return ResolvedConfig(config, sources)


def _samples(asked: object, earlier: Earlier) -> int:
    """The whole plan, from what was asked for.

    Raises
    ------
    UsageError
        If it is no number, no more than there were, or too many.
    """
    launched, planned = earlier.launched, earlier.record.planned
    if asked is None:
        if planned > launched:
            return planned
        raise UsageError(
            f"All {planned} planned samples of the run were begun: say how many more it is to "
            "take, as in --samples +16."
        )
    if isinstance(asked, int) and abs(asked) > _MOST_READ:
        # Python refuses to write integers of thousands of digits.
        asked = "a huge number"
    found = _SAMPLES.fullmatch(str(asked)) if isinstance(asked, (str, int)) else None
    if found is None or isinstance(asked, bool):
        raise UsageError(
            f"samples is {repr(asked)[:_MOST_SHOWN]}, but must be the number of samples to add, "
            f"such as +16, or that of the whole plan, above the {launched} that were begun."
        )
    number = int(found[2])
    wanted = launched + number if found[1] else number
    if wanted <= launched:
        raise UsageError(
            f"samples is {str(asked).strip()}, and {number_of(launched, 'sample')} "
            f"{'was' if launched == 1 else 'were'} begun already: name "
            "more than these, or add some, as in +16."
        )
    if wanted > MOST_SAMPLES:
        raise UsageError(
            f"samples is {str(asked).strip()}, which makes {wanted:,} with those that were begun, "
            f"and a run has {MOST_SAMPLES:,} at most: ask for fewer."
        )
    return wanted


def _differences(record: Record, given: Mapping[str, object]) -> list[Difference]:
    """What is different in the program and in the options."""
    started = record.started
    found: list[Difference] = []
    if started.version != __version__:
        found.append(("version of jupyterlab_tir", started.version, __version__))
    # What a setting left open was found when the run began.
    effective = {
        "model": started.server.model,
        "dialect": started.server.dialect,
        "temperature": started.temperature,
        "seed": started.seed,
    }
    for name, value in given.items():
        before = started.settings.get(name)
        if name not in FREE and value not in (before, effective.get(name, before)):
            found.append((name, effective.get(name, before), value))
    return found


def _server(recorded: Mapping[str, Any], session: Mapping[str, object] | None) -> dict[str, object]:
    """How the server is reached, where no option says it."""
    usual = resolve(session=session)
    found: dict[str, object] = {}
    if recorded.get("base_url") is None:
        found["base_url"] = usual.config.base_url
    if usual.sources["api_key_env"] != "default":
        found["api_key_env"] = usual.config.api_key_env
    return found
