"""Echo or computation: cells that failed, code out of sight, and code that is too much."""

from __future__ import annotations

import time

import pytest

from jupyterlab_tir.answers import is_echo

SOON_S = 10.0


def test_what_the_last_statement_of_a_failed_cell_would_have_bound_is_not_bound() -> None:
    cells = ["x = 42\nx = undefined(3)", "print(x)"]
    assert is_echo(cells, failed=[0])
    assert not is_echo(cells)


@pytest.mark.parametrize(
    ("failed", "echo"),
    [
        ("x = solve(3)\nprint(y)", False),
        ("x = 42\nraise ValueError", True),
        ("x = 42\nx = solve(3)\nprint(y)", False),
        ("for i in range(9):\n    x = i * i\n    y(i)", False),
    ],
)
def test_a_binding_of_a_failed_cell_may_have_happened(failed: str, *, echo: bool) -> None:
    assert is_echo([failed, "print(x)"], failed=[0]) is echo
    # It may have failed before it bound anything.
    assert not is_echo(["x = 6 * 7", failed, "print(x)"], failed=[1])


def test_functions_of_a_failed_cell_are_known() -> None:
    assert is_echo(["def f(n):\n    return 42\nf(y)", "print(f(3))"], failed=[0])
    assert not is_echo(["def f(n):\n    return n * 2\nf(y)", "print(f(21))"], failed=[0])


def test_what_a_failed_cell_filled_may_be_filled() -> None:
    assert not is_echo(["r = []\nr.append(6 * 7)\ny()", "print(r)"], failed=[0])


def test_what_is_written_to_something_unknown_counts_where_nothing_else_was_printed() -> None:
    assert is_echo(["out.write('42')"], printed=True)
    assert not is_echo(["out.write(str(6 * 7))"], printed=True)
    assert not is_echo(["print(6 * 7)\nlog.write('42')"], printed=True)


def test_functions_that_nothing_calls_count_where_no_print_was_found() -> None:
    literal = "class T(Task):\n    def run(self):\n        print(42)\n"
    value = "class U(Task):\n    def run(self):\n        print(6 * 7)\n"
    assert is_echo([literal + "start(T)"], printed=True)
    assert not is_echo([value + "start(U)"], printed=True)
    assert not is_echo([literal + value + "start(T, U)"], printed=True)
    assert not is_echo(["import solver\nsolver.main()"], printed=True)


