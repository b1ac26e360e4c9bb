# ruff: noqa: RUF001 - full-width and typographic signs are what models write
"""The regular expressions of the tokenizer.

Each is linear: what can repeat is bounded or cannot begin again inside itself.
"""

from __future__ import annotations

import re

from .reading_phrases import CLOCK
from .reading_signs import DROPPED

_TEXT_COMMAND = (
    r"\\(?:text(?:bf|it|rm|sf|tt|normal|up)?|mbox|hbox|mathrm|mathbf|mathit|mathsf|mathcal|mathtt"
    r"|mathnormal|mathop|boldsymbol|bm|pmb|operatorname\*?|rm|bf|emph)(?![A-Za-z])"
)
_BASE = (
    r"\s*_\s*(?:\{\s*\(?\s*(?:\\text\s*\{\s*)?(?P<b4>\d{1,2}|[a-z]{3,8})\s*\}?\s*\)?\s*\}"
    r"|(?P<b5>\d{1,2}))(?![\d_])"
)
_PATTERNS = (
    ("wide", r"\\q?quad(?![A-Za-z])"),
    (
        "space",
        (
            r"\s+|~(?!\()|\\[,;:! >]|\\(?:thinspace|enspace|hfill|nobreak)(?![A-Za-z])"
            r"|\\hspace\s*\{[^{}]*\}"
        ),
    ),
    ("clock", CLOCK),
    ("sized", r"\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?:\.(?!\d))?"),
    (
        "grouped",
        (
            r"(?<![\d.])\d{1,3}(?:(?:(?:\{,\}|,\\[!,]|\\,|\\;|\\ |\\:|\\!|~|_|')\d{3})+(?!\d)"
            r"|(?:[ \u2009\u202f\u00a0]\d{3})+(?!\d|\s*/))(?:\.\d+)?(?!\d)"
        ),
    ),
    (
        "choose",
        r"(?<![\w.^{])(?P<c1>\d{1,6}|n)(?P<c2>[CP])(?:(?P<c3>\d{1,6}|[rk])|_(?P<c4>\d{1,6}))(?![\w.^])",
    ),
    ("commas", r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d|,\d)"),
    (
        "based",
        r"(?:" + _TEXT_COMMAND + r"\s*\{\s*\(?\s*(?P<b1>[0-9A-Za-z]+)\s*\)?\s*\}"
        r"|\(\s*(?:\\(?:text|mathrm)\s*\{\s*)?(?P<b2>[0-9A-Za-z]+)\s*\}?\s*(?:\\right\s*)?\)"
        r"|(?<![\w.])(?P<b3>\d[0-9A-Z]*(?:\.\d+)?|[A-Z][0-9A-Z]+))" + _BASE,
    ),
    ("radix", r"(?<!\w)0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+)(?!\w)"),
    (
        "overlined",
        r"\d*\.\d*\\(?:overline|bar|dot)\s*(?:\{\d+\}|\d)(?:\d*\\dot\s*(?:\{\d\}|\d))?",
    ),
    ("bracketed", r"\d*\.\d*\(\d+\)(?!\s*[\^!])"),
    ("dotted", r"\d*\.\d+\s*(?:\\(?:l|c)?dots(?![A-Za-z])|\.\.\.|…)"),
    ("imaginary", r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[jJ](?![A-Za-z0-9_^({])"),
    ("number", r"(?:\d+(?:\.\d+|\.(?![\d.]))?|\.\d+)(?:[eE][+-]?\d+(?!\w))?"),
    (
        "blackboard",
        r"\\(?:mathbb|Bbb|mathbf)\s*(?:\{\s*(?P<bb1>[RZNQC])\s*\}|(?P<bb2>[RZNQC])(?![A-Za-z]))",
    ),
    ("text", _TEXT_COMMAND + r"\s*\{(?P<t>[^{}]*)\}"),
    ("styled", _TEXT_COMMAND + r"|\\(?:" + DROPPED + r")(?![A-Za-z])"),
    (
        "begin",
        r"\\begin\s*\{\s*(?P<env>[A-Za-z]+)\*?\s*\}(?:\s*\{[lcr|@\s]*\}|\s*\[[lcrtb]*\])?",
    ),
    ("end", r"\\end\s*\{\s*(?P<envend>[A-Za-z]+)\*?\s*\}"),
    ("row", r"\\\\|\\cr(?![A-Za-z])"),
    ("command", r"\\[A-Za-z]+"),
    ("escaped", r"\\[^\sA-Za-z]"),
    (
        "currency",
        r"(?<![A-Za-z])(?:(?:US|HK|CA|AU|NZ|C|A)\s*\\?\$|(?:Rs\.?|USD|EUR|GBP|INR)\s*(?=\d))",
    ),
    ("dotname", r"[A-Za-z]\w{0,40}(?:\.[A-Za-z]\w{0,40}){1,3}"),
    ("letters", r"[^\W\d_]+"),
    ("several", r"\*\*|<=|>=|==|!=|<>|:=|=<|->|=>|\.\.\.|\+/-|&&|!!(?!=)"),
    ("sign", r"."),
)
_AMBIGUOUS = frozenset({"based", "choose", "clock"})
TOKEN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS), re.DOTALL)
UNAMBIGUOUS = re.compile(
    "|".join(f"(?P<{name}>{part})" for name, part in _PATTERNS if name not in _AMBIGUOUS), re.DOTALL
)
"""What a piece is that looks like digits in a base, 10C3 or a time of day, and is none."""
IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,60}")
STRING = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"")
PYTHON = re.compile(r"\*|==|\bnp\.|[\])]\s*[&|]\s*[(\[]")
WORD_TEXT = re.compile(r"[^\W\d_][^\W\d_\s,.'’/()-]*(?:[\s,.'’/()-]+[^\W\d_]+)*[.,]?")
MODULES = re.compile(
    r"(?:(?:np|numpy|math|cmath|sp|sympy|mp|mpmath|fractions|decimal|scipy|special|S)\.)+"
)
LONE_I = re.compile(r"(?<![A-Za-z\\])i(?![A-Za-z])")
LONE_J = re.compile(r"(?<![A-Za-z\\])j(?![A-Za-z])")
UNIT_MAY_FOLLOW = re.compile(r"\s+\d|\s*(?:$|[,;.)\]}^/=+-]|\\[,\]}$]|(?:and|or|per)\b|\\text)")
BESIDE_UNIT = re.compile(r"\.?\s+[a-z]{2,}")
CALLED = re.compile(r"\b[A-Za-z]\w{1,40}(?:\.\w{1,40})?(?=\()")
NUMBERED = re.compile(r"([A-Za-z]|alpha|beta|theta|lambda|mu|sigma|omega|phi)(\d+)")
MEMBER = re.compile(r"\s+[(\[{A-Z\\]")
UNION = re.compile(r"\s+[(\[{\\]")
RELATION = re.compile(r"\s*(?:=|<|>|≤|≥|\\(?:[lg]e|[lg]eq|in|ne|neq|approx)(?![A-Za-z]))")
RAISED_END = re.compile(r"\s*\}")
RAISED = re.compile(r"\s*\^")
INDEXED = re.compile(r"\s*_")
_MIN_REPEATS_OF_DIGIT = 3


