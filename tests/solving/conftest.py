"""Scripts for the scripted server, and Jupyter folders of the test's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Scripted = Callable[..., str]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "RUNTIME", "CONFIG"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(tmp_path / name.lower()))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def scripted(tmp_path: Path) -> Scripted:
    """Write a script whose samples are lists of turns; a turn is its text or its fields."""

    def write(*samples: list[str | dict[str, Any]], **server: Any) -> str:
        script = {
            "version": 1,
            "server": server,
            "problems": [{"contains": "", "samples": [_sample(turns) for turns in samples]}],
        }
        path = tmp_path / "script.json"
        path.write_text(json.dumps(script), encoding="utf-8")
        return f"scripted:{path}"

    return write


def _sample(turns: list[str | dict[str, Any]]) -> dict[str, Any]:
    return {"turns": [{"text": turn} if isinstance(turn, str) else turn for turn in turns]}
