"""TeX as readable text, held to the table that the page's renderer is held to as well."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir.viewing.wire import Snapshot
from jupyterlab_tir_kernel import tex_symbols
from jupyterlab_tir_kernel.formulas import (
    MOST_FORMULA_CHARS,
    MOST_FORMULAS,
    formulas_in,
    readable_answer,
    readable_text,
)
from jupyterlab_tir_kernel.html import answer, maths
from jupyterlab_tir_kernel.html_run import HTML_BYTES, run_html
from jupyterlab_tir_kernel.readable_tex import MOST_CHARS, MOST_LEVELS, readable_tex

from .static_runs import Page

ROOT = Path(__file__).parents[2]
TABLE = json.loads((ROOT / "tests/data/readable_tex.json").read_text("utf-8"))
RUN = ROOT / "labextension/tests/data/view/agreement.json"


@pytest.mark.parametrize(("formula", "text"), TABLE["formulas"])
def test_formula_reads_as_text(formula: str, text: str) -> None:
    assert readable_tex(formula) == text


@pytest.mark.parametrize(("text", "shown"), TABLE["texts"])
def test_formulas_of_a_text_are_readable_and_the_rest_is_as_written(text: str, shown: str) -> None:
    pieces = readable_text(text)
    assert "".join(piece.shown for piece in pieces) == shown
    assert "".join(piece.written for piece in pieces) == text


@pytest.mark.parametrize(("raw", "shown"), TABLE["answers"])
def test_answer_reads_as_text(raw: str, shown: str) -> None:
    assert readable_answer(raw) == shown


def test_commands_are_those_of_the_page() -> None:
    ours = {name: value for name, value in vars(tex_symbols).items() if name.isupper()}
    assert {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in ours.items()
    } == TABLE["symbols"]


@pytest.mark.parametrize(
    "opening", ["{", "\\sqrt{", "\\frac{1}{", "x^{", "\\sqrt", "^", "\\begin{cases}", "x^("]
)
def test_deep_nesting_stays_as_written(opening: str) -> None:
    deep = "\\pi" + opening * 10_000
    assert readable_tex(deep) == deep
    deep = deep[:MOST_CHARS]
    assert readable_tex(deep) == deep


def test_nesting_is_read_to_a_depth_and_no_further() -> None:
    def nested(levels: int) -> str:
        return "\\sqrt{" * levels + "x" + "}" * levels

    inner = MOST_LEVELS - 3
    assert readable_tex(nested(MOST_LEVELS - 1)) == "√(" * inner + "√√x" + ")" * inner
    assert readable_tex(nested(MOST_LEVELS)) == nested(MOST_LEVELS)


def test_longer_than_a_formula_stays_as_written() -> None:
    line = "\\pi " * 250_000
    assert readable_tex(line) == line
    assert readable_tex(line[:MOST_CHARS]) == ("π " * (MOST_CHARS // 4)).strip()


@pytest.mark.parametrize(
    "text",
    [
        "A shirt costs $5 and trousers $20.",
        "Between $5/$10 a day",
        "It costs 5$.",
        "$ 3 $",
        "It is $5 for each of them, or 6$ in all.",
        "In `$x$` and ``$`y`$`` stands code",
        "```\n$x$",
        "a $b\n\nc$ d",
        r"a \( b",
        r"\boxed{a",
    ],
)
def test_no_formula_is_found_in_prose_money_and_code(text: str) -> None:
    assert not formulas_in(text)


@pytest.mark.parametrize("opening", ["$", r"\(", "$$", "$a", r"\boxed{", "`", "``` `"])
def test_unclosed_delimiters_are_bounded(opening: str) -> None:
    assert len(formulas_in(opening * 100_000)) <= MOST_FORMULAS


def test_formulas_are_bounded_in_number_and_length() -> None:
    assert len(formulas_in("$a$ " * 10_000)) == MOST_FORMULAS
    long = "a" * MOST_FORMULA_CHARS
    assert [each.tex for each in formulas_in(f"${long}$")] == [long]
    assert not formulas_in(f"${long}a$")


def _run(**changes: Any) -> Snapshot:
    run = msgspec.convert(json.loads(RUN.read_bytes()), Snapshot)
    return msgspec.structs.replace(run, **changes)


def test_html_has_the_answer_readable_and_its_tex_as_title() -> None:
    run = _run()
    assert run.end is not None
    candidate = msgspec.structs.replace(run.tally.candidates[0], shown=r"\frac{1}{2}")
    html = run_html(
        _run(
            end=msgspec.structs.replace(run.end, answer=r"\frac{1}{2}"),
            tally=msgspec.structs.replace(run.tally, candidates=(candidate,)),
        )
    )
    assert html.count('<code title="\\frac{1}{2}">1/2</code>') == 2


def test_html_has_the_problem_readable() -> None:
    run = _run()
    problem = msgspec.structs.replace(run.head.problem, text=r"For $5: is $\pi < 4$?")
    html = run_html(_run(head=msgspec.structs.replace(run.head, problem=problem)))
    assert r'For $5: is <code title="$\pi &lt; 4$">π &lt; 4</code>?' in html


def test_hostile_formulas_are_text_in_html() -> None:
    attack = "$\\frac{<script>}{\"'><img>}\u202e$"
    page = Page(maths(attack, 4_000)[0] + answer(attack, 1_000))
    assert set(page.tags) == {"code"}
    assert page.titles == [attack.replace("\u202e", "<U+202E>")] * 2
    assert "\u202e" not in page.text


def test_problem_is_cut_with_its_formulas() -> None:
    html, is_cut = maths("$x^2$ " * 100, 30)
    assert is_cut
    assert Page(html).text == "x² " * 5 + "…"
    assert Page(maths("\x1b" * 100, 30)[0]).text == "<U+001B>" * 3 + "<U+00…"
    assert maths("$x^2$", 30) == ('<code title="$x^2$">x²</code>', False)


def test_html_stays_within_its_bytes() -> None:
    run = _run()
    worst = "$\\pi\x1b$" * 2_500
    problem = msgspec.structs.replace(run.head.problem, text=worst)
    html = run_html(_run(head=msgspec.structs.replace(run.head, problem=problem)))
    assert len(html.encode()) <= HTML_BYTES
    assert re.search(r"characters in all", html)
