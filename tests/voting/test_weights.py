"""Weights of ballots: bounded, visible, and never invented."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome, Verification
from jupyterlab_tir.voting.ballots import confidence_factor, usual_factor
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.votes import Vote

LN2 = math.log(2)


def ballot(answer: str = "4", **given_values: Any) -> Ballot:
    return Ballot(answer=canonical(answer), raw=answer, **given_values)


def weights(ballots: list[Ballot], *, w_code: float) -> list[float]:
    policy, usual = Weighted(w_code=w_code), usual_factor(ballots)
    votes = [Vote(number, each) for number, each in enumerate(ballots)]
    return [policy.weight(v, usual=usual, verified=v.code_verified) for v in votes]


def test_entropy_of_ln_2_halves_the_weight() -> None:
    assert weights([ballot(entropy=LN2)], w_code=2.0) == [pytest.approx(0.5, abs=1e-15)]


def test_only_replayed_code_weighs_more() -> None:
    levels: list[Verification] = ["none", "echo", "computed", "replayed"]
    ballots = [ballot(entropy=0.0, verification=level) for level in levels]
    assert weights(ballots, w_code=3.0) == [1.0, 1.0, 1.0, 3.0]


def test_missing_entropy_takes_the_median_factor_of_the_others() -> None:
    # Factors 1, 1/2, 1/8: their median is 1/2, doubled by verification.
    ballots = [
        ballot(entropy=0.0),
        ballot(entropy=LN2),
        ballot(entropy=3 * LN2),
        ballot(entropy=None, verification="replayed"),
    ]
    assert weights(ballots, w_code=2.0)[3] == pytest.approx(1.0, abs=1e-15)


def test_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    ballots = [ballot(entropy=0.0), ballot(entropy=LN2), ballot(entropy=None)]
    assert usual_factor(ballots) == pytest.approx(0.75, abs=1e-15)


def test_without_any_entropy_every_factor_is_1() -> None:
    assert weights([ballot(), ballot(verification="replayed")], w_code=2.0) == [1.0, 2.0]


@pytest.mark.parametrize("entropy", [-0.001, math.nan, math.inf, -math.inf])
def test_impossible_entropy_is_refused_before_it_can_vote(entropy: float) -> None:
    with pytest.raises(ValueError, match="entropy is finite and at least 0"):
        ballot(entropy=entropy)
    with pytest.raises(ValueError, match="entropy is finite and at least 0"):
        confidence_factor(entropy)


def test_huge_entropy_still_weighs_more_than_nothing() -> None:
    assert confidence_factor(1e6) > 0


entropies = strategies.none() | strategies.floats(0, 1e308, allow_nan=False)
levels_of_verification = strategies.sampled_from(["none", "echo", "computed", "replayed"])


@given(
    strategies.lists(strategies.tuples(entropies, levels_of_verification), max_size=12),
    strategies.floats(1, 10),
)
def test_weights_lie_above_0_and_reach_w_code_at_most(
    described: list[tuple[float | None, Verification]], w_code: float
) -> None:
    ballots = [ballot(entropy=h, verification=level) for h, level in described]
    for each, weight in zip(ballots, weights(ballots, w_code=w_code), strict=True):
        assert 0 < weight <= (w_code if each.verification == "replayed" else 1.0)


def test_sample_has_a_ballot_exactly_when_it_answered() -> None:
    with pytest.raises(ValueError, match="ballot exactly when"):
        SampleOutcome(sample=0, status="answered")
    with pytest.raises(ValueError, match="ballot exactly when"):
        SampleOutcome(sample=0, status="no-answer", ballot=ballot())


@pytest.mark.parametrize(
    ("status", "finished"),
    [
        ("no-answer", True),
        ("unexpected-answer", True),
        ("token-limit", True),
        ("turn-limit", True),
        ("context", True),
        ("malformed-reply", True),
        ("kernel-failed", True),
        ("server-lost", False),
        ("request-refused", False),
        ("deadline", False),
        ("cancelled", False),
    ],
)
def test_lost_and_unfinished_samples_did_not_conclude(status: Any, finished: bool) -> None:  # noqa: FBT001
    assert SampleOutcome(sample=0, status=status).finished is finished
