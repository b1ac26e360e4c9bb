"""Tokens of an answer: what the lexer hands to the parser, and the one error of both."""

from __future__ import annotations

from typing import NamedTuple

MAX_CHARACTERS = 20_000
MAX_TOKENS = 10_000


class ReadError(ValueError):
    """The text is no mathematics that we know, or beyond our limits."""


class Token(NamedTuple):
    r"""A piece of an answer.

    `kind` is number, repeating ("0.1|6"), based ("1011|2"), imaginary, name, constant, set,
    function, callable (a constructor of Python or SymPy), words, string, command, begin, end, sign
    or stop; `spaced` and `wide` say whether white space or a `\quad` stood before it.
    """

    kind: str
    text: str
    spaced: bool = False
    wide: bool = False


class Tokens(NamedTuple):
    """All tokens, a stop last; whether names are read as Python's; the ambiguities met."""

    items: list[Token]
    is_python: bool
    is_latex: bool
    met: frozenset[str]
