"""What a turn says, thinks and costs, and where it is cut."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.backend.turns import (
    Cut,
    TurnReader,
    first_python_block,
    without_reasoning,
)
from jupyterlab_tir.backend.wire import Delta

CODE = "Let me see.\n```python\nprint(1)\n```"
BOX = "The answer is \\boxed{7}."


def read(
    *pieces: str,
    scans_code: bool = True,
    ends_at_answer: bool = False,
    thinks: bool = False,
    finish: str | None = "stop",
) -> TurnReader:
    reader = TurnReader(scans_code=scans_code, ends_at_answer=ends_at_answer, thinks=thinks)
    for piece in pieces:
        reader.feed(Delta(text=piece, tokens=1))
    if finish is not None:
        reader.feed(Delta(finish=finish))
    reader.end()
    return reader


def split(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(edges)]


PLACES = st.lists(st.integers(min_value=0, max_value=1000), max_size=15)


def test_a_block_that_closes_inside_a_chunk_cuts_there() -> None:
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=False)
    assert reader.feed(Delta(text="Let me see.\n```py")) is None
    assert not reader.code_opened
    assert reader.feed(Delta(text="thon\npri")) is None
    assert reader.code_opened
    assert reader.feed(Delta(text="nt(1)\n```\nIt prints 1. So")) == Cut("code", 34, "print(1)")
    assert reader.text == CODE
    assert len(CODE) == 34


def test_the_cut_comes_before_the_line_of_the_fence_ends() -> None:
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=False)
    reader.feed(Delta(text="```python\nprint(1)\n``"))
    assert reader.feed(Delta(text="`")) == Cut("code", 22, "print(1)")


def test_what_follows_the_cut_is_ignored() -> None:
    reader = read(CODE, "\n```output\n1\n```\n", "```python\nprint(2)\n```\n", BOX)
    assert reader.text == CODE
    assert reader.cut == Cut("code", len(CODE), "print(1)")
    assert reader.tokens == 4  # they were generated all the same


@given(PLACES)
def test_any_split_cuts_at_the_same_place(places: list[int]) -> None:
    reader = read(*split(f"{CODE}\nIt prints 1. {BOX}\n", places))
    assert (reader.cut, reader.text) == (Cut("code", len(CODE), "print(1)"), CODE)


def test_a_block_that_the_end_of_the_reply_closes_is_found_at_the_end() -> None:
    # A fence at the end of a line of code closes only when that line is known to end.
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=False)
    assert reader.feed(Delta(text="```python\nprint(1)```")) is None
    assert reader.end() == Cut("code", 21, "print(1)")


def test_an_open_block_is_not_run() -> None:
    reader = read("```python\nprint(1)\n", finish="length")
    assert reader.cut is None
    assert reader.code_opened
    assert reader.finish == "length"


def test_only_python_is_run() -> None:
    assert read("```output\n1\n```\n```text\nx\n```\n").cut is None
    assert not read("```output\n1\n```\n").code_opened


def test_without_code_nothing_is_cut() -> None:
    reader = read(f"{CODE}\n{BOX}\n", scans_code=False)
    assert (reader.cut, reader.text) == (None, f"{CODE}\n{BOX}\n")


def test_a_completion_ends_with_the_line_of_its_answer() -> None:
    reader = read(f"{BOX}\nProblem: 2+", "2?\n", ends_at_answer=True)
    assert reader.cut == Cut("answer", 24)
    assert reader.text == BOX
    assert len(BOX) == 24


@given(PLACES)
def test_any_split_of_a_completion_cuts_at_the_same_answer(places: list[int]) -> None:
    reader = read(*split(f"So 7.\n{BOX}\n\nProblem: 2+2?\n", places), ends_at_answer=True)
    assert reader.text == f"So 7.\n{BOX}"


def test_code_before_the_answer_of_a_completion_is_run_first() -> None:
    reader = read(f"{CODE}\n{BOX}\n", ends_at_answer=True)
    assert reader.cut == Cut("code", len(CODE), "print(1)")


def test_in_chat_an_answer_line_does_not_end_the_turn() -> None:
    assert read(f"{BOX}\nBut wait.\n").cut is None


THOUGHTS = "Hm.\n```python\nprint(2)\n```\nso \\boxed{5}, I think."


@given(PLACES)
def test_a_known_thinker_may_lack_the_opening_tag(places: list[int]) -> None:
    reader = read(*split(f"{THOUGHTS}</think>\n{BOX}", places), thinks=True)
    assert (reader.text, reader.cut) == (f"\n{BOX}", None)
    assert reader.reasoning == f"{THOUGHTS}</think>"


@given(PLACES)
def test_code_after_thoughts_is_cut_where_it_stands_in_the_whole_text(places: list[int]) -> None:
    whole = f"{THOUGHTS}</think>\n{CODE}\nIt prints"
    reader = read(*split(whole, places), thinks=True)
    assert reader.cut == Cut("code", whole.index("\nIt prints"), "print(1)")
    assert reader.text == f"\n{CODE}"


@given(PLACES)
def test_thoughts_in_tags_are_not_run_whoever_thinks(places: list[int]) -> None:
    for thinks in (True, False):
        whole = f"<think>\n{THOUGHTS}\n</think>\n{CODE}\nIt prints"
        reader = read(*split(whole, places), thinks=thinks)
        assert reader.cut == Cut("code", whole.index("\nIt prints"), "print(1)")
        assert reader.text == f"\n{CODE}"


@given(PLACES)
def test_an_answer_in_the_thoughts_does_not_end_a_completion(places: list[int]) -> None:
    for thinks in (True, False):
        whole = f"<think>\n{BOX}\nNo.\n</think>\nThe answer is 8.\nProblem: 2"
        reader = read(*split(whole, places), ends_at_answer=True, thinks=thinks)
        assert reader.text == "\nThe answer is 8."
        assert reader.cut == Cut("answer", whole.index("\nProblem"))


@given(PLACES)
def test_a_tag_inside_a_program_does_not_hide_it(places: list[int]) -> None:
    whole = "So:\n```python\nprint('<think>')\n```\nIt prints"
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=False)
    cuts = [reader.feed(Delta(text=piece)) for piece in split(whole, places)]
    assert cuts[-1] == Cut("code", whole.index("\nIt"), "print('<think>')")


@given(PLACES)
def test_code_before_the_thoughts_is_run(places: list[int]) -> None:
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=False)
    cuts = [reader.feed(Delta(text=piece)) for piece in split(f"{CODE}\n<think>\nHm", places)]
    assert cuts[-1] == Cut("code", len(CODE), "print(1)")


@given(PLACES)
def test_the_closing_marker_is_seen_however_it_is_split(places: list[int]) -> None:
    # Thoughts without an opening tag that leave a block open must not swallow the real code.
    whole = f"Hm.\n```python\nprint(2)\n</think>\n{CODE}\nIt"
    reader = read(*split(whole, places))
    assert reader.cut == Cut("code", whole.index("\nIt"), "print(1)")


@pytest.mark.parametrize("finish", ["stop", "abort"])
def test_a_thinker_that_did_not_think_is_read_at_the_end(finish: str) -> None:
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=True)
    assert reader.feed(Delta(text=f"{CODE}\nIt prints 1.")) is None
    reader.feed(Delta(finish=finish))
    assert reader.end() == Cut("code", len(CODE), "print(1)")
    assert reader.text == CODE


def test_a_thinker_cut_by_length_said_nothing() -> None:
    reader = read(CODE, "\nso \\boxed{5}", thinks=True, finish="length")
    assert (reader.text, reader.cut) == ("", None)
    assert reader.reasoning == f"{CODE}\nso \\boxed{{5}}"


def test_a_thinker_cut_by_length_after_its_thoughts_said_what_it_said() -> None:
    reader = read(f"{THOUGHTS}</think>\n{BOX} That", thinks=True, finish="length")
    assert reader.text == f"\n{BOX} That"


def test_thoughts_that_never_close_are_thoughts_whoever_thinks() -> None:
    for finish in ("stop", "length"):
        reader = read(f"<think>\n{CODE}\n{BOX}", finish=finish)
        assert (reader.text, reader.cut) == ("", None)


def test_a_reasoning_field_tells_that_the_text_is_said() -> None:
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=True)
    reader.feed(Delta(reasoning=THOUGHTS))
    assert reader.feed(Delta(text=f"{CODE}\n")) == Cut("code", len(CODE), "print(1)")
    assert (reader.text, reader.reasoning) == (CODE, THOUGHTS)


def test_text_before_the_reasoning_field_does_not_shift_the_cut() -> None:
    reader = TurnReader(scans_code=True, ends_at_answer=False, thinks=True)
    reader.feed(Delta(text="\n\n"))
    reader.feed(Delta(reasoning="Hm."))
    assert reader.feed(Delta(text=f"{CODE}\n")) == Cut("code", len(CODE) + 2, "print(1)")
    assert reader.text == f"\n\n{CODE}"


def test_a_long_reply_of_a_thinker_is_read_in_linear_time() -> None:
    import time

    def seconds(count: int) -> float:
        started = time.thread_time()
        read(*["abcd "] * count, "</think>", BOX, thinks=True)
        return time.thread_time() - started

    seconds(1000)
    # Ten times the text; quadratic work would take a hundred times as long.
    assert seconds(40_000) < 40 * max(seconds(4_000), 0.005)


@pytest.mark.parametrize(
    ("deltas", "tokens", "estimated"),
    [
        # The server's own count wins; ids or log-probability entries are the next best.
        ([Delta(text="abcd", tokens=3), Delta(completion_tokens=9, prompt_tokens=5)], 9, False),
        ([Delta(text="abcd", tokens=3), Delta(text="", tokens=2)], 5, False),
        # Nine characters are three times four, rounded up; thoughts count too.
        ([Delta(text="abcde"), Delta(text="fghi")], 3, True),
        ([Delta(reasoning="abcd"), Delta(text="efgh")], 2, True),
        ([Delta(text="a")], 1, True),
        ([], 0, False),
    ],
)
def test_tokens_are_counted_by_the_best_that_is_known(
    deltas: list[Delta],
    tokens: int,
    estimated: bool,  # noqa: FBT001
) -> None:
    reader = TurnReader(scans_code=False, ends_at_answer=False, thinks=False)
    for delta in deltas:
        reader.feed(delta)
    assert (reader.tokens, reader.tokens_estimated) == (tokens, estimated)


def test_entropies_add_up_and_the_unreadable_ones_are_counted() -> None:
    reader = TurnReader(scans_code=False, ends_at_answer=False, thinks=False)
    reader.feed(Delta(text="a", tokens=2, entropies=(1.0, None)))
    reader.feed(Delta(text="b", tokens=2, entropies=(0.5, 0.0)))
    assert (reader.entropy.nats, reader.entropy.tokens, reader.entropy.dropped) == (1.5, 3, 1)
    assert reader.entropy.mean == 0.5
    assert not math.isnan(reader.entropy.mean)


def test_tokens_of_which_nothing_came_are_lost_by_the_parser() -> None:
    reader = TurnReader(scans_code=False, ends_at_answer=False, thinks=False)
    reader.feed(Delta(finish="stop"))
    assert not reader.lost_by_parser
    reader.feed(Delta(completion_tokens=412))
    assert reader.lost_by_parser
    reader.feed(Delta(reasoning="hm"))
    assert not reader.lost_by_parser


def test_the_first_closed_python_block_of_a_finished_text() -> None:
    block = first_python_block("```output\n1\n```\nSo\n```python\nprint(1)\n```")
    assert block is not None
    assert block.code == "print(1)"
    assert first_python_block("```python\nprint(1)") is None
    assert first_python_block("print(1)") is None


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"content": "7"}, ("7", False)),
        ({"content": "<think>6+1</think>7"}, ("7", True)),
        ({"content": "6+1</think>7"}, ("7", True)),
        ({"content": "7", "reasoning": "6+1"}, ("7", True)),
        ({"content": "7", "reasoning_content": "6+1", "reasoning": None}, ("7", True)),
        ({"content": "7", "reasoning": ""}, ("7", False)),
        ({"content": None, "reasoning": "6+1"}, ("", True)),
        ({}, ("", False)),
        ({"content": [{"type": "text"}]}, ("", False)),
    ],
)
def test_a_finished_message_without_its_thoughts(
    message: dict[str, Any], said: tuple[str, bool]
) -> None:
    assert without_reasoning(message) == said
