"""Reading the answer of a reply, and knowing while it streams that the answer stands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import (
    AnswerWatch,
    answer_is_complete,
    extract_answer,
    extract_code,
    strip_reasoning,
)


def raw(text: str, dialect: str = "fenced", kind: str | None = None) -> str | None:
    answer = extract_answer(text, dialect=dialect, kind=kind)
    return answer.raw if answer else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\boxed{3}$ and $\boxed{5}$.", "3, 5"),
        (r"\boxed{1}, \boxed{2}, and \boxed{3}", "1, 2, 3"),
        (r"$\boxed{4}$ and so again $\boxed{4}$", "4"),
        (r"\boxed{6} and \boxed{6}", "6"),
        (r"\boxed{1} is wrong, \boxed{2} is right", "2"),
        (r"\boxed{5} then \boxed{ }", "5"),
        (r"\boxed{5} then \boxed{\text{}}", "5"),
        (r"\boxed{5} then \boxed{\frac{1}{", "5"),
        (r"write \boxed{\text{your answer}}. Hmm.", None),
        (r"write `\boxed{0}`; I get \boxed{7}; as in `\boxed{0}`", "7"),
        ("only `\\boxed{7}` here", "7"),
        ("```python\n# \\boxed{1}\n", None),
        ("```latex\n\\boxed{4}\n```", "4"),
        ("\x08oxed{4}", "4"),
        ("```python\nprint(1)\n```\n\n```\n1\n```\n\\boxed{1}", None),
        ("```python\nprint(1)\n```\nSo the sketch is\n```\na b\n```\n\\boxed{1}", "1"),
        ("[THINK]\\boxed{3}[/THINK]\\boxed{4}", "4"),
        ("\\boxed{3}</think>nothing", None),
        ("<answer>31</answer>", "31"),
    ],
)
def test_the_box_that_counts(text: str, expected: str | None) -> None:
    assert raw(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is 12.", "12"),
        ("**Answer:** 42", "42"),
        ("Answer: 3, 5, and 7.", "3, 5, and 7"),
        ("The answer is (2, 3).", "(2, 3)"),
        ("The answer is 3.14.", "3.14"),
        ("The answer is x = 3 or x = 5.", "x = 3 or x = 5"),
        ("The answer is $3$ and $5$.", "$3$ and $5$"),
        ("The answer is \\(\\frac{1}{2}\\).", "\\frac{1}{2}"),
        ("Answer: $9,400", "$9,400"),
        ("The answer is therefore 17 because 3+4=7", "17"),
        ("The answer to the problem is 5", "5"),
        ("The answer is option C.", "C"),
        ("### Answer\n\n17", "17"),
        ("**Final Answer**\n\n$7$", "7"),
        ("Answer: No solution", "No solution"),
        ("La respuesta es 5.", "5"),
        ("The answer is 12.\nSo it is.", "12"),
        # None of these says what the answer is.
        ("the answer is found by adding 3 and 5.", None),
        ("If the answer is 10, then no.", None),
        ("The answer is not 12.", None),
        ("Could the answer be 12?", None),
        ("the answer should be 12?", None),
        ("Answer choices: (A) 3", None),
        ("We get 3 + 4 = 7.", None),
        ("#### 3. Compute", None),
        ("", None),
    ],
)
def test_the_line_that_counts(text: str, expected: str | None) -> None:
    assert raw(text) == expected


def test_hashes_are_an_answer_only_where_worked_examples_teach_them() -> None:
    assert raw("15 + 27 = 42\n#### 42", dialect="fewshot") == "42"
    assert raw("15 + 27 = 42\n#### 42") is None


def test_kind_text_admits_a_phrase() -> None:
    text = "Answer: the lines never meet in the plane at all"
    assert raw(text) is None
    assert raw(text, kind="text") == "lines never meet in the plane at all"


def test_offsets_are_those_of_the_raw_text() -> None:
    for text in ("<think>5</think> so $\\boxed{ 12 }$.", "Hm.\nThe answer is 12, good."):
        answer = extract_answer(text)
        assert answer is not None
        assert text[answer.start : answer.end] == answer.raw == "12"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>a</think>b", ("<think>a</think>", "b")),
        ("a</think>b", ("a</think>", "b")),
        ("b", ("", "b")),
        ("<think>never ended", ("<think>never ended", "")),
        ("b <think>c", ("<think>c", "b ")),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|><|return|>",
                "b",
            ),
        ),
    ],
)
def test_reasoning_is_told_from_the_reply(text: str, expected: tuple[str, str]) -> None:
    assert strip_reasoning(text) == expected


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("So\nThe answer is 15.\n\nProblem: next", "So\nThe answer is 15."),
        ("\\boxed{4}, done.\nProblem", "\\boxed{4}, done."),
        ("#### 42\n#### 43\n", "#### 42"),
        ("Final Answer:\n\n7\nmore", "Final Answer:\n\n7"),
        ("\\boxed{\n4\n}\nmore", "\\boxed{\n4\n}"),
        ("The answer is 15.", None),
        ("\\boxed{4}", None),
        ("Put it in \\boxed{}.\nSo", None),
        ("```python\nprint('The answer is 5')\n```\n", None),
        ("We have 3.\nThen 4.\n", None),
    ],
)
def test_completion_is_cut_after_the_line_of_its_answer(text: str, cut: str | None) -> None:
    offset = answer_is_complete(text)
    assert (None if offset is None else text[:offset]) == cut
    watch = AnswerWatch()
    assert [watch.feed(sign) for sign in text][-1] == offset


@given(st.text())
def test_no_text_makes_reading_fail(text: str) -> None:
    for dialect in ("fenced", "fewshot", "reasoning", "tools"):
        answer = extract_answer(text, dialect=dialect)
        assert answer is None or answer.raw.strip()
        extract_code(text, dialect=dialect)
    answer_is_complete(text)


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{" + "{" * 5_000 + "7" + "}" * 5_000 + "}",
        "\\" * 1_000_000,
        "{" * 1_000_000,
        "\\boxed{" * 140_000,
        "the answer is " * 35_000,
        "answer to " * 50_000,
        "$ " * 500_000,
        " " * 1_000_000 + "\\boxed{5}" + " " * 1_000_000,
        "<think>" * 140_000,
        "<|channel|>" * 90_000,
        "`x` " * 250_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_megabyte_of_nonsense_is_read_in_linear_time(text: str) -> None:
    start = time.perf_counter()
    extract_answer(text)
    answer_is_complete(text)
    assert time.perf_counter() - start < 20
