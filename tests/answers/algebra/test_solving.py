from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers.algebra import values
from jupyterlab_tir.answers.algebra.real_sets import End
from jupyterlab_tir.answers.algebra.solving import normal_set, solution_set
from jupyterlab_tir.answers.algebra.tree import (
    Call,
    Constant,
    Name,
    Node,
    Number,
    Text,
    call,
    whole,
)

X = Name("x")
INFINITY = Constant("infinity")
REALS, EMPTY = call("reals"), call("empty")


def _tree(value: Node | Fraction | int) -> Node:
    return Number(Fraction(value)) if isinstance(value, int | Fraction) else value


def _c(head: str, *args: Node | Fraction | int) -> Call:
    return Call(head, tuple(_tree(arg) for arg in args))


def _minus(value: Node | int) -> Node:
    return _c("neg", value)


def _root(number: int) -> Node:
    return _c("root", number, 2)


SQUARE = _c("pow", X, 2)
SHIFTED = _c("add", X, -1)


def _said(node: Node | None) -> str:
    """The set in the usual signs, numbers that are not rational by three decimals."""
    if node is None:
        return "none"
    assert isinstance(node, Call)
    if node.head == "union":
        return " ".join(map(_said, node.args))
    if node.head == "set":
        return "{" + ",".join(map(_number, node.args)) + "}"
    if node.head in {"empty", "reals"}:
        return node.head
    opening, closing = {"open": "()", "closed": "[]", "open_closed": "(]", "closed_open": "[)"}[
        node.head
    ]
    return opening + ",".join(map(_number, node.args)) + closing


