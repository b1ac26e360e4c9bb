"""`%tir stop`: ending the runs of this kernel, whether in the background or in a cell."""

from __future__ import annotations

import time

from jupyterlab_tir.errors import UsageError

from .following import STOPPING_S
from .hub import WatchedRun, hub


def stop_runs(beginning: str | None) -> str:
    """Stop one run of this kernel, or all that go on, and say how that went.

    They are waited for, a bounded time: what they started is gone when this returns.

    Parameters
    ----------
    beginning
        Of the run's id; None stops all.

    Raises
    ------
    UsageError
        If no such run goes on here, or several do.
    """
    runs = hub().going_on()
    if beginning is not None:
        runs = [_named(beginning, runs)]
    if not runs:
        return "No run of this kernel is going on."
    for run in runs:
        run.stop()
    until = time.monotonic() + STOPPING_S
    slow = [run for run in runs if not run.handle.wait(max(0.0, until - time.monotonic()))]
    ended = [run for run in runs if run not in slow]
    said = [f"Stopped, and what had finished is kept: {_ids(ended)}."] if ended else []
    return " ".join([*said, *([f"Slow to end: {_ids(slow)}."] if slow else [])])


def _named(beginning: str, runs: list[WatchedRun]) -> WatchedRun:
    found = [run for run in runs if run.run_id.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{beginning!r} begins several runs: write one of {_ids(found)}.")
    what = f"These go on: {_ids(runs)}." if runs else "None is going on."
    raise UsageError(f"No run of this kernel that goes on begins with {beginning!r}. {what}")


def _ids(runs: list[WatchedRun]) -> str:
    return ", ".join(run.run_id for run in runs)
