"""A run's record has its entropies by window: they are those that a run of that window has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyterlab_tir import read_record, revote, solve
from jupyterlab_tir.events import SampleEnded

LONG = " ".join(f"step{number}" for number in range(30))


def scripted(folder: Path) -> str:
    """A sample that is unsure in its first turn and sure in its long second one."""
    turns = [
        {"text": "```python\n6 * 7\n```\n", "entropy": 1.2},
        {"text": f"{LONG} \\boxed{{42}}.", "entropy": 0.2},
    ]
    problem = {"contains": "", "samples": [{"turns": turns}]}
    script = folder / "script.json"
    script.write_text(json.dumps({"version": 1, "problems": [problem]}), encoding="utf-8")
    return f"scripted:{script}"


def test_a_recorded_run_is_weighed_by_another_window_as_a_run_of_that_window_is(
    tmp_path: Path,
) -> None:
    runs = {
        window: solve("?", base_url=scripted(tmp_path), samples=1, entropy_window=window)
        for window in (None, 16)
    }
    entropy = {window: run.tally.candidates[0].mean_entropy for window, run in runs.items()}
    assert entropy[16] == pytest.approx(0.2, abs=1e-6)
    whole = entropy[None]
    assert whole is not None
    assert 0.25 < whole < 1.2
    (ended,) = [e for e in read_record(runs[16].record).events if isinstance(e, SampleEnded)]
    assert ended.windows is not None
    assert ended.windows.whole == whole
    for recorded, other in ((None, 16), (16, None)):
        again = revote(runs[recorded].record, entropy_window=other or 1_000_000)
        (candidate,) = again.tally.candidates
        assert candidate.mean_entropy == pytest.approx(entropy[other], abs=1e-6)
