r"""Whether what a cell printed, or the repr of its last value, amounts to an answer.

A value is compared, never a substring: errors, addresses, truncated output, bounds in prose and
truth values match no number. One label before one value is dropped; a list of several values
matches only the whole list.
"""

from __future__ import annotations

import re

from .canonical import Canonical, canonical
from .compare import same

_MAX_OUTPUT_CHARS = 100_000
_NO_VALUE = re.compile(
    r"\[(?:ERROR|WARN|WARNING|INFO|DEBUG)\b.*|\w*(?:Error|Exception|Warning|Interrupt)\b.*|Traceback\b.*"
    r"|.*<[^<>]*\bat 0x[0-9a-fA-F]+>.*|.*(?:\.\.\.|…|\btruncated\b).*"
    r"|None|nan|NaN|-?inf|NotImplemented",
    re.DOTALL,
)
_LABEL = re.compile(
    r"(?![^=:]{0,60}(?:!=|<|>))(?:[A-Za-z][A-Za-z0-9_ '()\[\],.^*+/-]{0,60}?)"
    r"\s*(?:==?|:|\bis\b:?|->|→)\s*(?=\S)",
)
_CALLS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b(?:np|numpy)\.(?:u?int|float|complex)\w*\(([^()]*)\)", r"\1"),
        (r"\b(?:np|numpy)\.str_\('([^()']*)'\)", r"\1"),
        (r"\b(?:np\.)?array\((\[[^()]*\])(?:,\s*dtype=\w+)?\)", r"\1"),
        (
            r"\b(?:mpmath\.)?(?:mpf|mpz|mpq|Decimal|Float|Integer|Symbol)\(\s*'?([^'(),]*)'?(?:,[^()]*)?\)",
            r"\1",
        ),
        (r"\b(?:Fraction|Rational)\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)", r"(\1/\2)"),
        (r"\b(?:Fraction|Rational)\(\s*(-?\d+)\s*\)", r"\1"),
        (r"\b(?:FiniteSet|frozenset|set)\(\s*[\[{]?([^()\[\]{}]*)[\]}]?\s*\)", r"{\1}"),
        (r"\bdict_(?:keys|values)\((\[[^()]*\])\)", r"\1"),
        (r"\bTrue\b", r"true"),
    )
)
_EQUATION = re.compile(r"Eq\((.*)\)", re.DOTALL)
_SOLUTION = re.compile(r"\[?\{\s*'?([A-Za-z]\w*)'?\s*:\s*([^,{}:]+)\}\]?")
_LITERAL_IN_BASE = re.compile(r"'?(-?0[bBoOxX][0-9a-fA-F]{1,600})'?")
_INTERVAL_CALL = re.compile(r"Interval(?:\.(open|Lopen|Ropen))?\(([^()]*)\)")
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_OPEN_ENDS = {None: "[]", "open": "()", "Lopen": "(]", "Ropen": "[)"}
_INTERVAL_ENDS = 2


def output_matches(output: str, answer: str) -> bool:
    r"""Whether a cell's output is the answer.

    Parameters
    ----------
    output
        What a cell printed, or the repr of its last value. Of several lines the last one counts,
        unless all of them are bare values: then they are a list.
    answer
        The answer as written.

    >>> output_matches("Fraction(1, 2)\n", "0.5"), output_matches("8,250", "250")
    (True, False)
    """
    if not output.strip() or len(output) > _MAX_OUTPUT_CHARS:
        return False
    wanted = canonical(answer)
    lines = [line.strip() for line in output.strip().splitlines() if line.strip()]
    if len(lines) > 1:
        whole = (
            _readings(" ".join(lines))
            if output.lstrip().startswith(("Matrix", "[", "array"))
            else []
        )
        values = [canonical(_python_as_text(line)) for line in lines]
        if all(value.form != "text" for value in values):
            whole = [canonical(", ".join(map(_python_as_text, lines)))]
            return any(same(value, wanted) is True for value in whole)
        if any(same(value, wanted) is True for value in whole):
            return True
    return any(same(value, wanted) is True for value in _readings(lines[-1]))


def _readings(line: str) -> list[Canonical]:
    """What one line may stand for: itself, and what follows its one label."""
    if _NO_VALUE.fullmatch(line):
        return []
    readings = [canonical(text) for text in _spellings(line)]
    label = _LABEL.match(line)
    if label is not None:
        rest = line[label.end() :].strip()
        if rest.endswith(".") and not rest.endswith(".."):
            rest = rest[:-1]
        if rest and not _NO_VALUE.fullmatch(rest):
            readings += [canonical(text) for text in _spellings(rest)]
    return readings


def _spellings(text: str) -> list[str]:
    text = _python_as_text(text)
    spellings = [text]
    if text.startswith("[") and text.endswith("]"):
        # A list of solutions is a set of them, and a list of one is that one.
        spellings += ["{" + text[1:-1] + "}", text[1:-1]]
    if text.endswith(",)"):
        spellings.append(text[1:-2])
    if text.startswith("{") and text.endswith("}") and "," not in text and ":" not in text:
        spellings.append(text[1:-1])
    return spellings


def _python_as_text(text: str) -> str:
    """One line of Python's, NumPy's or SymPy's printing, in the spelling that answers have."""
    based = _LITERAL_IN_BASE.fullmatch(text)
    if based is not None:
        return str(int(based[1], 0))
    solution = _SOLUTION.fullmatch(text)
    if solution is not None:
        return solution[2].strip()
    equation = _EQUATION.fullmatch(text)
    if equation is not None and equation[1].count(",") == 1:
        return equation[1].replace(",", " = ")
    for pattern, replacement in _CALLS:
        text = pattern.sub(replacement, text)
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        return quoted[1] or quoted[2] or ""
    text = _INTERVAL_CALL.sub(_interval, text)
    if text.startswith("Union(") and text.endswith(")"):
        parts = re.findall(r"[\[(][^\[\]()]*[\])]", text[len("Union(") : -1])
        return r" \cup ".join(parts)
    return text


def _interval(match: re.Match[str]) -> str:
    ends = _OPEN_ENDS[match[1]]
    values = match[2].split(",")
    return f"{ends[0]}{match[2]}{ends[1]}" if len(values) == _INTERVAL_ENDS else match.group()
