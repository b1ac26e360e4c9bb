# ruff: noqa: SIM905 - tables of names are read as text
"""What Python, NumPy and SymPy print as calls: `Fraction(1, 2)`, `Interval.open(0, 1)`, `Sum(…)`.

Builds trees of the contract in `tree` from a call's name and its arguments, already trees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from .python_functions import FUNCTIONS, UNKNOWN, exactly, without_lambda
from .reading_values import number, product
from .tokens import ReadError
from .tree import Call, Constant, Name, Node, Number, Text, call, whole

Keywords = Mapping[str, Node]
Arguments = Sequence[Node]

KEYWORDS = frozenset(
    "dir domain dtype shape evaluate real positive negative integer nonnegative modulus"
    " precision prec"
    " imag cls complex left_open right_open nonzero rational denominator numerator mutable".split()
)
"""Names of keyword arguments; they are told from equations by being listed here."""

_SAME = {
    "Add": "add", "Pow": "pow", "Union": "union", "Intersection": "intersection",
    "FiniteSet": "set", "And": "and", "Or": "or", "Not": "not", "Tuple": "tuple", "Xor": "xor",
    "Point": "tuple", "Point2D": "tuple", "Point3D": "tuple",
    **{name: f"apply:{name}" for name in UNKNOWN},
}  # fmt: skip
_RELATIONS = {
    "Eq": "eq", "Equality": "eq", "Ne": "ne", "Unequality": "ne", "Lt": "lt",
    "StrictLessThan": "lt", "Le": "le", "LessThan": "le", "Gt": "gt", "StrictGreaterThan": "gt",
    "Ge": "ge", "GreaterThan": "ge", "Contains": "in", "Complement": "difference",
}  # fmt: skip
_TRANSPARENT = frozenset(
    "Integer int float int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
    " float128 longdouble complex64 complex128 mpf Decimal Float mpz S sympify N Symbol"
    " Poly PurePoly"
    " str str_ bool bool_ dict_keys dict_values dict_items list sorted frozenset set"
    " nsimplify simplify"
    " Dummy ImmutableDenseMatrix ImmutableMatrix MutableDenseMatrix Matrix array matrix tuple"
    " UnevaluatedExpr Basic longlong intc asarray deque".split()
)
_MATRICES = frozenset(
    {"Matrix", "ImmutableMatrix", "ImmutableDenseMatrix", "MutableDenseMatrix", "matrix"}
)
_SETS = frozenset({"set", "frozenset"})
_INTERVALS = {
    "Interval": "closed", "Interval.open": "open", "Interval.Lopen": "open_closed",
    "Interval.Ropen": "closed_open",
}  # fmt: skip
_OVER = {"Sum": "sum", "Product": "product", "Integral": "integral"}
_QUOTED = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_ROOT_ARGUMENTS, _RANGE_ARGUMENTS = 2, 3


def build(  # noqa: PLR0911 - one for each kind of call
    name: str, arguments: Arguments, keywords: Keywords
) -> Node:
    """Tree of a call.

    Parameters
    ----------
    name
        One of `CALLABLES`.
    arguments, keywords
        Its arguments as trees; keywords that change nothing in value are not looked at.

    Raises
    ------
    ReadError
        Where the arguments are not what the name takes.

    Examples
    --------
    >>> build("Rational", [whole(1), whole(2)], {}).head
    'div'
    >>> build("Interval.open", [whole(0), whole(1)], {}).head
    'open'
    """
    if name != "ImageSet":
        arguments = [without_lambda(argument) for argument in arguments]
    if name in _MATRICES:
        return _matrix(arguments)
    if name in _SETS:
        return _set(arguments)
    if name in _TRANSPARENT:
        return _transparent(name, arguments)
    if name in _SAME:
        return Call(_SAME[name], tuple(arguments))
    if name in _RELATIONS:
        return Call(_RELATIONS[name], tuple(exactly(2, name, arguments)))
    if name in _INTERVALS:
        return _interval(name, arguments)
    if name in _OVER:
        return _over(_OVER[name], arguments)
    if name in _OTHERS:
        return _OTHERS[name](arguments, keywords)
    raise ReadError(f"unknown call {name}")


def _transparent(name: str, arguments: Arguments) -> Node:
    if not arguments:
        raise ReadError(f"{name} without a value")
    first = arguments[0]
    if isinstance(first, Text) and name == "Symbol":
        return Name(first.words)
    if name in {"tuple", "list", "array", "asarray"} and isinstance(first, Call):
        is_rows = first.head in {"list", "tuple", "set", "matrix"}
        return Call("tuple" if name == "tuple" else first.head, first.args) if is_rows else first
    return text_value(first) if isinstance(first, Text) and name not in {"str", "str_"} else first


def text_value(text: Text) -> Node:
    """Value of a number in quotes, as `Decimal('0.75')` has it.

    >>> text_value(Text("0.75")).value
    Fraction(3, 4)
    """
    words = text.words.strip()
    sign, digits = words[:1], words.lstrip("+-")
    if digits.lower() in {"inf", "infinity", "oo"}:
        value: Node = Constant("infinity")
    elif digits.lower() == "nan":
        return Constant("nan")
    elif "/" in digits:
        above, _, below = digits.partition("/")
        value = call("div", _plain_number(above), _plain_number(below))
    else:
        value = _plain_number(digits)
    return call("neg", value) if sign == "-" else value


def _plain_number(digits: str) -> Number:
    bare = digits.strip()
    if _QUOTED.fullmatch(bare) is None:
        raise ReadError("no number in the quotes")
    return number(bare)


def _set(arguments: Arguments) -> Node:
    if not arguments:
        return call("empty")
    first = arguments[0]
    if isinstance(first, Call) and first.head in {"set", "list", "tuple"}:
        return Call("set", first.args) if first.args else call("empty")
    return first


def _matrix(arguments: Arguments) -> Node:
    if len(arguments) == _RANGE_ARGUMENTS:
        rows, columns, cells = arguments
        if not (
            isinstance(rows, Number) and isinstance(columns, Number) and isinstance(cells, Call)
        ):
            raise ReadError("not a matrix")
        width = int(columns.value)
        if width < 1 or rows.value * width != len(cells.args):
            raise ReadError("not a matrix")
        starts = range(0, len(cells.args), width)
        return Call("matrix", tuple(Call("tuple", cells.args[at : at + width]) for at in starts))
    cells = arguments[0] if arguments else None  # type: ignore[assignment]
    if not isinstance(cells, Call) or cells.head not in {"list", "matrix", "tuple"}:
        raise ReadError("not a matrix")
    if cells.head == "matrix":
        return cells
    return Call("matrix", tuple(call("tuple", cell) for cell in cells.args))


def _interval(name: str, arguments: Arguments) -> Node:
    if len(arguments) not in {2, 3, 4}:
        raise ReadError("an interval has two ends")
    is_open = [flag in (Text("True"), Text("true")) for flag in arguments[2:]] + [False, False]
    heads = {(True, True): "open", (True, False): "open_closed", (False, True): "closed_open"}
    head = (
        _INTERVALS[name]
        if len(arguments) == _ROOT_ARGUMENTS
        else heads.get((is_open[0], is_open[1]), "closed")
    )
    return call(head, arguments[0], arguments[1])


def _over(head: str, arguments: Arguments) -> Node:
    if len(arguments) < _ROOT_ARGUMENTS:
        raise ReadError(f"a {head} without its index")
    body = arguments[0]
    for limits in arguments[1:]:
        parts = limits.args if isinstance(limits, Call) and limits.head == "tuple" else (limits,)
        if not isinstance(parts[0], Name) or len(parts) not in {1, 3}:
            raise ReadError(f"a {head} over no index")
        if len(parts) == 1 and head != "integral":
            raise ReadError(f"a {head} without limits")
        body = call(head, body, *parts)
    return body


def _derivative(arguments: Arguments, _: Keywords) -> Node:
    body = arguments[0] if arguments else whole(0)
    if len(arguments) < _ROOT_ARGUMENTS:
        raise ReadError("a derivative without its variable")
    for by in arguments[1:]:
        parts = by.args if isinstance(by, Call) and by.head == "tuple" else (by, whole(1))
        if isinstance(by, Number) and isinstance(body, Call) and body.head == "derivative":
            body = call("derivative", body.args[0], body.args[1], by)
            continue
        if not isinstance(parts[0], Name) or len(parts) != _ROOT_ARGUMENTS:
            raise ReadError("a derivative by no variable")
        body = call("derivative", body, parts[0], parts[1])
    return body


def _limit(arguments: Arguments, keywords: Keywords) -> Node:
    if len(arguments) not in {3, 4}:
        raise ReadError("a limit without its point")
    side = arguments[3] if len(arguments) > _RANGE_ARGUMENTS else keywords.get("dir", Text("+"))
    return call("limit", arguments[0], arguments[1], arguments[2], side)


def _piecewise(arguments: Arguments, _: Keywords) -> Node:
    pieces: list[Node] = []
    for piece in arguments:
        if not isinstance(piece, Call) or piece.head not in {"tuple", "ExprCondPair"}:
            raise ReadError("a piece without its condition")
        if len(piece.args) != _ROOT_ARGUMENTS:
            raise ReadError("a piece without its condition")
        value, condition = piece.args
        otherwise = condition in (Text("True"), Text("true"))
        pieces.append(call("tuple", value, Text("otherwise") if otherwise else condition))
    return Call("piecewise", tuple(pieces))


def _fraction(arguments: Arguments, keywords: Keywords) -> Node:
    parts = [
        *arguments,
        *(keywords[key] for key in ("numerator", "denominator") if key in keywords),
    ]
    if len(parts) == 1:
        return text_value(parts[0]) if isinstance(parts[0], Text) else parts[0]
    return Call("div", tuple(exactly(2, "a fraction", parts)))


def _complex(arguments: Arguments, keywords: Keywords) -> Node:
    parts = [*arguments, *(keywords[key] for key in ("real", "imag") if key in keywords)]
    values = [text_value(part) if isinstance(part, Text) else part for part in parts]
    if len(values) == 1:
        return values[0]
    real, imaginary = exactly(2, "a complex number", values)
    return call("add", real, call("mul", imaginary, Constant("i")))


def _setof(arguments: Arguments, _: Keywords) -> Node:
    if len(arguments) == _ROOT_ARGUMENTS:
        return call("setof", *arguments)
    variable, condition, base = exactly(3, "ConditionSet", arguments)
    return call("setof", variable, call("and", condition, call("in", variable, base)))


_OTHERS: dict[str, Callable[[Arguments, Keywords], Node]] = {
    "Fraction": _fraction,
    "Rational": _fraction,
    "complex": _complex,
    "mpc": _complex,
    "Mul": lambda arguments, _: product(list(arguments)),
    "Derivative": _derivative,
    "Limit": _limit,
    "Piecewise": _piecewise,
    "ExprCondPair": lambda arguments, _: Call("tuple", tuple(arguments)),
    "ConditionSet": _setof,
    "root": lambda arguments, _: Call("root", tuple(exactly(2, "root", arguments))),
    "real_root": lambda arguments, _: Call("root", tuple(exactly(2, "real_root", arguments))),
    "pow": lambda arguments, _: Call("pow", tuple(exactly(2, "pow", arguments))),
    "Lambda": lambda arguments, _: Call("lambda", tuple(exactly(2, "Lambda", arguments))),
    "EmptySet": lambda arguments, _: Call("empty", tuple(exactly(0, "EmptySet", arguments))),
    "Reals": lambda arguments, _: Call("reals", tuple(exactly(0, "Reals", arguments))),
    "Integers": lambda arguments, _: Call("integers", tuple(exactly(0, "Integers", arguments))),
    **FUNCTIONS,
}

CALLABLES = frozenset({*_SAME, *_RELATIONS, *_TRANSPARENT, *_INTERVALS, *_OVER, *_OTHERS})
"""Names that `build` knows."""
