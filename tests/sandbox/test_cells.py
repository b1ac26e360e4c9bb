"""What honest code gets back."""

from __future__ import annotations

import pytest

from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.sandbox import CellStatus, ChildKernel, ChildKernels

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_seed_fixes_python_numpy_and_sympy(shared: ChildKernel) -> None:
    # random.seed(123) and numpy.random.seed(123), from their documentation's algorithms (MT19937)
    assert (await shared.run("random.random()")).value == "0.052363598850944326"
    assert (await shared.run("float(np.random.rand())")).value == "0.6964691855978616"
    drawn = await shared.run(
        "from sympy.core.random import rng\n"
        "import random as r\n"
        "rng.random() == r.Random(123).random()"
    )
    assert drawn.value == "True"


async def test_value_of_last_expression_is_its_repr(shared: ChildKernel) -> None:
    result = await shared.run("'a' + 'b'")
    assert (result.status, result.value, result.stdout) == (CellStatus.OK, "'ab'", "")
    assert result.peak_memory_bytes is not None
    assert 20e6 < result.peak_memory_bytes < 500e6


async def test_state_persists_between_cells(shared: ChildKernel) -> None:
    assert (await shared.run("kept = 41")).value is None
    assert (await shared.run("kept + 1")).value == "42"


async def test_call_that_returns_none_has_no_value(shared: ChildKernel) -> None:
    result = await shared.run("print('said')")
    assert result.value is None
    assert result.text_for_model() == "said"


@pytest.mark.parametrize("code", ["", "\n", "# nothing"])
async def test_silent_cell_says_that_values_must_be_printed(shared: ChildKernel, code: str) -> None:
    result = await shared.run(code)
    assert result.status is CellStatus.OK
    assert result.text_for_model() == (
        "(no output: print a value, or end with an expression, to see it)"
    )


async def test_output_value_and_error_come_in_this_order(shared: ChildKernel) -> None:
    result = await shared.run("def f(n):\n    return 1 / n\n\nprint('before')\nf(0)")
    assert result.status is CellStatus.ERROR
    assert result.error_name == "ZeroDivisionError"
    assert result.error_message == "division by zero"
    said, call, inside, error = result.text_for_model().split("\n")
    assert said == "before"
    assert call.endswith("line 5: f(0)")
    assert inside.endswith("line 2, in f: return 1 / n")
    assert error == "ZeroDivisionError: division by zero"


async def test_syntax_error_names_the_line(shared: ChildKernel) -> None:
    result = await shared.run("x = 1\ny = = 2")
    assert result.status is CellStatus.ERROR
    assert result.error_name == "SyntaxError"
    assert result.traceback is not None
    assert result.traceback.endswith("line 2: y = = 2")


async def test_traceback_of_deep_recursion_is_short(shared: ChildKernel) -> None:
    result = await shared.run("def g(n):\n    return g(n + 1)\ng(0)")
    assert result.error_name == "RecursionError"
    assert result.traceback is not None
    assert len(result.traceback.split("\n")) == 2
    assert result.hint is not None


async def test_unknown_sympy_function_gets_hint_and_suggestion(shared: ChildKernel) -> None:
    result = await shared.run("sp.fibonaci(5)")
    assert result.error_message == (
        "module 'sympy' has no attribute 'fibonaci'. Did you mean: 'fibonacci'?"
    )
    assert result.hint is not None
    assert result.hint.startswith("sympy has no fibonaci;")
    assert result.text_for_model().endswith(f"Hint: {result.hint}")


async def test_customary_module_names_need_no_import(shared: ChildKernel) -> None:
    assert (await shared.run("sp.Rational(1, 3) + math.gcd(4, 6)")).value == "7/3"


async def test_own_variable_of_a_customary_name_is_left_alone(shared: ChildKernel) -> None:
    assert (await shared.run("[nx for nx in (1, 2)]")).value == "[1, 2]"
    assert (await shared.run("nx")).value.startswith("<module 'networkx'")  # type: ignore[union-attr]


