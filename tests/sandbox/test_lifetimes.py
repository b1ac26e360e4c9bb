"""Starting, waiting, ending: and that nothing stays behind."""

# ruff: noqa: ASYNC240 - nothing else runs on the loop while a test looks

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.sandbox import CellStatus, ChildKernels, KernelStartError

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="processes and descriptors are counted in /proc"
)


others: set[int] = set()
"""Children that were there before the test: of the session's embedded server, for example."""


def all_children() -> set[int]:
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


def children() -> set[int]:
    return all_children() - others


@pytest.fixture(autouse=True)
def only_own_children() -> None:
    others.clear()
    others.update(all_children())


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - only the count


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


async def until(condition: object, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        await asyncio.sleep(0.02)
    return False


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that holds nothing but what is under test."""
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


async def test_closing_leaves_no_process_descriptor_thread_or_folder(temporary: Path) -> None:
    async with ChildKernels() as warm_up:
        await warm_up.start()
    before = children(), descriptors(), threading.active_count()
    async with ChildKernels(limit=3) as kernels:
        for kernel in await asyncio.gather(*(kernels.start() for _ in range(3))):
            await kernel.run("open('file', 'w').write('x')")
        assert kernels.alive == 3
        assert len(children()) == 3
        assert len(list(temporary.iterdir())) == 1
    assert (children(), descriptors(), threading.active_count()) == before
    assert list(temporary.iterdir()) == []
    assert kernels.alive == 0


async def test_folder_is_private_and_the_key_is_not_on_disk(temporary: Path) -> None:
    async with ChildKernels() as kernels, await kernels.start() as kernel:
        (folder,) = temporary.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        files = [path.name for path in folder.rglob("*")]
        assert "s-1" in files
        assert not [name for name in files if name.endswith(".json")]
        work = (await kernel.run("import os; os.getcwd()")).value
        assert work == repr(str(folder / "1" / "w"))
        assert (await kernel.run("os.listdir()")).value == "[]"


async def test_hostile_folder_is_removed(temporary: Path) -> None:
    async with ChildKernels() as kernels:
        async with await kernels.start() as kernel:
            result = await kernel.run(
                "import os\n"
                "os.symlink('/etc', 'link'); os.symlink('nowhere', 'dead')\n"
                "os.makedirs('locked/inner'); os.chmod('locked', 0)\n"
                "for _ in range(1100): os.mkdir('d'); os.chdir('d')\n"
                "'deep'"
            )
            assert result.value == "'deep'"
        (base,) = temporary.iterdir()
        assert [path.name for path in base.iterdir()] == ["lock"]
    assert Path("/etc/passwd").exists()


async def test_folder_in_use_is_not_taken_for_abandoned(temporary: Path) -> None:
    async with ChildKernels(), ChildKernels():
        assert len(list(temporary.iterdir())) == 2


async def test_start_waits_for_a_slot_first_come_first_served() -> None:
    order: list[int] = []
    async with ChildKernels(limit=1) as kernels:
        first = await kernels.start()

        async def queue(number: int) -> None:
            async with await kernels.start():
                order.append(number)

        waiting = [asyncio.create_task(queue(number)) for number in range(3)]
        await asyncio.sleep(0.1)
        assert order == []
        waiting[1].cancel()
        await first.close()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert order == [0, 2]
        assert kernels.alive == 0


async def test_dead_kernel_frees_its_slot() -> None:
    async with ChildKernels(limit=1) as kernels:
        kernel = await kernels.start()
        await kernel.run("import os; os._exit(1)")
        async with asyncio.timeout(20):
            second = await kernels.start()
        assert (await second.run("1")).value == "1"
        await kernel.close()
        assert kernels.alive == 1


@pytest.mark.parametrize("after_s", [0.0, 0.005, 0.03, 0.2])
async def test_cancelled_start_leaves_nothing(temporary: Path, after_s: float) -> None:
    async with ChildKernels(limit=1) as kernels:
        before = children()
        start = asyncio.create_task(kernels.start())
        await asyncio.sleep(after_s)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        assert children() == before
        (base,) = temporary.iterdir()
        assert [path.name for path in base.iterdir()] == ["lock"]
        if after_s == 0.03:
            async with await kernels.start() as kernel:
                assert (await kernel.run("1")).value == "1"


async def test_cancelled_run_kills_at_once() -> None:
    async with ChildKernels() as kernels:
        kernel = await kernels.start()
        run = asyncio.create_task(kernel.run("while True: pass", timeout_s=60))
        await asyncio.sleep(0.3)
        (pid,) = children()
        started = time.monotonic()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert await until(lambda: not is_running(pid), 5)
        assert time.monotonic() - started < 5
        assert not kernel.alive


async def test_closing_while_a_cell_runs_is_cancelled() -> None:
    async with ChildKernels() as kernels:
        kernel = await kernels.start()
        run = asyncio.create_task(kernel.run("print('on', flush=True)\nwhile True: pass"))
        await asyncio.sleep(0.5)
    result = await run
    assert (result.status, result.stdout) == (CellStatus.CANCELLED, "on\n")


async def test_closing_ends_starts_that_wait_or_are_under_way() -> None:
    kernels = ChildKernels(limit=1)
    async with kernels:
        starts = [asyncio.create_task(kernels.start()) for _ in range(2)]
        await asyncio.sleep(0.05)
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [UsageError, UsageError]
    assert children() == set()


async def test_children_see_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key")
    monkeypatch.setenv("TIR_BASE_URL", "planted")
    monkeypatch.setenv("JPY_SESSION_NAME", "planted.ipynb")
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    async with ChildKernels() as kernels, await kernels.start() as kernel:
        (pid,) = children()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"planted" not in environment
        assert b"LC_ALL=C.UTF-8" in environment
        seen = await kernel.run(
            "import os\n[n for n in os.environ if n.startswith(('JPY', 'TIR', 'OPENAI'))],"
            " '__session__' in globals()"
        )
        assert seen.value == "([], False)"


def test_children_die_with_a_killed_parent_and_its_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, os\n"
        "from jupyterlab_tir.sandbox import ChildKernels\n"
        "async def main():\n"
        "    async with ChildKernels() as kernels:\n"
        "        both = [await kernels.start() for _ in range(2)]\n"
        "        for kernel in both:\n"
        "            print((await kernel.run('import os; os.getpid()')).value, flush=True)\n"
        "        await both[0].run('while True: pass', timeout_s=60)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        pids = [int(parent.stdout.readline()) for _ in range(2)]
        assert all(map(is_running, pids))
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        end = time.monotonic() + 10
        while any(map(is_running, pids)) and time.monotonic() < end:
            time.sleep(0.01)
    assert not any(map(is_running, pids))
    (abandoned,) = tmp_path.glob("tir-*")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def enter() -> list[Path]:
        async with ChildKernels():
            return list(tmp_path.glob("tir-*"))

    (own,) = asyncio.run(enter())
    assert own != abandoned


def test_kernels_work_on_a_loop_in_another_thread() -> None:
    values: list[str | None] = []

    async def use() -> None:
        async with ChildKernels() as kernels, await kernels.start() as kernel:
            values.append((await kernel.run("6 * 7")).value)
            timed_out = await kernel.run("while True: pass", timeout_s=0.2)
            values.append(timed_out.status.value)

    thread = threading.Thread(target=lambda: asyncio.run(use()))
    thread.start()
    thread.join(60)
    assert values == ["42", "timeout"]


async def test_child_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyterlab_tir.sandbox.launch.__package__", "no_such_package")
    async with ChildKernels(limit=1) as kernels:
        for _ in range(2):
            with pytest.raises(KernelStartError, match="No module named 'no_such_package'"):
                await kernels.start()
        assert children() == set()


async def test_misuse_is_said() -> None:
    for settings in ({"limit": 0}, {"memory_bytes": -1}, {"output_chars": 0}):
        with pytest.raises(UsageError, match="must be at least 1"):
            ChildKernels(**settings)
    kernels = ChildKernels()
    with pytest.raises(UsageError, match="async with"):
        await kernels.start()
    async with kernels:
        with pytest.raises(UsageError, match="must not be negative"):
            await kernels.start(seed=-1)
    with pytest.raises(UsageError, match="closed"):
        await kernels.start()
    assert ChildKernels.isolation == "none"
