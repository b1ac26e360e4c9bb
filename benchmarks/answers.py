r"""Reading and comparing answers: how many cases are right, how fast, and Math-Verify beside it.

    python -m benchmarks.answers [--cases FOLDER] [--without-math-verify] [--without-own]

Cases are answer_pairs.jsonl, pairs.jsonl, replies.jsonl and outputs.jsonl of a folder: the
collected ones next to the checkout where they are, else the copies among the tests. An equal pair
is right when `equivalent` says True, an unequal one when it does not, each in both orders; what is
wrong is listed with its verdict on the error stream. Times of pairs are those of the first order,
with the caches of this process emptied before each and the worker process there already. A tally
of 64 is timed from raw text to counted ballots; mixed ones in new processes, so that nothing has
been read before. Math-Verify gets each pair in both orders and delimited, in a process of its own
that is ended when it hangs; an equal pair is right by either order, an unequal one by both.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from jupyterlab_tir.answers import (
    canonical,
    clear_caches,
    equivalent,
    extract_answer,
    extract_code,
    output_matches,
)
from jupyterlab_tir.voting import Ballot, SampleOutcome, policy_named, tally

from .math_verify_side import Pair, count_math_verify, say

ROOT = Path(__file__).parents[1]
OWN = ROOT / "tests" / "data" / "answers"
COLLECTED = ROOT.parent / "shared" / "cases"
BALLOTS = 64
INTEGER_ROUNDS = 15
MIXED_ROUNDS = 3
LONGEST_MIXED = 200
SHOWN_CHARS = 60
SLOW_MS = 1200
MODES = ("bench", "mixed-tally")


class Reply(msgspec.Struct, frozen=True):
    id: str
    reply: str
    dialect: str
    expected_answer: str | None
    expected_code: list[str]


class Output(msgspec.Struct, frozen=True):
    code_output: str
    answer: str
    matches: bool


class Judged(msgspec.Struct, frozen=True):
    """What `equivalent` said of a pair in both orders, and how long the first took."""

    pair: Pair
    there: bool | None
    back: bool | None
    ms: float

    @property
    def right(self) -> bool:
        verdicts = (self.there, self.back)
        if self.pair.equal:
            return all(verdict is True for verdict in verdicts)
        return all(verdict is not True for verdict in verdicts)


Case = TypeVar("Case", Pair, Reply, Output)


def shown(text: str) -> str:
    text = text.replace("\n", "\\n")
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… ({len(text)} characters)"


def load(path: Path, form: type[Case]) -> list[Case]:
    """Read the cases of a file; none where there is no such file."""
    if not path.exists():
        say(f"{path.name} is not in {path.parent}: no such cases")
        return []
    lines = path.read_bytes().splitlines()
    return [msgspec.json.decode(line, type=form) for line in lines if line.strip()]


def warm_up() -> None:
    """Have the worker process there, with what algebra loads on first use."""
    # A worker that cannot start is no result to print.
    warnings.simplefilter("error", RuntimeWarning)
    for text in (r"\sqrt{10-4\sqrt{6}}", "x^2-6x+9", r"[3,\sqrt{17})", r"\sum_{j=1}^{m} j", "2j+1"):
        equivalent(text, r"\sqrt{131}")


def judge(pairs: list[Pair]) -> list[Judged]:
    judged = []
    for pair in pairs:
        clear_caches()
        began = time.perf_counter()
        there = equivalent(pair.a, pair.b)
        ms = (time.perf_counter() - began) * 1000
        judged.append(Judged(pair, there, equivalent(pair.b, pair.a), ms))
    return judged


def tell_wrong(name: str, judged: list[Judged]) -> None:
    kinds = Counter(each.pair.kind for each in judged)
    wrong = [each for each in judged if not each.right]
    missed = Counter(each.pair.kind for each in wrong)
    say(f"{name}: {len(judged) - len(wrong)} of {len(judged)} right")
    for kind, total in sorted(kinds.items()):
        say(f"  {kind:<12} {total - missed[kind]:>4} of {total:>4}")
    for each in wrong:
        should = "=" if each.pair.equal else "≠"
        say(
            f"  wrong: {shown(each.pair.a)}  {should}  {shown(each.pair.b)}"
            f"  said {each.there}, {each.back} ({each.pair.kind})"
        )
    for each in judged:
        if each.ms > SLOW_MS:
            say(f"  slow: {shown(each.pair.a)}  {shown(each.pair.b)}  {each.ms:.0f} ms")


def reply_is_right(case: Reply) -> bool:
    answer = extract_answer(case.reply, dialect=case.dialect)
    raw = answer.raw if answer else None
    blocks = extract_code(case.reply, dialect=case.dialect)
    if [block.code.rstrip() for block in blocks] != [code.rstrip() for code in case.expected_code]:
        return False
    # An explicit line has no marked end: what is the same mathematics is as good.
    by_line = case.id.startswith("line-") and None not in (raw, case.expected_answer)
    return raw == case.expected_answer or (
        by_line and equivalent(raw or "", case.expected_answer or "") is True
    )


def count_replies(cases: list[Reply]) -> int:
    wrong = [case for case in cases if not reply_is_right(case)]
    for case in wrong:
        answer = extract_answer(case.reply, dialect=case.dialect)
        say(f"  wrong reply: {case.id}: {answer.raw if answer else None!r}")
    say(f"replies: {len(cases) - len(wrong)} of {len(cases)} right")
    return len(cases) - len(wrong)


def count_outputs(cases: list[Output]) -> int:
    wrong = [
        case for case in cases if output_matches(case.code_output, case.answer) != case.matches
    ]
    for case in wrong:
        should = "is" if case.matches else "is not"
        say(f"  wrong output: {shown(case.code_output)}  {should}  {shown(case.answer)}")
    say(f"outputs: {len(cases) - len(wrong)} of {len(cases)} right")
    return len(cases) - len(wrong)


def count(texts: list[str]) -> float:
    """Return the milliseconds from raw answers to a tally of them."""
    began = time.perf_counter()
    outcomes = [
        SampleOutcome(
            sample=sample, status="answered", ballot=Ballot(answer=canonical(text), raw=text)
        )
        for sample, text in enumerate(texts)
    ]
    counted = tally(outcomes, planned=len(texts), policy=policy_named("weighted"))
    ms = (time.perf_counter() - began) * 1000
    if counted.answered != len(texts):
        raise ValueError(f"the tally has {counted.answered} ballots of {len(texts)}")
    return ms


def integers(start: int) -> list[str]:
    """Return 64 integers as models write them, about every fourth the same."""
    spellings: list[Callable[[int], str]] = [
        str,
        "{:,}".format,
        "${}$".format,
        r"\boxed{{{}}}".format,
        "x = {}".format,
        "{}.0".format,
    ]
    write = itertools.cycle(spellings)
    return [next(write)(start + sample // 4 * 1009) for sample in range(BALLOTS)]


def mixed(pairs: list[Pair], part: int) -> list[str]:
    """Return 64 answers of the pairs, the kinds taking turns; each part begins elsewhere."""
    kinds: dict[str, list[str]] = {}
    for pair in pairs:
        if pair.kind != "hostile" and max(len(pair.a), len(pair.b)) <= LONGEST_MIXED:
            kinds.setdefault(pair.kind, []).extend((pair.a, pair.b))
    turns = [
        itertools.cycle(texts[(at := part * 8 % len(texts)) :] + texts[:at])
        for texts in kinds.values()
    ]
    return list(itertools.islice((next(turn) for turn in itertools.cycle(turns)), BALLOTS))


def count_mixed(folder: Path) -> list[float]:
    """Time tallies of mixed ballots, each in a new process with its worker there already."""
    return [
        float(
            subprocess.run(
                [*again("mixed-tally"), "--cases", str(folder), "--part", str(part)],
                check=True,
                capture_output=True,
                text=True,
                cwd=ROOT,
            ).stdout
        )
        for part in range(MIXED_ROUNDS)
    ]


def again(mode: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.answers", "--mode", mode]


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def bench(folder: Path, *, own: bool, math_verify: bool) -> dict[str, object]:
    pairs = load(folder / "answer_pairs.jsonl", Pair) + load(folder / "pairs.jsonl", Pair)
    warm_up()
    judged = judge(pairs)
    tell_wrong("pairs", judged)
    unequal = [each for each in judged if not each.pair.equal]
    replies, outputs = (
        load(folder / "replies.jsonl", Reply),
        load(folder / "outputs.jsonl", Output),
    )
    times = [each.ms for each in judged]
    figures: dict[str, object] = {
        "pairs_right": sum(each.right for each in judged),
        "pairs_total": len(pairs),
        "math_verify_right": count_math_verify(pairs) if math_verify else None,
        "ms_median": round(statistics.median(times), 3),
        "ms_p95": round(percentile(times, 0.95), 3),
        "ms_max": round(max(times), 3),
        "unequal_said_false": sum(each.there is False for each in unequal),
        "unequal_said_none": sum(each.there is None for each in unequal),
        "unequal_said_true": sum(each.there is True for each in unequal),
        "replies_right": count_replies(replies),
        "replies_total": len(replies),
        "outputs_right": count_outputs(outputs),
        "outputs_total": len(outputs),
    }
    clear_caches()
    starts = range(10**5, 10**6, (10**6 - 10**5) // INTEGER_ROUNDS)
    taken = [count(integers(start)) for start in starts]
    figures["tally_64_integers_ms"] = round(statistics.median(taken), 3)
    taken = count_mixed(folder)
    say(f"tallies of 64 mixed ballots: {', '.join(f'{ms:.0f} ms' for ms in taken)}")
    figures["tally_64_mixed_ms"] = round(statistics.median(taken), 1)
    return {**figures, **(bench_own() if own else {})}


def bench_own() -> dict[str, object]:
    judged = judge(load(OWN / "own_pairs.jsonl", Pair))
    tell_wrong("own pairs", judged)
    outputs = load(OWN / "own_outputs.jsonl", Output)
    return {
        "own_pairs_right": sum(each.right for each in judged),
        "own_pairs_total": len(judged),
        "own_ms_max": round(max(each.ms for each in judged), 3),
        "own_outputs_right": count_outputs(outputs),
        "own_outputs_total": len(outputs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--cases", type=Path, default=COLLECTED if COLLECTED.is_dir() else OWN, help="folder"
    )
    parser.add_argument("--without-math-verify", action="store_true")
    parser.add_argument("--without-own", action="store_true", help="leave the tests' cases out")
    parser.add_argument("--mode", choices=MODES, default="bench", help=argparse.SUPPRESS)
    parser.add_argument("--part", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.mode == "mixed-tally":
        pairs = load(options.cases / "answer_pairs.jsonl", Pair)
        pairs += load(options.cases / "pairs.jsonl", Pair)
        texts = mixed(pairs, options.part)
        warm_up()
        print(count(texts))
    else:
        figures = bench(
            options.cases.resolve(),
            own=not options.without_own,
            math_verify=not options.without_math_verify,
        )
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
