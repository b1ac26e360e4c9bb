"""Starting, waiting, ending: and that nothing stays behind."""

# ruff: noqa: ASYNC220, ASYNC221, ASYNC222, ASYNC240, ASYNC251 - nothing else runs on the loop meanwhile

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.sandbox import CellStatus, ChildKernels, KernelStartError
from jupyterlab_tir.sandbox.folders import remove_folder
from jupyterlab_tir.sandbox.memory import size

from .processes import descendants, is_running, open_descriptors, until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="processes and descriptors are counted in /proc"
)


@pytest.fixture(autouse=True)
def only_own_children() -> None:
    others.clear()
    others.update(descendants())


others: set[int] = set()
"""Processes that were there before the test: of the session's embedded server, for example."""


def children() -> set[int]:
    """What the test started: kernels, and the warm processes that they are forked from."""
    return descendants() - others


_apart = itertools.count(1)


def kernels_apart(**settings: Any) -> ChildKernels:
    """Child kernels with a warm process of their own, in a folder of their own."""
    return ChildKernels(
        **{"level": "best", "memory_bytes": 2**30 - 4096 * next(_apart), **settings}
    )


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that holds nothing but what is under test."""
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


async def test_closing_leaves_no_process_descriptor_thread_or_folder(temporary: Path) -> None:
    async with kernels_apart() as warm_up:
        await warm_up.start()
    before, threads = (children(), open_descriptors()), set(threading.enumerate())
    async with kernels_apart(limit=3) as kernels:
        for kernel in await asyncio.gather(*(kernels.start() for _ in range(3))):
            await kernel.run("open('file', 'w').write('x')")
        assert kernels.alive == 3
        assert len(children()) == 4  # with the warm process that they are forked from
        assert len(list(temporary.iterdir())) == 1
    assert (children(), open_descriptors()) == before
    assert list(temporary.iterdir()) == []
    assert kernels.alive == 0
    # Those of the watch were told to end, and nobody waits for them.
    assert await until(lambda: set(threading.enumerate()) <= threads, 20)


async def test_folder_is_private_and_the_key_is_not_on_disk(temporary: Path) -> None:
    async with kernels_apart() as kernels, await kernels.start() as kernel:
        (folder,) = temporary.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        files = [path.name for path in folder.rglob("*")]
        assert {"s-1", "s-5"} <= set(files)
        assert not [name for name in files if name.endswith(".json")]
        work = (await kernel.run("import os; os.getcwd()")).value
        assert work == repr(str(folder / "1" / "w"))
        assert (await kernel.run("os.listdir()")).value == "[]"


async def test_hostile_folder_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "k"
    folder.mkdir()
    script = (
        "import os\n"
        "os.symlink('/etc', 'link'); os.symlink('nowhere', 'dead')\n"
        "os.makedirs('locked/inner'); os.chmod('locked', 0)\n"
        "for _ in range(1100): os.mkdir('d'); os.chdir('d')\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)
    await remove_folder(folder)
    assert list(tmp_path.iterdir()) == []
    assert Path("/etc/passwd").exists()


async def test_folder_that_a_kernel_fills_beyond_measure_is_removed(temporary: Path) -> None:
    # Where the kernel has no file system of its own, what it leaves is removed by us.
    async with kernels_apart(level="none") as kernels:
        async with await kernels.start() as kernel:
            await kernel.run(
                "import os\n"
                "for _ in range(1500): os.mkdir('d'); os.chdir('d')\n"
                "import time; time.sleep(5)",
                timeout_s=20,
            )
            assert not kernel.alive
        (base,) = temporary.iterdir()
        assert sorted(path.name for path in base.iterdir()) == ["lock", "warm.log"]


async def test_folder_in_use_is_not_taken_for_abandoned(temporary: Path) -> None:
    async with (
        kernels_apart(memory_bytes=2**29),
        kernels_apart(memory_bytes=2**29),  # shares the folder of the first
        kernels_apart(),
    ):
        assert len(list(temporary.iterdir())) == 2


async def test_start_waits_for_a_slot_first_come_first_served() -> None:
    order: list[int] = []
    async with ChildKernels(level="best", limit=1) as kernels:
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
    async with ChildKernels(level="best", limit=1) as kernels:
        kernel = await kernels.start()
        await kernel.run("import os; os._exit(1)")
        async with asyncio.timeout(20):
            second = await kernels.start()
        assert (await second.run("1")).value == "1"
        await kernel.close()
        assert kernels.alive == 1


@pytest.mark.parametrize("after_s", [0.0, 0.002, 0.005, 0.012])
async def test_cancelled_start_leaves_nothing(temporary: Path, after_s: float) -> None:
    async with kernels_apart(limit=1) as kernels:
        await kernels.missing()
        before = children()
        start = asyncio.create_task(kernels.start())
        await asyncio.sleep(after_s)
        if start.cancel():
            with pytest.raises(asyncio.CancelledError):
                await start
        else:  # we were kept from running for longer than a start takes
            await start.result().close()
        assert await until(lambda: children() <= before, 20)
        (base,) = temporary.iterdir()
        left = ["lock", "warm.log"]
        assert await until(lambda: sorted(path.name for path in base.iterdir()) == left, 20)
        if after_s == 0.005:
            async with await kernels.start() as kernel:
                assert (await kernel.run("1")).value == "1"


async def test_cancelled_run_kills_at_once() -> None:
    async with ChildKernels(level="best") as kernels:
        kernel = await kernels.start()
        run = asyncio.create_task(kernel.run("while True: pass", timeout_s=60))
        await asyncio.sleep(0.3)
        pid = kernel.pid
        assert pid in children()
        started = time.monotonic()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert await until(lambda: not is_running(pid), 20)
        assert time.monotonic() - started < 30  # half the time that the cell has
        assert not kernel.alive


async def test_closing_while_a_cell_runs_is_cancelled() -> None:
    async with ChildKernels(level="best") as kernels:
        kernel = await kernels.start()
        code = "print('on', flush=True)\nwhile True: pass"
        run = asyncio.create_task(kernel.run(code, timeout_s=120))
        assert kernel.pid is not None
        began = size(kernel.pid).cpu_ticks
        # It is in the loop, where nothing else takes so much of the processor.
        assert await until(lambda: size(kernel.pid).cpu_ticks > began + 50, 60)
    result = await run
    assert (result.status, result.stdout) == (CellStatus.CANCELLED, "on\n")


async def test_closing_ends_starts_that_wait_or_are_under_way() -> None:
    kernels = ChildKernels(level="best", limit=1)
    async with kernels:
        starts = [asyncio.create_task(kernels.start()) for _ in range(2)]
        await asyncio.sleep(0)
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [UsageError, UsageError]
    assert children() == set()


async def test_children_see_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-key")
    monkeypatch.setenv("TIR_BASE_URL", "planted")
    monkeypatch.setenv("JPY_SESSION_NAME", "planted.ipynb")
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    async with (
        kernels_apart() as kernels,
        await kernels.start() as kernel,
    ):
        for pid in children():
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            assert b"planted" not in environment
            assert b"LC_ALL=C.UTF-8" in environment
        seen = await kernel.run(
            "import os\n[n for n in os.environ if n.startswith(('JPY', 'TIR', 'OPENAI'))],"
            " '__session__' in globals()"
        )
        assert seen.value == "([], False)"


PARENT = """
import asyncio, os, sys
from jupyterlab_tir.sandbox import ChildKernels
async def main():
    async with ChildKernels(level="best", limit=3) as kernels:
        kernels.prepare(4)
        both = [await kernels.start() for _ in range(2)]
        replay = await kernels.start(replay=True)
        for kernel in (*both, replay):
            print(kernel.pid, flush=True)
        print("running", flush=True)
        await both[0].run("while True: pass", timeout_s=60)
asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGHUP])
def test_children_die_with_a_killed_parent_and_its_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as parent:
        assert parent.stdout is not None
        while parent.stdout.readline() != b"running\n":
            pass
        started = descendants(parent.pid)
        assert len(started) >= 5  # two warm processes, three kernels, and what is made ahead
        parent.send_signal(number)
        parent.wait()
        end = time.monotonic() + 10
        while any(map(is_running, started)) and time.monotonic() < end:
            time.sleep(0.01)
    assert not any(map(is_running, started))
    abandoned = set(tmp_path.glob("tir-*"))
    assert len(abandoned) == 2  # one for each warm process
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def enter() -> list[Path]:
        async with kernels_apart():
            return list(tmp_path.glob("tir-*"))

    (own,) = asyncio.run(enter())
    assert own not in abandoned


async def test_warm_process_that_dies_is_replaced_and_the_rest_goes_on() -> None:
    async with kernels_apart(limit=4) as kernels:
        kernel = await kernels.start()
        running = asyncio.create_task(kernel.run("while True: pass", timeout_s=60))
        await asyncio.sleep(0.3)
        assert kernels._launcher is not None
        (warm,) = kernels._launcher.processes()
        os.kill(warm, signal.SIGKILL)
        assert (await running).status is CellStatus.DIED
        async with await kernels.start() as another:
            assert (await another.run("1")).value == "1"
        assert kernels._launcher.processes() != [warm]


