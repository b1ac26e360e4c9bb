"""Trees as programs: compiled once, run at as many points and precisions as it takes.

Nothing here recurses into a tree, so its depth does not matter; its size and the work do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import TypeVar

from msgspec import Struct

from .functions import FUNCTIONS, Function
from .precision import (
    Arithmetic,
    Budget,
    Exact,
    Level,
    MorePrecisionError,
    TooBigError,
    UndefinedError,
    UnknownError,
    Value,
)
from .rounding import rounded
from .tree import Call, Constant, Name, Node, Number, Text

MAX_NODES = 20_000
MAX_TERMS = 10_000
_MAX_LOOPS = 6
_MAX_DIGITS = 2_000
_ZEROS = 10**9
_DIGITS = {
    character: value for value, character in enumerate("0123456789abcdefghijklmnopqrstuvwxyz")
}
_WRAPPERS = frozenset({"measured", "approx"})

T = TypeVar("T")


class Loop(Struct, frozen=True):
    """A sum or a product over whole numbers; its bounds are computed before."""

    head: str
    variable: str
    body: Program


class Step(Struct, frozen=True):
    """What is done next: push a value, a variable or a constant, or call on the values on top."""

    action: Value | Function | Loop | str
    kind: str
    count: int = 0


class Program(Struct, frozen=True):
    """A tree in the order in which it is computed.

    Attributes
    ----------
    steps
        Arguments before the functions that take them.
    free
        Names of the variables that need a value.
    heads
        Heads of all calls, and "i" where the tree has the imaginary unit.
    """

    steps: tuple[Step, ...]
    free: frozenset[str]
    heads: frozenset[str]


def compiled(node: Node, *, loops: int = 0) -> Program:
    """The tree as a program; raises `UnknownError` for what has no number as its value.

    >>> from .tree import call
    >>> sorted(compiled(call("add", Name("x"), Name("y"))).free)
    ['x', 'y']
    """
    steps: list[Step] = []
    free: set[str] = set()
    heads: set[str] = set()
    waiting: list[Node | Step] = [node]
    while waiting:
        item = waiting.pop()
        if len(steps) + len(waiting) > MAX_NODES:
            raise TooBigError("the expression has too many parts")
        if isinstance(item, Step):
            steps.append(item)
            if isinstance(item.action, Loop):
                free |= item.action.body.free - {item.action.variable}
                heads |= item.action.body.heads
        elif isinstance(item, Call):
            heads.add(item.head)
            waiting.extend(reversed(list(_expanded(item, loops))))
        else:
            step = _leaf(item)
            steps.append(step)
            if step.kind == "name" and isinstance(step.action, str):
                free.add(step.action)
            if item == Constant("i"):
                heads.add("i")
    return Program(tuple(steps), frozenset(free), frozenset(heads))


def _leaf(node: Node) -> Step:
    if isinstance(node, Number):
        return Step(node.value, "number")
    if isinstance(node, Name):
        return Step(node.name, "name")
    if isinstance(node, Constant) and node.name in {"e", "golden_ratio"}:
        return Step(node.name, "constant")
    if node == Constant("pi"):
        return Step(Exact(Fraction(1), Fraction(0), 1), "value")
    if node == Constant("i"):
        return Step(Exact(Fraction(0), Fraction(1), 0), "value")
    if node == Constant("nan"):
        raise UndefinedError("not a number")
    raise UnknownError("a word or infinity is no number")


def _expanded(node: Call, loops: int) -> Iterator[Node | Step]:
    """Arguments, then the step that takes them."""
    head, arguments = node.head, node.args
    if head in _WRAPPERS and arguments:
        yield arguments[0]
    elif head == "based":
        yield Step(_in_base(arguments), "number")
    elif head in {"sum", "product"}:
        yield from _loop(node, loops)
    elif head.startswith("apply:"):
        yield from arguments
        yield Step(head, "unknown function", len(arguments))
    elif head == "add":
        yield from _terms(node)
    elif head == "pow" and len(arguments) == 2 and arguments[0] == Constant("e"):  # noqa: PLR2004
        yield arguments[1]
        yield Step(FUNCTIONS["exp"], "call", 1)
    elif head == "mod" and _is_power(arguments[:1]) and len(arguments) == 2:  # noqa: PLR2004
        inside = arguments[0]
        yield from inside.args if isinstance(inside, Call) else ()
        yield arguments[1]
        yield Step(FUNCTIONS["power_mod"], "call", 3)
    else:
        function = FUNCTIONS.get(head)
        if function is None or not function.least <= len(arguments) <= function.most:
            raise UnknownError(f"{head} of {len(arguments)} things is no number that we compute")
        yield from arguments
        yield Step(function, "call", len(arguments))


def _is_power(arguments: tuple[Node, ...]) -> bool:
    return all(isinstance(part, Call) and part.head == "pow" for part in arguments)


def _terms(node: Call) -> Iterator[Node | Step]:
    """All terms of sums within sums, so that what cancels exactly does so first."""
    count = 0
    waiting: list[tuple[Node, bool]] = [(node, False)]
    while waiting:
        part, is_negative = waiting.pop()
        if isinstance(part, Call) and part.head == "add":
            waiting.extend((term, is_negative) for term in reversed(part.args))
        elif isinstance(part, Call) and part.head == "neg" and len(part.args) == 1:
            waiting.append((part.args[0], not is_negative))
        else:
            count += 1
            yield part
            if is_negative:
                yield Step(FUNCTIONS["neg"], "call", 1)
    yield Step(FUNCTIONS["add"], "call", count)


def _loop(node: Call, loops: int) -> Iterator[Node | Step]:
    if loops >= _MAX_LOOPS:
        raise TooBigError("too many sums within sums")
    match node.args:
        case (body, Name(name), lower, upper):
            yield lower
            yield upper
            yield Step(Loop(node.head, name, compiled(body, loops=loops + 1)), "loop", 2)
        case _:
            raise UnknownError(f"a {node.head} needs a body, an index and two bounds")


def _in_base(arguments: tuple[Node, ...]) -> Fraction:
    match arguments:
        case (Text(written), Number(base)) if base.denominator == 1 and 2 <= base <= len(_DIGITS):  # noqa: PLR2004
            whole, _, fraction = written.lower().removeprefix("-").partition(".")
        case _:
            raise UnknownError("digits in a base that is not a number from 2 to 36")
    value = 0
    for character in whole + fraction:
        digit = _DIGITS.get(character)
        if digit is None or digit >= base:
            raise UndefinedError(f"{character} is not a digit in base {base}")
        value = value * base.numerator + digit
        if value.bit_length() > MAX_NODES:
            raise TooBigError("too many digits")
    sign = -1 if written.startswith("-") else 1
    return Fraction(sign * value, base.numerator ** len(fraction))


def run(program: Program, arithmetic: Arithmetic, at: Mapping[str, Fraction]) -> Value:
    """The program's value at one precision, with variables from `at`."""
    stack: list[Value] = []
    for step in program.steps:
        arithmetic.budget.charge(5)
        action = step.action
        taken = stack[len(stack) - step.count :]
        del stack[len(stack) - step.count :]
        if isinstance(action, Function):
            stack.append(action.value(arithmetic, taken))
        elif isinstance(action, Loop):
            stack.append(_looped(action, arithmetic, at, taken))
        elif isinstance(action, str):
            stack.append(_named(action, step, arithmetic, at, taken))
        else:
            if step.kind == "number" and isinstance(action, Fraction):
                _note_long(arithmetic, action)
            stack.append(arithmetic.limited(action))
    return stack[-1]


