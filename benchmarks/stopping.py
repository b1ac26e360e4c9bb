"""Stop rules on stored samples: what they save, and how often they change the answer.

    python -m benchmarks.stopping --pool FILE… [--ramps 4+1,need*3/2] [--json]

A pool has one problem a line: {"id", "gold", "answers": [texts or null], "tokens": [numbers]}. Runs
of N of these samples are launched, finished, counted and stopped as `stopping_simulation` says, on
the same shuffles for every rule. Problems with fewer than N samples are left out of the rows of N,
and an N that no problem has is left out: both are said. Ballots all weigh 1, since pools hold no
code and no log-probabilities, as in a run of the mode text; `uncatchable` is always on. Tokens of
samples in flight that are cancelled count as spent up to then. Intervals are 95 %, by bootstrap
over problems. *Latency* is in median samples of the problem. Rows of the product's defaults are
marked; differences, to Beta 0.95 launched alike and to the defaults, are paired. `stopping_rules`
describes ramps; a ramp by need is by the need of the row's own rule.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import typing
from pathlib import Path

import msgspec

from jupyterlab_tir.config import Config
from jupyterlab_tir.config.stop_rules import parse_stop
from jupyterlab_tir.errors import UsageError

from .stopping_measures import Bootstrap, Means, Way, figures, measure
from .stopping_pools import Pool, load_pool
from .stopping_rules import DEFAULT_RAMP
from .stopping_simulation import Commit, Order

Row = dict[str, object]
DEFAULT_RULE = ",".join(f"{name}:{number:g}" for name, number in parse_stop(Config().stop))
BETA = "beta:0.95"
RULES = (DEFAULT_RULE, "share:0.75", "planned:0.75", BETA, "lead:4", "window:5", "none")
MOST_SHUFFLES = 2_000
LEAST_SHUFFLES = 100
RUNS = 60_000
"""Runs of a pool for each way, where nobody says how many."""
BAR = 40


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def numbers(text: str) -> list[int]:
    found = [int(part) for part in text.split(",")]
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"numbers from 1, with commas, not {text!r}")
    return found


def names(text: str) -> list[str]:
    return text.split(",")


def orders(text: str) -> list[str]:
    found = names(text)
    if not set(found) <= set(typing.get_args(Order)):
        raise argparse.ArgumentTypeError(f"random or finish or both with a comma, not {text!r}")
    return found


def shuffles_for(pool: Pool) -> int:
    return min(MOST_SHUFFLES, max(LEAST_SHUFFLES, RUNS // pool.problems))


def rows_of(pool: Pool, ways: list[Way], *, shuffles: int, seed: int) -> list[Row]:
    """Measure these ways, each beside Beta 0.95 launched like it, and beside the defaults.

    Rows come in the order of the ways; those of an N that no problem has samples for are missing.
    """
    found: dict[Way, Row] = {}
    for n in dict.fromkeys(way.n for way in ways):
        those = pool.with_stored(n)
        if those.problems < pool.problems:
            what = f"{pool.problems - those.problems} of {pool.problems} problems are"
            say(f"{pool.name}, N = {n}: {what} left out, which hold fewer than {n} samples.")
        if those.problems:
            of_n = [way for way in ways if way.n == n]
            rows = _rows_of_one_n(those, of_n, shuffles=shuffles, seed=seed)
            found.update(zip(of_n, rows, strict=True))
    return [found[way] for way in ways if way in found]


def _rows_of_one_n(pool: Pool, ways: list[Way], *, shuffles: int, seed: int) -> list[Row]:
    beside = {
        way: {"beta": msgspec.structs.replace(way, rule=BETA), "default": defaults_like(way)}
        for way in ways
    }
    every = list(
        dict.fromkeys([*ways, *(one for pair in beside.values() for one in pair.values())])
    )
    means: dict[Way, Means] = dict(
        zip(every, measure(pool, every, shuffles=shuffles, seed=seed), strict=True)
    )
    bootstrap = Bootstrap(pool.problems, seed=seed)
    return [
        {
            "pool": pool.name,
            **{name: getattr(way, name) for name in Way.__struct_fields__},
            "default": is_default(way),
            **figures(
                means[way], {name: means[one] for name, one in beside[way].items()}, bootstrap
            ),
            "problems": pool.problems,
            "shuffles": shuffles,
        }
        for way in ways
    ]


def defaults_like(way: Way) -> Way:
    """The product's defaults at the same N, parallelism and order."""
    return Way(
        rule=DEFAULT_RULE,
        n=way.n,
        parallel=way.parallel,
        order=way.order,
        ramp=DEFAULT_RAMP,
        min_answers=Config().min_answers,
        highest_weight=way.highest_weight,
    )


