# ruff: noqa: SIM905 - a table of words is read as text
"""Keys of short texts: yes and no, names of days, the letter of a choice.

Text in, text out. A single capital letter keeps its case: it names a choice or a point.
"""

from __future__ import annotations

import re

from .symbols import text_key

_LETTER = re.compile(r"\(?([A-Z])\)?")
_LABELLED = re.compile(
    r"\\text(?:bf|rm|it)?\s*\{\s*\(?([A-J])[).:]+\s*\}.*|\(([A-J])\)\s+\S.*", re.DOTALL
)
_WITH_TEXT = re.compile(r"\(?([A-J])\)?(?:\s*[).:]\s*.*)?", re.IGNORECASE | re.DOTALL)
_PLAIN_WORDS = re.compile(r"(?=.*[^\W\d_]{4})[^\W\d_]{2,}(?:[ '-]+[^\W\d_]+)*[.!]?")
_WORD = re.compile(r"[^\W\d_]+")
_IN_TEXT = re.compile(r"\\text(?:bf|rm|it|normal)?\s*\{[^{}\\$^_]*\}")
# Longer than three letters, and mathematics.
_NO_WORDS = frozenset(
    (
        "alpha beta gamma delta epsilon varepsilon zeta theta iota kappa lambda omicron sigma"
        " upsilon omega varphi vartheta sqrt cbrt infinity infty integers real reals naturals"
        " rationals complexes emptyset empty solution solutions arcsin arccos arctan sinh cosh tanh"
        " true false none null nan and or option choice answer undefined exist zero one two three"
        " four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred"
        " thousand million billion half third quarter dozen"
    ).split()
)

CONSTANT_LETTERS = {"t:E": "e", "t:I": "i"}
"""Letters that name a choice, and in what SymPy prints a constant."""


def words_key(text: str) -> str:
    r"""Key of words: case, a full stop and outer quotes do not count.

    >>> words_key(r"\text{Tuesday}"), words_key("no  solution.")
    ('t:tuesday', 't:no solution')
    """
    return "t:" + text_key(text)


def choice_key(text: str) -> str | None:
    """Key of a text that is one capital letter, in brackets or not; else None.

    >>> choice_key("(C)"), choice_key("CD")
    ('t:C', None)
    """
    letter = _LETTER.fullmatch(text.strip())
    return "t:" + letter[1] if letter else None


def chosen(text: str) -> str | None:
    r"""Key of the choice in a text that is known to name one, or None.

    >>> chosen(r"\textbf{(D)}\ 12"), chosen(r"c: 3\sqrt{2}")
    ('t:D', 't:C')
    """
    found = _LABELLED.fullmatch(text) or _WITH_TEXT.fullmatch(text_key(text))
    letter = found and next((group for group in found.groups() if group), None)
    return "t:" + letter.upper() if letter else None


def plain_words(text: str) -> str | None:
    r"""Key of a text that can be nothing but words, or None.

    >>> plain_words("Tuesday"), plain_words("theta"), plain_words(r"\text{No}")
    ('t:tuesday', None, 't:no')
    """
    key = text_key(text)
    words = _WORD.findall(key)
    if _NO_WORDS.intersection(words):
        return None
    if _IN_TEXT.fullmatch(text):
        return "t:" + key if re.fullmatch(r"[^\W\d_]{2,}(?: [^\W\d_]+)*", key) else None
    return "t:" + key if _PLAIN_WORDS.fullmatch(text) else None