def repeating(piece: str) -> str | None:
    r"""Start and period of a repeating decimal, "0.1|6"; None if no period shows.

    >>> repeating(r"0.1\overline{6}"), repeating("0.1666..."), repeating(r"0.\dot{1}2\dot{3}")
    ('0.1|6', '0.1|6', '0.|123')
    >>> repeating("0.142857142857..."), repeating("3.14159...")
    ('0.|142857', None)
    """
    marked = re.match(r"(\d*\.\d*)\\", piece)
    if marked is not None and not re.search(r"\\[lc]?dots", piece):
        return f"{marked[1]}|{re.sub(r'[^0-9]', '', piece[marked.end() :])}"
    digits = re.match(r"(\d*\.)(\d+)", piece)
    if digits is None:
        return None
    decimals = digits[2]
    last = decimals[-1]
    same = len(decimals) - len(decimals.rstrip(last))
    if same >= _MIN_REPEATS_OF_DIGIT:
        return f"{digits[1]}{decimals[:-same]}|{last}"
    for period in range(2, min(len(decimals) // 2, 30) + 1):
        block = decimals[-period:]
        if decimals.endswith(block * 2):
            start = decimals
            while start.endswith(block):
                start = start[:-period]
            return f"{digits[1]}{start}|{block}"
    return None
