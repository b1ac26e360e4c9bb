"""A page can weigh votes by the entropies of other tokens, as far as a notebook has room."""

from __future__ import annotations

import math

import msgspec
import pytest

from jupyterlab_tir.viewing.revoting import revote_row
from jupyterlab_tir.voting import SampleOutcome
from jupyterlab_tir.voting.windows import WindowEntropies

from .revoting_cases import WHOLE as ANSWERS
from .revoting_cases import Run, cast, said

LN2 = math.log(2)


def long_sample(windows: int) -> WindowEntropies:
    last = tuple(0.123456 + place for place in range(windows))
    return WindowEntropies(whole=0.12345678901234567, last=last)


def test_page_has_the_entropies_of_each_window_and_their_factors() -> None:
    silent = SampleOutcome(sample=1, status="no-answer")
    windows = {
        0: WindowEntropies(whole=0.0, last=(LN2,)),
        1: WindowEntropies(whole=0.0),
        2: WindowEntropies(whole=2 * LN2, last=(None, 0.0)),
    }
    run = Run(samples=3).begin(0, 1, 2).end(said(0, 0), silent, said(2, 1), windows=windows)
    row = revote_row(run.events)
    # All tokens are those of the run itself.
    assert row.entropy_windows == (16, 32)
    assert [each.entropies for each in row.ended] == [(LN2, 0.0), (), (None, 0.0)]
    assert [each.factors for each in row.ended] == [(0.5, 1.0), (), (None, 1.0)]


@pytest.mark.parametrize(
    ("own", "windows"), [(None, (16, 32)), (16, (0, 32)), (32, (0, 16)), (50, (0, 16, 32))]
)
def test_page_is_offered_what_differs_from_the_run(
    own: int | None, windows: tuple[int, ...]
) -> None:
    run = Run(samples=1, entropy_window=own).begin(0)
    run.end(said(0, 0), windows={0: WindowEntropies(whole=0.5, last=(0.1, 0.2))})
    assert revote_row(run.events).entropy_windows == windows


def test_page_of_an_older_record_is_offered_none() -> None:
    run = Run(samples=2).begin(0, 1).end(said(0, 0), said(1, 0), windows={0: long_sample(3)})
    row = revote_row(run.events)
    assert row.entropy_windows == ()
    assert row.ended[0].entropies == ()


@pytest.mark.parametrize(
    ("samples", "windows"),
    [
        (128, tuple(16 << place for place in range(13))),
        # At most eight: every second one.
        (256, tuple(16 << place for place in range(0, 13, 2))),
        (1024, (16, 16 << 7)),
    ],
)
def test_page_of_a_long_run_has_some_windows_and_a_notebook_room(
    samples: int, windows: tuple[int, ...]
) -> None:
    numbers = range(samples)
    fates = [cast(number, ANSWERS[number % 3]) for number in numbers]
    run = Run(samples=samples).begin(*numbers)
    run.end(*fates, windows=dict.fromkeys(numbers, long_sample(13)))
    row = revote_row(run.events)
    assert row.entropy_windows == windows
    bare = revote_row(Run(samples=samples).begin(*numbers).end(*fates).events)
    assert len(msgspec.json.encode(row)) - len(msgspec.json.encode(bare)) < 100_000
