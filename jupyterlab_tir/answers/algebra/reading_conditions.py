# ruff: noqa: RUF001, RUF002 - signs are those that people write
r"""What is said beside a value: "for n ≥ 1", `, k \in \mathbb{Z}`, "where C is a constant".

Says which parts of a list are conditions on the others, and puts words for sets into signs.
"""

from __future__ import annotations

import re

from .tokens import Token
from .tree import Call, Name, Node, Text, call, names

GIVING = frozenset({"for", "where", "with", "when"})
"""Words before a condition."""

FILLERS = frozenset("all any every each some real values value of the and".split())  # noqa: SIM905
"""Words that may stand between those and the condition."""

_RELATIONS = frozenset({"in", "notin", "ne", "lt", "le", "gt", "ge"})
_SIGNS = frozenset({"in", "notin", "!=", "<", "<=", ">", ">=", "="})
_STATEMENTS = _RELATIONS | {"eq", "and", "or", "congruent"}
_KINDS = {
    "integer": "ℤ", "whole number": "ℤ_{>=0}", "natural number": "ℕ", "real number": "ℝ",
    "rational number": "ℚ", "complex number": "ℂ",
}  # fmt: skip
_MARKS = {
    "positive": "_{>0}", "negative": "_{<0}", "nonnegative": "_{>=0}", "non-negative": "_{>=0}",
}  # fmt: skip
_KIND = (
    r"(?P<mark>(?:positive|negative|non-?negative)\s+)?"
    r"(?P<kind>integer|(?:whole|natural|real|rational|complex)\s+number)s?(?![A-Za-z])"
)
_OF_KIND = (
    r"(?:(?:is|are)\s+(?:(?:an|a|any|some|all)\s+)?|(?:an|a|any)\s+)(?:arbitrary\s+)?" + _KIND
)
_IN_TEXT = re.compile(r"\\text\w{0,6}\s?\{\s?,?\s?" + _OF_KIND + r"\s?\}")
_BARE = re.compile(r"(?<=[A-Za-z0-9$}]) " + _OF_KIND)
_BEFORE_NAME = re.compile(
    r"(?P<word>\b(?:for|where|with)\s)(?:(?:all|any|every|each|some)\s)?" + _KIND + r"\s?"
    r"(?P<brace>\}?)\s?(?P<dollar>\$?)(?P<name>[A-Za-z])(?![A-Za-z])"
    r"(?P<more>\s?(?:[<>≤≥≠]|\\(?:[lg]eq?|neq?)(?![A-Za-z])))?"
)
_EXCEPT = re.compile(
    r"^(?:\\text\w{0,6}\s?\{\s?)?[Aa]ll real (?:numbers|values)(?: of)?(?: \$?[a-z]\$?)?,?"
    r" except(?: for)?\s?\}?\s?(?:[a-z]\s?=)?(?P<rest>.+)$"
)
_CONSTANT = re.compile(
    r"[\s,;]{0,4}(?:\\text\w{0,6}\s?\{)?[\s,;(]{0,4}\b(?:where|with|for)\b"
    r"[^;\n]{0,80}?\bconstants?(?:\s+of\s+integration)?[\s.$)}]{0,6}$"
)


def in_signs(text: str) -> str:
    r"""The text with "k is an integer" as k ∈ ℤ, and without "where C is a constant".

    >>> in_signs("2k, where k is an integer"), in_signs(r"x^2 + C, where C is a constant")
    ('2k, where k ∈ ℤ', 'x^2 + C')
    """
    if "constant" in text:
        text = _CONSTANT.sub("", text)
    text = _EXCEPT.sub(lambda match: rf"ℝ∖\{{{match['rest']}\}}", text)
    if "integer" not in text and "number" not in text:
        return text
    text = _BEFORE_NAME.sub(_before_name, text)
    text = _IN_TEXT.sub(_of_kind, text)
    return _BARE.sub(_of_kind, text)


def _of_kind(match: re.Match[str]) -> str:
    kind = _KINDS[" ".join(match["kind"].split())]
    return f" ∈ {kind}{_MARKS.get((match['mark'] or '').strip(), '')}"


def _before_name(match: re.Match[str]) -> str:
    more = f", {match['name']}{match['more']}" if match["more"] else ""
    return (
        f"{match['word']}{match['brace']} {match['dollar']}{match['name']}{_of_kind(match)}{more}"
    )


def aside(tokens: list[Token]) -> int:
    """Where a bracket begins that ends the answer and holds its condition; -1 for none."""
    last = len(tokens) - 2
    if last < 0 or tokens[last].text != ")":
        return -1
    depth, holds = 0, set()
    for at in range(last, 0, -1):
        text = tokens[at].text
        if tokens[at].kind == "sign":
            depth += (text in {")", "]", "}", "\\}"}) - (text in {"(", "[", "{", "\\{"})
        if depth == 1 and text in _SIGNS and tokens[at].kind == "sign":
            holds.add(text)
        if depth == 0:
            is_called = tokens[at - 1].kind in {"name", "function", "callable"}
            is_loose = tokens[at].spaced or not is_called or "in" in holds
            return at if text == "(" and holds and is_loose and _ends(tokens[at - 1]) else -1
    return -1


def _ends(token: Token) -> bool:
    """Whether a value may end with a token."""
    if token.kind == "sign":
        return token.text in {")", "]", "}", "\\}", "!", ",", ";", "'"}
    return token.kind in {"number", "name", "constant", "repeating", "end", "set", "words"}


def split(items: list[Node], joined: str) -> tuple[list[Node], list[Node], str]:
    """What a list says, the conditions at its end, and what joins the rest."""
    said, found = list(items), list[Node]()
    while len(said) > 1 and joined[-1:] in {",", ";", "w"} and _is_condition(said[-1], said[:-1]):
        found.insert(0, said.pop())
        joined = joined[:-1]
    return said, found, joined


def _is_condition(node: Node, said: list[Node]) -> bool:
    if not isinstance(node, Call) or not (_is_relation(node) or _is_chain(node)):
        return False
    if not any(isinstance(part, Call) and part.head in _STATEMENTS for part in said):
        return not all(isinstance(part, Name | Text) for part in said)
    about = names(node)
    if all(not isinstance(part, Call) or part.head not in _STATEMENTS - {"eq"} for part in said):
        given = [part.args[1] if isinstance(part, Call) and part.args else part for part in said]
        return any(about & names(part) for part in given)
    return node.head == "in" and any(about < names(part) for part in said)


def _is_relation(node: Node) -> bool:
    return isinstance(node, Call) and node.head in _RELATIONS


def _is_chain(node: Call) -> bool:
    return node.head == "and" and all(_is_relation(part) for part in node.args)


def given(value: Node, conditions: list[Node]) -> Node:
    """A value with its conditions; "for all x" says none."""
    kept = [part for part in conditions if not isinstance(part, Name)]
    if not kept:
        return value
    return call("given", value, kept[0] if len(kept) == 1 else Call("and", tuple(kept)))


def is_said(node: Node) -> bool:
    """Whether a node may stand behind "for": a statement, or a name behind "for all"."""
    return isinstance(node, Name) or (isinstance(node, Call) and node.head in _STATEMENTS)
