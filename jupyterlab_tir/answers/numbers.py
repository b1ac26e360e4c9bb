r"""A number that an answer amounts to, with what may stand beside it: units, currency, a name.

Pure reading over `arithmetic.rational`; gives None wherever another reading is as good.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .arithmetic import MAX_CHARS, rational
from .structure import split_top
from .units import unit_of

_CURRENCY = re.compile(
    r"([+-]?)\s*(?:US\s?)?(?:\\?\$|€|£|¥|₹|₽|\\pounds|\\euro|USD|EUR|Rs\.?)\s*(?=[\d.\\+-])"
)
_SUFFIX = re.compile(
    r"\s*(?:\\?%|\\?\$|€|£|¥|₹|°\s?[CF]?|\^\{?\s?(?:\\circ|\\degree|°)\s?\}?(?:\s?[CF]\b)?|\\degree|\\circ"
    r"|\\(?:text|textnormal|textrm|textit|textbf|mbox|mathrm|mathit|operatorname|hbox)\s*\{([^{}]*)\}"
    r"|(?<=[\s\d)}])([A-Za-z]{2,})|(?<=[A-Za-z]{2})/([A-Za-z]{1,12})|(?<=\})\s?/\s?\\(?:text|mathrm)\{([^{}]*)\})"
    r"(?:\s?\^\s?\{?-?[1-4]\}?)?\s*$",
)
_NO_UNIT = frozenset(
    [
        "and",
        "or",
        "if",
        "mod",
        "for",
        "when",
        "where",
        "to",
        "in",
        "is",
        "are",
        "not",
        "than",
        "then",
        "else",
        "times",
        "plus",
        "minus",
        "over",
        "by",
        "sqrt",
        "sin",
        "cos",
        "tan",
        "log",
        "ln",
        "exp",
        "pi",
        "infinity",
        "nan",
        "inf",
        "oo",
        "frac",
        "binom",
        "choose",
        "gcd",
        "lcm",
        "max",
        "min",
        "floor",
        "ceil",
        "base",
        "factorial",
        "modulo",
        "thousand",
        "million",
        "billion",
        "trillion",
        "hundred",
        "dozen",
        "half",
        "other",
        "otherwise",
    ],
)
_BASE = re.compile(r"([+-]?)\(?(\d[0-9A-Za-z]*)\)?\s*_\s*\{?\s*(?:\\text\{)?(\d{1,2})\s*\}?\}?")
_NAME = re.compile(
    # Two or three small letters are a product: xy = 6 gives no name to 6.
    r"(?:[A-Za-z]\d?|[A-Z]{2,3}|[A-Za-z]{4,12}|\\[A-Za-z]{2,10}"
    r"|\\(?:text|mathrm|mathit)\{[^{}=]{1,30}\})"
    r"(?:_\{?\w{1,8}\}?)?'{0,2}(?:\([A-Za-z0-9, ]{1,20}\))?",
)
_RATIO = re.compile(r"(\d+)\s*:\s*(\d+)")
_MAX_SUFFIXES = 6
_CHAIN_PARTS = 3
_MAX_UNIT_CHARS = 60


def number(text: str) -> Fraction | None:
    r"""Value of an answer that is one number, its unit, currency, name or base read away.

    >>> number(r"5\text{ cm}^2"), number("n = 17"), number("43_{6}"), number("5k")
    (Fraction(5, 1), Fraction(17, 1), Fraction(27, 1), None)
    """
    if len(text) > MAX_CHARS:
        return None
    text = text.split(r"\approx", maxsplit=1)[0].strip() or text
    return _measured(text) if "=" not in text else _assigned(text)


def _measured(text: str) -> Fraction | None:
    value = rational(text)
    if value is not None:
        return value
    ratio = _RATIO.fullmatch(text)
    if ratio is not None:
        return rational(f"{ratio[1]}/{ratio[2]}")
    based = _BASE.fullmatch(text)
    if based is not None:
        return _in_base(based[1] + based[2], int(based[3]))
    text = _CURRENCY.sub(r"\1", text, count=1) if _CURRENCY.match(text) else text
    for _ in range(_MAX_SUFFIXES):
        suffix = _SUFFIX.search(text, max(0, len(text) - _MAX_UNIT_CHARS))
        if suffix is None or not text[: suffix.start()].strip() or not _is_unit(suffix):
            break
        text = text[: suffix.start()].rstrip()
    return rational(text)


def _is_unit(suffix: re.Match[str]) -> bool:
    """Whether it can be nothing but a unit: known, or words set as text. 2xy is a product."""
    upright, word, per, per_upright = suffix.groups(default="")
    said = f"{upright} {word} {per} {per_upright}"
    if any(sign.isdigit() for sign in said):
        return False
    is_text = "\\math" not in suffix[0] and "\\operatorname" not in suffix[0]
    unknown = [word, per] if is_text else [upright, word, per, per_upright]
    words = re.findall(r"[^\W\d_]+", said)
    return not _NO_UNIT.intersection(map(str.lower, words)) and all(
        unit_of(f"1 {name.strip()}") is not None for name in unknown if name.strip()
    )


def _in_base(digits: str, base: int) -> Fraction | None:
    if not 2 <= base <= 36 or len(digits) > 600:  # noqa: PLR2004 - the bases that have digits; int's own limit
        return None
    try:
        return rational(str(int(digits, base)))
    except ValueError:
        # A digit that the base does not have: no number at all.
        return None


def _assigned(text: str) -> Fraction | None:
    parts = split_top(text, "=")
    values = [_measured(part) for part in parts]
    if len(parts) == 2:  # noqa: PLR2004 - name = value, either way round
        for name, value in (parts[0], values[1]), (parts[1], values[0]):
            if value is not None and is_name(name):
                return value
        return values[0] if values[0] is not None and values[0] == values[1] else None
    if len(parts) >= _CHAIN_PARTS and values[-1] is not None and values[-2] == values[-1]:
        return values[-1]
    return None


def is_name(text: str) -> bool:
    r"""Whether the text is one name that a value can be given to: "x", `a_1`, `\theta`, "f(2)".

    >>> is_name("x"), is_name("x+y")
    (True, False)
    """
    return _NAME.fullmatch(text.strip()) is not None
