"""Reading records, whole or cut short, and counting their votes again. No server is needed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from .. import paths
from ..config import read_setting
from ..errors import RecordError, UsageError
from ..events import (
    AnyEvent,
    PlanChanged,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
)
from ..voting import CountingSettings, SampleOutcome, Tally, counting_settings, tally
from .decoding import DECODER, decode_lines
from .locks import is_written

MOST_CANDIDATES = 10
"""Runs that an ambiguous id lists."""

_TITLE_CHARS = 60
_HEAD_BYTES = 2**20


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A run as recorded.

    Parameters
    ----------
    path
        Its file.
    started
        Its first event.
    events
        All events, the first included.
    cut_short
        Whether the process ended before the run did.
    going_on
        Whether the run was still going on when it was read, here or in another process.
    """

    path: Path
    started: RunStarted
    events: tuple[AnyEvent, ...]
    cut_short: bool
    going_on: bool = False

    @property
    def ended(self) -> RunEnded | None:
        """The last event of a run that came to its end."""
        last = self.events[-1]
        return last if isinstance(last, RunEnded) else None

    @property
    def begun(self) -> RunStarted | RunContinued:
        """How it began, or went on for the last time: settings, sources, server, isolation."""
        for event in reversed(self.events):
            if isinstance(event, RunContinued):
                return event
        return self.started

    @property
    def continued(self) -> bool:
        """Whether it went on after an end."""
        return self.begun is not self.started

    @property
    def planned(self) -> int:
        """Samples that it meant to take, as was said last.

        Raises
        ------
        RecordError
            If its settings are not such as a run writes.
        """
        for event in reversed(self.events):
            if isinstance(event, (PlanChanged, RunContinued)):
                return event.planned
        return self._counting.samples

    @property
    def launched(self) -> int:
        """Samples that had begun; their launch indices are those from 0."""
        begun = [
            event.sample if isinstance(event, SampleStarted) else event.outcome.sample
            for event in self.events
            if isinstance(event, (SampleStarted, SampleEnded))
        ]
        return max(begun, default=-1) + 1

    @property
    def outcomes(self) -> tuple[SampleOutcome, ...]:
        """Outcomes of the samples that had ended, in the order in which they were counted."""
        return tuple(event.outcome for event in self.events if isinstance(event, SampleEnded))

    @property
    def _counting(self) -> CountingSettings:
        try:
            return counting_of(self.started.settings)
        except (msgspec.ValidationError, UsageError) as error:
            raise self.uncountable(error) from None

    def replay(self) -> Tally:
        """Count the votes again from the ballots alone.

        Raises
        ------
        RecordError
            If its settings or its ballots are not such as a run writes.
        """
        policy = self._counting.policy_of_run()
        try:
            return tally(self.outcomes, planned=self.planned, policy=policy)
        except ValueError as error:
            raise self.uncountable(error) from None

    def require_same_tally(self) -> Tally:
        """Count the votes again, and refuse a record that states another tally than it holds.

        Raises
        ------
        RecordError
            If it cannot be counted, or was changed, or was written by another version.
        """
        # Counted for a run that was cut short too: what cannot be counted cannot be used.
        counted = self.replay()
        if self.ended is not None and not _same(self.ended.tally, counted):
            raise RecordError(
                f"The record {self.path} contradicts itself: its ballots, counted again, give "
                "another tally than the one that it states. It was changed or written by another "
                "version."
            )
        return counted

    def uncountable(self, error: Exception) -> RecordError:
        """What to raise where its settings or ballots are not such as a run writes."""
        return RecordError(f"The record {self.path} cannot be counted ({error}).")


def counting_of(settings: Mapping[str, Any]) -> CountingSettings:
    """Read what counts the votes from recorded settings, within the ranges that a run's have.

    Raises
    ------
    msgspec.ValidationError, UsageError
        If they are not such as a run has.
    """
    found = counting_settings(settings)
    # A number without a bound would be counted up to.
    for name in ("samples", "w_code", "max_blocks"):
        read_setting(name, getattr(found, name))
    return found


