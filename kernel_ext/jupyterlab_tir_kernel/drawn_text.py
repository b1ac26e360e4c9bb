"""Text as Pillow's own font can draw it: that knows little beyond ASCII. Pure."""

from __future__ import annotations

import unicodedata

from jupyterlab_tir.terminal.plain import one_line

_DRAWN = frozenset(map(chr, range(0x20, 0x7F))) | frozenset("…·°±")
_SYMBOLS = {
    "√": "sqrt",
    "∞": "infinity",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~=",
    "−": "-",  # noqa: RUF001 - the minus sign of mathematics
    "×": "x",  # noqa: RUF001 - the sign of multiplication
    "÷": "/",
    "⋅": "·",
    "⁄": "/",  # noqa: RUF001 - the stroke of fractions
    "∪": "union",  # noqa: RUF001 - the sign of sets
    "∩": "intersection",
    "∈": "in",
    "∅": "{}",
    "→": "->",
    "–": "-",  # noqa: RUF001 - dashes and quotes of sentences
    "—": "-",
    "‘": "'",  # noqa: RUF001 - the same
    "’": "'",  # noqa: RUF001 - the same
    "“": '"',
    "”": '"',
}


def drawable(text: str, most: int) -> str:
    """One line of at most `most` characters that can be drawn; the others by what they mean.

    Signs of mathematics and Greek letters are spelled, accents left out, and any other character
    stands as its code point.

    >>> drawable("2√3 ≤ π² é", 40)
    '2sqrt3 <= pi^2 e'
    >>> drawable("答え 5", 40)
    '<U+7B54><U+3048> 5'
    """
    line = one_line(text, most)
    spelled = "".join(_spelled(character) for character in line)
    return spelled if len(spelled) <= most else f"{spelled[: most - 1]}…"


def _spelled(character: str) -> str:
    if character in _DRAWN:
        return character
    if character in _SYMBOLS:
        return _SYMBOLS[character]
    name = unicodedata.name(character, "")
    for case, shown in (("SMALL", str.lower), ("CAPITAL", str.capitalize)):
        start = f"GREEK {case} LETTER "
        if name.startswith(start) and " " not in name.removeprefix(start):
            return shown(name.removeprefix(start))
    return _decomposed(character)


def _decomposed(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    base = "".join(_SYMBOLS.get(each, each) for each in parts if not unicodedata.combining(each))
    if not base or not set(base) <= _DRAWN:
        return f"<U+{ord(character):04X}>"
    marks = {"<super>": "^", "<sub>": "_"}
    return marks.get(unicodedata.decomposition(character).partition(" ")[0], "") + base
