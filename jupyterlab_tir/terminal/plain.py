"""Text from models, servers and problems, made safe to print. Pure.

A terminal obeys control characters, and bidirectional overrides reorder what a person reads; both
are shown by name instead. Letters of right-to-left scripts stay as they are.
"""

from __future__ import annotations

import re
import unicodedata

UNSAFE = re.compile(
    r"[^\S \n\t]"  # spaces but the plain ones
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]"  # controls
    r"|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e007f]"  # nothing to see, or no width of their own
    r"|[\ud800-\udfff]"  # lone surrogates
)
"""Characters that a terminal obeys or that hide from a reader."""


def plain(text: str) -> str:
    r"""Replace what a terminal would obey by its code point's name.

    Examples
    --------
    >>> plain("1\x1b[31m2")
    '1<U+001B>[31m2'
    >>> plain("a\u202eb")
    'a<U+202E>b'
    >>> plain("שלום")
    'שלום'
    """
    return UNSAFE.sub(_name, text.replace("\r\n", "\n"))


def _name(found: re.Match[str]) -> str:
    character = found[0]
    if unicodedata.category(character) == "Zs":
        return " "
    return f"<U+{ord(character):04X}>"


def one_line(text: str, width: int) -> str:
    r"""Shorten to one line of at most `width` characters.

    Examples
    --------
    >>> one_line("a  b\n c", 20)
    'a b c'
    >>> one_line("abcdefgh", 5)
    'abcd…'
    """
    read = 8 * width
    line = " ".join(plain(text[:read]).split())
    if len(line) <= width and not text[read:].strip():
        return line
    return line[: width - 1] + "…"
