"""A bank of time: shares worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies

from jupyterlab_tir import TimeBank
from jupyterlab_tir.errors import UsageError


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def banked(total_s: float, problems: int, **more: Any) -> tuple[TimeBank, Clock]:
    clock = Clock()
    return TimeBank(total_s, problems, clock=clock, **more), clock


def test_who_takes_all_of_its_base_leaves_the_others_theirs() -> None:
    bank, clock = banked(400, 4)
    for _ in range(4):
        assert bank.allot() == 100
        clock.now += 100
    assert bank.left_s == 0


def test_unused_seconds_go_to_the_next_and_never_touch_the_bases_of_later_ones() -> None:
    bank, clock = banked(400, 4)
    bank.allot()
    clock.now += 10
    # 390 are left, and 200 belong to the last two.
    assert bank.banked_s == 90
    assert bank.allot() == 190
    clock.now += 190
    assert bank.allot() == 100


def test_one_problem_cannot_empty_the_bank() -> None:
    bank, clock = banked(1000, 10, most=3)
    for _ in range(5):
        bank.allot()
        clock.now += 1
    # 995 s are left and 400 belong to the last four: 595, but three bases at the most.
    assert bank.allot() == 300


def test_time_runs_from_the_first_problem_on_and_between_problems() -> None:
    bank, clock = banked(400, 4)
    clock.now += 5000  # the model is being loaded
    assert bank.allot() == 100
    clock.now += 160  # 100 for the problem, and 60 of something else
    assert bank.spent_s == 160
    # Overdrawn: 240 s for three.
    assert bank.banked_s == -60
    assert bank.allot() == 80


def test_more_problems_than_announced_get_half_of_what_is_left() -> None:
    bank, clock = banked(400, 2)
    bank.allot()
    bank.allot()
    clock.now += 280
    assert bank.allot() == 60
    clock.now += 60
    assert bank.allot() == 30


def test_a_problem_gets_what_it_needs_at_the_least_while_it_is_there() -> None:
    bank, clock = banked(20, 300)
    assert bank.allot(least_s=1.5) == 1.5
    clock.now += 19
    assert bank.allot(least_s=1.5) == 1
    clock.now += 1
    assert bank.allot(least_s=1.5) == 0


def test_over_is_over() -> None:
    bank, clock = banked(10, 5)
    bank.allot()
    clock.now += 11
    assert bank.left_s == 0
    assert [bank.allot() for _ in range(6)] == [0] * 6


@given(
    used=strategies.lists(strategies.floats(0, 1.0), min_size=1, max_size=30),
    most=strategies.floats(1, 10),
)
def test_whoever_keeps_to_its_share_keeps_all_within_the_total(
    used: list[float], most: float
) -> None:
    bank, clock = banked(100, len(used), most=most)
    for part in used:
        share = bank.allot()
        assert 0 <= share <= most * bank.base_s * (1 + 1e-9)
        # Nobody who kept to it leaves less than their bases to those that follow.
        assert share >= bank.base_s * (1 - 1e-9)
        clock.now += part * share
    assert bank.spent_s <= 100 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"total_s": 0}, "total_s is 0; it must be a number above 0."),
        ({"total_s": float("nan")}, "total_s is nan; it must be a number above 0."),
        ({"total_s": float("inf")}, "total_s is inf; it must be a number above 0."),
        ({"total_s": "60"}, "total_s is '60'; it must be a number above 0."),
        ({"problems": 0}, "problems is 0; it must be a whole number from 1."),
        ({"problems": 2.0}, "problems is 2.0; it must be a whole number from 1."),
        ({"problems": True}, "problems is True; it must be a whole number from 1."),
        ({"most": 0.5}, "most is 0.5; it must be a number from 1."),
        ({"total_s": 10**400}, "total_s is a huge number; it must be a number above 0."),
        ({"total_s": -(10**5000)}, "total_s is a huge number; it must be a number above 0."),
        ({"problems": 10**5000}, "problems is a huge number; it must be a whole number from 1."),
        ({"most": 10**400}, "most is a huge number; it must be a number from 1."),
        (
            {"clock": 5},
            "clock is 5; it must be a function that returns seconds, such as time.monotonic.",
        ),
    ],
)
def test_impossible_numbers_are_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        TimeBank(**{"total_s": 60, "problems": 2, **values})
    assert str(caught.value) == sentence
