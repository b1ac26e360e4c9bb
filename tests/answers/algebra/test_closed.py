from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction

import pytest

from jupyterlab_tir.answers.algebra import closed, confirming, heights, sympy_questions, values
from jupyterlab_tir.answers.algebra.closed import HEADS, closed_form
from jupyterlab_tir.answers.algebra.sympy_trees import (
    UntranslatableError,
    from_sympy,
    to_sympy,
)
from jupyterlab_tir.answers.algebra.tree import (
    Call,
    Constant,
    Name,
    Node,
    Number,
    Text,
    call,
    walk,
    whole,
)

X, K, N = Name("x"), Name("k"), Name("n")
PI, E, INFINITY = Constant("pi"), Constant("e"), Constant("infinity")


def _c(head: str, *args: Node | Fraction | int) -> Call:
    trees = (Number(Fraction(arg)) if isinstance(arg, int | Fraction) else arg for arg in args)
    return Call(head, tuple(trees))


def _minus(node: Node | int) -> Call:
    return _c("neg", node)


def _sum(body: Node, low: Node | int, high: Node | int) -> Call:
    return _c("sum", body, K, low, high)


def _integral(body: Node, *ends: Node | int) -> Call:
    return _c("integral", body, X, *ends)


def _limit(body: Node, point: Node | int, side: str = "+-") -> Call:
    return _c("limit", body, X, point, Text(side))


def _same(node: Node, expected: Node) -> bool:
    """Whether a closed tree and what it should be agree at numbers of both signs, or as constants.

    No call over an index may be left in it.
    """
    if any(isinstance(part, Call) and part.head in HEADS for part in walk(node)):
        return False
    if node == expected:
        return True
    difference = _c("add", node, _minus(expected))
    return all(
        abs(values.evaluate(difference, {"x": x, "n": Fraction(n), "a": Fraction(n, 3)}, 30))
        < Fraction(1, 10**25)
        for x, n in ((Fraction(2, 7), 4), (Fraction(1, 3), 7))
    )


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (
            _sum(_c("pow", K, 2), 1, N),
            _c("div", _c("mul", N, _c("add", N, 1), _c("add", _c("mul", 2, N), 1)), 6),
        ),
        (_sum(_c("pow", 2, K), 0, N), _c("add", _c("pow", 2, _c("add", N, 1)), -1)),
        (_sum(_c("binomial", N, K), 0, N), _c("pow", 2, N)),
        (_sum(_c("pow", X, K), 0, INFINITY), _c("div", 1, _c("add", 1, _minus(X)))),
        (_sum(_c("div", 1, _c("pow", K, 2)), 1, INFINITY), _c("div", _c("pow", PI, 2), 6)),
        (_sum(_c("div", 1, _c("factorial", K)), 0, INFINITY), E),
        (_sum(_c("div", K, _c("pow", 2, K)), 1, INFINITY), whole(2)),
        (_sum(_c("div", _c("pow", -1, _c("add", K, 1)), K), 1, INFINITY), _c("log", 2)),
        (_sum(_c("div", 1, _c("mul", K, _c("add", K, 1))), 1, N), _c("div", N, _c("add", N, 1))),
        # Of a million terms, none is added up: 10^6 (10^6 + 1) / 2.
        (_sum(K, 1, 10**6), whole(500000500000)),
        (_sum(K, 1, _c("pow", 10, 6)), whole(500000500000)),
        (_c("product", K, K, 1, N), _c("factorial", N)),
        (_c("product", _c("add", 1, _c("div", 1, K)), K, 1, N), _c("add", N, 1)),
        (_sum(_c("sum", Name("j"), Name("j"), 1, K), 1, N), _c("binomial", _c("add", N, 2), 3)),
    ],
)
def test_sums_and_products(node: Node, expected: Node) -> None:
    assert _same(closed_form(node), expected)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (_integral(_c("pow", X, 2), 0, 1), Number(Fraction(1, 3))),
        (_integral(_c("sin", X), 0, PI), whole(2)),
        (_integral(_c("log", X), 0, 1), whole(-1)),
        (_integral(_c("div", 1, _c("root", X, 2)), 0, 1), whole(2)),
        (
            _integral(_c("exp", _minus(_c("pow", X, 2))), _minus(INFINITY), INFINITY),
            _c("root", PI, 2),
        ),
        (_integral(_c("div", _c("sin", X), X), 0, INFINITY), _c("div", PI, 2)),
        (_integral(_c("div", 1, _c("add", 1, _c("pow", X, 2))), 0, INFINITY), _c("div", PI, 2)),
        (
            _integral(_c("exp", _minus(_c("mul", Name("a"), X))), 0, INFINITY),
            _c("div", 1, Name("a")),
        ),
        (_integral(_c("pow", X, 3)), _c("div", _c("pow", X, 4), 4)),
        (_integral(_c("mul", X, _c("exp", X))), _c("mul", _c("add", X, -1), _c("exp", X))),
        (_c("add", _integral(X, 0, 2), 1), whole(3)),
    ],
)
def test_integrals(node: Node, expected: Node) -> None:
    assert _same(closed_form(node), expected)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (_limit(_c("div", _c("sin", X), X), 0), whole(1)),
        (_limit(_c("pow", _c("add", 1, _c("div", 1, X)), X), INFINITY), E),
        (_limit(_c("div", _c("log", X), X), INFINITY), whole(0)),
        (
            _limit(_c("div", _c("add", 1, _minus(_c("cos", X))), _c("pow", X, 2)), 0),
            Number(Fraction(1, 2)),
        ),
        (_limit(_c("div", 1, X), 0, "+"), INFINITY),
        (_limit(_c("div", 1, X), 0, "-"), _minus(INFINITY)),
        (_limit(_c("div", 1, _c("log", X)), INFINITY), whole(0)),
        (_c("derivative", _c("pow", X, 3), X, 1), _c("mul", 3, _c("pow", X, 2))),
        (
            _c("derivative", _c("sin", _c("mul", 2, X)), X, 2),
            _c("mul", -4, _c("sin", _c("mul", 2, X))),
        ),
    ],
)
def test_limits_and_derivatives(node: Node, expected: Node) -> None:
    assert _same(closed_form(node), expected)


