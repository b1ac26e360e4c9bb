"""Reading records, whole or cut short, and counting their votes again. No server is needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, get_args

import msgspec
from msgspec import Meta

from .. import paths
from ..errors import RecordError, UsageError
from ..events import SCHEMA, AnyEvent, RunEnded, RunStarted, SampleEnded
from ..voting import USUAL_POLICY, PolicyName, SampleOutcome, Tally, policy_named, tally


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
        """Count the votes again from the ballots alone.

        Raises
        ------
        RecordError
            If its settings or its ballots are not such as a run writes.
        """
        try:
            rule = msgspec.convert(self.started.settings, _CountingRule)
            policy = policy_named(rule.policy, w_code=rule.w_code)
            return tally(self.outcomes, planned=rule.samples, policy=policy)
        except (msgspec.ValidationError, ValueError) as error:
            raise RecordError(f"The record {self.path} cannot be counted ({error}).") from None


class _CountingRule(msgspec.Struct, frozen=True):
    """Those of a run's settings that its tally depends on."""

    samples: Annotated[int, Meta(ge=1)]
    w_code: Annotated[float, Meta(ge=1)]
    policy: PolicyName = USUAL_POLICY


class _Head(msgspec.Struct, frozen=True):
    """What can be read of an event of any form."""

    type: str = ""
    schema: int = 0


_decoder = msgspec.json.Decoder(AnyEvent)
_head_decoder = msgspec.json.Decoder(_Head)
_KNOWN = frozenset(each.__struct_config__.tag for each in get_args(AnyEvent))


def read_record(path: Path) -> Record:
    """Read a record; a last line that was being written when the process died is left out.

    Raises
    ------
    RecordError
        If there is no such file, it is damaged before its last line, or written by a newer
        version.
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
        except (msgspec.DecodeError, UnicodeDecodeError, UsageError) as error:
            if number == len(lines):
                break
            _require_known_form(path, line, number)
            raise RecordError(f"The record {path} is damaged at line {number} ({error}).") from None
        if event.seq != len(events):
            raise RecordError(
                f"The record {path} is damaged at line {number}: event {len(events)} is missing."
            )
        if isinstance(event, RunStarted):
            _require_known_form(path, line, number)
        events.append(event)
    return events


def _require_known_form(path: Path, line: bytes, number: int) -> None:
    """Tell a line of a newer version from a damaged one."""
    try:
        head = _head_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
    if head.schema > SCHEMA:
        raise RecordError(
            f"The record {path} is of form {head.schema}, and this version reads forms up to "
            f"{SCHEMA}: update jupyterlab_tir."
        )
    if head.type and head.type not in _KNOWN:
        raise RecordError(
            f"The record {path} holds an event that this version does not know, "
            f"{head.type!r} at line {number}: update jupyterlab_tir."
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
        If none or several match.
    """
    found = [path for path in list_records() if path.stem.startswith(name)]
    exact = [path for path in found if path.stem == name]
    if len(exact or found) == 1:
        return (exact or found)[0]
    if not found:
        raise RecordError(f"There is no run {name!r}: `tir runs` lists them.")
    raise RecordError(f"{len(found)} runs begin with {name!r}: write more of the id.")
