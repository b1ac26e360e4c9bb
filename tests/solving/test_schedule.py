"""When samples start: as many as the rules need and a few more, and none that has no time left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jupyterlab_tir import Problem, solve
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import make_config
from jupyterlab_tir.events import Event, PlanChanged, SampleEnded, SampleStarted
from jupyterlab_tir.record import read_record
from jupyterlab_tir.solving import schedule as schedule_module
from jupyterlab_tir.solving.context import RunContext
from jupyterlab_tir.solving.counting import Count
from jupyterlab_tir.solving.journal import Journal
from jupyterlab_tir.solving.schedule import Schedule, places_in_flight, usual_seconds
from jupyterlab_tir.voting import Ballot, SampleOutcome, SampleStatus

from .conftest import Scripted


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeSample:
    """A sample that ends when the test says so."""

    made: list[FakeSample]

    def __init__(self, context: RunContext, index: int) -> None:
        self.index = index
        self.end: asyncio.Future[SampleOutcome] = asyncio.get_running_loop().create_future()
        del context
        FakeSample.made.append(self)

    async def run(self) -> SampleEnded:
        return SampleEnded(outcome=await self.end, turns=1, cells=0)


class Desk:
    """A schedule of fake samples, on a clock that the test moves."""

    def __init__(self, **settings: Any) -> None:
        config = make_config(mode="text", top_logprobs=0, **settings)
        self.clock = Clock()
        self.count = Count(config)
        self.events: list[Event] = []
        journal = Journal()
        journal.listen(self.events.append)
        context = RunContext(
            run_id="run", problem=Problem(text="?"), config=config, backend=None,  # type: ignore[arg-type]
            kernels=None, journal=journal, seed=1,
        )  # fmt: skip
        self.schedule = Schedule(context, self.count, deadline=config.deadline, clock=self.clock)

    @property
    def in_flight(self) -> list[int]:
        return sorted(flight.sample for flight in self.schedule.running.values())

    async def end(self, sample: int, said: str = "5", status: SampleStatus = "answered") -> None:
        ballot = Ballot(answer=canonical(said), raw=said) if status == "answered" else None
        outcome = SampleOutcome(sample=sample, status=status, ballot=ballot)
        FakeSample.made[sample].end.set_result(outcome)
        done, _ = await asyncio.wait(
            self.schedule.running, return_when=asyncio.FIRST_COMPLETED, timeout=10
        )
        for landed in self.schedule.landed(done):
            self.count.add(landed.outcome)

    async def close(self) -> None:
        for task in self.schedule.running:
            task.cancel()
        await asyncio.gather(*self.schedule.running, return_exceptions=True)


@pytest.fixture(autouse=True)
def fake_samples(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "scripted" not in request.fixturenames:
        FakeSample.made = []
        monkeypatch.setattr(schedule_module, "Sample", FakeSample)


@pytest.mark.parametrize(
    ("short", "ahead", "parallel", "places"),
    [
        (4, 1.25, 16, 5),
        (4, 1.0, 16, 4),
        (3, 1.25, 16, 4),
        (1, 1.25, 16, 2),
        (1, 1.0, 16, 1),
        (5, 1.25, 4, 4),
        (1, 64.0, 64, 64),
        # 1.1 * 50 is a hair above 55 in floating point.
        (50, 1.1, 64, 55),
    ],
)
def test_places_are_what_the_rules_need_and_a_few_more_up_to_the_cap(
    short: int, ahead: float, parallel: int, places: int
) -> None:
    assert places_in_flight(short, ahead=ahead, parallel=parallel) == places


@pytest.mark.parametrize(
    ("taken", "ages", "seconds"),
    [
        ([], [], None),
        ([3.0], [], 3.0),
        # Those that run for less time than the median say nothing yet.
        ([2.0, 3.0, 4.0], [1.0, 2.9], 3.0),
        # One late sample is one more number: 2, 3, 4, 10.
        ([2.0, 3.0, 4.0], [10.0], 3.5),
        # Many late ones are what is usual: 2, 20, 20, 20.
        ([2.0], [20.0, 20.0, 20.0], 20.0),
        ([], [5.0, 7.0, 9.0], 7.0),
    ],
)
def test_what_a_sample_takes_minds_those_that_are_late(
    taken: list[float], ages: list[float], seconds: float | None
) -> None:
    assert usual_seconds(taken, ages) == seconds


@pytest.mark.parametrize(
    ("settings", "first"),
    [
        # Four answers are waited for, and a quarter more start.
        ({"samples": 8, "min_answers": 4, "ahead": 1.25}, 5),
        ({"samples": 8, "min_answers": 4, "ahead": 1.0}, 4),
        ({"samples": 8, "min_answers": 4, "ahead": 64}, 8),
        ({"samples": 32, "min_answers": 8}, 10),
        ({"samples": 32, "min_answers": 8, "parallel": 3}, 3),
        ({"samples": 1}, 1),
        # A lead of two is two samples away.
        ({"samples": 32, "stop": "lead:2"}, 3),
    ],
)
async def test_so_many_are_in_flight_at_first(settings: dict[str, Any], first: int) -> None:
    desk = Desk(**settings)
    assert not desk.schedule.launch()
    assert desk.in_flight == list(range(first))
    assert desk.schedule.launched == first
    await desk.close()


async def test_in_flight_follows_what_the_rule_still_needs() -> None:
    desk = Desk(samples=32, stop="share:0.75", ahead=1.25)
    desk.schedule.launch()
    assert desk.in_flight == [0, 1, 2, 3, 4]
    # Three more answers: ceil(3.75) = 4 are in flight already.
    await desk.end(0, "5")
    desk.schedule.launch()
    assert desk.in_flight == [1, 2, 3, 4]
    # 1 of 2: three more are needed (4 of 5), so that 4 are in flight.
    await desk.end(1, "6")
    desk.schedule.launch()
    assert desk.in_flight == [2, 3, 4, 5]
    # 2 of 3: two more are needed (4 of 5), so that 3 are in flight.
    await desk.end(3, "6")
    desk.schedule.launch()
    assert desk.in_flight == [2, 4, 5]
    # 2 of 4: five more are needed (7 of 9), so that ceil(6.25) = 7 are in flight.
    await desk.end(2, "7")
    desk.schedule.launch()
    assert desk.in_flight == [4, 5, 6, 7, 8, 9, 10]
    await desk.close()


async def test_samples_lost_to_the_server_are_replaced() -> None:
    desk = Desk(samples=32)
    desk.schedule.launch()
    await desk.end(0, status="server-lost")
    desk.schedule.launch()
    assert desk.in_flight == [1, 2, 3, 4, 5]
    await desk.close()


async def test_those_that_end_together_land_in_launch_order() -> None:
    desk = Desk(samples=8)
    desk.schedule.launch()
    for sample in (3, 1, 4):
        said = str(sample)
        ballot = Ballot(answer=canonical(said), raw=said)
        FakeSample.made[sample].end.set_result(
            SampleOutcome(sample=sample, status="answered", ballot=ballot)
        )
    await asyncio.sleep(0.01)
    landed = desk.schedule.landed([task for task in desk.schedule.running if task.done()])
    assert [each.outcome.sample for each in landed] == [1, 3, 4]
    assert desk.in_flight == [0, 2]
    await desk.close()


async def test_no_sample_starts_that_has_no_time_left() -> None:
    desk = Desk(samples=32, deadline=20, parallel=2, stop="none")
    assert not desk.schedule.launch()
    desk.clock.now = 16
    await desk.end(0)
    # The other one has taken 16 s as well, which is not more: 4 s are left, and 16 s are needed.
    assert desk.schedule.launch()
    assert desk.in_flight == [1]
    (changed,) = [event for event in desk.events if isinstance(event, PlanChanged)]
    assert changed.planned == 2
    assert changed.detail == (
        "30 of 32 samples are not started: 4 s are left, and a sample takes about 16 s"
    )
    assert desk.count.tally().planned == 2
    assert not desk.schedule.launch()
    await desk.end(1)
    assert not desk.schedule.launch()
    assert not desk.schedule.running
    counted = desk.count.tally()
    assert desk.count.status(counted, "", None) == (
        "answered",
        (
            "All 2 samples that had begun ended. 30 of 32 samples are not started: 4 s are left, "
            "and a sample takes about 16 s."
        ),
    )
    saved = desk.count.saved(desk.schedule.launched)
    assert (saved.not_started, saved.cancelled) == (0, 0)


async def test_there_is_time_for_a_sample_as_long_as_the_usual_one() -> None:
    desk = Desk(samples=32, deadline=20, parallel=1, stop="none")
    desk.schedule.launch()
    desk.clock.now = 10
    await desk.end(0)
    assert not desk.schedule.launch()
    assert desk.in_flight == [1]
    await desk.close()


async def test_one_short_sample_does_not_hide_that_all_others_are_late() -> None:
    desk = Desk(samples=32, deadline=20, parallel=4, stop="none")
    desk.schedule.launch()
    desk.clock.now = 1
    await desk.end(0)
    desk.schedule.launch()
    assert desk.in_flight == [1, 2, 3, 4]
    desk.clock.now = 14
    await desk.end(4)
    # 1, 13 and three times 14: the median of 1, 13, 14, 14, 14 is 14 s, and 6 s are left.
    assert desk.schedule.launch()
    assert desk.in_flight == [1, 2, 3]
    await desk.close()


async def test_failures_do_not_say_how_long_a_sample_takes() -> None:
    desk = Desk(samples=32, deadline=20, parallel=1, stop="none")
    desk.schedule.launch()
    desk.clock.now = 15
    await desk.end(0, status="server-lost")
    # Nothing is known yet of samples that end by themselves.
    assert not desk.schedule.launch()
    assert desk.in_flight == [1]
    await desk.close()


def in_flight_at_first(events: tuple[Event, ...]) -> int:
    found = 0
    for event in events:
        if isinstance(event, SampleEnded):
            break
        found += isinstance(event, SampleStarted)
    return found


def test_a_run_starts_with_five_and_says_what_stopping_saved(scripted: Scripted) -> None:
    quick, slow = [r"\boxed{5}"], [{"text": r"\boxed{5}", "first_token_ms": 60_000}]
    base_url = scripted(quick, quick, quick, quick, slow)
    result = solve("?", base_url=base_url, samples=16, mode="text")
    assert in_flight_at_first(read_record(result.record).events) == 5
    assert result.stop is not None
    assert result.reason.startswith("The rule share:0.75 fired after 4 of 16 samples, with sample ")
    each = result.tokens // 4
    saved = result.saved
    assert (saved.not_started, saved.cancelled) == (11, 1)
    assert saved.saved_tokens_estimated is not None
    assert saved.saved_tokens_estimated == pytest.approx(11 * each, abs=11)


def test_a_run_starts_no_sample_that_the_deadline_would_cut(scripted: Scripted) -> None:
    base_url = scripted([{"text": r"\boxed{5}", "first_token_ms": 3000}])
    result = solve(
        "?", base_url=base_url, samples=32, mode="text", parallel=1, deadline=8.8, stop="none"
    )
    assert result.status == "answered"
    assert result.tally.planned == result.tally.finished == 2
    assert "30 of 32 samples are not started" in result.reason
    assert result.seconds < 8.8
    record = read_record(result.record)
    (changed,) = [event for event in record.events if isinstance(event, PlanChanged)]
    assert changed.planned == 2


def test_the_lossless_rule_knows_that_nothing_else_comes(scripted: Scripted) -> None:
    turn = {"text": r"\boxed{5}", "first_token_ms": 3000, "entropy": 0}
    base_url = scripted([turn], [turn], [{"fault": {"kind": "silent"}}])
    result = solve(
        "?", base_url=base_url, samples=8, mode="text", parallel=3, ahead=64, deadline=5.8,
        stop="none",
    )  # fmt: skip
    assert result.stop is not None
    assert (result.stop.rule, result.stop.after) == ("uncatchable", 2)
    assert result.status == "answered"
    assert result.tally.planned == 3
    assert result.tally.unfinished == 1
    assert "5 of 8 samples are not started" in result.reason
