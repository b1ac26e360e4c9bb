"""Reading a server's or an installer's log: what it is doing now, and what it died of.

Pure functions over lines and one that reads the end of a file; knows vLLM's and pip's line formats.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TAIL_BYTES = 64 * 1024
MAX_SHOWN = 200

_PREFIX = re.compile(
    r"^(?:\([^)]*pid=\d+\)\s*)*"  # (EngineCore pid=12)
    r"(?:(?:DEBUG|INFO|WARNING|ERROR)\s+)?"
    r"(?:\d\d-\d\d \d\d:\d\d:\d\d )?"
    r"(?:\[[\w.\-/]+:\d+\]\s?)?"
)
_STAGE = re.compile(r"\bINFO\b|^(?:Collecting|Downloading|Installing|Processing|Successfully)\b")
_ERROR = re.compile(
    r"^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt)|ERROR|error|[\w.\-]+: error): *\S"
    r"|: No module named "
    r"|^supervisor: .*(?:killed|SIG(?:KILL|SEGV|ILL|BUS|ABRT))"
)
# Says only that something else went wrong, which an earlier line tells.
_CONSEQUENCE = re.compile(r"root cause|CancelledError|pip's dependency resolver")
# pydantic tells what is wrong on the line below.
_TOLD_BELOW = re.compile(r"validation errors? for \w+$")


def read_tail(path: Path, start: int = 0) -> list[str]:
    """Last lines of a log, at most 64 KiB of it; empty if there is none yet.

    Parameters
    ----------
    path
        The log.
    start
        Position in bytes before which nothing is read.
    """
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(start, file.tell() - TAIL_BYTES))
            text = file.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    return [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]


def plain(line: str) -> str:
    """`line` without its process, level, time and place, at most 200 characters.

    >>> plain("(EngineCore pid=7) INFO 11-29 18:59:06 [cpu_worker.py:20] Loading weights")
    'Loading weights'
    """
    text = _PREFIX.sub("", line, count=1).strip()
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def last_stage(lines: Sequence[str]) -> str | None:
    """What the program said last about its progress; None if nothing yet."""
    for line in reversed(lines):
        text = plain(line)
        # vLLM's banner is drawn with block characters.
        if _STAGE.search(line) and re.search(r"[A-Za-z]{3}", text) and not re.search("[▀▄█]", text):
            # vLLM's dump of its arguments says nothing of its progress.
            if text.startswith("non-default args"):
                continue
            # pip adds where it read each requirement.
            return text.partition(" (from ")[0]
    return None


def last_error(lines: Sequence[str]) -> str | None:
    """The line that says best what went wrong; None for an empty log.

    The last error that is not merely the consequence of an earlier one, else the last line.
    """
    told = [plain(line) for line in lines]
    errors = [index for index, text in enumerate(told) if _ERROR.search(text)]
    causes = [index for index in errors if not _CONSEQUENCE.search(told[index])]
    if not causes:
        return told[(errors or [-1])[-1]] if told else None
    cause = causes[-1]
    if _TOLD_BELOW.search(told[cause]) and cause + 1 < len(told):
        return told[cause + 1]
    return told[cause]
