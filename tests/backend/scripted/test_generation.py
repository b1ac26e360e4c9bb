from __future__ import annotations

from jupyterlab_tir.backend.scripted.generation import Generation, Limits, generate
from jupyterlab_tir.backend.scripted.script import ToolCall, Turn


def run(turn: Turn, *, chat: bool = True, max_tokens: int = 100, **limits: object) -> Generation:
    return generate(turn, turn.text, (1, 2), Limits(max_tokens, **limits), chat=chat)  # type: ignore[arg-type]


def deltas(generation: Generation) -> list[str]:
    return [token.delta for token in generation.tokens]


def test_a_finished_turn_ends_with_a_token_without_text() -> None:
    generation = run(Turn(text="The sum is 30."))
    assert deltas(generation) == ["The", " sum", " is", " 30", ".", ""]
    assert generation.tokens[-1].piece == "<|im_end|>"
    assert (generation.finish, generation.completion_tokens) == ("stop", 6)


def test_max_tokens_cuts_with_finish_length() -> None:
    generation = run(Turn(text="The sum is 30."), max_tokens=3)
    assert (generation.text("content"), generation.finish) == ("The sum is", "length")


def test_a_text_as_long_as_the_limit_was_cut_before_its_end_token() -> None:
    assert run(Turn(text="a b c"), max_tokens=3).finish == "length"
    assert run(Turn(text="a b c"), max_tokens=4).finish == "stop"


def test_a_stop_string_ends_the_text_before_it() -> None:
    generation = run(Turn(text="x = 1\n```output\n1"), stops=("```output",))
    assert generation.text("content") == "x = 1\n"
    assert (generation.finish, generation.stop_reason) == ("stop", "```output")
    assert [token.piece for token in generation.tokens][-1] == "output"


def test_a_stop_string_may_be_kept() -> None:
    generation = run(Turn(text="one two three"), stops=("two",), include_stop=True)
    assert generation.text("content") == "one two"


def test_the_stop_string_that_is_completed_first_counts() -> None:
    generation = run(Turn(text="one two three"), stops=("three", "ne"))
    assert (generation.text("content"), generation.stop_reason) == ("o", "ne")


def test_a_stop_string_beyond_the_limit_does_not_count() -> None:
    generation = run(Turn(text="one two three"), stops=("three",), max_tokens=2)
    assert (generation.finish, generation.stop_reason) == ("length", None)
    assert generation.text("content") == "one two"


def test_text_that_may_become_a_stop_string_is_held_back() -> None:
    # "STOP" has 4 characters: 3 are held back until the end.
    generation = run(Turn(text="ab cd ef"), stops=("STOP",))
    assert deltas(generation) == ["", "ab", " cd", " ef"]


def test_reasoning_has_its_own_channel_in_a_chat_and_tags_in_a_completion() -> None:
    turn = Turn(text="So 4.", reasoning="2+2")
    chat = run(turn)
    assert (chat.text("reasoning"), chat.text("content")) == ("2+2", "So 4.")
    assert run(turn, chat=False).text("content") == "<think>\n2+2\n</think>\n\nSo 4."


def test_tool_calls_are_tokens_of_a_chat_only() -> None:
    turn = Turn(text="I run it.", tool_calls=(ToolCall("python", '{"code": "1"}'),))
    assert run(turn).finish == "tool_calls"
    assert run(turn).text("tool") == '{"code": "1"}'
    assert run(turn, chat=False).finish == "stop"
