"""Making text that a kernel sent fit to be shown: no control characters, head and tail only.

Pure. What a kernel sends is untrusted and may be made to hurt: terminal escapes, lone surrogates
that cannot be encoded, a hundred million characters.
"""

from __future__ import annotations

import re

# CSI, OSC (to BEL or ST), other two-byte escapes; then what is left of C0 and C1, and surrogates.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# What changes the direction of text shows other words than are there.
_DIRECTIONS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Return `text` without ANSI escapes and controls, of direction too; tab and newline stay.

    Carriage returns become newlines; lone surrogates become U+FFFD.

    Examples
    --------
    >>> clean("\x1b[31mred\x1b[0m\x07 50%\r100%\r\n")
    'red 50%\n100%\n'
    >>> clean("1\u202e23")
    '123'
    """
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATES.sub("\ufffd", _DIRECTIONS.sub("", _CONTROLS.sub("", text)))


def head_and_tail(text: str, keep_chars: int, already_cut: int = 0) -> tuple[str, int]:
    r"""Keep `keep_chars` characters at each end of `text`.

    Parameters
    ----------
    text
        The text, cleaned.
    keep_chars
        Characters to keep at the head, and as many at the tail.
    already_cut
        Characters that the kernel had left out of the middle before it sent the text.

    Returns
    -------
    tuple of str and int
        The text, with a marker where something is missing, and the characters missing in all.

    Examples
    --------
    >>> head_and_tail("abcdefgh", 2)
    ('ab\n[... 4 characters cut ...]\ngh', 4)
    """
    spare = len(text) - 2 * keep_chars
    if spare <= 0 and not already_cut:
        return text, 0
    cut = max(spare, 0) + already_cut
    middle = len(text) // 2 if spare <= 0 else keep_chars
    head, tail = text[:middle], text[middle if spare <= 0 else -keep_chars :]
    return f"{head}\n[... {cut} characters cut ...]\n{tail}", cut
