"""Answers that are not what was asked for, and claims: what a run says of both."""

from __future__ import annotations

from typing import Any

import pytest

from jupyterlab_tir import RunResult, solve
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.events import AnswerRead, CodeEnded, Noticed, Tally, VerificationEnded
from jupyterlab_tir.record import read_record
from jupyterlab_tir.solving.verdict import judge
from jupyterlab_tir.voting import Ballot, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted

from .conftest import Scripted

COMPUTED = "```python\nprint(7 ** 4)\n```\n"


def solved(base_url: str, samples: int, **settings: Any) -> RunResult:
    return solve(
        "?", base_url=base_url, samples=samples, **{"mode": "text", "stop": "none", **settings}
    )


def votes(*answers: str) -> Tally:
    outcomes = [
        SampleOutcome(
            sample=number,
            status="answered",
            ballot=Ballot(answer=canonical(answer), raw=answer, entropy=0.0),
        )
        for number, answer in enumerate(answers)
    ]
    return tally(outcomes, planned=len(answers), policy=Weighted())


@pytest.mark.parametrize(
    ("settings", "inside", "outside", "reason"),
    [
        ({"answer": "integer"}, "12", "12.5", "It answered 12.5, which is not an integer."),
        ({"range": "0..999"}, "12", "1000", "It answered 1000, which is outside the range 0..999."),
        ({"answer": "text"}, "yes", "", ""),
        (
            {"answer": "choice"},
            "(B)",
            "17",
            "It answered 17, which is none of the letters A to J.",
        ),
        (
            {"mod": 1000},
            "401",
            "2401",
            "It answered 2401, which is not an integer from 0 to 999, as remainders of 1000 are.",
        ),
    ],
)
def test_an_answer_not_asked_for_votes_for_nobody_and_says_why(
    scripted: Scripted, settings: dict[str, Any], inside: str, outside: str, reason: str
) -> None:
    # One after the other and in this order, nothing is decided before all four have ended.
    base_url = scripted([rf"\boxed{{{outside}}}"], [rf"\boxed{{{inside}}}"])
    result = solved(base_url, 4, parallel=1, **settings)
    assert [(c.shown, c.count) for c in result.tally.candidates] == [(inside, 2)]
    (row,) = result.tally.without_ballot
    if not reason:
        # An empty box is no answer to begin with.
        assert row.status == "no-answer"
        return
    assert (row.status, row.samples) == ("unexpected-answer", (0, 2))
    assert (result.tally.finished, result.tally.answered) == (4, 2)
    record = read_record(result.record)
    assert {o.reason for o in record.outcomes if o.ballot is None} == {reason}
    assert {e.raw for e in record.events if isinstance(e, AnswerRead)} == {inside, outside}
    (notice,) = [e.detail for e in record.events if isinstance(e, Noticed)]
    assert notice == (
        "Answers that were not asked for, and count for no candidate: 2. "
        f"The first, of sample 1: {reason}"
    )


def test_nobody_reduces_a_number_and_nothing_is_replayed_for_it(scripted: Scripted) -> None:
    result = solved(scripted([COMPUTED, r"\boxed{2401}"]), 1, mode="tir", mod=1000)
    assert (result.answer, result.status) == (None, "no-answer")
    assert result.reason == "The one finished sample gave no answer that counts."
    events = read_record(result.record).events
    assert [e for e in events if isinstance(e, CodeEnded)]
    assert not [e for e in events if isinstance(e, VerificationEnded)]


def test_a_letter_with_its_text_votes_for_the_letter(scripted: Scripted) -> None:
    replies = [[rf"\boxed{{{each}}}"] for each in ("c", r"C: 3\sqrt{2}", "(C)", "D")]
    result = solved(scripted(*replies), 4, answer="choice", parallel=1)
    # With three of four the leader cannot be caught.
    assert [c.samples for c in result.tally.candidates] == [(0, 1, 2)]