COMMANDS = [
    "%timeit -n1 sum(range(9))",
    "%time y = 3",
    "%%time",
    "%pip install sympy",
    "!ls",
    "files = !ls",
    "a = %who_ls",
    "x?",
    "sum??",
    "?sum",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_lines_for_ipython_are_passed_over(command: str) -> None:
    assert not is_echo([f"{command}\nprint(sum(range(9)))"], printed=True)
    assert is_echo([f"{command}\nprint(42)"], printed=True)
    assert not is_echo([f"{command}\nx = sum(range(9))", "print(x)"], printed=True)


def test_what_ipython_runs_on_a_line_is_followed_and_what_it_gives_is_computed() -> None:
    assert is_echo(["x = sum(range(9))\n%time x = 42\nprint(x)"], printed=True)
    assert not is_echo(["%time x = sum(range(9))\nprint(x)"], printed=True)
    assert not is_echo(["files = !ls\nprint(files)"], printed=True)


def test_a_cell_of_another_language_is_in_doubt() -> None:
    assert not is_echo(["%%bash\necho 42 | tr 4 5"], printed=True)
    assert is_echo(["echo 42 | tr 4 5"], printed=True)


MANY = {
    "functions": "".join(f"def f{n}(): return {n}\n" for n in range(3_000))
    + "".join(f"f{n}()\n" for n in range(3_000)),
    "functions in a row": "def f0(): return 1\n"
    + "".join(f"def f{n}(): return f{n - 1}()\n" for n in range(1, 3_000))
    + "f2999()\n",
    "names and branches": "".join(f"a{n} = {n}\n" for n in range(2_000))
    + "".join(f"if c:\n    a{n} = 1\nelse:\n    a{n} = 2\n" for n in range(2_000)),
    "cases": "match f(3):\n" + "".join(f"    case {n}:\n        a{n} = 1\n" for n in range(3_000)),
    "rows": "v = [" + "[1, 2, 3], " * 9_000 + "]\n",
    "lists of lists": "v = [1]\n" + "v = [v, v, v, v]\n" * 3_000,
    "loops over lists": "v = ["
    + ", ".join(f"[{n}, {n}]" for n in range(40))
    + "]\n"
    + "for a in v:\n    for b in v:\n        x = [a, b, v]\n" * 1_000,
    "names in conditions": ("if " + "+".join(["x"] * 2_000) + ":\n    y = 1\n") * 20,
    "list that holds itself": "v = []\n" + "v.append(v)\nd = {(v, 1): v}\n" * 2_000,
    "wide lists in lists": "v = ["
    + "1, " * 40
    + "]\n"
    + ("v = [" + "v, " * 40 + "]\n") * 20
    + "for w in v:\n    u = w if c else v\n    d = {(u, v): w}\n" * 300,
    "conditions of conditions": "a, b = 1, 2\nok = a < b\n" + "ok = ok and ok\n" * 2_000,
    "recursion by turns": "".join(
        f"def f{n}(x): return f{(n + 1) % 9}(x) + f{(n + 2) % 9}(x) + f{(n + 4) % 9}(x)\n"
        for n in range(9)
    )
    + "f0(1)\n",
}


@pytest.mark.parametrize("what", MANY)
def test_code_with_much_of_something_gets_a_verdict_soon(what: str) -> None:
    began = time.monotonic()
    assert not is_echo([MANY[what] + "print(6 * 7)"])
    assert time.monotonic() - began < SOON_S


def test_a_long_table_of_literals_is_followed() -> None:
    assert is_echo(["v = [" + "12345, " * 18_000 + "]\nprint(v[3])"])
    assert not is_echo(["v = [" + "12345, " * 18_000 + "]\nprint(sum(v))"])


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(2):\n    print([7, 42][i])",
        "class S:\n    @property\n    def x(self):\n        return 42\nprint(S().x)",
        "import time\nprint(time.localtime().tm_year)",
        "def f(n):\n    if n % 7 == 0:\n        return 42\n    return 1\nprint(f(7))",
        "print({45: 42}[sum(range(10))])",
        "n = sum(range(9))\nif n > 0:\n    print(42)",
        "for i in range(3):\n    if i == 1:\n        print(42)",
        "x = 42\nprint(x if x > 0 else 0)",
        "print(range(43)[-1])",
        "import re\nprint(re.search(r'\\d+', 'it is 42').group())",
        "import base64\nprint(base64.b64decode('NDI=').decode())",
        "from string import Template\nprint(Template('$x').substitute(x=42))",
        "try:\n    raise ValueError(42)\nexcept ValueError as e:\n    print(e)",
        "import os\nos.system('echo 42')",
    ],
)
def test_further_limits_are_as_documented(code: str) -> None:
    assert not is_echo([code])


@pytest.mark.parametrize(
    "code",
    [
        "print(list(range(7, 50, 7)))",
        "for n in range(5, 1000, 3):\n    pass\nprint(n)",
        "print('mississippi'.replace('ss', 'tt'))",
        "print('abcdefgh'[2:5])",
        "h = {'a': 'red', 'b': 'blue'}\nh['a'], h['b'] = h['b'], h['a']\nprint(h['a'])",
        (
            "for a in (True, False):\n    for b in (True, False):\n"
            "        if a and not b:\n            print(a, b)"
        ),
    ],
)
def test_honest_work_that_counts_as_written_down_is_as_documented(code: str) -> None:
    assert is_echo([code])
