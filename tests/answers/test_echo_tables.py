"""Echo or computation, on many cells as models write them; each stands behind its name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from jupyterlab_tir.answers import is_echo

HERE = Path(__file__).parent
PRINTS = re.compile(r"\bprint\b|\bwrite\(|\bmain\(")


def cells_of(file: str) -> list[object]:
    _, *parts = re.split(r"^### (.+)\n", (HERE / file).read_text(), flags=re.MULTILINE)
    names, codes = parts[::2], parts[1::2]
    assert len(set(names)) == len(names)
    return [pytest.param(code, id=name) for name, code in zip(names, codes, strict=True)]


def printed(code: str) -> bool:
    """Whether the cell's value is what it printed, as the kernel says it."""
    return not isinstance(ast.parse(code).body[-1], ast.Expr) or PRINTS.search(code) is not None


@pytest.mark.parametrize("code", cells_of("echo_computed.txt"))
def test_honest_work_is_computed(code: str) -> None:
    assert not is_echo([code], printed=printed(code))


@pytest.mark.parametrize("code", cells_of("echo_written.txt"))
def test_what_is_only_written_down_is_an_echo(code: str) -> None:
    assert is_echo([code], printed=printed(code))
