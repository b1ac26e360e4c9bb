"""The default rules: what counts in the share, and what the lossless rule counts as certain."""

from __future__ import annotations

from typing import Any

import pytest

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import (
    Ballot,
    RuleDecision,
    SampleOutcome,
    apply_rules,
    look,
    parse_rules,
)
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.rules import Share


def run_of(*fates: str, **given_values: Any) -> list[SampleOutcome]:
    """Samples in launch order: a status, or else an answer with entropy 0 (`!` code-verified)."""
    outcomes = []
    for number, fate in enumerate(fates):
        if fate.isalpha() or "-" in fate:
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


def share(
    outcomes: list[SampleOutcome],
    tau: float = 0.75,
    min_answers: int = 4,
    planned: int = 100,
) -> RuleDecision | None:
    return Share(tau, min_answers).check(look(outcomes, planned=planned, policy=Weighted()))


def lossless(
    outcomes: list[SampleOutcome], *, planned: int, w_code: float = 2.0
) -> RuleDecision | None:
    now = look(outcomes, planned=planned, policy=Weighted(w_code=w_code))
    return apply_rules(parse_rules("none"), now)


def test_share_must_be_above_tau() -> None:
    assert share(run_of("5", "5", "5", "9")) is None  # 3/4 is not above 0.75
    stop = share(run_of("5", "5", "5", "5", "9"))  # 4/5 is
    assert stop is not None
    assert (stop.rule, stop.after, stop.sample) == ("share", 5, 4)
    assert stop.words == (
        "4 of 5 finished samples (80%) say 5: more than tau = 0.75, and the weights agree."
    )


@pytest.mark.parametrize(
    ("leader", "finished", "tau"),
    [(57, 100, 0.57), (29, 50, 0.58), (7, 10, 0.7), (11, 20, 0.55), (5, 5, 1.0)],
)
def test_share_that_equals_tau_is_not_above_it(leader: int, finished: int, tau: float) -> None:
    # 0.57 * 100 is 56.99999999999999: rounding must not decide.
    outcomes = run_of(*["5"] * leader, *["9"] * (finished - leader))
    assert share(outcomes, tau=tau, planned=1000) is None


def test_too_few_answers_stop_nothing_however_they_agree() -> None:
    assert share(run_of("5", "5", "5")) is None
    assert share(run_of("5", "5", "5"), min_answers=3) is not None
    assert share(run_of("5", "5", "5", "server-lost", "cancelled")) is None


def test_samples_without_an_answer_count_in_the_share() -> None:
    # 5 of 7 finished is below 0.75, 5 of 6 above it.
    assert share(run_of("5", "5", "5", "5", "5", "no-answer", "token-limit")) is None
    stop = share(run_of("5", "5", "5", "5", "5", "no-answer"))
    assert stop is not None
    assert stop.after == 6


def test_answers_that_were_not_asked_for_count_in_the_share_and_for_nobody() -> None:
    assert share(run_of("5", "5", "5", "5", "5", "unexpected-answer", "unexpected-answer")) is None
    stop = share(run_of("5", "5", "5", "5", "5", "unexpected-answer"))
    assert stop is not None
    assert stop.words.startswith("5 of 6 finished samples (83%) say 5")


def test_samples_that_the_server_lost_or_the_run_ended_do_not_count_in_the_share() -> None:
    lost = ["server-lost", "request-refused", "deadline", "cancelled"] * 5
    stop = share(run_of("5", "5", "5", "5", "5", *lost))
    assert stop is not None
    assert stop.words.startswith("5 of 5 finished samples (100%)")


def test_weights_and_counts_must_have_one_leader() -> None:
    # 5 has 4 of 5 heads and weight 4 · exp(-4) = 0.07; 9 weighs 2.
    outcomes = run_of("5", "5", "5", "5", entropy=4.0)
    nine = run_of("9!")[0]
    outcomes.append(SampleOutcome(sample=4, status="answered", ballot=nine.ballot))
    assert share(outcomes) is None
    assert share(outcomes[:4]) is not None


def test_weights_alone_stop_nothing_even_where_tau_would_let_them() -> None:
    # 9 weighs 4 with 2 of 5 heads, 5 weighs 3 with 3: the share of 9 is above 0.3.
    assert share(run_of("9!", "9!", "5", "5", "5"), tau=0.3) is None
    assert share(run_of("9!", "9!", "9!", "5", "5"), tau=0.3) is not None


def test_tied_lead_stops_nothing() -> None:
    # Two heads against one at equal weight: 2/3 of the heads, but the order is by tie-break.
    outcomes = run_of("5", "5", "9!")
    assert share(outcomes, tau=0.5, min_answers=3) is None


def test_nobody_answered_stops_nothing() -> None:
    assert share(run_of("no-answer", "no-answer"), min_answers=1) is None
    assert share([]) is None


def test_leader_out_of_reach_stops_the_run_with_its_numbers() -> None:
    # 5 has 2, 9 has 1 and could get 2 more from the one sample left.
    assert lossless(run_of("5", "5", "9"), planned=4) is None
    stop = lossless(run_of("5", "5", "5!", "9"), planned=5)
    assert stop is not None
    assert (stop.rule, stop.after, stop.sample) == ("uncatchable", 4, 3)
    assert stop.words == (
        "5 cannot be caught: its weight is at least 4.00, and no other answer can pass 3.00 with "
        "1 of 5 samples still to come."
    )


def test_answer_that_nobody_gave_yet_is_a_rival_too() -> None:
    # Two left may bring a new answer 4; at equal weight, 5 has 4 samples and it has 2.
    assert lossless(run_of("5", "5", "5"), planned=5) is None
    assert lossless(run_of("5", "5", "5", "5"), planned=6) is not None


def test_lost_samples_leave_less_to_come() -> None:
    outcomes = run_of("5", "5", "5", "server-lost", "no-answer")
    assert lossless(outcomes, planned=6) is not None
    assert lossless(outcomes, planned=7) is None


def test_run_with_nothing_to_come_is_not_stopped() -> None:
    assert lossless(run_of("5", "5", "5"), planned=3) is None


def test_unmeasured_ballots_of_the_leader_may_yet_weigh_nothing() -> None:
    assert lossless(run_of(*["5"] * 9, entropy=None), planned=10) is None


def test_floats_of_the_leader_may_yet_leave_it() -> None:
    outcomes = run_of("1/3", *["0.3333333333333333"] * 8)
    assert lossless(outcomes, planned=10) is None


def test_rounding_must_not_make_a_tie_uncatchable() -> None:
    # 7 against 3 at weight 1.2, 4 to come: 8.4 to 8.4, a tie that the launch order may give to 9.
    # Summed in two steps, 3.6 + 4.8 is 8.399999999999999.
    outcomes = run_of(*["9!"] * 3, *["5!"] * 7)
    assert lossless(outcomes, planned=14, w_code=1.2) is None


@pytest.mark.parametrize(
    ("planned", "rules", "rule"),
    [
        (8, "share:0.75", "uncatchable"),
        (100, "share:0.75", "share"),
        (100, "none", None),
        (6, "share:0.75", None),
    ],
)
def test_lossless_rule_is_always_there_and_asked_first(
    planned: int, rules: str, rule: str | None
) -> None:
    now = look(run_of("5", "5", "5", "5", "5", "5"), planned=planned, policy=Weighted())
    stop = apply_rules(parse_rules(rules), now)
    assert (stop.rule if stop else None) == rule
