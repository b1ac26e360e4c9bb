"""Answers that take long to read hold up nobody: not the loop, not a stop, not the end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir import RunResult, start
from jupyterlab_tir.answers import Canonical, canonical, output_matches
from jupyterlab_tir.events import AnswerRead
from jupyterlab_tir.record import read_record
from jupyterlab_tir.solving import run, sample, verdict, verification
from jupyterlab_tir.solving.engine import engine
from jupyterlab_tir.solving.reading import Reading

from .conftest import Scripted

SOON_S = 10.0
HARD_S = 60.0
"""As long as a hard answer takes here; nothing waits for it."""

COMPUTED = "```python\nprint(6 * 7)\n```\n"


class Gate:
    """Makes functions wait until it is opened, and counts who is at it."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.waiting = 0
        self.most = 0
        self.calls = 0
        self._lock = threading.Lock()

    def before(self, function: Any) -> Any:
        def hard(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                self.calls += 1
                self.waiting += 1
                self.most = max(self.most, self.waiting)
            self.open.wait(HARD_S)
            with self._lock:
                self.waiting -= 1
            return function(*args, **kwargs)

        return hard


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


def until(condition: Any) -> None:
    end = time.monotonic() + HARD_S
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def stopped(handle: Any) -> tuple[RunResult, float]:
    began = time.monotonic()
    handle.stop()
    result = handle.result(SOON_S)
    return result, time.monotonic() - began


async def test_calls_give_what_the_function_returns_or_raises() -> None:
    reading = Reading()
    assert await reading.call(divmod, 7, 2) == (3, 1)
    assert await reading.call(int, "ff", base=16) == 255
    with pytest.raises(ZeroDivisionError):
        await reading.call(divmod, 1, 0)


async def test_few_threads_run_at_once_and_the_loop_goes_on(gate: Gate) -> None:
    reading = Reading(3)
    waiting = [asyncio.create_task(reading.call(gate.before(abs), -n)) for n in range(20)]
    await asyncio.to_thread(until, lambda: gate.waiting == 3)
    await asyncio.sleep(0.2)
    assert (gate.most, sum(task.done() for task in waiting)) == (3, 0)
    gate.open.set()
    assert await asyncio.gather(*waiting) == list(range(20))
    assert gate.most == 3


async def test_who_is_cancelled_leaves_at_once_and_the_thread_keeps_its_place(gate: Gate) -> None:
    reading = Reading(1)
    first = asyncio.create_task(reading.call(gate.before(abs), -1))
    second = asyncio.create_task(reading.call(abs, -2))
    await asyncio.to_thread(until, lambda: gate.waiting)
    first.cancel()
    await asyncio.wait({first}, timeout=SOON_S)
    assert first.cancelled()
    await asyncio.sleep(0.05)
    assert not second.done()
    gate.open.set()
    assert await second == 2


async def test_where_no_thread_can_be_started_it_is_done_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    reading = Reading(1)
    monkeypatch.setattr(threading.Thread, "start", none)
    assert [await reading.call(abs, -n) for n in (1, 2)] == [1, 2]


def test_hard_answers_do_not_hold_up_the_loop_and_are_read_once(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    monkeypatch.setattr(sample, "canonical", gate.before(canonical))
    monkeypatch.setattr(verification, "output_matches", gate.before(output_matches))
    base_url = scripted([r"\boxed{5}"])
    handle = start("?", base_url=base_url, samples=16, mode="text", stop="none", dialect="fenced")
    until(lambda: gate.waiting == 4)

    async def lag() -> float:
        began = time.monotonic()
        for _ in range(20):
            await asyncio.sleep(0.01)
        return time.monotonic() - began

    assert engine().submit(lag()).result(SOON_S) < SOON_S / 2
    gate.open.set()
    result = handle.result(SOON_S)
    assert result.answer == "5"
    assert gate.calls <= 16


def test_a_stop_waits_for_no_hard_answer_and_loses_none_that_was_read(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    hard = gate.before(canonical)

    def read(raw: str, *, kind: str | None = None) -> Canonical:
        return canonical(raw, kind=kind) if raw == "5" else hard(raw, kind=kind)

    monkeypatch.setattr(sample, "canonical", read)
    base_url = scripted([r"\boxed{5}"], [r"\boxed{9^{9^9}}"])
    handle = start(
        "?", base_url=base_url, samples=4, mode="text", stop="none", min_answers=9, dialect="fenced"
    )
    until(lambda: gate.waiting == 2)
    result, seconds = stopped(handle)
    assert seconds < SOON_S / 2
    assert [(c.shown, c.count) for c in result.tally.candidates] == [("5", 2)]
    (row,) = result.tally.without_ballot
    assert (row.status, row.samples) == ("cancelled", (1, 3))
    reasons = {o.reason for o in read_record(result.record).outcomes if o.ballot is None}
    assert reasons == {"Cancelled: the run was stopped. Its answer was still being read: 9^{9^9}"}


def test_an_answer_that_is_read_soon_after_the_stop_still_votes(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    monkeypatch.setattr(sample, "LAST_WORDS_S", SOON_S)
    monkeypatch.setattr(sample, "canonical", gate.before(canonical))
    handle = start("?", base_url=scripted([r"\boxed{5}"]), samples=1, mode="text")
    until(lambda: gate.waiting == 1)
    handle.stop()
    threading.Timer(0.2, gate.open.set).start()
    result = handle.result(SOON_S)
    assert (result.answer, result.status) == ("5", "stopped")


def test_an_answer_whose_code_was_still_being_judged_votes_without_code(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    reads = Gate()
    reads.open.set()
    monkeypatch.setattr(sample, "canonical", reads.before(canonical))
    monkeypatch.setattr(verification, "output_matches", gate.before(output_matches))
    handle = start("?", base_url=scripted([COMPUTED, r"\boxed{42}"]), samples=1)
    until(lambda: gate.waiting == 1)
    result, seconds = stopped(handle)
    assert seconds < SOON_S / 2
    assert result.answer == "42"
    record = read_record(result.record)
    assert [e.key for e in record.events if isinstance(e, AnswerRead)] == ["q:42"]
    assert reads.calls == 1
    (outcome,) = record.outcomes
    assert outcome.ballot is not None
    assert outcome.ballot.verification == "none"
    assert outcome.ballot.verification_reason == "the run ended before its code was judged"


def test_a_claim_that_cannot_be_compared_in_time_is_undecided(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    monkeypatch.setattr(run, "JUDGING_S", 0.2)
    monkeypatch.setattr(verdict, "canonical", gate.before(canonical))
    handle = start("?", check="6", base_url=scripted([r"\boxed{5}"]), samples=2, mode="text")
    result = handle.result(SOON_S)
    assert result.verdict is not None
    assert result.verdict.words == (
        "Undecided about 6: it could not be compared with the votes within 0.2 s."
    )


LEAVE = """
import sys, threading, time
from jupyterlab_tir import start
from jupyterlab_tir.answers import canonical
from jupyterlab_tir.solving import sample

begun = threading.Event()

def hard(raw, *, kind=None):
    begun.set()
    time.sleep(60)

sample.canonical = hard
handle = start("?", base_url=sys.argv[1], samples=8, mode="text")
begun.wait(30)
print("leaving", flush=True)
"""


def test_a_process_ends_without_waiting_for_hard_answers(
    scripted: Scripted, tmp_path: Path
) -> None:
    script = tmp_path / "leave.py"
    script.write_text(LEAVE, encoding="utf-8")
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, script, scripted([r"\boxed{5}"])],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "leaving\n", "")
    assert time.monotonic() - began < 50
