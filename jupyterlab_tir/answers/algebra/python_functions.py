# ruff: noqa: SIM905 - a table of names is read as text
"""Special functions, ranges and mappings as Python and SymPy print them.

Trees from a name's arguments, already trees; `python_forms` has the other calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .tokens import ReadError
from .tree import Call, Node, Number, call, whole

UNKNOWN = frozenset(
    "Si Ci Ei li Li Shi Chi erfi fresnels fresnelc harmonic fibonacci lucas catalan bernoulli"
    " euler polylog digamma trigamma polygamma loggamma besselj bessely besseli besselk Heaviside"
    " DiracDelta KroneckerDelta elliptic_k elliptic_e elliptic_f primepi totient hyper airyai"
    " airybi legendre hermite chebyshevt chebyshevu laguerre uppergamma lowergamma expint".split()
)
"""Functions of no head of their own: unknown ones of their arguments."""

_MAX_RANGE, _MAX_BOUND = 1_000, 10**12
_MAX_RANGE_ARGUMENTS = 3


def exactly(count: int, name: str, arguments: Sequence[Node]) -> Sequence[Node]:
    """The arguments, if they are so many.

    Raises
    ------
    ReadError
        If they are not.
    """
    if len(arguments) != count:
        raise ReadError(f"{name} takes {count} arguments")
    return arguments


def without_lambda(node: Node) -> Node:
    """The body of what `Lambda` made; anything else as it is.

    >>> from .tree import Name
    >>> without_lambda(call("lambda", Name("x"), whole(2)))
    Number(value=Fraction(2, 1), decimal='')
    """
    return node.args[1] if isinstance(node, Call) and node.head == "lambda" else node


def _lambda(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    return Call("lambda", tuple(exactly(2, "Lambda", arguments)))


def _image(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    function, base = exactly(2, "ImageSet", arguments)
    if not isinstance(function, Call) or function.head != "lambda":
        raise ReadError("an image under no Lambda")
    return call("setof", function.args[1], call("in", function.args[0], base))


def _numbers(arguments: Sequence[Node]) -> tuple[Node, ...]:
    """The numbers of a range, if they are few."""
    bounds = [
        int(part.value)
        for part in arguments
        if isinstance(part, Number) and part.value.denominator == 1
    ]
    if len(bounds) != len(arguments) or not 0 < len(bounds) <= _MAX_RANGE_ARGUMENTS:
        raise ReadError("a range without integer ends")
    if bounds[2:] == [0] or max(map(abs, bounds)) > _MAX_BOUND:
        raise ReadError("a range that we do not read")
    numbers = range(*bounds)
    if len(numbers) > _MAX_RANGE:
        raise ReadError("a range longer than we read")
    return tuple(whole(value) for value in numbers)


def _set_of_range(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    return Call("set", _numbers(arguments))


def _list_of_range(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    return Call("list", _numbers(arguments))


def _falling(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    return Call("permutations", tuple(exactly(2, "a falling factorial", arguments)))


def _rising(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    start, count = exactly(2, "a rising factorial", arguments)
    return call("div", call("gamma", call("add", start, count)), call("gamma", start))


def _complementary_error(arguments: Sequence[Node], _: Mapping[str, Node]) -> Node:
    return call("add", whole(1), call("neg", call("erf", *exactly(1, "erfc", arguments))))


FUNCTIONS: Mapping[str, Callable[[Sequence[Node], Mapping[str, Node]], Node]] = {
    "Lambda": _lambda,
    "ImageSet": _image,
    "Range": _set_of_range,
    "range": _list_of_range,
    "FallingFactorial": _falling,
    "RisingFactorial": _rising,
    "erfc": _complementary_error,
}
"""What builds the tree of a call."""
