"""The benchmark of child kernels: its figures have the names that readers look for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.kernels import report

ROOT = Path(__file__).parents[2]
FIGURES = {
    "cell_ms_ours",
    "cell_ms_stock",
    "cells_per_s_8",
    "cpus",
    "first_cell_wait_ms",
    "kill_8_s",
    "level",
    "private_mb_ours",
    "private_mb_stock",
    "ratio_8",
    "ready_1_ours_s",
    "ready_1_stock_s",
    "ready_8_ours_s",
    "ready_8_stock_s",
    "sandbox_ms",
    "warm_boot_s",
}


def test_report_gives_medians_and_how_many_times_faster() -> None:
    taken = {
        "ready_8_stock_s": [4.0, 3.0, 20.0],
        "ready_8_ours_s": [0.4, 0.5, 0.1],
        "ready_64_ours_s": [2.0],
        "kill_8_ours_s": [0.25],
        "kill_8_stock_s": [0.5],
        "private_mb_ours": [7.04, 7.06],
        "sandbox_ms": [],
    }
    told = report(taken, 3, level="full")
    assert told["ready_8_stock_s"] == 4.0
    assert told["ready_8_ours_s"] == 0.4
    assert told["ratio_8"] == 10.0
    assert "ratio_64" not in told
    assert (told["kill_8_s"], told["kill_8_stock_s"]) == (0.25, 0.5)
    assert "kill_8_ours_s" not in told
    assert told["private_mb_ours"] == 7.0
    assert "sandbox_ms" not in told
    assert (told["level"], told["rounds"]) == ("full", 3)


@pytest.mark.slow
def test_quick_run_prints_every_figure_on_its_last_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.kernels", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert set(told) >= FIGURES
    assert all(value > 0 for value in told.values() if isinstance(value, float))
