"""Fingerprints: equal for equal values, different for different ones, and quick."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyterlab_tir.answers.algebra.fingerprint import EvaluationError, fingerprint, relation
from jupyterlab_tir.answers.algebra.tree import Node
from jupyterlab_tir.answers.algebra.values import TooBigError, UndefinedError

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

TINY = Fraction(1, 10**100)
PHI, PSI = div(add(1, sqrt(5)), 2), div(minus(1, sqrt(5)), 2)
PI_50 = "r:3.1415926535897932384626433832795028841971693993751e0"

CONSTANTS = [
    (div(6, 8), "q:3/4"),
    (sqrt(9), "q:3"),
    (power(E, mul(IM, PI)), "q:-1"),
    (fn("log", 8, 2), "q:3"),
    (minus(sqrt(add(3, mul(2, sqrt(2)))), sqrt(2)), "q:1"),
    (fn("cos", div(PI, 3)), "q:1/2"),
    (add(fn("atan", div(1, 2)), fn("atan", div(1, 3)), neg(div(PI, 4))), "q:0"),
    # Binet's formula gives the Lucas numbers L(10) and L(100).
    (add(power(PHI, 10), power(PSI, 10)), "q:123"),
    (add(power(PHI, 100), power(PSI, 100)), "q:792070839848372253127"),
    (power(div(sqrt(2), 3), 20), "q:1024/3486784401"),
    (PI, PI_50),
    (neg(div(PI, -1)), PI_50),
    (mul(PI, 10**20), "r:3.1415926535897932384626433832795028841971693993751e20"),
    (neg(sqrt(2)), "r:-1.4142135623730950488016887242096980785696718753769e0"),
    (add(1, mul(-2, IM)), "c:(q:1,q:-2)"),
    (power(add(1, IM), 10), "c:(q:0,q:32)"),
    (
        add(1, mul(sqrt(2), IM)),
        "c:(q:1,r:1.4142135623730950488016887242096980785696718753769e0)",
    ),
    (INFINITY, "k:infinity"),
    (neg(INFINITY), "k:-infinity"),
    (add(mul(-2, INFINITY), 5), "k:-infinity"),
    (add(minus(X, X), 5), "q:5"),
    (add(power(fn("sin", X), 2), power(fn("cos", X), 2)), "q:1"),
    (minus(fn("log", mul(2, X)), fn("log", X)), None),
]


@pytest.mark.parametrize(("tree", "key"), CONSTANTS)
def test_constants(tree: Node, key: str | None) -> None:
    expected = fingerprint(fn("log", 2)) if key is None else key
    assert fingerprint(tree) == expected


SAME = [
    (sqrt(8), mul(2, sqrt(2))),
    (mul(sqrt(2), sqrt(3)), sqrt(6)),
    (sqrt(add(3, mul(2, sqrt(2)))), add(1, sqrt(2))),
    (div(1, sqrt(2)), div(sqrt(2), 2)),
    (fn("root", add(2, sqrt(5)), 3), PHI),
    (div(fn("log", 3), fn("log", 2)), fn("log", 3, 2)),
    (minus(power(E, 16), 1), add(-1, fn("exp", 16))),
    (fn("gamma", div(1, 2)), sqrt(PI)),
    (fn("zeta", 2), div(power(PI, 2), 6)),
    (power(IM, IM), fn("exp", div(neg(PI), 2))),
    (minus(power(fn("cos", X), 2), power(fn("sin", X), 2)), fn("cos", mul(2, X))),
    (power(2, add(N, 1)), mul(2, power(2, N))),
    (add(power(fn("tan", Y), 2), 1), power(fn("sec", Y), 2)),
    (sqrt(div(1, N)), div(1, sqrt(N))),
    (sqrt(power(X, 2)), fn("abs", X)),
    (add(X, Y, neg(Y)), X),
    (power(-1, N), power(-1, add(N, 2))),
    (div(add(fn("exp", mul(IM, X)), fn("exp", neg(mul(IM, X)))), 2), fn("cos", X)),
    (fn("factorial", N), mul(N, fn("factorial", minus(N, 1)))),
    (fn("binomial", N, 2), div(mul(N, minus(N, 1)), 2)),
    (fn("binomial", N, K), fn("binomial", N, minus(N, K))),
    (div(minus(power(X, 30), 1), minus(X, 1)), fn("sum", power(X, K), K, 0, 29)),
    (fn("apply:f", add(X, 1)), fn("apply:f", add(1, X))),
    (fn("sinh", X), div(minus(fn("exp", X), fn("exp", neg(X))), 2)),
    (fn("sum", mul(K, X), K, 1, 4), mul(10, X)),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_equal_values_have_equal_fingerprints(left: Node, right: Node) -> None:
    assert fingerprint(left) == fingerprint(right)


DIFFERENT = [
    (PI, add(PI, TINY)),
    (PI, mul(PI, add(1, TINY))),
    (mul(PI, 10**60), mul(PI, 10**60 + 1)),
    (mul(PI, power(2, 2025)), mul(PI, power(2, 2024))),
    (minus(sqrt(add(2, Fraction(1, 10**200))), sqrt(2)), node(0)),
    (fn("exp", Fraction(1, 10**60)), node(1)),
    (fn("cos", Fraction(1, 10**30)), node(1)),
    (fn("sin", Fraction(1, 10**30)), node(Fraction(1, 10**30))),
    (fn("tanh", 200), node(1)),
    (fn("sinh", 100), fn("cosh", 100)),
    (fn("erf", 12), node(1)),
    (fn("zeta", 300), node(1)),
    (fn("atan", 10**60), div(PI, 2)),
    (power(PI, Fraction(1, 10**60)), node(1)),
    (add(1, mul(Fraction(1, 10**60), sqrt(2), IM)), node(1)),
    (div(1, fn("factorial", 2004)), div(1, fn("factorial", 2006))),
    (fn("factorial", 999999999), fn("factorial", 999999998)),
    (mul(2, PI), node(Fraction("6.283185307179586"))),
    (mul(sqrt(2), fn("floor", mul(PI, 10**60)), power(10, -60)), mul(sqrt(2), PI)),
    (power(Y, X), power(X, Y)),
    (sqrt(power(X, 2)), X),
    (add(mul(2, N), 1), add(mul(2, X), 1)),
    (add(X, TINY), X),
    (add(mul(PI, X), TINY), mul(PI, X)),
    (fn("max", X, 100), node(100)),
    (fn("abs", minus(X, 8)), minus(8, X)),
    (fn("apply:f", X), fn("apply:g", X)),
    (fn("apply:f", X), fn("apply:f", add(X, TINY))),
    (fn("sum", K, K, 1, N), fn("sum", K, K, 1, add(N, 1))),
    (div(minus(power(X, 2025), 1), minus(X, 1)), div(minus(power(X, 2024), 1), minus(X, 1))),
    (INFINITY, fn("abs", 5)),
]


def _key(tree: Node) -> str | None:
    try:
        return fingerprint(tree)
    except TooBigError:
        return None


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_values_do_not_share_a_fingerprint(left: Node, right: Node) -> None:
    one, other = _key(left), _key(right)
    assert one is not None
    assert one != other


def test_more_digits_than_are_compared_are_refused() -> None:
    for tree in add(power(9, power(9, 9)), 1), add(PI, Fraction(1, 10**400)), fn("tanh", 2000):
        with pytest.raises(TooBigError):
            fingerprint(tree)


def test_no_value() -> None:
    for tree in div(1, 0), div(X, minus(Y, Y)), minus(INFINITY, INFINITY), fn("log", minus(X, X)):
        with pytest.raises(UndefinedError):
            fingerprint(tree)


COEFFICIENTS = st.fractions(-20, 20, max_denominator=12)
ROOTS = st.lists(COEFFICIENTS, min_size=1, max_size=5)


def _expanded(roots: list[Fraction]) -> list[Fraction]:
    """Coefficients of the product of all (x - root), the constant one first."""
    found = [Fraction(1)]
    for root in roots:
        shifted = [Fraction(0), *found]
        found = [a - root * b for a, b in zip(shifted, [*found, Fraction(0)], strict=True)]
    return found


def _polynomial(coefficients: list[Fraction], variable: Node) -> Node:
    return add(*(mul(c, power(variable, k)) for k, c in enumerate(coefficients)))


@given(roots=ROOTS, factor=st.sampled_from([node(1), PI, sqrt(2), fn("log", Y)]))
@settings(max_examples=40)
def test_polynomials_factored_and_expanded(roots: list[Fraction], factor: Node) -> None:
    coefficients = _expanded(roots)
    factored = mul(factor, *(minus(X, root) for root in roots))
    assert fingerprint(factored) == fingerprint(mul(_polynomial(coefficients, X), factor))
    coefficients[0] += Fraction(1, 10**12)
    assert fingerprint(factored) != fingerprint(mul(_polynomial(coefficients, X), factor))


LEAVES = st.one_of(st.sampled_from([X, Y, N, PI]), st.fractions(1, 9, max_denominator=7).map(node))
TERMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: add(*pair)),
        st.tuples(inner, inner).map(lambda pair: mul(*pair)),
        st.tuples(inner, inner).map(lambda pair: div(*pair)),
        inner.map(sqrt),
        inner.map(lambda part: fn("sin", part)),
        inner.map(lambda part: fn("exp", div(part, 7))),
    ),
    max_leaves=6,
)


@given(a=TERMS, b=TERMS)
@settings(max_examples=60)
def test_laws_hold_for_any_expressions(a: Node, b: Node) -> None:
    laws = [
        (add(a, b), add(b, a)),
        (mul(a, b), mul(b, a)),
        (power(add(a, b), 2), add(power(a, 2), mul(2, a, b), power(b, 2))),
        (mul(add(a, b), minus(a, b)), minus(power(a, 2), power(b, 2))),
        (
            fn("sin", add(a, b)),
            add(mul(fn("sin", a), fn("cos", b)), mul(fn("cos", a), fn("sin", b))),
        ),
        (fn("exp", minus(a, b)), div(fn("exp", a), fn("exp", b))),
    ]
    for left, right in laws:
        one, other = _attempt(left), _attempt(right)
        if one is not None and other is not None:
            assert one == other
            assert _attempt(add(left, Fraction(1, 10**9))) != one


def _attempt(tree: Node) -> str | None:
    try:
        return fingerprint(tree)
    except EvaluationError:
        return None


def test_relations_up_to_a_factor() -> None:
    line = add(mul(34, X), mul(45, Y), 100)
    opposite = add(mul(-34, X), mul(-45, Y), -100)
    assert relation(line, sign_matters=False) == relation(opposite, sign_matters=False)
    assert relation(line, sign_matters=True) != relation(opposite, sign_matters=True)
    assert relation(line, sign_matters=True) == relation(div(line, PI), sign_matters=True)
    ellipse = minus(add(div(power(X, 2), 9), div(power(Y, 2), 4)), 1)
    other = minus(add(mul(9, power(X, 2)), mul(4, power(Y, 2))), 36)
    same = minus(add(mul(4, power(X, 2)), mul(9, power(Y, 2))), 36)
    assert relation(ellipse, sign_matters=False) != relation(other, sign_matters=False)
    assert relation(ellipse, sign_matters=False) == relation(same, sign_matters=False)


def test_relations_of_constants() -> None:
    assert relation(minus(X, X), sign_matters=False) == "zero"
    assert relation(node(3), sign_matters=True) == relation(PI, sign_matters=True)
    assert relation(node(3), sign_matters=True) != relation(node(-3), sign_matters=True)


def test_a_small_term_counts_in_a_relation() -> None:
    with_term = add(mul(PI, X), Y, TINY)
    assert relation(with_term, sign_matters=False) != relation(
        add(mul(PI, X), Y), sign_matters=False
    )


def test_usual_fingerprints_are_quick() -> None:
    usual = [
        div(add(mul(-3, X), sqrt(add(power(X, 2), 4))), mul(2, Y)),
        add(mul(fn("sin", mul(2, X)), fn("exp", Y)), div(1, X)),
        add(div(mul(7, PI), 3), neg(sqrt(div(3, 5)))),
    ]

    for tree in usual:
        fingerprint(tree)
    start = time.process_time()
    for _ in range(5):
        for tree in usual:
            fingerprint(tree)
    assert (time.process_time() - start) / 15 < 0.02
