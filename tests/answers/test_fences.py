"""The scanner of fenced code: early, exact, linear, and the same for any split of the stream."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import Closed, FenceScanner, Opened, extract_code

PIECES = st.lists(
    st.sampled_from(
        [
            "```",
            "```python",
            "~~~",
            "`",
            "\n",
            "'''",
            '"""',
            "'",
            "#",
            "x = 1",
            "print(x)",
            "  ",
            "\\",
            "output",
            "````",
            "<code>",
            "</code>",
            "> ",
            ">>> ",
            "<python>",
            "<think>",
            "</think>",
            "py",
            " text ",
            "\r\n",
        ],
    ),
    max_size=40,
).map("".join)


def events_of(pieces: list[str]) -> list[Opened | Closed]:
    scanner = FenceScanner()
    events = [event for piece in pieces for event in scanner.feed(piece)]
    return events + scanner.finish()


@given(PIECES, st.data())
def test_any_split_gives_the_same_events(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert events_of(pieces) == events_of([text]) == events_of(list(text))


@given(PIECES)
def test_offsets_stand_where_the_fences_do(text: str) -> None:
    for event in events_of([text]):
        if isinstance(event, Closed):
            block = event.block
            assert text.startswith(("```", "~~~", "<code>", "<python>"), block.start)
            assert block.start < block.end <= len(text)


def test_block_closes_with_the_last_backtick_before_any_line_end() -> None:
    scanner = FenceScanner()
    assert scanner.feed("ab\n```python\nprint(1)\n``") == [Opened(language="python", start=3)]
    (event,) = scanner.feed("`")
    assert isinstance(event, Closed)
    assert (event.block.code, event.block.end, event.block.runs) == ("print(1)", 25, True)
    assert scanner.open_block is None


@pytest.mark.parametrize(
    "info",
    [
        "python",
        "py",
        "Python",
        "PYTHON",
        "python3",
        "py3",
        "python3.11",
        "ipython",
        "ipython3",
        " python",
        'python title="a b.py"',
        "{.python}",
        "{python}",
        "{.python .numberLines}",
        "python {cmd=true}",
        "python:main.py",
        "python run this",
        "{code-cell} ipython3",
        "tool_code",
        "python_code",
        "python repl",
    ],
)
def test_every_spelling_of_python_is_run(info: str) -> None:
    (block,) = extract_code(f"```{info}\nprint(1)\n```\n")
    assert (block.code, block.language) == ("print(1)", "python")


@pytest.mark.parametrize(
    "info", ["output", "text", "json", "bash", "latex", "pycon", "cpp", "python output"]
)
def test_other_languages_are_not_run(info: str) -> None:
    assert extract_code(f"```{info}\nprint(1)\n```\n") == []


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("import math\nmath.pi", True),
        ("for i in range(3):\n    x = i", True),
        ("print(5)", True),
        ("5050", False),
        ("x = 5", False),
        ("we print (5) of them", False),
    ],
)
def test_block_without_language_runs_only_if_it_is_a_program(body: str, *, runs: bool) -> None:
    assert bool(extract_code(f"```\n{body}\n```\n")) is runs


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("```python\nprint(1)\n```output\n1\n```\n", ["print(1)"]),
        ("```python\nprint(1)\n```python\nprint(2)\n```\n", ["print(1)", "print(2)"]),
        ("~~~py\nprint(1)\n~~~\n", ["print(1)"]),
        ("````python\ns = 1\n```\n````\n", ["s = 1\n```"]),
        ("Let me see: ```python\nprint(1)\n```", ["print(1)"]),
        ("- ```python\n  print(1)\n  ```", ["print(1)"]),
        ("```python\r\nx = 1\r\nprint(x)\r\n```\r\n", ["x = 1\nprint(x)"]),
        ("```python\ns = 'a```'\nprint(s)\n```", ["s = 'a```'\nprint(s)"]),
        ("```python\nx = 1  # see ```text```\n```", ["x = 1  # see ```text```"]),
        ("```python\nprint(5)  # five```\nSo", ["print(5)  # five"]),
        ("```python\nprint('it's')\n```\nSo", ["print('it's')"]),
        ('```python\nr"""\\"""\n```\n"""\n```', ['r"""\\"""\n```\n"""']),
        ("```\nstray\n```python\nprint(1)\n```", ["print(1)"]),
        ("```text\n1\n```python\nprint(1)\n```", ["print(1)"]),
        ("```markdown\n```python\nprint(1)\n```\n```\n", []),
        ("<think>\n```python\nprint(1)\n```\n</think>\n```python\nprint(2)\n```", ["print(2)"]),
        ("<code>\nprint(1)</code>", ["print(1)"]),
        ("use <code>print(1)</code> here", []),
        ("<code>print(1)</code>", ["print(1)"]),
        ("<code>n + 1</code>", []),
        ("<code>x = 1\nprint(x)</code>", ["x = 1\nprint(x)"]),
        ('<code language="python">\nprint(1)\n</code>', ["print(1)"]),
        ("<execute>\nprint(1)\n</execute>", ["print(1)"]),
        ("<code>\nprint(1)\n```\n\n</code>", ["print(1)"]),
        ("```html\n<code>\nprint(1)\n</code>\n```\n", []),
        (
            "Do:\n> ```py\n> if x:\n>     print(1)\n>\n> print(2)\n> ```\n> So",
            ["if x:\n    print(1)\n\nprint(2)"],
        ),
        ("```python\n>>> x = 5\n>>> print(x)\n5\n```", ["x = 5\nprint(x)"]),
        ("```python\n>>> if x:\n...     y\n...\n0\n>>> z\n```", ["if x:\n    y\n\nz"]),
        ("```python\ns = '''\n>>> x\n'''\n```", ["s = '''\n>>> x\n'''"]),
        ("`<think>` is a tag\n```python\nprint(1)\n```", ["print(1)"]),
        ("```python\nprint(1)\n```<end_code>\n", ["print(1)"]),
        ("```python\nprint(1)\n````\n", ["print(1)"]),
        ("````python\nprint(1)\n```\n", []),
        ("\t~~~ python\n\tprint(1)\n\t~~~", ["print(1)"]),
        ("```python print(5)```", []),
        (
            "    ```python\n    if x:\n        y = '''\n  a'''\n    ```",
            ["if x:\n    y = '''\na'''"],
        ),
    ],
)
def test_blocks_as_models_write_them(text: str, codes: list[str]) -> None:
    assert [block.code for block in extract_code(text)] == codes


