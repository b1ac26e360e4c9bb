from __future__ import annotations

import math

import pytest

from jupyterlab_tir.backend.scripted.logprobs import best_probability, logprobs_of


def entropy_with_rest(logprobs: list[float]) -> float:
    """H of the listed probabilities and of the rest of the mass as one further outcome."""
    probabilities = [math.exp(value) for value in logprobs]
    rest = max(1 - sum(probabilities), 0.0)
    return -sum(p * math.log(p) for p in [*probabilities, rest] if p > 1e-300)


@pytest.mark.parametrize(
    ("entropy", "others", "expected"),
    [
        (0.0, 5, 1.0),
        (math.log(2), 1, 0.5),
        (math.log(6), 5, 1 / 6),
        # 3/4 and one quarter shared by two: H = -(3/4) ln(3/4) - (1/4) ln(1/8)
        (-0.75 * math.log(0.75) - 0.25 * math.log(0.125), 2, 0.75),
        (50.0, 4, 0.2),  # more than possible: as uncertain as five outcomes can be
    ],
)
def test_best_probability(entropy: float, others: int, expected: float) -> None:
    assert best_probability(entropy, others) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("entropy", [0.0, 0.05, 0.3, 1.2, 1.7])
@pytest.mark.parametrize("k", [5, 20])
def test_the_entropy_comes_back_from_the_logprobs(entropy: float, k: int) -> None:
    entry = logprobs_of(" the", entropy, k)
    listed = [candidate.logprob or 0.0 for candidate in entry.top]
    assert len({candidate.token for candidate in entry.top}) == k
    assert entropy_with_rest(listed) == pytest.approx(entropy, abs=1e-6)


def test_the_sampled_token_is_the_likeliest_and_has_the_same_value_in_the_list() -> None:
    entry = logprobs_of("x", 0.4, 5)
    assert entry.top[0].token == "x"  # noqa: S105 - a token of text
    assert entry.logprob == entry.top[0].logprob == max(c.logprob or 0 for c in entry.top)


def test_without_a_list_the_sampled_token_still_has_its_value() -> None:
    entry = logprobs_of("x", math.log(2), 0)
    assert entry.top == ()
    assert entry.logprob == pytest.approx(math.log(0.5))
