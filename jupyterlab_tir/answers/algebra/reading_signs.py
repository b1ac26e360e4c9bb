# ruff: noqa: RUF001, SIM905 - full-width and typographic signs are what models write
r"""Signs and LaTeX commands that say the same, under one name each.

Tables, and the rewriting of Unicode scripts and fractions to LaTeX's spelling.
"""

from __future__ import annotations

import re
import unicodedata

SIGNS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "×": "*", "·": "*", "⋅": "*",
    "∙": "*", "•": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/", "**": "^", "≤": "<=", "⩽": "<=",
    "≦": "<=", "=<": "<=", "≥": ">=", "⩾": ">=", "≧": ">=", "≠": "!=", "<>": "!=", "==": "=",
    ":=": "=", "≔": "=", "∈": "in", "∉": "notin", "∪": "cup", "∩": "cap", "∖": "setminus",
    "±": "pm", "∓": "mp", "+/-": "pm", "≈": "approx", "≃": "approx", "≅": "approx", "≡": "equiv",
    "⟨": "<(", "⟩": ")>", "〈": "<(", "〉": ")>", "⌊": "floor(", "⌋": ")floor", "⌈": "ceil(",
    "⌉": ")ceil", "°": "degree", "º": "degree", "˚": "degree", "∧": "|and", "∨": "|or", "¬": "~",
    "&&": "&", "→": "->", "′": "'", "’": "'", "‘": "'", "∣": "mid", "％": "%",
    "∠": "angle", "△": "triangle", "∑": "sum", "∏": "prod", "∫": "int", "…": "...", "⋯": "...",
}  # fmt: skip
"""What a sign is called among tokens; signs that are not here keep their own."""

COMMANDS = {
    "cdot": "*", "times": "*", "ast": "*", "bullet": "*", "div": "/", "slash": "/", "le": "<=",
    "leq": "<=", "leqslant": "<=", "leqq": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=",
    "geqq": ">=", "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "in": "in", "isin": "in",
    "notin": "notin", "cup": "cup", "cap": "cap", "setminus": "setminus", "backslash": "setminus",
    "smallsetminus": "setminus", "pm": "pm", "mp": "mp", "approx": "approx", "simeq": "approx",
    "thickapprox": "approx", "doteq": "approx", "equiv": "equiv", "langle": "<(", "rangle": ")>",
    "lfloor": "floor(", "rfloor": ")floor", "lceil": "ceil(", "rceil": ")ceil", "lvert": "abs(",
    "rvert": ")abs", "vert": "|", "mid": "mid", "lbrace": "\\{", "rbrace": "\\}", "lbrack": "[",
    "rbrack": "]", "lparen": "(", "rparen": ")", "degree": "degree", "circ": "circ", "land": "|and",
    "wedge": "|and", "lor": "|or", "vee": "|or", "lnot": "~", "neg": "~", "to": "->",
    "rightarrow": "->", "longrightarrow": "->", "prime": "'", "colon": ":", "percent": "%",
    "ldots": "...", "dots": "...", "cdots": "...", "euro": "€", "pounds": "£", "textdollar": "\\$",
}  # fmt: skip
"""LaTeX commands that are signs."""

STRUCTURES = {
    name: name
    for name in (
        "frac sqrt binom over choose sum prod int lim pmod bmod mod pod overline bar hat vec"
        " tilde dot"
        " ddot widehat widetilde overrightarrow partial angle triangle"
    ).split()
} | {"dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "nicefrac": "frac", "sfrac": "frac",
     "flatfrac": "frac", "dbinom": "binom", "tbinom": "binom", "atop": "choose",
     "surd": "sqrt", "measuredangle": "angle"}  # fmt: skip
"""LaTeX commands that the parser reads on from."""

DROPPED = (
    "displaystyle|textstyle|scriptstyle|scriptscriptstyle|limits|nolimits|nonumber|hline|notag"
    "|boxed|fbox|underline|therefore|because|phantom|mathstrut|strut|normalsize|large|Large|small"
)
"""LaTeX commands that change nothing but looks."""

_SCRIPTS = (
    ("^", re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᶜᵈᵉᵏᵐᵗ]+")),
    ("_", re.compile("[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₗₘₙₓ]+")),
)
_VULGAR = re.compile("[¼½¾⅐-⅞]")
_SPECIAL_SIGNS = re.compile("[ℝℤℕℚℂ∞π∅]")
_SPECIAL = {
    "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℕ": r"\mathbb{N}", "ℚ": r"\mathbb{Q}",
    "ℂ": r"\mathbb{C}", "∞": r"\infty ", "π": r"\pi ", "∅": r"\emptyset ",
}  # fmt: skip


def spelled_out(text: str) -> str:
    r"""The text with Unicode scripts and fractions in LaTeX's spelling.

    >>> spelled_out("x²+½"), spelled_out("a₁₂")
    ('x^{2}+\\frac{1}{2}', 'a_{12}')
    """
    for mark, pattern in _SCRIPTS:
        text = pattern.sub(
            lambda match, mark=mark: f"{mark}{{{_normal(match.group())}}}",  # type: ignore[misc]
            text,
        )
    text = _VULGAR.sub(_vulgar, text)
    return _SPECIAL_SIGNS.sub(lambda match: _SPECIAL[match.group()], text)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("−", "-")


def _vulgar(match: re.Match[str]) -> str:
    numerator, _, denominator = unicodedata.normalize("NFKC", match.group()).partition("⁄")
    return rf"\frac{{{numerator}}}{{{denominator}}}"
