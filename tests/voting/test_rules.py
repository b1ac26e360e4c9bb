"""Stop rules by name: when each fires, what it says, and how they are read and combined."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies
from scipy.stats import beta

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.answers.canonical import Canonical
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.voting import Ballot, BlockBallot, SampleOutcome
from jupyterlab_tir.voting.policies import Blocks, Majority, Policy, VotesFirst, Weighted
from jupyterlab_tir.voting.rules import (
    Beta,
    Lead,
    Planned,
    Rule,
    Share,
    Window,
    apply_rules,
    majority_chance,
    parse_rules,
)
from jupyterlab_tir.voting.rules_look import Look, RuleDecision, look
from jupyterlab_tir.voting.rules_uncatchable import Uncatchable


def run_of(*fates: str, **given_values: Any) -> list[SampleOutcome]:
    """Samples in launch order: a status, or else an answer with entropy 0 (`!` code-verified)."""
    outcomes = []
    for number, fate in enumerate(fates):
        if "-" in fate or fate == "cancelled":
            outcomes.append(SampleOutcome(sample=number, status=fate))  # type: ignore[arg-type]
            continue
        ballot = Ballot(
            answer=canonical(fate.strip("!")),
            raw=fate.strip("!"),
            verification="replayed" if fate.endswith("!") else "none",
            **{"entropy": 0.0, **given_values},
        )
        outcomes.append(SampleOutcome(sample=number, status="answered", ballot=ballot))
    return outcomes


def at(*fates: str, planned: int = 100, policy: Policy | None = None, **more: Any) -> Look:
    return look(run_of(*fates), planned=planned, policy=policy or Weighted(), **more)


def words_of(decision: RuleDecision | None) -> str:
    assert decision is not None
    return decision.words


class TestShare:
    def test_says_its_numbers(self) -> None:
        assert Share(0.75).check(at("5", "5", "5", "9")) is None  # 3/4 is not above 0.75
        assert Share(0.75).check(at("5", "5", "5", "5", "9")) == RuleDecision(
            rule="share",
            words="4 of 5 finished samples (80%) say 5: more than tau = 0.75, "
            "and the weights agree.",
            after=5,
            sample=4,
            numbers={
                "count": 4,
                "finished": 5,
                "share": 0.8,
                "tau": 0.75,
                "answered": 5,
                "min_answers": 4,
            },
        )

    def test_of_majority_asks_no_weight(self) -> None:
        # 9 weighs 4, 5 has 6 of 8 heads but weighs exp(-4) each.
        outcomes = [
            *run_of("5", "5", "5", "5", "5", "5", entropy=4.0),
            *run_of(*["-"] * 6, "9!", "9!")[6:],
        ]
        now = look(outcomes, planned=20, policy=Weighted())
        assert Share(0.7).check(now) is None
        now = look(outcomes, planned=20, policy=Majority())
        assert words_of(Share(0.7).check(now)).startswith("6 of 8 finished samples (75%) say 5")

    def test_of_blocks_counts_samples_not_votes(self) -> None:
        # 4 of 5 samples stand behind 5, with 12 of 13 votes.
        five = run_of("5")[0].ballot
        assert five is not None
        blocks = tuple(BlockBallot(block=index, ballot=five) for index in range(2))
        *fives, nine = run_of("5", "5", "5", "5", "9")
        said = [msgspec.structs.replace(each, blocks=blocks) for each in fives]
        now = look([*said, nine], planned=100, policy=Blocks())
        assert words_of(Share(0.75).check(now)).startswith("4 of 5 finished samples (80%) say 5")
        assert Share(0.8).check(now) is None


class TestPlanned:
    def test_counts_over_all_planned_samples(self) -> None:
        assert Planned(0.75).check(at(*["5"] * 6, planned=8)) is None  # 6/8 is not above 0.75
        assert Planned(0.75).check(at(*["5"] * 7, planned=8)) == RuleDecision(
            rule="planned",
            words="7 of 8 planned samples (88%) say 5: more than tau = 0.75, "
            "and the weights agree.",
            after=7,
            sample=6,
            numbers={"count": 7, "planned": 8, "share": 0.875, "tau": 0.75},
        )

    def test_quotient_decides_not_a_rounded_product(self) -> None:
        # 0.57 * 100 is 56.99999999999999.
        assert Planned(0.57).check(at(*["5"] * 57, planned=100)) is None
        assert Planned(0.57).check(at(*["5"] * 58, planned=100)) is not None


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


class TestLead:
    def test_counts_the_distance_to_the_second(self) -> None:
        assert Lead(3).check(at("5", "5", "5", "9", "8")) is None
        assert Lead(3).check(at("5", "5", "5")) is not None
        assert Lead(3).check(at("5", "5", "5", "5", "9", "8", "no-answer")) == RuleDecision(
            rule="lead",
            words="5 has 4 samples, 3 more than any other answer: a lead of 3 was asked for, "
            "and the weights agree.",
            after=7,
            sample=6,
            numbers={"count": 4, "second": 1, "lead": 3, "k": 3},
        )


class TestWindow:
    def test_last_samples_must_all_say_what_leads(self) -> None:
        assert Window(3).check(at("9", "5", "5")) is None
        assert Window(3).check(at("9", "5", "5", "5")) == RuleDecision(
            rule="window",
            words="The last 3 finished samples all say 5, and the weights agree.",
            after=4,
            sample=3,
            numbers={"streak": 3, "w": 3},
        )
        assert Window(3).check(at("9", "9", "9", "9", "5", "5", "5")) is None

    def test_order_of_finishing_counts_not_of_launching(self) -> None:
        outcomes = run_of("5", "5", "9", "5")
        late_nine = [outcomes[n] for n in (0, 1, 3, 2)]
        early_nine = [outcomes[n] for n in (2, 0, 1, 3)]
        assert Window(3).check(look(late_nine, planned=9, policy=Weighted())) is None
        assert Window(3).check(look(early_nine, planned=9, policy=Weighted())) is not None

    def test_sample_without_an_answer_breaks_it_and_a_lost_one_does_not(self) -> None:
        assert Window(3).check(at("5", "5", "no-answer", "5")) is None
        assert Window(3).check(at("5", "5", "server-lost", "cancelled", "5")) is not None


def test_tied_lead_stops_nothing() -> None:
    # Two heads against one at equal weight: 2/3 of the heads, but the order is by tie-break.
    for rule in (Share(0.5, 3), Lead(1), Window(2)):
        assert rule.check(at("9!", "5", "5")) is None
        assert rule.check(at("9!", "5", "5", policy=Majority())) is not None


def test_leader_by_weight_with_fewer_heads_stops_nothing() -> None:
    # 9 weighs 4 and was said last; 5 has 3 heads of 5.
    assert Window(2).check(at("5", "5", "5", "9!", "9!")) is None
    assert Window(2).check(at("5", "5", "9!", "9!")) is not None


@pytest.mark.parametrize("rule", [Share(0.5), Planned(0.5), Beta(0.5), Lead(1), Window(2)])
def test_no_rule_that_counts_heads_overrules_the_weights(rule: Rule) -> None:
    # 5 has 5 of 6 heads, the last ones too, and weight 5 · exp(-4) = 0.09; 9 weighs 2.
    nine, *fives = run_of("9!", *["5"] * 5)
    faint = [
        SampleOutcome(sample=o.sample, status="answered", ballot=dull)
        for o in fives
        if o.ballot is not None
        for dull in [Ballot(answer=o.ballot.answer, raw="5", entropy=4.0)]
    ]
    assert rule.check(look([nine, *faint], planned=8, policy=Weighted())) is None
    for policy in (Majority(), VotesFirst()):
        assert rule.check(look([nine, *faint], planned=8, policy=policy)) is not None


@pytest.mark.parametrize(
    "rule", [Share(0.5, 1), Planned(0.5), Beta(0.5), Lead(1), Window(2), Uncatchable()]
)
@pytest.mark.parametrize("fates", [[], ["no-answer"] * 3, ["server-lost"] * 3])
def test_nobody_answered_stops_nothing(rule: Rule, fates: list[str]) -> None:
    assert rule.check(at(*fates)) is None


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


class TestLook:
    def test_knows_what_may_still_come(self) -> None:
        now = look(
            run_of("5", "server-lost", "no-answer", "cancelled"),
            planned=6,
            policy=Weighted(),
            retriable=[1],
        )
        assert (now.coming, now.finished, now.answered) == ((1, 4, 5), 2, 1)
        assert [outcome.sample for outcome in now.outcomes] == [0, 2, 3]

    @pytest.mark.parametrize(
        ("given_values", "why"),
        [
            ({"planned": 1}, "not planned"),
            ({"retriable": [0]}, "server lost can be asked again"),
            ({"retriable": [3]}, "server lost can be asked again"),
            ({"replaying": [3]}, "ended can be replayed"),
        ],
    )
    def test_refuses_what_cannot_be(self, given_values: dict[str, Any], why: str) -> None:
        with pytest.raises(ValueError, match=why):
            look(run_of("5", "5"), **{"planned": 4, "policy": Weighted(), **given_values})

    def test_refuses_a_sample_that_ended_twice(self) -> None:
        with pytest.raises(ValueError, match="ended twice"):
            look(run_of("5") * 2, planned=4, policy=Weighted())


class TestNames:
    @pytest.mark.parametrize(
        ("text", "rules"),
        [
            ("none", ()),
            ("uncatchable", ()),
            ("share:0.75", (Share(0.75, 4),)),
            ("planned:1", (Planned(1.0),)),
            ("share:0.75,uncatchable", (Share(0.75, 4),)),
            (" beta:0.95 , lead:3,window:5", (Beta(0.95), Lead(3), Window(5))),
            ("lead:3.0", (Lead(3),)),
        ],
    )
    def test_make_rules_with_the_lossless_one_first(
        self, text: str, rules: tuple[Rule, ...]
    ) -> None:
        assert parse_rules(text) == (Uncatchable(), *rules)

    def test_share_without_a_number_takes_tau(self) -> None:
        assert parse_rules("share", tau=0.9) == (Uncatchable(), Share(0.9, 4))
        assert parse_rules("lead:3, share", tau=0.7 + 1e-12)[2] == Share(0.7 + 1e-12, 4)
        assert parse_rules("share:0.8", tau=0.9)[1] == Share(0.8, 4)
        for text in ("share:", "beta", "planned"):
            with pytest.raises(UsageError, match="it got none"):
                parse_rules(text, tau=0.9)

    def test_share_waits_for_as_many_answers_as_it_is_told(self) -> None:
        assert parse_rules("share:0.8", min_answers=2)[1] == Share(0.8, 2)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "There is no stop rule '': choose from usual, share:0.75"),
            ("shares:0.75", "There is no stop rule 'shares'"),
            ("share:0.75,", "There is no stop rule ''"),
            ("share:0.75,share:0.8", "The stop rule share is there twice"),
            ("none,share:0.75", "The stop rule none stands alone"),
            ("none:1", "The stop rule none takes no number"),
            ("share", r"takes a share from 0\.5 to 1, as in share:0\.75; it got none\."),
            ("share:0.4", r"it got '0\.4'"),
            ("share:75", "it got '75'"),
            ("share:nan", "it got 'nan'"),
            ("planned:1_0", "it got '1_0'"),
            ("beta:1", "a probability from 0.5 to below 1"),
            ("beta:-0.9", "it got '-0.9'"),
            ("lead:0", "a whole number from 1"),
            ("lead:2.5", "it got '2.5'"),
            ("window:1", "a whole number from 2"),
            ("window:\N{ARABIC-INDIC DIGIT FIVE}", "a whole number from 2"),
            ("lead:" + "9" * 100_000, r"There is no stop rule 'lead'|it got '9{20}'"),
            ("," * 1_000_000, "There is no stop rule"),
        ],
    )
    def test_that_cannot_be_are_refused_in_a_sentence(self, text: str, words: str) -> None:
        with pytest.raises(UsageError, match=words) as refused:
            parse_rules(text)
        assert len(str(refused.value)) < 200


def test_decisions_of_old_records_have_no_numbers() -> None:
    old = b'{"rule":"share","words":"4 of 5.","after":5}'
    decision = msgspec.json.decode(old, type=RuleDecision)
    assert (decision.sample, decision.numbers) == (None, {})
    now = Share(0.75).check(at("5", "5", "5", "5", "9"))
    assert now is not None
    assert msgspec.json.decode(msgspec.json.encode(now), type=RuleDecision) == now


def test_decision_names_the_sample_that_ended_last() -> None:
    outcomes = run_of("5", "5", "5", "5", "9")
    decision = Share(0.75).check(look(outcomes[::-1], planned=9, policy=Weighted()))
    assert decision is not None
    assert decision.sample == 0


class TestCombined:
    def test_lossless_rule_is_asked_first(self) -> None:
        rules = (Share(0.75), Uncatchable())
        both = apply_rules(rules, at(*["5"] * 6, planned=8))
        assert both is not None
        assert both.rule == "uncatchable"
        only_share = apply_rules(rules, at(*["5"] * 6))
        assert only_share is not None
        assert only_share.rule == "share"

    def test_any_of_them_stops(self) -> None:
        rules = parse_rules("lead:5,window:2")
        stop = apply_rules(rules, at("5", "9", "5", "5"))
        assert stop is not None
        assert stop.rule == "window"
        assert apply_rules(rules, at("5", "5", "9")) is None

    def test_run_with_nothing_to_come_is_not_stopped(self) -> None:
        rules = parse_rules("share:0.5,planned:0.5,beta:0.5,lead:1,window:2")
        assert apply_rules(rules, at(*"55555", planned=5)) is None


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
