from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from jupyterlab_tir.serving import environment, plans
from jupyterlab_tir.serving.command import serve
from jupyterlab_tir.serving.launch import LaunchPlan
from jupyterlab_tir.serving.state import read_state

MakePlan = Callable[..., LaunchPlan]

app = typer.Typer()
app.command()(serve)


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Give one of --embedded"),
        (("--embedded", "--model", "m"), "Give one of --embedded"),
        (("--stop", "--detach"), "--stop ends the running server"),
        (("--model", "m", "--setup-only"), "--setup-only goes with --embedded"),
        (("--embedded", "--setup-only", "--detach"), "nothing to --detach"),
        (("--scripted", "f", "--detach"), "runs in the foreground"),
        (("--model", " "), "--model is empty"),
        (("--model", "m", "--", "--host=0.0.0.0"), "--host cannot be given after"),
    ],
)
def test_misuse_is_one_sentence_and_exit_code_2(arguments: tuple[str, ...], words: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_missing_vllm_is_told_with_what_to_install() -> None:
    code, _, err = run("--model", "m")
    assert code == 3
    assert "pip install 'jupyterlab_tir[serve]'" in err


def test_stop_without_a_server_says_so_and_succeeds() -> None:
    code, out, err = run("--stop")
    assert (code, out) == (0, "")
    assert "no server" in err


def test_detached_start_prints_the_base_url_alone_and_stop_ends_it(
    make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "vllm_plan", lambda *_: make_plan())
    code, out, _ = run("--model", "fake", "--detach")
    state = read_state()
    assert state is not None
    assert (code, out) == (0, state.base_url + "\n")
    code, out, err = run("--model", "fake", "--detach")
    assert (code, out) == (0, state.base_url + "\n")
    assert "already runs" in err
    assert run("--stop")[0] == 0
    assert read_state() is None


FOREGROUND = """
import sys, msgspec
from jupyterlab_tir.serving import command, plans
from jupyterlab_tir.serving.launch import LaunchPlan
plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=LaunchPlan)
plans.vllm_plan = lambda *_: plan
sys.argv = ["serve", "--model", "fake"]
command.main()
"""


@pytest.mark.parametrize(("how", "code"), [("ctrl-c", 130), ("stop", 0), ("died", 3)])
def test_foreground_server_ends_with_the_command_and_says_how(
    make_plan: MakePlan, children: Callable[[], list[int]], how: str, code: int
) -> None:
    import os

    import msgspec

    with subprocess.Popen(
        [sys.executable, "-c", FOREGROUND],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(make_plan()) + b"\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"http://127.0.0.1:")
        if how == "ctrl-c":
            process.send_signal(signal.SIGINT)
        elif how == "stop":
            assert run("--stop")[0] == 0
        else:
            os.kill(children()[0], signal.SIGKILL)
        _, err = process.communicate(timeout=30)
    assert process.returncode == code, err
    assert b"Traceback" not in err
    assert read_state() is None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sys.platform", "darwin", "x86-64 Linux only"),
        ("platform.machine", lambda: "aarch64", "x86-64 Linux only"),
        ("platform.libc_ver", lambda: ("glibc", "2.28"), "glibc 2.31 or newer"),
        ("_cpu_flags", lambda: frozenset({"avx", "fma", "f16c"}), "lacks .* (avx2)"),
    ],
)
def test_machine_that_cannot_run_it_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object, words: str
) -> None:
    from jupyterlab_tir.errors import ServeError

    monkeypatch.setattr(f"jupyterlab_tir.serving.environment.{name}", value)
    with pytest.raises(ServeError) as caught:
        environment.check_machine()
    assert all(part in str(caught.value) for part in words.split(" .* "))
    assert "--base-url" in str(caught.value)


async def test_full_disk_is_refused_before_anything_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyterlab_tir.errors import ServeError

    monkeypatch.setenv("TIR_EMBEDDED_DIR", str(tmp_path / "embedded"))
    monkeypatch.setattr(environment, "NEEDED_BYTES", 10**18)
    with pytest.raises(ServeError, match=r"GB are free .* TIR_EMBEDDED_DIR"):
        await environment.build_environment(lambda _s, _m: None)
    assert not (tmp_path / "embedded" / "env").exists()
