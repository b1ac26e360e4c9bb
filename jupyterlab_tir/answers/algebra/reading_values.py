"""Values that tokens and trees give at once: numbers, products, signs, angles.

Pure functions on text and trees.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ..bigint import read_digits
from ..units import unit_of
from .tokens import ReadError
from .tree import Call, Constant, Name, Node, Number, Text, call, whole
from .words import NUMBER_WORDS

_MAX_EXPONENT = 6_000
_MAX_BASE = 36
_NOUN = re.compile(r"[^\W\d_]{2,30}(?: [^\W\d_]{2,30}){0,4}")
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


def scaled(node: Node, scale: str) -> Node:
    """A value times a scale as the tokenizer writes it, "1000" or "/4"; a unit stays outside."""
    if isinstance(node, Call) and node.head == "measured":
        return call("measured", scaled(node.args[0], scale), node.args[1])
    if scale.startswith("/"):
        return call("div", node, whole(int(scale[1:])))
    return product([node, whole(int(scale))])


def conjugated(node: Node) -> Node:
    """What a bar makes of a value: a variable under it is another variable."""
    if isinstance(node, Name):
        return _barred(node)
    return call("conjugate", _barred(node))


def _barred(node: Node) -> Node:
    if isinstance(node, Name):
        is_twice = node.name.startswith("bar:")
        return Name(node.name[4:] if is_twice else f"bar:{node.name}")
    if isinstance(node, Call):
        return Call(node.head, tuple(map(_barred, node.args)))
    return node


def negative(node: Node) -> Node:
    """The negative of a value; a unit stays outside."""
    if isinstance(node, Call) and node.head == "measured":
        return call("measured", negative(node.args[0]), node.args[1])
    return call("neg", node)


def counted_apart(items: list[Node]) -> tuple[Node, ...]:
    """Elements; where each counts something else, as "3 boys and 2 girls", each with its name."""
    measured = [item for item in items if isinstance(item, Call) and item.head == "measured"]
    nouns = [item.args[1].words for item in measured if isinstance(item.args[1], Text)]
    different = {noun.casefold() for noun in nouns}
    if len(nouns) != len(items) or len(different) != len(items):
        return tuple(items)
    if any(unit_of(f"5 {noun}") is not None or not _NOUN.fullmatch(noun) for noun in nouns):
        return tuple(items)
    return tuple(call("eq", item.args[1], item.args[0]) for item in measured)


def in_radians(node: Node) -> Node:
    """An angle with degrees put into radians, as the argument of a trigonometric function."""
    if isinstance(node, Call) and node.head == "measured" and node.args[1] == Text("°"):
        from_degrees = call("div", Constant("pi"), Number(Fraction(180)))
        return call("mul", node.args[0], from_degrees)
    if isinstance(node, Call) and node.head in {"add", "neg"}:
        return Call(node.head, tuple(in_radians(part) for part in node.args))
    return node
