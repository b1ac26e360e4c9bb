"""The collected cases: replies, outputs and pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.answers import equivalent, extract_answer, extract_code, output_matches

DATA = Path(__file__).parents[1] / "data" / "answers"
# Unequal, and no verdict: a tower in an integral, a call of Python's.
LEFT_OPEN = {r"\int_0^\infty e^{-x^{x^{x}}} dx", r"len(open('/etc/hostname').read())*\pi"}


def cases(name: str) -> list[Any]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [
        pytest.param(case, id=case.get("id", f"{name}-{index}"))
        for index, case in enumerate(map(json.loads, lines))
    ]


@pytest.mark.parametrize("case", cases("replies.jsonl"))
def test_reply_gives_its_answer_and_its_code(case: dict[str, Any]) -> None:
    answer = extract_answer(case["reply"], dialect=case["dialect"])
    blocks = extract_code(case["reply"], dialect=case["dialect"])
    assert (answer.raw if answer else None) == case["expected_answer"]
    assert [block.code.rstrip() for block in blocks] == [
        code.rstrip() for code in case["expected_code"]
    ]


@pytest.mark.parametrize("case", cases("outputs.jsonl"))
def test_output_is_the_answer_or_not(case: dict[str, Any]) -> None:
    assert output_matches(case["code_output"], case["answer"]) is case["matches"]


@pytest.mark.parametrize("case", [*cases("answer_pairs.jsonl"), *cases("pairs.jsonl")])
def test_pair_is_the_same_or_not(case: dict[str, Any]) -> None:
    a, b = case["a"], case["b"]
    expected = None if a in LEFT_OPEN else case["equal"]
    assert (equivalent(a, b), equivalent(b, a)) == (expected, expected)
