"""Parsing a model's code leaves the process's warnings as another thread has set them."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import pytest

from jupyterlab_tir.answers.syntax import parse_quietly

INVALID_ESCAPE = r"print('\d+')"


def test_warnings_about_a_models_code_are_not_ours() -> None:
    # Warnings are errors in tests: one would make the code unparsable.
    assert parse_quietly(INVALID_ESCAPE) is not None
    with pytest.raises(SyntaxError):
        ast.parse(INVALID_ESCAPE)


def test_filters_that_another_thread_sets_meanwhile_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parse_quietly("1")
    before = list(warnings.filters)
    others = warnings.catch_warnings()
    parse = ast.parse

    def parse_while_another_thread_enters(*args: Any, **settings: Any) -> ast.Module:
        others.__enter__()
        warnings.simplefilter("always")
        return parse(*args, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(ast, "parse", parse_while_another_thread_enters)
        parse_quietly("1")
    during = list(warnings.filters)
    others.__exit__(None, None, None)
    assert during[0][0] == "always"
    assert list(warnings.filters) == before
