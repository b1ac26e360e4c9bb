# ruff: noqa: SIM905 - a table of names is read as text
r"""Reading brackets of every kind: tuples, sets, lists, intervals, absolute values, floors.

A closing bracket that does not fit its opening one makes a half-open interval or is an error.
"""

from __future__ import annotations

from .reading_functions import Functions
from .tokens import ReadError
from .tree import Call, Name, Node, Text, call, is_statement

_CLOSED_BY = {
    "floor(": (")floor", "floor"), "ceil(": (")ceil", "ceiling"), "abs(": (")abs", "abs"),
}  # fmt: skip
_SETS = frozenset(
    "set union intersection difference empty reals integers naturals rationals complexes setof open"
    " closed open_closed closed_open".split()
)
_PAIR = 2
_SET_SIGNS = frozenset({"cup", "cap", "setminus", "in", "notin"})


def is_set(node: Node) -> bool:
    """Whether a node can only be a set."""
    return isinstance(node, Call) and node.head in _SETS


class Groups(Functions):
    """Brackets."""

    def group(self) -> Node:  # noqa: PLR0911 - one for each bracket
        """Read what begins with an opening bracket, or with the "not" of logic."""
        token = self.take()
        opening = token.text
        if opening == "(":
            return self.round()
        if opening in {"[", "]"}:
            return self.square(opening)
        if opening == "{":
            return self.braces()
        if opening == "\\{":
            return self.set_braces()
        if opening == "<(":
            items, _ = self.in_brackets(opening)
            self.expect(")>")
            return Call("vector", tuple(items))
        if opening in _CLOSED_BY:
            return self.rounded(opening)
        if opening == "|":
            return self.bars()
        if opening == "~":
            return call("not", self.operand())
        raise ReadError(f"no value at {opening!r}")

    def round(self) -> Node:
        """After "(": a value, a tuple, or an interval that "]" closes."""
        items, joined = self.in_brackets("(")
        if self.accept("]"):
            return _interval("open_closed", items)
        if self.at("["):
            self.take()
            return _interval("open", items)
        self.expect(")")
        if len(items) == 1 and "," not in joined:
            return items[0]
        return Call("tuple", tuple(items))

    def square(self, opening: str) -> Node:
        """After "[" or French "]": a list, a matrix, or an interval."""
        items, _ = self.in_brackets(opening)
        if self.accept(")"):
            return _interval("closed_open" if opening == "[" else "open", items)
        if self.accept("["):
            return _interval("closed_open" if opening == "[" else "open", items)
        self.expect("]")
        if opening == "]":
            return _interval("open_closed", items)
        if len(items) == 1 and self.is_alone_in_brackets(items[0]):
            return items[0]
        return _rows(items) or Call("list", tuple(items))

    def is_alone_in_brackets(self, node: Node) -> bool:
        """Whether a list of one is that one: a matrix in brackets, a solution that SymPy prints."""
        if not isinstance(node, Call):
            return False
        is_dictionary = node.head in {"eq", "and"} and self.tokens[self.position - 2].text == "}"
        return node.head == "matrix" or is_dictionary

    def braces(self) -> Node:  # noqa: PLR0911 - braces mean many things
        """After a bare "{": Python's set or dictionary, or a LaTeX group."""
        before = self.tokens[self.position - 2].text if self.position > 1 else ""
        start = self.position
        items, joined = self.in_brackets("{")
        if self.at("|", "mid") or (self.at(":") and not joined and is_statement(items[0])):
            return self.condition(items, "}")
        self.expect("}")
        if items and all(_is_pair(item) for item in items) and not self.is_latex:
            return _dictionary(items, is_printed=self.is_printed_since(start))
        if not items:
            return call("empty")
        if len(items) > 1:
            return Call("set", tuple(items))
        if _is_ratio_condition(items[0]):
            return _ratio_condition(items[0])
        if self.is_python or before in _SET_SIGNS or self.ahead(0).text in _SET_SIGNS:
            return call("set", items[0])
        if not self.is_latex and self.chosen("braces"):
            return call("set", items[0])
        return items[0]

    def braced(self) -> Node:
        """Read a LaTeX group: one value, or a list without brackets."""
        self.expect("{")
        items, _ = self.in_brackets("group")
        self.expect("}")
        if not items:
            raise ReadError("an empty group")
        return items[0] if len(items) == 1 else Call("bare", tuple(items))

    def is_printed_since(self, start: int) -> bool:
        """Whether each colon from a position on has the space behind it that Python prints."""
        tokens = self.tokens[start : self.position + 1]
        colons = [at for at, token in enumerate(tokens) if token.text == ":"]
        return all(tokens[at + 1].spaced and not tokens[at].spaced for at in colons)

    def set_braces(self) -> Node:
        r"""After `\{`: a set by its elements or by a condition."""
        items, joined = self.in_brackets("\\{")
        if self.at("|", "mid", ":") and items:
            return self.condition(items, "\\}")
        self.expect("\\}", "}")
        if not items:
            return call("empty")
        if len(items) == 1 and not joined and _is_ratio_condition(items[0]):
            return _ratio_condition(items[0])
        return Call("set", tuple(items))

    def condition(self, items: list[Node], closing: str) -> Node:
        """The rest of a set-builder after its bar or colon."""
        self.take()
        conditions, joined = self.in_brackets("(")
        self.expect(closing, "}")
        pattern = items[0] if len(items) == 1 else Call("tuple", tuple(items))
        if not conditions:
            raise ReadError("a set without its condition")
        if not is_statement(conditions[0]) and all(map(_is_pair, conditions[1:])):
            pairs = [call("ratio", pattern, conditions[0]), *conditions[1:]]
            return _dictionary(pairs, is_printed=not self.is_latex)
        if "o" in joined and set(joined) - {"o"}:
            raise ReadError('"or" and "and" in one condition')
        both = "or" if "o" in joined else "and"
        where = conditions[0] if len(conditions) == 1 else Call(both, tuple(conditions))
        if isinstance(pattern, Call) and pattern.head == "in":
            pattern, where = pattern.args[0], call("and", pattern, where)
        return call("setof", pattern, where)

    def rounded(self, opening: str) -> Node:
        """After an opening floor, ceiling or absolute value."""
        closing, head = _CLOSED_BY[opening]
        items, _ = self.in_brackets(opening)
        self.expect(closing)
        if len(items) != 1:
            raise ReadError(f"{head} of several values")
        return _absolute(items[0]) if head == "abs" else call(head, items[0])

    def bars(self) -> Node:
        """After a bare "|": an absolute value."""
        saved, self.open_bars = self.open_bars, self.open_bars + 1
        node = self.set_expression()
        self.open_bars = saved
        if not self.accept("|", ")abs"):
            raise ReadError("a bar is not closed")
        return _absolute(node)

    def money(self) -> Node:
        """Read a currency sign and its amount, which keeps the sign as its unit."""
        sign = self.take().text
        is_negative = self.accept("-")
        amount = self.power()
        return call("measured", call("neg", amount) if is_negative else amount, Text(sign))


