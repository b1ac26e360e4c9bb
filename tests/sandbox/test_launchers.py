"""Kernels that are not forked: executed anew where there is no fork server, or another's."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.sandbox import CellStatus, ChildKernels, KernelStartError, levels
from jupyterlab_tir.sandbox.environment import clean_environment

from .processes import descendants, until


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have kernels started as on a system other than Linux."""
    monkeypatch.setattr("jupyterlab_tir.sandbox.kernels.sys", SimpleNamespace(platform="elsewhere"))


@pytest.mark.usefixtures("elsewhere")
async def test_without_a_fork_server_kernels_are_executed_and_work_the_same() -> None:
    before = descendants()
    draw = "import random, numpy\n(random.random(), numpy.random.rand(), hash('text'))"
    async with ChildKernels(level="none", limit=2) as kernels:
        assert kernels.isolation == "none"
        kernels.prepare(8)  # nothing is started ahead: each would cost a fifth of a second
        assert await kernels.missing() == {}
        values = []
        for _ in range(2):
            async with await kernels.start(seed=3) as kernel:
                assert kernels.ready == 0
                values.append((await kernel.run(draw, timeout_s=20)).value)
                assert (await kernel.run("1 / 0")).error_name == "ZeroDivisionError"
                stopped = await kernel.run("while True: pass", timeout_s=0.3)
                assert stopped.status is CellStatus.TIMEOUT
                assert (await kernel.run("2 + 2")).value == "4"
        assert values[0] == values[1]
        async with await kernels.start(replay=True) as replay:
            assert (await replay.run("hash('text')")).value not in str(values[0])
    assert await until(lambda: descendants() <= before, 20)


def _install(folder: Path, monkeypatch: pytest.MonkeyPatch, **spec: Any) -> None:
    kernel = folder / "kernels" / "mine"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    body = {"argv": argv, "display_name": "Mine", "language": "python", **spec}
    (kernel / "kernel.json").write_text(json.dumps(body))
    monkeypatch.setenv("JUPYTER_PATH", str(folder))


async def test_stock_kernel_of_the_users_is_driven_like_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key")
    before = descendants()
    async with ChildKernels(kernel="mine", limit=2) as kernels:
        assert kernels.isolation == "provided by the kernel mine"
        kernels.prepare(4)
        kernel = await kernels.start(seed=3)
        result = await kernel.run("import random\nprint('said')\nrandom.random()", timeout_s=30)
        assert (result.status, result.stdout) == (CellStatus.OK, "said\n")
        async with await kernels.start(seed=3) as again:
            drawn = await again.run("import random\nrandom.random()", timeout_s=30)
            assert drawn.value == result.value
        error = await kernel.run("1 / 0")
        assert (error.status, error.error_name) == (CellStatus.ERROR, "ZeroDivisionError")
        environment = await kernel.run("import os\nprint(dict(os.environ))")
        assert "planted" not in environment.stdout
        stopped = await kernel.run("while True: pass", timeout_s=0.3)
        assert stopped.status is CellStatus.TIMEOUT
        died = await kernel.run("import os; os._exit(1)")
        assert died.status is CellStatus.DIED
    assert await until(lambda: descendants() <= before, 20)


async def test_kernel_that_is_not_installed_is_said_with_those_that_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, monkeypatch)
    with pytest.raises(UsageError, match=r"No kernel is called 'other'; installed are: .*mine"):
        async with ChildKernels(kernel="other"):
            pass


async def test_kernel_of_another_language_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, monkeypatch, language="julia")
    with pytest.raises(UsageError, match="runs julia, but models write Python"):
        async with ChildKernels(kernel="mine"):
            pass


@pytest.mark.parametrize(
    "text", ["{not json", "[]", '"text"', '{"argv": 5}', '{"metadata": 5}', "\udcff"]
)
async def test_kernelspec_that_cannot_be_read_is_one_sentence(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, monkeypatch)
    path = tmp_path / "kernels" / "mine" / "kernel.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(UsageError, match="kernel 'mine' cannot be read"):
        async with ChildKernels(kernel="mine"):
            pass


async def test_kernel_of_a_provisioner_that_is_not_installed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(
        tmp_path, monkeypatch, metadata={"kernel_provisioner": {"provisioner_name": "elsewhere"}}
    )
    with pytest.raises(UsageError, match="provisioner 'elsewhere', which is not installed"):
        async with ChildKernels(kernel="mine"):
            pass


async def test_whatever_a_foreign_provisioner_raises_is_a_kernel_that_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(
        tmp_path, monkeypatch, metadata={"kernel_provisioner": {"provisioner_name": "foreign"}}
    )

    class Foreign(LocalProvisioner):
        async def pre_launch(self, **_: Any) -> dict[str, Any]:
            raise LookupError("no cluster")

    provisioners = KernelProvisionerFactory.instance().provisioners
    monkeypatch.setitem(provisioners, "foreign", SimpleNamespace(load=lambda: Foreign))
    async with ChildKernels(kernel="mine") as kernels:
        with pytest.raises(KernelStartError, match=r"'mine'.*LookupError: no cluster"):
            await kernels.start()


async def test_named_kernel_cannot_write_to_the_engines_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    loud = "import os\nos.write(1, b'LOUD')\nos.write(2, b'LOUD')\n"
    start = f"{loud}from ipykernel.kernelapp import launch_new_instance as go\ngo()"
    _install(tmp_path, monkeypatch, argv=[sys.executable, "-c", start, "-f", "{connection_file}"])
    async with ChildKernels(kernel="mine") as kernels, await kernels.start() as kernel:
        ran = await kernel.run(loud)
        assert ran.status is CellStatus.OK
    assert "LOUD" not in "".join(capfd.readouterr())


async def test_kernels_are_forked_where_this_package_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(KernelProvisionerFactory, "_check_availability", lambda *_: False)
    async with ChildKernels(level="best") as kernels, await kernels.start() as kernel:
        assert (await kernel.run("6 * 7", timeout_s=20)).value == "42"


async def test_held_libraries_stay_loaded_for_samples_and_replays() -> None:
    async with ChildKernels(level="best", memory_bytes=2**30 + 2**20) as kernels:
        assert await kernels.hold() == ()
        for replay in (False, True):
            await (await kernels.start(replay=replay)).close()
        held = await kernels.hold()
        processes = {warm.pid for warm in held}
    try:
        assert len(processes) == 2
        assert {warm.pid for warm in held} == processes
        assert {warm.settings.hash_seed for warm in held} == {1, 2}
    finally:
        for warm in held:
            await warm.release()


@pytest.mark.parametrize("system", [sys.platform, "elsewhere"])
async def test_python_that_does_not_know_its_program_is_one_sentence(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyterlab_tir.sandbox.kernels.sys", SimpleNamespace(platform=system))
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(UsageError, match=r"sys\.executable is empty.*--kernel"):
        async with ChildKernels(level="none"):
            pass


async def test_trial_has_the_environment_of_the_kernels_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "packages")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key")
    given: list[dict[str, str]] = []

    async def look(*_: object, env: dict[str, str], **__: object) -> None:
        given.append(env)
        raise OSError("seen enough")

    monkeypatch.setattr(levels, "_known", None)
    monkeypatch.setattr(asyncio, "create_subprocess_exec", look)
    await levels.probe()
    assert given == [clean_environment(os.environ)]
    assert given[0]["PYTHONPATH"].split(os.pathsep)[0] == str(tmp_path / "packages")
    assert "OPENAI_API_KEY" not in given[0]
