"""What real ballots look like: their factors exp(-H), and how far code stands behind them.

Asks a model (by default the running embedded one) small problems whose right answers are computed
here, every sample to its end, and prints one JSON object on the last line:

``factor``: quantiles of exp(-H) over the answers with log-probabilities; ``factor_right`` and
``factor_wrong`` of those that are right or wrong; ``right_is_heavier``: the chance that of a right
and a wrong answer to the same problem the right one has the greater factor (0.5: H says nothing).
``levels``: how many answers stand at each level, and how many of those are right.

    python -m benchmarks.ballots --problems 12 --samples 8
    python -m benchmarks.ballots --run ID --run ID    (of recorded runs; rightness by their claim)
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from jupyterlab_tir import Problem, solve
from jupyterlab_tir.answers import equivalent
from jupyterlab_tir.record import find_record, read_record
from jupyterlab_tir.voting import Ballot, SampleOutcome, Verification

QUANTILES = (0, 5, 25, 50, 75, 95, 100)


def made_up(number: int) -> Problem:
    """One of an endless list of small problems, with its right answer as the claim.

    >>> made_up(0).claim
    '385'
    """
    n = 10 + 3 * (number // 6)
    texts = (
        (
            f"What is the sum of the squares of the integers from 1 to {n}?",
            sum(k * k for k in range(n + 1)),
        ),
        (f"What is the product of {n + 7} and {2 * n + 3}?", (n + 7) * (2 * n + 3)),
        (f"What is the remainder when 2^{{{n + 20}}} is divided by 7?", pow(2, n + 20, 7)),
        (
            f"How many integers from 1 to {10 * n} are divisible by 3 or 5?",
            sum(k % 3 == 0 or k % 5 == 0 for k in range(1, 10 * n + 1)),
        ),
        (
            f"What is the greatest common divisor of {12 * n} and {18 * n + 12}?",
            math.gcd(12 * n, 18 * n + 12),
        ),
        (
            (
                f"A train travels {3 * n} km in the first hour and {n} km in each of the next four "
                "hours. How many km does it travel in all?"
            ),
            7 * n,
        ),
    )
    text, right = texts[number % len(texts)]
    return Problem(text=text, claim=str(right))


def quantiles(values: Sequence[float]) -> dict[str, float] | None:
    """Minimum, 5, 25, 50, 75, 95 % and maximum, to four digits; None of nothing.

    >>> quantiles([0.5])["p50"]
    0.5
    """
    if not values:
        return None
    ordered = sorted(values)
    cuts = statistics.quantiles(ordered, n=100, method="inclusive") if len(ordered) > 1 else []
    ends = {0: ordered[0], 100: ordered[-1]}
    return {
        f"p{q}": round(ends[q] if q in ends else (cuts[q - 1] if cuts else ordered[0]), 4)
        for q in QUANTILES
    }


def describe(runs: Iterable[tuple[str | None, Sequence[SampleOutcome]]]) -> dict[str, object]:
    """Sum up runs, each with its right answer (or None) and its outcomes."""
    right: list[Ballot] = []
    wrong: list[Ballot] = []
    unknown: list[Ballot] = []
    samples = pairs = 0
    heavier = 0.0
    statuses: Counter[str] = Counter()
    for claim, outcomes in runs:
        samples += len(outcomes)
        statuses.update(outcome.status for outcome in outcomes)
        here: dict[bool | None, list[Ballot]] = {True: [], False: [], None: []}
        for outcome in outcomes:
            if outcome.ballot is not None:
                same = None if claim is None else equivalent(outcome.ballot.raw, claim) is True
                here[same].append(outcome.ballot)
        for one in _factors(here[True]):
            for other in _factors(here[False]):
                pairs += 1
                heavier += 1.0 if one > other else 0.5 if one == other else 0.0
        right += here[True]
        wrong += here[False]
        unknown += here[None]
    ballots = [*right, *wrong, *unknown]
    return {
        "samples": samples,
        "statuses": dict(sorted(statuses.items())),
        "answered": len(ballots),
        "right": len(right),
        "levels": {
            level: {
                "answers": sum(b.verification == level for b in ballots),
                "right": sum(b.verification == level for b in right),
            }
            for level in get_args(Verification)
        },
        "reasons": dict(
            Counter(
                b.verification_reason for b in ballots if b.verification != "replayed"
            ).most_common(8)
        ),
        "factor": quantiles(_factors(ballots)),
        "factor_right": quantiles(_factors(right)),
        "factor_wrong": quantiles(_factors(wrong)),
        "pairs": pairs,
        "right_is_heavier": round(heavier / pairs, 3) if pairs else None,
    }


def _factors(ballots: Iterable[Ballot]) -> list[float]:
    return [math.exp(-ballot.entropy) for ballot in ballots if ballot.entropy is not None]


def main() -> None:
    """Solve, or read recorded runs, and print."""
    parser = argparse.ArgumentParser(description="What real ballots look like.")
    parser.add_argument("--problems", type=int, default=12)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--base-url", default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", action="append", default=[], help="a recorded run instead")
    options = parser.parse_args()
    runs: list[tuple[str | None, Sequence[SampleOutcome]]] = []
    if options.run:
        for name in options.run:
            record = read_record(find_record(name))
            runs.append((record.started.problem.claim, record.outcomes))
    else:
        for number in range(options.problems):
            problem = made_up(number)
            result = solve(
                problem,
                samples=options.samples,
                stop="none",
                parallel=8,
                ahead=64,
                seed=options.seed + number,
                base_url=options.base_url,
            )
            outcomes = read_record(result.record).outcomes
            runs.append((problem.claim, outcomes))
            said = Counter(
                f"{o.ballot.answer.shown}:{o.ballot.verification}"
                for o in outcomes
                if o.ballot is not None
            )
            print(f"{problem.claim}: {dict(said)}", flush=True)
    print(json.dumps(describe(runs)))


if __name__ == "__main__":
    main()
