"""Echo or computation: does the value that is shown come out of code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import is_echo


@pytest.mark.parametrize(
    "cells",
    [
        ["print(42)"],
        ["x = 42; print(x)"],
        ["x = 42", "y = x", "print('Answer:', y)"],
        ["42"],
        ['print("42")'],
        ['print(f"{42}")'],
        ["x = 42", "print(f'n = {x}')"],
        ['int("42")'],
        ["[42][0]"],
        ["print(str(42))"],
        ["-42"],
        ["a, b = 1, 2\nprint(a)"],
        ["d = {'a': 42}\nd['a']"],
        ["x: int = 42\nx"],
        ["from fractions import Fraction\nprint(Fraction(1, 2))"],
        ["print('%d' % 42)"],
        ["print('{}'.format(42))"],
        ["eval('42')"],
        ["def f():\n    return 42\nprint(f())"],
        ["def main():\n    print(42)\nmain()"],
        ["if True:\n    print(42)"],
        ["x = 42\nif x == 42:\n    print(x)"],
        ["if __name__ == '__main__':\n    print(42)"],
        ["x = 42\nassert x == 6 * 7\nprint(x)"],
        ["y = sum(range(9))", "print(42)"],
        ["x = ("],
        ["x = 6 * 7"],
        [""],
        [],
    ],
)
def test_echo(cells: list[str]) -> None:
    assert is_echo(cells)


@pytest.mark.parametrize(
    "cells",
    [
        ["6*7"],
        ["print(3**5 % 7)"],
        ["sum([1, 2, 3])"],
        ["x = 6 * 7", "x"],
        ["print('n =', 6 * 7)"],
        ["print(f'{6 * 7}')"],
        ["c = 0\nfor i in range(3):\n    c += 1\nprint(c)"],
        ["xs = []\nfor i in range(3):\n    xs.append(i)\nprint(xs)"],
        ["xs = []", "fill(xs)\nprint(xs)"],
        ["d = {}\nd['a'] = f(3)\nprint(d)"],
        ["import math\nprint(math.comb(5, 2))"],
        ["for i in range(2):\n    print(i)"],
        ["def f(n):\n    return n + 1\nprint(f(41))"],
        ["def main():\n    print(6 * 7)\nmain()"],
        ["eval('6*7')"],
        ["max(3, 5)"],
        ["def f(n):\n    return 42\nprint(f(6))"],
        ["def f():\n    if g(3):\n        return 'Yes'\n    return 'No'\nprint(f())"],
        ["if all(p(n) for n in xs):\n    print('Yes')\nelse:\n    print('No')"],
        ["r = 'No'\nif sum(xs) > 3:\n    r = 'Yes'\nprint(r)"],
        ["[i for i in range(3)]"],
        ["if (n := len('abc')):\n    print(n)"],
    ],
)
def test_computation(cells: list[str]) -> None:
    assert not is_echo(cells)


@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_cells_get_a_verdict(cells: list[str]) -> None:
    assert is_echo(cells) in {True, False}


def test_deep_and_long_code_gets_a_verdict() -> None:
    assert is_echo(["(" * 5_000 + "1" + ")" * 5_000])
    assert not is_echo(["x = " + "+".join(["1"] * 2_000), "x"])
    assert is_echo([";".join(f"a{i + 1} = a{i}" for i in range(20)), "a0 = 1", "a20"])
    assert not is_echo(["x = x", "y"])
