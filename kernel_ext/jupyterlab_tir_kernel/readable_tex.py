r"""TeX as text that a person reads: `\frac{\sqrt{3}}{2}` is √3/2.

For pages and readers that have no typesetter. What is not known, or not well formed, stays as it
was written, so that nothing is lost. `labextension/src/view/readableTex.ts` does the same;
`tests/data/readable_tex.json` holds both to one table of cases. Linear in time, bounded in depth.
Pure.
"""

# ruff: noqa: RUF001 - signs of mathematics look like letters

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from . import tex_symbols as tex
from .readable_rows import (
    Item,
    Kind,
    accented,
    as_atom,
    bracketed,
    fraction,
    joined,
    mapped,
    row_of,
    script,
)

MOST_CHARS = 20_000
"""What is longer stays as it was written."""

MOST_LEVELS = 40
"""What is nested deeper stays as it was written."""

_PARTS = re.compile(r"\\[A-Za-z]+\*?|\\[\s\S]|\s+|[\s\S]")
_SIGNS_OF_TEX = re.compile(r"[\\^_]|\{,\}")
_ROW_ENDS = frozenset({"&", "\\\\", "\\end"})
_SIGNS = {**tex.OPENING, **tex.CLOSING, "vert": "|", "Vert": "‖", "|": "‖"}
_NEGATED = {"=": "≠", "\\in": "∉", "\\equiv": "≢", "\\subset": "⊄", "\\mid": "∤"}


class _AsWritten(Exception):  # noqa: N818 - no error, a decision
    """The formula is not well formed, or nested too deep."""


def readable_tex(formula: str) -> str:
    r"""A formula, without its delimiters, as text.

    Parameters
    ----------
    formula
        TeX of any length and form; nobody vouches for it.

    >>> readable_tex(r"x \in \left(-\infty, \frac{1}{2}\right] \text{ or } \{2^{10}\}")
    'x ∈ (-∞, 1/2] or {2¹⁰}'
    >>> readable_tex(r"\foo{x} + \frac{1")
    '\\foo{x} + \\frac{1'
    """
    if len(formula) > MOST_CHARS or not _SIGNS_OF_TEX.search(formula):
        return formula
    try:
        return _Reader(formula).read()
    except _AsWritten:
        return formula


class _Reader:
    """Reads the pieces of a formula from left to right."""

    def __init__(self, formula: str) -> None:
        self._parts = _PARTS.findall(formula)
        self._at = 0
        self._levels = 0
        # Without a command it is hardly TeX, and braces are those of a set.
        self._braces_show = "\\" not in formula

    def read(self) -> str:
        text = self._row(frozenset())
        if self._at < len(self._parts):
            raise _AsWritten
        return text

    def _row(self, ends: frozenset[str]) -> str:
        """The text up to one of these tokens, which is left, or up to a closing brace."""
        self._levels += 1
        if self._levels > MOST_LEVELS:
            raise _AsWritten
        items: list[Item] = []
        while (part := self._peek()) and part != "}" and part not in ends:
            items.append(self._scripted(self._item()))
        self._levels -= 1
        return joined(items)

    def _peek(self) -> str:
        return self._parts[self._at] if self._at < len(self._parts) else ""

    def _take(self) -> str:
        part = self._peek()
        if not part:
            raise _AsWritten
        self._at += 1
        return part

    def _expect(self, part: str) -> None:
        if self._take() != part:
            raise _AsWritten

    def _skip_space(self) -> None:
        if self._peek().isspace():
            self._at += 1

    def _item(self) -> Item:
        part = self._take()
        if part == "{":
            return self._group()
        if len(part) > 1 and part[0] == "\\":
            return self._command(part)
        if _is_digit(part):
            return Item("digits", part + self._digits())
        return Item(_kind_of(part), " " if part.isspace() or part == "~" else part)

    def _digits(self) -> str:
        """The rest of a number."""
        found: list[str] = []
        while _is_digit(self._peek()) or (
            self._peek() == "." and _is_digit("".join(self._parts[self._at + 1 : self._at + 2]))
        ):
            found.append(self._take())
        return "".join(found)

    def _group(self) -> Item:
        text = self._row(frozenset())
        self._expect("}")
        shows = self._braces_show or "," in text
        return Item("close", f"{{{text}}}") if shows and text != "," else Item("group", text)

    def _command(self, part: str) -> Item:
        name = part[1:].removesuffix("*")
        for table, kind in _TABLES:
            if name in table:
                return Item(kind, table[name] or name if kind == "function" else table[name])
        read = _READERS.get(name)
        return self._unknown(part) if read is None else read(self, name)

    def argument(self) -> str:
        self._skip_space()
        part = self._take()
        if part == "{":
            text = self._row(frozenset())
            self._expect("}")
            return text
        if part in "}&^_" or part == "\\\\":
            raise _AsWritten
        if _is_digit(part):
            return part
        self._at -= 1
        self._levels += 1
        if self._levels > MOST_LEVELS:
            raise _AsWritten
        text = joined([self._item()])
        self._levels -= 1
        return text

    def raw(self) -> str:
        """The text in the braces that follow, without what stands in it for drawing only."""
        self._skip_space()
        self._expect("{")
        found: list[str] = []
        levels = 1
        while True:
            part = self._take()
            levels += (part == "{") - (part == "}")
            if levels == 0:
                return "".join(found)
            if part in {"{", "}"}:
                continue
            escaped = len(part) == 2 and part[0] == "\\" and not part[1].isalpha()  # noqa: PLR2004
            found.append(part[1:] if escaped else " " if part == "~" else part)

    def root(self, _: str) -> Item:
        self._skip_space()
        index = ""
        if self._peek() == "[":
            self._at += 1
            index = self._row(frozenset({"]"})).strip()
            self._expect("]")
        inner = self.argument().strip()
        sign = tex.ROOTS.get(index)
        if sign is None:
            high = mapped(index, tex.SUPERSCRIPTS)
            sign = f"{high}√" if high else f"({index})√"
        return Item("root", f"{sign}{as_atom(inner)}", f"{sign}({inner})")

    def delimiter(self, name: str) -> Item:
        kind: Kind = "open" if name == "left" else "close"
        self._skip_space()
        part = self._take()
        if len(part) == 1:
            return Item(kind, "" if part == "." else part)
        if part[1:] not in _SIGNS:
            raise _AsWritten
        return Item(kind, _SIGNS[part[1:]])

    def negated(self, _: str) -> Item:
        self._skip_space()
        part = self._take()
        if part not in _NEGATED:
            raise _AsWritten
        return Item("relation", _NEGATED[part])

    def environment(self, _: str) -> Item:
        name = self.raw().removesuffix("*")
        brackets = tex.MATRICES.get(name, "")
        if not brackets and name not in tex.LINES:
            raise _AsWritten
        if name in {"array", "alignedat"}:
            self.raw()
        rows: list[str] = []
        cells: list[str] = []
        while True:
            cells.append(self._row(_ROW_ENDS))
            part = self._take()
            if part != "&":
                rows.append(row_of(cells, ", " if brackets else " "))
                cells = []
            if part == "\\end":
                break
        if self.raw().removesuffix("*") != name:
            raise _AsWritten
        text = "; ".join(row for row in rows if row)
        return Item("close", brackets[:1] + text + brackets[1:])

    def _unknown(self, part: str) -> Item:
        """A command as it was written, its braces with it."""
        written = [part]
        while self._peek() == "{":
            self._at += 1
            written.append(f"{{{self._row(frozenset())}}}")
            self._expect("}")
        return Item("word", "".join(written))

    def _scripted(self, item: Item) -> Item:
        """The item with what stands above and below it."""
        if item.kind == "space":
            return item
        parts: list[str] = []
        while True:
            mark = self._peek()
            if mark.isspace() and self._at + 1 < len(self._parts):
                mark = self._parts[self._at + 1]
                if mark in {"^", "_"}:
                    self._at += 1
            if mark == "'" and self._peek() == "'":
                self._at += 1
                parts.append("′")
            elif mark in {"^", "_"} and self._peek() == mark:
                self._at += 1
                parts.append(script(mark, self._script_argument()))
            else:
                break
        if not parts:
            return item
        base = item.text
        if item.kind in {"fraction", "root"} or (item.kind == "group" and len(base) > 1):
            base = bracketed(base)
        kind: Kind = (
            "letters" if item.kind in {"digits", "group", "fraction", "root"} else item.kind
        )
        return Item(kind, base + "".join(parts))

    def _script_argument(self) -> str:
        """What people write without braces as well: `2^10`, `x^-1`, `x^(n+1)`."""
        self._skip_space()
        part = self._peek()
        if part in {"+", "-"} and _is_digit("".join(self._parts[self._at + 1 : self._at + 2])):
            self._at += 1
            return part + self._take() + self._digits()
        if _is_digit(part):
            return self._take() + self._digits()
        if part == "(":
            self._at += 1
            inner = self._row(frozenset({")"}))
            self._expect(")")
            return inner
        return self.argument()


