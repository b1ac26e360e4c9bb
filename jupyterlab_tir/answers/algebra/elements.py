"""Keys of collections: lists, sets, tuples, intervals, matrices, ratios, cases."""

from __future__ import annotations

from collections.abc import Sequence

from .. import forms
from . import solving
from .dispatch import Keys, UnkeyedError, key, keying, keys, parts_of
from .real_set_keys import key_of_set
from .scalars import both_signs
from .statements import DOMAINS, of_statements, says_what_a_name_is
from .tree import Call, Node, Text, call, is_statement

_INTERVALS = {"open": "()", "closed": "[]", "open_closed": "(]", "closed_open": "[)"}
_BRACKETS = {"set": "{}", "tuple": "()", "list": "[]", "bare": ""}


@keying(*_BRACKETS)
def _of_collection(node: Call, depth: int) -> Keys:
    brackets = _BRACKETS[node.head]
    both = both_signs(node) if node.head == "tuple" else None
    if both is not None:
        return _of_list("{}", both, depth)
    if brackets:
        return _of_list(brackets, node.args, depth)
    args = [
        arg
        for arg in node.args
        if not says_what_a_name_is(arg, [other for other in node.args if other is not arg])
    ] or list(node.args)
    if all(map(is_statement, args)):
        return of_statements(args, depth)
    return keys(args[0], depth) if len(args) < len(node.args) == 2 else _of_list("", args, depth)  # noqa: PLR2004 - a value and its condition


def _of_list(brackets: str, args: Sequence[Node], depth: int) -> Keys:
    if any(isinstance(arg, Text) and arg.words in {"…", "..."} for arg in args):
        raise UnkeyedError("a list that leaves elements out")
    elements: list[str] = []
    for arg in args:
        both = both_signs(arg) if brackets in {"", "{}"} else None
        elements += [key(one, depth) for one in both or (arg,)]
    return forms.list_readings(brackets[:1], elements, brackets[1:])


@keying("vector")
def _of_vector(node: Call, depth: int) -> Keys:
    return (forms.tuple_key(key(arg, depth) for arg in node.args),)


@keying(*_INTERVALS)
def _of_interval(node: Call, depth: int) -> Keys:
    brackets = _INTERVALS[node.head]
    low, high = (key(end, depth) for end in node.args)
    return (forms.interval_key(brackets[0], low, high, brackets[1]),)


@keying(*DOMAINS)
def _of_domain(node: Call, _depth: int) -> Keys:
    return ("t:" + node.head,)


@keying("matrix")
def _of_matrix(node: Call, depth: int) -> Keys:
    rows = [[key(cell, depth) for cell in parts_of(row)] for row in node.args]
    whole = forms.matrix_key(rows)
    if len(rows) == 1 or all(len(row) == 1 for row in rows):
        # A vector, which people also write as a tuple.
        return whole, forms.tuple_key(cell for row in rows for cell in row)
    return (whole,)


@keying("ratio")
def _of_ratio(node: Call, depth: int) -> Keys:
    args = node.args
    if len(args) == 2:  # noqa: PLR2004 - a ratio of two is a fraction
        return keys(call("div", *args), depth + 1)
    unit = next((arg for arg in args if key(arg, depth) != "q:0"), None)
    if unit is None:
        raise UnkeyedError("a ratio of zeros")
    return (forms.tuple_key((key(call("div", arg, unit), depth) for arg in args), "ratio"),)


@keying("piecewise")
def _of_piecewise(node: Call, depth: int) -> Keys:
    cases = []
    for case in node.args:
        value, condition = parts_of(case)
        cases.append(forms.tuple_key((key(value, depth), key(condition, depth)), "case"))
    return (forms.tuple_key(sorted(cases), "cases"),)


@keying("union", "intersection", "difference", "setof", "reals", "empty")
def _of_set(node: Node, depth: int) -> Keys:
    found = solving.normal_set(node)
    if found is None:
        raise UnkeyedError("a set that is not worked out")
    return (key_of_set(found, depth),)
