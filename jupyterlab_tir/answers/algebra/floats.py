"""Floats in a tree: what Python computed with rounding stands for the number that it rounds."""

from __future__ import annotations

from fractions import Fraction

from .. import forms
from . import values
from .tree import Call, Node, Number, call, walk

_MAX_DENOMINATOR = 100_000
_DIGITS = 30
_NOISE = Fraction(1, 10**15)


def has_float(node: Node) -> bool:
    """Whether a decimal in the tree is long enough to be a float's.

    >>> has_float(Number(Fraction(1, 3), "0.3333333333333333")), has_float(Number(Fraction(1, 2)))
    (True, False)
    """
    return any(isinstance(n, Number) and forms.float_key(n.decimal) for n in walk(node))


def float_of(node: Node) -> str | None:
    """Key of a tree that is one float, with its sign and unit; else None."""
    match node:
        case Number(_, decimal) if decimal:
            return forms.float_key(decimal)
        case Call("neg", (Number(_, decimal),)) if decimal:
            return forms.float_key("-" + decimal)
    return None


def float_key_of(node: Node) -> str:
    """Key of a constant that was computed with floats: again a float, or two of a complex number.

    Raises
    ------
    EvaluationError
        If the tree has no value.
    """
    value = values.evaluate(node, {}, _DIGITS)
    real, imaginary = values.parts(value)
    size = max(abs(real), abs(imaginary))
    # What is left of a part by rounding is nothing: exp(pi*1j) prints -1+1.2246467991473532e-16j.
    if abs(imaginary) <= size * _NOISE:
        return _rounded(real)
    return forms.complex_key(
        "q:0" if abs(real) <= size * _NOISE else _rounded(real), _rounded(imaginary)
    )


def _rounded(value: Fraction) -> str:
    try:
        printed = repr(float(value))
    except OverflowError:
        return forms.rational_key(value)
    return forms.float_key(printed) or forms.rational_key(Fraction(printed))


def rationalised(node: Node) -> Node:
    """The tree with each float replaced by the simplest fraction that it could be the float of."""
    if isinstance(node, Call):
        return call(node.head, *map(rationalised, node.args))
    if not isinstance(node, Number) or not (key := forms.float_key(node.decimal)):
        return node
    simple = node.value.limit_denominator(_MAX_DENOMINATOR)
    return Number(simple) if forms.is_float_of(key, forms.rational_key(simple)) else node