async def test_missing_package_says_what_there_is(shared: ChildKernel) -> None:
    result = await shared.run("import gmpy3000")
    assert result.error_name == "ModuleNotFoundError"
    assert result.hint is not None
    assert "sympy" in result.hint


async def test_integers_of_many_digits_are_written_out(shared: ChildKernel) -> None:
    assert (await shared.run("len(str(2**20000))")).value == "6021"
    result = await shared.run("print(10**200000)")
    assert result.error_name == "ValueError"
    assert result.hint is not None
    assert "digits" in result.hint


async def test_long_values_lose_their_middle_only(shared: ChildKernel) -> None:
    result = await shared.run("list(range(10_000))")
    text = repr(list(range(10_000)))
    cut = len(text) - 4000
    assert result.value == f"{text[:2000]}\n[... {cut} characters cut ...]\n{text[-2000:]}"
    assert result.value_cut == cut
    assert result.truncated


async def test_hundred_million_characters_are_cut_and_counted(shared: ChildKernel) -> None:
    result = await shared.run("print('ab' * 50_000_000)")
    assert result.status is CellStatus.OK
    assert result.stdout_cut == 100_000_001 - 4000
    assert result.stdout.startswith("abab")
    assert result.stdout.endswith("abab\n")
    assert len(result.stdout) < 4100


async def test_thousands_of_flushes_are_no_flood(shared: ChildKernel) -> None:
    code = "for i in range(20_000): print(i % 10, end='', flush=True)\n'end'"
    result = await shared.run(code, timeout_s=60)
    assert (result.status, result.value) == (CellStatus.OK, "'end'")
    assert result.stdout.startswith("0123456789012")
    assert result.stdout.endswith("56789")
    assert result.stdout_cut == 20_000 - 4_000


async def test_control_characters_are_removed(shared: ChildKernel) -> None:
    result = await shared.run(r"print('\x1b[31mred\x1b[0m\x07\x9b1m \x1b]0;t\x07ok\ud800')")
    assert result.stdout == "red ok\\ud800\n"


async def test_html_and_latex_are_not_taken(shared: ChildKernel) -> None:
    result = await shared.run(
        "class H:\n"
        "    def __repr__(self): return 'plain'\n"
        "    def _repr_html_(self): return '<script>alert(1)</script>'\n"
        "display(H()); H()"
    )
    assert (result.stdout, result.value) == ("plain\n", "plain")


async def test_warnings_of_no_weight_are_not_shown_to_the_model(shared: ChildKernel) -> None:
    result = await shared.run(
        "import warnings\nwarnings.warn('old', DeprecationWarning)\n"
        "import numpy as np\nnp.float64(1) / np.float64(0)"
    )
    assert "old" in result.stderr
    assert "old" not in result.text_for_model()
    assert "RuntimeWarning: divide by zero" in result.text_for_model()


async def test_loop_is_interrupted_and_its_state_kept(shared: ChildKernel) -> None:
    result = await shared.run("n = 0\nprint('go')\nwhile True: n += 1", timeout_s=0.5)
    assert result.status is CellStatus.TIMEOUT
    assert 0.5 <= result.duration_s < 5
    assert result.stdout == "go\n"
    assert "after 0.5 s; its variables are kept" in result.text_for_model()
    assert (await shared.run("n > 0")).value == "True"


async def test_awaited_sleep_is_interrupted(shared: ChildKernel) -> None:
    result = await shared.run("import asyncio\nawait asyncio.sleep(100)", timeout_s=0.3)
    assert result.status is CellStatus.TIMEOUT
    assert "its variables are kept" in (result.error_message or "")
    assert (await shared.run("await asyncio.sleep(0, 'awake')")).value == "'awake'"


async def test_endless_printing_ends_at_the_time_limit(shared: ChildKernel) -> None:
    result = await shared.run("while True: print('spam')", timeout_s=0.5)
    assert result.status is CellStatus.TIMEOUT
    assert result.stdout.startswith("spam\nspam\n")
    assert shared.alive


