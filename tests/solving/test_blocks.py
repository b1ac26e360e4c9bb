"""Votes of code blocks: in the mode blocks, and under the policy blocks."""

from __future__ import annotations

from typing import Any

import pytest

from jupyterlab_tir import RunResult, solve
from jupyterlab_tir.answers.expected import expect
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.events import Noticed, SampleOutcome
from jupyterlab_tir.record import read_record
from jupyterlab_tir.sandbox import ChildKernels
from jupyterlab_tir.solving.blocks import read_value

from .conftest import Scripted


def solve_one(base_url: str, **settings: Any) -> RunResult:
    return solve("What is it?", base_url=base_url, samples=1, seed=7, **settings)


def outcome_of(result: RunResult) -> SampleOutcome:
    (outcome,) = read_record(result.record).outcomes
    return outcome


def votes_of(result: RunResult) -> list[tuple[int, str, str]]:
    return [
        (each.block, each.ballot.answer.shown, each.ballot.verification)
        for each in outcome_of(result).blocks
    ]


def reply(*codes: str, text: str = "") -> list[str]:
    return ["".join(f"```python\n{code}\n```\nThen\n" for code in codes) + text]


EVERY_LEVEL = reply(
    "x = 20",
    "x + x * 1",
    "print('It is clear.')",
    "print(40)",
    "import time; print('t =', time.time_ns())",
    "1 / 0",
    "print('total:', x * 3)",
    text=r"So \boxed{41}.",
)


def test_each_blocks_value_is_judged_by_itself(scripted: Scripted) -> None:
    result = solve_one(scripted(EVERY_LEVEL), mode="blocks", policy="blocks")
    votes = votes_of(result)
    assert votes[:2] == [(1, "40", "replayed"), (3, "40", "echo")]
    assert (votes[2][0], votes[2][2]) == (4, "computed")
    assert votes[3] == (6, "60", "replayed")
    outcome = outcome_of(result)
    assert "replay gave" in outcome.blocks[2].ballot.verification_reason
    # The text's answer is the sample's own, whatever the last block says.
    assert outcome.ballot is not None
    assert (outcome.ballot.answer.shown, outcome.ballot.verification) == ("41", "none")
    # 40: one code-verified and one echo; w_code = 2.
    weights = {c.shown: c.weight for c in result.tally.candidates}
    assert (weights["40"], weights["41"], weights["60"]) == (3.0, 1.0, 2.0)
    assert read_record(result.record).replay() == result.tally