def _number(node: Node) -> str:
    if node == INFINITY or node == _minus(INFINITY):
        return "oo" if node == INFINITY else "-oo"
    value = values.approximate(node)
    assert value is not None
    return str(value) if value.denominator < 1000 else f"{float(value):.3f}"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (_c("lt", X, 3), "(-oo,3)"),
        (_c("gt", _minus(X), -4), "(-oo,4)"),
        (_c("le", 2, X), "[2,oo)"),
        (_c("ge", _c("add", _c("mul", 2, X), 1), 5), "[2,oo)"),
        (_c("lt", _c("add", _c("mul", 3, X), 1), _c("add", X, 2)), "(-oo,1/2)"),
        (_c("and", _c("lt", 0, X), _c("le", X, 3)), "(0,3]"),
        (_c("or", _c("lt", X, -1), _c("gt", X, 3)), "(-oo,-1) (3,oo)"),
        (_c("ne", X, 2), "(-oo,2) (2,oo)"),
        (_c("not", _c("ge", X, 2)), "(-oo,2)"),
        (_c("and", _c("lt", X, 0), _c("gt", X, 1)), "empty"),
        (_c("or", _c("lt", X, 1), _c("ge", X, 1)), "reals"),
        (_c("ge", X, _root(2)), "[1.414,oo)"),
        (_c("ge", _c("mul", _root(2), X), Constant("pi")), "[2.221,oo)"),
        (_c("lt", _minus(INFINITY), X), "reals"),
        (_c("and", _c("lt", _minus(INFINITY), X), _c("lt", X, 3)), "(-oo,3)"),
        (_c("eq", _c("mul", 2, X), 10), "{5}"),
    ],
)
def test_linear_conditions_are_intervals(condition: Node, expected: str) -> None:
    assert _said(solution_set(condition)) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (_c("lt", SQUARE, 4), "(-2,2)"),
        (_c("ge", SQUARE, 2), "(-oo,-1.414] [1.414,oo)"),
        (_c("le", SQUARE, 0), "{0}"),
        (_c("lt", SQUARE, 0), "empty"),
        (_c("gt", SQUARE, 0), "(-oo,0) (0,oo)"),
        (_c("eq", SQUARE, 9), "{-3,3}"),
        (_c("gt", _c("mul", SHIFTED, _c("add", X, 2)), 0), "(-oo,-2) (1,oo)"),
        (_c("le", _c("mul", _c("pow", SHIFTED, 2), _c("add", X, 2)), 0), "(-oo,-2] {1}"),
        (_c("lt", _c("add", SQUARE, _minus(X)), 1), "(-0.618,1.618)"),
        (_c("lt", _c("add", SQUARE, _minus(X), Fraction(1, 8)), 0), "(0.146,0.854)"),
        (_c("gt", _c("add", _c("pow", X, 4), X, 1), 0), "reals"),
        (_c("lt", _c("add", _c("pow", X, 4), _c("mul", -5, SQUARE), 4), 0), "(-2,-1) (1,2)"),
        (_c("lt", _c("pow", X, 3), 8), "(-oo,2)"),
        (_c("lt", _c("abs", SHIFTED), 2), "(-1,3)"),
        (_c("gt", _c("abs", SHIFTED), 2), "(-oo,-1) (3,oo)"),
        (_c("le", _c("add", _c("abs", SHIFTED), _c("abs", _c("add", X, 2))), 5), "[-3,2]"),
        (_c("gt", _c("div", 1, X), 0), "(0,oo)"),
        (_c("lt", _c("div", 1, X), 1), "(-oo,0) (1,oo)"),
        (_c("ge", _c("div", SHIFTED, _c("add", X, 2)), 0), "(-oo,-2) [1,oo)"),
        # x + 1 > 0, but not defined at 1.
        (_c("gt", _c("div", _c("add", SQUARE, -1), SHIFTED), 0), "(-1,1) (1,oo)"),
        (_c("lt", SQUARE, Constant("pi")), "(-1.772,1.772)"),
    ],
)
def test_polynomials_quotients_and_absolute_values(condition: Node, expected: str) -> None:
    assert _said(solution_set(condition)) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (_c("gt", _c("log", X), 1), "(2.718,oo)"),
        (_c("lt", _c("log", X, 2), 3), "(0,8)"),
        (_c("lt", _c("log", X, Fraction(1, 2)), 1), "(1/2,oo)"),
        (_c("le", _c("root", SHIFTED, 2), 2), "[1,5]"),
        (_c("lt", _c("root", SHIFTED, 2), -1), "empty"),
        (_c("ge", _c("root", X, 3), -2), "[-8,oo)"),
        (_c("gt", _c("pow", 2, X), 8), "(3,oo)"),
        (_c("gt", _c("pow", Constant("e"), SQUARE), -1), "reals"),
        (_c("le", _c("exp", _c("abs", X)), Constant("e")), "[-1,1]"),
        (_c("lt", _c("log", _c("add", SQUARE, -1)), 0), "(-1.414,-1) (1,1.414)"),
        (_c("gt", _c("div", 2, _c("root", X, 2)), 1), "(0,4)"),
        (_c("lt", _c("mul", 3, _c("abs", _c("log", X))), 0), "empty"),
    ],
)
def test_one_function_is_undone(condition: Node, expected: str) -> None:
    assert _said(solution_set(condition)) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        # (x^2 - 2)(x^2 - 3)(x - 7): known only by its factors.
        (
            _c(
                "lt",
                _c(
                    "mul",
                    _c("add", _c("pow", X, 4), _c("mul", -5, SQUARE), 6, _c("mul", 0, X)),
                    _c("add", _c("pow", X, 2), X, 1),
                    _c("add", _c("pow", X, 2), X, -1),
                ),
                0,
            ),
            "(-1.732,-1.618) (-1.414,0.618) (1.414,1.732)",
        ),
        (_c("gt", _c("add", X, _c("root", X, 2)), 2), "(1,oo)"),
        (_c("le", _c("add", _c("pow", 4, X), _c("pow", 2, X)), 6), "(-oo,1]"),
    ],
)
def test_what_only_sympy_finds_is_checked_and_used(condition: Node, expected: str) -> None:
    assert _said(solution_set(condition)) == expected


def test_membership_in_sets_and_whole_numbers() -> None:
    ends = _c("tuple", 0, _root(2))
    assert _said(solution_set(_c("in", X, ends))) == "(0,1.414)"
    assert _said(solution_set(_c("notin", X, _c("set", 1, 2)))) == "(-oo,1) (1,2) (2,oo)"
    assert _said(solution_set(_c("in", _c("mul", 2, X), _c("list", 0, 3)))) == "[0,3/2]"
    few = _c("and", _c("in", X, _c("integers")), _c("lt", 0, X), _c("le", X, Fraction(9, 2)))
    assert _said(solution_set(few)) == "{1,2,3,4}"


