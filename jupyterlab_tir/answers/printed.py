# ruff: noqa: RUF001 - signs that SymPy prints
"""Which text of an output is its value, and the spellings in which that value can be compared.

Text in, texts out; nothing is compared here and nothing is evaluated. Output that is an error, a
notice, an object's address, a table, a drawing of a formula or cut short has no value.
"""

from __future__ import annotations

import re

from .structure import bracketed, split_top

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NO_VALUE = re.compile(
    r"\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|CRITICAL)\b.*|.*\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt)\b.*"
    r"|(?:[Ee]rror|SystemExit|StopIteration|GeneratorExit|Traceback|Killed|Aborted|Segmentation)\b.*"
    r"|.*\b(?:timed out|[Tt]ime ?out|time limit|memory limit|out of memory|no output)\b.*"
    r"|.*\bexit(?:ed)?\b.*\b(?:code|status)\b.*|.*(?:\.\.\.|…|\btruncated\b).*"
    r"|[~≈].*|<[^<>]*>|.*<[^<>]*\bat 0x[0-9a-fA-F]+>.*|b'[^']*'"
    r"|(?:None|NaT|NotImplemented|Ellipsis|zoo)"
    r"|(?:.*[\s\[({,=:+-])?(?:nan|NaN)(?:[\s\])},.+-].*|j\)?)?",
    re.DOTALL,
)
_TRACEBACK = re.compile(r"^\s*Traceback \(most recent call last\)", re.MULTILINE)
_TIMING = re.compile(
    r"(?:elapsed|(?:run|running|wall|total|cpu|execution|computation)[ -]?times?"
    r"|time(?: taken| elapsed| used)?|took|finished in|done in|cpu times)\b.*\d.*",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?![^=:]{0,60}(?:!=|<|(?<![-=])>))(?:[^\W\d_\\][\w '’()\[\],.*+/-]{0,60}?)"
    r"\s*(?:==?|[:：]|\bis\b:?|->|→|=>)\s*(?=\S)",
)
_NO_RESULT = re.compile(
    r"\b(?:not|no|none|wrong|incorrect|false|invalid|bounds?|limits?|seeds?|iterations?|guess|tried"
    r"|trials?|tests?|checking|checked|skipped)\b",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"[-+]?[\d.,]+\s*%?\s*(?:passed|failed|errors?|warnings?|done|complete|iterations?|steps|tests?)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]{0,15})\s*(?:=|:)\s*([^=:]+?)\s*")
_DRAWN = re.compile(r"[⎛-⎳─│┌-╿╱╲⌠⌡∫∑∏]")
_BAR = re.compile(r"\s*([-─]+)\s*")
_PLAIN_VALUE = re.compile(
    r"(?:[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?j?|[-+*/^().,\[\]{}\s]|\b(?:sqrt|pi|E|I|oo|log|exp"
    r"|Fraction|Rational|Integer|Float|np|numpy|u?int\d+|float\d+|array|mpf|mpq|Decimal|Matrix)\b|')+"
)
_SPACED = re.compile(r"\S+(?: \S+)+")
_INTEGER = re.compile(r"[-+]?\d+")
_NUMBER = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:/\d+)?j?|\([^()]*\)|\[[^\[\]]*\]|[-+]?(?:pi|oo|I|E)|[-+]?sqrt\(\d+\)(?:/\d+)?"
)
_GAP_IN_ARRAY = re.compile(r"(?<=[\d.\])j'])\s+(?=[-+\d.\[('])")
_QUOTED = re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'|\"([^\"\\]*(?:\\.[^\"\\]*)*)\"")
_CONTAINER = re.compile(
    r"(?:np\.|numpy\.)?(?:array|asarray|tensor|list|tuple|deque|dict_(?:keys|values))"
    r"\((.*?)(?:,\s*(?:dtype|device|maxlen)=[^()]*)?\)",
    re.DOTALL,
)
_OPENING, _CLOSING = "([{", ")]}"
_MAX_LINES = 1_000
_MAX_SPELLED = 50
_MAX_NESTING = 3


def values(output: str) -> list[str]:
    r"""Texts that an output may amount to, most literal first; none if it shows no value.

    Of several lines the last one counts, unless all of them are bare values: then they are a list.
    One label before one value is dropped.

    >>> values("n = 17"), values("3\n8"), values("<map object at 0x7f00>")
    (['n = 17', '17'], ['3, 8'], [])
    """
    text = _ESCAPES.sub("", output)
    rows = [row for row in text.splitlines() if row.strip()]
    if not rows or _TRACEBACK.search(text) or _is_drawn(rows):
        return []
    lines = _logical(rows)
    while len(lines) > 1 and _TIMING.fullmatch(lines[-1]):
        lines = lines[:-1]
    if len(lines) == 1:
        return _of_line(lines[0])
    if len(lines) <= _MAX_LINES and all(map(_is_bare, lines)):
        whole = [_listed(line) for line in lines]
        return [whole[0]] if len(set(whole)) == 1 else [", ".join(whole)]
    if "  " in lines[-1] and not _is_bare(lines[-1].replace("  ", "")):
        return []
    if re.search(r"\S {2,}\S", lines[-1]):
        # Columns: a row of a table is not its value.
        return []
    return _of_assignments(lines) + _of_line(lines[-1])


