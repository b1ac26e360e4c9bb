"""How the isolation of code is told: what holds, what more there is, and what a refusal leaves."""

from __future__ import annotations

import json
import typing
from pathlib import Path

import msgspec
import pytest

from jupyterlab_tir.config import SandboxChoice, resolve
from jupyterlab_tir.events import RunStarted, ServerInfo
from jupyterlab_tir.sandbox.levels import Choice, Level, describe
from jupyterlab_tir.solving import Isolation
from jupyterlab_tir.terminal import overview
from jupyterlab_tir.terminal.isolation import isolation_rows

NO_LANDLOCK = "the kernel has no Landlock"
NO_NAMESPACES = "user namespaces are not allowed here"


def found(level: str, **others: typing.Any) -> Isolation:
    everything = ("full+ns", "full", "nofs", "partial", "none")
    return Isolation(
        **{
            "level": level,
            "meaning": f"what {level} means",
            "offered": everything,
            "chosen_by": "sandbox=auto",
            **others,
        }
    )


def test_setting_takes_what_the_sandbox_knows() -> None:
    assert typing.get_args(SandboxChoice) == typing.get_args(Choice)


def test_level_that_keeps_nothing_away_is_not_said_to() -> None:
    assert describe("none").endswith("it can do what you can do")
    levels: tuple[Level, ...] = ("full+ns", "full", "nofs")
    for level in levels:
        assert "no network" in describe(level)
    assert "it can read and change your files" in describe("partial", "seccomp")
    assert "network and processes" in describe("partial", "landlock")


def test_best_level_stands_alone() -> None:
    assert isolation_rows(found("full+ns")) == [("isolation", "full+ns: what full+ns means")]


def test_better_level_that_is_missing_is_told_with_its_reason() -> None:
    report = found("full", offered=("full", "none"), lacks={"full+ns": NO_NAMESPACES})
    assert isolation_rows(report)[1:] == [("not offered", f"full+ns: {NO_NAMESPACES}")]


def test_better_level_that_was_not_chosen_is_told_with_the_choice() -> None:
    report = found(
        "none",
        offered=("full", "nofs", "none"),
        lacks={"full+ns": NO_NAMESPACES},
        chosen_by="sandbox=none",
    )
    assert isolation_rows(report)[1:] == [
        ("offered too", "full, nofs (chosen: sandbox=none)"),
        ("not offered", f"full+ns: {NO_NAMESPACES}"),
    ]


def test_worse_level_that_is_missing_is_no_news() -> None:
    report = found("full", offered=("full+ns", "full"), lacks={"nofs": NO_LANDLOCK})
    assert [name for name, _ in isolation_rows(report)] == ["isolation", "offered too"]


def test_named_kernel_is_said_to_be_its_own_matter() -> None:
    named = found("provided by the kernel lab", offered=(), meaning="its own matter")
    assert isolation_rows(named) == [("isolation", "provided by the kernel lab: its own matter")]


@pytest.fixture
def server(run_events: typing.Callable[..., list[object]]) -> ServerInfo:
    started = run_events()[0]
    assert isinstance(started, RunStarted)
    return started.server


@pytest.fixture
def described(server: ServerInfo, monkeypatch: pytest.MonkeyPatch) -> typing.Callable[..., None]:
    def describe(report: Isolation) -> None:
        monkeypatch.setattr(overview, "describe_server", lambda _: (server, report))

    return describe


REFUSAL = f"The sandbox level full is not offered here ({NO_LANDLOCK}): choose --sandbox nofs."


def test_status_shows_everything_else_where_the_level_is_refused(
    capsys: pytest.CaptureFixture[str],
    described: typing.Callable[..., None],
    server: ServerInfo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    lacks = {"full+ns": NO_LANDLOCK, "full": NO_LANDLOCK}
    described(found("", offered=("nofs", "partial", "none"), lacks=lacks, refusal=REFUSAL))
    resolved = resolve(environ={}, file=Path("/dev/null"))
    overview.print_status(resolved, as_json=False)
    shown = capsys.readouterr().out
    assert f"refused: {REFUSAL}" in shown
    assert "4,096 tokens" in shown
    overview.print_status(resolved, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert {key: told[key] for key in told if key.startswith("isolation")} == {
        "isolation": "",
        "isolation_offered": ["nofs", "partial", "none"],
        "isolation_lacks": lacks,
        "isolation_refusal": REFUSAL,
    }
    assert told.items() >= msgspec.to_builtins(server).items()


def test_status_tells_a_level_in_force_to_people_and_programs(
    capsys: pytest.CaptureFixture[str],
    described: typing.Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    described(found("full", offered=("full", "none"), lacks={"full+ns": NO_NAMESPACES}))
    resolved = resolve(environ={}, file=Path("/dev/null"))
    overview.print_status(resolved, as_json=False)
    shown = capsys.readouterr().out
    assert "full: what full means" in shown
    assert f"full+ns: {NO_NAMESPACES}" in shown
    overview.print_status(resolved, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["isolation"], told["isolation_refusal"]) == ("full", "")


def test_words_of_the_machine_cannot_drive_the_terminal(
    capsys: pytest.CaptureFixture[str], described: typing.Callable[..., None]
) -> None:
    described(found("none", offered=("none",), lacks={"full": "\x1b[2J \u202e [bold]"}))
    overview.print_status(resolve(environ={}, file=Path("/dev/null")), as_json=False)
    shown = capsys.readouterr().out
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "[bold]" in shown
