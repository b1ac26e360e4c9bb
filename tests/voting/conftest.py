"""Samples described by a word each, and looks at them."""

from __future__ import annotations

from typing import Any

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome
from jupyterlab_tir.voting.policies import Policy, Weighted
from jupyterlab_tir.voting.rules_look import Look, RuleDecision, look


def run_of(*fates: str, **given_values: Any) -> list[SampleOutcome]:
    """Samples in launch order: a status, or else an answer with entropy 0 (`!` code-verified)."""
    outcomes = []
    for number, fate in enumerate(fates):
        if "-" in fate or fate == "cancelled":
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


def at(*fates: str, planned: int = 100, policy: Policy | None = None, **more: Any) -> Look:
    return look(run_of(*fates), planned=planned, policy=policy or Weighted(), **more)


def words_of(decision: RuleDecision | None) -> str:
    assert decision is not None
    return decision.words
