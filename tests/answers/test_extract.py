# ruff: noqa: RUF001 - full-width signs are what models write
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
        ("<answer>The answer is 12.</answer>", "12"),
        ("<final_answer>\n$x$\n</final_answer>", "$x$"),
        # Without braces.
        (r"so $\boxed 42$.", "42"),
        (r"so $\boxed5$.", "5"),
        (r"so $\boxed{1}$, no, $\boxed -3.5$.", "-3.5"),
        (r"$\boxed\frac{1}{2}$", r"\frac{1}{2}"),
        (r"$\boxed C$", "C"),
        (r"use \boxed A then \boxed{3}", "3"),
        (r"$\boxed{3}$, in \boxed as told", "3"),
        # One list.
        (r"$x_1 = \boxed{3}$ and $x_2 = \boxed{4}$.", "3, 4"),
        (r"\[\boxed{3} \quad \boxed{4}\]", "3, 4"),
        ("$$\n\\boxed{x=3}\\\\\n\\boxed{x=4}\n$$", "x=3, x=4"),
        (r"\begin{align} x &= \boxed{3} \\ y &= \boxed{4} \end{align}", "3, 4"),
        ("- $\\boxed{3}$\n- $\\boxed{5}$", "3, 5"),
        ("$\\boxed{3}$,\n$\\boxed{5}$", "3, 5"),
        (r"$\boxed{2}$ und $\boxed{3}$", "2, 3"),
        (r"$\boxed{2}$或$\boxed{3}$", "2, 3"),
        (r"\boxed{\boxed{3}, \boxed{4}}", "3, 4"),
        # No list: words, a sum, or a display of its own.
        (r"First \boxed{3}. Second \boxed{4}.", "4"),
        (r"$\boxed{3}$, so finally $\boxed{4}$", "4"),
        (r"$\boxed{2}+\boxed{3}$", "3"),
        ("$\\boxed{3}$\n\n$\\boxed{4}$", "4"),
        # Nothing in it.
        (r"\boxed{\quad}", None),
        (r"\boxed{\hspace{1cm}}", None),
        (r"\boxed{\underline{\phantom{00}}}", None),
        (r"\boxed{[answer]}", None),
        (r"\boxed{<your final answer here>}", None),
        (r"\boxed{final\_answer}", None),
        (r"\boxed{答案}", None),
        (r"\boxed{\text{None}}", r"\text{None}"),
        (r"\boxed{\{}, then \boxed{4}", "4"),
        (r"\boxed{12\}", None),
        (r"{\boxed{12}", "12"),
        # Where it stands.
        ("| n | value |\n|---|---|\n| 3 | $\\boxed{9}$ |", "9"),
        ("> **$\\boxed{9}$**", "9"),
        ("Write ``\\boxed{1}``. So \\boxed{9}, as in ``\\boxed{2}``.", "9"),
        ('```json\n{"answer": "\\boxed{9}"}\n```', None),
        ("```output\n3\n```\n\\boxed{3}", "3"),
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
        ("Answer:\n\\[\n12\n\\]", "12"),
        ("The answer is:\n\n- 12", "12"),
        ("Answer\n======\n12", "12"),
        ("Ans: 12", "12"),
        ("FINAL_ANSWER: 12", "12"),
        ("The correct option is B.", "B"),
        ("The answer is A, B and D.", "A, B and D"),
        ("The answer would be 12.", "12"),
        ("The answer, then, is 12.", "12"),
        ("This gives an answer of $12$.", "12"),
        ("The answer is \\(12\\), and \\(13\\) is the next one.", "12"),
        ("The answer is 2<|eot_id|>", "2"),
        ("The answer is 12. Then: answer: [your answer]", "12"),
        ("故选：C", "C"),
        ("**Réponse finale :** 12", "12"),
        ("Die Lösung lautet 12.", "12"),
        ("Ответ — 12.", "12"),
        ("答えは $12$ です。", "12"),
        ("정답은 12입니다.", "12"),
        ("Đáp án: 12", "12"),
        ("الإجابة: 12", "12"),
        # None of these says what the answer is.
        ("The answer is a multiple of 12.", None),
        ("The answer is greater than 12", None),
        ("The answer must be less than 12.", None),
        ("Answer:\nLet x = 5", None),
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


