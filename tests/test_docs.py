"""Examples in the documentation are run: what a reader copies must work."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox.levels import DESCRIPTIONS, Choice, Offer, choose, probe

ROOT = Path(__file__).parents[1]
SANDBOX_PAGE = (ROOT / "docs" / "sandbox.md").read_text(encoding="utf-8")


EXAMPLES = re.findall(r"```python\n(import asyncio.*?)```", SANDBOX_PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def offer() -> Offer:
    offer = asyncio.run(probe())
    if "full" not in offer.offered:
        pytest.skip(f"the examples ask for full, and here {offer.lacking['full']}")
    return offer


def run(example: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_example_of_child_kernels_runs(offer: Offer) -> None:
    level, computed, refused = run(EXAMPLES[0])
    assert level == choose("auto", offer)
    assert computed == "ok 42 computed"
    assert refused.startswith("error ")


def test_example_of_the_provisioner_runs(offer: Offer) -> None:
    assert offer.offered
    assert run(EXAMPLES[1]) == ["42"]


def test_sandbox_page_and_readme_name_every_level_and_choice() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for level in DESCRIPTIONS:
        assert f"| `{level}` |" in SANDBOX_PAGE
        assert f"| `{level}` |" in readme
    for choice in typing.get_args(Choice):
        assert f"`{choice}`" in SANDBOX_PAGE


def test_files_that_the_sandbox_page_names_exist() -> None:
    named = re.findall(r"`((?:sandbox|box)/\w+\.py)`", SANDBOX_PAGE)
    assert len(named) > 5
    for name in named:
        inside = "" if name.startswith("sandbox/") else "sandbox/"
        assert (ROOT / "jupyterlab_tir" / inside / name).is_file(), name
