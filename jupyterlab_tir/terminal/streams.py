"""The standard streams, whatever the shell made of them: closed, full, of a narrow encoding.

Loaded by every command, so it imports nothing heavy.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import sys
from pathlib import Path

from .plain import UNSAFE

_NARROW = {"█": "#", "░": "-", "─": "-", "…": "~", "·": "-", "τ": "t"}
"""Signs of our own and what stands for each, of the same width, where it cannot be written."""

_READABLE = "tir-readable"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def _readable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_NARROW.get(c, f"<U+{ord(c):04X}>") for c in text), error.end


def prepare_streams() -> None:
    """Make all three streams usable; to be called before anything is read or written.

    A closed one becomes the null device, so that no file that is opened later takes its number. A
    character that the terminal's encoding lacks is written as its code point, not refused.
    """
    # Python's objects for what was closed when it started are None; a file that is opened takes the
    # lowest free number, which is theirs.
    null = Path(os.devnull)
    sys.stdin = sys.stdin or null.open(encoding="utf-8")
    sys.stdout = sys.stdout or null.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or null.open("w", encoding="utf-8")
    codecs.register_error(_READABLE, _readable)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_READABLE)


def give_up_output() -> None:
    """Send what is still to be written to the null device: its reader has gone, or it is full."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def system_error_in_words(error: OSError) -> str:
    """One sentence for what the operating system refused."""
    reason = error.strerror or type(error).__name__
    if error.filename is not None:
        return (
            f"{os.fsdecode(error.filename)} cannot be used ({reason}): mend it, or name another "
            "place with JUPYTER_DATA_DIR or JUPYTER_RUNTIME_DIR."
        )
    if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT):
        return f"The output cannot be written ({reason}): send it elsewhere."
    return f"The operating system refused what is needed ({reason}): free some of it."


def write_json_line(text: str) -> None:
    r"""Write a line of JSON; what a terminal would obey, or cannot write, is escaped as \uXXXX."""
    line = _escaped(UNSAFE, text)
    try:
        line.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        line = _escaped(_NOT_ASCII, line)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _escaped(characters: re.Pattern[str], text: str) -> str:
    # Outside of its strings JSON holds no such character.
    return characters.sub(lambda found: json.dumps(found[0])[1:-1], text)
