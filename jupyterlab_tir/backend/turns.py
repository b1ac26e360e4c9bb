"""Reading one turn while it streams: what is said, what is only thought, where to cut it.

A reader knows nothing of servers or kernels. It gathers text, tokens and entropies from deltas and
says as early as possible that a code block closed or a completion's answer is complete, so that the
loop can close the stream there.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection
from typing import Any, Literal

import msgspec

from ..answers.extract import AnswerWatch
from ..answers.fences import Block, Closed, FenceScanner, Opened, scan
from ..answers.reasoning import strip_reasoning
from ..events import TokenEntropy
from ..voting.windows import WindowEntropies, window_entropies
from .wire import Delta

THINK_START, THINK_END = "<think>", "</think>"

CHARS_PER_TOKEN = 4
"""For an estimate where a server counts nothing."""

MOST_CHARS_PER_TOKEN = 32
"""Text that is longer than this for each token that was allowed went past the limit."""


class Cut(msgspec.Struct, frozen=True):
    """Where a turn ends although the model would go on: after a block to run, or its answer."""

    kind: Literal["code", "answer"]
    at: int
    code: str = ""


class TurnReader:
    """Gathers one turn.

    Parameters
    ----------
    scans_code
        Whether a closed Python block ends the turn.
    ends_at_answer
        Whether a complete answer line ends it (completions of base models).
    thinks
        Whether the model is known to think before it answers: then text without a reasoning field
        is held back until the closing marker, or the end, tells what it is.

    Attributes
    ----------
    entropy
        Of all tokens of the turn.
    entropies
        Of all its tokens one by one in nats, NaN where the server sent none that is readable.
    """

    def __init__(
        self,
        *,
        scans_code: bool,
        ends_at_answer: bool,
        thinks: bool,
    ) -> None:
        self._scans_code = scans_code
        self._watch = AnswerWatch() if ends_at_answer else None
        self._watch_base = 0
        self._held = thinks
        self._scanner = FenceScanner()
        self._tail = ""
        self._pieces: list[str] = []
        self._length = 0
        self._thoughts: list[str] = []
        self._thought_length = 0
        self._counted = 0
        self._usage: int | None = None
        self.entropy = TokenEntropy()
        self.entropies = array("d")
        self.prompt_tokens: int | None = None
        self.code_opened = False
        self.cut: Cut | None = None
        self.finish: str | None = None
        self._stopped_by: str | None = None

    def feed(self, delta: Delta) -> Cut | None:
        """Take what one chunk added; return where to cut the turn, once that is known."""
        self._count(delta)
        if delta.reasoning:
            self._thoughts.append(delta.reasoning)
            self._thought_length += len(delta.reasoning)
            self._release()
        if delta.finish is not None:
            self.finish = delta.finish
            self._stopped_by = delta.stopped_by
        if delta.text and self.cut is None:
            self._pieces.append(delta.text)
            self._length += len(delta.text)
            self._read(delta.text)
        return self.cut

    def end(self) -> Cut | None:
        """Read the end of the stream; a block that its last line closed is found here."""
        if self.finish != "length":
            # It did not think this time: what was held back is its reply.
            self._release()
        if self.cut is None and self._scans_code and not self._held:
            self._take(self._scanner.finish())
        return self.cut

    @property
    def tokens(self) -> int:
        """Tokens generated: as the server counts them, else as it sent them, else estimated."""
        if self._usage is not None:
            return self._usage
        if not self.tokens_estimated:
            return self._counted
        return -(-(self._length + self._thought_length) // CHARS_PER_TOKEN)

    @property
    def tokens_estimated(self) -> bool:
        """Whether `tokens` is an estimate."""
        return self._usage is None and not self._counted and bool(self._pieces or self._thoughts)

    def takes_more_than(self, tokens: int) -> bool:
        """Whether the reply went past a limit that the server was given and does not keep."""
        if self._counted:
            return self._counted > tokens
        return self._length + self._thought_length > tokens * MOST_CHARS_PER_TOKEN

    @property
    def lost_by_parser(self) -> bool:
        """Whether the server counted tokens (beyond an end-of-text) and sent nothing of them.

        A stop string that stood at the very beginning leaves nothing to send either.
        """
        nothing = not self._pieces and not self._thoughts
        return nothing and self.tokens > 1 and self._stopped_by is None

    @property
    def text(self) -> str:
        """What the model said, up to the cut, without what it thought."""
        return self._split()[1]

    @property
    def reasoning(self) -> str:
        """What it thought: the server's reasoning field, else the marked part of the text."""
        return "".join(self._thoughts) + self._split()[0]

    def _split(self) -> tuple[str, str]:
        whole = "".join(self._pieces)
        if self.cut is not None:
            return strip_reasoning(whole[: self.cut.at])
        if self._held and THINK_END not in whole and self.finish == "length":
            return whole, ""
        return strip_reasoning(whole)

    def _count(self, delta: Delta) -> None:
        self._counted += delta.tokens
        if delta.completion_tokens is not None:
            self._usage = delta.completion_tokens
        if delta.prompt_tokens is not None:
            self.prompt_tokens = delta.prompt_tokens
        if delta.entropies:
            self.entropy += _summed(delta.entropies)
        self.entropies.extend(math.nan if each is None else each for each in delta.entropies)
        # Tokens for which the server sent nothing were generated all the same.
        self.entropies.extend([math.nan] * (delta.tokens - len(delta.entropies)))

    def _read(self, text: str) -> None:
        # A marker may be split over two chunks: servers hold text back for their stop strings.
        before, window = len(self._tail), self._tail + text
        self._tail = window[-(len(THINK_END) - 1) :]
        started, ended = window.rfind(THINK_START), window.rfind(THINK_END)
        if ended > started:
            rest = window[ended + len(THINK_END) :]
            self._start_over(self._length - len(rest))
            self._scan(rest)
        elif not self._held:
            at = max(0, started - before) if started >= 0 else len(text)
            self._scan(text[:at])
            # A tag inside a program is the program's.
            self._held = started >= 0 and self._scanner.open_block is None
            if not self._held:
                self._scan(text[at:])

    def _release(self) -> None:
        """What was held back is what the model said."""
        if self._held:
            self._start_over(0)
            self._scan("".join(self._pieces))

    def _start_over(self, at: int) -> None:
        """Look for code and answers from here on only."""
        self._held = False
        self._scanner = FenceScanner(at)
        if self._watch is not None:
            self._watch, self._watch_base = AnswerWatch(), at

    def _scan(self, text: str) -> None:
        if self._scans_code:
            self._take(self._scanner.feed(text))
        if self._watch is not None and self.cut is None:
            at = self._watch.feed(text)
            if at is not None:
                self.cut = Cut("answer", self._watch_base + at)

    def _take(self, events: list[Opened | Closed]) -> None:
        for event in events:
            if isinstance(event, Opened):
                self.code_opened = self.code_opened or event.language == "python"
            elif event.block.runs and self.cut is None:
                self.cut = Cut("code", event.block.end, event.block.code)


