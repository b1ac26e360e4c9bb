"""One sample's turns, code, limits and conclusion, played by the scripted server."""

from __future__ import annotations

from typing import Any

import pytest

from jupyterlab_tir import RunResult, solve
from jupyterlab_tir.events import CodeEnded, TurnEnded, VerificationEnded
from jupyterlab_tir.record import Record, read_record

from .conftest import Scripted

PRINT_SUM = "```python\nprint(sum(k*k for k in range(1, 21)))\n```\n"


def solve_one(base_url: str, **settings: Any) -> RunResult:
    return solve("What is it?", base_url=base_url, samples=1, seed=7, **settings)


def record_of(result: RunResult) -> Record:
    return read_record(result.record)


def only_outcome(result: RunResult) -> Any:
    (outcome,) = record_of(result).outcomes
    return outcome


def test_state_persists_between_the_turns_of_a_sample(scripted: Scripted) -> None:
    result = solve_one(
        scripted(
            [
                "```python\nx = 41\n```\n",
                "```python\nx + 1\n```\n",
                {"text": r"It is \boxed{42}.", "result_contains": "42"},
            ]
        )
    )
    assert str(result) == "42"
    assert only_outcome(result).ballot.verification == "replayed"


def test_samples_share_no_state(scripted: Scripted) -> None:
    base_url = scripted(
        [
            "```python\ntry:\n    seen += 1\nexcept NameError:\n    seen = 1\nprint(seen)\n```\n",
            {"text": r"\boxed{1}", "result_contains": "1"},
        ]
    )
    result = solve("How often?", base_url=base_url, samples=4, stop="none", seed=7)
    assert result.tally.leader is not None
    assert result.tally.leader.count == 4 - result.tally.unfinished


def test_an_error_is_fed_back_with_its_message(scripted: Scripted) -> None:
    result = solve_one(
        scripted(
            [
                "```python\n1 / 0\n```\n",
                {"text": "```python\n6 * 7\n```\n", "result_contains": "ZeroDivisionError"},
                {"text": r"\boxed{42}", "result_contains": "42"},
            ]
        )
    )
    assert result.answer == "42"
    statuses = [e.result.status for e in record_of(result).events if isinstance(e, CodeEnded)]
    assert statuses == ["error", "ok"]


def test_a_cell_over_its_time_is_a_result_and_the_sample_goes_on(scripted: Scripted) -> None:
    result = solve_one(
        scripted(["```python\nwhile True: pass\n```\n", r"So \boxed{3}."]), timeout=0.5
    )
    (cell,) = [e.result for e in record_of(result).events if isinstance(e, CodeEnded)]
    assert cell.status == "timeout"
    assert result.answer == "3"
    assert only_outcome(result).ballot.verification == "none"


def test_a_killed_kernel_is_replaced_and_the_model_is_told(scripted: Scripted) -> None:
    result = solve_one(
        scripted(
            [
                "```python\nimport os; os._exit(3)\n```\n",
                {"text": "```python\n5 + 5\n```\n", "result_contains": "session ended"},
                {"text": r"\boxed{10}", "result_contains": "10"},
            ]
        )
    )
    assert result.answer == "10"
    # What the replay must repeat is what the answer's session ran, not the cell that ended another.
    assert only_outcome(result).ballot.verification == "replayed"


@pytest.mark.parametrize(
    ("turns", "settings", "status"),
    [
        (["I do not know."], {}, "no-answer"),
        ([r"An unfinished \boxed{12"], {}, "no-answer"),
        ([{"text": r"\boxed{5} and on", "finish": "length"}], {}, "token-limit"),
        (["```python\n1\n```\n"] * 4, {"max_turns": 2}, "turn-limit"),
        (["word " * 40], {"max_tokens": 16}, "token-limit"),
    ],
)
def test_a_sample_without_an_answer_is_in_the_tally_with_its_reason(
    scripted: Scripted, turns: list[Any], settings: dict[str, Any], status: str
) -> None:
    result = solve_one(scripted(turns), **settings)
    assert result.answer is None
    assert result.status == "no-answer"
    (row,) = result.tally.without_ballot
    assert (row.status, row.count) == (status, 1)
    assert only_outcome(result).reason


