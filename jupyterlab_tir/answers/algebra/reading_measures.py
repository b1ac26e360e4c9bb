# ruff: noqa: SIM905 - a table of signs is read as text
r"""The tokens so far, and what stands beside a number: units, ranks, "million", "squared"."""

from __future__ import annotations

import re

from .reading_patterns import BESIDE_UNIT, CALLED, LONE_I, LONE_J, PYTHON, UNIT_MAY_FOLLOW
from .reading_phrases import ENDING, PARTS, POWERS, RAISED_ENDING, SCALES, singular
from .reading_signs import spelled_out
from .reading_units import PLAIN_UNIT
from .tokens import MAX_CHARACTERS, ReadError, Token
from .words import CONNECTIVES, FUNCTIONS, UNITS

_VALUE_ENDS = frozenset(") ] } \\} ' ! )abs | )floor )ceil %".split())
_NO_VALUES = frozenset({"command", "function", "callable", "words", "begin", "end"})


class Measures:
    """Tokens, and those that words beside a number make."""

    def __init__(self, text: str, choices: frozenset[str], callables: frozenset[str]) -> None:
        self.text = spelled_out(text)
        if len(self.text) > MAX_CHARACTERS:
            raise ReadError("longer than we read")
        self.choices, self.callables = choices, callables
        self.is_latex = "\\" in text
        is_printed = PYTHON.search(self.text) is not None or any(
            name in callables for name in CALLED.findall(self.text)
        )
        self.is_python = is_printed and not self.is_latex and "^" not in self.text
        self.is_vector = bool(LONE_I.search(self.text) and LONE_J.search(self.text))
        self.spaces_commas = re.search(r",\s|;", self.text) is not None
        self.has_currency = len(re.findall(r"(?<!\\)\$", self.text)) % 2 == 1
        self.items: list[Token] = []
        self.met: set[str] = set()
        self.skipped: set[int] = set()
        self.environments: list[str] = []
        self.depth = 0
        self.end = 0
        self.unit_end = -1
        self.spaced = self.wide = False

    def add(self, kind: str, text: str) -> None:
        """Add a token, with the space that was read before it."""
        if kind == "words" and (self.is_after_value() or self.is_after_unit()):
            is_unit = text.casefold() not in CONNECTIVES
            self.unit_end = len(self.items) + 1 if is_unit else -1
        self.items.append(Token(kind, text, self.spaced, self.wide))
        self.spaced = self.wide = False

    def is_after_value(self) -> bool:
        """Whether the token before may end a value."""
        if not self.items:
            return False
        kind, text = self.items[-1][:2]
        return kind not in _NO_VALUES and (kind != "sign" or text in _VALUE_ENDS)

    def is_after_unit(self) -> bool:
        """Whether the token before is a word behind a value."""
        return self.unit_end == len(self.items)

    def is_after_number(self) -> bool:
        """Whether the token before is a number."""
        return bool(self.items) and self.items[-1].kind == "number"

    def say(self, words: str) -> None:
        """Add words; those that count or raise the value before them do so."""
        parts = words.split()
        while parts and self.counts(parts[0]):
            del parts[0]
        if parts:
            self.add("words", " ".join(parts))

    def counts(self, word: str) -> bool:
        """Add what a word makes of the value before it: 10^6 times, a third of, the square."""
        folded = word.casefold()
        only = singular(folded)
        if not self.is_after_value():
            return False
        if only in SCALES:
            self.add("scale", str(SCALES[only]))
        elif only in PARTS and self.is_after_number():
            if (only == folded) != (self.items[-1].text == "1"):
                raise ReadError("a rank behind a number")
            self.add("scale", f"/{PARTS[only]}")
        elif folded in POWERS:
            self.add("sign", "^")
            self.add("number", str(POWERS[folded]))
        else:
            return False
        return True

    def rank(self, ending: str) -> bool:
        """Make the number before, if `ending` stands right behind it, the rank that it is."""
        is_ending = ENDING.fullmatch(ending) is not None
        if not is_ending or self.spaced or not self.is_after_number():
            return False
        before = self.items.pop()
        self.items.append(Token("words", before.text + ending, before.spaced, before.wide))
        return True

    def raised_rank(self, position: int) -> int:
        r"""Where the ending of a rank ends that is raised or styled, `3^{\text{rd}}`; 0 if none."""
        match = RAISED_ENDING.match(self.text, position) if self.is_after_number() else None
        if match is None or not self.rank(match["a"] or match["b"] or match["c"]):
            return 0
        return match.end()

    def plain_unit(self, start: int) -> int:
        """Where a unit such as m or m/s^2 ends, a space after a number; 0 where none stands."""
        is_beside = self.spaced and self.is_after_number()
        unit = PLAIN_UNIT.match(self.text, start) if is_beside else None
        if unit is None:
            return 0
        self.met.add("units")
        if "units" not in self.choices:
            return 0
        self.add("words", re.sub(r"[{}]", "", unit.group()))
        return unit.end()

    def unit_word(self, run: str, end: int) -> int:
        """Add a unit's abbreviation, or a word behind one; where it ends, 0 for neither."""
        if not self.is_unit(run, end):
            return 0
        self.add("words", run)
        is_short = self.text[end : end + 1] == "." and BESIDE_UNIT.match(self.text, end)
        return end + 1 if is_short else end

    def is_unit(self, run: str, end: int) -> bool:
        """Whether letters are a unit's abbreviation, or a word behind one."""
        if run in UNITS and self.items and self.items[-1].text == "/":
            return True
        is_beside = run in UNITS and self.is_after_value()
        if is_beside and UNIT_MAY_FOLLOW.match(self.text, end):
            return True
        if run in FUNCTIONS or run in CONNECTIVES:
            return False
        if self.is_after_unit() and self.spaced and (len(run) > 1 or run == "a"):
            return True
        return is_beside and BESIDE_UNIT.match(self.text, end) is not None
