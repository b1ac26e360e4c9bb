"""Samples that conclude when a stop rule has fired: they have no vote, and no face says otherwise.

The samples here are stand-ins that end by themselves, all in one moment or when they are cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from jupyterlab_tir import RunResult, solve
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.events import SampleEnded, SampleStarted, StopFired
from jupyterlab_tir.record import Record, read_record, revote
from jupyterlab_tir.solving import schedule
from jupyterlab_tir.voting import Ballot, SampleOutcome

from .conftest import Scripted

CONCLUDED = "Cancelled: a stop rule had fired before its end was counted."


def answer_of(sample: int, raw: str) -> SampleEnded:
    ballot = Ballot(answer=canonical(raw), raw=raw, entropy=0.0, tokens=10)
    outcome = SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=10)
    return SampleEnded(title=f"sample {sample + 1}: answered", outcome=outcome, turns=1, cells=0)


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have each sample end with what is given; those named in `when_cancelled` only then."""

    def set_ends(*ends: SampleEnded, when_cancelled: tuple[int, ...] = ()) -> None:
        class Stand:
            def __init__(self, context: Any, index: int) -> None:
                self.journal = context.journal
                self.index = index

            async def run(self) -> SampleEnded:
                began = SampleStarted(title="started", sample=self.index, sample_seed=0)
                self.journal.emit(began)
                if self.index in when_cancelled:
                    try:
                        await asyncio.Event().wait()
                    except asyncio.CancelledError:
                        return ends[self.index]
                return ends[self.index]

        monkeypatch.setattr(schedule, "Sample", Stand)

    return set_ends


def stopped(scripted: Scripted, **settings: Any) -> tuple[RunResult, Record]:
    """Run five at once; share fires at the fourth of one answer."""
    values: dict[str, Any] = {"samples": 16, "mode": "text", "stop": "share", "seed": 1} | settings
    result = solve("?", base_url=scripted(["unused"]), **values)
    return result, read_record(result.record)


@pytest.mark.parametrize("when_cancelled", [(), (4,)], ids=["same moment", "while cancelled"])
def test_what_concludes_after_a_rule_fired_has_no_vote(
    when_cancelled: tuple[int, ...], ending: Callable[..., None], scripted: Scripted
) -> None:
    ending(*(answer_of(n, raw) for n, raw in enumerate("55556")), when_cancelled=when_cancelled)
    result, record = stopped(scripted)
    assert [(c.shown, c.samples) for c in result.tally.candidates] == [("5", (0, 1, 2, 3))]
    late = record.outcomes[-1]
    assert (late.sample, late.status, late.ballot, late.tokens) == (4, "cancelled", None, 10)
    assert late.reason == f"{CONCLUDED} Its answer was 6"
    # What it generated was paid for, and is wasted.
    assert (result.saved.cancelled, result.saved.wasted_tokens, result.tokens) == (1, 10, 50)
    assert result.reason == (
        "The rule share:0.75 fired after 4 of 16 samples, with sample 4: 4 of 4 finished samples "
        "(100%) say 5: more than tau = 0.75, and the weights agree."
    )


def test_the_record_gives_the_same_result_to_the_bit(
    ending: Callable[..., None], scripted: Scripted
) -> None:
    # After 5, 5, 5 the window has fired; 7, 7, 7 in the same moment would make a tie.
    ending(*(answer_of(n, raw) for n, raw in enumerate("555777")))
    result, record = stopped(scripted, stop="window:3", ahead=2.0)
    assert result.stop is not None
    assert (result.stop.spelled, result.stop.after, result.stop.sample) == ("window:3", 3, 2)
    assert (result.answer, result.tally.finished) == ("5", 3)
    assert record.replay() == result.tally
    again = revote(record)
    assert (again.tally, again.decision, again.differs) == (result.tally, result.stop, False)
    kinds = [type(event) for event in record.events if isinstance(event, (SampleEnded, StopFired))]
    assert kinds == [SampleEnded] * 3 + [StopFired] + [SampleEnded] * 3


def test_what_the_server_lost_stays_lost(ending: Callable[..., None], scripted: Scripted) -> None:
    lost = SampleOutcome(sample=4, status="server-lost", reason="It is gone.")
    end = SampleEnded(title="sample 5: server-lost", outcome=lost, turns=0, cells=0)
    ending(*(answer_of(n, "5") for n in range(4)), end)
    result, record = stopped(scripted)
    assert (result.tally.lost, result.saved.cancelled) == (1, 0)
    assert record.outcomes[-1] == lost


def test_what_concludes_when_the_time_is_over_has_its_vote(
    ending: Callable[..., None], scripted: Scripted
) -> None:
    # No rule has spoken of the ballots that it saw: all there are count.
    ending(*(answer_of(n, raw) for n, raw in enumerate("566")), when_cancelled=(2,))
    result, record = stopped(scripted, samples=3, deadline=1.0, parallel=3, stop="none")
    assert (result.status, result.answer, result.tally.answered) == ("deadline", "6", 3)
    assert revote(record).tally == result.tally
