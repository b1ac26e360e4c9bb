"""What of a transcript's new segments a page has already, as parts of older ones. Pure.

A turn's text streams in, is put whole in its place when the turn ends, and divided where its code
begins: a page that has it is told where it lies, not the text again.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .transcripts import Segment
from .wire import ViewCopied, ViewSegment, ViewTranscript

LEAST_CHARS = 40
"""What is shorter is told as it is: to say where it lies takes as much."""


def with_copies(
    shown: ViewTranscript, now: Sequence[Segment], told: Sequence[Segment], most: int
) -> ViewTranscript:
    """The same transcript, told to a page that holds the segments `told`.

    Parameters
    ----------
    now
        The segments of the whole transcript.
    most
        Characters at which segments are cut, in what the page has as in `shown`.
    """
    sources = [(n, each.text) for n, each in enumerate(told) if n >= shown.start]
    whole = [(n, text) for n, text in sources if LEAST_CHARS <= len(text) <= most]
    pairs = zip(shown.segments, now[shown.start :], strict=True)
    segments = tuple(
        _copied(view, segment.text, whole) if len(segment.text) <= most else view
        for view, segment in pairs
    )
    return replace(shown, segments=segments)


def _copied(view: ViewSegment, text: str, sources: Sequence[tuple[int, str]]) -> ViewSegment:
    for number, source in sources:
        if len(text) >= LEAST_CHARS and (at := source.find(text)) >= 0:
            length = len(text)
        elif text.startswith(source):
            at, length = 0, len(source)
        else:
            continue
        copied = ViewCopied(
            segment=number, at=_units(source[:at]), length=_units(source[at : at + length])
        )
        return replace(view, copied=copied, text=view.text[length:])
    return view


def _units(text: str) -> int:
    """Its length in UTF-16, in which a page counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