def test_a_conversation_that_outgrows_the_context_ends_as_context(scripted: Scripted) -> None:
    result = solve_one(
        scripted(["```python\nprint('x, ' * 600)\n```\n", r"\boxed{1}"], max_model_len=700)
    )
    assert only_outcome(result).status == "context"
    assert "700" in only_outcome(result).reason


def test_text_mode_runs_no_code(scripted: Scripted) -> None:
    result = solve_one(scripted([PRINT_SUM + r"I say \boxed{2870}."]), mode="text")
    assert result.answer == "2870"
    assert not [e for e in record_of(result).events if isinstance(e, CodeEnded)]
    assert only_outcome(result).ballot.verification == "none"


def test_blocks_mode_runs_every_block_and_takes_the_last_value(scripted: Scripted) -> None:
    text = "First:\n```python\na = 20\n```\nthen\n```python\na * 2 + 2\n```\nDone."
    result = solve_one(scripted([text]), mode="blocks")
    assert result.answer == "42"
    assert only_outcome(result).ballot.verification == "replayed"
    (turn,) = [e for e in record_of(result).events if isinstance(e, TurnEnded)]
    assert turn.text == text


def test_blocks_mode_without_a_value_reads_the_text(scripted: Scripted) -> None:
    result = solve_one(scripted([r"It must be \boxed{8}."]), mode="blocks")
    assert (result.answer, only_outcome(result).ballot.verification) == ("8", "none")


@pytest.mark.parametrize(
    ("code", "answer", "level", "word"),
    [
        ("print(42)", "42", "echo", "literal"),
        ("answer = 42\nprint(answer)", "42", "echo", "literal"),
        ("print(6 * 7)", "42", "replayed", ""),
        ("print(6 * 7)", "43", "none", "no cell"),
        ("import time\nprint(time.time_ns())\nint('4') * 0 + time.time_ns()", "0", "none", ""),
    ],
)
def test_verification_tells_a_computation_from_an_echo(
    scripted: Scripted, code: str, answer: str, level: str, word: str
) -> None:
    result = solve_one(scripted([f"```python\n{code}\n```\n", rf"\boxed{{{answer}}}"]))
    (event,) = [e for e in record_of(result).events if isinstance(e, VerificationEnded)]
    assert event.verification == level
    assert word in event.reason


def test_a_value_that_the_replay_does_not_repeat_is_only_computed(scripted: Scripted) -> None:
    code = "import os\nos.getpid() * 0 + len([k for k in range(42)])"
    same = solve_one(scripted([f"```python\n{code}\n```\n", r"\boxed{42}"]))
    assert only_outcome(same).ballot.verification == "replayed"
    draws = "random.randrange(10**6)"
    differs = solve_one(
        scripted(
            [
                f"```python\n{draws}\n```\n",
                r"\boxed{" + str(_value_of_seeded_kernel(draws)) + "}",
            ]
        )
    )
    ballot = only_outcome(differs).ballot
    assert ballot.verification == "computed"
    assert "replay gave" in ballot.verification_reason


def _value_of_seeded_kernel(code: str) -> int:
    """What the sample's own kernel will print: its seed follows from the run's."""
    import asyncio

    from jupyterlab_tir.sandbox import ChildKernels
    from jupyterlab_tir.solving.seeds import derive_seed

    async def run() -> int:
        seed = derive_seed(derive_seed(7, "sample", 0), "kernel")
        async with ChildKernels(level="best") as kernels, await kernels.start(seed=seed) as kernel:
            return int((await kernel.run(code)).value or "")

    return asyncio.run(run())


def test_cells_after_the_answer_text_are_never_run(scripted: Scripted) -> None:
    result = solve_one(
        scripted(["```python\nprint(1)\n```\n```output\n99\n```\n" + r"\boxed{99}", r"\boxed{1}"])
    )
    assert result.answer == "1"


def test_verify_false_leaves_a_computed_answer_at_weight_one(scripted: Scripted) -> None:
    result = solve_one(scripted([PRINT_SUM, r"\boxed{2870}"]), verify=False)
    assert only_outcome(result).ballot.verification == "computed"
