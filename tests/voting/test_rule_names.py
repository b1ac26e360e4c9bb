"""Stop rules as users write them."""

from __future__ import annotations

import pytest

from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.voting.rules import Beta, Lead, Planned, Rule, Share, Window, parse_rules
from jupyterlab_tir.voting.rules_uncatchable import Uncatchable


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

    @pytest.mark.parametrize("tau", [2 / 3, 0.1 + 0.6, 0.5000000000000001, 0.75 - 2**-53])
    def test_take_any_double(self, tau: float) -> None:
        assert parse_rules("usual", tau=tau) == (Uncatchable(), Share(tau, 4), Beta(0.97))
        assert parse_rules(f"share:{tau!r}") == (Uncatchable(), Share(tau, 4))

    def test_take_more_decimals_than_a_double_holds(self) -> None:
        assert parse_rules("share:0.66666666666666666667")[1] == Share(2 / 3, 4)
        with pytest.raises(UsageError, match="takes a share from"):
            parse_rules("share:0.666666666666666666667")

    def test_say_which_rules_usual_stands_for_where_one_of_them_is_there_too(self) -> None:
        with pytest.raises(UsageError) as refused:
            parse_rules("usual,beta:0.9", tau=0.75)
        assert str(refused.value) == (
            "The stop rule beta is there twice, since usual stands for it too: name it once."
        )
        # With a stricter share, usual is share alone.
        assert parse_rules("usual,beta:0.9", tau=0.8)[1:] == (Share(0.8, 4), Beta(0.9))

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
