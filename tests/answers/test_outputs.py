"""What a cell printed or returned, and whether that is the answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import output_matches

ONE_VALUE = [
    ("42\n", "42"),
    ("1.0", "1"),
    ("1,234", "1234"),
    ("1_000", "1000"),
    ("12.5%", "12.5"),
    ("$12.50", "12.5"),
    ("1e-05", "0.00001"),
    ("6.02e+23", r"6.02 \cdot 10^{23}"),
    ("-0.0", "0"),
    ("0.30000000000000004", "0.3"),
    ("0.6666666666666666", r"\frac{2}{3}"),
    ("2/3", r"\frac{2}{3}"),
    ("Fraction(-2, 3)", r"-\frac{2}{3}"),
    ("Rational(1, 2)", "0.5"),
    ("np.float64(0.5)", "1/2"),
    ("np.uint8(7)", "7"),
    ("numpy.int32(7)", "7"),
    ("mpf('0.125')", "1/8"),
    ("mpz(12)", "12"),
    ("Decimal('1E+2')", "100"),
    ("Integer(5)", "5"),
    ("Float('0.5', precision=53)", "1/2"),
    ("tensor(5)", "5"),
    ("tensor(5, dtype=torch.int32)", "5"),
    ("array(5)", "5"),
    ("0o17", "15"),
    ("'0x1f'", "31"),
    ("'42'", "42"),
    ('"42"', "42"),
    ("'Yes'", "yes"),
    ("'\\\\frac{1}{2}'", "1/2"),
    (r"\boxed{42}", "42"),
    (r"The answer is $\frac{1}{2}$.", "1/2"),
    ("(2+0j)", "2"),
    ("(1-2j)", "1-2i"),
    ("1 - 2*I", "1-2i"),
    ("True", "yes"),
    ("True", "True"),
    ("False", "no"),
    ("inf", r"\infty"),
    ("-oo", r"-\infty"),
    ("12 cm", "12"),
    ("5 apples", "5"),
    ("[3]", "3"),
    ("[[3]]", "3"),
    ("[(3, 4)]", "(3, 4)"),
    ("(3,)", "3"),
    ("{3}", "3"),
    ("['C']", "C"),
    ("[np.float64(2.0)]", "2"),
    ("array([7])", "7"),
    ("[7.]", "7"),
    ("FiniteSet(5)", "5"),
    ("Poly(x**2, x, domain='ZZ')", "x^2"),
    ("5\n5\n", "5"),
    ("\x1b[32m42\x1b[0m", "42"),
]

LABELLED = [
    ("x = 5", "5"),
    ("x: 5", "5"),
    ("x == 5", "5"),
    ("Answer: 42", "42"),
    ("Answer:42", "42"),
    ("The answer is 42", "42"),
    ("The answer is: 42.", "42"),
    ("So the final answer is 42 cm", "42"),
    ("Number of ways = 1,234", "1234"),
    ("f(10) -> 55", "55"),
    ("P(A or B) = 3/4", "0.75"),
    ("gcd(12, 18): 6", "6"),
    ("Solutions: [2, -2]", r"\pm 2"),
    ("Roots: {1, 2}", "1, 2"),
    ("Out[5]: 42", "42"),
    ("答案: 42", "42"),
    ("x = 5 or x = -5", "5, -5"),
    ("x = 3, y = 4", "(3, 4)"),
    ("x = 3\ny = 4", "x = 3, y = 4"),
    ("x = 3\ny = 4", "(3, 4)"),
    ("checking 1..9\nAnswer: 17", "17"),
    ("17\nElapsed: 3.2 s", "17"),
    ("a: 1\nb: 2\ntotal: 3", "3"),
]

SEVERAL_VALUES = [
    ("3 4", "(3,4)"),
    ("3 4", "3, 4"),
    ("x, y = 3 4", "(3, 4)"),
    ("1/2 3/4", "1/2, 3/4"),
    ("(1, 2) (3, 4)", "(1,2), (3,4)"),
    ("1\n2\n3", "1, 2, 3"),
    ("1 1\n2 4", "(1,1), (2,4)"),
    ("(1, 2)\n(3, 4)", "(1,2), (3,4)"),
    ("[2, -5]", r"\{-5, 2\}"),
    ("[2, -5]", "(2, -5)"),
    ("(2, -5)", "2, -5"),
    ("{2, -5}", "2 and -5"),
    ("frozenset({2, 5})", r"\{2, 5\}"),
    ("set()", r"\emptyset"),
    ("[1. 2. 3.]", "1, 2, 3"),
    ("[ 1 -2]", "(1, -2)"),
    ("array([1., 2.])", "1, 2"),
    ("[0.5, 0.3333333333333333]", "1/2, 1/3"),
    ("[2.9999999999999996, 2.0]", "2, 3"),
    ("dict_values([1, 2])", "1, 2"),
    ("['1', '2']", "1, 2"),
    ("['A', 'C']", "A, C"),
    ("[Fraction(1, 2), Fraction(1, 3)]", r"\frac12, \frac13"),
    ("[[1, 2], [3, 4]]", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
    ("[[1 2]\n [3 4]]", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"),
    ("array([[1, 2],\n       [3, 4]])", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"),
    ("Matrix([\n[1, 2],\n[3, 4]])", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"),
    ("[[2, 9], [9, 2]]", "(2,9), (9,2)"),
    ("{x: 3, y: 4}", "x = 3, y = 4"),
    ("{x: 3, y: 4}", "(3, 4)"),
    ("[{x: 3, y: 4}]", "(3, 4)"),
    ("[{x: 1, y: 2}, {x: 2, y: 1}]", "(1,2), (2,1)"),
    ("[{x: 4}]", "4"),
    ("[{x: -2}, {x: 2}]", "-2, 2"),
    ("{'x': 3, 'y': 4}", "(3, 4)"),
]

NOT_THE_ANSWER = [
    ("2024-05-01", "2018"),
    ("wrong = 5", "5"),
    ("upper bound: 5", "5"),
    ("seed: 42", "42"),
    ("10 passed", "10"),
    ("{1, 2}", "(1,2)"),
    ("{1: 2, 3: 4}", r"\{1/2,3/4\}"),
    ("x^2 = 4", "4"),
    ("~10", "10"),
    ("[" * 5_000 + "]" * 5_000, "5"),
    ("3 4", "34"),
    ("3 4", "4"),
    ("1 234", "1234"),
    ("(1, 234)", "1234"),
    ("[1, 2, 3]", "3"),
    ("[1, 2, 3]", "6"),
    ("1\n2\n3", "3"),
    ("(2, -5)", "(-5, 2)"),
    ("x = 3, y = 4", "(4, 3)"),
    ("{x: 3, y: 4}", "(4, 3)"),
    ("total = 10, count = 3", "3"),
    ("total = 10, count = 3", "10"),
    ("n=1: 5, n=2: 6", "6"),
    ("5 at x = 2", "5"),
    ("Found 5 solutions", "5"),
    ("3 out of 5", "3"),
    ("1/3 of 9 is small", "9"),
    ("0.333", "1/3"),
    ("3.14159", r"\pi"),
    ("1.41421356", r"\sqrt{2}"),
    ("x <= 5", "5"),
    ("5 < x", "5"),
    ("5 != 6", "6"),
    ("Interval(0, 1)", "(0,1)"),
    ("Interval.open(0, 1)", "[0,1]"),
    ("(0, 1)", "[0, 1]"),
    ("[0, 1]", "[0, 1)"),
    ("Fraction(1, 2)", "2"),
    ("True", "1"),
    ("False", "0"),
    ("True", "no"),
    ("None", "0"),
    ("[None]", "0"),
    ("nan", "0"),
    ("[nan, 1.0]", "1"),
    ("(nan+nanj)", "0"),
    ("inf", "0"),
    ("[]", "0"),
    ("()", "0"),
    ("{}", "0"),
    ("", ""),
    ("b'42'", "42"),
    ("range(5)", "5"),
    ("range(0, 5)", "(0, 5)"),
    ("<map object at 0x7f0000000042>", "42"),
    ("<zip object at 0x42>", "42"),
    ("<class 'int'>", "0"),
    ("<Figure size 640x480 with 1 Axes>", "1"),
    ("<5>", "5"),
    ("<generator object f at 0x5>\n", "5"),
    ("{1: 5}", "5"),
    ("{1: 5, 2: 6}", "(5, 6)"),
    ("Counter({5: 1})", "5"),
    ("5...", "5"),
    ("98 …", "98"),
    ("[0 1 2 ... 97 98 99]", "99"),
    ("12345 [truncated]", "12345"),
    ("5\n... (output truncated)", "5"),
    ("ZeroDivisionError: division by zero", "0"),
    ("Error: 5", "5"),
    ("error: exit 5", "5"),
    ("SystemExit: 0", "0"),
    ("Caught ValueError: 5", "5"),
    ("sympy.core.sympify.SympifyError: 5", "5"),
    ("Process exited with code 1", "1"),
    ("exit code: 1", "1"),
    ("Execution timed out after 6 seconds", "6"),
    ("Timeout: 6", "6"),
    ("<string>:1: RuntimeWarning: overflow encountered in scalar 5", "5"),
    ("Elapsed time: 5", "5"),
    ("Time: 5.0 s", "5"),
    ("Traceback (most recent call last):\n  File 'x', line 5\nNameError: x", "5"),
    ("17\nTraceback (most recent call last):\n  File 'x', line 5\nNameError: x\n17", "17"),
    (" 2          \nx  - 2*x + 1", "x-2x+1"),
    ("√2\n──\n2 ", "2"),
    ("x\n-\n2", "2"),
    ("   n  square\n0  1       1\n1  2       4", "4"),
    ("   n  square\n0  1       1\n1  2       4", "(1, 2, 4)"),
    ("dtype: int64", "64"),
    ("0    1\n1    4\ndtype: int64", "4"),
    ("-42", "42"),
    ("468.7", "468"),
    ("8,250", "250"),
    ("12345678901234567891", "12345678901234567890"),
    ("0.1", "1"),
    ("3.5e-05", "3.5"),
    ("b = 5 apples and 3 pears", "5"),
]


@pytest.mark.parametrize(("output", "answer"), [*ONE_VALUE, *LABELLED, *SEVERAL_VALUES])
def test_output_is_the_answer(output: str, answer: str) -> None:
    assert output_matches(output, answer) is True


@pytest.mark.parametrize(("output", "answer"), NOT_THE_ANSWER)
def test_output_is_not_the_answer(output: str, answer: str) -> None:
    assert output_matches(output, answer) is False


@given(st.fractions(max_denominator=10**4))
def test_a_number_is_itself_in_every_printing(value: object) -> None:
    for printed in (
        f"{value}",
        repr(value),
        f"x = {value}",
        f"[{value!r}]",
        f"The answer is {value}.",
    ):
        assert output_matches(printed, str(value)), printed


@given(st.lists(st.integers(-99, 99), min_size=2, max_size=6))
def test_a_list_is_the_list_and_none_of_its_elements(numbers: list[int]) -> None:
    answer = ", ".join(map(str, numbers))
    printings = [str(numbers), str(tuple(numbers)), " ".join(map(str, numbers))]
    for printed in printings:
        assert output_matches(printed, answer), printed
        assert output_matches(printed, f"({answer})"), printed
    if len(set(numbers)) > 1:
        assert not any(output_matches(p, str(n)) for p in printings for n in numbers)


@pytest.mark.parametrize(
    "output",
    [
        sign * (90_000 // len(sign))
        for sign in (
            "(",
            "[",
            "[1,",
            "1 ",
            "1\n",
            "a = ",
            "'",
            "'\\",
            "x: ",
            "{x: 1,",
            "Error ",
            "<",
            "- ",
            "─\n",
            "np.int64(",
        )
    ],
    ids=lambda output: repr(output[:6]),
)
def test_a_long_output_of_nonsense_is_read_soon(output: str) -> None:
    started = time.perf_counter()
    assert output_matches(output, "7") is False
    assert time.perf_counter() - started < 10
