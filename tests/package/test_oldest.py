"""`make test-oldest` runs over the oldest versions that the package may be installed with."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def least() -> dict[str, str]:
    """The least version of each package that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["lab"]
    found = (re.fullmatch(r"([a-z_]+)>=([\d.]+),<\d+", each) for each in wanted)
    return {match[1]: match[2] for match in found if match}


@pytest.mark.parametrize("package", ["jupyterlab", "ipykernel", "ipywidgets", "anywidget"])
def test_the_oldest_environment_has_the_least_version_that_is_allowed(package: str) -> None:
    pins = re.search(r"^OLDEST_PACKAGES := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert pins is not None
    installed = dict(re.findall(r"'([a-z_]+)==([\d.]+)", pins[1]))
    version, bound = installed[package].rstrip("."), least()[package]
    assert version in {bound, f"{bound}.0"}