def _note_long(arithmetic: Arithmetic, value: Fraction) -> None:
    """Mark a literal with more digits than are compared; zeros at its end are none."""
    for number in abs(value.numerator), value.denominator:
        if number.bit_length() >= arithmetic.level.bits:
            short = number
            while short % _ZEROS == 0:
                short //= _ZEROS
            if short.bit_length() >= arithmetic.level.bits:
                arithmetic.absorbed_exactly = True


def _named(
    name: str, step: Step, arithmetic: Arithmetic, at: Mapping[str, Fraction], taken: list[Value]
) -> Value:
    if step.kind == "name":
        value = at.get(name)
        if value is None:
            raise UnknownError(f"the variable {name} has no value")
        return value
    if step.kind == "constant":
        one, five = Fraction(1), Fraction(5)
        if name == "e":
            return FUNCTIONS["exp"].value(arithmetic, [one])
        root = FUNCTIONS["root"].value(arithmetic, [five, Fraction(2)])
        return arithmetic.divide(arithmetic.add([one, root]), Fraction(2))
    # An unknown function: one fixed pseudo-random number for each name and arguments.
    key = "|".join([name, *(rounded(arithmetic, value) for value in taken)])
    digest = sha256(key.encode(errors="surrogatepass")).digest()
    return Fraction(1, 3) + Fraction(int.from_bytes(digest[:8]), 1 << 62)


def _looped(
    loop: Loop, arithmetic: Arithmetic, at: Mapping[str, Fraction], bounds: list[Value]
) -> Value:
    ends = []
    for bound in bounds:
        settled = arithmetic.settled(bound)
        if not isinstance(settled, Fraction) or settled.denominator != 1:
            raise UndefinedError(f"a {loop.head} between bounds that are not whole numbers")
        ends.append(settled.numerator)
    lower, upper = ends
    if upper - lower >= MAX_TERMS:
        raise TooBigError(f"a {loop.head} of more than {MAX_TERMS} terms")
    terms = [
        run(loop.body, arithmetic, {**at, loop.variable: Fraction(index)})
        for index in range(lower, upper + 1)
    ]
    return FUNCTIONS["add" if loop.head == "sum" else "mul"].value(arithmetic, terms)


def climbed(
    level: Level,
    compute: Callable[[Arithmetic], T],
    *,
    complex_allowed: bool = True,
    budget: Budget | None = None,
) -> tuple[T, Arithmetic]:
    """What `compute` gives at the lowest precision of a level that can decide it."""
    budget = budget or Budget()
    for bits in level.ladder:
        arithmetic = Arithmetic(level, bits, complex_allowed=complex_allowed, budget=budget)
        try:
            return compute(arithmetic), arithmetic
        except MorePrecisionError:
            continue
    raise TooBigError("the value needs more digits than we compute")
