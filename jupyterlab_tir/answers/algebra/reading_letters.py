# ruff: noqa: SIM905 - a table of names is read as text
r"""Words, letters, commands and signs as tokens: what letters stand for where they stand."""

from __future__ import annotations

import re

from .reading_measures import Measures
from .reading_patterns import (
    IDENTIFIER,
    INDEXED,
    MEMBER,
    NUMBERED,
    RAISED_END,
    RELATION,
    UNION,
    WORD_TEXT,
)
from .reading_signs import COMMANDS, SIGNS, STRUCTURES
from .tokens import ReadError
from .words import (
    CONNECTIVES,
    CONSTANT_WORDS,
    FUNCTIONS,
    GREEK,
    GREEK_LETTERS,
    SET_WORDS,
    UNITS,
    VARIANTS,
    is_word,
    split_run,
)

_CELLS = frozenset("pmatrix bmatrix matrix Bmatrix vmatrix smallmatrix array cases dcases".split())


class Letters(Measures):
    """How words and signs are added to the tokens."""

    def text_group(self, match: re.Match[str]) -> int:
        r"""`\text{…}`: words as one token, a letter as itself, other text as if it stood bare."""
        words = match["t"].strip(" ~\t\n")
        is_named = match.group().startswith((r"\operatorname", r"\mathrm", r"\mathop", r"\rm"))
        if is_named and (words in FUNCTIONS or words in CONSTANT_WORDS or words in SET_WORDS):
            self.known(words)
        elif is_named and words in self.callables:
            self.add("callable", words)
        elif len(words) == 1 and words.isalpha():
            self.single(words, match.group(), match.end())
        elif words.casefold() in CONNECTIVES:
            self.add("words", words)
        elif len(words) > 1 and WORD_TEXT.fullmatch(words):
            self.say(words)
        elif not words:
            self.spaced = True
        elif words in {"%", r"\%"}:
            self.add("sign", "%")
        else:
            # Read on inside; the closing brace is skipped when it comes.
            self.skipped.add(match.end() - 1)
            return match.end() - len(match["t"]) - 1
        return match.end()

    def single(self, letter: str, written: str, end: int) -> None:
        r"""A letter in `\text{ }` beside a number is a unit; elsewhere it is a name or constant."""
        is_upright = written.startswith((r"\text", r"\mbox", r"\mathrm", r"\rm", r"\hbox"))
        is_number_before = bool(self.items) and self.items[-1].kind in {"number", "repeating"}
        is_over = bool(self.items) and self.items[-1].text in {"/", "}"}
        is_indexed = INDEXED.match(self.text, end) is not None
        if (is_number_before or is_over) and is_upright and letter not in "eid" and not is_indexed:
            self.add("words", letter)
        else:
            self.letter(letter, is_certain=True)

    def is_bracket(self, position: int) -> bool:
        """Whether a round bracket stands at a position."""
        return re.compile(r"\s*(?:\\left\s*)?\(").match(self.text, position) is not None

    def command(self, name: str, end: int) -> None:
        """Add the token of a LaTeX command that ends at a position."""
        if name in COMMANDS:
            self.sign(COMMANDS[name])
        elif name in STRUCTURES:
            self.add("command", STRUCTURES[name])
        elif name in {"emptyset", "varnothing"}:
            self.add("set", "empty")
        elif name in {"R", "Reals", "reals"}:
            self.add("set", "reals")
        elif name in {"gamma", "zeta", "Gamma"} and not (self.is_bracket(end) and name != "gamma"):
            self.add("name", name)
        elif name == "Gamma":
            self.add("function", "gamma")
        elif name != "Pi" and (name in FUNCTIONS or name in CONSTANT_WORDS):
            self.known(name)
        elif name in GREEK or name in VARIANTS:
            self.add("name", VARIANTS.get(name, name))
        elif name in {"i", "imath", "jmath"}:
            self.letter(name[0])
        else:
            raise ReadError(f"unknown command \\{name}")

    def known(self, word: str) -> None:
        """A word that is a function, a constant or a set."""
        if word in FUNCTIONS:
            self.add("function", FUNCTIONS[word])
        elif word in CONSTANT_WORDS:
            self.add("constant", CONSTANT_WORDS[word])
        elif word in SET_WORDS:
            self.add("set", SET_WORDS[word])
        elif word in GREEK:
            self.add("name", word)
        else:
            self.letter(word)

    def letter(self, letter: str, *, is_certain: bool = False) -> None:
        """Add one letter: a constant where it is one, a name otherwise."""
        if letter == "i" and not self.is_vector:
            self.add("constant", "i")
        elif letter == "e":
            self.add("constant", "e")
        elif letter in "EI" and not is_certain and self.is_printed_constant():
            self.add("constant", letter.lower())
        else:
            self.add("name", GREEK_LETTERS.get(letter, letter))

    def is_printed_constant(self) -> bool:
        """Whether a lone E or I is what SymPy prints for a constant."""
        if self.is_latex or "^" in self.text:
            return False
        return self.text[self.end : self.end + 1] not in {"(", "_"}

    def letters(self, match: re.Match[str]) -> int:
        """A run of letters in mathematics: known words whole, others letter by letter."""
        run, end = match.group(), match.end()
        self.end = end
        longer = re.compile(r"(?:log|atan|arctan)(?:10|2)(?=[\s(])").match(self.text, match.start())
        if longer is not None:
            self.add("function", FUNCTIONS[longer.group()])
            return longer.end()
        known = self.known_run(run, match.start(), end)
        if known:
            return known
        digits = IDENTIFIER.match(self.text, match.start())
        if digits is not None and digits.group() in SET_WORDS:
            self.add("set", SET_WORDS[digits.group()])
            return digits.end()
        if len(run) == 1 and not self.is_latex and digits and digits.group()[1:].isdigit():
            self.add("name", f"{run}_{digits.group()[1:]}")
            return digits.end()
        self.run_of_letters(run)
        return end

    def known_run(self, run: str, start: int, end: int) -> int:
        """Add a call, a sign that is spelled, or a unit; where it ends, 0 for none of them."""
        if run in self.callables and self.text[end : end + 1] == "(":
            self.add("callable", run)
        elif run == "in" and self.is_after_value() and MEMBER.match(self.text, end):
            self.add("sign", "in")
        elif run == "in" and self.spaced and not self.is_latex and self.text[end : end + 1] == " ":
            self.add("words", run)
        elif run == "U" and self.is_after_value() and UNION.match(self.text, end):
            self.add("sign", "cup")
        elif run == "o" and self.is_raised(end):
            self.add("sign", "degree")
        elif self.rank(run) or (self.spaced and self.counts(run)):
            return end
        else:
            return self.plain_unit(start) or self.unit_word(run, end)
        return end

    def is_raised(self, end: int) -> bool:
        """Whether a letter alone is an exponent that ends here."""
        above = [item.text for item in self.items[-2:]]
        return above[-1:] == ["^"] or (
            above == ["^", "{"] and RAISED_END.match(self.text, end) is not None
        )

    def run_of_letters(self, run: str) -> None:
        """Add a run of letters: a connective, known names, letters or a word."""
        if run in CONNECTIVES:
            self.add("words", run)
            return
        parts = split_run(run)
        if not parts:
            self.say(run)
        # Outside LaTeX, where only a digit or a group can be raised, e^ix raises both letters.
        is_raised = (
            len(parts) > 1
            and not self.is_latex
            and bool(self.items)
            and self.items[-1].text == "^"
            and all(part not in FUNCTIONS for part in parts)
        )
        if is_raised:
            self.add("sign", "{")
        for part in parts:
            if len(part) > 1:
                self.known(part)
            else:
                self.letter(part, is_certain=len(parts) > 1)
        if is_raised:
            self.add("sign", "}")

    def identifier(self, word: str, end: int) -> None:
        """A whole name of Python's or SymPy's."""
        is_called = self.text[end : end + 1] == "("
        self.end = end
        numbered = NUMBERED.fullmatch(word)
        if (word in self.callables or "." in word) and is_called:
            self.add("callable", word)
        elif word in FUNCTIONS and (is_called or word not in GREEK):
            self.add("function", FUNCTIONS[word])
        elif word in {"True", "False", "None"} or word in CONNECTIVES:
            self.add("words", word)
        elif len(word) == 1 or word in CONSTANT_WORDS or word in SET_WORDS or word in GREEK:
            self.known(word)
        elif self.is_after_value() and self.spaced and (word in UNITS or is_word(word)):
            self.add("words", word)
        elif (parts := split_run(word)) and parts[0] in FUNCTIONS:
            self.run_of_letters(word)
        elif numbered is not None and word not in FUNCTIONS:
            self.add("name", f"{numbered[1]}_{numbered[2]}")
        elif word[0] == "_" and len(word.strip("_")) == 1:
            # SymPy's own variables, as in Lambda(_n, 2*_n*pi).
            self.add("name", word.strip("_"))
        elif word == "in":
            self.add("sign", "in")
        else:
            self.add("name", word)

    def is_alignment(self, end: int) -> bool:
        """Whether `&` only lines relations up."""
        is_aligned = self.environments[-1] not in _CELLS
        return is_aligned or RELATION.match(self.text, end) is not None

    def sign(self, piece: str, end: int = 0) -> None:
        """A sign under its one name; brackets are counted."""
        name = SIGNS.get(piece, piece)
        if name in {"(", "[", "{", r"\{", "<("}:
            self.depth += 1
        elif name in {")", "]", "}", r"\}", ")>"}:
            self.depth -= 1
        if name in {"angle", "triangle", "sum", "prod", "int"}:
            self.add("command", name)
        elif name in {"√", "∛"}:
            self.add("function", "sqrt" if name == "√" else "cbrt")
        elif name in GREEK_LETTERS:
            self.letter(name)
        elif (name == "&" and self.environments and self.is_alignment(end)) or (
            name == "$" and not self.has_currency
        ):
            self.spaced = True
        elif name in {"$", r"\$", "€", "£", "¥", "₹", "¢"}:
            self.add("currency", name.lstrip("\\"))
        elif name in {r"\%", r"\_", r"\&", r"\#"}:
            self.add("sign", name[1:])
        else:
            self.add("sign", name)