async def test_memory_error_has_its_own_status(shared: ChildKernel) -> None:
    for code in ("bytearray(10**10)", "np.ones(10**9)"):
        result = await shared.run(code)
        assert result.status is CellStatus.OUT_OF_MEMORY
        assert result.error_name == "MemoryError"
    hoard = await shared.run("hoard = []\nwhile True: hoard.append(bytearray(10**7))")
    assert hoard.status is CellStatus.OUT_OF_MEMORY
    assert (await shared.run("0.5 < len(hoard) / 100 < 1.5; hoard.clear()")).status is CellStatus.OK


@pytest.mark.parametrize(
    "code", ["exit()", "quit(0)", "import sys; sys.exit(1)", "raise SystemExit"]
)
async def test_exit_is_an_error_and_not_the_end(shared: ChildKernel, code: str) -> None:
    result = await shared.run(code)
    assert (result.status, result.error_name) == (CellStatus.ERROR, "SystemExit")
    assert result.stderr == ""
    assert (await shared.run("1")).value == "1"


async def test_input_is_refused_at_once(shared: ChildKernel) -> None:
    result = await shared.run("input('?')")
    assert result.status is CellStatus.ERROR
    assert result.hint == (
        "there is no keyboard: write the values into the code instead of calling input()."
    )


async def test_output_of_subprocesses_and_forks_is_kept_where_they_are_allowed() -> None:
    async with ChildKernels(level="none") as kernels, await kernels.start() as kernel:
        result = await kernel.run(
            "import os, subprocess, time\n"
            "_ = subprocess.run(['echo', 'from a command'])\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    print('from a fork')\n"
            "    os._exit(0)\n"
            "_ = os.waitpid(pid, 0)"
        )
    assert result.status is CellStatus.OK
    assert result.stdout == "from a command\nfrom a fork\n"


async def test_thread_that_prints_later_does_not_touch_the_next_cell(shared: ChildKernel) -> None:
    await shared.run(
        "import threading, time\n"
        "late = threading.Thread(target=lambda: (time.sleep(0.2), print('late')))\n"
        "late.start()"
    )
    result = await shared.run("late.join()\nprint('mine')")
    assert result.stdout.endswith("mine\n")
    assert (await shared.run("print('next')")).stdout == "next\n"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("def __str__(self): raise ValueError", "Evil"),
        ("def __str__(self): return 7", "Evil"),
        ("def __str__(self): return 'x' * 10**7", "Evil"),
        ("def __repr__(self): raise KeyError", "Evil"),
    ],
)
async def test_exceptions_that_misbehave_are_reported(
    shared: ChildKernel, body: str, name: str
) -> None:
    result = await shared.run(f"class Evil(Exception):\n    {body}\nraise Evil()")
    assert (result.status, result.error_name) == (CellStatus.ERROR, name)
    assert len(result.error_message or "") < 2500
    assert (await shared.run("1")).value == "1"


async def test_value_whose_repr_raises_is_an_error(shared: ChildKernel) -> None:
    result = await shared.run("class R:\n    def __repr__(self): raise KeyError('no')\nR()")
    assert (result.status, result.error_name) == (CellStatus.ERROR, "KeyError")
    assert result.value is None


async def test_code_of_200_kilobytes_runs(shared: ChildKernel) -> None:
    result = await shared.run("x = 0\n" + f"x += 1  # {'-' * 90}\n" * 2_000 + "x", timeout_s=60)
    assert result.value == "2000"


@pytest.mark.parametrize("code", ["1\0", "'\ud800'", "#" * 1_000_001])
async def test_text_that_cannot_be_a_cell_is_refused(shared: ChildKernel, code: str) -> None:
    result = await shared.run(code)
    assert result.status is CellStatus.REFUSED
    assert (result.error_message or "").count(".") == 1
    assert result.text_for_model() == result.error_message


@pytest.mark.parametrize("timeout_s", [0, -1, float("inf"), float("nan")])
async def test_impossible_time_limit_is_misuse(shared: ChildKernel, timeout_s: float) -> None:
    with pytest.raises(UsageError, match="positive number of seconds"):
        await shared.run("1", timeout_s=timeout_s)
