"""Entropies worked out by hand, and what must never come out of broken numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.backend.logprobs import token_entropy

LN2 = math.log(2)
HALF, QUARTER, EIGHTH = -LN2, -2 * LN2, -3 * LN2


@pytest.mark.parametrize(
    ("logprobs", "k", "nats"),
    [
        ([0.0], 5, 0.0),  # sure
        ([HALF, HALF], 5, LN2),  # a fair coin
        ([HALF, QUARTER, QUARTER], 5, 1.5 * LN2),  # 1/2·ln 2 + 2·(1/4·2 ln 2)
        ([QUARTER] * 4, 5, 2 * LN2),
        ([HALF, QUARTER, EIGHTH, EIGHTH], 5, 1.75 * LN2),
        ([HALF], 1, LN2),  # the rest of one half is one outcome
        ([HALF, QUARTER], 5, 1.5 * LN2),  # and so is the rest of one quarter
        ([QUARTER], 5, 0.5 * LN2 + 0.75 * math.log(4 / 3)),
        ([math.log(0.9)], 5, -0.9 * math.log(0.9) - 0.1 * math.log(0.1)),
    ],
)
def test_entropy_by_hand(logprobs: list[float], k: int, nats: float) -> None:
    assert token_entropy(logprobs, k) == pytest.approx(nats, abs=1e-12)


def test_only_the_k_best_count_whatever_the_order() -> None:
    # The sampled token comes on top of the k best: 1/8 must join the rest of 1/4.
    assert token_entropy([EIGHTH, HALF, QUARTER], 2) == pytest.approx(1.5 * LN2)
    assert token_entropy([HALF, QUARTER, EIGHTH], 2) == token_entropy([HALF, QUARTER], 2)


def test_a_list_shorter_than_k_leaves_the_rest_as_one_outcome() -> None:
    # Two tokens with one text: of five entries three are left, 1/2 + 1/4 + 1/8.
    assert token_entropy([HALF, QUARTER, EIGHTH], 5) == pytest.approx(1.75 * LN2)


@pytest.mark.parametrize("broken", [math.nan, None, "-1.5", [], {}, math.inf])
def test_what_is_no_number_is_left_out(broken: object) -> None:
    assert token_entropy([broken, HALF, HALF], 5) == pytest.approx(LN2)


@pytest.mark.parametrize("masked", [-9999.0, -math.inf, -1e300, -(10**400)])
def test_impossible_tokens_have_probability_zero(masked: float) -> None:
    assert token_entropy([HALF, HALF, masked, masked, masked], 5) == pytest.approx(LN2)
    assert token_entropy([0.0, masked], 5) == 0.0


@pytest.mark.parametrize(
    "logprobs",
    [[], [math.nan], [None, None], [math.inf], [-9999.0], [-math.inf, -9999.0, math.nan]],
)
def test_nothing_readable_is_unknown_and_not_zero(logprobs: list[object]) -> None:
    assert token_entropy(logprobs, 5) is None


@pytest.mark.parametrize("above", [1e-7, 0.5, 1000.0, 1e308, 10**400])
def test_a_probability_above_one_is_one(above: float) -> None:
    assert token_entropy([above], 5) == 0.0


def test_rounding_of_the_rest_is_no_outcome() -> None:
    # 32-bit sums miss 1 by about 1e-7; as an outcome that would be 1.6e-6 nats a token.
    almost = math.log1p(-1e-7)
    assert token_entropy([almost], 5) == pytest.approx(1e-7, rel=1e-3)


def test_more_entries_never_lower_the_bound() -> None:
    logprobs = [HALF, QUARTER, EIGHTH, -4 * LN2]
    bounds = [token_entropy(logprobs, k) for k in (1, 2, 3, 4)]
    assert bounds == sorted(bounds, key=lambda bound: bound or 0)
    assert bounds[0] == pytest.approx(LN2)
    assert bounds[3] == pytest.approx(1.875 * LN2)  # 1/2, 1/4, 1/8, 1/16 and the rest, 1/16


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=True, allow_infinity=True), st.none(), st.integers(), st.text()
        ),
        max_size=25,
    ),
    st.integers(min_value=1, max_value=20),
)
def test_entropy_is_never_negative_nor_nan_nor_above_its_maximum(
    logprobs: list[object], k: int
) -> None:
    entropy = token_entropy(logprobs, k)
    # -p ln p is at most 1/e, also where the numbers are no distribution.
    assert entropy is None or 0.0 <= entropy <= (k + 1) / math.e


@given(st.lists(st.floats(min_value=1e-6, max_value=1), min_size=1, max_size=21))
def test_entropy_of_k_of_a_distribution_is_a_lower_bound(weights: list[float]) -> None:
    total = math.fsum(weights)
    probabilities = [weight / total for weight in weights]
    whole = -math.fsum(p * math.log(p) for p in probabilities)
    bound = token_entropy([math.log(p) for p in probabilities], 5)
    assert bound is not None
    assert bound <= whole + 1e-9
