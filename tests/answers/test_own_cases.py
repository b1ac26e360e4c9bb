"""Cases of our own: every kind of answer as people, models, LaTeX, Python and SymPy write it.

The outputs are what small programs really printed.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.answers import equivalent, output_matches

DATA = Path(__file__).parents[1] / "data" / "answers"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


PAIRS = load("own_pairs.jsonl")
OUTPUTS = load("own_outputs.jsonl")


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['kind']}-{n}") for n, case in enumerate(PAIRS)]
)
def test_pair_is_the_same_mathematics_or_not(case: dict[str, Any]) -> None:
    a, b = case["a"], case["b"]
    verdicts = (equivalent(a, b), equivalent(b, a))
    if case["equal"]:
        assert verdicts == (True, True), f"{a[:200]}  =  {b[:200]}"
    else:
        assert True not in verdicts, f"{a[:200]}  ≠  {b[:200]}"


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"output-{n}") for n, case in enumerate(OUTPUTS)]
)
def test_output_amounts_to_the_answer_or_not(case: dict[str, Any]) -> None:
    found = output_matches(case["code_output"], case["answer"])
    assert found is case["matches"], f"{case['code_output'][:200]!r}, {case['answer']}"


def test_cases_are_many_of_every_kind_and_both_verdicts() -> None:
    kinds = Counter(case["kind"] for case in PAIRS)
    unequal = Counter(case["kind"] for case in PAIRS if not case["equal"])
    assert min(kinds.values()) >= 10
    assert all(unequal[kind] * 4 >= kinds[kind] for kind in kinds)
    assert len({(case["a"], case["b"]) for case in PAIRS}) == len(PAIRS) >= 350
    assert len(OUTPUTS) >= 100
