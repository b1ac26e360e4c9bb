"""Counting a run as its settings say: policy, rules, and what a missing entropy leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.solving.counting import Count
from jupyterlab_tir.voting import Ballot, RuleDecision, SampleOutcome


def counted(*fates: str, entropy: float | None = 0.0, **settings: Any) -> Count:
    """Samples in launch order: a status, or else an answer (`!` code-verified)."""
    count = Count(Config(**settings))
    for number, fate in enumerate(fates):
        if "-" in fate or fate == "cancelled":
            outcome = SampleOutcome(sample=number, status=fate, tokens=10)  # type: ignore[arg-type]
        else:
            raw = fate.strip("!")
            level: Any = "replayed" if fate.endswith("!") else "none"
            ballot = Ballot(answer=canonical(raw), raw=raw, verification=level, entropy=entropy)
            outcome = SampleOutcome(sample=number, status="answered", ballot=ballot, tokens=100)
        count.add(outcome)
    return count


def rule_of(count: Count) -> str | None:
    decision = count.decide()
    return decision.rule if decision is not None else None


@pytest.mark.parametrize(
    ("policy", "w_code", "leader", "weight"),
    [
        # 9 weighs 2 · w_code, 5 weighs 3.
        ("weighted", 2.0, "9", 4.0),
        ("weighted", 1.4, "5", 3.0),
        ("majority", 2.0, "5", 3.0),
        ("votes-first", 2.0, "5", 3.0),
    ],
)
def test_policy_of_the_settings_finds_the_leader(
    policy: str, w_code: float, leader: str, weight: float
) -> None:
    found = counted("9!", "9!", "5", "5", "5", policy=policy, w_code=w_code).tally()
    assert found.policy == policy
    assert found.leader is not None
    assert (found.leader.shown, found.leader.weight) == (leader, weight)


def test_rules_ask_the_policy() -> None:
    # One sample to come: 5 has 3 of 4 samples, and 9 could weigh 2 + 2.
    for policy, rule in (
        ("weighted", None),
        ("majority", "uncatchable"),
        ("votes-first", "uncatchable"),
    ):
        count = counted("5", "5", "5", "9!", samples=5, policy=policy, stop="none")
        assert rule_of(count) == rule


def test_share_takes_tau_and_the_answers_to_wait_for_from_the_settings() -> None:
    four = ("5", "5", "5", "5", "9")
    assert rule_of(counted(*four, samples=100)) == "share"
    assert rule_of(counted(*four, samples=100, tau=0.8)) is None
    assert rule_of(counted(*four, samples=100, tau=0.8, stop="share:0.75")) == "share"
    assert rule_of(counted(*four, samples=100, min_answers=6)) is None


def test_missing_entropies_stay_open_unless_none_are_asked_for() -> None:
    answers = ("5",) * 6
    assert rule_of(counted(*answers, entropy=None, samples=7, stop="none")) is None
    never = counted(*answers, entropy=None, samples=7, stop="none", top_logprobs=0)
    assert rule_of(never) == "uncatchable"


def test_what_ended_early_is_added_up() -> None:
    saved = counted("5", "cancelled", "server-lost", "cancelled", samples=8).saved(launched=5)
    assert (saved.not_started, saved.cancelled, saved.wasted_tokens) == (3, 2, 20)


def test_reason_tells_which_rule_fired_and_at_which_sample() -> None:
    count = Count(Config(samples=32, stop="share:0.6,lead:3", min_answers=6))
    # In order of finishing: sample 11, launched last, makes the lead three.
    for number, raw in ((0, "5"), (3, "7"), (2, "5"), (1, "5"), (10, "5")):
        ballot = Ballot(answer=canonical(raw), raw=raw, entropy=0.0)
        count.add(SampleOutcome(sample=number, status="answered", ballot=ballot))
    decision = count.decide()
    said = (
        "The rule lead:3 fired after 5 of 32 samples, with sample 11: 5 has 4 samples, 3 more than "
        "any other answer: a lead of 3 was asked for, and the weights agree."
    )
    assert count.status(count.tally(), "rule", decision) == ("answered", said)
    count.lower(20, "Time is short.")
    said = said.replace("of 32", "of 20")
    assert count.status(count.tally(), "rule", decision) == ("answered", f"{said} Time is short.")


def test_reason_names_the_rule_alone_where_a_record_says_no_more() -> None:
    old = RuleDecision(rule="share", words="4 of 4 say 5.", after=4)
    said = counted("5", "5", "5", "5", samples=16)
    words = "The rule share fired after 4 of 16 samples: 4 of 4 say 5."
    assert said.status(said.tally(), "rule", old) == ("answered", words)


def test_only_lost_samples_mean_that_the_server_is_gone() -> None:
    assert counted("server-lost", "request-refused").all_lost
    assert not counted("server-lost", "cancelled").all_lost


def test_unexpected_answers_are_listed_in_launch_order() -> None:
    count = Count(Config())
    for number in (3, 1):
        count.add(SampleOutcome(sample=number, status="unexpected-answer"))
    assert [outcome.sample for outcome in count.unexpected] == [1, 3]