@pytest.mark.parametrize(
    "node",
    [
        _limit(_c("div", 1, X), 0),  # its sides differ
        _integral(_c("div", 1, X), -1, 1),  # does not converge
        _sum(_c("div", 1, K), 1, INFINITY),
        _sum(_c("div", 1, K), 1, 10**6),  # no closed form among our heads
        _sum(_c("pow", K, K), 1, N),
        _c("derivative", _c("pow", X, 3), X, 99),
        _c("sum", K, _c("add", K, 1), 1, 3),
        _sum(Text("a"), 1, N),
        # What would keep SymPy busy for minutes.
        _integral(_c("exp", _minus(_c("pow", X, _c("pow", X, X)))), 0, INFINITY),
        _c("derivative", _c("pow", X, _c("pow", X, X)), X, 10),
        _sum(_c("pow", 9, _c("pow", 9, K)), 1, 10**6),
        _sum(_c("div", 1, _c("factorial", K)), 0, 10**6),
    ],
)
def test_what_has_no_value_or_none_that_is_found_stays(node: Node) -> None:
    assert closed_form(node) == node


def test_few_terms_stay_for_whoever_evaluates() -> None:
    node = _sum(_c("div", X, K), 1, 100)
    assert closed_form(node) == node


def test_a_wrong_proposal_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = _c("add", _c("pow", N, 2), Fraction(1, 10**12))
    node = _sum(_c("add", _c("mul", 2, K), -1), 1, N)
    assert _same(closed_form(node), _c("pow", N, 2))
    monkeypatch.setattr(sympy_questions, "value_of_call", lambda _: wrong)
    assert closed_form(node) == node


@pytest.mark.parametrize(
    ("node", "right", "wrong"),
    [
        (_sum(_c("pow", K, -2), 1, INFINITY), _c("zeta", 2), Fraction(16449, 10000)),
        (
            _c("product", _c("add", 1, _minus(_c("pow", K, -2))), K, 2, INFINITY),
            Fraction(1, 2),
            Fraction(501, 1000),
        ),
        (_integral(_c("exp", X), 0, 1), _c("add", E, -1), Fraction(1718281, 10**6)),
        (_integral(_c("pow", X, 2)), _c("div", _c("pow", X, 3), 3), _c("pow", X, 3)),
        (_limit(_c("exp", X), 0), 1, Fraction(1001, 1000)),
        (_c("derivative", _c("exp", X), X, 3), _c("exp", X), X),
        (
            _integral(_c("div", _c("cos", X), _c("add", 1, _c("pow", X, 2))), 0, INFINITY),
            _c("div", PI, _c("mul", 2, E)),
            Fraction(1, 2),
        ),
        (_integral(_c("div", _c("floor", X), 1), 0, 1), 0, 1),
    ],
)
def test_confirmation_tells_right_from_wrong(
    node: Call, right: Node | Fraction | int, wrong: Node | Fraction | int
) -> None:
    (good,), (bad,) = _c("set", right).args, _c("set", wrong).args
    assert confirming.confirmed(node, good)
    assert not confirming.confirmed(node, bad)