CALL = '{"name": "python", "arguments": {"code": "print(1)"}}'


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"<tool_call>{CALL}</tool_call>", ["print(1)"]),
        (f"<tool_call>\n[{CALL}]\n</tool_call>", ["print(1)"]),
        (f"<tool_call>\n{CALL}\n{CALL}\n</tool_call>", ["print(1)", "print(1)"]),
        (f"<function_call>{CALL}</function_call>", ["print(1)"]),
        (f"[TOOL_CALLS][{CALL}]", ["print(1)"]),
        ('[TOOL_CALLS]python[ARGS]{"code": "print(1)"}', ["print(1)"]),
        ("<|python_tag|>print(1)<|eom_id|>", ["print(1)"]),
        (f"{CALL}<|im_end|>", ["print(1)"]),
        (f'<tool_call>{{"type": "function", "function": {CALL}}}</tool_call>', ["print(1)"]),
        (f"<tool_call>{CALL.replace('arguments', 'parameters')}</tool_call>", ["print(1)"]),
        ('<tool_call>{"name": "python", "arguments": "print(1)"}</tool_call>', ["print(1)"]),
        (
            '<tool_call>{"name": "python", "arguments": {"code": "a = 1\nprint(a)"}}</tool_call>',
            ["a = 1\nprint(a)"],
        ),
        (
            '<tool_call>{"name": "python", "arguments": {"code": "\'</tool_call>\'"}}</tool_call>',
            ["'</tool_call>'"],
        ),
        (
            "<tool_call>{'name': 'python', 'arguments': {'code': 'print(1)'}}</tool_call>",
            ["print(1)"],
        ),
        (
            "<tool_call>\n<function=python>\n<parameter=code>\nprint(1)\n</parameter>\n</tool_call>",
            ["print(1)"],
        ),
        (
            '<|channel|>commentary to=functions.python<|message|>{"code": "print(1)"}<|call|>',
            ["print(1)"],
        ),
        ("<|channel|>analysis to=python code<|message|>print(1)<|call|>", ["print(1)"]),
        # No call, or none of Python, or not complete.
        ("<|channel|>analysis to=python code<|message|>print(1", []),
        (f"<tool_call>{CALL}", []),
        (f"<tool_call>{CALL[:-1]}</tool_call>", []),
        (f"`<tool_call>{CALL}</tool_call>` is how", []),
        (f"```\n<tool_call>{CALL}</tool_call>\n```", []),
        (f"<think><tool_call>{CALL}</tool_call></think>", []),
        ('<tool_call>{"name": "bash", "arguments": {"code": "ls"}}</tool_call>', []),
        ('<tool_call>{"name": "search", "arguments": {"query": "5"}}</tool_call>', []),
        ('<tool_call>{"name": "python", "arguments": {"code": " "}}</tool_call>', []),
    ],
)
def test_tool_calls_that_came_as_text(text: str, codes: list[str]) -> None:
    assert [block.code for block in extract_code(text, dialect="tools")] == codes


def test_fence_after_a_string_that_never_ended_closes_the_block() -> None:
    text = "```python\nx = '''oops\n```\nNext:\n```python\nprint(2)\n```\n"
    assert [block.code for block in extract_code(text)] == ["x = '''oops", "print(2)"]
    assert [block.code for block in extract_code("```python\nx = '''oops\n```\n")] == [
        "x = '''oops"
    ]


def test_block_cut_inside_a_string_is_not_run() -> None:
    assert extract_code("```python\nx = '''\n```\nraw") == []


@pytest.mark.parametrize(
    "text",
    [
        "```python\n" + "x = '''\n```\n'''\n" * 25_000,
        "```python\n" + " " * 1_000_000,
        "```\n" * 40_000,
        "<code>\n" + "```\n\n" * 40_000,
        "<code>x" * 20_000,
        "> ```py\n" * 20_000,
    ],
    ids=["strings", "spaces", "fences", "tags", "one line", "quotations"],
)
def test_a_megabyte_fed_in_small_pieces_takes_linear_time(text: str) -> None:
    def seconds(piece_of_text: str) -> float:
        scanner, start = FenceScanner(), time.thread_time()
        for at in range(0, len(piece_of_text), 7):
            scanner.feed(piece_of_text[at : at + 7])
        scanner.finish()
        return time.thread_time() - start

    tenth, whole = seconds(text[: len(text) // 10]), seconds(text)
    assert whole < 60 * tenth + 1, "ten times the text must not take a hundred times as long"
