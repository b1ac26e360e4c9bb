"""The chance that the leader of two answers is the majority, in whole numbers. No I/O, no clock."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache


@lru_cache(maxsize=4096)
def majority_chance(leader: int, second: int) -> Fraction:
    """Chance that the leader is the majority of two answers, after so many samples of each.

    The exact posterior P(θ > 1/2) under Beta(1 + leader, 1 + second).

    Examples
    --------
    >>> majority_chance(4, 0), majority_chance(2, 2)
    (Fraction(31, 32), Fraction(1, 2))
    """
    tosses = leader + second + 1
    term = total = 1
    for heads in range(1, leader + 1):
        term = term * (tosses - heads + 1) // heads
        total += term
    return Fraction(total, 2**tosses)


@lru_cache(maxsize=4096)
def is_majority(leader: int, second: int, chance: float) -> bool:
    """Whether it is the majority with more than this chance, exactly."""
    return majority_chance(leader, second) > Fraction(chance)


def rounded_down(chance: Fraction) -> float:
    """Four digits, rounded down: a chance below 1 is not shown as 1."""
    return math.floor(chance * 10_000) / 10_000