def test_both_sides_of_a_limit_count() -> None:
    body = _c("div", _c("abs", X), X)
    assert confirming.confirmed(_limit(body, 0, "+"), whole(1))
    assert not confirming.confirmed(_limit(body, 0), whole(1))
    assert not confirming.confirmed(_limit(body, 0), whole(-1))


def test_absolute_values_in_parameters_are_not_lost() -> None:
    # The integral of e^(-a^2 x^2) is sqrt(pi) / (2 |a|); SymPy, told that a > 0, drops the bars.
    a = Name("a")
    body = _c("exp", _minus(_c("mul", _c("pow", a, 2), _c("pow", X, 2))))
    node = _integral(body, 0, INFINITY)
    assert confirming.confirmed(node, _c("div", _c("root", PI, 2), _c("mul", 2, _c("abs", a))))
    assert not confirming.confirmed(node, _c("div", _c("root", PI, 2), _c("mul", 2, a)))


def test_gauss_legendre_is_exact_for_polynomials() -> None:
    # The integral of x^10 over (-1, 1) is 2/11.
    area = sum(weight * node**10 for node, weight in heights._gauss_legendre())
    assert area == pytest.approx(2 / 11, abs=1e-14)


def test_trees_without_such_calls_do_not_load_sympy() -> None:
    code = (
        "import sys\n"
        "from jupyterlab_tir.answers.algebra.closed import closed_form\n"
        "from jupyterlab_tir.answers.algebra.solving import normal_set, solution_set\n"
        "from jupyterlab_tir.answers.algebra.tree import Name, call, whole\n"
        "node = call('add', Name('x'), whole(1))\n"
        "assert closed_form(node) is node\n"
        "assert solution_set(call('lt', call('pow', node, whole(2)), whole(4))) is not None\n"
        "assert 'sympy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# SymPy and back

_ROUND = [
    _c("add", _c("mul", 2, X), Fraction(1, 3)),
    _c("pow", X, _c("neg", N)),
    _c("root", _c("add", X, 1), 3),
    _c("log", X, 2),
    _c("mul", PI, E, Constant("golden_ratio")),
    _c("binomial", N, 2),
    _c("permutations", N, 2),
    _c("atan2", X, N),
    _c("max", X, N),
    _c("asinh", _c("abs", X)),
    _c("sec", X),
    _c("gamma", X),
    _c("gcd", 12, 18),
    _c("lcm", 4, 6),
    _c("mod", 17, 5),
    _c("floor", _c("mul", 10, PI)),
    _c("factorial2", 7),
    _c("erf", X),
    _c("lambertw", X),
]


@pytest.mark.parametrize("node", _ROUND)
def test_trees_survive_sympy(node: Node) -> None:
    assert _same(from_sympy(to_sympy(node)), node)


def test_unknown_functions_and_the_imaginary_unit_survive_sympy() -> None:
    node = _c("apply:f", X, Constant("i"))
    assert from_sympy(to_sympy(node)) == node


@pytest.mark.parametrize(
    "node",
    [
        Text("yes"),
        _c("set", 1, 2),
        _c("measured", 1, Text("m")),
        Constant("nan"),
        _c("gcd", X, 2),
        # What SymPy would never finish, or fill the memory with, as soon as it is built.
        _c("pow", 9, _c("pow", 9, 9)),
        _c("pow", 9, 10**9),
        _c("pow", Fraction(2, 3), 10**9),
        _c("pow", _c("root", 2, 2), 10**10),
        _c("pow", _c("mul", 2, X), 10**9),
        _c("exp", _c("mul", 10**9, _c("log", 2))),
        _c("pow", E, _c("mul", 10**9, _c("log", 2))),
        _c("pow", 2, Fraction(10**9, 3)),
        _c("factorial", 999999999),
        _c("binomial", 10**9, 5 * 10**8),
        _c("gamma", Fraction(10**9, 2)),
        _c("permutations", 10**9, 10**8),
        _c("zeta", 10**6),
        Number(Fraction(10**9000)),
        _c("pow", 0, 0),
    ],
)
def test_what_has_no_counterpart_or_is_too_large_is_refused(node: Node) -> None:
    start = time.perf_counter()
    with pytest.raises(UntranslatableError):
        to_sympy(node)
    assert time.perf_counter() - start < 5


def test_deep_and_wide_trees_are_refused() -> None:
    deep: Node = X
    for _ in range(5000):
        deep = call("sin", deep)
    with pytest.raises(UntranslatableError):
        to_sympy(deep)
    with pytest.raises(UntranslatableError):
        to_sympy(Call("add", tuple(_c("pow", X, n) for n in range(3000))))
    node = _integral(deep, 0, 1)
    assert closed.closed_form(node) is not None
