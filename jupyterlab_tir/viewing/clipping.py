"""Cutting foreign text to a length that a page and a notebook can bear. Pure."""

from __future__ import annotations

import hashlib
from typing import Any

TEXT_CHARS = 1_000
KEY_CHARS = 200


def clip(text: str, most: int = TEXT_CHARS) -> str:
    r"""Cut a text at `most` characters and say how long it was; lone surrogates are replaced.

    >>> clip("abcdef", 4)
    'abcd… (6 characters)'
    >>> clip("\ud800")
    '?'
    """
    kept = text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
    return encodable(kept)


def clip_middle(text: str, most: int) -> tuple[str, int]:
    r"""Keep the head and the tail of a text; its whole length where it was cut, else 0.

    >>> clip_middle("abcdefghij", 4)
    ('ab\n… 6 characters …\nij', 10)
    >>> clip_middle("abcd", 4)
    ('abcd', 0)
    """
    if len(text) <= most:
        return encodable(text), 0
    head = (most + 1) // 2
    tail = most - head
    cut = f"{text[:head]}\n… {len(text) - most:,} characters …\n{text[len(text) - tail :]}"
    return encodable(cut), len(text)


def clip_key(key: str) -> str:
    """A candidate's key, or where it is long its beginning and a digest of all of it.

    >>> clip_key("n:42")
    'n:42'
    >>> len(clip_key("n:" + "9" * 5000))
    233
    """
    if len(key) <= KEY_CHARS:
        return encodable(key)
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{encodable(key[:KEY_CHARS])}…{digest}"


def clip_strings(value: Any) -> Any:  # noqa: ANN401 - anything that JSON holds
    """The same value with every text in it cut at `TEXT_CHARS`."""
    if isinstance(value, str):
        return clip(value)
    if isinstance(value, dict):
        return {key: clip_strings(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [clip_strings(each) for each in value]
    return value


def encodable(text: str) -> str:
    """The text with lone surrogates replaced: JSON and HTML are UTF-8, which has none."""
    return text.encode("utf-8", "replace").decode()
