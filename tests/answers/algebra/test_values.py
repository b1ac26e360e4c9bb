"""Numbers of trees: against hand-worked values and an mpmath context of many more digits."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyterlab_tir.answers.algebra.tree import Name, Node, Text, call
from jupyterlab_tir.answers.algebra.values import (
    TooBigError,
    UndefinedError,
    UnknownError,
    agree,
    approximate,
    compare,
    evaluate,
    parts,
)

from .build import (
    IM,
    INFINITY,
    PI,
    E,
    K,
    N,
    X,
    Y,
    add,
    div,
    fn,
    minus,
    mul,
    neg,
    node,
    power,
    sqrt,
)

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

EXACT = [
    (sqrt(9), 3),
    (power(-8, THIRD), -2),
    (fn("root", -8, 3), -2),
    (power(-8, Fraction(2, 3)), 4),
    (power(Fraction(8, 27), Fraction(-2, 3)), Fraction(9, 4)),
    (fn("cos", div(PI, 3)), HALF),
    (fn("sin", div(mul(7, PI), 6)), -HALF),
    (fn("tan", div(mul(3, PI), 4)), -1),
    (fn("cot", div(PI, 2)), 0),
    (fn("sec", PI), -1),
    (fn("csc", div(PI, -6)), -2),
    (power(E, mul(IM, PI)), -1),
    (power(IM, 2), -1),
    (div(mul(2, PI), PI), 2),
    (fn("abs", add(3, mul(4, IM))), 5),
    (fn("factorial", 20), 2432902008176640000),
    (fn("factorial2", 9), 945),
    (fn("binomial", 10, 3), 120),
    (fn("binomial", -2, 3), -4),
    (fn("binomial", HALF, 2), Fraction(-1, 8)),
    (fn("binomial", 3, 5), 0),
    (fn("permutations", 10, 3), 720),
    (fn("gamma", 5), 24),
    (fn("gcd", 84, 36, 30), 6),
    (fn("lcm", 4, 6, 10), 60),
    (fn("mod", -7, 3), 2),
    (fn("mod", power(7, 10**30), 10), 1),
    (fn("max", 2, sqrt(2), 3), 3),
    (fn("min", 2, Fraction(7, 4), 3), Fraction(7, 4)),
    (fn("floor", fn("log", 8, 2)), 3),
    (fn("floor", Fraction(-7, 2)), -4),
    (fn("ceiling", PI), 4),
    (fn("floor", add(sqrt(2), sqrt(3), neg(sqrt(add(5, mul(2, sqrt(6))))))), 0),
    (fn("sign", minus(3, PI)), -1),
    (fn("re", add(3, mul(4, IM))), 3),
    (fn("sum", power(K, 2), K, 1, 100), 338350),
    (fn("sum", fn("sum", mul(K, N), K, 1, 3), N, 1, 4), 60),
    (fn("sum", K, K, 5, 4), 0),
    (fn("product", K, K, 1, 10), 3628800),
    (fn("based", Text("1011"), 2), 11),
    (fn("based", Text("1f.8"), 16), Fraction(63, 2)),
    (fn("measured", 48, Text("miles")), 48),
    (fn("approx", div(5, 7), Fraction(714, 1000)), Fraction(5, 7)),
    (add(PI, 10**60, neg(PI), -(10**60)), 0),
]


@pytest.mark.parametrize(("tree", "value"), EXACT)
def test_exact_where_a_person_would_be(tree: Node, value: int | Fraction) -> None:
    found = evaluate(tree, {}, 50)
    assert isinstance(found, Fraction)
    assert found == value


def test_a_tangent_of_a_right_angle_has_no_value() -> None:
    for tree in fn("tan", div(PI, 2)), fn("sec", div(PI, 2)), fn("cot", PI), fn("csc", 0):
        with pytest.raises(UndefinedError):
            evaluate(tree, {}, 50)


@pytest.mark.parametrize(
    "tree",
    [
        div(1, 0),
        power(0, 0),
        power(0, -1),
        fn("log", 0),
        fn("log", 5, 1),
        fn("factorial", -1),
        fn("gamma", 0),
        fn("atanh", 1),
        fn("zeta", 1),
        fn("mod", 5, 0),
        fn("gcd", HALF, 2),
        fn("atan2", 0, 0),
        fn("max", IM, 2),
        fn("sum", K, K, 1, HALF),
        fn("based", Text("12"), 2),
        div(1, minus(sqrt(8), mul(2, sqrt(2)))),
        fn("log", minus(power(fn("cos", 1), 2), minus(1, power(fn("sin", 1), 2)))),
    ],
)
def test_undefined(tree: Node) -> None:
    with pytest.raises(UndefinedError):
        evaluate(tree, {}, 50)


@pytest.mark.parametrize(
    "tree",
    [
        X,
        Text("yes"),
        INFINITY,
        fn("set", 1, 2),
        fn("integral", X, X, 0, 1),
        call("sin"),
        fn("eq", 1, 1),
    ],
)
def test_no_number(tree: Node) -> None:
    with pytest.raises(UnknownError):
        evaluate(tree, {}, 50)


MORE = mpmath.mp.clone()
MORE.dps = 140


def _more(value: Fraction) -> Any:
    return MORE.mpf(value.numerator) / value.denominator


REFERENCES: dict[str, Callable[..., Any]] = {
    "factorial": lambda x: MORE.gamma(x + 1),
    "acot": lambda x: MORE.atan(1 / x),
    "asec": lambda x: MORE.acos(1 / x),
    "acsc": lambda x: MORE.asin(1 / x),
    **{
        head: getattr(MORE, head)
        for head in [
            "sin",
            "cos",
            "tan",
            "cot",
            "sec",
            "csc",
            "sinh",
            "cosh",
            "tanh",
            "coth",
            "sech",
            "csch",
            "asin",
            "acos",
            "atan",
            "asinh",
            "acosh",
            "atanh",
            "exp",
            "log",
            "gamma",
            "zeta",
            "erf",
            "lambertw",
        ]
    },
}


def assert_close(found: Any, expected: Any, digits: int) -> None:
    margin = abs(expected) * MORE.mpf(10) ** -digits
    real, imaginary = parts(found)
    assert abs(_more(real) - expected.real) <= margin
    assert abs(_more(imaginary) - expected.imag) <= margin


@pytest.mark.parametrize("head", sorted(REFERENCES))
@given(x=st.fractions(Fraction(1, 50), Fraction(12), max_denominator=997))
@settings(max_examples=8)
def test_functions_agree_with_mpmath_at_more_digits(head: str, x: Fraction) -> None:
    if x == 1 and head in {"atanh", "zeta"}:
        return
    found = evaluate(fn(head, x), {}, 60)
    assert_close(found, MORE.mpc(REFERENCES[head](_more(x))), 58)


@given(
    base=st.fractions(Fraction(1, 50), Fraction(40), max_denominator=97),
    exponent=st.fractions(-8, 8, max_denominator=97),
)
@settings(max_examples=30)
def test_powers_agree_with_mpmath_at_more_digits(base: Fraction, exponent: Fraction) -> None:
    found = evaluate(power(base, exponent), {}, 60)
    assert_close(found, MORE.mpc(MORE.power(_more(base), _more(exponent))), 58)


@given(re=st.integers(-9, 9), im=st.integers(1, 9), x=st.fractions(-5, 5, max_denominator=9))
@settings(max_examples=30)
def test_complex_powers_and_logarithms(re: int, im: int, x: Fraction) -> None:
    z = MORE.mpc(re, im)
    tree = add(re, mul(im, IM))
    assert_close(evaluate(power(tree, x), {}, 60), MORE.mpc(MORE.power(z, _more(x))), 57)
    assert_close(evaluate(fn("log", tree), {}, 60), MORE.log(z), 58)
    assert_close(evaluate(fn("sin", tree), {}, 60), MORE.sin(z), 58)


def test_cancellation_costs_digits_that_are_computed_again() -> None:
    # sqrt(10^80 + 1) - 10^40 = 1/(sqrt(10^80 + 1) + 10^40), where nothing cancels.
    root = sqrt(10**80 + 1)
    one, other = evaluate(minus(root, 10**40), {}, 60), evaluate(div(1, add(root, 10**40)), {}, 60)
    assert_close(one, _more(parts(other)[0]), 58)
    assert 0 < parts(one)[0] < Fraction(1, 10**40)


@pytest.mark.parametrize("head", ["sin", "cos", "erf", "gamma"])
def test_an_inexact_argument_that_matters_is_computed_with_more_digits(head: str) -> None:
    argument = add(mul(10**60, sqrt(2)), -(10**60) * 14 // 10) if head in {"sin", "cos"} else None
    tree = fn(head, argument or div(sqrt(2), 10**3))
    x = MORE.sqrt(2) * MORE.mpf(10) ** 60 - MORE.mpf(14) * MORE.mpf(10) ** 59
    expected = getattr(MORE, head)(x if argument else MORE.sqrt(2) / 1000)
    assert_close(evaluate(tree, {}, 60), MORE.mpc(expected), 58)


def test_what_is_zero_is_zero() -> None:
    assert evaluate(minus(sqrt(add(3, mul(2, sqrt(2)))), add(1, sqrt(2))), {}, 50) == 0
    assert evaluate(minus(fn("tan", div(PI, 8)), minus(sqrt(2), 1)), {}, 50) == 0


def test_a_small_difference_is_not_zero() -> None:
    tree = minus(sqrt(add(2, Fraction(1, 10**200))), sqrt(2))
    assert_close(evaluate(tree, {}, 50), MORE.mpf(10) ** -200 / (2 * MORE.sqrt(2)), 45)


def test_real_roots_of_odd_degree_and_complex_ones_of_even_degree() -> None:
    assert_close(evaluate(fn("root", -2, 3), {}, 50), -MORE.cbrt(2), 49)
    assert_close(evaluate(sqrt(-2), {}, 50), MORE.mpc(0, MORE.sqrt(2)), 49)
    assert_close(evaluate(fn("log", -1), {}, 50), MORE.mpc(0, MORE.pi), 49)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (
            fn("factorial", 999999999),
            "9.90462657922299373728082110506570432171722139002931e8565705513",
        ),
        (
            power(9, power(9, 9)),
            "4.28124773175747048036987115930563521339055482241443514e369693099",
        ),
        (fn("exp", fn("exp", 10)), str(MORE.exp(MORE.exp(10)))),
        (fn("binomial", 10**9, 5 * 10**8), None),
    ],
)
def test_huge_numbers_have_an_exponent(tree: Node, expected: str | None) -> None:
    found = evaluate(tree, {}, 45)
    if expected is None:
        # By the logarithm of gamma, another way to the same number.
        log = MORE.loggamma(10**9 + 1) - 2 * MORE.loggamma(5 * 10**8 + 1)
        assert abs(MORE.log(MORE.mpf(found)) - log) < MORE.mpf(10) ** -40
    else:
        assert abs(MORE.mpf(found) / MORE.mpf(expected) - 1) < MORE.mpf(10) ** -44


def _towers() -> dict[str, Node]:
    nested: Node = X
    deep: Node = node(2)
    for _ in range(5000):
        nested, deep = sqrt(add(nested, 1)), neg(deep)
    terms = mul(*(add(K, X) for _ in range(50)))
    return {
        "9^9^9^9": power(9, power(9, power(9, 9))),
        "factorial of a factorial": fn("factorial", fn("factorial", fn("factorial", 30))),
        "sine of 9^9^9": fn("sin", power(9, power(9, 9))),
        "a million terms": fn("sum", K, K, 1, 10**6),
        "a million terms in two sums": fn("sum", fn("sum", sqrt(K), K, 1, 1000), N, 1, 1000),
        "long terms": fn("sum", terms, K, 1, 10_000),
        "5,000 roots": nested,
        "20,001 terms": add(*([X] * 20_001)),
        "zeta far up": fn("zeta", add(HALF, mul(10**6, IM))),
    }


@pytest.mark.parametrize("name", sorted(_towers()))
def test_what_takes_too_much_is_refused_in_time(name: str) -> None:
    start = time.process_time()
    with pytest.raises(TooBigError):
        evaluate(_towers()[name], {"x": Fraction(2)}, 50)
    assert time.process_time() - start < 4


def test_depth_alone_is_no_problem() -> None:
    deep: Node = node(2)
    for _ in range(15_000):
        deep = fn("conjugate", deep)
    assert evaluate(deep, {}, 50) == 2


def test_variables_and_unknown_functions() -> None:
    at = {"x": Fraction(2), "y": Fraction(1, 3)}
    assert evaluate(minus(mul(X, Y), 1), at, 50) == Fraction(-1, 3)
    f, same = fn("apply:f", add(X, 1)), fn("apply:f", sqrt(9))
    assert evaluate(f, at, 50) == evaluate(same, {}, 50)
    others = fn("apply:f", X), fn("apply:g", 3), fn("apply:f'", 3), fn("apply:f", 3, 3)
    assert len({evaluate(tree, at, 50) for tree in (f, *others)}) == 5


def test_approximate() -> None:
    assert approximate(div(1, 3)) == THIRD
    assert approximate(IM) is None
    assert approximate(X) is None
    assert approximate(div(1, 0)) is None
    found = approximate(neg(PI))
    assert found is not None
    assert abs(_more(found) + MORE.pi) < MORE.mpf(10) ** -58


def test_order_with_infinities_and_equal_ends() -> None:
    minus_infinity = neg(INFINITY)
    assert compare(PI, div(22, 7)) == -1
    assert compare(sqrt(8), mul(2, sqrt(2))) == 0
    assert compare(minus_infinity, neg(10**50)) == -1
    assert compare(INFINITY, minus_infinity) == 1
    assert compare(mul(-2, INFINITY), minus_infinity) == 0
    assert compare(add(3, INFINITY), power(9, power(9, 9))) == 1
    assert compare(sqrt(add(2, Fraction(1, 10**100))), sqrt(2)) == 1
    assert compare(IM, node(0)) is None
    assert compare(minus(INFINITY, INFINITY), node(0)) is None


def test_agreement_where_both_are_defined() -> None:
    assert agree(fn("log", power(X, 2)), mul(2, fn("log", X))) is True
    assert agree(sqrt(power(X, 2)), X) is False
    assert agree(sqrt(div(X, minus(X, 7))), div(sqrt(X), sqrt(minus(X, 7)))) is True
    assert agree(div(minus(power(X, 2), 1), minus(X, 1)), add(X, 1)) is True
    assert agree(div(1, minus(X, X)), X) is None
    assert agree(add(X, Y), add(X, N)) is False


def test_agreement_at_whole_numbers() -> None:
    total = fn("sum", K, K, 1, N)
    assert agree(total, div(mul(N, add(N, 1)), 2)) is True
    assert agree(total, div(mul(N, minus(N, 1)), 2)) is False
    alternating = mul(power(-1, N), fn("factorial", N))
    assert agree(alternating, neg(fn("factorial", N))) is False
    assert (
        agree(fn("binomial", N, 2), div(fn("factorial", N), mul(2, fn("factorial", minus(N, 2)))))
        is True
    )


def test_agreement_of_constants_and_infinities() -> None:
    assert agree(fn("log", 8, 2), node(3)) is True
    assert agree(add(PI, Fraction(1, 10**100)), PI) is False
    assert agree(INFINITY, neg(INFINITY)) is False
    assert agree(INFINITY, add(INFINITY, 1)) is True


def test_a_variable_may_be_called_like_an_index() -> None:
    assert evaluate(add(K, fn("sum", K, K, 1, 3)), {"k": Fraction(10)}, 50) == 16
    with pytest.raises(UnknownError):
        evaluate(add(Name("k"), fn("sum", K, K, 1, 3)), {}, 50)
