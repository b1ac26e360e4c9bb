"""What is asked: the text of a problem and, optionally, an answer to check.

The text is taken literally, whatever it holds: braces, dollars, percent signs, control characters
and right-to-left marks reach the model as they were written. Faces escape what they show.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import BinaryIO

import msgspec

from .errors import UsageError

MAX_PROBLEM_CHARS = 100_000
"""Longest problem text, in characters (about 25,000 tokens of English)."""

MAX_SOURCE_BYTES = 2**24
"""Largest file of problems, in bytes."""

MAX_CLAIM_CHARS = 10_000
"""Longest claimed answer, in characters."""

# The ends of the file count as empty lines.
_SEPARATOR = re.compile(r"(?m)(?:^[ \t]*\n|\A)---[ \t]*(?:\n(?=[ \t]*(?:\n|\Z))|\Z)")
_LEADING_COMMENT = re.compile(r"\A\s*<!--.*?-->", re.DOTALL)
_AROUND = " \t\n"
_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    r"""One problem.

    Parameters
    ----------
    text
        The problem as written; at least one visible character, at most `MAX_PROBLEM_CHARS`.
    claim
        An answer to check against what the attempts conclude, as written.

    Raises
    ------
    UsageError
        If the text is empty, too long, or not encodable as UTF-8.

    Examples
    --------
    >>> Problem(text="What is $2^{10}$?", claim="1024").claim
    '1024'
    >>> Problem(text="  ")
    Traceback (most recent call last):
    jupyterlab_tir.errors.UsageError: The problem is empty: write its text.
    """

    text: str
    claim: str | None = None

    def __post_init__(self) -> None:
        _require_text(self.text, "problem", MAX_PROBLEM_CHARS)
        if self.claim is not None:
            _require_text(self.claim, "answer to check", MAX_CLAIM_CHARS)


def _visible(text: str) -> bool:
    return any(unicodedata.category(character) not in _INVISIBLE for character in text)


def _require_text(text: str, what: str, limit: int) -> None:
    if not _visible(text):
        raise UsageError(f"The {what} is empty: write its text.")
    if len(text) > limit:
        raise UsageError(
            f"The {what} has {len(text):,} characters, and at most {limit:,} are read: "
            "leave out what the model does not need."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The {what} is not valid text at character {error.start + 1}: save it as UTF-8."
        ) from None


def read_problems(source: bytes, name: str) -> list[Problem]:
    r"""Split a text into its problems.

    A file is one problem, unless a line `---` between empty lines divides it. An HTML comment at
    the beginning of a problem is for human readers and left out; all else is taken literally.

    Parameters
    ----------
    source
        The bytes of the file or of standard input, UTF-8.
    name
        What to call it in an error.

    Examples
    --------
    >>> [p.text for p in read_problems(b"<!-- easy -->\nWhat is 1+1?\n\n---\n\nAnd 2+2?\n", "f.md")]
    ['What is 1+1?', 'And 2+2?']
    """
    try:
        # Not "utf-8-sig", whose errors count bytes from behind the mark.
        text = source.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text (byte {error.start + 1}): save it as UTF-8."
        ) from None
    text = text.replace("\r\n", "\n")
    parts = [_LEADING_COMMENT.sub("", part).strip(_AROUND) for part in _SEPARATOR.split(text)]
    written = [part for part in parts if _visible(part)]
    if not written:
        raise UsageError(f"{name} holds no problem: write its text.")
    return [Problem(text=part) for part in written]


def read_source(stream: BinaryIO, name: str) -> bytes:
    """Read a file of problems that may have no end, such as a device; `name` is for the error."""
    source = stream.read(MAX_SOURCE_BYTES + 1)
    if len(source) > MAX_SOURCE_BYTES:
        raise UsageError(
            f"{name} holds more than {MAX_SOURCE_BYTES:,} bytes: name a file with problems."
        )
    return source


def read_problem_file(path: Path) -> list[Problem]:
    """Read the problems of a UTF-8 file; see `read_problems` for how they are divided."""
    try:
        with path.open("rb") as stream:
            source = read_source(stream, str(path))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{path} cannot be read ({reason}): name a file with a problem.") from None
    return read_problems(source, str(path))