@pytest.mark.parametrize(
    "condition",
    [
        _c("lt", X, Name("y")),
        _c("lt", X, Constant("i")),
        _c("gt", _c("sin", X), 0),
        _c("lt", _c("add", _c("pow", X, 5), _minus(X), -1), 0),
        _c("in", X, _c("integers")),
        _c("lt", 1, 2),
        _c("eq", X, Text("yes")),
    ],
)
def test_what_is_not_worked_out_is_none(condition: Node) -> None:
    assert solution_set(condition) is None


def test_a_missing_critical_point_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyterlab_tir.answers.algebra import solving

    monkeypatch.setattr(solving, "critical_points", lambda *_: [])
    assert solution_set(_c("lt", SQUARE, 4)) is None


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (_c("difference", REALS, _c("set", 2)), "(-oo,2) (2,oo)"),
        (_c("union", _c("open", 0, 1), _c("set", 1)), "(0,1]"),
        (_c("union", _c("tuple", 0, 1), _c("list", 1, 2)), "(0,2]"),
        (_c("union", _c("open", 2, 3), _c("open", 0, 1)), "(0,1) (2,3)"),
        (_c("union", _c("open", 1, INFINITY), _c("open", _minus(INFINITY), 1)), "(-oo,1) (1,oo)"),
        (_c("union", _c("open", _minus(INFINITY), 2), _c("closed_open", 2, INFINITY)), "reals"),
        (_c("intersection", _c("closed", 0, 2), _c("open", 1, 3)), "(1,2]"),
        (_c("intersection", _c("closed", 0, 1), _c("closed", 1, 3)), "{1}"),
        (_c("intersection", _c("closed", 0, 1), _c("open", 1, 3)), "empty"),
        (_c("difference", _c("closed", 0, 3), _c("closed_open", 1, 2)), "[0,1) [2,3]"),
        (_c("set", 3, 1, 2, 1), "{1,2,3}"),
        (_c("union", _c("set", 2, 3), _c("set", 1, 2)), "{1,2,3}"),
        (_c("union", _c("set", 5), _c("open", 0, 1), _c("set", -1, -2)), "{-2,-1} (0,1) {5}"),
        (_c("union", _c("set", _root(4)), _c("set", 2)), "{2}"),
        (_c("closed", 2, INFINITY), "[2,oo)"),
        (_c("intersection", _c("integers"), _c("open", -2, 2)), "{-1,0,1}"),
        (_c("setof", X, _c("gt", X, 1)), "(1,oo)"),
        (_c("setof", _c("in", X, REALS), _c("ne", X, 0)), "(-oo,0) (0,oo)"),
        (_c("setof", _c("in", X, _c("integers")), _c("lt", SQUARE, 5)), "{-2,-1,0,1,2}"),
        (_c("closed", 1, 1), "{1}"),
        (REALS, "reals"),
        (EMPTY, "empty"),
        (_c("open", 3, 1), "none"),
        (_c("open", 0, Name("a")), "none"),
        (_c("difference", REALS, _c("integers")), "none"),
        (_c("intersection", _c("naturals"), _c("closed", 0, 2)), "none"),
        (_c("tuple", 1, 2), "none"),
    ],
)
def test_sets_have_one_form(node: Node, expected: str) -> None:
    assert _said(normal_set(node)) == expected


def test_ends_that_agree_to_fifty_digits_are_one_unless_both_are_exact() -> None:
    close = Fraction(2) + Fraction(1, 10**55)
    assert End(Fraction(2), whole(2)).compare(End(close, _root(4))) == 0
    assert End(Fraction(2), whole(2)).compare(End(close, Number(close))) == -1


def test_ends_keep_their_trees() -> None:
    third = Number(Fraction(3333333333333333, 10**16), "0.3333333333333333")
    assert normal_set(_c("union", _c("open", third, _root(2)))) == _c("open", third, _root(2))
    assert solution_set(_c("lt", X, third)) == _c("open", _minus(INFINITY), third)


def test_unions_of_explicit_sets_keep_the_order_written() -> None:
    one, pair = Text("red"), _c("tuple", 1, 2)
    union = _c("union", _c("union", _c("set", one, X), EMPTY), _c("set", pair, one))
    assert normal_set(union) == _c("set", one, X, pair, one)
    assert normal_set(_c("intersection", _c("set", one), _c("set", one))) is None


# Laws

_ENDS = st.integers(-6, 6)


