"""Keys of statements: assignments, equations, conditions on a variable, systems."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import pairwise

from .. import forms
from ..units import unit_of
from . import closed, fingerprint, solving
from .dispatch import Keys, UnkeyedError, key, keying, keys
from .real_set_keys import key_of_set
from .tree import RELATIONS, Call, Constant, Name, Node, Number, Text, call, names, walk

DOMAINS = frozenset({"integers", "naturals", "rationals", "complexes"})


def of_statements(args: Sequence[Node], depth: int) -> Keys:
    """Several statements with nothing around them: solutions of one unknown, or of a system."""
    if len(args) == 1:
        return keys(args[0], depth)
    given = [_assignment(arg) for arg in args]
    if all(given):
        known = [pair for pair in given if pair is not None]
        if len({key(name, depth) for name, _ in known}) == 1:
            return keys(call("set", *(value for _, value in known)), depth)
    elif len(names(call("and", *args))) == 1:
        return _of_condition(call("and", *args), depth)
    return _of_system(args, depth)


@keying(*(RELATIONS - {"eq"}), "notin", "not")
def _of_condition(node: Call, depth: int) -> Keys:
    """A condition on one real variable is a set of numbers; on more, it is itself."""
    if any(_is_restriction(part) for part in walk(node)):
        raise UnkeyedError("a word that restricts a condition")
    if len(names(node)) == 1 and not _is_complex(node):
        found = solving.solution_set(node)
        if found is not None:
            return (key_of_set(found, depth),)
    if node.head in RELATIONS:
        return (_relation_key(node),)
    if node.head in {"and", "or"}:
        parts = sorted(key(arg, depth) for arg in node.args)
        return (forms.tuple_key(parts, node.head),)
    raise UnkeyedError("a condition that is not worked out")


@keying("in")
def _of_membership(node: Call, depth: int) -> Keys:
    # An element's name says no more than the name of a value does.
    return keys(_as_interval(node.args[1]), depth + 1)


def _as_interval(node: Node) -> Node:
    """Two numbers in brackets after "in" are the ends of an interval."""
    if isinstance(node, Call) and node.head in {"tuple", "list"} and len(node.args) == 2:  # noqa: PLR2004 - ends
        return Call("open" if node.head == "tuple" else "closed", node.args)
    return node


@keying("or")
def _of_disjunction(node: Call, depth: int) -> Keys:
    given = [_assignment(arg) for arg in node.args]
    if all(given) and len({pair[0] for pair in given if pair is not None}) == 1:
        return of_statements(node.args, depth)
    if len(names(node)) == 1:
        return _of_condition(node, depth)
    # x = 1, y = 2 or x = 3, y = 4: what holds together, each time; also as a list of pairs.
    cases = [keys(arg, depth + 1) for arg in node.args]
    whole = forms.tuple_key(sorted({case[0] for case in cases}), "or")
    pairs = [next((k for k in case if k.startswith("s:(")), None) for case in cases]
    known = [pair for pair in pairs if pair is not None]
    return (whole, forms.set_key(known)) if len(known) == len(pairs) else (whole,)


@keying("and")
def _of_conjunction(node: Call, depth: int) -> Keys:
    chain = _end_of_chain(node.args, depth)
    if chain is not None:
        return chain
    if all(isinstance(arg, Call) and arg.head == "eq" for arg in node.args):
        return _of_system(node.args, depth)
    return _of_condition(node, depth)


@keying("eq")
def _of_equation(node: Call, depth: int) -> Keys:
    given = _assignment(node)
    if given is None:
        left, right = node.args
        if not names(node) and not any(isinstance(part, Text) for part in walk(node)):
            # 181 + 24 = 205 says 205; a false equation says nothing.
            result = keys(right, depth + 1)
            if result[0] == key(left, depth):
                return result
        return (_relation_key(node), *_solutions(node, depth))
    name, value = given
    told = keys(value, depth + 1)
    if isinstance(name, Name) and isinstance(value, Call | Name) and names(value):
        # y = 2x + 1 is a line, and where y was asked for it is 2x + 1.
        try:
            return _relation_key(node), *told
        except UnkeyedError:
            return told
    return told


def _solutions(node: Call, depth: int) -> Keys:
    """The solutions of an equation in one unknown, such as 2x = 10 or x^2 = 4."""
    if len(names(node)) != 1 or _is_complex(node):
        return ()
    found = solving.solution_set(node)
    if not isinstance(found, Call) or found.head != "set":
        return ()
    with contextlib.suppress(UnkeyedError):  # there is the equation itself
        solutions = [key(value, depth) for value in found.args]
        return tuple(solutions) if len(solutions) == 1 else (forms.set_key(solutions),)
    return ()


def _is_restriction(node: Node) -> bool:
    """Whether a word is behind a value that is no unit of it: n > 3, odd."""
    match node:
        case Call("measured", (_, Text(words))):
            return unit_of(f"1 {words}") is None
    return False


def _is_complex(node: Node) -> bool:
    """Whether the unknown is a complex number by its letter, where that can matter."""
    ordered = isinstance(node, Call) and node.head in RELATIONS - {"eq", "ne"}
    absolute = any(isinstance(part, Call) and part.head == "abs" for part in walk(node))
    return names(node) <= {"z", "w"} and (absolute or not ordered)


def says_what_a_name_is(node: Node, rest: Sequence[Node]) -> bool:
    """Whether a condition only says that a variable of the rest is real, or a running integer."""
    match node:
        case Call("in", (Name(name), Call("reals", _))):
            return any(name in names(other) for other in rest)
        case Call("in", (Name(name), Call("integers", _))):
            # x > 2 is other numbers where x is an integer; 2k is the same.
            bounds = [o for o in rest if isinstance(o, Call) and o.head in RELATIONS - {"eq"}]
            return not any(name in names(bound) for bound in bounds)
    return False


def value_said(node: Node) -> Node:
    """The value in an assignment; anything else as it is.

    >>> from .tree import whole
    >>> value_said(call("eq", Name("y"), whole(2)))
    Number(value=Fraction(2, 1), decimal='')
    """
    given = _assignment(node)
    return node if given is None else given[1]


def _assignment(node: Node) -> tuple[Node, Node] | None:
    """Name and value of "name = value", either way round; names in brackets for a structure."""
    if not isinstance(node, Call) or node.head != "eq":
        return None
    left, right = node.args
    for name, value in (left, right), (right, left):
        if _is_name(name) and not (_names_given(name) & names(value)):
            return name, value
    return None


def _is_name(node: Node) -> bool:
    """Whether a value can be given to it: x, f(2), (a, b), AB, |AB|, "area"."""
    match node:
        case Name(_):
            named = True
        case Text(words):
            named = words.replace(" ", "").isalpha()
        case Call("tuple", args):
            named = all(isinstance(arg, Name) for arg in args)
        case Call("abs", (inner,)):
            named = _is_segment(inner)
        case Call("mul", (Name("m"), Name(name))) if name.startswith("angle"):
            named = True  # the measure of an angle
        case Call("mul", _):
            named = _is_segment(node)
        case Call(head, args):
            is_function = head.startswith("apply:")
            named = is_function and all(isinstance(arg, Name | Number | Constant) for arg in args)
        case _:
            named = False
    return named


def _is_segment(node: Node) -> bool:
    """Whether it is a length as geometry writes it: AB."""
    points = node.args if isinstance(node, Call) and node.head == "mul" else ()
    return len(points) > 1 and all(isinstance(p, Name) and p.name[:1].isupper() for p in points)


def _names_given(node: Node) -> frozenset[str]:
    if isinstance(node, Call) and node.head.startswith("apply:"):
        return frozenset()  # f(x) = x + 1 says what f is
    return names(node)


def _end_of_chain(args: Sequence[Node], depth: int) -> Keys | None:
    """The value of a chain a = b = c that says one thing: a name, or a true equation, at each =."""
    pairs = [arg.args for arg in args if isinstance(arg, Call) and arg.head == "eq"]
    if len(pairs) != len(args) or len(pairs) < 2:  # noqa: PLR2004 - a chain has two signs
        return None
    if any(before[1] != after[0] for before, after in pairwise(pairs)):
        return None
    left, right = pairs[-1]
    value = keys(right, depth + 1)
    if key(left, depth) == value[0]:
        return value
    if not _is_name(pairs[0][0]) or names(right):
        return None
    # A = pi*r^2 = 4*pi: a formula for what is asked, and then its value. But a = b = 4.
    is_formula = not all(_is_name(pair[0]) for pair in pairs)
    return value if is_formula else (_system_key(args, depth), *value)


def _of_system(args: Sequence[Node], depth: int) -> Keys:
    """Statements that hold together, whatever their order; named values also as a plain list."""
    given = [_assignment(arg) for arg in args]
    system = _system_key(args, depth)
    known = [pair for pair in given if pair is not None]
    if len(known) < len(given):
        return (system,)
    values = [key(value, depth) for _, value in known]
    if len({_unnumbered(name) for name, _ in known}) == 1:
        # x_1 = 2, x_2 = 3: the solutions of one unknown, numbered.
        return system, forms.set_key(values), forms.tuple_key(values)
    return system, forms.tuple_key(values)


def _system_key(args: Sequence[Node], depth: int) -> str:
    parts = set()
    for arg in args:
        pair = _assignment(arg)
        if pair is not None and not names(pair[1]):
            parts.add(forms.tuple_key((key(pair[0], depth), key(pair[1], depth)), "is"))
        else:
            parts.add(key(arg, depth))
    return forms.tuple_key(sorted(parts), "system")


def _unnumbered(name: Node) -> str:
    """The letter of a numbered name; of any other, itself."""
    if not isinstance(name, Name):
        return repr(name)
    letter, _, index = name.name.partition("_")
    return letter if index.isdigit() else name.name


def _relation_key(node: Call) -> str:
    left, right = node.args
    if node.head in {"gt", "ge"}:
        left, right = right, left
    strictness = {"gt": "lt", "ge": "le"}.get(node.head, node.head)
    try:
        difference = closed.closed_form(call("add", left, call("neg", right)))
        digest = fingerprint.relation(difference, sign_matters=strictness in {"lt", "le"})
    except fingerprint.EvaluationError as error:
        raise UnkeyedError(str(error)) from error
    if digest == "zero":
        raise UnkeyedError("it says nothing")  # n = n, whatever was meant
    return f"e:{strictness}:{digest}"


@keying("given")
def _of_restricted(node: Call, depth: int) -> Keys:
    """A value under a condition: what k runs over is dropped, the rest belongs to the answer."""
    value, condition = node.args
    if says_what_a_name_is(condition, [value]):
        return keys(value, depth + 1)
    return (forms.tuple_key((key(value, depth), key(condition, depth)), "given"),)


@keying("congruent")
def _of_congruence(node: Call, depth: int) -> Keys:
    left, residue, modulus = node.args
    smallest = call("mod", residue, modulus)
    parts = [key(smallest, depth), key(modulus, depth)]
    if not isinstance(left, Name):
        parts.insert(0, key(left, depth))
    return (forms.tuple_key(parts, "mod"),)
