"""Reading and rewriting cells: any text arrives as it was written."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell

from jupyterlab_tir_kernel.cell import without_blank_ends
from jupyterlab_tir_kernel.transform import CellTransformer, rewrite, split_cell


class KernelShell(InteractiveShell):
    """A shell that looks like a kernel's."""

    kernel = object()


@pytest.fixture(scope="module")
def manager() -> TransformerManager:
    manager = TransformerManager()
    manager.cleanup_transforms.insert(0, CellTransformer(KernelShell()))
    return manager


def arrived(source: str) -> tuple[str, str]:
    """The arguments of the call that a transformed cell makes."""
    module = ast.parse(source)
    [statement] = module.body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Await)
    assert isinstance(statement.value.value, ast.Call)
    line, text = [ast.literal_eval(each) for each in statement.value.value.args]
    return line, text


@given(text=st.text(), line=st.text().filter(lambda line: "\n" not in line))
@example(text=">>> 1 + 1\n... 2\n", line="")
@example(text="In [1]: x\nOut[1]: y\n", line="")
@example(text="what is this?\n!ls\n%time\n%%tir\n?x", line=" --samples 3")
@example(text="{x} $y %z \\frac{1}{2} '''\"\"\" \r\n\t\0\x0b\x0c\u2028", line=" --check {x}$y\\z")
@example(text="    indented\n  less", line="")
def test_any_text_and_option_line_arrive_as_written(
    manager: TransformerManager, text: str, line: str
) -> None:
    if line and not line[0].isspace():
        line = " " + line
    # Only a carriage return that ends the line belongs to the line break.
    kept = line.removesuffix("\r")
    ended = text if not text or text.endswith("\n") else text + "\n"
    assert arrived(manager.transform_cell(f"%%tir{line}\n{text}")) == (kept, ended)


def test_two_hundred_thousand_characters_arrive(manager: TransformerManager) -> None:
    text = "a line with 'quotes' and {braces}\n" * 6000
    assert arrived(manager.transform_cell("%%tir\n" + text)) == ("", text)


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n",
        "print('%%tir')\n%%tir\n",
        "%%tirade\nx\n",
        "%%tir?\n",
        "%tir config\n",
        "\n",
        "%%ti",
    ],
)
def test_other_cells_are_left_alone(source: str) -> None:
    assert split_cell(source) is None
    assert rewrite(source) is None


def test_blank_lines_and_blanks_before_the_magic_are_passed_over() -> None:
    assert split_cell("\n  \n  %%tir --samples 2\n  x\n") == (" --samples 2", "  x\n")


def test_a_windows_line_end_is_no_part_of_the_option_line() -> None:
    assert split_cell("%%tir --samples 2\r\nx\r\n") == (" --samples 2", "x\r\n")


def test_a_shell_that_cannot_await_keeps_the_magic() -> None:
    lines = ["%%tir\n", "x\n"]
    assert CellTransformer(InteractiveShell())(lines) == lines
    blocked = KernelShell()
    blocked.autoawait = False
    assert CellTransformer(blocked)(lines) == lines


def test_a_console_that_asks_whether_the_cell_is_complete_sees_a_magic(
    manager: TransformerManager,
) -> None:
    assert manager.check_complete("%%tir\nWhat is 2 + 2?")[0] == "incomplete"
    assert manager.check_complete("%%tir\nWhat is 2 + 2?\n\n")[0] == "complete"


@given(st.text())
def test_only_whole_blank_lines_are_taken_from_the_ends(text: str) -> None:
    kept = without_blank_ends(text)
    assert kept in text
    assert not text.replace(kept, "", 1).strip() if kept else not text.strip()
