"""Stop rules that count heads: when each fires, what it says, and how they combine."""

from __future__ import annotations

import msgspec
import pytest

from jupyterlab_tir.voting import Ballot, BlockBallot, SampleOutcome
from jupyterlab_tir.voting.policies import Blocks, Majority, VotesFirst, Weighted
from jupyterlab_tir.voting.rules import (
    Beta,
    Lead,
    Planned,
    Rule,
    Share,
    Window,
    apply_rules,
    parse_rules,
)
from jupyterlab_tir.voting.rules_look import RuleDecision, look
from jupyterlab_tir.voting.rules_uncatchable import Uncatchable

from .conftest import at, run_of, words_of


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


def test_decisions_of_old_records_have_no_numbers() -> None:
    old = b'{"rule":"share","words":"4 of 5.","after":5}'
    decision = msgspec.json.decode(old, type=RuleDecision)
    assert (decision.sample, decision.numbers) == (None, {})
    now = Share(0.75).check(at("5", "5", "5", "5", "9"))
    assert now is not None
    assert msgspec.json.decode(msgspec.json.encode(now), type=RuleDecision) == now


@pytest.mark.parametrize(
    "text",
    [
        *("share:0.6", "planned:0.123456789", "beta:0.95", "lead:3", "window:12"),
        # A shorter number would be another rule, or none.
        *("share:0.6666666666666666", "beta:0.9999999999"),
    ],
)
def test_decision_spells_its_rule_as_users_write_it(text: str) -> None:
    name, _, number = text.partition(":")
    own = {"share": "tau", "planned": "tau", "beta": "p", "lead": "k", "window": "w"}[name]
    numbers = {"count": 20, "share": 0.9, own: float(number)}
    decision = RuleDecision(rule=name, words="", after=1, numbers=numbers)  # type: ignore[arg-type]
    assert decision.spelled == text


def test_lossless_rule_has_no_number() -> None:
    decision = Uncatchable().check(at("5", "5", planned=3))
    assert decision is not None
    assert decision.spelled == "uncatchable"
    assert decision.in_words(3).startswith(
        "The rule uncatchable fired after 2 of 3 samples, with sample 2: 5 cannot be caught: its "
    )


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


NEXT = "the next answer 0: the chance that it is the majority of the two"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Share(0.9), "1,001 of 1,010 finished samples (99%) say 7: more than tau = 0.9"),
        (Planned(0.9), "1,001 of 1,024 planned samples (98%) say 7: more than tau = 0.9"),
        (
            Beta(0.9),
            f"7 has 1,001 samples and {NEXT} is 0.9999, more than p = 0.9",
        ),
        (
            Lead(3),
            "7 has 1,001 samples, 1,001 more than any other answer: a lead of 3 was asked for",
        ),
    ],
)
def test_counts_of_a_thousand_are_written_as_the_page_writes_them(rule: Rule, words: str) -> None:
    """The page's own are in labextension/tests/revote/rules.test.ts."""
    silent = [SampleOutcome(sample=n, status="no-answer") for n in range(1001, 1010)]
    decision = rule.check(look([*run_of(*["7"] * 1001), *silent], planned=1024, policy=Weighted()))
    assert decision is not None
    assert decision.words == f"{words}, and the weights agree."