def _same(stated: Tally, counted: Tally) -> bool:
    """Whether two tallies say the same; another machine's exp may differ in the last bit."""
    return (
        [(c.key, c.samples, c.code_verified) for c in stated.candidates]
        == [(c.key, c.samples, c.code_verified) for c in counted.candidates]
        and all(
            math.isclose(one.weight, other.weight, rel_tol=1e-12)
            for one, other in zip(stated.candidates, counted.candidates, strict=True)
        )
        and stated.without_ballot == counted.without_ballot
        and (stated.planned, stated.policy) == (counted.planned, counted.policy)
    )


def read_record(path: Path) -> Record:
    """Read a record; a last line that was being written, or was when the process died, is left out.

    Raises
    ------
    RecordError
        If there is no such file, it is damaged before its last line, or written by a newer
        version.
    """
    try:
        # A pipe or a device would be read without end; a folder has its own error.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise RecordError(f"The record {path} cannot be read (it is no regular file).")
        record = decode_record(path, path.read_bytes())
        if record.ended is not None:
            return record
        if is_written(path):
            return msgspec.structs.replace(record, cut_short=False, going_on=True)
        # It may have come to its end meanwhile.
        return decode_record(path, path.read_bytes())
    except OSError as error:
        raise RecordError(f"The record {path} cannot be read ({error.strerror}).") from None


def decode_record(path: Path, written: bytes) -> Record:
    """Make a record of what is written in its file; see `read_record`."""
    events = decode_lines(path, written.split(b"\n"))
    if not events or not isinstance(events[0], RunStarted):
        raise RecordError(f"The record {path} holds no run: its process died at once.")
    return Record(
        path=path,
        started=events[0],
        events=tuple(events),
        cut_short=not isinstance(events[-1], RunEnded),
    )


def list_records() -> list[Path]:
    """Files of all records, the newest first.

    Raises
    ------
    RecordError
        If their folder neither exists nor can be made.
    """
    try:
        folder = paths.records_dir()
    except OSError as error:
        raise RecordError(
            f"The folder of records {error.filename} cannot be used ({error.strerror}): mend it, "
            "or name another data folder with JUPYTER_DATA_DIR."
        ) from None
    # A pipe of such a name would be waited for.
    return sorted((each for each in folder.glob("*.jsonl") if each.is_file()), reverse=True)


def find_record(name: str) -> Path:
    """Find a record by its run's id, or by a beginning of it that only one run has.

    Raises
    ------
    RecordError
        If none or several match; several are listed.
    """
    found = [path for path in list_records() if path.stem.startswith(name)]
    exact = [path for path in found if path.stem == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise RecordError(f"There is no run {name!r}: `tir runs` lists them.")
    listed = [f"  {_in_a_line(path)}" for path in found[:MOST_CANDIDATES]]
    if len(found) > MOST_CANDIDATES:
        listed.append(f"  … and {len(found) - MOST_CANDIDATES:,} older ones")
    words = f"{len(found)} runs begin with {name!r}: write more of the id."
    raise RecordError("\n".join([words, *listed]))


def locate_record(run: object) -> Path:
    """Find a record by its run's id, by a beginning of that, or by the path of its file.

    Parameters
    ----------
    run
        A text is taken as a path if it has a folder in it or ends in ``.jsonl``; of a `Record` it
        is its file.

    Raises
    ------
    RecordError
        If none or several match an id.
    UsageError
        If it is nothing of that kind.
    """
    if isinstance(run, Record):
        return run.path
    if not isinstance(run, (str, Path)):
        raise UsageError(
            f"The run is of type {type(run).__name__}: give its id, as a str, the path of its "
            "record, or the record."
        )
    if isinstance(run, Path) or re.search(r"/|\.jsonl\Z", run):
        return Path(run).expanduser()
    return find_record(run)


def _in_a_line(path: Path) -> str:
    """A run's id, time and the beginning of its problem; of a damaged record, its id."""
    try:
        with path.open("rb") as file:
            started = DECODER.decode(file.readline(_HEAD_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, UsageError):
        # It is only one of several, and whoever means it will be told.
        return path.stem
    if not isinstance(started, RunStarted):
        return path.stem
    text = " ".join(started.problem.text.split())
    short = text if len(text) <= _TITLE_CHARS else f"{text[: _TITLE_CHARS - 1]}…"
    return f"{path.stem}  {started.created[:16].replace('T', ' ')} UTC  {short}"
