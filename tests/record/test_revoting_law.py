"""The law of recorded runs: voted on again by their own rules they give their own result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings, strategies

from jupyterlab_tir.config import Config
from jupyterlab_tir.events import (
    SampleEnded,
    SampleStarted,
    StopFired,
)
from jupyterlab_tir.record import revote
from jupyterlab_tir.voting import (
    RuleDecision,
    SampleOutcome,
    apply_rules,
    counting_settings,
    look,
    parse_rules,
    tally,
)

from .conftest import Making, said

answers = strategies.sampled_from(["5", "5", "5", "6", "6", "0.3333333333333333", "1/3", "x"])
votes = strategies.builds(
    dict,
    answer=answers,
    entropy=strategies.none() | strategies.sampled_from([0.0, 0.5, 3.0]),
    verification=strategies.sampled_from(["none", "computed", "replayed"]),
)
fates = strategies.lists(
    votes | strategies.sampled_from(["no-answer", "server-lost"]), min_size=1, max_size=16
)
stops = strategies.sampled_from(
    ["share", "share:0.6", "planned:0.5", "beta:0.8", "lead:2,window:3", "none"]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fates=fates,
    stop=stops,
    policy=strategies.sampled_from(["weighted", "majority", "votes-first"]),
    more=strategies.integers(0, 4),
    in_flight=strategies.integers(1, 6),
    chance=strategies.randoms(use_true_random=False),
)
def test_recorded_rules_give_the_recorded_result_and_others_what_they_would_have_given(
    fates: Sequence[Any],
    stop: str,
    policy: str,
    more: int,
    in_flight: int,
    chance: Any,
    making: Callable[..., Making],
) -> None:
    """Runs that are played here, by the voting alone, against what their records say."""
    planned = len(fates) + more
    values: dict[str, Any] = {"samples": planned, "stop": stop, "policy": policy, "mode": "tir"}
    made, counted, decision = played(making(**values), fates, in_flight, chance)
    record = made.record()
    found = revote(record)
    assert found.tally == record.replay() == counted
    assert found.decision == decision
    assert found.differs is False
    assert found.tokens == sum(outcome.tokens for outcome in record.outcomes)
    # Without a stop rule a record of the same samples says the same of every earlier stop.
    free = making(**(values | {"stop": "none"}))
    free.events += [e for e in made.events if isinstance(e, (SampleStarted, SampleEnded))]
    again = revote(free.record(), stop=stop)
    assert again.decision == decision
    if decision is not None:
        assert again.tally.finished == decision.after


def played(
    made: Making, fates: Sequence[Any], in_flight: int, chance: Any
) -> tuple[Making, Any, RuleDecision | None]:
    """Play a run whose samples end by chance, and stop it as its rules say."""
    config = msgspec.convert(made.started.settings, Config)
    policy = counting_settings(config).policy_of_run()
    rules = parse_rules(config.stop, tau=config.tau, min_answers=config.min_answers)
    waiting, running = list(range(len(fates))), []
    outcomes: list[SampleOutcome] = []
    decision = None
    while (waiting or running) and decision is None:
        while waiting and len(running) < in_flight:
            running.append(waiting.pop(0))
            made.begin(running[-1])
        sample = running.pop(chance.randrange(len(running)))
        fate = fates[sample]
        outcomes.append(
            said(sample, **fate)
            if isinstance(fate, dict)
            else SampleOutcome(sample=sample, status=fate, tokens=10)
        )
        made.end(outcomes[-1])
        decision = apply_rules(rules, look(outcomes, planned=config.samples, policy=policy))
    if decision is not None:
        made.events.append(StopFired(decision=decision))
    late = [SampleOutcome(sample=n, status="cancelled", tokens=5) for n in running]
    made.end(*late, interrupted=True)
    return made, tally([*outcomes, *late], planned=config.samples, policy=policy), decision
