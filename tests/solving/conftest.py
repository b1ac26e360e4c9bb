"""Scripts for the scripted server, and Jupyter folders of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

Scripted = Callable[..., str]


@pytest.fixture(autouse=True)
def own_folders(jupyter_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert jupyter_folders
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    # Where the machine offers less, these tests are about runs all the same.
    monkeypatch.setenv("TIR_SANDBOX", "best")


@pytest.fixture
def scripted(tmp_path: Path, save_script: Scripted) -> Scripted:
    return partial(save_script, tmp_path / "script.json")
