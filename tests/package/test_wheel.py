"""The package builds as a wheel that holds what it needs, and nothing that it must not."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_the_package_its_widget_its_locks_and_its_licence(tmp_path: Path) -> None:
    subprocess.run(
        [
            sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path),
            str(ROOT),
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata_name,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(metadata_name).decode()
        (entries_name,) = [name for name in names if name.endswith("entry_points.txt")]
        entries = archive.read(entries_name).decode()
    assert {
        "jupyterlab_tir/py.typed",
        "jupyterlab_tir/cli.py",
        "jupyterlab_tir/serving/locks/embedded.lock",
        "jupyterlab_tir/serving/supervisor.py",
        "jupyterlab_tir_kernel/widget.py",
        "jupyterlab_tir_kernel/view.js",
        "jupyterlab_tir_kernel/view.css",
    } <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any(name.startswith(("tests/", "benchmarks/", ".")) for name in names)
    assert "License-Expression: MIT" in metadata
    assert "tir = jupyterlab_tir.cli:main" in entries
