"""Reading the lines of a record: their events, and whether a run can have written them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import msgspec

from ..errors import RecordError, UsageError
from ..events import (
    SCHEMA,
    AnyEvent,
    PlanChanged,
    RunContinued,
    RunStarted,
    SampleEnded,
    SampleStarted,
)

MOST_SAMPLES = 1024
"""Samples of one run; the range of the setting."""

DECODER = msgspec.json.Decoder(AnyEvent)


class _Head(msgspec.Struct, frozen=True):
    """What can be read of an event of any form."""

    type: str = ""
    schema: int = 0


_head_decoder = msgspec.json.Decoder(_Head)
_KNOWN = frozenset(each.__struct_config__.tag for each in get_args(AnyEvent))


def decode_lines(path: Path, lines: Sequence[bytes]) -> list[AnyEvent]:
    """Decode the lines of a record; a last one that was being written is left out.

    Raises
    ------
    RecordError
        If one before it is damaged, or was written by a newer version.
    """
    events: list[AnyEvent] = []
    begun: set[int] = set()
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            event: AnyEvent = DECODER.decode(line)
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
        if wrong := _impossible(event, begun):
            raise RecordError(f"The record {path} is damaged at line {number}: {wrong}.")
        events.append(event)
    return events


def _impossible(event: AnyEvent, begun: set[int]) -> str:
    """What no run writes, in words, or nothing; keeps up the samples that have begun."""
    if isinstance(event, (PlanChanged, RunContinued)) and not 1 <= event.planned <= MOST_SAMPLES:
        return f"no run plans {event.planned:,} samples"
    sample = event.outcome.sample if isinstance(event, SampleEnded) else _sample_of(event)
    if sample is None:
        return ""
    if not 0 <= sample < MOST_SAMPLES:
        return f"no sample has the number {sample:,}"
    if isinstance(event, SampleStarted):
        begun.add(sample)
    elif sample not in begun:
        return f"sample {sample} goes on before it began"
    return ""


def _sample_of(event: AnyEvent) -> int | None:
    return getattr(event, "sample", None)


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
