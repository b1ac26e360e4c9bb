"""The watch over memory, disks and threads: nothing hides from it, holds it up, or ends it."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import mmap
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox import CellStatus, ChildKernels
from jupyterlab_tir.sandbox.disk import LARGEST_DEPTH, LARGEST_ENTRIES, over_limit
from jupyterlab_tir.sandbox.memory import HAS_PROC, is_living
from jupyterlab_tir.sandbox.process import End
from jupyterlab_tir.sandbox.subject import Subject
from jupyterlab_tir.sandbox.watch import Watch

from .processes import until

pytestmark = pytest.mark.skipif(not HAS_PROC, reason="memory is read from /proc")

MB = 1024**2
_EXIT = {"x86_64": 60, "aarch64": 93}.get(platform.machine())


class Fake:
    """A kernel that notes why it is ended, and lives on."""

    def __init__(self, pid: int, work_folder: Path) -> None:
        self.pid = pid
        self.work_folder = work_folder
        self.ends: list[End] = []

    async def end(self, end: End) -> None:
        self.ends.append(end)


@contextmanager
def python(code: str) -> Iterator[int]:
    """Run Python until it has said something, and give its process id."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def holding(size_bytes: int) -> str:
    return f"held = b'x' * {size_bytes}; print(flush=True); input()"


def watch_of(kernels: list[Fake], budget_bytes: int = 2**40, write_bytes: int = 0) -> Watch:
    return Watch(
        lambda: list(kernels),
        list,
        budget_bytes=budget_bytes,
        write_bytes=write_bytes,
        own_file_systems=False,
    )


async def test_as_many_of_the_largest_are_ended_in_one_look_as_needed(tmp_path: Path) -> None:
    with (
        python(holding(20 * MB)) as small,
        python(holding(80 * MB)) as large,
        python(holding(60 * MB)) as middle,
    ):
        kernels = [Fake(pid, tmp_path) for pid in (small, large, middle)]
        watch = watch_of(kernels, budget_bytes=60 * MB)
        await watch._look()
        assert [len(kernel.ends) for kernel in kernels] == [0, 1, 1]
        assert kernels[1].ends[0].status is CellStatus.OUT_OF_MEMORY
        # They live on here, but are on their way out: the small one need not go as well.
        await watch._look()
        assert [len(kernel.ends) for kernel in kernels] == [0, 1, 1]


async def test_natural_death_is_not_blamed_on_the_kernel(tmp_path: Path) -> None:
    with python(holding(MB)) as pid:
        kernel = Fake(pid, tmp_path / "gone" / "w")  # which fails while it lives
        watch = watch_of([kernel], write_bytes=MB)
        await watch._look()
        os.kill(pid, 9)
        assert await until(lambda: not is_living(pid), 10)
        for _ in range(4):
            await watch._look()
        assert kernel.ends == []


async def test_what_cannot_be_measured_twice_is_ended(tmp_path: Path) -> None:
    with python(holding(MB)) as pid:
        kernel = Fake(pid, tmp_path / "gone" / "w")
        watch = watch_of([kernel], write_bytes=MB)
        (subject,) = watch._subjects()[0].values()
        for _ in range(100):  # a look goes on without a measurement that takes long
            await watch._look()
            if kernel.ends:
                break
        assert subject.failures >= 2
        assert [end.status for end in kernel.ends] == [CellStatus.DIED]
        assert "No such file" in kernel.ends[0].sentence


async def test_measurement_that_hangs_ends_its_kernel_and_holds_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Subject.look
    release = threading.Event()
    looks = dict.fromkeys(("first", "last"), 0)
    names: dict[int, str] = {}

    def look(subject: Subject) -> None:
        name = names.get(subject._pid)
        if name is None:
            release.wait(60)
        else:
            looks[name] += 1
        usual(subject)

    monkeypatch.setattr(Subject, "look", look)
    with python(holding(MB)) as first, python(holding(MB)) as stuck, python(holding(MB)) as last:
        names |= {first: "first", last: "last"}
        kernels = [Fake(pid, tmp_path) for pid in (first, stuck, last)]
        watching = asyncio.create_task(watch_of(kernels).run())
        began = time.monotonic()
        turns = 0
        while not kernels[1].ends and time.monotonic() - began < 30:
            await asyncio.sleep(0.01)
            turns += 1
        release.set()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert [len(kernel.ends) for kernel in kernels] == [0, 1, 0]
    assert "within 1 s" in kernels[1].ends[0].sentence
    assert min(looks.values()) >= 3
    assert turns > 20  # of a hundred; a loop that waited would have made few


