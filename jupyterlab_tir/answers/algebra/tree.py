"""The tree of an answer: what the reader makes of text, and everything else computes with.

Three kinds of nodes: exact numbers, symbols, and calls of a head on arguments. No text is ever
evaluated; a head that no room knows makes an answer incomparable, never wrong.

Heads, by what they stand for
-----------------------------
Arithmetic
    ``add`` (n-ary), ``mul`` (n-ary), ``neg`` (x), ``div`` (a, b), ``pow`` (base, exponent),
    ``root`` (x, degree), ``factorial`` (n), ``factorial2`` (n), ``binomial`` (n, k),
    ``permutations`` (n, k), ``mod`` (a, b), ``gcd``, ``lcm``, ``max``, ``min`` (n-ary), ``abs``,
    ``floor``, ``ceiling``, ``sign``, ``re``, ``im``, ``conjugate``, ``arg``.
Functions
    ``exp``, ``log`` (x; natural) or (x, base), the trigonometric ``sin cos tan cot sec csc``, their
    inverses ``asin acos atan acot asec acsc``, ``atan2`` (y, x), the hyperbolic ``sinh cosh tanh
    coth sech csch asinh acosh atanh``, ``gamma``, ``zeta``, ``erf``, ``lambertw``; ``apply:f`` is
    an unknown function f of its arguments (``apply:f'`` its derivative).
Over an index or a limit
    ``sum``, ``product`` and ``integral`` (body, variable, lower, upper), ``integral`` (body,
    variable) where it is indefinite, ``limit`` (body, variable, point, Text "+", "-" or "+-"),
    ``derivative`` (body, variable, order).
Collections
    ``set`` (elements in braces), ``tuple`` (round brackets), ``list`` (square brackets),
    ``vector`` (elements in angle brackets: a tuple that is no interval),
    ``bare`` (elements with nothing around them: commas, semicolons, "and", "or"; Text "…" where
    some are left out), ``matrix`` (one ``tuple`` for each row), ``determinant`` (of one
    ``matrix``), ``ratio`` (a, b, … of a:b:…), ``open``, ``closed``, ``open_closed`` and
    ``closed_open`` (lower, upper: intervals that can be nothing else), ``plusminus`` (a, b),
    ``minusplus`` (a, b).
Sets
    ``union``, ``intersection``, ``difference`` (a, b), ``empty``, ``reals``, ``integers``,
    ``naturals``, ``rationals``, ``complexes``, ``setof`` (variable or pattern, condition).
Statements
    ``eq``, ``ne``, ``lt``, ``le``, ``gt``, ``ge`` (a, b), ``in`` and ``notin`` (a, set), ``and``,
    ``or``, ``not``, ``congruent`` (a, b, modulus), ``piecewise`` ((value, condition) tuples; a
    condition Text "otherwise"), ``given`` (value, condition: "2k for k in Z").
Beside a value
    ``measured`` (value, Text of the unit or currency), ``based`` (digits as Text, base),
    ``approx`` (value, what it is about).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

CONSTANTS = frozenset({"pi", "e", "i", "infinity", "complex_infinity", "nan", "golden_ratio"})
"""Names that `Constant` may have."""


RELATIONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
"""Heads that compare two values."""

CONDITIONS = RELATIONS | {"in", "notin", "and", "or", "not"}
"""Heads of what holds for a number or does not."""


class Number(Struct, frozen=True, tag=True):
    """An exact rational.

    Attributes
    ----------
    value
        What the text says, a decimal read exactly.
    decimal
        The decimal as written ("0.3333333333333333", "1e-5"), where it was one; else empty. What
        Python printed stands for the number that it rounds.
    """

    value: Fraction
    decimal: str = ""


class Constant(Struct, frozen=True, tag=True):
    """One of `CONSTANTS`."""

    name: str


class Name(Struct, frozen=True, tag=True):
    """A variable: "x", "x_1", "theta", "x'"."""

    name: str


class Text(Struct, frozen=True, tag=True):
    """Words: "yes", "no solution", "Tuesday", a choice's letter."""

    words: str


class Call(Struct, frozen=True, tag=True):
    """A head on its arguments; see the module's list."""

    head: str
    args: tuple[Node, ...]


Node = Number | Constant | Name | Text | Call


def whole(value: int) -> Number:
    """An integer as a node."""
    return Number(Fraction(value))


def call(head: str, *args: Node) -> Call:
    """A call, its arguments listed.

    >>> call("add", Name("x"), whole(1)).args[1].value
    Fraction(1, 1)
    """
    return Call(head, args)


def is_statement(node: Node) -> bool:
    """Whether a tree says something, rather than is a value.

    >>> is_statement(call("lt", Name("x"), whole(3))), is_statement(Name("x"))
    (True, False)
    """
    return isinstance(node, Call) and (node.head in CONDITIONS or node.head == "congruent")


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, parents first.

    >>> [type(part).__name__ for part in walk(call("neg", Name("x")))]
    ['Call', 'Name']
    """
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        if isinstance(found, Call):
            waiting.extend(reversed(found.args))


def names(node: Node) -> frozenset[str]:
    """Names of the variables in a tree, bound ones included."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Name))
