"""A place in the tokens of an answer, with the limits and the context that all parsing shares.

Holds state; knows no grammar. The grammar's rooms (`reading_operands`, `reading_groups`,
`reading_structures`, `reading_functions`, `reading_terms`, `reading_statements`) build on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .tokens import ReadError, Token, Tokens
from .tree import Name, Node

MAX_DEPTH = 50
"""Levels of brackets, exponents and arguments: each takes up to 14 of Python's 1,000 frames."""


class Integral:
    """An integral whose differential is still to come."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.variable: Name | None = None
        self.is_over = False


class Cursor(ABC):
    """Tokens, a position, and what the surroundings of the position ask for."""

    def __init__(self, tokens: Tokens, choices: frozenset[str]) -> None:
        self.tokens = list(tokens.items)
        self.is_python = tokens.is_python
        self.is_latex = tokens.is_latex
        self.choices = choices
        self.met: set[str] = set(tokens.met)
        self.position = 0
        self.depth = 0
        self.open_bars = 0
        self.pattern = ""
        self.in_cells = False
        self.french = False
        self.bound: list[str] = []
        self.integrals: list[Integral] = []
        self.side: str | None = None
        self.defined: frozenset[str] = frozenset()
        self.wrapped: frozenset[int] = frozenset()
        self.multiplied: frozenset[str] = frozenset()
        self.bare: set[str] = set()
        self.standing: set[str] = set()
        self.certain: set[str] = set()

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self.tokens[self.position]

    def ahead(self, steps: int) -> Token:
        """A later token; the stop at the end and beyond it."""
        return self.tokens[min(self.position + steps, len(self.tokens) - 1)]

    def before(self) -> Token | None:
        """The token read last."""
        return self.tokens[self.position - 1] if self.position else None

    def take(self) -> Token:
        """Read a token; the stop is never passed."""
        token = self.tokens[self.position]
        if token.kind != "stop":
            self.position += 1
        return token

    def at(self, *signs: str) -> bool:
        """Whether one of the signs comes next."""
        token = self.tokens[self.position]
        return token.kind == "sign" and token.text in signs

    def accept(self, *signs: str) -> bool:
        """Read one of the signs, if it comes next."""
        if self.at(*signs):
            self.position += 1
            return True
        return False

    def expect(self, *signs: str) -> None:
        """Read one of the signs.

        Raises
        ------
        ReadError
            Where something else comes next.
        """
        if not self.accept(*signs):
            raise ReadError(f"{signs[0]!r} is missing before {self.token.text!r}")

    def at_word(self, *words: str) -> bool:
        """Whether one of the words comes next."""
        token = self.tokens[self.position]
        return token.kind == "words" and token.text.casefold().strip(" ,") in words

    def at_command(self, *names: str) -> bool:
        """Whether one of the LaTeX commands comes next."""
        token = self.tokens[self.position]
        return token.kind == "command" and token.text in names

    def chosen(self, ambiguity: str) -> bool:
        """Note an ambiguity; whether its second reading is to be taken."""
        self.met.add(ambiguity)
        return ambiguity in self.choices

    def deeper(self) -> None:
        """Go one level down.

        Raises
        ------
        ReadError
            Beyond `MAX_DEPTH`.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ReadError("nested more deeply than we read")

    def is_differential(self) -> bool:
        """Whether `dx` comes next and an integral waits for it."""
        if not self.integrals or self.integrals[-1].variable is not None:
            return False
        following = self.ahead(1)
        return (
            self.token.kind == "name"
            and self.token.text == "d"
            and (following.kind == "name" or following.text in {"i", "e"})
        )

    @abstractmethod
    def differential(self) -> Node:
        """Read the rest of a differential."""

    @abstractmethod
    def is_differential_at(self, start: int) -> bool:
        """Whether a differential that is waited for begins at a position."""

    @abstractmethod
    def statement(self) -> Node:
        """Read a statement: relations joined by logic."""

    @abstractmethod
    def set_expression(self) -> Node:
        """Read a value without relations: sums, ratios, sets."""

    @abstractmethod
    def sum_(self) -> Node:
        """Read terms joined by plus and minus."""

    @abstractmethod
    def term(self) -> Node:
        """Read factors joined by multiplication, written or not, and division."""

    @abstractmethod
    def power(self) -> Node:
        """Read an operand with its exponent."""

    @abstractmethod
    def operand(self) -> Node:
        """Read the smallest thing that has a value."""

    @abstractmethod
    def starts_factor(self) -> bool:
        """Whether a factor begins here without a multiplication sign."""

    @abstractmethod
    def elements(self) -> tuple[list[Node], str]:
        """Read a list up to a closing bracket; its elements and what joined them."""

    @abstractmethod
    def braced(self) -> Node:
        """Read a LaTeX group in braces."""

    @abstractmethod
    def argument(self) -> Node:
        """Read the argument of a LaTeX command: a group, a digit, a letter or a command."""