def _absolute(node: Node) -> Node:
    """Value between bars: of a matrix, its determinant."""
    is_matrix = isinstance(node, Call) and node.head == "matrix"
    return call("determinant" if is_matrix else "abs", node)


def _interval(head: str, items: list[Node]) -> Node:
    if len(items) != _PAIR:
        raise ReadError("an interval has two ends")
    return call(head, items[0], items[1])


def _rows(items: list[Node]) -> Node | None:
    """The matrix of a list of lists of one length."""
    if not items or not all(isinstance(item, Call) and item.head == "list" for item in items):
        return None
    rows = [item.args for item in items if isinstance(item, Call)]
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        return None
    return Call("matrix", tuple(Call("tuple", row) for row in rows))


def _is_pair(node: Node) -> bool:
    return isinstance(node, Call) and node.head == "ratio" and len(node.args) == _PAIR


def _dictionary(items: list[Node], *, is_printed: bool) -> Node:
    """Values of names; of anything else pairs, where Python printed them, or ratios."""
    pairs = [(_key(item.args[0]), item.args[1]) for item in items if isinstance(item, Call)]
    if not all(isinstance(key, Name) for key, _ in pairs):
        return Call(
            "set",
            tuple(call("tuple", *pair) if is_printed else call("ratio", *pair) for pair in pairs),
        )
    given = tuple(call("eq", *pair) for pair in pairs)
    return given[0] if len(given) == 1 else Call("and", given)


def _key(node: Node) -> Node:
    return Name(node.words) if isinstance(node, Text) else node


def _is_ratio_condition(node: Node) -> bool:
    """Whether `x : x > 2` was read as a relation whose left side is a ratio."""
    if not (isinstance(node, Call) and is_statement(node) and node.args):
        return False
    left = node.args[0]
    return _is_pair(left) or _is_ratio_condition(left)


def _ratio_condition(node: Node) -> Node:
    """Move the pattern out of `eq(ratio(x, a), b)`: the set of x with a = b."""
    path: list[Call] = []
    while isinstance(node, Call) and node.head != "ratio":
        path.append(node)
        node = node.args[0]
    if not isinstance(node, Call):
        raise ReadError("a set without its pattern")
    pattern, inner = node.args
    for outer in reversed(path):
        inner = Call(outer.head, (inner, *outer.args[1:]))
    return call("setof", pattern, inner)
