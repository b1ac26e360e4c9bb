"""What must not end or hang a run: a full disk, callers that leave, misuse, a process that ends."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from jupyterlab_tir import Problem, asolve, solve, start
from jupyterlab_tir.backend.scripted import Script, ScriptedServer
from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import NoServerError, UsageError
from jupyterlab_tir.events import Event, SampleEnded, TextStreamed, VerificationEnded
from jupyterlab_tir.record import read_record
from jupyterlab_tir.sandbox import ChildKernels, folders, provisioner
from jupyterlab_tir.sandbox import warm as warm_processes
from jupyterlab_tir.sandbox.warm import Warm
from jupyterlab_tir.solving import kernels
from jupyterlab_tir.solving.cells import Notebook
from jupyterlab_tir.solving.engine import Engine, engine

from .conftest import Scripted

SOON_S = 10.0

CODE_THEN_ANSWER = ["```python\nprint(6 * 7)\n```\n", r"\boxed{42}"]
LEAVE = """
import sys, threading
from jupyterlab_tir import start
base_url, moment = sys.argv[1:]
handle = start("?", base_url=base_url, samples=2)
computing = threading.Event()
handle.listen(lambda event: computing.set() if type(event).__name__ == "CodeStarted" else None)
assert computing.wait(60)
if moment == "after the run":
    assert handle.wait(60)
