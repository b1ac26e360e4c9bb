"""Waiting for a run on a thread that an interrupt can reach."""

from __future__ import annotations

from .handle import RunHandle
from .result import RunResult

STOPPING_S = 3.0
"""Seconds to wait for a run that its user interrupted."""


def wait_for(handle: RunHandle) -> RunResult:
    """Wait for the result; an interrupt stops the run first.

    Raises
    ------
    TirError
        If the run cannot begin.
    """
    try:
        return handle.result()
    except KeyboardInterrupt:
        handle.stop()
        handle.wait(STOPPING_S)
        raise
