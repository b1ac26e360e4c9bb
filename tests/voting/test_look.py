"""One look at a run: what it knows, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from jupyterlab_tir.voting import SampleOutcome, apply_rules, parse_rules, samples_short
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.prospects import prospects
from jupyterlab_tir.voting.rules_look import look
from jupyterlab_tir.voting.votes import Vote, answer_votes

from .conftest import run_of


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

    def test_votes_are_sorted_out_once_for_all_rules(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[int] = []

        def votes(policy: Weighted, outcomes: Sequence[SampleOutcome]) -> list[Vote]:
            del policy
            asked.append(len(outcomes))
            return answer_votes(outcomes)

        monkeypatch.setattr(Weighted, "votes", votes)
        rules = parse_rules("share:0.75,beta:0.97,lead:3,window:3,planned:0.5")
        now = look(run_of("5", "9", "(1, 2)", "0.3333333333333333"), planned=9, policy=Weighted())
        assert apply_rules(rules, now) is None
        # One more for 5, of which the last two may be forms: 4 of 5 are more than three quarters.
        assert samples_short(rules, now) == 1
        assert asked == [4]
        assert now.once(prospects) is now.once(prospects)

    def test_what_is_found_out_once_is_of_that_look_alone(self) -> None:
        first, second = (look(run_of(*said), planned=9, policy=Weighted()) for said in ("5", "55"))
        assert [now.once(lambda now: now.finished) for now in (first, second)] == [1, 2]
        assert first == look(run_of("5"), planned=9, policy=Weighted())

    @pytest.mark.parametrize(
        ("fates", "last"),
        [
            ((), None),
            (("5", "no-answer"), 1),
            # The server's loss is an end, too, and may leave nothing that could still change.
            (("5", "server-lost"), 1),
            (("5", "cancelled", "cancelled"), 0),
            (("cancelled",), None),
        ],
    )
    def test_last_sample_is_one_that_the_run_did_not_end(
        self, fates: tuple[str, ...], last: int | None
    ) -> None:
        assert look(run_of(*fates), planned=9, policy=Weighted()).last == last

    def test_refuses_a_sample_that_ended_twice(self) -> None:
        with pytest.raises(ValueError, match="ended twice"):
            look(run_of("5") * 2, planned=4, policy=Weighted())