async def test_warm_process_that_is_stopped_delays_and_loses_nothing() -> None:
    async with kernels_apart(limit=4) as kernels:
        kernel = await kernels.start()
        assert kernels._launcher is not None
        (warm,) = kernels._launcher.processes()
        os.kill(warm, signal.SIGSTOP)
        starting = asyncio.create_task(kernels.start())
        assert (await kernel.run("1")).value == "1"
        assert not starting.done()
        os.kill(warm, signal.SIGCONT)
        async with await starting as another:
            assert (await another.run("2")).value == "2"
    assert children() == set()


async def test_stopped_warm_process_is_ended_on_closing() -> None:
    async with kernels_apart(limit=4) as kernels:
        await kernels.start()
        assert kernels._launcher is not None
        (warm,) = kernels._launcher.processes()
        os.kill(warm, signal.SIGSTOP)
    assert children() == set()


async def test_warm_process_that_hangs_at_import_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hanging_module.py").write_text("import time\ntime.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("jupyterlab_tir.sandbox.warm.READY_TIMEOUT_S", 3.0)
    async with kernels_apart(preload=("hanging_module",)) as kernels:
        with pytest.raises(KernelStartError, match="not ready after 3 s: look at what --preload"):
            await kernels.start()
    assert children() == set()


async def test_engine_that_dies_while_the_warm_process_imports_leaves_nothing(
    tmp_path: Path,
) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, time\nfrom jupyterlab_tir.sandbox import ChildKernels\n"
        "async def main():\n"
        "    async with ChildKernels(level='best') as kernels:\n"
        "        kernels.prepare(1)\n"
        "        print('begun', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        assert await until(lambda: descendants(parent.pid), 60)
        time.sleep(0.3)  # into its imports
        started = descendants(parent.pid)
        parent.kill()
    assert await until(lambda: not any(map(is_running, started)), 20)


async def test_forked_copy_of_the_engine_neither_uses_nor_ends_the_kernels() -> None:
    async with ChildKernels(level="best") as kernels, await kernels.start() as kernel:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        assert (await kernel.run("1")).value == "1"


def test_kernels_work_on_a_loop_in_another_thread() -> None:
    values: list[str | None] = []

    async def use() -> None:
        async with ChildKernels(level="best") as kernels, await kernels.start() as kernel:
            values.append((await kernel.run("6 * 7")).value)
            timed_out = await kernel.run("while True: pass", timeout_s=0.2)
            values.append(timed_out.status.value)

    thread = threading.Thread(target=lambda: asyncio.run(use()))
    thread.start()
    thread.join(60)
    assert values == ["42", "timeout"]


