# ruff: noqa: RUF001 - full-width and typographic signs are what models write
r"""One spelling for what people, LaTeX, SymPy and Python write differently.

Rewrites text only: delimiters and boxes off, Unicode signs to ASCII, LaTeX spacing away, one name
for each function and constant. It drops nothing that carries meaning; units and currency are
dropped by `canonical`, where they stand beside a number.
"""

from __future__ import annotations

import re
import unicodedata

from .boxes import BoxFinder

_UNICODE = str.maketrans(
    {
        "−": "-", "–": "-", "‐": "-", "‑": "-", "﹣": "-", "－": "-", "＋": "+",
        "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/",
        "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "∞": r"\infty ", "π": r"\pi ", "∪": r"\cup ",
        "∩": r"\cap ", "∈": r"\in ", "∅": r"\emptyset ", "±": r"\pm ", "≈": r"\approx ",
        "（": "(", "）": ")", "，": ",", "：": ":", "；": ";", "。": ".", "％": "%", "＝": "=",
        "⟨": r"\langle ", "⟩": r"\rangle ", "’": "'", "‘": "'", "“": '"', "”": '"', "′": "'",
        "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2007": " ", "\u200b": "", "\ufeff": "",
    },
)  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_VULGAR = re.compile("[¼½¾⅐-⅞]")
_ROOT = re.compile(r"√\s*(\d+|[a-zA-Z]|(?=\())")

_WRAPPERS = (
    ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("**", "**"), ("`", "`"), ('"', '"'),
)  # fmt: skip
_BOX = re.compile(r"\\{1,2}(?:boxed|fbox|framebox)\s*\{")
_TWICE_ESCAPED = re.compile(
    r"\\\\(?=(?:d?frac|tfrac|sqrt|text|cdot|times|pi|left|right|boxed|binom|infty)\b|[{}])"
)
_REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (
            r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|nolimits)(?![A-Za-z])\.?",
            "",
        ),
        (r"(?<=\d)(?:\{,\}|,\\!|\\,|\\;|\\ |\\!)(?=\d{3}(?!\d))", ""),
        (r"(?<!\\)\\(?:[,;:! ]|q?quad(?![A-Za-z]))|~", " "),
        (r"\\(?:text|textbf|mathbf|mathrm|bf)\s*\{\s*([\d.,+/-]+)\s*\}", r" \1 "),
        (r"\\(?:d|t|c)frac(?![A-Za-z])", r"\\frac"),
        (r"\\(?:d|t)binom(?![A-Za-z])", r"\\binom"),
        (r"\\lfloor(?![A-Za-z])", "floor("),
        (r"\\lceil(?![A-Za-z])", "ceil("),
        (r"\\(?:rfloor|rceil)(?![A-Za-z])", ")"),
        (r"\\(?:cdot|times|ast)(?![A-Za-z])", "*"),
        (r"\\div(?![A-Za-z])", "/"),
        (r"\*\*", "^"),
        (r"\\(?:leq|leqslant)(?![A-Za-z])", r"\\le "),
        (r"\\(?:geq|geqslant)(?![A-Za-z])", r"\\ge "),
        (r"<=", r"\\le "),
        (r">=", r"\\ge "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\(?:varnothing|emptyset)(?![A-Za-z])|\bEmptySet(?:\(\))?|\bset\(\)|\\\{\s*\\\}", "{}"),
        (r"\\infty(?![A-Za-z])|\boo\b", "infinity"),
        (r"\\pi(?![A-Za-z])", "pi "),
        (r"\\(?:langle|lparen|lbrack)(?![A-Za-z])", "("),
        (r"\\(?:rangle|rparen|rbrack)(?![A-Za-z])", ")"),
        (r"\\(?:mathbf|mathrm|mathit|mathsf|operatorname|rm|bf)\s*\{([A-Za-z])\}", r"\1"),
        (r"\\mathbb\{R\}|\\mathbf\{R\}|\bReals\b", r"\\R "),
        (
            r"\\(sin|cos|tan|log|ln|exp|cot|sec|csc|arctan|arcsin|arccos|max|min|gcd)(?![A-Za-z])",
            r"\1",
        ),
        (r"\\sqrt\s*(\d|[A-Za-z])(?![\[{])", r"\\sqrt{\1}"),
    )
)
_MIXED = re.compile(r"(?<![\d.])(\d+)\s+(\d+)\s*/\s*(\d+)(?![\d.])")
_SPACED_GROUPS = re.compile(r"(?<![\d.])\d{1,3}(?: \d{3})+(?![\d.]| ?[\d/])")
_UNDERSCORED = re.compile(r"(?<!\d)\d{1,3}(?:_\d{3})+(?!\d)")
MAX_UNWRAPPED = 12


def unwrapped(raw: str) -> str:
    r"""The text without what stands around the whole of it: `$…$`, `\(…\)`, `**`, boxes.

    >>> unwrapped(r"**$\boxed{5}$**.")
    '5'
    """
    text = raw.strip()
    for _ in range(MAX_UNWRAPPED):
        before = text
        if text.endswith((".", ",", ";", "。", "，")) and not text.endswith((r"\,", r"\;", "..")):
            text = text[:-1].rstrip()
        if text.endswith("\\") and (len(text) - len(text.rstrip("\\"))) % 2:
            text = text[:-1].rstrip()
        for box in BoxFinder().feed(text) if _BOX.match(text) else []:
            if (box.start, box.end) == (0, len(text)):
                text = text[box.content_start : box.content_end].strip()
                break
        for opening, closing in _WRAPPERS:
            inner = text[len(opening) : -len(closing)]
            longer = len(text) > len(opening) + len(closing)
            if (
                longer
                and text.startswith(opening)
                and text.endswith(closing)
                and opening not in inner
            ):
                text = inner.strip()
        if text == before:
            break
    return text


def plain(raw: str) -> str:
    r"""The answer in one spelling; still text, still all that was said.

    >>> plain(r"\dfrac{1}{2} \times 3"), plain("x² - 1"), plain("½"), plain(r"1{,}234")
    ('\\frac{1}{2} * 3', 'x^{2} - 1', '\\frac{1}{2}', '1234')
    """
    text = _VULGAR.sub(_vulgar, raw)
    text = _SUPERSCRIPT.sub(lambda m: "^{" + m.group().translate(_SUPERSCRIPTS) + "}", text)
    text = _SUBSCRIPT.sub(lambda m: "_{" + m.group().translate(_SUBSCRIPTS) + "}", text)
    text = _ROOT.sub(lambda m: r"\sqrt" + (f"{{{m[1]}}}" if m[1] else ""), text).translate(_UNICODE)
    text = _TWICE_ESCAPED.sub(r"\\", text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = _SPACED_GROUPS.sub(lambda m: m.group().replace(" ", ""), text)
    text = _UNDERSCORED.sub(lambda m: m.group().replace("_", ""), text)
    text = _MIXED.sub(_mixed, text)
    return " ".join(text.split())


def _vulgar(match: re.Match[str]) -> str:
    numerator, _, denominator = unicodedata.normalize("NFKC", match.group()).partition("⁄")
    return rf"\frac{{{numerator}}}{{{denominator}}}"


def _mixed(match: re.Match[str]) -> str:
    whole, numerator, denominator = match.groups()
    if len(numerator) > len(denominator) or (
        len(numerator) == len(denominator) and numerator >= denominator
    ):
        return match.group()
    return rf"{whole}\frac{{{numerator}}}{{{denominator}}}"
