r"""Text to tokens, from raw text of people, LaTeX, Python and SymPy, in linear time.

Knows spelling only: separators of thousands, repeating decimals, runs of letters, LaTeX commands,
Unicode signs. What tokens mean together is the parser's matter.
"""

from __future__ import annotations

import re

from .reading_letters import Letters
from .reading_patterns import (
    IDENTIFIER,
    MODULES,
    RAISED,
    STRING,
    TOKEN,
    UNAMBIGUOUS,
    repeating,
)
from .reading_phrases import time_of_day
from .reading_units import unit_at
from .reading_values import base_of, is_in_base
from .tokens import MAX_TOKENS, ReadError, Tokens
from .words import BLACKBOARD

_MAX_RADIX = 1_000
_MIN_INDEX_OF_CHOICE = 3


def tokenize(text: str, choices: frozenset[str], callables: frozenset[str]) -> Tokens:
    r"""Tokens of a text.

    Parameters
    ----------
    text
        The answer, without what stands around the whole of it.
    choices
        The second readings to take, of the ambiguities named in `reader`.
    callables
        Names that begin a call in Python's or SymPy's spelling.

    Raises
    ------
    ReadError
        Where a sign is unknown or the text too long.

    Examples
    --------
    >>> [token.text for token in tokenize(r"\frac12 x", frozenset(), frozenset()).items]
    ['frac', '12', 'x', '']
    """
    return _Lexer(text, choices, callables).run()


