"""How strongly a machine can confine child kernels, found by trying, and which strength to use.

A trial process (`box/trial.py`) boxes children at each level and has them try what is forbidden; a
level is offered where nothing of it happened. Versions are not read: what a container's own filter,
a security module or a kernel option takes away shows only in use.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Mapping
from typing import Literal, TypedDict, get_args

import msgspec

from jupyterlab_tir.errors import TirError

from .environment import clean_environment

Level = Literal["full+ns", "full", "nofs", "partial", "none"]
"""Strongest first; see `DESCRIPTIONS`."""

Choice = Literal["auto", "full+ns", "full", "nofs", "partial", "none", "best"]
"""What can be asked for: a level, "auto" (full or better) or "best" (whatever is offered)."""

PartialBy = Literal["seccomp", "landlock"]
"""Which of the two layers of "full" is there, where "partial" is the best that is left."""

LEVELS: tuple[Level, ...] = get_args(Level)

DESCRIPTIONS: Mapping[Level, str] = {
    "full+ns": "a machine of its own: no files but Python's and its own folder, no network, "
    "no processes, and a fixed disk",
    "full": "no files but Python's and its own folder, no network, no processes",
    "nofs": "no files at all once it runs, no network, no processes",
    "partial": "no network and no new processes, but it can read and change your files and what "
    "else runs as you",
    "none": "process limits only: it can do what you can do",
}
_PARTIAL_BY_LANDLOCK = "no files but Python's and its own folder, but network and processes"

_TRIAL_S = 20.0
_TRIAL = f"{__package__}.box.trial"
_NOT_LINUX = "only Linux has it; elsewhere child kernels have process limits, which is untested"


class SandboxError(TirError):
    """The level that was asked for is not offered by this machine."""


class Layers(TypedDict):
    """The fields of a `Box` that depend on the level."""

    namespaces: bool
    landlock: bool
    seccomp: bool
    files: bool


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine offers.

    Attributes
    ----------
    offered
        Levels, strongest first; "none" is always among them.
    lacking
        For each other level, what the machine lacks for it.
    partial
        The layer that "partial" consists of here.
    """

    offered: tuple[Level, ...]
    lacking: dict[Level, str]
    partial: PartialBy = "seccomp"


def layers(level: Level, partial: PartialBy = "seccomp") -> Layers:
    """Return what a level consists of.

    Parameters
    ----------
    level
        In force.
    partial
        `Offer.partial`, of use only for that level.

    Examples
    --------
    >>> layers("nofs")
    {'namespaces': False, 'landlock': False, 'seccomp': True, 'files': False}
    """
    full = level in {"full", "full+ns"}
    return Layers(
        namespaces=level == "full+ns",
        landlock=full or (level == "partial" and partial == "landlock"),
        seccomp=full or level == "nofs" or (level == "partial" and partial == "seccomp"),
        files=level != "nofs",
    )


def describe(level: Level, partial: PartialBy = "seccomp") -> str:
    """Return what code has at a level, in plain words.

    Parameters
    ----------
    level
        What to describe.
    partial
        `Offer.partial`, of use only for that level.

    Examples
    --------
    >>> describe("none")
    'process limits only: it can do what you can do'
    """
    if level == "partial" and partial == "landlock":
        return _PARTIAL_BY_LANDLOCK
    return DESCRIPTIONS[level]


def choose(choice: Choice, offer: Offer) -> Level:
    """Return the level to use.

    Raises
    ------
    SandboxError
        Where the machine does not offer what was chosen; says what it lacks and what else there
        is.

    Examples
    --------
    >>> choose("best", Offer(offered=("nofs", "none"), lacking={}))
    'nofs'
    """
    weakest: dict[Choice, Level] = {"auto": "full", "partial": "partial", "best": "none"}
    if choice in weakest:
        enough = LEVELS[: LEVELS.index(weakest[choice]) + 1]
        for level in offer.offered:
            if level in enough:
                return level
    for level in offer.offered:
        if level == choice:
            return level
    lacked = "full" if choice == "auto" else choice
    reason = next((words for level, words in offer.lacking.items() if level == lacked), "unknown")
    needed = " that is needed unless you ask for less" if choice == "auto" else ""
    raise SandboxError(
        f'This machine does not offer the sandbox level "{lacked}"{needed}: {reason}. '
        f"{_alternatives(offer)}"
    )


def _alternatives(offer: Offer) -> str:
    options = [f"{level} ({describe(level, offer.partial)})" for level in offer.offered]
    return f"The setting sandbox (--sandbox) can be: {'; '.join(options)}."


_known: Offer | None = None


async def probe() -> Offer:
    """Return what this machine offers; tried once in the life of this process.

    A trial that cannot be run or does not end offers nothing but "none", with its words, and is
    made again the next time. Safe from several event loops and threads; where two ask at once,
    both try.
    """
    global _known  # noqa: PLW0603 - one machine, one answer
    if _known is not None:
        return _known
    if sys.platform != "linux":
        return _nothing(_NOT_LINUX)
    outcome = await _try()
    if isinstance(outcome, str):
        return _nothing(outcome)
    _known = _judge(outcome)
    return _known


def _nothing(words: str) -> Offer:
    return Offer(offered=("none",), lacking={level: words for level in LEVELS if level != "none"})


def _judge(found: Mapping[str, str | None]) -> Offer:
    """Return the offer that a trial's findings amount to: words for what failed, or None."""
    by_landlock = found["seccomp"] is not None and found["landlock"] is None
    failed: dict[Level, str | None] = {
        "full+ns": found["full+ns"],
        "full": found["full"],
        "nofs": found["nofs"],
        "partial": None if by_landlock else found["seccomp"],
        "none": None,
    }
    return Offer(
        offered=tuple(level for level, words in failed.items() if words is None),
        lacking={level: words for level, words in failed.items() if words is not None},
        partial="landlock" if by_landlock else "seccomp",
    )


async def _try() -> dict[str, str | None] | str:
    """Return what a trial process found, or why there is nothing."""
    if not sys.executable:
        return "this Python does not know its own program, so no trial could be made"
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", _TRIAL),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd="/",
            env=clean_environment(os.environ),  # the one of the kernels' processes
        )
    except OSError as error:
        return f"no trial could be made: {error}"
    try:
        said, complaints = await asyncio.wait_for(process.communicate(), _TRIAL_S)
    except TimeoutError:
        return f"the trial did not end within {_TRIAL_S:g} seconds"
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()  # what it started dies with it
            await process.wait()
    try:
        return msgspec.json.decode(said, type=dict[str, str | None])
    except msgspec.DecodeError:
        words = complaints.decode(errors="replace").strip().splitlines() or ["no words"]
        return f"the trial failed with status {process.returncode}: {words[-1]}"
