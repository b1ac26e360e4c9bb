"""The option line: what it takes, and what it says of mistakes."""

from __future__ import annotations

import pytest
from traitlets import TraitError

from jupyterlab_tir.config import SESSION_SOURCE, resolve, settings
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir_kernel.cell import read_request
from jupyterlab_tir_kernel.options import parse_cell_options, parse_settings, split_line
from jupyterlab_tir_kernel.session import TIR
from jupyterlab_tir_kernel.usage import help_text


def test_every_setting_is_an_option_and_in_the_help() -> None:
    words = help_text()
    for setting in settings():
        flag = "--" + setting.name.replace("_", "-")
        given = flag if setting.allowed == "true or false" else f"{flag} 1"
        assert list(parse_cell_options(given).settings) == [setting.name]
        assert flag in words


@pytest.mark.parametrize(
    ("line", "check"),
    [
        (r"--check \frac{1}{2}", r"\frac{1}{2}"),
        ("--check {x} --samples 2", "{x}"),
        ("--check '$2 \\pi$ or {so}'", "$2 \\pi$ or {so}"),
        ('--check "f\'(x)"', "f'(x)"),
        ("--check=2870", "2870"),
        ("--check -5", "-5"),
        ("--check ''", ""),
        ("--check a#b", "a#b"),
        ("--check=--samples", "--samples"),
    ],
)
def test_a_value_is_taken_literally(line: str, check: str) -> None:
    assert parse_cell_options(line).check == check


def test_background_is_a_switch_of_a_cell_and_of_nothing_else() -> None:
    assert parse_cell_options("--background --samples 2").background
    assert parse_cell_options("--background --samples 2").settings == {"samples": "2"}
    assert not parse_cell_options("--samples 2").background
    with pytest.raises(UsageError, match="--background is not an option"):
        parse_settings(["--background"], "%tir config")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--sampels 3", "did you mean --samples?"),
        ("--max_turns 3", "did you mean --max-turns?"),
        ("--samples", "--samples needs a value"),
        ("--check --samples 3", "--check needs a value"),
        ("--verify=1", "--verify takes no value"),
        ("What is 2?", "'What' is not an option: write the problem in the lines below."),
        ("-f problem.md", "here the cell is the problem"),
        ("--check 'x", "a quote without its partner"),
        ("--out 2x", "--out 2x is not a variable's name"),
        ("--out class", "--out class is not a variable's name"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(line: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_cell_options(line)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_level_with_a_plus_and_a_switch_that_forbids_are_read() -> None:
    request = read_request("--sandbox full+ns --no-write", "x", {"sandbox": "none"})
    assert request is not None
    config = request.resolved.config
    assert (config.sandbox, config.write) == ("full+ns", False)


def test_options_go_before_the_session_and_that_before_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TIR_SAMPLES", "3")
    monkeypatch.setenv("TIR_PARALLEL", "3")
    request = read_request("--tau 0.9", "x", {"samples": 5, "tau": 0.6})
    assert request is not None
    config, sources = request.resolved.config, request.resolved.sources
    assert (config.samples, config.parallel, config.tau) == (5, 3, 0.9)
    assert sources["samples"] == SESSION_SOURCE
    assert sources["parallel"] == "environment TIR_PARALLEL"
    assert sources["tau"] == "option"


def test_a_session_value_is_checked_when_it_is_set() -> None:
    session = TIR()
    session.set_trait("samples", "16")
    assert session.trait_values()["samples"] == 16
    with pytest.raises(TraitError, match="samples is 0, but must be a whole number from 1"):
        session.set_trait("samples", 0)
    session.set_trait("sandbox", "full+ns")
    assert session.trait_values()["sandbox"] == "full+ns"
    session.set_trait("samples", None)
    assert resolve(session={"samples": None}).sources["samples"] == "default"


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        ("", " \n\n", "The cell is empty: write the problem in the lines below %%tir."),
        (" --samples 3", "", "The cell holds only options: write the problem in the lines below"),
    ],
)
def test_a_cell_without_a_problem_is_refused(line: str, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_request(line, text, {})
    assert words in str(caught.value)


def test_the_problem_is_the_text_without_blank_lines_around_it() -> None:
    request = read_request("--check 4", "\n  What is {2} + $2$?\n\n%%tir\n\n", {})
    assert request is not None
    assert request.problem.text == "  What is {2} + $2$?\n\n%%tir"
    assert request.problem.claim == "4"


def test_words_are_split_at_blanks_only() -> None:
    assert split_line(" a\\ b  'c d'\te=f ") == ["a\\", "b", "c d", "e=f"]
