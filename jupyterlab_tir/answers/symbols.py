# ruff: noqa: RUF001 - full-width and typographic signs are what models write
r"""The text key of an answer that is no number: words without case, formulas without spacing.

Text in, text out. Two formulas with the same key read the same; that two with different keys mean
different things is not said.
"""

from __future__ import annotations

import re

_TEXT = re.compile(
    r"\\(?:text|textnormal|textbf|textit|textrm|mbox|mathrm|mathbf|mathit|operatorname|hbox)\s*\{([^{}]*)\}"
)
_WORDS = re.compile(r"[^\W\d_]{2,}(?:[\s'’-]+[^\W\d_]+)*[.!]?|[^\W\d_](?:[\s'’-]+[^\W\d_]+)+[.!]?")
_SCRIPT_OF_ATOM = re.compile(r"([\^_])\s*(\d+|[A-Za-z](?![A-Za-z]))")
_SPACES = re.compile(r"(?<!\d)\s+|\s+(?!\d)")
_FRACTION_OF_DIGITS = re.compile(r"\\frac\s*(\d)\s*(\d)")
_GROUPED = (
    (re.compile(r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"((\1)/(\2))"),
    (re.compile(r"\\sqrt\s*\{([^{}]*)\}"), r"sqrt(\1)"),
    (re.compile(r"\^\s*\{([^{}]*)\}"), r"^(\1)"),
    (re.compile(r"_\s*\{([^{}]*)\}"), r"_(\1)"),
)
_ATOM_IN_BRACKETS = re.compile(r"(?<![\w^)\]}\\])\((\d+|[A-Za-z]|pi|sqrt\(\w+\))\)(?![\w(.!^\[{])")
_TIMES = re.compile(r"(?<=[\d)])\*(?=[A-Za-z(])")
_MAX_ROUNDS = 30


def text_key(text: str) -> str:
    r"""One spelling of words or of a formula.

    >>> text_key(r"\text{Tuesday}"), text_key(r"\frac{\pi}{4}") == text_key("pi / 4")
    ('tuesday', True)
    """
    for _ in range(_MAX_ROUNDS):
        shorter = _TEXT.sub(r" \1 ", text)
        if shorter == text:
            break
        text = shorter
    words = " ".join(text.split()).strip("\"' ")
    if _WORDS.fullmatch(words):
        return words.rstrip(".!").casefold()
    return _formula(text)


def _formula(text: str) -> str:
    text = text.replace(r"\pi", "pi").replace(r"\{", "{").replace(r"\}", "}")
    text = _FRACTION_OF_DIGITS.sub(r"\\frac{\1}{\2}", text)
    text = _SCRIPT_OF_ATOM.sub(r"\1(\2)", " ".join(text.split()))
    # Between digits a space stays: "log_2 8" is not "log_28".
    text = _SPACES.sub("", text)
    for _ in range(_MAX_ROUNDS):
        before = text
        for pattern, replacement in _GROUPED:
            text = pattern.sub(replacement, text)
        if text == before:
            break
    for _ in range(_MAX_ROUNDS):
        before = text
        text = _ATOM_IN_BRACKETS.sub(r"\1", text)
        if text == before:
            break
    if "/" not in text:
        text = _TIMES.sub("", text)
    # A quotient that is the whole answer, or stands alone between brackets, needs none.
    whole = re.fullmatch(r"\(([\w]+(?:\([\w]*\))?/[\w]+)\)", text)
    return whole[1] if whole else text
