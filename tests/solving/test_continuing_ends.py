"""Continuing a run that had ended because nothing could change: what is said of that end."""

from __future__ import annotations

from jupyterlab_tir import continue_run, solve
from jupyterlab_tir.record import read_record

from .conftest import Scripted
from .test_continuing import FIVE, SIX, notices


def test_what_still_holds_with_the_larger_plan_is_not_said_to_hold_no_more(
    scripted: Scripted,
) -> None:
    first = solve(
        "?", base_url=scripted(*[FIVE] * 7, *[SIX] * 30), samples=12, mode="text", stop="none",
        parallel=12, ahead=64, policy="majority",
    )  # fmt: skip
    assert first.stop is not None
    before = first.stop.after
    planned = [first.tally.planned]
    # More than the plan was, and fewer than what the leader has.
    for more in ("+3", "+2", "+4"):
        result = continue_run(first.run_id, more)
        planned.append(result.tally.planned)
        assert result.stop is not None
        assert (result.stop.rule, result.stop.after) == ("uncatchable", before)
        assert notices(result)[-1].startswith("No sample was added, since its leader cannot be")
        assert not any(words.startswith("That its leader") for words in notices(result))
    assert planned == [12, 15, 14, 16]


def test_samples_that_were_cancelled_made_no_rule_fire(scripted: Scripted) -> None:
    first = solve(
        "?", base_url=scripted(FIVE), samples=8, mode="text", stop="none", parallel=8, ahead=64,
        policy="majority",
    )  # fmt: skip
    assert first.stop is not None
    assert first.stop.rule == "uncatchable"
    result = continue_run(first.run_id, "+1")
    assert result.stop is not None
    assert result.stop.sample == first.stop.sample
    assert result.stop.sample not in {
        outcome.sample for outcome in read_record(result.record).outcomes if not outcome.finished
    }
    assert f"after {first.stop.after} of 9 samples, with sample " in result.reason