def _is_drawn(rows: list[str]) -> bool:
    """Whether a formula is drawn over several lines, as SymPy's pretty printer does."""
    if len(rows) == 1:
        return False
    if any(map(_DRAWN.search, rows)):
        return True
    for above, row, below in zip(rows, rows[1:], rows[2:], strict=False):
        bar = _BAR.fullmatch(row)
        if bar is not None and len(bar[1]) == max(len(above.strip()), len(below.strip())):
            return True
    # Exponents stand on a line of their own above gaps in the line below, which is padded alike.
    upper, lower = rows[-2], rows[-1]
    exponents = upper[:1] == " " and re.fullmatch(r"[ \w/.+-]+", upper) is not None
    return (
        exponents
        and len(upper.rstrip()) <= len(lower)
        and all(lower[at : at + 1] in {" ", ""} for at, sign in enumerate(upper) if sign != " ")
    )


def _logical(rows: list[str]) -> list[str]:
    """Lines, each pair of brackets on one; the rows as they are if a bracket never closes."""
    lines: list[str] = []
    parts: list[str] = []
    depth = 0
    for row in rows:
        parts.append(row.strip())
        depth += sum((sign in _OPENING) - (sign in _CLOSING) for sign in row)
        if depth <= 0:
            lines.append(" ".join(parts))
            parts, depth = [], 0
    return lines if not parts else [row.strip() for row in rows]


def _is_bare(line: str) -> bool:
    return _PLAIN_VALUE.fullmatch(line) is not None and any(sign.isalnum() for sign in line)


def _listed(line: str) -> str:
    """One of several bare lines, as an element of their list."""
    tokens = _tokens(line)
    return "(" + ", ".join(tokens) + ")" if tokens else line


def _tokens(line: str) -> list[str]:
    """What `print(a, b)` printed beside each other; nothing if the line is no such row."""
    if not _SPACED.fullmatch(line) or "," in line.replace(", ", ""):
        return []
    tokens = split_top(line, " ")
    several = 1 < len(tokens) <= _MAX_LINES
    return tokens if several and all(map(_NUMBER.fullmatch, tokens)) else []


def _of_assignments(lines: list[str]) -> list[str]:
    """All lines as one answer, if each gives a value to a name of its own."""
    named = [_NAMED.fullmatch(line) for line in lines]
    found = [match for match in named if match is not None]
    names = {match[1] for match in found}
    if len(found) < len(lines) or len(names) < len(lines) or len(lines) > _MAX_SPELLED:
        return []
    return [
        ", ".join(f"{match[1]} = {match[2]}" for match in found),
        "(" + ", ".join(match[2] for match in found) + ")",
    ]


def _of_line(line: str) -> list[str]:
    if any(pattern.fullmatch(line) for pattern in (_NO_VALUE, _TIMING, _STATUS)):
        return []
    label = _LABEL.match(line)
    if label is not None and _NO_RESULT.search(label[0]):
        return []
    texts = _of_value(line)
    if label is not None:
        rest = line[label.end() :].strip()
        if rest.endswith(".") and not rest.endswith(".."):
            rest = rest[:-1]
        if rest and not _NO_VALUE.fullmatch(rest):
            texts += _of_value(rest)
    return texts


def _of_value(text: str) -> list[str]:
    tokens = _tokens(text)
    if not tokens:
        return [text]
    listed = ["(" + ", ".join(tokens) + ")", ", ".join(tokens)]
    # Python prints no thousands apart and no mixed numbers; a format may print the latter.
    return listed if all(map(_INTEGER.fullmatch, tokens)) else [*listed, text]


def spellings(text: str, *, depth: int = 0) -> list[str]:
    """A value as printed, and the same value as people write it: lists as sets and tuples.

    >>> spellings("[3]"), spellings("'42'"), spellings("True")
    (['[3]', '3'], ['42'], ['true', 'yes'])
    """
    container = _CONTAINER.fullmatch(text) if depth < _MAX_NESTING else None
    if container is not None:
        return [text, *spellings(container[1], depth=depth + 1)]
    found = elements(text) if depth < _MAX_NESTING else None
    if found is None:
        return _of_one(text)
    opening, parts = found
    if len(parts) == 1:
        return [text, *spellings(parts[0], depth=depth + 1)]
    joined = ", ".join(parts)
    if opening == "{":
        return ["{" + joined + "}"]  # a set has no order, and a tuple has
    spelled = [opening + joined + _CLOSING[_OPENING.index(opening)]]
    spelled += ["{" + joined + "}", joined, "(" + joined + ")"]
    inner = [elements(part) for part in parts]
    if all(part is not None and part[0] == "[" for part in inner):
        rows = ", ".join("(" + part[1:-1] + ")" for part in parts)
        spelled += [f"Matrix([{joined}])", "{" + rows + "}"]
    return spelled


def _of_one(text: str) -> list[str]:
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None:
        return [(quoted[1] or quoted[2] or "").strip()]
    if text in {"True", "False"}:
        return ["true", "yes"] if text == "True" else ["false", "no"]
    if text.lstrip("+-") in {"inf", "Infinity"}:
        return [text.replace("inf", "oo").replace("Infinity", "oo")]
    return [text]


def elements(text: str) -> tuple[str, list[str]] | None:
    """Opening bracket and elements of a printed list, tuple or set; None if it is none."""
    outer = bracketed(text)
    if outer is None or not outer[1]:
        return None
    opening, inside, closing = outer
    if _CLOSING.index(closing) != _OPENING.index(opening):
        return None
    if "," not in inside and opening == "[":
        inside = _GAP_IN_ARRAY.sub(", ", inside)
    parts = [_unquoted(part) for part in split_top(inside, ",") if part]
    if opening == "(" and len(parts) == 1 and not inside.endswith(","):
        return None
    if opening == "{" and any(len(split_top(part, ":")) > 1 for part in parts):
        return None
    return (opening, parts) if parts else None


def _unquoted(part: str) -> str:
    quoted = _QUOTED.fullmatch(part)
    return part if quoted is None else quoted[1] or quoted[2] or ""
