"""Samples and looks at them, as the product has them."""

from __future__ import annotations

from benchmarks.stopping_pools import NO_ANSWER
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome, look
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.rules_look import Look


def outcome(sample: int, answer: int) -> SampleOutcome:
    if answer == NO_ANSWER:
        return SampleOutcome(sample=sample, status="no-answer", reason="none")
    ballot = Ballot(answer=canonical(str(answer)), raw=str(answer), entropy=0.0)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot)


def look_at(outcomes: list[SampleOutcome], planned: int, highest_weight: int = 1) -> Look:
    """Look at a run whose ballots to come may weigh so much."""
    policy = Weighted(w_code=float(highest_weight), verifiable=highest_weight > 1)
    return look(outcomes, planned=planned, policy=policy)