@pytest.mark.parametrize(
    "shown",
    [
        "```output\n3\n```",
        "```text output\n3\n```",
        "```execution result\n3\n```",
        "~~~stdout\n3\n~~~",
        "The output of the code is:\n```\n3\n```",
        "Running this code gives:\n```\n3\n```",
        "<output>\n3\n</output>",
        "<tool_response>3</tool_response>",
    ],
)
def test_nothing_counts_after_a_result_that_nothing_computed(shown: str) -> None:
    text = f"```python\nprint(1 + 2)\n```\n{shown}\n\\boxed{{3}}\n```python\nprint(4)\n```\n"
    assert raw(text) is None
    assert [block.code for block in extract_code(text)] == ["print(1 + 2)"]
    assert raw(text.replace("print(1 + 2)", "1 + 2").replace("python", "bash", 1)) == "3"


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
        ("[THINK]a[/THINK]b", ("[THINK]a[/THINK]", "b")),
        ("<|channel>thought\na<channel|>b", ("<|channel>thought\na<channel|>", "b")),
        ("<|START_THINKING|>a<|END_THINKING|>b", ("<|START_THINKING|>a<|END_THINKING|>", "b")),
        ("<scratchpad>a</scratchpad>b", ("<scratchpad>a</scratchpad>", "b")),
        ("analysisWe try.assistantfinalb", ("analysisWe try.assistantfinal", "b")),
        ("analysis of b", ("", "analysis of b")),
        ("the tag `<think>` is named", ("", "the tag `<think>` is named")),
        ("```py\ns = '<think>'\n```\nb", ("", "```py\ns = '<think>'\n```\nb")),
        ("a</think>```py\ns = '</think>'\n```", ("a</think>", "```py\ns = '</think>'\n```")),
        ("```py\nfor a in\n</think>b", ("```py\nfor a in\n</think>", "b")),
        ("```py\nprint('''\n</think>\nb", ("```py\nprint('''\n</think>", "\nb")),
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
        ("\\boxed{4}, and\n\n\\boxed{5}.\nmore", "\\boxed{4}, and\n\n\\boxed{5}."),
        ("\\boxed{4},\nas was to be shown.\n", "\\boxed{4},"),
        ("Answer:\n\\[\n12\n\\]\nmore", "Answer:\n\\[\n12\n\\]"),
        ("Answer: [your answer]\nAnswer: 5\nmore", "Answer: [your answer]\nAnswer: 5"),
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


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "\\boxed{",
                "\\boxed",
                "}",
                "{",
                "5",
                "7",
                ", ",
                " and ",
                "\n",
                "\n\n",
                "$",
                "$$",
                "\\[",
            ),
            *("\\]", "The answer is ", "Answer:", "**", ".", "#### ", "```python\n", "```", "- "),
            *("<think>", "</think>", "<answer>", "</answer>", "`", "\\quad ", "答案：", "(", ")"),
        ]
    ),
    max_size=30,
).map("".join)


@given(PIECES, st.data())
def test_watching_any_split_gives_the_same_cut(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    watch, at = AnswerWatch(), None
    for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True):
        at = watch.feed(text[a:b])
    assert at == answer_is_complete(text)


@given(PIECES)
def test_the_answer_is_where_it_says(text: str) -> None:
    answer = extract_answer(text, dialect="fewshot")
    if answer is not None:
        assert answer.raw == answer.raw.strip() != ""
        assert text[answer.start : answer.end].startswith(answer.raw.split(", ")[0])


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
        "\\boxed " * 140_000,
        "\\boxed 1," * 100_000,
        "\\boxed{1}, " * 100_000,
        "\\boxed{\\phantom{" * 60_000,
        "Answer:\n" * 120_000,
        "Answer:\n$$" * 100_000,
        "Answer: $" + "x" * 1_000_000,
        "answer, then, " * 70_000,
        "答案：" * 330_000,
        "#### " * 200_000,
        "```python\n```\n<output>" * 40_000,
        "<answer>" * 120_000,
        "</think>" * 120_000,
        "```py\n</think>'" * 60_000,
        "analysisX" * 110_000,
        "<tool_call>" * 90_000,
        '<tool_call>{"a": ' * 60_000,
        "[TOOL_CALLS][" * 80_000,
        "[" * 1_000_000,
        "`x` \\boxed{1} " * 70_000,
        '{"name": "' + "x" * 1_000_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_megabyte_of_nonsense_is_read_in_linear_time(text: str) -> None:
    start = time.perf_counter()
    extract_answer(text)
    extract_code(text, dialect="tools")
    answer_is_complete(text)
    assert time.perf_counter() - start < 20