@st.composite
def _atoms(draw: st.DrawFn) -> Node:
    low, high = sorted((draw(_ENDS), draw(_ENDS)))
    kind = draw(st.sampled_from(["interval", "ray", "left", "points"]))
    if kind == "points":
        return Call("set", tuple(map(_tree, draw(st.lists(_ENDS, min_size=1, max_size=3)))))
    if kind == "ray":
        return _c(draw(st.sampled_from(["open", "closed_open"])), low, INFINITY)
    if kind == "left":
        return _c(draw(st.sampled_from(["open", "open_closed"])), _minus(INFINITY), low)
    heads = ["open", "closed", "open_closed", "closed_open"]
    return _c(draw(st.sampled_from(heads)), low, high + 1)


_SETS = st.recursive(
    _atoms(),
    lambda inner: st.builds(
        Call,
        st.sampled_from(["union", "intersection", "difference"]),
        st.tuples(inner, inner),
    ),
    max_leaves=8,
)


def _has(node: Node, x: Fraction) -> bool:
    """Membership by the definition of each head."""
    assert isinstance(node, Call)
    if node.head in {"empty", "reals"}:
        return node.head == "reals"
    if node.head == "set":
        return any(part == Number(x) for part in node.args)
    if node.head in {"union", "intersection", "difference"}:
        inside = [_has(part, x) for part in node.args]
        if node.head == "difference":
            return inside[0] and not inside[1]
        return any(inside) if node.head == "union" else all(inside)
    low, high = node.args
    above = not isinstance(low, Number) or low.value < x
    below = not isinstance(high, Number) or x < high.value
    at_low = low == Number(x) and node.head in {"closed", "closed_open"}
    at_high = high == Number(x) and node.head in {"closed", "open_closed"}
    return (above and below) or at_low or at_high


@given(_SETS)
def test_normal_sets_have_the_same_members(node: Node) -> None:
    found = normal_set(node)
    assert found is not None
    for half in range(-15, 20):
        x = Fraction(half, 2)
        assert _has(found, x) == _has(node, x), x


@given(_SETS)
def test_normal_sets_stay_as_they_are(node: Node) -> None:
    found = normal_set(node)
    assert found is not None
    assert normal_set(found) == found


@given(_SETS, _SETS)
def test_equal_sets_have_one_form(first: Node, second: Node) -> None:
    one, other = call("union", first, second), call("union", second, first)
    assert normal_set(one) == normal_set(other)
    less = call("difference", first, second)
    assert normal_set(less) == normal_set(call("difference", one, second))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=4), st.sampled_from(["lt", "le", "ne"]))
def test_products_of_linear_factors(roots: list[int], head: str) -> None:
    factors = [call("add", X, whole(-root)) for root in roots]
    found = solution_set(Call(head, (Call("mul", tuple(factors)), whole(0))))
    assert found is not None
    for half in range(-13, 14):
        x = Fraction(half, 2)
        value = Fraction(1)
        for root in roots:
            value *= x - root
        expected = {"lt": value < 0, "le": value <= 0, "ne": value != 0}[head]
        assert _has(found, x) == expected


# What must end


def test_hostile_conditions_and_sets_end_soon() -> None:
    start = time.perf_counter()
    nested: Node = EMPTY
    for number in range(500):
        nested = call("union", nested, _c("open", 2 * number, 2 * number + 1))
    found = normal_set(nested)
    assert isinstance(found, Call)
    assert len(found.args) == 500
    deep: Node = X
    for _ in range(5000):
        deep = call("neg", deep)
    assert solution_set(call("lt", deep, whole(1))) is None
    power = _c("pow", _c("add", X, 1), 50)
    assert _said(solution_set(_c("lt", power, 1))) == "(-2,0)"
    assert _said(solution_set(_c("lt", _c("pow", _c("add", X, 1), 10**9), 1))) == "(-2,0)"
    assert _said(solution_set(_c("lt", _c("pow", power, 50), 1))) == "(-2,0)"
    tower = _c("pow", 9, _c("pow", 9, _c("pow", 9, 9)))
    assert solution_set(_c("lt", X, tower)) is None
    bars: Node = X
    for number in range(30):
        bars = call("abs", call("add", bars, whole(-number)))
    assert solution_set(call("lt", bars, whole(1))) is None
    complement: Node = REALS
    for number in range(15):
        complement = call("difference", REALS, call("union", complement, _c("set", number)))
    assert normal_set(complement) is not None
    assert time.perf_counter() - start < 10
