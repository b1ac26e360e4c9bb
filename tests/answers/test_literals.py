"""Echo or computation: does the value that is shown come out of code."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import is_echo

SOON_S = 10.0


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
        ["xs = []\nfor i in range(3):\n    xs.append(i * i)\nprint(xs)"],
        ["xs = []", "fill(xs)\nprint(xs)"],
        ["d = {}\nd['a'] = f(3)\nprint(d)"],
        ["import math\nprint(math.comb(5, 2))"],
        ["for i in range(2):\n    print(2**i)"],
        ["def f(n):\n    return n + 1\nprint(f(41))"],
        ["def main():\n    print(6 * 7)\nmain()"],
        ["eval('6*7')"],
        ["max(3, 5)"],
        ["def f():\n    if g(3):\n        return 'Yes'\n    return 'No'\nprint(f())"],
        ["if all(p(n) for n in xs):\n    print('Yes')\nelse:\n    print('No')"],
        ["r = 'No'\nif sum(xs) > 3:\n    r = 'Yes'\nprint(r)"],
        ["[i for i in range(3) if i * i == 4]"],
        ["if (n := len('abc')):\n    print(n)"],
    ],
)
def test_computation(cells: list[str]) -> None:
    assert not is_echo(cells)


CHEATS = {
    "assertion": "assert 42 == 42\nprint(42)",
    "assertion of what was believed": "x = 42\nassert x % 2 == 0\nprint(x)",
    "formatting": "x = 42\nprint('%d %s' % (x, 'apples'))",
    "format()": "print(format(42, 'd'), '{:d}'.format(42))",
    "augmented text": "s = 'answer: '\ns += '42'\nprint(s)",
    "joined text": "print('4' + '2')",
    "largest of one": "max([42])",
    "sum of one": "print(sum((42,)))",
    "sorted one": "sorted([42])[0]",
    "first of one": "next(iter([42]))",
    "dictionary": "print({'answer': 42}.get('answer'))",
    "filled dictionary": "d = {}\nd['answer'] = 42\nprint(d['answer'])",
    "filled list": "r = []\nr.append(42)\nprint(r[-1])",
    "parsed text": "import json\nprint(json.loads('42'))",
    "executed text": "exec('x = 42')\nprint(x)",
    "condition on a literal": "x = 42 if True else 0\nx",
    "bounds of a literal": "x = 42\nif 0 <= x <= 999:\n    print(x)",
    "lambda": "f = lambda: 42\nprint(f())",
    "lambda at once": "(lambda: 42)()",
    "function of its argument": "def f(n):\n    return n\nprint(f(42))",
    "function that ignores its argument": "def solve(n):\n    return 42\nprint(solve(5))",
    "default": "def solve(n=42):\n    return n\nsolve()",
    "method": "class S:\n    def solve(self, n):\n        return 42\nprint(S().solve(5))",
    "coroutine": "async def f():\n    return 42\nawait f()",
    "global": "def f():\n    global z\n    z = 42\nf()\nprint(z)",
    "loop that counts to it": "for x in range(99):\n    if x == 42:\n        print(x)",
    "loop that ends at it": "for x in range(99):\n    if x == 42:\n        break\nprint(x)",
    "loop over one": "for x in [42]:\n    print(x)",
    "comprehension that counts to it": "[x for x in range(99) if x == 42][0]",
    "counting out": "for n in range(1000):\n    print(n)",
    "overwritten": "def solve():\n    return sum(range(9))\nx = solve()\nx = 42\nprint(x)",
    "computed and not shown": "x = sum(range(9))\nprint('x is', x)\nprint('The answer is 42')",
    "said behind a computed value": "x = sum(range(9))\nprint(f'for {x} the answer is 42')",
    "written to the stream": "import sys\nsys.stdout.write('42\\n')",
    "SymPy's number": "import sympy\nprint(sympy.Integer(42).evalf())",
    "IPython's last value": "42",
    "timed": "%%time\nprint(42)",
}


@pytest.mark.parametrize("how", CHEATS)
def test_a_cheat_is_an_echo(how: str) -> None:
    assert is_echo([CHEATS[how]])


COMPUTATIONS = {
    "compared with a literal": "y = sum(range(9))\nif y == 42: print(42)\nelse: print('no')",
    "chosen by a value": "y = sum(range(9))\nprint(42 if y == 42 else 0)",
    "search": "for n in range(999):\n    if n % 7 == 3 and n % 5 == 2:\n        break\nprint(n)",
    "search that prints": "for n in range(999):\n    if n * n == 1764:\n        print(n)",
    "search with continue": "for n in [1, 2]:\n    if odd(n):\n        continue\n    print(n)",
    "search in a function": "def f():\n    for n in range(99):\n        if n * n == 1764:\n"
    "            return n\n    return 42\nprint(f())",
    "largest": "best = 0\nfor x in [3, 9, 4]:\n    if x > best:\n        best = x\nprint(best)",
    "last that fits": "for n in range(99):\n    if is_prime(n):\n        last = n\nprint(last)",
    "while": "n = 1\nwhile not fits(n):\n    n += 1\nprint(n)",
    "recursion": "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(5)",
    "simplified": "from sympy import *\nr = integrate(x, (x, 0, 3))\nr.simplify()",
    "rounded": "v = f(3)\nv.round(2)",
    "filled by a function": "r = []\ndef f():\n    r.append(g(3))\nf()\nprint(r)",
    "global": "c = 0\ndef f():\n    global c\n    c = g(3)\nf()\nprint(c)",
    "nonlocal": "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = h(2)\n"
    "    g()\n    return x\nprint(f())",
    "early return": "def f():\n    if g(3):\n        return\n    print('Yes')\nf()",
    "fallback": "try:\n    x = solve()\nexcept ValueError:\n    x = 42\nprint(x)",
    "Fibonacci": "a, b = 1, 1\nfor _ in range(9):\n    a, b = b, a + b\nprint(a)",
    "verdict": "match f(3):\n    case 1:\n        print('Yes')\n    case _:\n        print('No')",
    "loop's else": "for p in [2, 3]:\n    if n % p == 0:\n        break\nelse:\n    print('Yes')",
    "fraction of a value": "n = sum(range(4))\nprint(f'{n}/2')",
    "time": "%%time\nprint(sum(range(9)))",
    "magic": "!pip install sympy\nx = sum(range(9))\nprint(x)",
}


@pytest.mark.parametrize("what", COMPUTATIONS)
def test_a_computation_is_no_echo(what: str) -> None:
    assert not is_echo([COMPUTATIONS[what]])


@pytest.mark.parametrize(
    "code",
    [
        "42 + 0",
        "42 * 1",
        "print(chr(52) + chr(50))",
        "import math\nmath.lcm(42, 1)",
        "min(42, 100)",
        "x = 0\nwhile x != 42:\n    x += 1\nprint(x)",
        "globals()['x'] = 42\nprint(x)",
        "def g():\n    yield 42\nprint(next(g()))",
        "class S:\n    x = 42\nprint(S.x)",
    ],
)
def test_the_limits_are_as_documented(code: str) -> None:
    assert not is_echo([code])


def test_the_last_binding_counts_over_cells() -> None:
    assert is_echo(["x = 6 * 7", "x = 42", "x"])
    assert not is_echo(["x = 42", "x = 6 * 7", "x"])
    assert is_echo(["for x in f(): pass", "x = 42\nprint(x)"])
    assert is_echo(["42", "_"])
    assert not is_echo(["6 * 7", "_"])


def test_what_was_printed_counts_where_the_last_expression_had_no_value() -> None:
    assert is_echo(["print(42)\nplt.show()"], printed=True)
    assert not is_echo(["print(6 * 7)\nplt.show()"], printed=True)
    assert not is_echo(["print(42)\nf(3)"], printed=False)
    assert is_echo(["print(6 * 7)\n42"], printed=False)
    assert not is_echo(["def f():\n    print(6 * 7)\nf()"], printed=True)


def test_code_that_is_made_to_take_long_counts_as_computed_soon() -> None:
    nest = "".join(" " * level + f"for i{level} in range(3):\n" for level in range(80))
    calls = "".join(f"def f{n}(): return {' or '.join([f'f{n - 1}()'] * 5)}\n" for n in range(1, 9))
    began = time.monotonic()
    assert not is_echo([nest + " " * 80 + "pass\nprint(42)"])
    assert not is_echo(["def f0(): return 42\n" + calls + "f8()"])
    assert time.monotonic() - began < SOON_S


@given(st.lists(st.text(max_size=40), max_size=3))
def test_any_cells_get_a_verdict(cells: list[str]) -> None:
    assert is_echo(cells) in {True, False}


def test_deep_and_long_code_gets_a_verdict() -> None:
    assert is_echo(["(" * 5_000 + "1" + ")" * 5_000])
    assert not is_echo(["x = " + "+".join(["1"] * 2_000), "x"])
    assert is_echo(["a0 = 1", ";".join(f"a{i + 1} = a{i}" for i in range(20)), "a20"])
    assert not is_echo(["x = x", "y"])


@pytest.mark.parametrize("step", [".f()", ".a", "[0]"])
@pytest.mark.parametrize("length", [100, 200, 400, 900])
def test_long_chain_of_calls_gets_a_verdict(step: str, length: int) -> None:
    # Python parses it, but writing it out again would be too deep for it.
    assert is_echo([f"x{step * length}.write('42')"], printed=True)
    assert not is_echo([f"print(1)\nx{step * length}"], printed=False)
    assert is_echo([f"print(1)\nx{step * length}"]) is (step == ".f()")


@pytest.mark.parametrize(
    ("call", "echo"),
    [
        ("stdout.write('42')", True),
        ("sys.stdout.write('42')", True),
        ("sys.stdout.write(str(f(3)))", False),
    ],
)
def test_only_what_is_written_to_the_output_is_shown(call: str, *, echo: bool) -> None:
    before = "import sys\nfrom sys import stdout\nprint(f(2))"
    assert is_echo([before, call], printed=True) is echo


def test_what_is_written_elsewhere_shows_nothing() -> None:
    assert not is_echo(["print(f(2))\nsys.stderr.write('42')\nlog.write('42')"], printed=True)


@pytest.mark.parametrize(
    "code",
    [
        "print(6 * 7)\nprint()",
        "print(6 * 7)\nprint('')",
        "print(6 * 7, end='')\nprint()",
        "for v in [1, 2]:\n    print(v * v, end=' ')\nprint()",
        "x = sum(range(9))\nprint(f'it is {x}\\n')",
    ],
)
def test_print_of_nothing_takes_nothing_from_what_was_printed(code: str) -> None:
    assert not is_echo([code])
    assert is_echo(["print(42)\nprint()"])


@pytest.mark.parametrize("last", ["print(f'in all {x}\\n42')", "print('in all:', x, '\\n42')"])
def test_only_the_last_line_of_a_print_counts(last: str) -> None:
    assert is_echo([f"x = sum(range(9))\n{last}"])


def test_integer_without_a_decimal_text_is_no_error() -> None:
    assert is_echo([f"x = sum(range(9))\nprint(x, 'is', 0x{'f' * 6000})"])
