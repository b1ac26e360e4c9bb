"""What becomes of a run that its cell leaves to itself."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_tir import start
from jupyterlab_tir.config import resolve
from jupyterlab_tir.viewing.wire import MIME
from jupyterlab_tir_kernel.display import CellOutput
from jupyterlab_tir_kernel.driving import drive_blocking
from jupyterlab_tir_kernel.following import Following
from jupyterlab_tir_kernel.hub import hub

Json = dict[str, Any]


@pytest.mark.usefixtures("jupyter_folders")
def test_run_that_is_over_before_its_cell_looks_shows_its_end(
    write_script: Callable[..., str],
) -> None:
    published: list[Json] = []
    shell: Any = SimpleNamespace(
        display_pub=SimpleNamespace(publish=lambda **about: published.append(about["data"]))
    )
    instant = write_script(["It is \\boxed{4}."])
    resolved = resolve({"base_url": instant, "mode": "text", "samples": 1}, environ={})
    handle = start("What is 2 + 2?", resolved=resolved)
    following = Following(CellOutput(shell, live=True), None)
    steps = following.to_beginning(lambda: handle, resolved)
    next(steps)
    assert handle.wait(60)
    left = drive_blocking(steps, takes_sigint=False)
    assert left is hub().find(handle.run_id)
    assert ["end" in each.get(MIME, {}) for each in published] == [False]
    following.release()
    assert ["end" in each[MIME] for each in published] == [False, True]
    assert left.bundle == published[-1]
