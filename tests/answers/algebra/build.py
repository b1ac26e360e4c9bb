"""Trees in few letters, for the tests of what computes with them."""

from __future__ import annotations

from fractions import Fraction

from jupyterlab_tir.answers.algebra.tree import Call, Constant, Name, Node, Number

Part = Node | int | Fraction

PI, E, IM, INFINITY = (Constant(name) for name in ("pi", "e", "i", "infinity"))
X, Y, K, N = (Name(name) for name in "xykn")


def node(part: Part) -> Node:
    return Number(Fraction(part)) if isinstance(part, int | Fraction) else part


def fn(head: str, *parts: Part) -> Call:
    return Call(head, tuple(node(part) for part in parts))


def add(*parts: Part) -> Call:
    return fn("add", *parts)


def mul(*parts: Part) -> Call:
    return fn("mul", *parts)


def neg(part: Part) -> Call:
    return fn("neg", part)


def minus(left: Part, right: Part) -> Call:
    return add(left, neg(right))


def div(left: Part, right: Part) -> Call:
    return fn("div", left, right)


def power(base: Part, exponent: Part) -> Call:
    return fn("pow", base, exponent)


def sqrt(part: Part) -> Call:
    return fn("root", part, 2)
