"""Whenever the lossless rule fires, no completion of the run changes its leader: tried out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec
import pytest
from hypothesis import given, settings, strategies

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.voting import Ballot, SampleOutcome, Tally, Verification, look, tally
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.rules_uncatchable import Uncatchable

THIRD = "0.3333333333333333"
NEAR_THIRD = "3333333333333333/10000000000000000"  # another number with the float of 1/3


def said(answer: str, entropy: float | None, verification: Verification) -> SampleOutcome:
    ballot = Ballot(
        answer=canonical(answer), raw=answer, entropy=entropy, verification=verification
    )
    return SampleOutcome(sample=0, status="answered", ballot=ballot)


NO_ANSWER = SampleOutcome(sample=0, status="no-answer")
LOST = SampleOutcome(sample=0, status="server-lost")

# What may have happened: two exact answers, the float of one, unmeasured or not, verified or not.
SEEN = [
    *(
        said(answer, entropy, verification)
        for answer in ("1/3", "2", THIRD)
        for entropy in (0.0, 1.0, None)
        for verification in ("none", "replayed")
    ),
    NO_ANSWER,
    LOST,
]
# What may still come, also an exact answer that takes the float away and one that nobody gave.
# A code-verified ballot of entropy 0 is worst for the leader, others move the median.
TO_COME = [
    *(
        said(answer, entropy, verification)
        for answer in ("1/3", "2", THIRD, NEAR_THIRD, "7")
        for entropy, verification in ((0.0, "replayed"), (3.0, "none"), (None, "replayed"))
    ),
    NO_ANSWER,
    LOST,
]


def numbered(outcomes: Sequence[SampleOutcome], first: int) -> list[SampleOutcome]:
    return [
        msgspec.structs.replace(outcome, sample=first + position)
        for position, outcome in enumerate(outcomes)
    ]


def completions(
    seen: Sequence[SampleOutcome],
    to_come: Sequence[SampleOutcome],
    planned: int,
    w_code: float,
) -> Iterator[Tally]:
    """Every end that the run may take; what comes was launched first, which is best in a tie."""
    left = planned - len(seen)
    for coming in itertools.combinations_with_replacement(to_come, left):
        yield tally(
            [*numbered(coming, 0), *numbered(seen, left)],
            planned=planned,
            policy=Weighted(w_code=w_code),
        )


def fires(outcomes: Sequence[SampleOutcome], *, planned: int, w_code: float) -> bool:
    now = look(outcomes, planned=planned, policy=Weighted(w_code=w_code))
    return Uncatchable().check(now) is not None


def leader_of(counted: Tally) -> str | None:
    return counted.leader.key if counted.leader is not None else None


@pytest.mark.parametrize(
    ("planned", "ended", "w_code"),
    [(4, 3, 1.0), (4, 3, 1.5), (4, 3, 2.0), (5, 3, 1.0), (5, 4, 2.0)],
)
def test_no_completion_changes_the_leader_in_any_small_run(
    planned: int, ended: int, w_code: float
) -> None:
    fired = 0
    for seen in itertools.combinations_with_replacement(SEEN, ended):
        now = numbered(seen, planned - ended)
        if not fires(now, planned=planned, w_code=w_code):
            continue
        fired += 1
        leader = leader_of(tally(now, planned=planned, policy=Weighted(w_code=w_code)))
        for end in completions(seen, TO_COME, planned, w_code):
            assert leader_of(end) == leader, (seen, end)
    assert fired, "an empty proof proves nothing"


outcomes = strategies.lists(
    strategies.one_of(
        strategies.builds(
            said,
            # The first answer often, or the rule would seldom fire.
            strategies.sampled_from(["2", "2", "2", "2", "1/3", THIRD, NEAR_THIRD, "x"]),
            strategies.none() | strategies.floats(0, 2) | strategies.just(0.0),
            strategies.sampled_from(["none", "replayed"]),
        ),
        strategies.sampled_from([NO_ANSWER, LOST]),
    ),
    min_size=4,
    max_size=10,
)


@settings(deadline=None, max_examples=100)
@given(outcomes, outcomes, strategies.floats(1, 10))
def test_no_completion_changes_the_leader_of_a_longer_run(
    seen: list[SampleOutcome], coming: list[SampleOutcome], w_code: float
) -> None:
    for left in range(1, len(coming) + 1):
        planned = len(seen) + left
        before = numbered(seen, left)
        if not fires(before, planned=planned, w_code=w_code):
            return
        leader = leader_of(tally(before, planned=planned, policy=Weighted(w_code=w_code)))
        rivals = [o.ballot.answer.shown for o in seen if o.ballot is not None] + ["new"]
        for completion in (
            coming[:left],
            *([said(rival, 0.0, "replayed")] * left for rival in rivals if rival != "2"),
        ):
            after = [*before, *numbered(completion, 0)]
            assert (
                leader_of(tally(after, planned=planned, policy=Weighted(w_code=w_code))) == leader
            )
