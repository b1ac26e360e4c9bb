"""Voting policies: what each weighs, how it orders candidates, and the laws that all keep."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.voting import Ballot, BlockBallot, SampleOutcome, tally
from jupyterlab_tir.voting.policies import (
    Blocks,
    Majority,
    Policy,
    VotesFirst,
    Weighted,
    policy_named,
)

LN2 = math.log(2)
THIRD = "0.3333333333333333"
NEAR_THIRD = "3333333333333333/10000000000000000"  # another number with the float of 1/3


def ballot(answer: str, **given_values: Any) -> Ballot:
    return Ballot(answer=canonical(answer), raw=answer, **given_values)


def said(
    sample: int, answer: str, blocks: tuple[BlockBallot, ...] = (), **given_values: Any
) -> SampleOutcome:
    vote = ballot(answer, **given_values)
    return SampleOutcome(sample=sample, status="answered", ballot=vote, blocks=blocks)


def ended(sample: int, status: Any, blocks: tuple[BlockBallot, ...] = ()) -> SampleOutcome:
    return SampleOutcome(sample=sample, status=status, blocks=blocks)


def block(index: int, answer: str, verification: Any = "replayed") -> BlockBallot:
    return BlockBallot(block=index, ballot=ballot(answer, verification=verification))


def order(policy: Policy, outcomes: list[SampleOutcome]) -> list[tuple[str, int, float]]:
    return [(c.shown, c.count, c.weight) for c in policy.candidates(outcomes)]


# 9: two verified ballots, 2 · 1 + 2 · 1/2 = 3; 5: three plain ones, 1 + 1/2 + 1/2 = 2;
# 7: three of 1/4.
MIXED = [
    said(0, "7", entropy=2 * LN2),
    said(1, "7", entropy=2 * LN2),
    said(2, "7", entropy=2 * LN2),
    said(3, "5", entropy=0.0),
    said(4, "5", entropy=LN2),
    said(5, "5", entropy=LN2),
    said(6, "9", entropy=0.0, verification="replayed"),
    said(7, "9", entropy=LN2, verification="replayed"),
]


def test_each_policy_orders_the_same_ballots_in_its_own_way() -> None:
    close = pytest.approx
    assert order(Weighted(), MIXED) == [
        ("9", 2, close(3.0)),
        ("5", 3, close(2.0)),
        ("7", 3, close(0.75)),
    ]
    assert order(Majority(), MIXED) == [("7", 3, 3.0), ("5", 3, 3.0), ("9", 2, 2.0)]
    assert order(VotesFirst(), MIXED) == [
        ("5", 3, close(2.0)),
        ("7", 3, close(0.75)),
        ("9", 2, close(3.0)),
    ]
    assert order(Blocks(), MIXED) == [("7", 3, 3.0), ("5", 3, 3.0), ("9", 2, 2.0)]


def test_ties_are_of_what_decides() -> None:
    # Equal weight 2, unequal counts; then equal counts, unequal weights.
    weighty = [said(0, "9", verification="replayed"), said(1, "5"), said(2, "5")]
    assert Weighted().tied(Weighted().candidates(weighty))
    assert not VotesFirst().tied(VotesFirst().candidates(weighty))
    assert not Majority().tied(Majority().candidates(weighty))
    even = [said(0, "9", verification="replayed"), said(1, "5")]
    assert not Weighted().tied(Weighted().candidates(even))
    assert not VotesFirst().tied(VotesFirst().candidates(even))
    assert Majority().tied(Majority().candidates(even))
    assert not Majority().tied(Majority().candidates(even[:1]))


def test_tie_goes_by_code_verified_count_before_launch() -> None:
    outcomes = [said(0, "5"), said(1, "9", verification="replayed")]
    assert [c.shown for c in Majority().candidates(outcomes)] == ["9", "5"]
    assert [c.shown for c in Majority().candidates([said(0, "5"), said(1, "9")])] == ["5", "9"]


def test_blocks_vote_beside_the_answer_of_their_sample() -> None:
    # Sample 0 says 6 and has two verified blocks, 6 and 4: 6 gets 1 + 2, 4 gets 2.
    # Sample 1 gave no answer; its blocks are a literal 4 and a 4 that was not found again: 1 + 1.
    outcomes = [
        said(0, "6", (block(0, "4"), block(1, "6"))),
        ended(1, "no-answer", (block(0, "4", "echo"), block(1, "4", "computed"))),
    ]
    first, second = Blocks().candidates(outcomes)
    assert (first.shown, first.weight, first.count, first.code_verified) == ("4", 4.0, 2, 1)
    assert (second.shown, second.weight, second.count, second.code_verified) == ("6", 3.0, 1, 1)
    assert (first.samples, second.samples) == ((0, 1), (0,))


def test_verified_text_weighs_1_where_blocks_vote_for_themselves() -> None:
    [only] = Blocks().candidates([said(0, "6", verification="replayed", entropy=3.0)])
    assert (only.weight, only.code_verified) == (1.0, 1)


def test_blocks_beyond_the_most_and_of_unfinished_samples_have_no_vote() -> None:
    outcomes = [
        said(0, "6", tuple(block(n, "4") for n in range(5))),
        ended(1, "cancelled", (block(0, "4"),)),
        ended(2, "server-lost", (block(0, "4"),)),
    ]
    counted = Blocks(max_blocks=3).candidates(outcomes)
    assert [(c.shown, c.weight) for c in counted] == [("4", 6.0), ("6", 1.0)]
    assert Blocks(max_blocks=3).most_a_sample == 7.0


def test_only_blocks_counts_blocks() -> None:
    for policy in (Weighted(), Majority(), VotesFirst()):
        assert [c.shown for c in policy.candidates([said(0, "6", (block(0, "4"),))])] == ["6"]


@pytest.mark.parametrize(
    ("policy", "most"),
    [
        (Weighted(w_code=3.0), 3.0),
        (VotesFirst(w_code=3.0), 3.0),
        (Majority(w_code=3.0), 1.0),
        (Blocks(w_code=3.0, max_blocks=2), 7.0),
    ],
)
def test_highest_weight_of_one_sample(policy: Policy, most: float) -> None:
    assert policy.most_a_sample == most


def test_votes_to_come_weigh_1_where_code_cannot_verify_them() -> None:
    for name, most in [("weighted", 1.0), ("votes-first", 1.0), ("majority", 1.0), ("blocks", 4.0)]:
        policy = policy_named(name, w_code=3.0, max_blocks=3, verifiable=False)
        assert policy.most_a_sample == most
        # What was verified keeps its weight.
        [only] = policy.candidates([said(0, "6", verification="replayed", entropy=0.0)])
        assert only.weight == (3.0 if policy.weighs_entropy else 1.0)


def test_policies_are_found_by_name() -> None:
    assert policy_named("weighted", w_code=3.0) == Weighted(w_code=3.0)
    assert policy_named("blocks", max_blocks=2) == Blocks(max_blocks=2)
    assert policy_named("majority") == Majority()
    assert policy_named("votes-first") == VotesFirst()
    for name in ("weighted", "blocks", "majority", "votes-first"):
        assert policy_named(name).name == name


@pytest.mark.parametrize("name", ["", "Weighted", "votes_first", "x" * 10_000])
def test_unknown_policy_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(UsageError, match=r"^There is no voting policy '.{0,40}': choose weighted,"):
        policy_named(name)


@pytest.mark.parametrize("w_code", [0.99, -1.0, math.nan, math.inf])
def test_impossible_weight_of_code_is_refused(w_code: float) -> None:
    for name in ("weighted", "blocks", "majority", "votes-first"):
        with pytest.raises(ValueError, match="w_code is finite and at least 1"):
            policy_named(name, w_code=w_code)


def test_impossible_blocks_are_refused() -> None:
    with pytest.raises(ValueError, match="max_blocks is at least 0"):
        Blocks(max_blocks=-1)
    with pytest.raises(ValueError, match="block's index is at least 0"):
        block(-1, "4")
    with pytest.raises(ValueError, match="a block ended twice"):
        said(0, "6", (block(1, "4"), block(1, "5")))
    for policy in (Weighted(), Blocks()):
        with pytest.raises(ValueError, match="a sample ended twice"):
            policy.candidates([said(0, "6"), said(0, "6")])


ballots = strategies.builds(
    ballot,
    strategies.sampled_from(["1/3", THIRD, NEAR_THIRD, "2", "2.0", "(1, 2)", "[1, 2]", "C"]),
    entropy=strategies.none() | strategies.floats(0, 800),
    verification=strategies.sampled_from(["none", "echo", "computed", "replayed"]),
)
fates = ballots | strategies.sampled_from(["no-answer", "server-lost", "cancelled", "deadline"])
policies = strategies.builds(
    policy_named,
    strategies.sampled_from(["weighted", "blocks", "majority", "votes-first"]),
    w_code=strategies.floats(1, 10),
    max_blocks=strategies.integers(0, 3),
)


@strategies.composite
def runs(draw: strategies.DrawFn) -> list[SampleOutcome]:
    outcomes = []
    for number, fate in enumerate(draw(strategies.lists(fates, max_size=10))):
        values = draw(strategies.lists(ballots, max_size=3))
        blocks = tuple(BlockBallot(block=b, ballot=each) for b, each in enumerate(values))
        status: Any = "answered" if isinstance(fate, Ballot) else fate
        cast = fate if isinstance(fate, Ballot) else None
        outcomes.append(SampleOutcome(sample=number, status=status, ballot=cast, blocks=blocks))
    return outcomes


@settings(deadline=None)
@given(runs(), policies, strategies.randoms())
def test_order_of_ballots_does_not_matter(
    outcomes: list[SampleOutcome], policy: Policy, chance: Any
) -> None:
    shuffled = [
        msgspec.structs.replace(each, blocks=tuple(chance.sample(each.blocks, len(each.blocks))))
        for each in chance.sample(outcomes, len(outcomes))
    ]
    assert policy.candidates(shuffled) == policy.candidates(outcomes)


@settings(deadline=None)
@given(runs(), policies)
def test_no_weight_is_negative_nan_or_above_w_code(
    outcomes: list[SampleOutcome], policy: Policy
) -> None:
    for usual in (5e-324, 0.5, 1.0):
        for vote in policy.votes(outcomes):
            for verified in (False, True):
                weight = policy.weight(vote, usual=usual, verified=verified)
                assert 0 < weight <= (policy.w_code if verified else 1.0)
    for candidate in policy.candidates(outcomes):
        assert candidate.weight <= policy.most_a_sample * candidate.count * (1 + 1e-12)
        assert 0 < candidate.share <= 1


@settings(deadline=None)
@given(runs(), policies)
def test_every_vote_is_counted_once_and_shares_sum_to_1(
    outcomes: list[SampleOutcome], policy: Policy
) -> None:
    counted = policy.candidates(outcomes)
    votes = policy.votes(outcomes)
    assert {n for c in counted for n in c.samples} == {vote.sample for vote in votes}
    if policy.name != "blocks":
        assert sum(c.count for c in counted) == len(votes)
    if votes:
        assert math.fsum(c.share for c in counted) == pytest.approx(1.0)


@settings(deadline=None)
@given(runs(), policies)
def test_tally_has_the_order_and_the_ties_of_its_policy(
    outcomes: list[SampleOutcome], policy: Policy
) -> None:
    counted = tally(outcomes, planned=10, policy=policy)
    assert counted.policy == policy.name
    assert counted.candidates == policy.candidates(outcomes)
    assert counted.tied == policy_named(policy.name).tied(counted.candidates)


@settings(deadline=None)
@given(runs())
def test_votes_first_never_overrules_the_count(outcomes: list[SampleOutcome]) -> None:
    counted = VotesFirst().candidates(outcomes)
    assert [c.count for c in counted] == sorted((c.count for c in counted), reverse=True)