class _Lexer(Letters):
    """Pieces of text, one after the other."""

    def run(self) -> Tokens:
        position = 0
        while position < len(self.text):
            position = self.step(position)
            if len(self.items) > MAX_TOKENS:
                raise ReadError("more pieces than we read")
        self.add("stop", "")
        return Tokens(self.items, self.is_python, self.is_latex, frozenset(self.met))

    def step(self, position: int) -> int:
        """Read one piece at a position; return where the next one starts."""
        if position in self.skipped:
            return position + 1
        sign = self.text[position]
        if sign in "'\"" and not self.is_after_value():
            string = STRING.match(self.text, position)
            if string is not None:
                self.add("string", string.group()[1:-1])
                return string.end()
        ranked = self.raised_rank(position) if sign in "\\^" else 0
        if ranked:
            return ranked
        unit = unit_at(self.text, position) if sign == "\\" and self.is_after_value() else None
        if unit is not None:
            self.add("words", unit[0])
            return unit[1]
        match = TOKEN.match(self.text, position)
        if match is not None and self.is_other(match):
            match = UNAMBIGUOUS.match(self.text, position)
        if match is None or match.lastgroup is None:
            raise ReadError(f"unknown sign {sign!r}")
        if self.is_python and match.lastgroup in {"letters", "sign"}:
            identifier = IDENTIFIER.match(self.text, position)
            if identifier is not None:
                self.identifier(identifier.group(), identifier.end())
                return identifier.end()
        return self.piece(match.lastgroup, match)

    def is_other(self, match: re.Match[str]) -> bool:
        """Whether what looks like digits in a base, 10C3 or a time is something else."""
        if match.lastgroup == "clock":
            return time_of_day(match) is None
        if match.lastgroup == "based":
            return not self.is_based(match)
        if match.lastgroup != "choose":
            return False
        total, index = match["c1"], match["c3"] or match["c4"]
        if total.isdigit() != index.isdigit() or (total.isdigit() and int(total) < int(index)):
            return True
        # C_1 and C_2 are the constants of a solution.
        if match["c4"] and int(index) < _MIN_INDEX_OF_CHOICE:
            return True
        self.met.add("combinations")
        return "combinations" in self.choices

    def is_based(self, match: re.Match[str]) -> bool:
        """Whether digits with an index are a number in that base rather than a name."""
        digits = match["b1"] or match["b2"] or match["b3"]
        if digits[0].isdigit() and digits.replace(".", "").isdigit():
            return True
        if len(digits) == 1:
            # \mathrm{C}_{20}^{3} counts combinations, and (a)_{12} is a Pochhammer symbol.
            is_raised = RAISED.match(self.text, match.end()) is not None
            is_text = match.group().startswith((r"\text{", "("))
            if is_raised or not is_text or digits.islower():
                return False
        return is_in_base(digits, base_of(match["b4"] or match["b5"]))

    def piece(self, kind: str, match: re.Match[str]) -> int:  # noqa: C901, PLR0912 - one branch a kind
        """Add the token of a matched piece; return where the next piece starts."""
        piece = match.group()
        if kind in {"space", "wide"}:
            self.spaced = True
            self.wide = self.wide or kind == "wide"
        elif kind == "sized":
            return self.sized(match)
        elif kind == "clock":
            self.add("words", time_of_day(match) or piece)
        elif kind == "grouped":
            self.add("number", re.sub(r"[^\d.]", "", piece))
        elif kind == "commas":
            return self.commas(match)
        elif kind == "based":
            digits = match["b1"] or match["b2"] or match["b3"]
            self.add("based", f"{digits}|{match['b4'] or match['b5']}")
        elif kind == "choose":
            self.add("choose", f"{match['c1']}|{match['c2']}|{match['c3'] or match['c4']}")
        elif kind == "radix":
            if len(piece) > _MAX_RADIX:
                raise ReadError("an integer longer than we read")
            self.add("number", str(int(piece, 0)))
        elif kind in {"overlined", "dotted"}:
            self.repeated(piece)
        elif kind == "bracketed":
            return self.bracketed(match)
        elif kind == "imaginary":
            self.imaginary(piece)
        elif kind == "number":
            self.add("number", piece)
        elif kind == "blackboard":
            self.add("set", BLACKBOARD[match["bb1"] or match["bb2"]])
        elif kind == "text":
            return self.text_group(match)
        elif kind == "currency":
            self.add("currency", "$" if "$" in piece else piece.strip())
        elif kind in {"begin", "end"}:
            self.environment(kind, match["env"] or match["envend"])
        elif kind == "row":
            self.add("sign", "\\\\")
        elif kind == "command":
            self.command(piece[1:], match.end())
        elif kind == "dotname":
            self.identifier(MODULES.sub("", piece), match.end())
        elif kind == "letters":
            return self.letters(match)
        elif kind != "styled":
            self.sign(piece, match.end())
        return match.end()

    def sized(self, match: re.Match[str]) -> int:
        r"""`\left`, `\right`: dropped, but a bar that they turn is told apart."""
        bar = re.compile(r"\||\\l?r?vert(?![A-Za-z])").match(self.text, match.end())
        if bar is None:
            brace = re.compile(r"\\\{\s*(?=\\begin)").match(self.text, match.end())
            return match.end() if brace is None else brace.end()
        name = match.group().strip()
        if name.startswith(r"\left"):
            self.add("sign", "abs(")
        elif name.startswith(r"\right"):
            self.add("sign", ")abs")
        else:
            self.add("sign", "mid" if name == r"\middle" else "|")
        return bar.end()

    def commas(self, match: re.Match[str]) -> int:
        """Digits with commas: grouped thousands, or a list without spaces."""
        piece = match.group()
        # "000" is no element of a list, so 1,000 is a number wherever it stands.
        is_number = ",0" in piece or "." in piece
        if not is_number:
            self.met.add("commas")
            is_number = (self.depth == 0 or self.spaces_commas) != ("commas" in self.choices)
        if is_number:
            self.add("number", piece.replace(",", ""))
            return match.end()
        first = piece.partition(",")[0]
        self.add("number", first)
        position = match.start() + len(first)
        for part in piece.split(",")[1:]:
            self.add("sign", ",")
            self.add("number", part)
            position += 1 + len(part)
        return position

    def environment(self, kind: str, name: str) -> None:
        self.add(kind, name)
        if kind == "begin":
            self.environments.append(name)
        elif self.environments:
            self.environments.pop()

    def repeated(self, piece: str) -> None:
        digits = repeating(piece)
        if digits is None:
            raise ReadError("dots after digits that do not repeat")
        self.add("repeating", digits)

    def bracketed(self, match: re.Match[str]) -> int:
        """`0.1(6)`: a repeating decimal, or a product."""
        start, _, period = match.group().rstrip(")").partition("(")
        if not start.endswith("."):
            self.met.add("period")
            if "period" in self.choices:
                self.add("number", start)
                return match.start() + len(start)
        self.add("repeating", f"{start}|{period}")
        return match.end()

    def imaginary(self, piece: str) -> None:
        if self.is_vector:
            self.add("number", piece[:-1])
            self.add("name", "j")
        else:
            self.add("imaginary", piece[:-1])
