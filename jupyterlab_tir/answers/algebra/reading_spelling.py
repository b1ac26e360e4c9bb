# ruff: noqa: RUF001 - full-width and typographic signs are what models write
r"""One spelling for characters that say the same, before anything is read.

Letters of mathematical alphabets, full-width forms and the digits of all scripts become plain ones;
characters that cannot be seen, colours, and the box at a proof's end go. Raised and
lowered characters, vulgar fractions and dots keep their meaning, so they stay.
"""

from __future__ import annotations

import re
import unicodedata

_COMPATIBLE = re.compile("[\U0001d400-\U0001d7ff！-～ⅅ-ⅉⅠ-ⅿ℀-℃℅-ℇ℉-ℓ℘-ℝℤ-℩ℬ-ℴ]")
_KEPT = frozenset("ℝℤℕℚℂℓℏ℘")
_SAME = str.maketrans(
    {
        "‒": "-", "―": "-", "∕": "/", "⁄": "/", "º": "°", "˚": "°", "٫": ".", "٬": ",", "،": ",",
        "、": ",", "∶": ":", "“": '"', "”": '"', "。": ".",
        "\u2028": " ", "\u2029": " ", "\u0085": " ",
    }
)  # fmt: skip
_UNSEEN = frozenset({"Cc", "Cf"})
_COLOUR = re.compile(
    r"\\(?:text|f)?color(?:box)?(?![A-Za-z])\s{0,9}(?:\[\w{1,9}\]\s{0,9})?\{[^{}\\]{0,60}\}"
)
_ALONE = re.compile(r"\s?(?:\\displaystyle )?\s?\{\s?(?:\\displaystyle )?([^{}]*)\}")
_MARK = r"(?:\\(?:blacksquare|square|Box|qed|qedsymbol)(?![A-Za-z])|[∎□■◻◼▪])"
_PROVED = re.compile(
    r"(?<=\S)(?:\s|~|\\[,;:! ]|\\q?quad(?![A-Za-z])){0,9}"
    rf"(?:\$\s?{_MARK}\s?\$|{_MARK})[\s.]{{0,9}}$"
)
_MAX_PROVED = 60


def plainly_spelled(text: str) -> str:
    r"""The text in one spelling.

    >>> plainly_spelled("\uff12\U0001d70b"), plainly_spelled("٣"), plainly_spelled("5\u200e")
    ('2π', '3', '5')
    >>> plainly_spelled("½ x² …"), plainly_spelled(r"\color{red}{3}")
    ('½ x² …', '3')
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_plain, unicodedata.normalize("NFC", text).translate(_SAME)))
    if "color" not in text:
        return text
    text = _COLOUR.sub(r"\\displaystyle ", text)
    alone = _ALONE.fullmatch(text)
    return text if alone is None else alone[1]


def without_mark(text: str) -> str:
    r"""The text without the box that ends a proof.

    >>> without_mark(r"3 \blacksquare"), without_mark("3 ∎"), without_mark(r"\square")
    ('3', '3', '\\square')
    """
    proved = _PROVED.search(text, max(0, len(text) - _MAX_PROVED))
    return text if proved is None else text[: proved.start()]


def _plain(character: str) -> str:
    """A character as the keyboard has it; nothing for one that is not seen."""
    if character.isascii() and character.isprintable():
        return character
    if _COMPATIBLE.match(character):
        kept = character in _KEPT
        return character if kept else unicodedata.normalize("NFKC", character).replace("−", "-")
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    is_unseen = unicodedata.category(character) in _UNSEEN and not character.isspace()
    return "" if is_unseen else character
