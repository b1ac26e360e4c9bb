"""Trees as short S-expressions, for tables of what a text reads as."""

from __future__ import annotations

from jupyterlab_tir.answers.algebra.reader import read
from jupyterlab_tir.answers.algebra.tree import CONSTANTS, Call, Constant, Name, Node, Number, Text


def show(node: Node) -> str:
    """A tree in brackets: decimals end in d, words are quoted, a name like a constant's has '."""
    match node:
        case Number(value, decimal):
            return f"{decimal}d" if decimal else str(value)
        case Constant(name):
            return name
        case Name(name):
            return f"'{name}" if name in CONSTANTS else name
        case Text(words):
            return f'"{words}"'
        case Call(head, args):
            return f"({' '.join([head, *map(show, args)])})"


def readings(text: str) -> str:
    """All readings of a text, the likeliest first."""
    return " | ".join(show(node) for node in read(text))