def test_answers_not_asked_for_hold_the_share_rule_back(scripted: Scripted) -> None:
    # Of each four samples the last three say 5: never more than 0.75 of all that finished.
    base_url = scripted([r"\boxed{500}"], *[[r"\boxed{5}"]] * 3)
    held = solved(base_url, 8, stop="share", range="0..99", parallel=1)
    # 4 of 6 samples weigh 4 exp(-0.3) = 3.0, and two are left, which weigh 2 at most.
    assert held.stop is not None
    assert (held.stop.rule, held.stop.after) == ("uncatchable", 6)


def test_the_settings_are_in_the_record(scripted: Scripted) -> None:
    result = solved(scripted([r"\boxed{5}"]), 1, answer="integer", range="0..9", mod=7)
    settings = read_record(result.record).started.settings
    assert [settings[name] for name in ("answer", "range", "mod")] == ["integer", "0..9", 7]


def test_units_that_differ_are_told_and_change_no_verdict() -> None:
    verdict = judge(r"5\text{ cm}", votes(r"5\text{ kg}", r"5\text{ kg}"))
    assert verdict.verdict == "agrees"
    assert verdict.words == (
        r"The samples agree with 5\text{ cm}: 2 of 2 finished samples, 0 of them code-verified, "
        r"with 100% of the weight. It is the same number, but the units differ: 5\text{ cm} "
        r"against 5\text{ kg}."
    )


def test_a_unit_of_one_letter_is_a_unit_beside_another() -> None:
    assert "the units differ: 5 cm against 5 m" in judge("5 cm", votes("5 m")).words
    assert judge("5 cm", votes("5 m")).verdict == "agrees"
    assert judge("6 cm", votes("5 m")).verdict == "undecided"
    assert judge("6 cm", votes("5 cm")).verdict == "disagrees"
    assert judge("5", votes("5 m")).verdict == "agrees"


@pytest.mark.parametrize(
    ("claim", "answer"),
    [(r"5\text{ cm}^2", "5 square centimetres"), ("5 cm", "5"), (r"\$5", "5 dollars"), ("5", "5")],
)
def test_units_that_agree_or_are_missing_are_not_spoken_of(claim: str, answer: str) -> None:
    verdict = judge(claim, votes(answer))
    assert verdict.verdict == "agrees"
    assert "unit" not in verdict.words


def test_other_number_in_another_unit_is_undecided_since_nothing_is_converted() -> None:
    verdict = judge("1 hour", votes("60 minutes"))
    assert verdict.verdict == "undecided"
    assert "the units differ: 1 hour against 60 minutes (1 of 1" in verdict.words


@pytest.mark.parametrize(
    ("claim", "answer", "verdict", "words"),
    [
        ("0.33", "1/3", "agrees", "The samples agree with 0.33: your 0.33 is 1/3, rounded: 1 of 1"),
        ("1/3", "0.33", "undecided", "the samples say 0.33, which is your 1/3, rounded (1 of 1"),
        ("4", "7/2", "disagrees", "they say 7/2"),
        ("3", "3.2", "disagrees", "they say 3.2"),
        ("0.34", "1/3", "disagrees", "they say 1/3"),
        ("0.5", "1/2", "agrees", "The samples agree with 0.5: 1 of 1"),
    ],
)
def test_rounding_is_told(claim: str, answer: str, verdict: str, words: str) -> None:
    found = judge(claim, votes(answer))
    assert found.verdict == verdict
    assert words in found.words


def test_who_said_what_was_claimed_is_counted() -> None:
    verdict = judge("1/2", votes("3", "3", "3", "0.5", "0.5"))
    assert verdict.verdict == "disagrees"
    assert "; 2 said 1/2." in verdict.words


def test_a_choice_is_compared_as_a_choice() -> None:
    assert judge("C", votes("(C)"), kind="choice").verdict == "agrees"
    assert judge("C: 12", votes("(C)"), kind="choice").verdict == "agrees"


def test_numbers_too_long_to_show_are_compared_in_full() -> None:
    number = "7" * 500
    assert judge(number, votes(number)).verdict == "agrees"
    assert judge(number[:-1] + "8", votes(number)).verdict == "disagrees"