def is_default(way: Way) -> bool:
    """Whether it is the product's defaults, however its rule is written."""
    usual = defaults_like(way)
    written, defaults = (
        parse_stop(rule, tau=Config().tau, min_answers=way.min_answers)
        for rule in (way.rule, usual.rule)
    )
    same = set(written) == set(defaults)
    return same and msgspec.structs.replace(way, rule=usual.rule) == usual


def percent(row: Row, name: str, *, signed: bool = False) -> str:
    value, low, high = (100 * float(str(row[name + end])) for end in ("", "_low", "_high"))
    sign = "+" if signed else ""
    return f"{value:{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"


def print_table(rows: list[Row]) -> None:
    columns = (
        f"{'rule':24} {'n':>2} {'par':>3} {'order':6} {'ramp':9} {'tokens saved':>18} "
        f"{'wasted':>6} {'agreement':>20} {'accuracy - full':>20} {'saved - Beta':>20} "
        f"{'saved - default':>20} latency"
    )
    for pool, group in itertools.groupby(rows, key=lambda row: row["pool"]):
        print(f"\n{pool}, in per cent\n{columns}")
        for row in group:
            mark = " *" if row["default"] else ""
            wasted = 100 * float(str(row["tokens_wasted"]))
            print(
                f"{str(row['rule']) + mark:24} {row['n']:>2} {row['parallel']:>3} "
                f"{row['order']:6} {row['ramp']:9} {percent(row, 'tokens_saved'):>18} "
                f"{wasted:6.1f} {percent(row, 'agreement'):>20} "
                f"{percent(row, 'accuracy_difference', signed=True):>20} "
                f"{percent(row, 'tokens_saved_minus_beta', signed=True):>20} "
                f"{percent(row, 'tokens_saved_minus_default', signed=True):>20} "
                f"{row['latency']:7.2f}"
            )
    print("\n* the defaults")


def print_plot(rows: list[Row]) -> None:
    """Draw what is saved at the largest N in order of finishing, one bar a row."""
    largest = max(int(str(row["n"])) for row in rows)
    chosen = [row for row in rows if row["n"] == largest and row["order"] == "finish"]
    if not chosen:
        return
    print(f"\nTokens saved, N = {largest}, order of finishing; behind it the agreement")
    for row in chosen:
        bar = "█" * round(BAR * max(0.0, float(str(row["tokens_saved"]))))
        label = f"{row['pool']} {row['rule']} {row['ramp']} parallel {row['parallel']}"
        agreement = 100 * float(str(row["agreement"]))
        print(f"{label:58} {bar:{BAR}} {agreement:.1f} %")


def ways_of(options: argparse.Namespace) -> list[Way]:
    return [
        Way(
            rule=rule,
            n=n,
            parallel=parallel,
            order=order,
            ramp=ramp,
            commit=options.commit,
            min_answers=options.min_answers,
            highest_weight=options.highest_weight,
        )
        for order, n, ramp, parallel, rule in itertools.product(
            options.orders, options.n, options.ramps, options.parallel, options.rules
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pool", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument(
        "--rules",
        type=lambda text: text.split(";"),
        default=list(RULES),
        help="with semicolons; with a comma between rules, whichever fires first",
    )
    parser.add_argument("--n", type=numbers, default=[8, 16, 32], help="samples planned")
    parser.add_argument("--parallel", type=numbers, default=[1, 4, 8, 16])
    parser.add_argument("--orders", type=orders, default=list(typing.get_args(Order)))
    parser.add_argument("--ramps", type=names, default=[DEFAULT_RAMP])
    parser.add_argument("--commit", choices=typing.get_args(Commit), default="finish")
    parser.add_argument("--min-answers", type=int, default=Config().min_answers)
    parser.add_argument(
        "--highest-weight",
        type=int,
        default=1,
        help="what a sample to come may weigh; 2 where code verifies",
    )
    parser.add_argument("--shuffles", type=int, help="runs of each problem")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one more line, for programs")
    options = parser.parse_args()
    rows: list[Row] = []
    try:
        ways = ways_of(options)
        for path in options.pool:
            pool = load_pool(path)
            shuffles = options.shuffles or shuffles_for(pool)
            say(f"{pool.name}: {pool.problems} problems, {len(ways)} ways, {shuffles} shuffles")
            rows += rows_of(pool, ways, shuffles=shuffles, seed=options.seed)
    except (ValueError, OSError, UsageError) as problem:
        parser.error(str(problem))
    if not rows:
        parser.error(f"no problem holds {min(options.n)} samples or more: choose a smaller --n")
    print_table(rows)
    print_plot(rows)
    if options.json:
        print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
