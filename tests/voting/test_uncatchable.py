"""The lossless rule: what it fears, what it says, and that it stays true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings, strategies

from jupyterlab_tir.answers.canonical import Canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome
from jupyterlab_tir.voting.policies import Blocks, Majority, Policy, VotesFirst, Weighted
from jupyterlab_tir.voting.rules_look import RuleDecision, look
from jupyterlab_tir.voting.rules_uncatchable import Uncatchable

from .conftest import at, run_of, words_of


class TestUncatchable:
    def test_says_its_numbers(self) -> None:
        assert Uncatchable().check(at("5", "5", "5!", "9", planned=5)) == RuleDecision(
            rule="uncatchable",
            words="5 cannot be caught: its weight is at least 4.00, and no other answer can pass "
            "3.00 with 1 of 5 samples still to come.",
            after=4,
            sample=3,
            numbers={
                "least_weight": 4.0,
                "most_weight": 3.0,
                "coming": 1,
                "replaying": 0,
                "planned": 5,
            },
        )

    def test_counts_decide_where_the_policy_says_so(self) -> None:
        fates = ("5", "5", "5", "9!")
        assert Uncatchable().check(at(*fates, planned=5)) is None  # 3 to 2 + 2
        for policy in (Majority(), VotesFirst()):
            stop = Uncatchable().check(at(*fates, planned=5, policy=policy))
            assert words_of(stop) == (
                "5 cannot be caught: its count is at least 3, and no other answer can pass 2 with "
                "1 of 5 samples still to come."
            )

    def test_certain_tie_break_is_enough(self) -> None:
        # 5 weighs 4 with 4 heads; 9 could reach 2 + 2 with 2: a tie, and 5 has the greater count.
        stop = Uncatchable().check(at("5", "5", "5", "5", "9!", planned=6))
        assert words_of(stop).endswith(
            "pass 4.00 with 1 of 6 samples still to come; a tie goes to it by count."
        )
        # Equal in all: 5 was launched first, and then the sample to come is.
        first = look(run_of("5!", "5!", "9!"), planned=4, policy=Majority())
        assert words_of(Uncatchable().check(first)).endswith("a tie goes to it by launch order.")
        outcomes = run_of("-", "5!", "5!", "9!")[1:]
        assert Uncatchable().check(look(outcomes, planned=4, policy=Majority())) is None

    def test_sample_that_is_asked_again_may_still_answer(self) -> None:
        # 5 has 3, 9 has 1: one sample to come leaves 5 in front, two may not.
        fates = ("5", "5", "5", "server-lost", "9")
        lost = at(*fates, planned=6, policy=Majority())
        assert words_of(Uncatchable().check(lost)).endswith("1 of 6 samples still to come.")
        again = at(*fates, planned=6, policy=Majority(), retriable=[3])
        assert Uncatchable().check(again) is None

    def test_pending_replays_are_at_their_bound(self) -> None:
        # 5 weighs 2, or more; 9 weighs 1, or 2 if its replay succeeds, but with one head.
        waiting = look(run_of("9", "5", "5"), planned=3, policy=Weighted(), replaying=[0, 1])
        assert words_of(Uncatchable().check(waiting)).endswith(
            "with 0 of 3 samples still to come and 2 to be replayed; a tie goes to it by count."
        )
        # 9, launched first, would be equal in all; launched later it would come second.
        equal = look(run_of("9", "5!"), planned=2, policy=Weighted(), replaying=[0])
        assert Uncatchable().check(equal) is None
        later = look(run_of("5!", "9"), planned=2, policy=Weighted(), replaying=[1])
        assert words_of(Uncatchable().check(later)).endswith("a tie goes to it by launch order.")

    def test_replay_of_the_only_answer_changes_nothing(self) -> None:
        now = look(run_of("5", "no-answer"), planned=2, policy=Weighted(), replaying=[0])
        assert Uncatchable().check(now) is not None
        assert Uncatchable().check(at("5", "no-answer", planned=2)) is None

    def test_server_that_never_sends_logprobs_leaves_no_doubt(self) -> None:
        outcomes = run_of("5", "5", "5", "5", entropy=None)
        args: dict[str, Any] = {"planned": 5, "policy": Weighted()}
        assert Uncatchable().check(look(outcomes, **args)) is None
        stop = Uncatchable().check(look(outcomes, **args, measurable=False))
        assert words_of(stop).startswith("5 cannot be caught: its weight is at least 4.00")

    def test_missing_entropies_may_yet_weigh_as_much_as_the_most(self) -> None:
        # 5 weighs 2 + 2 · exp(-2) = 2.27. The median factor of 1, 1, exp(-2), exp(-2) becomes 1 if
        # one more of entropy 0 comes: 9 then weighs 3, with two answers that were not measured.
        outcomes = [
            *run_of("5", "5"),
            *run_of("-", "-", "5", "5", entropy=2.0)[2:],
            *run_of(*["-"] * 4, "9", "9", entropy=None)[4:],
        ]
        policy = Weighted(w_code=1.0)
        assert Uncatchable().check(look(outcomes, planned=7, policy=policy)) is None
        nine = run_of(*["-"] * 6, "9")[6]
        assert policy.candidates([*outcomes, nine])[0].shown == "9"
        assert Uncatchable().check(look(outcomes[:5], planned=6, policy=policy)) is not None

    def test_float_of_the_leader_cannot_go_to_a_rival(self) -> None:
        # 1/3 has 4 exact ballots. Its floats may leave it, for 2 + 1, but not for 2, with 1 + 1.
        third, other = "0.3333333333333333", "0.7777777777777777"
        fates = ["1/3"] * 4 + [third] * 2 + ["2"]
        assert Uncatchable().check(at(*fates, planned=8, policy=Majority())) is not None
        # Floats of something else may be for any rival, as far as we know: 1 + 2 + 1.
        fates = ["1/3"] * 4 + [other] * 2 + ["2"]
        assert Uncatchable().check(at(*fates, planned=8, policy=Majority())) is None

    def test_form_that_is_read_as_the_leader_counts_for_it(self) -> None:
        # The pair has 1 exact ballot and 3 of "(1, 2)", which are read as it; 2 may reach 1 + 1.
        pair = Canonical(key="s:(q:1,q:2)", shown="x = 1, y = 2", form="exact")
        exact = Ballot(answer=pair, raw=pair.shown, entropy=0.0)
        outcomes = run_of("2", "(1, 2)", "(1, 2)", "(1, 2)")
        named = [*outcomes, SampleOutcome(sample=4, status="answered", ballot=exact)]
        assert Uncatchable().check(look(named, planned=6, policy=Majority())) is not None
        # Without it, all three may yet be read as the interval.
        assert Uncatchable().check(look(outcomes, planned=5, policy=Majority())) is None

    def test_blocks_may_bring_much(self) -> None:
        # One sample to come may bring 1 + 2 · 2 = 5.
        policy = Blocks(max_blocks=2)
        assert Uncatchable().check(at(*["5"] * 5, planned=6, policy=policy)) is not None  # by count
        assert Uncatchable().check(at(*["5"] * 4, planned=5, policy=policy)) is None


THIRDS = ["1/3", "0.3333333333333333", "3333333333333333/10000000000000000"]


SEEN = ["2", "2", "2", "2", "2!", "9", "9!", *THIRDS, "(1, 2)"]


fates = strategies.builds(
    lambda fate, entropy: run_of(fate, entropy=entropy)[0],
    strategies.sampled_from([*SEEN, "no-answer", "server-lost"]),
    strategies.none() | strategies.just(0.0) | strategies.floats(0, 2),
)


policies = strategies.sampled_from([Weighted(), Weighted(w_code=1.2), Majority(), VotesFirst()])


def numbered(outcomes: Sequence[SampleOutcome]) -> list[SampleOutcome]:
    return [
        SampleOutcome(sample=number, status=each.status, ballot=each.ballot)
        for number, each in enumerate(outcomes)
    ]


@settings(deadline=None)
@given(
    strategies.lists(fates, min_size=2, max_size=12),
    strategies.integers(0, 3),
    policies,
    strategies.randoms(),
)
def test_what_was_uncatchable_stays_uncatchable_whatever_comes(
    described: list[SampleOutcome], left: int, policy: Policy, chance: Any
) -> None:
    outcomes = numbered(described)
    chance.shuffle(outcomes)
    planned = len(outcomes) + left
    fired = None
    for ended in range(1, len(outcomes) + 1):
        now = look(outcomes[:ended], planned=planned, policy=policy)
        if fired is not None:
            assert now.leader is not None
            assert now.leader.key == fired
            assert not now.open or Uncatchable().check(now) is not None
        elif Uncatchable().check(now) is not None and now.leader is not None:
            fired = now.leader.key


@settings(deadline=None)
@given(strategies.lists(fates, min_size=1, max_size=10), strategies.integers(1, 4), policies)
def test_another_ballot_for_the_leader_never_makes_it_catchable(
    described: list[SampleOutcome], left: int, policy: Policy
) -> None:
    outcomes = numbered(described)
    planned = len(outcomes) + left
    now = look(outcomes, planned=planned, policy=policy)
    if Uncatchable().check(now) is None or now.leader is None or left == 1:
        return
    [one] = [o for o in outcomes if o.sample == now.leader.samples[0]]
    more = SampleOutcome(sample=len(outcomes), status="answered", ballot=one.ballot)
    assert Uncatchable().check(look([*outcomes, more], planned=planned, policy=policy)) is not None
