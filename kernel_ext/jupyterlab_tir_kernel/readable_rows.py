"""How the pieces of a formula stand beside each other as text. Pure."""

# ruff: noqa: RUF001 - signs of mathematics look like letters

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from . import tex_symbols as tex

Kind = Literal[
    "digits",
    "letters",
    "group",
    "fraction",
    "root",
    "function",
    "word",
    "open",
    "close",
    "relation",
    "tight",
    "sign",
    "space",
]

_FACTORS = frozenset({"digits", "letters", "group", "fraction", "root", "function", "open"})
_AFTER = frozenset({"letters", "group", "fraction", "root", "close"})
_UNARY = frozenset("±∓")
_BEFORE_UNARY = frozenset("([{=,<>≤≥≠≈∈")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SUMS = re.compile(r"[-+±∓=<>≤≥≠,;/ ]")
_ATOM = re.compile(
    r"√?(?:[0-9]+(?:\.[0-9]+)?|[^\W\d_])"
    r"[′⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢₖₘ\u0300-\u036f\u20d7]*|[∞∅□]"
)


class Item(NamedTuple):
    """A piece of a formula; `bracketed` is how a root stands beside another factor."""

    kind: Kind
    text: str
    bracketed: str = ""


def joined(items: Sequence[Item]) -> str:
    """A row of pieces as text.

    >>> joined([Item("fraction", "1/2"), Item("letters", "x")])
    '(1/2)x'
    """
    parts: list[str] = []
    for index, item in enumerate(items):
        before = items[index - 1] if index else None
        after = items[index + 1] if index + 1 < len(items) else None
        if item.kind in {"relation", "tight", "space"}:
            _separate(parts, item, before)
        elif item.kind == "fraction":
            parts.append(_beside(item.text, items, index))
        elif item.kind == "root" and after is not None and after.kind in _FACTORS:
            parts.append(item.bracketed)
        elif item.kind == "function":
            apart = before is not None and before.kind in _AFTER | {"digits", "function"}
            parts.append(f"{' ' if apart else ''}{item.text}")
        else:
            if item.kind == "close" and parts and parts[-1] == " ":
                parts.pop()
            parts.append(item.text)
        if item.kind == "function" and after is not None and after.kind in _FACTORS - {"open"}:
            wraps = after.kind == "fraction"
            parts.append("" if wraps or after.kind == "function" else " ")
    return re.sub(" +", " ", "".join(parts)).strip(" ") if _spaced(items) else "".join(parts)


def _spaced(items: Sequence[Item]) -> bool:
    return any(item.kind in {"relation", "space", "function"} for item in items)


def _separate(parts: list[str], item: Item, before: Item | None) -> None:
    if item.kind == "space":
        unary = bool(parts) and parts[-1] in _UNARY
        if before is not None and before.kind not in {"tight", "open"} and not unary:
            parts.append(item.text)
        return
    last = next((each for each in reversed(parts) if each.strip()), "(")
    if item.text in _UNARY and last.strip() in _BEFORE_UNARY:
        parts.append(item.text)
        return
    while parts and parts[-1] == " ":
        parts.pop()
    parts.append(item.text if item.kind == "tight" else f" {item.text} ")


def _beside(text: str, items: Sequence[Item], index: int) -> str:
    """A fraction, in brackets where it could be read together with its neighbours."""
    before, after = items[max(0, index - 2) : index], items[index + 1 : index + 4]
    touching = bool(before) and before[-1].kind != "space"
    last = next((each for each in reversed(before) if each.kind != "space"), None)
    following = [each for each in after if each.kind != "space"]
    word = len(after) > 2 and [each.kind for each in after[:3]] == ["space", "letters", "letters"]  # noqa: PLR2004
    if (following and following[0].kind in _FACTORS and not word) or (
        last is not None and (last.kind in _AFTER or last.kind == "function") and not word
    ):
        return f"({text})"
    if last is not None and last.kind == "digits" and touching:
        return f" {text}"
    return text


def bracketed(text: str) -> str:
    """The text in brackets, unless it stands in some."""
    return text if _is_bracketed(text) else f"({text})"


def _is_bracketed(text: str) -> bool:
    if not text or text[0] not in _CLOSING or text[-1] != _CLOSING[text[0]]:
        return False
    levels = 0
    for index, character in enumerate(text):
        levels += (character in _CLOSING) - (character in ")]}")
        if levels == 0:
            return index == len(text) - 1
    return False


def as_atom(text: str) -> str:
    """The text, in brackets unless it is one number or one sign."""
    return text if _ATOM.fullmatch(text) or _is_bracketed(text) else f"({text})"


def fraction(above: str, below: str) -> str:
    """One over the other, with the brackets that are needed.

    >>> fraction("2√3", "3"), fraction("a+b", "2x")
    ('2√3/3', '(a+b)/(2x)')
    """
    above, below = above.strip(), below.strip()
    return f"{above if _is_product(above) else f'({above})'}/{as_atom(below)}"


def _is_product(text: str) -> bool:
    levels = 0
    for index, character in enumerate(text):
        levels += (character in _CLOSING) - (character in ")]}")
        if levels == 0 and index > 0 and _SUMS.match(character):
            return False
    return text != ""


def mapped(text: str, table: Mapping[str, str]) -> str:
    """The text in the characters of a table; empty where one is missing."""
    closed = text.replace(" ", "")
    return "".join(table[each] for each in closed) if all(each in table for each in closed) else ""


def script(mark: str, text: str) -> str:
    """What stands above (`^`) or below (`_`).

    >>> script("^", "10"), script("^", "a+b"), script("_", "k")
    ('¹⁰', '^(a+b)', 'ₖ')
    """
    text = text.strip()
    if mark == "^" and text in {"∘", "°"}:
        return "°"
    if mark == "^" and text and set(text) == {"′"}:
        return text
    if not text:
        return ""
    small = mapped(text, tex.SUPERSCRIPTS if mark == "^" else tex.SUBSCRIPTS)
    if small:
        return small
    return f"{mark}{text}" if len(text) == 1 else f"{mark}{bracketed(text)}"


def accented(name: str, text: str) -> Item:
    """A character with a mark, or the name of the mark where it has more than one."""
    mark = tex.ACCENTS[name]
    if len(text) == 1 or (name in {"overline", "underline"} and text.isalnum()):
        return Item("letters", "".join(f"{each}{mark}" for each in text))
    return Item("word", f"{name}({text})")


def row_of(cells: Sequence[str], between: str) -> str:
    """The cells of one row; none gets a comma that has one."""
    text = ""
    for index, cell in enumerate(each.strip() for each in cells):
        gap = " " if text.endswith(",") else between
        text = f"{text}{gap if index else ''}{cell}"
    return text.strip()