async def test_child_that_cannot_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('broken numpy')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with kernels_apart(limit=1) as kernels:
        for _ in range(2):
            with pytest.raises(KernelStartError, match="broken numpy"):
                await kernels.start()
    assert children() == set()


async def test_misuse_is_said() -> None:
    for settings in ({"limit": 0}, {"memory_bytes": -1}, {"output_chars": 0}):
        with pytest.raises(UsageError, match="must be at least 1"):
            ChildKernels(**settings)
    with pytest.raises(UsageError, match="write_bytes is -1; it must be at least 0"):
        ChildKernels(write_bytes=-1)
    kernels = ChildKernels(level="best")
    with pytest.raises(UsageError, match="async with"):
        await kernels.start()
    async with kernels:
        with pytest.raises(UsageError, match="must not be negative"):
            await kernels.start(seed=-1)
    with pytest.raises(UsageError, match="closed"):
        await kernels.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount, as a kernel of root's could")
def test_removing_a_folder_does_not_enter_what_is_mounted_in_it(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("kept")
    for place in ("k", "k/deep/inner"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        script = (
            "import asyncio, ctypes, os, sys\n"
            "from pathlib import Path\n"
            "from jupyterlab_tir.sandbox.folders import remove_folder\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            f"base, target = {str(tmp_path)!r}, {str(tmp_path / place / 'mounted')!r}\n"
            "os.mkdir(target)\n"
            "if libc.unshare(0x20000) or libc.mount(b'none', b'/', None, 0x44000, None):\n"
            "    sys.exit('no mounts')\n"
            "if libc.mount(f'{base}/precious'.encode(), target.encode(), None, 0x1000, None):\n"
            "    sys.exit('no mounts')\n"
            "try: asyncio.run(remove_folder(Path(base) / 'k'))\n"
            "except OSError as error: print(error.strerror)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
        if "no mounts" in done.stderr:
            pytest.skip("this machine does not let root mount")
        assert done.stdout == "something is mounted there\n", done.stderr
        assert (precious / "file").read_text() == "kept"


async def test_start_right_after_the_warm_process_died_waits_for_the_next_one() -> None:
    async with kernels_apart(limit=4) as kernels:
        await kernels.start()
        kernels.prepare(3)
        assert await until(lambda: kernels.ready == 2, 20)
        assert kernels._launcher is not None
        (warm,) = kernels._launcher.processes()
        os.kill(warm, signal.SIGKILL)
        assert await until(lambda: not is_running(warm), 20)  # a signal is not yet a death
        async with await kernels.start() as another:
            assert (await another.run("1")).value == "1"


async def test_kernel_that_unties_itself_dies_with_the_warm_process_all_the_same() -> None:
    async with kernels_apart(level="none") as kernels:
        kernel = await kernels.start()
        await kernel.run("import ctypes; ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)")
        assert kernels._launcher is not None
        (warm,) = kernels._launcher.processes()
        assert kernel.pid is not None
        os.kill(warm, signal.SIGKILL)
        assert await until(lambda: not is_running(kernel.pid), 20)


async def test_late_text_of_a_thread_is_no_output_of_a_later_cell() -> None:
    async with ChildKernels(level="best") as kernels, await kernels.start() as kernel:
        await kernel.run(
            "import threading, time\n"
            "def late(): time.sleep(0.1); print('LATE')\n"
            "threading.Thread(target=late).start()"
        )
        result = await kernel.run("time.sleep(0.4)\nprint('own')")
        assert result.stdout == "own\n"
        same = await kernel.run("t = threading.Thread(target=late); t.start(); t.join()")
        assert same.stdout == "LATE\n"