def _blackboard(reader: _Reader, _: str) -> Item:
    inner = reader.argument()
    return Item("letters", tex.BLACKBOARD.get(inner, inner))


def _fraction(reader: _Reader, _: str) -> Item:
    return Item("fraction", fraction(reader.argument(), reader.argument()))


def _binomial(reader: _Reader, _: str) -> Item:
    return Item("word", f"C({reader.argument()}, {reader.argument()})")


def _content(reader: _Reader, _: str) -> Item:
    return Item("group", reader.argument())


def _text(reader: _Reader, _: str) -> Item:
    return Item("word", reader.raw())


_READERS: Mapping[str, Callable[[_Reader, str], Item]] = {
    **dict.fromkeys(tex.FRACTIONS, _fraction),
    **dict.fromkeys(tex.BINOMIALS, _binomial),
    **dict.fromkeys(tex.TEXTS, _text),
    **dict.fromkeys(tex.STYLES, _content),
    **dict.fromkeys(tex.ACCENTS, lambda reader, name: accented(name, reader.argument())),
    "mathbb": _blackboard,
    "operatorname": lambda reader, _: Item("function", reader.raw()),
    "pmod": lambda reader, _: Item("word", f" (mod {reader.argument()})"),
    "\\": lambda _reader, _: Item("sign", "; "),
    "sqrt": _Reader.root,
    "left": _Reader.delimiter,
    "right": _Reader.delimiter,
    "not": _Reader.negated,
    "begin": _Reader.environment,
}
_TABLES: Sequence[tuple[Mapping[str, str], Kind]] = (
    (tex.SYMBOLS, "letters"),
    (tex.RELATIONS, "relation"),
    (tex.TIGHT, "tight"),
    (tex.OPENING, "open"),
    (tex.CLOSING, "close"),
    (dict.fromkeys(tex.FUNCTIONS, ""), "function"),
    (dict.fromkeys(tex.SPACES, " "), "space"),
    (dict.fromkeys(tex.NOTHING, ""), "space"),
)


def _kind_of(part: str) -> Kind:
    if part.isspace() or part == "~":
        return "space"
    if part.isalpha():
        return "letters"
    return "open" if part in "([" else "close" if part in ")]" else "sign"


def _is_digit(part: str) -> bool:
    return part.isascii() and part.isdigit()
