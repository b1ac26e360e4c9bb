"""Math-Verify on pairs of answers, in a process of its own that is ended when it hangs."""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[1]
MATH_VERIFY_WAIT_S = 60
MATH_VERIFY_BYTES = 6 * 2**30


class Pair(msgspec.Struct, frozen=True):
    a: str
    b: str
    equal: bool
    kind: str = ""


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def start_math_verify() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.math_verify_side"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )


def ask_math_verify(pairs: list[Pair]) -> Iterator[bool | None]:
    """Yield its verdicts, None where it hung or died."""
    process = start_math_verify()
    try:
        for pair in pairs:
            verdict = ask_one(process, pair)
            if verdict is None:
                process.kill()
                process.communicate()
                process = start_math_verify()
            yield verdict
    finally:
        process.kill()
        process.communicate()


def ask_one(process: subprocess.Popen[bytes], pair: Pair) -> bool | None:
    if process.stdin is None or process.stdout is None:
        raise TypeError("the process was started with pipes")
    try:
        process.stdin.write(msgspec.json.encode(pair) + b"\n")
        process.stdin.flush()
    except BrokenPipeError:
        return None
    readable, _, _ = select.select([process.stdout], [], [], MATH_VERIFY_WAIT_S)
    line = process.stdout.readline() if readable else b""
    return bool(json.loads(line)) if line else None


def count_math_verify(pairs: list[Pair]) -> int | None:
    if importlib.util.find_spec("math_verify") is None:
        say("Math-Verify is not installed: pip install math-verify")
        return None
    verdicts = list(ask_math_verify(pairs))
    right = sum(
        verdict is True if pair.equal else verdict is not True
        for pair, verdict in zip(pairs, verdicts, strict=True)
    )
    say(f"Math-Verify: {right} of {len(pairs)} right; hung or died on {verdicts.count(None)}")
    return right


def math_verify_answers() -> None:
    """Answer pairs, a line of JSON each, by Math-Verify; its time limits need a main thread."""
    resource.setrlimit(resource.RLIMIT_AS, (MATH_VERIFY_BYTES, MATH_VERIFY_BYTES))
    # Imported by name: the project does not depend on it.
    library = importlib.import_module("math_verify")

    def delimited(text: str) -> str:
        return text if text.startswith(("$", r"\(", r"\[")) else f"${text}$"

    for line in sys.stdin:
        pair = msgspec.json.decode(line, type=Pair)
        a, b = library.parse(delimited(pair.a)), library.parse(delimited(pair.b))
        print(json.dumps(bool(library.verify(a, b) or library.verify(b, a))), flush=True)


if __name__ == "__main__":
    math_verify_answers()