class SampleEntropy:
    """Entropy of what one sample generated: of all its tokens, or of the last ones.

    Of a turn that was asked again only the attempt that stands is to be added. Each token's entropy
    is a lower bound: what is not among the most likely tokens counts as one outcome.

    Parameters
    ----------
    window
        How many of the sample's last tokens to take, over its turns; all if it is None. Of the
        tokens in the window those that are not readable are dropped.

    Examples
    --------
    >>> reader = TurnReader(scans_code=False, ends_at_answer=False, thinks=False)
    >>> reader.feed(Delta(tokens=3, entropies=(0.9, 0.5, 0.25)))
    >>> last = SampleEntropy(2)
    >>> last.add(reader)
    >>> last.total.mean
    0.375
    """

    def __init__(self, window: int | None = None) -> None:
        self._window = window
        self._sum = TokenEntropy()
        self._each = array("d")

    def add(self, reader: TurnReader) -> None:
        """Add what one more turn generated."""
        self._sum += reader.entropy
        self._each.extend(reader.entropies)

    @property
    def total(self) -> TokenEntropy:
        """The sum, how many tokens it is of, and how many were dropped."""
        return self._sum if self._window is None else _summed(self._last(self._window))

    @property
    def windows(self) -> WindowEntropies | None:
        """Means over its last tokens, whatever the window; None where no token has an entropy."""
        return window_entropies(self._last(len(self._each)), self._sum.mean)

    def _last(self, tokens: int) -> list[float | None]:
        return [None if math.isnan(each) else each for each in self._each[-tokens:]]


def _summed(entropies: Collection[float | None]) -> TokenEntropy:
    known = [value for value in entropies if value is not None]
    return TokenEntropy(nats=sum(known), tokens=len(known), dropped=len(entropies) - len(known))


def first_python_block(text: str) -> Block | None:
    """First closed block of a finished text that would be run."""
    blocks, _ = scan(text)
    return next((block for block in blocks if block.runs), None)


def without_reasoning(message: dict[str, Any]) -> tuple[str, bool]:
    """Text of a finished chat message without its thoughts, and whether there were any."""
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    thought, said = strip_reasoning(text)
    field = message.get("reasoning") or message.get("reasoning_content")
    return said, bool(field) or bool(thought.strip())
