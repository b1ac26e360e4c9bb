"""Run the programs that set the embedded server up (venv, pip, our scripts), telling what they do.

Runs one program at a time, its output going to one log file; knows nothing of what they are for.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from typing import TYPE_CHECKING

import msgspec

from jupyterlab_tir.errors import ServeError
from jupyterlab_tir.serving import log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from jupyterlab_tir.serving.locking import Progress

TELL_EVERY_S = 1.0
END_LIMIT_S = 5.0

_NO_SPACE = ("No space left on device", "Errno 28")
_NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "ProxyError",
    "from versions: none",
)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One program to run.

    Attributes
    ----------
    title
        What it does and how long it may take, for people.
    failed
        What could not be done, as the beginning of a sentence.
    argv
        Program and arguments.
    environment
        Its whole environment.
    """

    title: str
    failed: str
    argv: Sequence[str]
    environment: Mapping[str, str]


async def run_step(step: Step, *, log_path: Path, progress: Progress) -> None:
    """Run a step to its end; a cancellation ends the program and all it started.

    Raises
    ------
    ServeError
        If it exits with another code than 0.
    """
    begin = time.monotonic()
    progress(0.0, step.title)
    output = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    offset = os.lseek(output, 0, os.SEEK_END)
    try:
        os.write(output, f"\n== {step.title}\n".encode())
        process = await asyncio.create_subprocess_exec(
            *step.argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=dict(step.environment),
            start_new_session=True,
        )
    except OSError as error:
        raise ServeError(f"{step.failed}: {error.strerror} ({step.argv[0]}).") from error
    finally:
        os.close(output)
    try:
        await _wait(process, step, log_path, offset, progress, begin)
    finally:
        await _end(process)
    if process.returncode != 0:
        raise _failure(step, process.returncode, log_path, offset)


async def _wait(
    process: asyncio.subprocess.Process,
    step: Step,
    log_path: Path,
    offset: int,
    progress: Progress,
    begin: float,
) -> None:
    while True:
        try:
            await asyncio.wait_for(process.wait(), TELL_EVERY_S)
        except TimeoutError:
            stage = log.last_stage(log.read_tail(log_path, offset))
            progress(time.monotonic() - begin, stage or step.title)
        else:
            return


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the program's whole session if it still runs."""
    if process.returncode is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(process.wait()), END_LIMIT_S)
            return


def _failure(step: Step, code: int | None, log_path: Path, offset: int) -> ServeError:
    with log_path.open("rb") as file:
        file.seek(offset)
        text = file.read().decode("utf-8", errors="replace")
    if any(sign in text for sign in _NO_SPACE):
        return ServeError(
            f"{step.failed}: the disk is full; free about 8 GB where {log_path.parent} and the"
            " temporary folder (TMPDIR) lie, and run the same command again."
        )
    cause = log.last_error([line for line in text.splitlines() if line.strip()])
    mend = "run the same command again"
    if any(sign in text for sign in _NO_NETWORK):
        mend = (
            "check that pip reaches its package index (network, proxy, pip's configuration) and "
            + mend
        )
    return ServeError(f"{step.failed} (exit code {code}): {cause}; {mend}. Log: {log_path}")
