r"""Lists, sets, tuples, intervals and matrices as text: taking them apart at the top level.

Works on what `plain.plain` gives; knows brackets and separators, not numbers.
"""

from __future__ import annotations

import re

_OPENING, _CLOSING = "([{", ")]}"
_WORD_SEPARATOR = re.compile(
    r"\\(?:text|mbox|textrm|mathrm)\s*\{\s*,?\s*(?:and|or)\s*\}|\b(?:and|or)\b"
)
_THOUSANDS = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_MATRIX = re.compile(
    r"\\begin\{([bBpvV]?matrix|smallmatrix|array)\}(?:\s*\{[lcr| ]*\})?(.*)\\end\{\1\}",
    re.DOTALL,
)
_ROW_END = re.compile(r"\\\\|\\cr\b")
MAX_ELEMENTS = 1_000


def split_top(text: str, separators: str) -> list[str]:
    """Parts of the text between separators that stand outside all brackets, without outer spaces.

    >>> split_top("(1, 2), 3", ",")
    ['(1, 2)', '3']
    """
    parts: list[str] = []
    depth = start = 0
    for index, sign in enumerate(text):
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif depth == 0 and sign in separators:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()]


def bracketed(text: str) -> tuple[str, str, str] | None:
    r"""Opening bracket, inside and closing bracket, if one pair encloses the whole text.

    Brackets of an interval may differ: "(0, 1]". Printed braces `\{ \}` count as braces.

    >>> bracketed(r"\{1, 2\}"), bracketed("(1)(2)")
    (('{', '1, 2', '}'), None)
    """
    text = text.replace(r"\{", "{").replace(r"\}", "}")
    if len(text) < 2 or text[0] not in _OPENING or text[-1] not in _CLOSING:  # noqa: PLR2004 - a pair
        return None
    depth = 0
    for index, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0:
            return (text[0], text[1:-1].strip(), text[-1]) if index == len(text) - 1 else None
    return None


def bare_list(text: str) -> list[str] | None:
    r"""Elements of a list without brackets: "3, 8", `15 \text{ and } 28`; None if it is none.

    >>> bare_list("1,234 and 5"), bare_list("1234")
    (['1234', '5'], None)
    """
    separated = _WORD_SEPARATOR.sub(",", text)
    if separated != text or ", " in separated or ";" in separated:
        separated = _THOUSANDS.sub(lambda match: match.group().replace(",", ""), separated)
    parts = split_top(separated.replace(r"\{", "{").replace(r"\}", "}"), ",;")
    parts = [part for part in parts if part]
    return parts if 1 < len(parts) <= MAX_ELEMENTS else None


def matrix_rows(text: str) -> list[list[str]] | None:
    r"""Rows of a LaTeX or SymPy matrix, or None.

    >>> matrix_rows(r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"), matrix_rows("Matrix([[1], [2]])")
    ([['1', '2'], ['3', '4']], [['1'], ['2']])
    """
    bare = text.strip("[]() ")
    match = _MATRIX.fullmatch(bare) or _MATRIX.fullmatch(text)
    if match is not None:
        rows = [row.strip() for row in _ROW_END.split(match[2])]
        return [[cell.strip() for cell in row.split("&")] for row in rows if row]
    if not text.startswith("Matrix(") or not text.endswith(")"):
        return None
    outer = bracketed(text[len("Matrix(") : -1].strip())
    if outer is None:
        return None
    lines = [bracketed(row) for row in split_top(outer[1], ",")]
    if any(line is None for line in lines):
        return [[row] for row in split_top(outer[1], ",")]
    return [split_top(line[1], ",") for line in lines if line is not None]
