"""Values that tokens and trees give at once: numbers, products, signs, angles.

Pure functions on text and trees.
"""

from __future__ import annotations

from fractions import Fraction

from ..bigint import read_digits
from .tokens import ReadError
from .tree import Call, Constant, Name, Node, Number, Text, call, whole
from .words import NUMBER_WORDS

_MAX_EXPONENT = 6_000
_MAX_BASE = 36
_ONE = Number(Fraction(1))


def integer(digits: str) -> int:
    """Value of decimal digits.

    Raises
    ------
    ReadError
        Where there are more than we compute with.
    """
    value = read_digits(digits)
    if value is None:
        raise ReadError("an integer longer than we read")
    return value


def number(text: str) -> Number:
    """Node of an integer, decimal or scientific number.

    >>> number("1e-2").value, number("007")
    (Fraction(1, 100), Number(value=Fraction(7, 1), decimal=''))
    """
    mantissa, _, exponent = text.lower().partition("e")
    digits, point, decimals = mantissa.partition(".")
    if not point and not exponent:
        return Number(Fraction(integer(digits)))
    if len(exponent) > 6 or abs(int(exponent or "0")) > _MAX_EXPONENT:  # noqa: PLR2004 - its digits
        raise ReadError("an exponent larger than we read")
    value = Fraction(integer(digits + decimals), 10 ** len(decimals))
    return Number(value * Fraction(10) ** int(exponent or "0"), decimal=text)


def repeating_number(text: str) -> Number:
    """Value of a repeating decimal as the tokenizer writes it.

    >>> repeating_number("0.1|6").value
    Fraction(1, 6)
    """
    start, _, period = text.partition("|")
    whole, _, decimals = start.partition(".")
    scale = 10 ** len(decimals)
    once = Fraction(integer(period), 10 ** len(period) - 1)
    return Number((integer(whole + decimals) + once) / scale)


def base_of(written: str) -> int:
    """The base that an index names; 0 for none.

    >>> base_of("16"), base_of("two"), base_of("max")
    (16, 2, 0)
    """
    base = NUMBER_WORDS.get(written) or (int(written) if written.isdigit() else 0)
    return base if 1 < base <= _MAX_BASE else 0


def is_in_base(digits: str, base: int) -> bool:
    """Whether all digits are some of a base.

    >>> is_in_base("B0", 16), is_in_base("29", 2)
    (True, False)
    """
    bare = digits.replace(".", "", 1)
    return base > 0 and bare.isascii() and bare.isalnum() and all(int(d, 36) < base for d in bare)


def based(text: str) -> Call:
    """Number in a base as the tokenizer writes it: "B0|16".

    Raises
    ------
    ReadError
        Where the base or a digit of it does not exist.
    """
    digits, _, written = text.partition("|")
    base = base_of(written)
    if not is_in_base(digits, base):
        raise ReadError("digits that are none of the base")
    return call("based", Text(digits.upper()), whole(base))


def chosen_from(text: str) -> Call:
    """Combinations or permutations as the tokenizer writes them: "10|C|3"."""
    total, letter, index = text.split("|")
    parts = [number(part) if part.isdigit() else Name(part) for part in (total, index)]
    return call("binomial" if letter == "C" else "permutations", *parts)


def product(factors: list[Node]) -> Node:
    """Product of factors, flat and without ones; the factor itself where one is left."""
    flat: list[Node] = []
    for factor in factors:
        flat.extend(factor.args if isinstance(factor, Call) and factor.head == "mul" else [factor])
    kept = [factor for factor in flat if factor != _ONE] or flat[:1]
    return kept[0] if len(kept) == 1 else Call("mul", tuple(kept))


def negative(node: Node) -> Node:
    """The negative of a value; a unit stays outside."""
    if isinstance(node, Call) and node.head == "measured":
        return call("measured", negative(node.args[0]), node.args[1])
    return call("neg", node)


def in_radians(node: Node) -> Node:
    """An angle with degrees put into radians, as the argument of a trigonometric function."""
    if isinstance(node, Call) and node.head == "measured" and node.args[1] == Text("°"):
        from_degrees = call("div", Constant("pi"), Number(Fraction(180)))
        return call("mul", node.args[0], from_degrees)
    if isinstance(node, Call) and node.head in {"add", "neg"}:
        return Call(node.head, tuple(in_radians(part) for part in node.args))
    return node
