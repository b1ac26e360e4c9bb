"""Voting again with the entropies of other tokens than those by which the run weighed its votes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from jupyterlab_tir.errors import RecordError
from jupyterlab_tir.events import SampleEnded
from jupyterlab_tir.record import Record, revote
from jupyterlab_tir.record.decoding import DECODER
from jupyterlab_tir.record.windows import recorded_windows
from jupyterlab_tir.voting import BlockBallot, SampleOutcome
from jupyterlab_tir.voting.windows import WindowEntropies

from .conftest import Making, said
from .test_revoting_parts import go_on

LN2, LN4 = math.log(2), math.log(4)


def entropies(whole: float, *last: float | None) -> WindowEntropies:
    return WindowEntropies(whole=whole, last=last)


def windowed(record: Record, *windows: WindowEntropies | None) -> Record:
    """The same with these entropies, by sample."""
    events = [
        replace(event, windows=windows[event.outcome.sample])
        if isinstance(event, SampleEnded)
        else event
        for event in record.events
    ]
    return replace(record, events=tuple(events))


@pytest.fixture
def three(making: Callable[..., Making]) -> Record:
    """Two are sure of 7 until their last tokens, and one of 9 in the end; it is the longest."""
    fates = [said(0, "7"), said(1, "7"), said(2, "9", entropy=LN2)]
    record = making(samples=3, stop="none").begin(0, 1, 2).end(*fates).record()
    return windowed(record, entropies(0.0, LN4), entropies(0.0, LN4), entropies(LN2, 0.0, LN2))


@pytest.mark.parametrize(
    ("window", "answer", "weight"),
    [
        # 1 + 1 to 1/2.
        (None, "7", 2.0),
        # 1/4 + 1/4 to 1.
        (16, "9", 1.0),
        # Those of 7 have no more than 32 tokens.
        (32, "7", 2.0),
        (64, "7", 2.0),
        (1_000_000, "7", 2.0),
    ],
)
def test_votes_weigh_by_the_window_asked_for(
    window: int | None, answer: str, weight: float, three: Record
) -> None:
    again = revote(three, entropy_window=window)
    assert again.answer == answer
    assert again.tally.candidates[0].weight == pytest.approx(weight)
    assert again.recorded == "7"


def test_a_window_and_other_rules_go_together(three: Record) -> None:
    again = revote(three, entropy_window=16, policy="votes-first")
    assert (again.answer, again.tally.candidates[0].weight) == ("7", pytest.approx(0.5))


@pytest.mark.parametrize("window", [1, 20, 33])
def test_other_windows_are_refused_with_those_that_there_are(window: int, three: Record) -> None:
    words = rf"window {window} cannot be tried: choose 16, 32, or 64 or more, which is all tokens"
    with pytest.raises(RecordError, match=words):
        revote(three, entropy_window=window)


def test_a_record_of_short_samples_has_all_tokens_only(three: Record) -> None:
    short = windowed(three, *[entropies(0.0)] * 3)
    assert revote(short, entropy_window=16).answer == "7"
    with pytest.raises(RecordError, match="choose 16 or more, which is all tokens"):
        revote(short, entropy_window=8)


def test_a_record_without_them_says_so(three: Record) -> None:
    for older in (windowed(three, None, None, None), windowed(three, None, *[entropies(0.0)] * 2)):
        with pytest.raises(RecordError, match="does not hold the entropies of its samples by"):
            revote(older, entropy_window=16)
        assert recorded_windows(older.events) is None


def test_samples_without_a_vote_need_none(making: Callable[..., Making]) -> None:
    silent = SampleOutcome(sample=1, status="no-answer")
    record = making(samples=2, stop="none").begin(0, 1).end(said(0, "7"), silent).record()
    weighed = revote(windowed(record, entropies(0.0, LN2), None), entropy_window=16)
    assert weighed.tally.candidates[0].mean_entropy == LN2


def test_the_runs_own_window_is_as_recorded(making: Callable[..., Making]) -> None:
    made = making(samples=1, stop="none", entropy_window=20).begin(0).end(said(0, "7", entropy=LN2))
    record = made.record()
    assert revote(record, entropy_window=20).tally == revote(record).tally
    with_others = windowed(record, entropies(LN4, 0.0))
    found = {
        window: revote(with_others, entropy_window=window).tally.candidates[0].mean_entropy
        for window in (16, 20, 32)
    }
    assert found == {16: 0.0, 20: LN2, 32: LN4}


def test_votes_of_blocks_have_the_entropy_of_their_sample(making: Callable[..., Making]) -> None:
    fate = said(0, "7", entropy=LN2)
    assert fate.ballot is not None
    fate = replace(fate, blocks=(BlockBallot(block=0, ballot=fate.ballot),))
    made = making(samples=1, stop="none", mode="blocks", policy="blocks").begin(0).end(fate)
    again = revote(windowed(made.record(), entropies(LN2, LN4)), entropy_window=16)
    assert again.tally.candidates[0].mean_entropy == LN4


def test_each_part_of_a_continued_run_weighs_by_it(making: Callable[..., Making]) -> None:
    made = go_on(making(samples=2, stop="none").begin(0, 1).end(said(0, "7"), said(1, "9")), 3)
    record = made.begin(2).end(said(2, "9", entropy=LN2)).record()
    weighed = windowed(record, entropies(0.0), entropies(0.0, LN4), entropies(LN2, LN4))
    # 1 to 1/4 + 1/4; as recorded it is 1 to 1 + 1/2.
    assert revote(weighed).answer == "9"
    assert revote(weighed, entropy_window=16).answer == "7"


@pytest.mark.parametrize(
    "wrong", [{"whole": -1.0}, {"whole": 0.5, "last": [1e999]}, {"whole": 0.5, "last": [0.1] * 33}]
)
def test_entropies_that_cannot_be_are_damage(wrong: dict[str, Any], three: Record) -> None:
    event = next(each for each in three.events if isinstance(each, SampleEnded))
    assert DECODER.decode(msgspec.json.encode(event)) == event
    body = msgspec.to_builtins(event) | {"windows": wrong}
    with pytest.raises(msgspec.DecodeError):
        DECODER.decode(msgspec.json.encode(body).replace(b"null]", b"1e999]"))
