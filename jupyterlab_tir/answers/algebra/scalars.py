# ruff: noqa: SIM905 - a table of words is read as text
"""Keys of what is one value: words, numbers, expressions, and what stands beside a value."""

from __future__ import annotations

from collections.abc import Mapping

from .. import forms
from ..wording import CONSTANT_LETTERS, choice_key, words_key
from . import closed, fingerprint, floats, matrices
from .dispatch import Keys, UnkeyedError, keying, keys
from .tree import Call, Constant, Name, Node, Text, call, names, walk

_WORDS_FOR_SETS: Mapping[str, Node] = {
    **dict.fromkeys(
        ("no solution", "no solutions", "no real solution", "no real solutions", "empty set"),
        call("empty"),
    ),
    **dict.fromkeys(
        ("all real numbers", "all reals", "all real x", "any real number", "the real numbers"),
        call("reals"),
    ),
}

_DIRECTIONS = frozenset(
    (
        "increase decrease up down above below more fewer less greater north south east west left"
        " right ahead behind before after noon midnight am pm won lost wins losses win loss"
    ).split()
)
"""Words behind a value that are no unit: twenty per cent more are not twenty per cent less."""

_NO_MEASURES = frozenset(
    {"lt", "le", "gt", "ge", "ne", "eq", "in", "notin", "and", "or", "not", "setof", "union"}
    | {"tuple", "list", "open", "closed", "open_closed", "closed_open", "set", "bare"}
)
"""What a word behind restricts rather than measures: n > 3, odd."""


@keying()
def _of_scalar(node: Node, depth: int) -> Keys:
    if isinstance(node, Text):
        return _of_words(node.words)
    node = matrices.without_determinants(node)
    if matrices.has_matrix(node):
        matrix = matrices.as_one_matrix(node)
        if matrix is None:
            raise UnkeyedError("no matrix")
        return keys(matrix, depth)
    both = both_signs(node)
    if both is not None:
        return keys(call("set", *both), depth)
    quick = floats.float_of(node)
    if quick is not None:
        return (quick,)
    try:
        scalar = closed.closed_form(node)
        if floats.has_float(scalar):
            return _of_inexact(scalar)
        return (fingerprint.fingerprint(scalar),)
    except fingerprint.EvaluationError as error:
        raise UnkeyedError(str(error)) from error


def _of_words(words: str) -> Keys:
    key = choice_key(words) or words_key(words)
    if any(sign.isdigit() for sign in words):
        key = "t:" + " ".join(words.casefold().split())  # a time, a rank: no formula
    other: Node | None = _WORDS_FOR_SETS.get(key[2:])
    if key in CONSTANT_LETTERS:
        other = Constant(CONSTANT_LETTERS[key])
    return (key,) if other is None else (key, *keys(other, 0))


def _of_inexact(node: Node) -> Keys:
    """What has floats in it: a float itself, or an expression with rounded numbers."""
    if names(node):
        return fingerprint.fingerprint(node), fingerprint.fingerprint(floats.rationalised(node))
    return (floats.float_key_of(node),)


def both_signs(node: Node) -> tuple[Node, Node] | None:
    """Both values of what has a ± in it, all its signs taken together; None without one."""
    if not any(isinstance(n, Call) and n.head in {"plusminus", "minusplus"} for n in walk(node)):
        return None
    return _signed(node, plus=True), _signed(node, plus=False)


def _signed(node: Node, *, plus: bool) -> Node:
    if not isinstance(node, Call):
        return node
    args = tuple(_signed(arg, plus=plus) for arg in node.args)
    if node.head not in {"plusminus", "minusplus"}:
        return Call(node.head, args)
    *centre, spread = args
    spread = spread if plus is (node.head == "plusminus") else call("neg", spread)
    return call("add", *centre, spread) if centre else spread


@keying("measured")
def _of_measured(node: Call, depth: int) -> Keys:
    """A value without its unit; with the words that say in which direction it is meant."""
    value, unit = node.args
    if isinstance(value, Call) and value.head in _NO_MEASURES:
        raise UnkeyedError("a word that restricts a condition")
    words = set(unit.words.casefold().split()) if isinstance(unit, Text) else set()
    telling = words & _DIRECTIONS
    if not telling:
        return keys(value, depth + 1)
    told = "t:" + " ".join(sorted(telling))
    return (forms.tuple_key((keys(value, depth + 1)[0], told), "told"),)


@keying("approx")
def _of_approximate(node: Call, depth: int) -> Keys:
    """A value and what it is about is the value; a name about a value is what it is about."""
    value, about = node.args
    return keys(about if isinstance(value, Name) else value, depth + 1)