async def test_failing_look_is_told_once_and_looking_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked = 0

    def kernels() -> list[Fake]:
        nonlocal asked
        asked += 1
        raise ZeroDivisionError("a mistake of ours")

    watch = Watch(kernels, list, budget_bytes=2**40, write_bytes=0, own_file_systems=False)
    with caplog.at_level(logging.ERROR):
        watching = asyncio.create_task(watch.run())
        assert await until(lambda: asked >= 3, 20)
        assert not watching.done()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert [record.name for record in caplog.records] == ["jupyterlab_tir.sandbox.watch"]
    assert "a mistake of ours" in caplog.text


@pytest.mark.skipif(_EXIT is None, reason="the number of exit is not known for this processor")
async def test_kernel_whose_main_thread_ended_is_ended() -> None:
    code = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        f"ctypes.CDLL(None).syscall({_EXIT}, 0)"
    )
    async with ChildKernels(level="best", limit=1) as kernels:
        kernel = await kernels.start()
        result = await kernel.run(code, timeout_s=25)
        assert result.status is CellStatus.DIED
        assert "its main thread has ended" in result.text_for_model()


def test_disk_counts_removed_open_files_and_stops_counting(tmp_path: Path) -> None:
    assert not over_limit(os.getpid(), tmp_path, MB)
    with filled(tmp_path / "f") as descriptor:
        assert over_limit(os.getpid(), tmp_path, MB)
        (tmp_path / "f").unlink()
        os.fsync(descriptor)
        assert over_limit(os.getpid(), tmp_path, MB)
    assert not over_limit(os.getpid(), tmp_path, MB)
    for number in range(LARGEST_ENTRIES + 1):
        (tmp_path / str(number)).touch()
    assert over_limit(os.getpid(), tmp_path, 2**40)


def test_disk_counts_removed_files_that_are_mapped_and_not_open(tmp_path: Path) -> None:
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    with filled(tmp_path / "f") as descriptor:
        address = libc.mmap(
            None, 3 * MB, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, ctypes.c_long(0)
        )
    (tmp_path / "f").unlink()
    assert over_limit(os.getpid(), tmp_path, MB)
    assert not over_limit(os.getpid(), tmp_path, 4 * MB)
    assert libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(3 * MB)) == 0
    assert not over_limit(os.getpid(), tmp_path, MB)


def test_disk_counts_what_a_thread_has_open_alone(tmp_path: Path) -> None:
    opened, done = threading.Event(), threading.Event()

    def alone() -> None:
        clone_files = 0x400
        assert ctypes.CDLL(None).unshare(clone_files) == 0
        with filled(tmp_path / "f"):
            (tmp_path / "f").unlink()
            opened.set()
            done.wait(60)

    thread = threading.Thread(target=alone)
    thread.start()
    try:
        assert opened.wait(60)
        assert over_limit(os.getpid(), tmp_path, MB)
        assert not over_limit(os.getpid(), tmp_path, 4 * MB)
    finally:
        done.set()
        thread.join()


def test_disk_counts_below_paths_that_are_too_long_and_refuses_depth(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(LARGEST_DEPTH - 1):
        os.mkdir("d" * 250, dir_fd=here)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    assert not over_limit(os.getpid(), tmp_path, MB)
    file = os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(file, b"x" * 3 * MB)
    os.fsync(file)
    os.close(file)
    assert over_limit(os.getpid(), tmp_path, MB)
    assert not over_limit(os.getpid(), tmp_path, 8 * MB)
    os.mkdir("d", dir_fd=here)
    os.mkdir("d/d", dir_fd=here)
    assert over_limit(os.getpid(), tmp_path, 8 * MB)
    os.close(here)


def test_disk_that_cannot_be_listed_is_over_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "n").mkdir()
    refuse(monkeypatch, "n", PermissionError)
    assert over_limit(os.getpid(), tmp_path, MB)


def test_folder_that_is_always_on_the_move_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "n").mkdir()
    refuse(monkeypatch, "n", FileNotFoundError)
    with pytest.raises(BlockingIOError, match="move faster"):
        over_limit(os.getpid(), tmp_path, MB)


def refuse(monkeypatch: pytest.MonkeyPatch, name: str, error: type[OSError]) -> None:
    """Have opening a folder of a name fail; root itself is refused nothing."""
    usual: Callable[..., int] = os.open

    def open_(path: object, flags: int, **how: object) -> int:
        if path == name:
            raise error(name)
        return usual(path, flags, **how)

    monkeypatch.setattr(os, "open", open_)


@contextmanager
def filled(path: Path) -> Iterator[int]:
    """Make a file of three megabytes, and give a descriptor of it."""
    with path.open("w+b") as file:
        file.write(b"x" * 3 * MB)
        file.flush()
        os.fsync(file.fileno())
        yield file.fileno()
