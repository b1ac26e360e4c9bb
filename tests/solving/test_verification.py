"""How far code verifies an answer: in real kernels, first and again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from jupyterlab_tir import Problem, solve, start
from jupyterlab_tir.backend.discovery import Backend
from jupyterlab_tir.config import Config
from jupyterlab_tir.events import SampleEnded, TurnEnded, VerificationEnded
from jupyterlab_tir.record import read_record
from jupyterlab_tir.sandbox import CellResult, CellStatus, ChildKernel, ChildKernels
from jupyterlab_tir.sandbox.errors import KernelStartError
from jupyterlab_tir.solving.cells import Notebook, RanCell
from jupyterlab_tir.solving.context import RunContext
from jupyterlab_tir.solving.journal import Journal
from jupyterlab_tir.solving.replaying import Claim, budget_s, replay
from jupyterlab_tir.solving.verification import (
    Verified,
    as_it_ran,
    final_value,
    without_replay,
)

from .conftest import Scripted

SOON_S = 10.0


@contextlib.asynccontextmanager
async def run_context(**settings: Any) -> AsyncIterator[RunContext]:
    async with ChildKernels(level="best", limit=settings.get("kernels", 8)) as kernels:
        yield RunContext(
            run_id="test",
            problem=Problem(text="?"),
            config=Config(**settings),
            backend=cast("Backend", None),
            kernels=kernels,
            journal=Journal(),
            seed=1,
        )


async def ran(context: RunContext, *codes: str) -> list[RanCell]:
    async with Notebook(context, 0, sample_seed=1) as notebook:
        for code in codes:
            await notebook.run(code, 0)
        return notebook.cells


def as_if_ran(code: str, value: str | None = None, took_s: float = 0.0) -> RanCell:
    """A cell of which we say that it ran well, whatever it does."""
    result = CellResult(status=CellStatus.OK, duration_s=took_s, value=value)
    return RanCell(code, result, session=0)


async def last_again(context: RunContext, cells: list[RanCell]) -> Verified:
    value = final_value(cells[-1].result)
    assert value is not None
    (verified,) = await replay(context, 1, cells, [Claim(len(cells) - 1, value)])
    return verified


def said(stdout: str, **fields: Any) -> CellResult:
    return CellResult(status=CellStatus.OK, duration_s=0.0, stdout=stdout, **fields)


CHANGING = {
    "random numbers": "import random\nrandom.randrange(10**9)",
    "the time": "import time\ntime.time_ns()",
    "the order of a set of strings": "[int(s[1:]) for s in {f'k{n}' for n in range(99)}][0]",
    "the hash of a string": "hash('mathematics')",
    "an address": "id(object())",
    "numpy's generator": "import numpy\nint(numpy.random.randint(10**9))",
}


async def test_what_chance_or_time_gave_is_computed_and_not_verified() -> None:
    async with run_context() as context:
        for what, code in CHANGING.items():
            verified = await last_again(context, await ran(context, code))
            assert verified.level == "computed", what
            assert verified.reason.startswith("the replay gave "), what


REPEATED: dict[str, tuple[list[str], tuple[int, ...]]] = {
    "one cell": (["6 * 7"], (0,)),
    "needed: it binds before it raises": (["x = 41\n1 / 0", "x + 1"], (0, 1)),
    "needed, twice": (["x = 41\n1 / 0", "y = x + 1\nundefined", "y"], (0, 1, 2)),
    "shown not to be needed": (["1 / 0", "6 * 7"], (1,)),
    "one of two": (["x = 41", "x = 0\n1 / 0", "x = 41\nx + 1"], (0, 2)),
    "another session": (["x = 1", "import os; os._exit(1)", "6 * 7"], (2,)),
    "once only, in a folder of its own": (
        ["import os\nassert not os.path.exists('f')\nopen('f', 'w').close()\n6 * 7"],
        (0,),
    ),
}


async def test_cells_are_run_again_in_order_without_those_that_were_not_needed() -> None:
    async with run_context() as context:
        for what, (codes, cells) in REPEATED.items():
            verified = await last_again(context, await ran(context, *codes))
            assert verified == Verified("replayed", "", len(codes) - 1, cells), what


async def test_a_cell_that_ran_out_of_time_is_run_again_where_it_is_needed() -> None:
    async with run_context(timeout=1.0) as context:
        cells = await ran(context, "x = 41\nwhile True: pass", "x + 1")
        verified = await last_again(context, cells)
    assert [cell.result.status for cell in cells] == ["timeout", "ok"]
    assert (verified.level, verified.cells) == ("replayed", (0, 1))


async def test_what_depends_on_the_cell_that_raised_is_judged_apart() -> None:
    """One replay of two claims: one holds without the cell that raised, one needs it."""
    async with run_context() as context:
        cells = await ran(context, "x = 1\n1 / 0", "3 * 3", "x + 1", "import time; time.time_ns()")
        values = [final_value(cell.result) or "" for cell in cells]
        verified = await replay(context, 1, cells, [Claim(n, values[n]) for n in (3, 2, 1)])
    assert [each.level for each in verified] == ["computed", "replayed", "replayed"]
    assert [each.cells for each in verified] == [(0, 1, 2, 3), (0, 1, 2), (1,)]


WRONG = [
    ([as_if_ran("1 / 0", "42")], "in the replay, cell 1 raised ZeroDivisionError: division"),
    ([as_if_ran("x = 42", "42")], "in the replay, cell 1 ended without a value"),
    ([as_if_ran("import os; os._exit(1)", "42")], "in the replay, cell 1 ended the kernel"),
    (
        [as_if_ran("import os; os._exit(1)"), as_if_ran("42", "42")],
        "in the replay, cell 1 ended the kernel",
    ),
    ([as_if_ran("6 * 8", "42")], "the replay gave 48"),
    ([as_if_ran("'line\\n' * 90", "42")], "the replay gave 'line\\nline"),
]


async def test_a_replay_that_goes_wrong_leaves_computed_and_says_why() -> None:
    async with run_context() as context:
        for cells, reason in WRONG:
            verified = await last_again(context, cells)
            assert verified.level == "computed"
            assert verified.reason.startswith(reason)
            assert len(verified.reason) < 150


async def test_a_replay_has_one_budget_of_time_for_all_its_cells() -> None:
    # They say that they took no time: then the budget is one cell's limit, for both together.
    sleeps = as_if_ran("import time; time.sleep(1.8)")
    async with run_context(timeout=3.0) as context:
        began = time.monotonic()
        verified = await last_again(context, [sleeps, as_if_ran("time.sleep(1.8)\n6 * 7", "42")])
        assert time.monotonic() - began < 10 * SOON_S
        slow = await last_again(context, [as_if_ran("while True: pass", "42")])
    assert (verified.level, verified.reason) == ("computed", "the replay's 3 s were over")
    assert slow.reason == "in the replay, cell 1 ran longer than a cell may"


def test_the_budget_grows_with_what_the_cells_took_up_to_six_cells_limits() -> None:
    assert budget_s([as_if_ran("", took_s=2.0)] * 3, 10.0) == 22.0
    assert budget_s([as_if_ran("", took_s=9.0)] * 64, 10.0) == 60.0


async def test_a_kernel_that_cannot_be_started_leaves_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tries = 0

    async def fails(*_: Any, **__: Any) -> ChildKernel:
        nonlocal tries
        tries += 1
        raise KernelStartError("The disk is full.")

    async with run_context() as context:
        cells = await ran(context, "1 / 0", "6 * 7")
        monkeypatch.setattr(ChildKernels, "start", fails)
        verified = await last_again(context, cells)
    assert verified == Verified("computed", "no kernel for the replay: The disk is full.", 1)
    assert tries == 1


def test_a_single_kernel_serves_samples_and_their_replays_in_turn(scripted: Scripted) -> None:
    turns = ["```python\nx = 41\n1 / 0\n```\n", "```python\nx + 1\n```\n", r"\boxed{42}"]
    result = solve(
        "?", base_url=scripted(turns), samples=4, stop="none", kernels=1, policy="majority"
    )
    assert result.answer == "42"
    # Four are in flight from the start; two that agree cannot be caught by the others.
    assert result.tally.candidates[0].code_verified == result.tally.candidates[0].count >= 2


async def test_a_run_that_is_stopped_in_the_middle_of_a_replay_keeps_the_answer(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, forked_below: Callable[[int], set[int]]
) -> None:
    take, loop = ChildKernels.start, asyncio.get_running_loop()
    replaying = asyncio.Event()

    async def told(self: ChildKernels, **how: Any) -> ChildKernel:
        kernel = await take(self, **how)
        if how.get("replay"):
            loop.call_soon_threadsafe(replaying.set)
        return kernel

    monkeypatch.setattr(ChildKernels, "start", told)
    turns = ["```python\nimport time; time.sleep(2)\n6 * 7\n```\n", r"\boxed{42}"]
    before = forked_below(os.getpid())
    handle = start("?", base_url=scripted(turns), samples=1, policy="blocks")
    async with asyncio.timeout(10 * SOON_S):
        await replaying.wait()
    await asyncio.sleep(0.2)
    stopped = time.monotonic()
    handle.stop()
    result = await handle
    assert time.monotonic() - stopped < SOON_S
    assert (result.status, result.answer) == ("stopped", "42")
    (ended,) = [e for e in read_record(result.record).events if isinstance(e, SampleEnded)]
    assert ended.outcome.ballot is not None
    assert ended.outcome.ballot.verification == "computed"
    assert ended.outcome.ballot.verification_reason == "the run ended before the replay did"
    # Its blocks were not judged, so they have no votes.
    assert ended.outcome.blocks == ()
    end = time.monotonic() + SOON_S
    while forked_below(os.getpid()) - before:
        assert time.monotonic() < end, "the replay's kernel lives on"
        await asyncio.sleep(0.05)


def test_the_record_says_which_cells_the_replay_ran(scripted: Scripted) -> None:
    turns = ["```python\n1 / 0\n```\n", "```python\n6 * 7\n```\n", r"\boxed{42}"]
    result = solve("?", base_url=scripted(turns), samples=1)
    (event,) = [e for e in read_record(result.record).events if isinstance(e, VerificationEnded)]
    assert (event.verification, event.cells) == ("replayed", (1,))


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (said("", value="42"), "42"),
        (said("1\n2\n", value="42"), "42"),
        (said("trying 1\ntrying 2\nanswer: 42\n"), "answer: 42"),
        (said("7\n  42  \n\n"), "42"),
        (said(""), None),
        (said("", value="42", value_cut=3), None),
        # In the middle only: the last line is whole.
        (said("1\n2\n[... 400 characters cut ...]\n98\n99\n", stdout_cut=400), "99"),
        # The first line behind the cut may be the end of a number.
        (said("1\n2\n[... 400 characters cut ...]\n42\n", stdout_cut=400), None),
        (said("1 2 [... 4 characters cut ...]\n", stdout_cut=4, value="42"), "42"),
        (CellResult(status=CellStatus.ERROR, duration_s=0.0, stdout="42\n"), None),
    ],
)
def test_the_final_value_is_the_last_expression_or_the_last_line(
    result: CellResult, value: str | None
) -> None:
    assert final_value(result) == value


def judged(code: str, stdout: str, answer: str) -> str:
    return without_replay([RanCell(code, said(stdout), 0)], answer).level


def test_a_loop_that_prints_a_thousand_numbers_verifies_none_of_them() -> None:
    counted = "".join(f"{n}\n" for n in range(1000))
    code = "for n in range(1000):\n    print(n)"
    assert [judged(code, counted, answer) for answer in ("500", "0")] == ["none", "none"]
    # Its last line is its final value, but nobody computed it.
    assert judged(code, counted, "999") == "echo"


def test_a_search_verifies_what_it_found_last_and_a_final_line_after_progress() -> None:
    search = "for n in range(1000):\n    if n * n % 1000 == n:\n        print(n)"
    assert judged(search, "0\n1\n376\n625\n", "625") == "computed"
    assert judged(search, "0\n1\n376\n625\n", "376") == "none"
    progress = "for n in range(9):\n    print('at', n)\nprint('answer:', 6 * 7)"
    assert judged(progress, "at 0\nat 8\nanswer: 42\n", "42") == "computed"


def test_a_substring_of_a_value_is_no_value() -> None:
    assert judged("print(10 * 142)", "1420\n", "42") == "none"
    assert judged("print([40 + 2, 43])", "[42, 43]\n", "42") == "none"


def test_a_later_echo_takes_nothing_from_what_an_earlier_cell_computed() -> None:
    cells = [
        RanCell("6 * 7", said("", value="42"), 0),
        RanCell("print(42)", said("42\n"), 0),
    ]
    assert without_replay(cells, "42") == Verified("computed", "it was not replayed", 0)
    assert as_it_ran(cells, 1).level == "echo"


def test_a_samples_entropy_is_of_the_last_tokens_and_not_of_a_lost_attempt(
    tmp_path: Path,
) -> None:
    turns = [{"text": "```python\n6 * 7\n```\n", "entropy": 0.9}]
    lost = {"text": "one two three", "entropy": 1.5, "fault": {"kind": "cut", "after_tokens": 2}}
    body = {
        "version": 1,
        "problems": [
            {
                "contains": "",
                "samples": [
                    {
                        "attempts": [
                            {"turns": [*turns, lost]},
                            {"turns": [*turns, {"text": r"It is \boxed{42}.", "entropy": 0.2}]},
                        ]
                    }
                ],
            }
        ],
    }
    (tmp_path / "script.json").write_text(json.dumps(body), encoding="utf-8")
    base_url = f"scripted:{tmp_path / 'script.json'}"
    for window, mean in (3, 0.2), (None, None):
        result = solve("?", base_url=base_url, samples=1, entropy_window=window)
        events = read_record(result.record).events
        (ended,) = [e for e in events if isinstance(e, SampleEnded)]
        ballot = ended.outcome.ballot
        assert ballot is not None
        assert ballot.entropy == ended.entropy.mean
        if mean is not None:
            assert (ballot.entropy, ended.entropy.tokens) == (pytest.approx(mean, abs=1e-6), 3)
        else:
            of_turns = [
                e.entropy for e in events if isinstance(e, TurnEnded) and e.finish != "lost"
            ]
            assert ended.entropy.tokens == sum(each.tokens for each in of_turns) > 3


def test_what_a_cell_that_raised_would_have_computed_is_not_taken_for_granted() -> None:
    raised = CellResult(
        status=CellStatus.ERROR, duration_s=0.0, error_name="NameError", error_message="undefined"
    )
    cells = [RanCell("x = 42\nx = undefined(3)", raised, 0), RanCell("print(x)", said("42\n"), 0)]
    assert without_replay(cells, "42").level == "echo"
    ran_to_its_end = [RanCell("x = 42\nx = len(str(3**88))", said(""), 0), cells[1]]
    assert without_replay(ran_to_its_end, "42").level == "computed"
