"""Writing a run's record: one JSON object a line, as it happens.

A killed process leaves a record that can be read up to the moment of its death.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from .. import paths
from ..errors import RecordError
from ..events import LIVE_ONLY, Event


class RecordWriter:
    """Appends the events of one run to its file (mode 0600).

    Parameters
    ----------
    run_id
        Names the file.
    on_failure
        Called once with a sentence if the disk takes no more; the run goes on unrecorded.

    Raises
    ------
    RecordError
        If the file cannot be made.
    """

    def __init__(self, run_id: str, on_failure: Callable[[str], None]) -> None:
        self._on_failure = on_failure
        self._encoder = msgspec.json.Encoder()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            self.path: Path = paths.records_dir() / f"{run_id}.jsonl"
            self._file: int | None = os.open(self.path, flags, 0o600)
        except OSError as error:
            raise RecordError(
                f"The run's record {error.filename} cannot be made ({error.strerror}): make room "
                "for it, or name another data folder with JUPYTER_DATA_DIR."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    def write(self, event: Event) -> None:
        """Append an event as one line, in one write where the disk allows it."""
        if self._file is None or isinstance(event, LIVE_ONLY):
            return
        line = memoryview(self._encoder.encode(event) + b"\n")
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            self._close()
            self._on_failure(f"The record {self.path} ends here: {error.strerror}.")

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
