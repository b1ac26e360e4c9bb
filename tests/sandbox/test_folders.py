"""Private folders: what an interrupted removal, a killed owner or a long path leave behind."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox.folders import PrivateFolder, remove_abandoned


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("temporary")
async def test_what_an_interrupted_removal_leaves_is_removed_by_the_next_process() -> None:
    private = PrivateFolder()
    (private.path / "sub").mkdir()
    for number in range(600):  # more than are removed in one go
        (private.path / "sub" / str(number)).touch()
    removing = asyncio.create_task(private.remove())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    removing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await removing
    assert (private.path / "sub").exists()
    await remove_abandoned()
    assert not private.path.exists()


@pytest.mark.parametrize(("age_s", "stays"), [(0, True), (3600, False)])
async def test_folder_without_a_lock_is_abandoned_once_it_is_old(
    temporary: Path,
    age_s: float,
    stays: bool,  # noqa: FBT001
) -> None:
    folder = temporary / "tir-kernels-left"
    (folder / "1" / "w").mkdir(parents=True)
    then = time.time() - age_s
    os.utime(folder, (then, then))
    await remove_abandoned()
    assert folder.exists() == stays


async def test_folder_that_a_long_path_sent_elsewhere_is_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("long" * 25)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    private = PrivateFolder()
    assert not private.path.is_relative_to(long)
    os.close(private._lock)  # as if the owner was killed
    await remove_abandoned()
    assert not private.path.exists()


async def test_name_of_the_lock_is_of_no_matter_further_down(temporary: Path) -> None:
    private = PrivateFolder()
    (private.path / "1" / "lock").mkdir(parents=True)
    (private.path / "1" / "lock" / "lock").touch()
    await private.remove()
    assert os.listdir(temporary) == []  # noqa: PTH208 - ASYNC240