print("leaving")
"""
SLOW = [{"text": r"slow " * 100 + r"\boxed{5}", "token_ms": 50}]


def test_a_kernel_that_the_machine_cannot_start_ends_its_sample_and_no_more(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_descriptors(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(Warm, "start", no_descriptors)
    result = solve("?", base_url=scripted(CODE_THEN_ANSWER, [r"\boxed{3}"]), samples=2)
    assert result.answer == "3"
    (lost,) = result.tally.without_ballot
    assert (lost.status, lost.count) == ("kernel-failed", 1)
    ended = [e for e in read_record(result.record).events if isinstance(e, SampleEnded)]
    assert any("Too many open files" in e.outcome.reason for e in ended)


def test_a_disk_that_is_full_at_the_first_replay_costs_the_replay_and_no_more(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, made = folders._make_folder, 0

    def full_after_the_first() -> Path:
        nonlocal made
        made += 1
        if made > 1:
            raise UsageError("No folder for child kernels could be made (disk full).")
        return make()

    monkeypatch.setattr(folders, "_make_folder", full_after_the_first)
    result = solve("?", base_url=scripted(CODE_THEN_ANSWER), samples=1, memory=1101)
    assert made > 1
    assert (result.answer, result.status) == ("42", "answered")
    assert result.tally.candidates[0].code_verified == 0
    ended = [e for e in read_record(result.record).events if isinstance(e, VerificationEnded)]
    assert "disk full" in ended[0].reason


def test_libraries_stay_loaded_after_a_run_for_samples_and_replays(scripted: Scripted) -> None:
    result = solve("?", base_url=scripted(CODE_THEN_ANSWER), samples=1, memory=1102)
    assert result.tally.candidates[0].code_verified == 1
    held = [w for w in warm_processes._warm.values() if _mib(w) == 1102 and w.pid is not None]
    assert {warm.settings.hash_seed for warm in held} == {1, 2}
    engine().close()
    assert not any(_mib(warm) == 1102 for warm in warm_processes._warm.values())


def _mib(warm: Warm) -> int:
    return warm.settings.box.memory_bytes // 1024**2


@pytest.mark.parametrize("moment", ["in mid-run", "after the run"])
def test_a_process_that_exits_leaves_no_folder(moment: str, tmp_path: Path) -> None:
    script = tmp_path / "leave.py"
    script.write_text(LEAVE, encoding="utf-8")
    body = {"version": 1, "problems": [{"contains": "", "samples": [{"turns": [
        {"text": "```python\nimport time; time.sleep(2)\n6 * 7\n```\n"}, {"text": r"\boxed{42}"}
    ]}]}]}  # fmt: skip
    (tmp_path / "script.json").write_text(json.dumps(body), encoding="utf-8")
    # Not in tmp_path, which is too long to hold the kernels' folder.
    with tempfile.TemporaryDirectory() as temporary:
        done = subprocess.run(
            [sys.executable, script, f"scripted:{tmp_path / 'script.json'}", moment],
            env={**os.environ, "TMPDIR": temporary},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert done.stdout == "leaving\n"
        assert list(Path(temporary).iterdir()) == []


async def test_what_is_submitted_while_the_engine_ends_is_ended_as_well() -> None:
    closing, gone = Engine(), threading.Event()

    async def late() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            gone.set()

    async def early() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            closing.submit(late())
            await asyncio.sleep(0.05)

    started = threading.Event()
    closing.submit(early())
    assert started.wait(SOON_S)
    await asyncio.to_thread(closing.close)
    assert gone.is_set()
    assert closing.closing


async def test_libraries_are_not_held_by_an_engine_that_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernels, "engine", lambda: SimpleNamespace(closing=True))
    await kernels.keep_warm(SimpleNamespace(hold=None))  # type: ignore[arg-type]


def test_a_look_for_missing_modules_that_fails_is_told_nobody(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def lost(_: ChildKernels) -> dict[str, str]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ConnectionResetError from None
        return {}

    monkeypatch.setattr(ChildKernels, "missing", lost)
    with caplog.at_level(logging.DEBUG):
        result = solve("?", base_url=scripted(CODE_THEN_ANSWER), samples=1)
        engine().submit(asyncio.sleep(0.1)).result(SOON_S)
        gc.collect()
    assert result.answer == "42"
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []


def test_a_kernel_folder_that_cannot_be_removed_costs_no_answer(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(folder: Path) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), str(folder))

    monkeypatch.setattr(provisioner, "remove_folder", busy)
    result = solve("?", base_url=scripted(CODE_THEN_ANSWER), samples=1)
    assert result.answer == "42"
    assert result.tally.candidates[0].code_verified == 1


def test_what_a_hostile_run_left_behind_costs_later_runs_nothing(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "tir-kernels-left"
    left.mkdir()
    (left / "lock").symlink_to(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    result = solve("?", base_url=scripted([r"\boxed{5}"]), mode="text", samples=1)
    assert result.answer == "5"


@pytest.mark.parametrize("dialect", ["auto", "fenced"])
async def test_a_runtime_folder_that_cannot_be_made_costs_only_the_memory_of_probes(
    dialect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file" / "runtime"))
    sample = {"turns": [{"text": r"\boxed{5}"}]}
    problems = [{"contains": "", "samples": [sample]}]
    script = msgspec.convert({"version": 1, "problems": problems}, Script)
    async with ScriptedServer(script) as server:
        result = await asolve(
            "?", base_url=server.base_url, samples=1, mode="text", dialect=dialect
        )
    assert result.answer == "5"


def test_a_proxy_that_cannot_be_used_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks9://127.0.0.1:1")
    with pytest.raises(NoServerError, match="ALL_PROXY"):
        solve("?", base_url="http://192.0.2.1:8000/v1", deadline=5)


def test_a_cancelled_asolve_is_over_when_its_caller_goes_on(
    scripted: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    base_url = scripted(SLOW)

    async def give_up() -> None:
        await asyncio.wait_for(asolve("?", base_url=base_url, mode="text"), 1.0)

    with caplog.at_level(logging.DEBUG), pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert _runs() == 0
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []


def _runs() -> int:
    async def others() -> int:
        return sum("Run." in task.get_name() for task in engine()._tasks)

    return engine().submit(others()).result(SOON_S)


async def test_who_stops_reading_events_is_told_no_more(scripted: Scripted) -> None:
    handle = start("?", base_url=scripted(SLOW), mode="text", samples=1)
    events = handle.events()
    async for event in events:
        if isinstance(event, TextStreamed):
            break
    assert len(handle._journal._listeners) == 2  # the record's and ours
    await events.aclose()
    on_engine = engine().submit(asyncio.sleep(0))
    on_engine.result(SOON_S)
    assert len(handle._journal._listeners) == 1
    handle.stop()
    await handle


def test_events_are_read_after_the_end_and_twice(scripted: Scripted) -> None:
    handle = start("?", base_url=scripted([r"\boxed{5}"]), mode="text", samples=1)
    handle.result()

    async def read() -> list[Event]:
        return [event async for event in handle.events()]

    first, again = asyncio.run(read()), asyncio.run(read())
    assert [event.seq for event in first] == list(range(len(first)))
    assert first == again


def test_a_loop_that_closes_while_it_is_told_does_not_end_the_run(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = start("?", base_url=scripted(SLOW), mode="text", samples=1)

    async def first() -> None:
        async for _ in handle.events():
            return

    loop = asyncio.new_event_loop()
    # Not asyncio.run, which would close the generator.
    loop.run_until_complete(first())
    with monkeypatch.context() as patch:
        # As if the loop closed between being seen open and being called.
        closed = threading.Event()
        patch.setattr(loop, "is_closed", closed.is_set)

        def call_soon_threadsafe(*_: object) -> None:
            closed.set()
            raise RuntimeError("Event loop is closed")

        patch.setattr(loop, "call_soon_threadsafe", call_soon_threadsafe)
        threading.Event().wait(0.5)
        handle.stop()
        assert handle.result().status == "stopped"
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def test_the_engine_that_was_closed_is_followed_by_another(scripted: Scripted) -> None:
    old = engine()
    old.close()
    old.close()
    result = solve("?", base_url=scripted([r"\boxed{5}"]), mode="text", samples=1)
    assert result.answer == "5"
    assert engine() is not old


def test_waiting_on_the_engines_own_thread_is_refused(scripted: Scripted) -> None:
    base_url = scripted([r"\boxed{5}"])

    async def wrongly() -> None:
        solve("?", base_url=base_url, mode="text", samples=1)

    with pytest.raises(UsageError, match="engine's thread"):
        engine().submit(wrongly()).result(SOON_S)
    assert _runs() == 0


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        ((Problem(text="2+2?"),), {"check": "4"}, "claim"),
        ((5,), {}, "text"),
        ((b"2+2?",), {}, "text"),
        (("2+2?",), {"check": 4}, "text"),
        (("2+2?",), {"resolved": resolve({"samples": 1}), "samples": 3}, "samples"),
    ],
)
def test_what_would_be_left_unread_is_refused(
    arguments: tuple[Any, ...], settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        start(*arguments, **settings)


async def test_a_cancel_during_the_end_of_a_starting_kernel_is_not_lost() -> None:
    notebook = Notebook(context=None, sample=0, sample_seed=1)  # type: ignore[arg-type]
    ending = asyncio.Event()

    async def slow_to_end() -> Any:
        try:
            await asyncio.sleep(60)
        finally:
            ending.set()
            await asyncio.sleep(0.1)

    notebook._starting = asyncio.create_task(slow_to_end())
    await asyncio.sleep(0)
    closing = asyncio.create_task(notebook.close())
    await ending.wait()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing


async def test_a_sample_that_had_ended_keeps_its_outcome_when_its_kernel_is_slow_to_end(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle_of: list[Any] = []
    close = Notebook.close

    async def slow_close(self: Notebook) -> None:
        await close(self)
        handle_of[0].stop()
        await asyncio.sleep(0.3)

    monkeypatch.setattr(Notebook, "close", slow_close)
    handle = start("?", base_url=scripted(["```python\n1\n```\n", "Hm."]), samples=1)
    handle_of.append(handle)
    result = await handle
    assert [r.status for r in result.tally.without_ballot] == ["no-answer"]
