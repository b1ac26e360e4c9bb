"""Problems: read as written, divided only where a person meant it, refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies

from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.problem import MAX_CLAIM_CHARS, Problem, read_problem_file, read_problems


def texts(source: str | bytes) -> list[str]:
    data = source.encode() if isinstance(source, str) else source
    return [problem.text for problem in read_problems(data, "f.md")]


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t \r\n", "\u3000\xa0", "\u200b\u202e\ufeff", "\x00\x1b", "\u2028"],
)
def test_text_without_a_visible_character_is_empty(text: str) -> None:
    with pytest.raises(UsageError, match=r"^The problem is empty: write its text\.$"):
        Problem(text=text)
    with pytest.raises(UsageError, match=r"^The answer to check is empty: write its text\.$"):
        Problem(text="1+1?", claim=text)
    with pytest.raises(UsageError, match=r"^f\.md holds no problem: write its text\.$"):
        texts(text)


def test_100_000_characters_are_read_and_one_more_is_refused() -> None:
    assert len(Problem(text="é" * 100_000).text) == 100_000
    with pytest.raises(UsageError, match=r"^The problem has 100,001 characters, and at most 100,"):
        Problem(text="é" * 100_001)
    # What surrounds a problem in a file is not part of it.
    assert texts("\n" + "x" * 100_000 + "\n") == ["x" * 100_000]


def test_claim_has_a_limit_of_its_own() -> None:
    assert Problem(text="x", claim="1" * MAX_CLAIM_CHARS).claim == "1" * MAX_CLAIM_CHARS
    with pytest.raises(UsageError, match=r"^The answer to check has 10,001 characters"):
        Problem(text="x", claim="1" * (MAX_CLAIM_CHARS + 1))


@pytest.mark.parametrize("code_point", [0xD800, 0xDC80, 0xDFFF])
def test_lone_surrogate_is_refused_with_its_place(code_point: int) -> None:
    lone = chr(code_point)
    with pytest.raises(
        UsageError, match=r"^The problem is not valid text at character 4: save it as UTF-8\.$"
    ):
        Problem(text="abc" + lone)
    with pytest.raises(UsageError, match=r"^The problem is not valid text at character 1"):
        Problem(text=lone)


@pytest.mark.parametrize(
    ("source", "byte"),
    [
        (b"abc\xff", 4),
        (b"\xef\xbb\xbfabc\xff", 7),  # counted in the file, its mark included
        ("é".encode() + b"\xed\xa0\x80", 3),  # a surrogate, encoded
        (b"1+1\xe2\x82", 4),  # cut within a character
        ("1+1".encode("utf-16"), 1),
    ],
)
def test_bytes_that_are_not_utf_8_are_refused_with_their_place(source: bytes, byte: int) -> None:
    with pytest.raises(UsageError) as caught:
        texts(source)
    assert str(caught.value) == f"f.md is not UTF-8 text (byte {byte}): save it as UTF-8."


def test_byte_order_mark_is_not_part_of_the_problem() -> None:
    assert texts("\ufeffWhat is 1+1?") == ["What is 1+1?"]


def test_windows_line_ends_become_line_ends() -> None:
    assert texts("Let x = 1.\r\nWhat is x?\r\n\r\n---\r\n\r\nAnd 2+2?\r\n") == [
        "Let x = 1.\nWhat is x?",
        "And 2+2?",
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a\n\n---\n\nb", ["a", "b"]),
        ("a\n \t\n---  \n\t\nb\n", ["a", "b"]),
        ("a\n\n---\n\n---\n\nb", ["a", "b"]),
        ("---\n\na", ["a"]),
        ("a\n\n---\n", ["a"]),
        ("a\n\n---", ["a"]),
        ("a\n\n---\n  ", ["a"]),
        ("a\n\n---\n\n \n\n---\n\nb", ["a", "b"]),
        # No division: a table's rule, a heading's underline, front matter, a longer rule.
        ("x | y\n---\n1 | 2", ["x | y\n---\n1 | 2"]),
        ("a\n\n---\nb", ["a\n\n---\nb"]),
        ("a\n---\n\nb", ["a\n---\n\nb"]),
        ("a\n\n----\n\nb", ["a\n\n----\n\nb"]),
        ("a\n\n - ---\n\nb", ["a\n\n - ---\n\nb"]),
        ("---\ntitle: x\n---\na", ["---\ntitle: x\n---\na"]),
        ("a\n\nx---\n\nb", ["a\n\nx---\n\nb"]),
    ],
)
def test_only_a_rule_between_empty_lines_divides(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<!-- easy -->\nWhat is 1+1?", ["What is 1+1?"]),
        ("\n <!-- one\nof two lines --> a", ["a"]),
        ("<!-- 1 -->\na\n\n---\n\n<!-- 2 -->\nb", ["a", "b"]),
        ("\ufeff<!-- x -->a", ["a"]),
        ("a <!-- kept -->", ["a <!-- kept -->"]),
        ("<!-- never closed", ["<!-- never closed"]),
        ("<!-- only this -->\n\n---\n\nb", ["b"]),
    ],
)
def test_only_a_leading_comment_is_left_out(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


LITERAL = [
    r"Let $f(x) = \frac{x}{{2}}$, {not} {{a}} {format} %s %d %(name)s $HOME ${x} `ls` \n",
    "a\x00b\x07c\x1b[31md\x7f\x9b",
    "\x0cpage\x1c",
    "כמה הם \u202bאחת\u202c ועוד אחת?",
    "كم ٢ + ٢؟",
    "a\u200db\u00a0c",
    "[bold]x[/] <b>&amp;</b>",
]


@pytest.mark.parametrize("text", LITERAL)
def test_text_is_taken_literally(text: str) -> None:
    problem = Problem(text=text, claim=text)
    assert (problem.text, problem.claim) == (text, text)
    assert texts(text + "\n") == [text]


@given(strategies.text(strategies.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_valid_text_comes_out_as_it_went_in(middle: str) -> None:
    text = f"«{middle}»"
    assert Problem(text=text).text == text
    if "---" not in text and "\r\n" not in text:
        assert texts(f"\n {text} \n") == [text]


def test_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "missing.md"
    with pytest.raises(UsageError) as caught:
        read_problem_file(missing)
    assert str(caught.value) == (
        f"{missing} cannot be read (No such file or directory): name a file with a problem."
    )
    with pytest.raises(UsageError, match="Is a directory"):
        read_problem_file(tmp_path)


def test_file_is_read_as_bytes(tmp_path: Path) -> None:
    file = tmp_path / "p.md"
    file.write_bytes("\ufeff1+1?\r\n".encode())
    assert read_problem_file(file) == [Problem(text="1+1?")]
