"""Trees as SymPy objects and back.

SymPy never sees text: objects are built from trees, node by node, and it computes while they are
built. So what would not end is refused before: see `_refuse_large_power` and the limits of
`_GUARDED`. SymPy is imported inside functions, for it takes half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from .polynomials import BeyondError
from .tree import Call, Constant, Name, Node, Number, Text, call, walk, whole

if TYPE_CHECKING:
    import sympy

_MAX_DEPTH = 100
_MAX_NODES = 2_000
_MAX_BITS = 20_000
_MAX_FACTORIAL = 3_000
_MAX_BERNOULLI = 300

_CONSTANTS = {
    "pi": "pi",
    "e": "E",
    "i": "I",
    "infinity": "oo",
    "complex_infinity": "zoo",
    "golden_ratio": "GoldenRatio",
}
_FUNCTIONS = {
    "abs": "Abs",
    "max": "Max",
    "min": "Min",
    "arg": "arg",
    "conjugate": "conjugate",
    "atan2": "atan2",
    "binomial": "binomial",
    "ceiling": "ceiling",
    "erf": "erf",
    "exp": "exp",
    "factorial": "factorial",
    "factorial2": "factorial2",
    "floor": "floor",
    "gamma": "gamma",
    "im": "im",
    "lambertw": "LambertW",
    "mod": "Mod",
    "permutations": "FallingFactorial",
    "re": "re",
    "sign": "sign",
    "zeta": "zeta",
} | {
    arc + name + hyperbolic: arc + name + hyperbolic
    for arc in ("", "a")
    for name in ("sin", "cos", "tan", "cot", "sec", "csc")
    for hyperbolic in ("", "h")
}
_HEADS = {name: head for head, name in _FUNCTIONS.items()}
_GUARDED = {
    "factorial": _MAX_FACTORIAL,
    "factorial2": _MAX_FACTORIAL,
    "gamma": _MAX_FACTORIAL,
    "permutations": _MAX_FACTORIAL,
    "binomial": _MAX_FACTORIAL,
    "zeta": _MAX_BERNOULLI,
}
"""Functions that SymPy computes when they are built, and the largest number they are given."""


class UntranslatableError(BeyondError):
    """What has no counterpart, is too large to be built, or is not found."""


Symbols = Mapping[str, "sympy.Symbol"]


def to_sympy(node: Node, symbols: Symbols | None = None) -> sympy.Expr:
    """A scalar tree as a SymPy expression.

    Parameters
    ----------
    node
        Arithmetic, functions, and calls over an index or a limit (left undone).
    symbols
        What stands for some of the variables; a plain symbol for the others.

    Raises
    ------
    UntranslatableError
        If the tree holds something else, or something too large.

    >>> str(to_sympy(call("pow", Name("x"), whole(2))))
    'x**2'
    """
    if len(list(islice(walk(node), _MAX_NODES + 1))) > _MAX_NODES:
        raise UntranslatableError("too many parts")
    with sympy_failures():
        return _built(node, dict(symbols or {}), 0)


@contextmanager
def sympy_failures() -> Iterator[None]:
    """Turn what SymPy raises where it does not know how to go on into `UntranslatableError`."""
    from sympy.polys.polyerrors import BasePolynomialError  # noqa: PLC0415

    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        NotImplementedError,
        RecursionError,
        TypeError,
        ValueError,
        BasePolynomialError,
    ) as error:
        raise UntranslatableError(f"SymPy gives up: {type(error).__name__}") from error


def _built(node: Node, symbols: dict[str, sympy.Symbol], depth: int) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    if depth > _MAX_DEPTH:
        raise UntranslatableError("nested too deeply")
    match node:
        case Number(value):
            if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
                raise UntranslatableError("too large a number")
            return sympy.Rational(value.numerator, value.denominator)
        case Constant(name) if name in _CONSTANTS:
            return getattr(sympy, _CONSTANTS[name])
        case Name(name):
            return symbols.get(name) or sympy.Symbol(name)
        case Call("sum" | "product" | "integral" | "limit" | "derivative", _):
            return _over_an_index(node, symbols, depth)
        case Call(head, args):
            return _called(head, [_built(arg, symbols, depth + 1) for arg in args])
    raise UntranslatableError("no number")


def _called(head: str, args: Sequence[sympy.Expr]) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    if head in _BUILDERS:
        return _BUILDERS[head](*args)
    if head in {"gcd", "lcm"}:
        return _of_integers(head, args)
    if head.startswith("apply:"):
        return sympy.Function(head.removeprefix("apply:"))(*args)
    if head not in _FUNCTIONS:
        raise UntranslatableError(f"no counterpart of {head}")
    _refuse_large(head, args)
    return getattr(sympy, _FUNCTIONS[head])(*args)


def _sum_of(*args: sympy.Expr) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    return sympy.Add(*args)


def _product_of(*args: sympy.Expr) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    return sympy.Mul(*args)


def _logarithm(x: sympy.Expr, base: sympy.Expr | None = None) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    return sympy.log(x) if base is None else sympy.log(x) / sympy.log(base)


def _of_integers(head: str, args: Sequence[sympy.Expr]) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    if not all(arg.is_Integer for arg in args):
        raise UntranslatableError("a divisor of what is no integer")
    found = sympy.S.Zero if head == "gcd" else sympy.S.One
    for arg in args:
        found = sympy.igcd(found, arg) if head == "gcd" else sympy.ilcm(found, arg)
    return sympy.Integer(found)


def _refuse_large(head: str, args: Sequence[sympy.Expr]) -> None:
    import sympy  # noqa: PLC0415

    if head == "exp":
        _refuse_large_power(sympy.E, args[0])
    limit = _GUARDED.get(head)
    if limit is not None and any(_largest(arg) > limit for arg in args):
        raise UntranslatableError("too large an argument")


def _largest(expression: sympy.Expr) -> Fraction:
    import sympy  # noqa: PLC0415

    sizes = [abs(Fraction(int(n.p), int(n.q))) for n in expression.atoms(sympy.Rational)]
    return max(sizes, default=Fraction(0))


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    _refuse_large_power(base, exponent)
    if base.is_zero and exponent.is_zero:
        raise UntranslatableError("0^0")
    return sympy.Pow(base, exponent)


_BUILDERS: dict[str, Callable[..., sympy.Expr]] = {
    "add": _sum_of,
    "mul": _product_of,
    "neg": lambda x: -x,
    "div": lambda a, b: a / b,
    "pow": _power,
    "root": lambda x, degree: _power(x, 1 / degree),
    "log": _logarithm,
}


def _refuse_large_power(base: sympy.Expr, exponent: sympy.Expr) -> None:
    """Refuse a power whose numbers would be raised when it is built, if they would get large."""
    import sympy  # noqa: PLC0415

    numbers = [*base.atoms(sympy.Integer, sympy.Rational)]
    # e^(n log 2) and (…)^(n log …) are simplified to powers as well.
    numbers += [n for part in exponent.atoms(sympy.log) for n in part.atoms(sympy.Rational)]
    bits = sum(int(n.p).bit_length() + int(n.q).bit_length() for n in numbers)
    if bits * _largest(exponent) > _MAX_BITS:
        raise UntranslatableError("too large a power")


def _over_an_index(node: Call, symbols: dict[str, sympy.Symbol], depth: int) -> sympy.Expr:
    import sympy  # noqa: PLC0415

    body, variable, *rest = node.args
    if not isinstance(variable, Name):
        raise UntranslatableError("an index that is no variable")
    whole_index = node.head in {"sum", "product"}
    index = (
        sympy.Symbol(variable.name, integer=True) if whole_index else sympy.Symbol(variable.name)
    )
    inside = _built(body, symbols | {variable.name: index}, depth + 1)
    match node.head, rest:
        case "sum", (low, high):
            return sympy.Sum(inside, _range(index, (low, high), symbols, depth))
        case "product", (low, high):
            return sympy.Product(inside, _range(index, (low, high), symbols, depth))
        case "integral", (low, high):
            return sympy.Integral(inside, _range(index, (low, high), symbols, depth))
        case "integral", ():
            return sympy.Integral(inside, index)
        case "limit", (point, Text(words)):
            return sympy.Limit(inside, index, _built(point, symbols, depth + 1), words)
        case "derivative", (Number(order),) if order.denominator == 1 and 0 < order <= 10:  # noqa: PLR2004 - longer ones grow without end
            return sympy.Derivative(inside, (index, order.numerator))
    raise UntranslatableError(f"no {node.head} with such arguments")


def _range(
    index: sympy.Symbol, ends: tuple[Node, Node], symbols: dict[str, sympy.Symbol], depth: int
) -> tuple[sympy.Expr, ...]:
    return index, *(_built(end, symbols, depth + 1) for end in ends)


# Back


def from_sympy(expression: sympy.Basic) -> Node:
    """A SymPy expression as a tree.

    Raises
    ------
    UntranslatableError
        If something in it has no head here.

    >>> from_sympy(to_sympy(call("root", whole(8), whole(2)))).head
    'mul'
    """
    return _read(expression, 0)


def _read(expression: sympy.Basic, depth: int) -> Node:
    import sympy  # noqa: PLC0415

    if depth > _MAX_DEPTH:
        raise UntranslatableError("nested too deeply")
    if isinstance(expression, sympy.Rational):
        return Number(Fraction(int(expression.p), int(expression.q)))
    if isinstance(expression, sympy.Symbol):
        return Name(expression.name)
    if expression == sympy.S.NegativeInfinity:
        return call("neg", Constant("infinity"))
    for name, constant in _CONSTANTS.items():
        if expression == getattr(sympy, constant):
            return Constant(name)
    args = tuple(_read(arg, depth + 1) for arg in expression.args)
    return _headed(expression, args)


def _headed(expression: sympy.Basic, args: tuple[Node, ...]) -> Node:
    import sympy  # noqa: PLC0415

    kind = type(expression)
    plain: dict[type[sympy.Basic], Callable[..., Node]] = {
        sympy.Add: lambda *parts: call("add", *parts),
        sympy.Mul: lambda *parts: call("mul", *parts),
        sympy.Pow: lambda base, exponent: call("pow", base, exponent),
        sympy.log: lambda *parts: call("log", *parts),
        sympy.RisingFactorial: _rising,
        sympy.erfc: lambda x: call("add", whole(1), call("neg", call("erf", x))),
        sympy.sinc: lambda x: call("div", call("sin", x), x),
    }
    if kind in plain:
        return plain[kind](*args)
    if isinstance(expression, sympy.core.function.AppliedUndef):
        return Call("apply:" + kind.__name__, args)
    head = _HEADS.get(kind.__name__)
    if head is None or getattr(sympy, kind.__name__, None) is not kind:
        raise UntranslatableError(f"no head for {kind.__name__}")
    return Call(head, args)


def _rising(x: Node, count: Node) -> Node:
    return call("div", call("gamma", call("add", x, count)), call("gamma", x))
