"""The rule on the chance of the majority: when it fires, and what looking often costs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import beta

from jupyterlab_tir.voting.posterior import majority_chance
from jupyterlab_tir.voting.rules import Beta
from jupyterlab_tir.voting.rules_look import RuleDecision

from .conftest import at


class TestBeta:
    @pytest.mark.parametrize(
        ("leader", "second"), [(4, 0), (6, 1), (8, 2), (9, 3), (11, 4), (12, 5)]
    )
    def test_fires_from_these_counts_on_at_95_percent(self, leader: int, second: int) -> None:
        outcomes = ["5"] * leader + ["9"] * second
        assert Beta(0.95).check(at(*outcomes)) is not None
        assert Beta(0.95).check(at(*outcomes[1:])) is None

    @pytest.mark.parametrize(("leader", "second"), [(0, 0), (4, 0), (7, 5), (40, 39), (600, 400)])
    def test_chance_is_that_of_the_beta_distribution(self, leader: int, second: int) -> None:
        expected = beta.sf(0.5, 1 + leader, 1 + second)
        assert float(majority_chance(leader, second)) == pytest.approx(expected, rel=1e-9)

    def test_says_its_numbers(self) -> None:
        # P = (1 + 8 + 28 + 56 + 70 + 56 + 28) / 2^8 = 247/256 = 0.96484…
        assert Beta(0.95).check(at(*"5555559")) == RuleDecision(
            rule="beta",
            words="5 has 6 samples and the next answer 1: the chance that it is the majority of "
            "the two is 0.9648, more than p = 0.95, and the weights agree.",
            after=7,
            sample=6,
            numbers={"count": 6, "second": 1, "chance": 0.9648, "p": 0.95},
        )

    def test_chance_that_equals_p_is_not_above_it(self) -> None:
        assert Beta(0.96875).check(at(*"5555")) is None  # 31/32
        assert Beta(0.9687).check(at(*"5555")) is not None

    def test_third_answer_does_not_count(self) -> None:
        assert Beta(0.95).check(at(*"5555", "1", "1")) is None
        assert Beta(0.95).check(at(*"555555", "1", "2", "3")) is not None

    @pytest.mark.parametrize(
        ("theta", "p", "either", "rarer"), [(0.5, 0.95, 0.394, 0.197), (0.6, 0.95, 0.573, 0.053)]
    )
    def test_repeated_looks_cost_what_the_documentation_says(
        self, theta: float, p: float, either: float, rarer: float
    ) -> None:
        assert stops_within(32, theta, p) == (
            pytest.approx(either, abs=5e-4),
            pytest.approx(rarer, abs=5e-4),
        )

    def test_fewer_runs_stop_by_chance_at_99_percent(self) -> None:
        assert stops_within(32, 0.5, 0.99)[0] == pytest.approx(0.094, abs=5e-4)


def stops_within(looks: int, theta: float, p: float) -> tuple[float, float]:
    """Chance that Beta stops a vote between two answers at all, and for the second one."""
    running, either, rarer = {(0, 0): 1.0}, 0.0, 0.0
    for _ in range(looks):
        following: dict[tuple[int, int], float] = {}
        for (first, second), chance in running.items():
            for counts, part in (((first + 1, second), theta), ((first, second + 1), 1 - theta)):
                if majority_chance(max(counts), min(counts)) > Fraction(p):
                    either += chance * part
                    rarer += chance * part * (counts[1] > counts[0])
                else:
                    following[counts] = following.get(counts, 0.0) + chance * part
        running = following
    return either, rarer
