"""The tally: counted over mathematics, the same in any order."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome, Tally, tally
from jupyterlab_tir.voting.policies import Majority, VotesFirst, Weighted

LN2 = math.log(2)
THIRD = "0.3333333333333333"
NEAR_THIRD = "3333333333333333/10000000000000000"  # another number with the float of 1/3


def said(sample: int, answer: str, **given_values: Any) -> SampleOutcome:
    ballot = Ballot(answer=canonical(answer), raw=answer, **given_values)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot)


def ended(sample: int, status: Any) -> SampleOutcome:
    return SampleOutcome(sample=sample, status=status, reason="as it happens")


def count(outcomes: list[SampleOutcome], *, planned: int = 8, w_code: float = 2.0) -> Tally:
    return tally(outcomes, planned=planned, policy=Weighted(w_code=w_code))


def test_example_worked_out_by_hand() -> None:
    counted = count(
        [
            said(3, "1/2", entropy=0.0, verification="replayed"),  # 2 · 1 = 2
            said(1, "0.5", entropy=LN2),  # 1/2
            said(0, "7", entropy=0.0),  # 1
            said(4, "7", entropy=LN2, verification="echo"),  # 1/2
            ended(2, "no-answer"),
            ended(5, "server-lost"),
            ended(6, "cancelled"),
            ended(7, "no-answer"),
        ]
    )
    assert (counted.planned, counted.finished, counted.answered) == (8, 6, 4)
    assert (counted.lost, counted.unfinished) == (1, 1)
    first, second = counted.candidates
    assert (first.key, first.shown, first.count, first.code_verified) == ("q:1/2", "0.5", 2, 1)
    assert first.weight == pytest.approx(2.5, abs=1e-15)
    assert first.share == pytest.approx(2.5 / 4, abs=1e-15)
    assert first.mean_entropy == pytest.approx(LN2 / 2, abs=1e-15)
    assert first.samples == (1, 3)
    assert (second.key, second.count, second.code_verified) == ("q:7", 2, 0)
    assert second.weight == pytest.approx(1.5, abs=1e-15)
    assert second.samples == (0, 4)
    assert [(row.status, row.samples) for row in counted.without_ballot] == [
        ("cancelled", (6,)),
        ("no-answer", (2, 7)),
        ("server-lost", (5,)),
    ]
    assert [row.count for row in counted.without_ballot] == [1, 2, 1]
    assert counted.unmeasured == ()
    assert counted.remarks == ()


def test_no_outcome_has_no_leader() -> None:
    counted = count([])
    assert counted.leader is None
    assert counted.count_leader is None
    assert not counted.tied
    assert counted.remarks == ()
    assert counted.candidates == ()


def test_equal_weights_go_by_count_first() -> None:
    # 9 by one code-verified ballot of 2, 5 by two plain ones: 2 to 2.
    counted = count([said(0, "9", verification="replayed"), said(1, "5"), said(2, "5")])
    assert [c.shown for c in counted.candidates] == ["5", "9"]
    assert counted.tied


def test_equal_weights_and_counts_go_by_code_verified_count() -> None:
    # 9: 1 + 1 plain; 5: one verified at 2 · 1/2 and one plain at 1: 2 to 2, counts 2 to 2.
    counted = tally(
        [
            said(0, "9", entropy=0.0),
            said(1, "9", entropy=0.0),
            said(2, "5", entropy=LN2, verification="replayed"),
            said(3, "5", entropy=0.0),
        ],
        planned=4,
        policy=Weighted(w_code=1 / math.exp(-LN2)),
    )
    assert counted.candidates[0].weight == counted.candidates[1].weight
    assert [c.shown for c in counted.candidates] == ["5", "9"]


def test_what_is_equal_in_all_goes_by_launch_index_whatever_finished_first() -> None:
    counted = count([said(2, "5"), said(3, "5"), said(1, "9"), said(4, "9")])
    assert [c.shown for c in counted.candidates] == ["9", "5"]
    assert counted.tied
    assert counted.remarks[0].startswith("9 and 5 are tied at weight 2.00")


def test_disagreement_of_weights_and_counts_is_said_with_numbers() -> None:
    # Two verified ballots weigh 4, three plain ones 3.
    counted = count(
        [said(n, "9", entropy=0.0, verification="replayed") for n in (0, 1)]
        + [said(n, "5", entropy=0.0) for n in (2, 3, 4)]
    )
    assert counted.leader is not None
    assert counted.count_leader is not None
    assert (counted.leader.shown, counted.count_leader.shown) == ("9", "5")
    assert counted.remarks == ("The weights choose 9 (4.00 to 3.00), the counts 5 (3 to 2).",)


def test_ties_are_those_of_the_policy_and_say_by_what_they_go() -> None:
    # 9 weighs 2, 5 weighs 1 + 1: a tie of weights, none of counts.
    split = [said(0, "9", verification="replayed"), said(1, "5"), said(2, "5")]
    assert tally(split, planned=4, policy=Weighted()).tied
    for policy in (Majority(), VotesFirst()):
        assert not tally(split, planned=4, policy=policy).tied
    # Measured, so that a remark could only be of a tie: equal weights are none where counts decide.
    measured = [said(0, "9", entropy=0.0, verification="replayed")]
    measured += [said(number, "5", entropy=0.0) for number in (1, 2)]
    assert tally(measured, planned=4, policy=VotesFirst()).remarks == (
        "Votes are counted by the policy votes-first.",
    )
    even = [said(0, "5", entropy=LN2), said(1, "9", entropy=0.0)]
    assert tally(even, planned=4, policy=Majority()).remarks == (
        "Votes are counted by the policy majority.",
        "5 and 9 are tied at count 1; the order is by code-verified count, then by launch.",
    )
    assert len(tally(even, planned=4, policy=VotesFirst()).remarks) == 1
    same = [said(0, "5", entropy=LN2), said(1, "9", entropy=LN2)]
    _, words = tally(same, planned=4, policy=VotesFirst()).remarks
    assert words.startswith("5 and 9 are tied at count 1 and weight 0.50; the order is by code")


def test_weights_that_the_counts_overrule_are_said_with_numbers() -> None:
    # Two verified ballots weigh 4, three plain ones 3.
    split = [said(n, "9", entropy=0.0, verification="replayed") for n in (0, 1)]
    split += [said(n, "5", entropy=0.0) for n in (2, 3, 4)]
    assert tally(split, planned=5, policy=VotesFirst()).remarks == (
        "Votes are counted by the policy votes-first.",
        "The counts choose 5 (3 to 2), the weights 9 (4.00 to 3.00).",
    )
    assert len(tally(split, planned=5, policy=Majority()).remarks) == 1


def test_missing_logprobs_are_no_matter_where_entropy_has_no_part() -> None:
    counted = tally([said(0, "5")], planned=1, policy=Majority())
    assert counted.unmeasured == (0,)
    assert counted.remarks == ("Votes are counted by the policy majority.",)


def test_tally_of_a_version_with_one_policy_is_a_weighted_one() -> None:
    built = msgspec.to_builtins(count([said(0, "5"), said(1, "9")]))
    del built["policy"]
    assert msgspec.convert(built, Tally) == count([said(0, "5"), said(1, "9")])


def test_count_leader_is_the_weighted_leader_when_counts_are_equal() -> None:
    counted = count([said(0, "5", entropy=LN2), said(1, "9", entropy=0.0)])
    assert counted.count_leader == counted.leader
    assert counted.remarks == ()


def test_answers_without_logprobs_are_marked() -> None:
    counted = count([said(0, "5", entropy=LN2), said(1, "5"), said(4, "6")])
    assert counted.unmeasured == (1, 4)
    assert [c.weight for c in counted.candidates] == [pytest.approx(1.0), pytest.approx(0.5)]
    assert counted.candidates[0].mean_entropy == pytest.approx(LN2)
    assert counted.candidates[1].mean_entropy is None
    assert counted.remarks == (
        "2 of 3 answers came without log-probabilities and weigh with the median factor.",
    )


def test_float_joins_the_one_exact_answer_that_it_stands_for() -> None:
    counted = count([said(0, THIRD), said(1, "1/3"), said(2, "2")])
    assert [(c.key, c.shown, c.count, c.samples) for c in counted.candidates] == [
        ("q:1/3", "1/3", 2, (0, 1)),
        ("q:2", "2", 1, (2,)),
    ]


def test_float_of_two_exact_answers_joins_neither() -> None:
    counted = count([said(0, THIRD), said(1, "1/3"), said(2, NEAR_THIRD)])
    assert [c.count for c in counted.candidates] == [1, 1, 1]


def test_float_without_an_exact_answer_is_a_candidate_of_its_own() -> None:
    counted = count([said(0, THIRD), said(1, THIRD), said(2, "2")])
    assert [(c.shown, c.count) for c in counted.candidates] == [(THIRD, 2), ("2", 1)]


def test_lowest_launched_sample_lends_its_way_of_writing() -> None:
    counted = count([said(5, "0.5"), said(2, r"\frac{1}{2}"), said(3, "1/2")])
    assert [c.shown for c in counted.candidates] == [r"\frac{1}{2}"]


def test_sample_that_ended_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="ended twice"):
        count([said(0, "5"), ended(0, "cancelled")])


def test_weights_are_summed_exactly_and_rounded_once() -> None:
    # Added one by one in floats, eight times 1.1 is 8.799999999999999.
    eight = [said(n, "5", entropy=0.0, verification="replayed") for n in range(8)]
    assert [c.weight for c in count(eight, w_code=1.1).candidates] == [8.8]


def test_least_weights_still_make_shares() -> None:
    counted = count([said(0, "5", entropy=1e6), said(1, "6", entropy=1e6)])
    assert [c.share for c in counted.candidates] == [0.5, 0.5]


ballots = strategies.builds(
    lambda answer, entropy, level: {"answer": answer, "entropy": entropy, "verification": level},
    strategies.sampled_from(["1/3", THIRD, NEAR_THIRD, "2", "2.0", "x+1", r"\{1,2\}", "oui"]),
    strategies.none() | strategies.floats(0, 20),
    strategies.sampled_from(["none", "echo", "computed", "replayed"]),
)
fates = ballots | strategies.sampled_from(["no-answer", "server-lost", "cancelled", "deadline"])


def outcomes_of(described: list[Any]) -> list[SampleOutcome]:
    return [
        said(number, **each) if isinstance(each, dict) else ended(number, each)
        for number, each in enumerate(described)
    ]


@settings(deadline=None)
@given(strategies.lists(fates, max_size=12), strategies.randoms(), strategies.floats(1, 10))
def test_any_order_of_finishing_gives_the_same_tally_to_the_bit(
    described: list[Any], chance: Any, w_code: float
) -> None:
    outcomes = outcomes_of(described)
    shuffled = list(outcomes)
    chance.shuffle(shuffled)
    first, second = (
        tally(each, planned=12, policy=Weighted(w_code=w_code)) for each in (outcomes, shuffled)
    )
    assert first == second
    assert msgspec.json.encode(first) == msgspec.json.encode(second)


@settings(deadline=None)
@given(strategies.lists(fates, max_size=12))
def test_every_sample_is_counted_once_and_shares_sum_to_1(described: list[Any]) -> None:
    counted = count(outcomes_of(described), planned=12)
    named = [n for c in counted.candidates for n in c.samples]
    named += [n for row in counted.without_ballot for n in row.samples]
    assert sorted(named) == list(range(len(described)))
    assert counted.finished + counted.lost + counted.unfinished == len(described)
    assert counted.answered == sum(c.count for c in counted.candidates)
    if counted.candidates:
        assert math.fsum(c.share for c in counted.candidates) == pytest.approx(1.0)


@settings(deadline=None)
@given(strategies.lists(fates, max_size=12), strategies.floats(1, 10))
def test_tally_survives_json_to_the_bit(described: list[Any], w_code: float) -> None:
    counted = tally(outcomes_of(described), planned=12, policy=Weighted(w_code=w_code))
    assert msgspec.json.decode(msgspec.json.encode(counted), type=Tally) == counted
