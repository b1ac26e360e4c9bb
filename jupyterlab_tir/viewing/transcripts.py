"""A sample's transcript: text, code, result and error in order, as segments. Pure."""

from __future__ import annotations

import re

import msgspec

from ..events import CodeEnded, CodeStarted, TextStreamed, TurnEnded
from .clipping import clip_middle
from .wire import SegmentKind, ViewSegment, ViewTranscript

LIVE_CHARS = 100_000
"""Most characters of one segment on the wire; its head and its tail are kept."""

# What remains of a code block's fence once the code is cut from the text around it.
_FENCE_END = re.compile(r"\s*(?:`{3,}|~{3,})[^\n`]*\n?\Z")


class Segment(msgspec.Struct):
    """A piece of a transcript; text that streams in is kept in parts."""

    kind: SegmentKind
    turn: int
    parts: list[str]
    ms: float | None = None
    status: str = ""
    streaming: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        if len(self.parts) > 1:
            self.parts = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""

    def frozen(self) -> Segment:
        """A copy of it as it is now."""
        return msgspec.structs.replace(self, parts=[self.text])

    def shown(self, most: int = LIVE_CHARS) -> ViewSegment:
        """As a page sees it, cut to so many characters."""
        text, chars = clip_middle(self.text, most)
        return ViewSegment(
            kind=self.kind,
            turn=self.turn,
            text=text,
            chars=chars,
            ms=self.ms,
            status=self.status,
            streaming=self.streaming,
        )


class Transcript:
    """One sample's transcript so far; feed it the sample's events in order.

    Attributes
    ----------
    segments
        In order.
    revision
        Grows whenever anything changes but for text that is appended to the last segment.
    """

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.revision = 0
        self._turn_begins = 0

    def stream(self, event: TextStreamed) -> None:
        """Take text that just arrived."""
        kind: SegmentKind = "reasoning" if event.reasoning else "text"
        last = self.segments[-1] if self.segments else None
        if last is not None and last.streaming and (last.kind, last.turn) == (kind, event.turn):
            last.parts.append(event.text)
            return
        if last is not None:
            last.streaming = False
        self.segments.append(
            Segment(kind=kind, turn=event.turn, parts=[event.text], streaming=True)
        )
        self.revision += 1

    def end_turn(self, event: TurnEnded) -> None:
        """Put the whole text of a turn, or of its last attempt, in place of what streamed in."""
        del self.segments[self._turn_begins :]
        said: list[tuple[SegmentKind, str]] = [
            ("reasoning", event.reasoning),
            ("text", event.text),
        ]
        self.segments += [
            Segment(kind=kind, turn=event.turn, parts=[text]) for kind, text in said if text.strip()
        ]
        if event.finish == "lost":
            words = event.finish_detail or "The server was lost in this turn."
            self._add("error", event.turn, words)
        # A lost turn may be asked again; then its next attempt replaces it.
        if event.finish != "lost":
            self._turn_begins = len(self.segments)
        self.revision += 1

    def start_code(self, event: CodeStarted) -> None:
        """Divide the code from the text that it was written in."""
        last = self.segments[-1] if self.segments else None
        if last is not None and last.kind == "text" and last.turn == event.turn:
            at = last.text.rfind(event.code.strip())
            if at >= 0 and event.code.strip():
                before = _FENCE_END.sub("", last.text[:at])
                last.parts = [before]
                if not before.strip():
                    self.segments.pop()
        self._add("code", event.turn, event.code.strip("\n"))
        self._turn_begins = len(self.segments)
        self.revision += 1

    def end_code(self, event: CodeEnded) -> None:
        """Add what running it gave."""
        result = event.result
        ms = round(result.duration_s * 1000, 1)
        for segment in reversed(self.segments):
            if segment.kind == "code":
                segment.ms, segment.status = ms, "" if result.status == "ok" else str(result.status)
                break
        failed = result.status != "ok"
        printed = "\n".join(
            part for part in (result.stdout.rstrip("\n"), result.value or "") if part
        )
        if printed or not failed:
            self._add("result", event.turn, printed)
        if failed:
            self._add("error", event.turn, result.text_for_model().removeprefix(printed).strip())
        self._turn_begins = len(self.segments)
        self.revision += 1

    def close(self) -> None:
        """Say that nothing more comes."""
        if self.segments and self.segments[-1].streaming:
            self.segments[-1].streaming = False
            self.revision += 1

    def _add(self, kind: SegmentKind, turn: int, text: str) -> None:
        self.segments.append(Segment(kind=kind, turn=turn, parts=[text]))

    def shown(self, sample: int, most: int = LIVE_CHARS, *, start: int = 0) -> ViewTranscript:
        """The transcript from one segment on, each cut to so many characters."""
        segments = tuple(each.shown(most) for each in self.segments[start:])
        return ViewTranscript(sample=sample, segments=segments, start=start)

    def cut_within(self, most_chars: int = LIVE_CHARS) -> int:
        """Where segments are cut so that all together take so many characters.

        All at the same length, the greatest of `LIVE_CHARS` and its halves that does.
        """
        lengths = [len(each.text) for each in self.segments]
        most = LIVE_CHARS
        while most > 1 and sum(min(length, most) for length in lengths) > most_chars:
            most //= 2
        return most
