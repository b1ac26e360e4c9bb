"""What a way of stopping saves and what it costs, with intervals over problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from jupyterlab_tir.config import Config

from .stopping_pools import Pool
from .stopping_rules import ramp_named, rule_named
from .stopping_simulation import Commit, Draw, Ended, Order, Setup, draw, full_vote, simulate

Reals = NDArray[np.float64]
RESAMPLES = 2_000
ROWS_AT_ONCE = 20_000


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """One way to launch, count and stop, by names."""

    rule: str
    n: int
    parallel: int
    order: Order
    ramp: str
    commit: Commit = "finish"
    min_answers: int = Config().min_answers
    highest_weight: int = 1

    def setup(self) -> Setup:
        """Build it.

        Raises
        ------
        UsageError
            If there is no such rule.
        ValueError
            If there is no such ramp.
        """
        return Setup(
            planned=self.n,
            parallel=self.parallel,
            order=self.order,
            commit=self.commit,
            short=rule_named(
                self.rule, min_answers=self.min_answers, highest_weight=self.highest_weight
            ),
            ramp=ramp_named(self.ramp),
        )


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """Means over the shuffles of each problem.

    Parameters
    ----------
    spent, wasted, all_tokens
        Tokens of the run, those of them in cancelled samples, and those of all its samples.
    started, cancelled
        Samples as fractions of N.
    agrees, right, full_right
        How often the winner is that of the full vote, is right, and the full vote is right.
    latency
        Time of the run, in median samples of its problem one after the other.
    """

    spent: Reals
    wasted: Reals
    all_tokens: Reals
    started: Reals
    cancelled: Reals
    agrees: Reals
    right: Reals
    full_right: Reals
    latency: Reals


def measure(pool: Pool, ways: Sequence[Way], *, shuffles: int, seed: int) -> list[Means]:
    """Simulate each way on the same shuffles of the same problems.

    Each of them must have as many stored samples as a way plans.
    """
    setups = [way.setup() for way in ways]
    most = max(way.n for way in ways)
    group = max(1, ROWS_AT_ONCE // shuffles)
    taken: list[list[Means]] = [[] for _ in ways]
    for start in range(0, pool.problems, group):
        problems = np.arange(start, min(start + group, pool.problems))
        drawn = draw(pool, planned=most, shuffles=shuffles, seed=seed, problems=problems)
        draws = {n: drawn.first(n) for n in {way.n for way in ways}}
        full = {n: full_vote(each) for n, each in draws.items()}
        for place, setup in zip(taken, setups, strict=True):
            n = setup.planned
            ended = simulate(draws[n], setup)
            place.append(_means(pool, draws[n], ended, full[n], len(problems)))
    return [_joined(parts) for parts in taken]


def _means(pool: Pool, drawn: Draw, ended: Ended, full: NDArray[np.int64], problems: int) -> Means:
    def mean(values: NDArray[np.generic]) -> Reals:
        means: Reals = values.reshape(problems, -1).mean(axis=1, dtype=np.float64)
        return means

    planned = drawn.answers.shape[1]
    gold = pool.gold[drawn.problem]
    median = pool.median_tokens[drawn.problem]
    return Means(
        spent=mean(ended.spent),
        wasted=mean(ended.wasted),
        all_tokens=mean(drawn.tokens.sum(axis=1)),
        started=mean(ended.launched / planned),
        cancelled=mean((ended.launched - ended.finished) / planned),
        agrees=mean(ended.winner == full),
        right=mean(ended.winner == gold),
        full_right=mean(full == gold),
        latency=mean(ended.time / median),
    )


def _joined(parts: Iterable[Means]) -> Means:
    every = list(parts)
    return Means(
        **{
            name: np.concatenate([getattr(part, name) for part in every])
            for name in Means.__struct_fields__
        }
    )


class Bootstrap:
    """Resamples of a pool's problems; the same ones for everything that is compared."""

    def __init__(self, problems: int, *, seed: int, resamples: int = RESAMPLES) -> None:
        even = np.full(problems, 1 / problems)
        drawn = np.random.default_rng(seed).multinomial(problems, even, size=resamples)
        self._weights: Reals = np.vstack([np.ones(problems), drawn])
        self._problems = problems

    def mean(self, values: Reals) -> Reals:
        """The mean over problems: of the pool itself, then of each resample."""
        return self._weights @ values / self._problems

    def ratio(self, part: Reals, whole: Reals) -> Reals:
        """Sum of one by sum of the other, in the same order as `mean`."""
        return (self._weights @ part) / (self._weights @ whole)


def figures(means: Means, others: Mapping[str, Means], bootstrap: Bootstrap) -> dict[str, float]:
    """Fractions with 95 % intervals over problems (``…_low``, ``…_high``).

    Tokens are those of all problems together, so that long problems count more, as they cost more.

    Parameters
    ----------
    others
        What to subtract, problem by problem, and under which name (``…_minus_beta``).
    """

    def saved(which: Means) -> Reals:
        return 1 - bootstrap.ratio(which.spent, which.all_tokens)

    measured = {
        "tokens_saved": saved(means),
        "agreement": bootstrap.mean(means.agrees),
        "accuracy": bootstrap.mean(means.right),
        "accuracy_difference": bootstrap.mean(means.right - means.full_right),
    }
    for name, other in others.items():
        measured[f"tokens_saved_minus_{name}"] = saved(means) - saved(other)
        measured[f"agreement_minus_{name}"] = bootstrap.mean(means.agrees - other.agrees)
        measured[f"accuracy_minus_{name}"] = bootstrap.mean(means.right - other.right)
        measured[f"latency_minus_{name}"] = bootstrap.mean(means.latency - other.latency)
    found = {
        "accuracy_full": bootstrap.mean(means.full_right)[0],
        "tokens_wasted": bootstrap.ratio(means.wasted, means.all_tokens)[0],
        "samples_saved": 1 - bootstrap.mean(means.started)[0],
        "samples_wasted": bootstrap.mean(means.cancelled)[0],
        "latency": bootstrap.mean(means.latency)[0],
        "latency_worst_tenth": np.quantile(means.latency, 0.9),
    }
    for name, values in measured.items():
        found[name] = values[0]
        found[f"{name}_low"], found[f"{name}_high"] = np.quantile(values[1:], (0.025, 0.975))
    return {name: round(float(value), 5) for name, value in found.items()}
