"""Summing up ballots: levels, factors and who is right, on runs worked out by hand."""

from __future__ import annotations

import math

import pytest

from benchmarks.ballots import describe, made_up
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome, Verification


def said(sample: int, raw: str, factor: float, level: Verification) -> SampleOutcome:
    ballot = Ballot(answer=canonical(raw), raw=raw, verification=level, entropy=-math.log(factor))
    return SampleOutcome(sample=sample, status="answered", ballot=ballot)


def test_of_two_runs_levels_and_factors_are_those_of_all_answers() -> None:
    first = [
        said(0, "6", 0.8, "replayed"),
        said(1, "12/2", 0.5, "none"),
        said(2, "7", 0.6, "echo"),
        SampleOutcome(sample=3, status="no-answer", reason="none"),
    ]
    second = [said(0, "1", 0.9, "computed")]
    found = describe([("6", first), (None, second)])
    assert (found["samples"], found["answered"], found["right"]) == (5, 4, 2)
    assert found["levels"] == {
        "none": {"answers": 1, "right": 1},
        "echo": {"answers": 1, "right": 0},
        "computed": {"answers": 1, "right": 0},
        "replayed": {"answers": 1, "right": 1},
    }
    # Of the right ones 0.8 is above the wrong 0.6 and 0.5 is below it.
    assert (found["pairs"], found["right_is_heavier"]) == (2, 0.5)
    factor = found["factor"]
    assert isinstance(factor, dict)
    assert factor["p0"] == pytest.approx(0.5)
    assert factor["p50"] == pytest.approx(0.7)
    assert factor["p100"] == pytest.approx(0.9)


def test_nothing_answered_has_no_quantiles() -> None:
    found = describe([("6", [SampleOutcome(sample=0, status="no-answer", reason="none")])])
    assert found["factor"] is None
    assert found["right_is_heavier"] is None


def test_right_answers_of_made_up_problems_are_right() -> None:
    # 1 + 4 + … + 100; 17 · 23; 2^30 mod 7; multiples of 3 or 5 up to 100; gcd(120, 192); 7 · 10.
    assert [made_up(n).claim for n in range(6)] == ["385", "391", "1", "47", "24", "70"]
    assert made_up(6).text != made_up(0).text