def test_one_replay_judges_all_blocks(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    take, replays = ChildKernels.start, 0

    async def counted(self: ChildKernels, **how: Any) -> Any:
        nonlocal replays
        replays += bool(how.get("replay"))
        return await take(self, **how)

    monkeypatch.setattr(ChildKernels, "start", counted)
    base_url = scripted(reply("x = 2", "x * 3", "x * 4", "x * 5", text=r"\boxed{10}"))
    result = solve_one(base_url, mode="blocks", policy="blocks")
    assert votes_of(result) == [(n, str(2 * (n + 2)), "replayed") for n in (1, 2, 3)]
    assert replays == 1


def test_in_the_mode_blocks_other_policies_take_the_last_value_and_keep_the_votes(
    scripted: Scripted,
) -> None:
    result = solve_one(scripted(reply("6 * 6", "6 * 7", text=r"\boxed{1}")), mode="blocks")
    assert result.answer == "42"
    assert votes_of(result) == [(0, "36", "replayed"), (1, "42", "replayed")]
    assert [c.shown for c in result.tally.candidates] == ["42"]


def test_a_sample_without_an_answer_of_its_own_votes_by_its_blocks(scripted: Scripted) -> None:
    result = solve_one(scripted(reply("6 * 7")), mode="blocks", policy="blocks")
    outcome = outcome_of(result)
    assert (outcome.status, outcome.ballot) == ("no-answer", None)
    assert votes_of(result) == [(0, "42", "replayed")]
    assert result.answer == "42"


def test_cells_vote_in_the_mode_tir_under_the_policy_blocks_alone(scripted: Scripted) -> None:
    turns = ["```python\nx = 6 * 6\nx\n```\n", "```python\nx + 6\n```\n", r"\boxed{42}"]
    voted = solve_one(scripted(turns), policy="blocks")
    assert votes_of(voted) == [(0, "36", "replayed"), (1, "42", "replayed")]
    assert outcome_of(voted).ballot is not None
    assert [(c.shown, c.weight) for c in voted.tally.candidates] == [("42", 3.0), ("36", 2.0)]
    assert votes_of(solve_one(scripted(turns))) == []
    # The votes of its code stand also where the text never concludes, and the only kernel that
    # there may be is free for their replay.
    cut = solve_one(scripted(turns), policy="blocks", max_turns=2, kernels=1, deadline=60)
    assert (outcome_of(cut).status, votes_of(cut)) == ("turn-limit", [(0, "36", "replayed")])


def test_blocks_beyond_the_limit_are_not_run_and_that_is_said(scripted: Scripted) -> None:
    turns = reply("6 * 1", "6 * 2", "6 * 3", text=r"\boxed{18}")
    result = solve_one(scripted(turns), mode="blocks", max_blocks=2)
    assert votes_of(result) == [(0, "6", "replayed"), (1, "12", "replayed")]
    # The last block's value is not known, and the one before it is not the answer.
    assert (result.answer, outcome_of(result).ballot is not None) == ("18", True)
    (notice,) = [e for e in read_record(result.record).events if isinstance(e, Noticed)]
    assert notice.detail == (
        "Sample 1: of its 3 code blocks only the first 2 were run: max_blocks allows no more."
    )


def test_values_that_were_not_asked_for_are_no_votes(scripted: Scripted) -> None:
    turns = reply("7 / 2", "2000 + 24", "600 + 60", "'done'", text=r"\boxed{660}")
    result = solve_one(
        scripted(turns), mode="blocks", policy="blocks", answer="integer", range="0..999"
    )
    assert votes_of(result) == [(2, "660", "replayed")]


def test_blocks_without_replay_are_computed(scripted: Scripted) -> None:
    base_url = scripted(reply("6 * 7", "print(5)", text=r"\boxed{42}"))
    result = solve_one(base_url, mode="blocks", policy="blocks", verify=False)
    assert votes_of(result) == [(0, "42", "computed"), (1, "5", "echo")]


def test_what_a_session_that_ended_had_computed_is_replayed_as_well(scripted: Scripted) -> None:
    codes = ("x = 6 * 7\nx", "import os; os._exit(1)", "5 * 5")
    result = solve_one(scripted(reply(*codes, text=r"\boxed{25}")), mode="blocks", policy="blocks")
    assert votes_of(result) == [(0, "42", "replayed"), (2, "25", "replayed")]


def test_the_policy_blocks_is_refused_where_no_code_is_run(scripted: Scripted) -> None:
    with pytest.raises(UsageError, match="in the mode text there are none"):
        solve_one(scripted([r"\boxed{1}"]), mode="text", policy="blocks")


@pytest.mark.parametrize(
    ("value", "settings", "raw"),
    [
        ("42", {}, "42"),
        ("answer: 42", {}, "42"),
        ("n = 17", {}, "17"),
        ("Fraction(1, 2)", {}, "Fraction(1, 2)"),
        ("np.int64(5)", {}, "np.int64(5)"),
        ("'42'", {}, "42"),
        ("[3]", {"kind": "integer"}, "[3]"),
        ("x=3, y=4", {}, "x=3, y=4"),
        ("It is easy to see.", {}, None),
        ("Step 1", {}, None),
        ("True", {}, None),
        ("True", {"kind": "text"}, "true"),
        ("B", {"kind": "choice"}, "B"),
        ("B", {"kind": "integer"}, None),
        ("7/2", {"kind": "integer"}, None),
        ("1000", {"bounds": "0..999"}, None),
        ("<function f at 0x7f00>", {}, None),
        ("None", {}, None),
        ("nan", {}, None),
        ("9" * 20_000, {}, None),
    ],
)
def test_a_final_value_is_read_as_an_answer(
    value: str, settings: dict[str, Any], raw: str | None
) -> None:
    wanted: dict[str, Any] = {"kind": None, "bounds": None, "modulus": None, **settings}
    read = read_value(value, expect(**wanted))
    assert (None if read is None else read[0]) == raw
