"""Reading records, whole or cut short, and counting their votes again. No server is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from .. import paths
from ..errors import RecordError
from ..events import SCHEMA, AnyEvent, RunEnded, RunStarted, SampleEnded
from ..voting import SampleOutcome, Tally, tally


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
    """

    path: Path
    started: RunStarted
    events: tuple[AnyEvent, ...]
    cut_short: bool

    @property
    def ended(self) -> RunEnded | None:
        """The last event of a run that came to its end."""
        last = self.events[-1]
        return last if isinstance(last, RunEnded) else None

    @property
    def outcomes(self) -> tuple[SampleOutcome, ...]:
        """Outcomes of the samples that had ended, in order of finishing."""
        return tuple(event.outcome for event in self.events if isinstance(event, SampleEnded))

    def replay(self) -> Tally:
        """Count the votes again from the ballots alone."""
        settings = self.started.settings
        return tally(self.outcomes, planned=settings["samples"], w_code=settings["w_code"])


_decoder = msgspec.json.Decoder(AnyEvent)


def read_record(path: Path) -> Record:
    """Read a record; a last line that was being written when the process died is left out.

    Raises
    ------
    RecordError
        If there is no such file, it is damaged before its last line, or of a newer form.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise RecordError(f"The record {path} cannot be read ({error.strerror}).") from None
    events = _decode_all(path, lines)
    if not events or not isinstance(events[0], RunStarted):
        raise RecordError(f"The record {path} holds no run: its process died at once.")
    return Record(
        path=path,
        started=events[0],
        events=tuple(events),
        cut_short=not isinstance(events[-1], RunEnded),
    )


def _decode_all(path: Path, lines: Sequence[bytes]) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            event: AnyEvent = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if number == len(lines):
                break
            raise RecordError(f"The record {path} is damaged at line {number} ({error}).") from None
        if isinstance(event, RunStarted) and event.schema > SCHEMA:
            raise RecordError(
                f"The record {path} is of form {event.schema}, and this version reads forms up to "
                f"{SCHEMA}: update jupyterlab_tir."
            )
        events.append(event)
    return events


def list_records() -> list[Path]:
    """Files of all records, the newest first."""
    return sorted(paths.records_dir().glob("*.jsonl"), reverse=True)


def find_record(name: str) -> Path:
    """Find a record by its run's id, or by a beginning of it that only one run has.

    Raises
    ------
    RecordError
        If none or several match.
    """
    found = [path for path in list_records() if path.stem.startswith(name)]
    exact = [path for path in found if path.stem == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise RecordError(f"There is no run {name!r}: `tir runs` lists them.")
    raise RecordError(f"{len(found)} runs begin with {name!r}: write more of the id.")
