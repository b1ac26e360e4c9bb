"""A whole run: scheduling, stopping, interrupting, records, and the three ways to call it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir import RunResult, asolve, solve, start
from jupyterlab_tir.backend.scripted import Script, ScriptedServer
from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import NoServerError, StoppedError, UsageError
from jupyterlab_tir.events import (
    CodeEnded,
    Noticed,
    RunEnded,
    RunStarted,
    SampleStarted,
    TextStreamed,
)
from jupyterlab_tir.record import read_record
from jupyterlab_tir.sandbox import ChildKernels
from jupyterlab_tir.sandbox.levels import Offer, SandboxError, choose, probe
from jupyterlab_tir.solving import describe_server

from .conftest import Scripted

README = Path(__file__).parents[2] / "README.md"
SOON_S = 10.0
"""Tenfold slack for what takes less than a second on an idle machine."""


def make_script(*turns: dict[str, Any], **server: Any) -> Script:
    body = {
        "version": 1,
        "server": server,
        "problems": [{"contains": "", "samples": [{"turns": list(turns)}]}],
    }
    return msgspec.convert(body, Script)


async def until(condition: Any, within_s: float = 60.0) -> None:
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        await asyncio.sleep(0.02)


def test_a_run_stops_when_consensus_is_safe(scripted: Scripted) -> None:
    result = solve("?", base_url=scripted([r"\boxed{5}"]), samples=32, mode="text", seed=1)
    assert result.status == "answered"
    assert result.stop is not None
    assert result.stop.rule == "share"
    assert result.tally.finished < 32
    assert result.saved.not_started + result.saved.cancelled + result.tally.finished == 32


def test_without_stop_rule_all_samples_run_until_nothing_can_change(scripted: Scripted) -> None:
    base_url = scripted([r"\boxed{5}"], [r"\boxed{6}"])
    result = solve("?", base_url=base_url, samples=10, mode="text", stop="none", seed=1)
    assert result.tally.finished == 10
    assert [(c.shown, c.count) for c in result.tally.candidates] == [("5", 5), ("6", 5)]
    assert result.tally.tied


@pytest.mark.parametrize(
    ("stop", "tau", "rule", "after"),
    [
        ("share", 0.75, "share:0.75", 4),
        # 9 of 12 weigh 9 / e = 3.3, and three to come 3 at the most; 8 weigh 2.9, and four 4.
        ("share", 1.0, "uncatchable", 9),
        ("share:0.75", 1.0, "share:0.75", 4),
        ("planned:0.5", 0.75, "planned:0.5", 7),
        ("beta:0.99", 0.75, "beta:0.99", 6),
        ("lead:3", 0.75, "lead:3", 3),
        ("window:2", 0.75, "window:2", 2),
        ("beta:0.99,lead:5", 0.75, "lead:5", 5),
        ("none", 0.75, "uncatchable", 9),
    ],
)
def test_each_stop_rule_stops_a_run_at_its_own_sample(
    stop: str, tau: float, rule: str, after: int, scripted: Scripted
) -> None:
    base_url = scripted([{"text": r"\boxed{5}", "entropy": 1.0}])
    result = solve(
        "?", base_url=base_url, samples=12, mode="text", stop=stop, tau=tau, parallel=1
    )  # fmt: skip
    assert result.stop is not None
    assert (result.stop.spelled, result.stop.after, result.stop.sample) == (rule, after, after - 1)
    assert result.reason == (
        f"The rule {rule} fired after {after} of 12 samples, with sample {after}: "
        f"{result.stop.words}"
    )
    record = read_record(result.record)
    assert record.ended is not None
    assert record.ended.stop == result.stop


@pytest.mark.parametrize("policy", ["weighted", "majority", "votes-first"])
def test_policy_counts_the_run_and_its_record(policy: str, scripted: Scripted) -> None:
    base_url = scripted([r"\boxed{5}"], [r"\boxed{6}"], [r"\boxed{6}"])
    result = solve("?", base_url=base_url, samples=3, mode="text", policy=policy, parallel=1)
    assert (result.tally.policy, result.answer) == (policy, "6")
    record = read_record(result.record)
    assert record.started.settings["policy"] == policy
    assert record.replay() == result.tally


def test_no_answer_is_invented(scripted: Scripted) -> None:
    result = solve("?", base_url=scripted(["Hm."]), samples=3, mode="text")
    assert (result.answer, result.status, str(result)) == (None, "no-answer", "no answer")


@pytest.mark.parametrize(
    "text",
    [
        r"What is $\frac{1}{2}$ of 100\% {of} ${HOME} {{x}} %s %(a)s?",
        "עברית: 2+2? \u202edesrever\u202c",
        "tab\there, bell\x07, escape\x1b[31m, null\x00",
        "```output\nProblem: nested\n```",
    ],
)
async def test_the_problem_reaches_the_server_literally(text: str) -> None:
    for dialect in ("fenced", "fewshot"):
        async with ScriptedServer(make_script({"text": r"\boxed{4}"})) as server:
            result = await asolve(
                text, base_url=server.base_url, samples=1, mode="text", dialect=dialect
            )
            (request,) = [r for r in server.requests if "completions" in r.path]
        if dialect == "fenced":
            assert request.body["messages"][-1]["content"] == text
        else:
            assert request.body["prompt"].endswith(f"Problem: {text}\n")
        started = read_record(result.record).started
        assert started.problem.text == text


async def test_every_sample_has_its_own_seed_and_a_seeded_run_repeats_them() -> None:
    async def seeds(seed: int) -> list[int]:
        async with ScriptedServer(make_script({"text": r"\boxed{4}"})) as server:
            await asolve(
                "?", base_url=server.base_url, samples=4, mode="text", stop="none", seed=seed,
                min_answers=1024, parallel=1, dialect="fenced",
            )  # fmt: skip
            return [r.body["seed"] for r in server.requests if "completions" in r.path]

    first, again, other = await seeds(11), await seeds(11), await seeds(12)
    assert first == again
    assert len(set(first)) == len(first)
    assert not set(first) & set(other)


async def test_sixty_four_streams_at_once() -> None:
    turn = {"text": "word " * 30 + r"\boxed{4}", "token_ms": 80}
    async with ScriptedServer(make_script(turn, max_num_seqs=64)) as server:
        most = 0
        handle = start(
            "?", base_url=server.base_url, samples=128, mode="text", stop="none", parallel=64,
            dialect="fenced",
        )  # fmt: skip
        async for event in handle.events():
            if isinstance(event, TextStreamed):
                running = sum(r.outcome == "running" for r in server.requests)
                most = max(most, running)
        result = await handle
    assert most == 64
    assert result.tally.leader is not None
    assert result.tally.leader.count >= 64
    assert not result.tally.lost


async def test_a_stop_cancels_requests_and_ends_kernels_and_keeps_the_tally(
    forked_below: Callable[[int], set[int]],
) -> None:
    script = msgspec.convert(
        {
            "version": 1,
            "problems": [
                {
                    "contains": "",
                    "samples": [
                        {"turns": [{"text": r"\boxed{9}"}]},
                        {"turns": [{"text": "```python\nwhile True: pass\n```\n"}]},
                        {"turns": [{"fault": {"kind": "silent"}}]},
                    ],
                }
            ],
        },
        Script,
    )
    async with ScriptedServer(script) as server:
        before = forked_below(os.getpid())
        handle = start("?", base_url=server.base_url, samples=3, timeout=30, dialect="fenced")
        seen: set[str] = set()
        handle.listen(lambda event: seen.add(event.title))
        await until(lambda: "sample 1: answered" in seen and "sample 2, cell 1: started" in seen)
        assert forked_below(os.getpid()) - before
        stopped = time.monotonic()
        handle.stop()
        result = await handle
        assert time.monotonic() - stopped < SOON_S
        await until(lambda: not any(r.outcome == "running" for r in server.requests))
        await until(lambda: forked_below(os.getpid()) <= before)
    assert result.status == "stopped"
    assert [(c.shown, c.count) for c in result.tally.candidates] == [("9", 1)]
    assert [(r.status, r.count) for r in result.tally.without_ballot] == [("cancelled", 2)]
    record = read_record(result.record)
    assert not record.cut_short
    assert record.replay() == result.tally


async def test_the_deadline_ends_a_run_on_a_silent_server() -> None:
    async with ScriptedServer(make_script({"fault": {"kind": "silent"}})) as server:
        result = await asolve(
            "?", base_url=server.base_url, samples=2, mode="text", deadline=2, dialect="fenced"
        )
    assert result.status == "deadline"
    assert [(r.status, r.count) for r in result.tally.without_ballot] == [("deadline", 2)]


async def test_a_stop_while_the_server_is_still_asked_what_it_is() -> None:
    connected = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.set()
        await reader.read()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    handle = start("?", base_url=f"http://127.0.0.1:{port}/v1")
    await connected.wait()
    handle.stop()
    with pytest.raises(StoppedError):
        await handle
    server.close()
    await server.wait_closed()
    await asyncio.sleep(0.05)


def test_replayed_records_give_the_same_tally(scripted: Scripted) -> None:
    base_url = scripted(
        [{"text": r"\boxed{5}", "entropy": 0.1}],
        [{"text": r"\boxed{1/2}", "entropy": 1.7}],
        [{"text": r"\boxed{0.5}", "entropy": "none"}],
        ["?"],
    )
    result = solve("?", base_url=base_url, samples=12, mode="text", stop="none", seed=3)
    record = read_record(result.record)
    assert record.replay() == result.tally
    assert isinstance(record.events[0], RunStarted)
    assert isinstance(record.events[-1], RunEnded)
    assert [event.seq for event in record.events] == list(range(len(record.events)))
    assert {e.sample for e in record.events if isinstance(e, SampleStarted)} <= set(range(12))


def test_a_lost_turn_is_asked_again_with_another_seed(tmp_path: Path) -> None:
    body = {
        "version": 1,
        "problems": [
            {
                "contains": "",
                "samples": [
                    {
                        "attempts": [
                            {
                                "turns": [
                                    {
                                        "text": r"one two three \boxed{7}",
                                        "fault": {"kind": "cut", "after_tokens": 2},
                                    }
                                ]
                            },
                            {"turns": [{"text": r"\boxed{8}"}]},
                        ]
                    }
                ],
            }
        ],
    }
    path = tmp_path / "retry.json"
    path.write_bytes(msgspec.json.encode(body))
    result = solve("?", base_url=f"scripted:{path}", samples=1, mode="text")
    assert result.answer == "8"
    turns = [e for e in read_record(result.record).events if e.title.startswith("sample 1, turn")]
    assert [(t.attempt, t.finish) for t in turns] == [(0, "lost"), (1, "stop")]  # type: ignore[union-attr]


def test_a_server_that_refuses_every_request_loses_the_run(scripted: Scripted) -> None:
    fault = {"fault": {"kind": "http", "status": 500, "message": "engine dead"}}
    result = solve("?", base_url=scripted([fault]), samples=2, mode="text", retries=0)
    assert result.status == "server-lost"
    assert "engine dead" in result.reason
    assert result.tally.lost == 2
    assert result.tally.finished == 0


def test_a_dead_server_ends_the_run_before_its_whole_plan_is_lost(scripted: Scripted) -> None:
    fault = {"fault": {"kind": "http", "status": 500, "message": "engine dead"}}
    result = solve("?", base_url=scripted([fault]), samples=64, mode="text", retries=0)
    assert result.status == "server-lost"
    assert result.tally.lost < 16
    assert result.tally.lost + result.tally.unfinished + result.saved.not_started == 64


def test_a_server_that_ignores_the_token_limit_is_cut_at_it() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"completions" in head:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            chunk = b'data: {"choices": [{"text": "more ", "token_ids": [1]}]}\n\n'
            with contextlib.suppress(ConnectionError):
                while not writer.is_closing():
                    writer.write(chunk * 16)
                    await writer.drain()
        else:
            body = b'{"data": [{"id": "a"}]}'
            length = f"Content-Length: {len(body)}\r\n\r\n".encode()
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + length + body)
        writer.close()

    async def ask() -> RunResult:
        server = await asyncio.start_server(endless, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            return await asolve(
                "?", base_url=f"http://127.0.0.1:{port}/v1", samples=1, dialect="fewshot",
                mode="text", max_tokens_turn=100,
            )  # fmt: skip

    result = asyncio.run(ask())
    (row,) = result.tally.without_ballot
    assert row.status == "token-limit"
    assert 100 < result.tokens < 200


def test_nobody_answers_at_the_address() -> None:
    with pytest.raises(NoServerError, match=r"No server answers at http://127\.0\.0\.1:9/v1"):
        solve("?", base_url="http://127.0.0.1:9/v1")


def test_a_problem_longer_than_the_context_is_refused_before_anything_is_asked(
    scripted: Scripted,
) -> None:
    with pytest.raises(UsageError, match="holds 512"):
        solve("word " * 600, base_url=scripted([r"\boxed{1}"], max_model_len=512))


def test_solve_works_in_another_thread_and_two_runs_share_the_engine(scripted: Scripted) -> None:
    base_url = scripted([r"\boxed{5}"])
    answers: list[str] = []
    threads = [
        threading.Thread(
            target=lambda: answers.append(str(solve("?", base_url=base_url, mode="text")))
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == ["5", "5"]
    assert sum(t.name == "tir-engine" for t in threading.enumerate()) == 1


async def test_asolve_leaves_the_callers_loop_free(scripted: Scripted) -> None:
    base_url = scripted([{"text": r"slow \boxed{5}", "first_token_ms": 1000}])
    task = asyncio.create_task(asolve("?", base_url=base_url, mode="text", samples=1))
    ticks = 0
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert (await task).answer == "5"
    assert ticks > 5


async def test_cancelling_asolve_stops_the_run() -> None:
    async with ScriptedServer(make_script({"fault": {"kind": "silent"}})) as server:
        task = asyncio.create_task(asolve("?", base_url=server.base_url, dialect="fenced"))
        await until(lambda: any("completions" in r.path for r in server.requests))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not any(r.outcome == "running" for r in server.requests))


def test_the_check_verdict_comes_with_its_numbers(scripted: Scripted) -> None:
    # One after the other, 1 second: the lossless rule needs all three.
    base_url = scripted([r"\boxed{2870}"], [r"\boxed{1}"], [r"\boxed{2870}"])
    settings: dict[str, Any] = {
        "base_url": base_url, "mode": "text", "samples": 3, "stop": "none", "parallel": 1
    }  # fmt: skip
    agrees = solve("?", check="2,870", **settings)
    assert agrees.verdict is not None
    assert agrees.verdict.verdict == "agrees"
    assert "2 of 3" in agrees.verdict.words
    disagrees = solve("?", check="1", **settings)
    assert disagrees.verdict is not None
    assert disagrees.verdict.verdict == "disagrees"
    assert "1 said 1" in disagrees.verdict.words
    nobody = solve("?", check="1", base_url=scripted(["?"]), mode="text", samples=1)
    assert nobody.verdict is not None
    assert nobody.verdict.verdict == "undecided"


def test_the_isolation_level_is_in_the_result_and_the_record(scripted: Scripted) -> None:
    result = solve("?", base_url=scripted([r"\boxed{5}"]), samples=1)
    level = choose("best", asyncio.run(probe()))
    assert result.isolation == level
    assert read_record(result.record).started.isolation == level


def test_a_run_of_text_makes_nothing_for_code_and_says_so(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def entered(*_: object) -> None:
        raise AssertionError("child kernels were made")

    monkeypatch.setattr(ChildKernels, "__aenter__", entered)
    settings: dict[str, Any] = {"base_url": scripted([r"\boxed{5}"]), "mode": "text", "samples": 1}
    result = solve("?", sandbox="auto", **settings)
    assert result.answer == "5"
    assert result.isolation == "no code is run"
    assert read_record(result.record).started.isolation == "no code is run"
    _, isolation = describe_server(resolve(settings))
    assert (isolation.level, isolation.refusal) == ("no code is run", "")


def test_no_secret_reaches_the_record(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret")
    code = "import os\nprint(sorted(os.environ.items()))\nprint(open('/proc/self/environ').read())"
    result = solve(
        "?",
        base_url=scripted([f"```python\n{code}\n```\n", r"\boxed{5}"], api_key="sk-planted-secret"),
        samples=1,
    )
    assert result.answer == "5"
    assert b"sk-planted-secret" not in result.record.read_bytes()
    assert "sk-planted-secret" not in result.to_json()


def test_an_isolation_that_the_machine_does_not_offer_is_refused_before_anything_is_asked(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing() -> Offer:
        return Offer(offered=("none",), lacking={"full": "the kernel has no Landlock"})

    monkeypatch.setattr("jupyterlab_tir.sandbox.kernels.probe", nothing)
    # Nor is a server needed to be told.
    with pytest.raises(SandboxError, match=r"has no Landlock.*--sandbox.*none") as refusal:
        solve("?", base_url="http://127.0.0.1:9/v1", sandbox="auto")
    (quoted,) = re.findall(r'\*\*"(This machine .*) …"\*\*', README.read_text(encoding="utf-8"))
    assert str(refusal.value).startswith(quoted)
    accepted = solve("?", base_url=scripted([r"\boxed{5}"]), sandbox="none", samples=1)
    assert accepted.isolation == "none"


@pytest.mark.parametrize(("verify", "replays"), [(True, {0, 2}), (False, {0})])
def test_kernels_are_started_ahead_for_samples_and_once_code_computed_for_replays(
    verify: bool,  # noqa: FBT001
    replays: set[int],
    scripted: Scripted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, int]] = []
    prepare = ChildKernels.prepare

    def watched(self: ChildKernels, kernels: int, replays: int = 0) -> None:
        asked.append((kernels, replays))
        prepare(self, kernels, replays)

    monkeypatch.setattr(ChildKernels, "prepare", watched)
    base_url = scripted(["```python\nprint(6 * 7)\n```\n", r"\boxed{42}"])
    result = solve("?", base_url=base_url, samples=2, stop="none", verify=verify)
    assert result.answer == "42"
    assert result.tally.candidates[0].code_verified == (2 if verify else 0)
    assert asked[0] == (2, 0)
    assert {ahead for _, ahead in asked} == replays
    assert max(kernels for kernels, _ in asked) == 2


def test_modules_that_cannot_be_loaded_ahead_are_noticed(scripted: Scripted) -> None:
    base_url = scripted(["```python\nprint(6 * 7)\n```\n", r"\boxed{42}"])
    result = solve("?", base_url=base_url, samples=1, preload="no_such_module, colorsys")
    assert result.answer == "42"
    events = read_record(result.record).events
    (said,) = [event.detail for event in events if isinstance(event, Noticed)]
    assert said.startswith("no_such_module is not loaded ahead")


def test_code_can_run_in_a_named_kernel(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "share" / "kernels" / "another"
    folder.mkdir(parents=True)
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Another",
        "language": "python",
        "env": {"MARK": "in another kernel"},
    }
    (folder / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-secret")
    code = "import os\nprint(os.environ['MARK'], 'OPENAI_API_KEY' in os.environ)\n6 * 7"
    base_url = scripted([f"```python\n{code}\n```\n", r"\boxed{42}"])
    result = solve("?", base_url=base_url, samples=1, kernel="another", sandbox="auto")
    assert result.isolation == "provided by the kernel another"
    ballot = result.tally.candidates[0]
    assert (ballot.shown, ballot.code_verified) == ("42", 1)
    record = read_record(result.record)
    ended = [event for event in record.events if isinstance(event, CodeEnded)]
    assert ended[0].result.stdout == "in another kernel False\n"


def test_a_kernel_that_is_not_installed_is_one_sentence(scripted: Scripted) -> None:
    with pytest.raises(UsageError, match="No kernel is called 'nowhere'"):
        solve("?", base_url=scripted([r"\boxed{5}"]), kernel="nowhere", sandbox="auto")
