"""Puts the built JupyterLab extension and widget into the wheel and the sdist.

A hook of hatchling's, named in pyproject.toml; it builds them first where needed. An sdist holds
the built files, so that installing from it needs no Node.js; from a clone the build does. An
editable install leaves the extension out: `make build-lab` links it, so that an uninstall never
removes files of the clone. The widget's files lie beside the module that sends them, where git
ignores them, and so would hatchling.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_AT_LEAST = (20, 19)
BUILT = Path("jupyterlab_tir/labextension")
WIDGET = (
    Path("kernel_ext/jupyterlab_tir_kernel/view.js"),
    Path("kernel_ext/jupyterlab_tir_kernel/view.css"),
)
INSTALLED = "share/jupyter/labextensions/jupyterlab-tir"
SOURCES = (
    "labextension/src",
    "labextension/style",
    "labextension/schema",
    "package.json",
    "tsconfig.json",
)


class LabextensionHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the extension and the widget to what hatchling packs."""

    def dependencies(self) -> list[str]:
        """What a build needs beyond hatchling: nothing where the built files are up to date."""
        return [] if _is_up_to_date(Path(self.root)) else ["jupyter-builder>=1.3,<2"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build both if one is missing or older than its sources, and add them."""
        root = Path(self.root)
        if version == "editable":
            return
        if not _is_up_to_date(root):
            failure = _build(root)
            if failure is not None:
                self.app.abort(failure)
        build_data["artifacts"] += [f"/{file}" for file in WIDGET]
        if self.target_name == "wheel":
            build_data["shared_data"][str(BUILT)] = INSTALLED
            build_data["shared_data"]["labextension/install.json"] = f"{INSTALLED}/install.json"
        else:
            build_data["artifacts"].append(f"/{BUILT}")


def _is_up_to_date(root: Path) -> bool:
    built = [root / BUILT / "package.json", *(root / file for file in WIDGET)]
    if not all(file.exists() for file in built):
        return False
    newest = max(
        file.stat().st_mtime
        for source in SOURCES
        for file in [root / source, *(root / source).rglob("*")]
        if file.is_file()
    )
    return min(file.stat().st_mtime for file in built) >= newest


def node_failure(node: str | None) -> str | None:
    """Why the Node.js program `node` cannot build the extension, in a sentence; None if it can."""
    wanted = ".".join(map(str, NODE_AT_LEAST))
    advice = (
        f"install Node.js {wanted} or newer, or install jupyterlab_tir from its wheel or sdist, "
        "which hold the built extension"
    )
    if node is None:
        return f"Building the JupyterLab extension needs Node.js, which is not here: {advice}."
    told = subprocess.run([node, "--version"], check=False, capture_output=True, text=True).stdout  # noqa: S603
    found = re.match(r"v(\d+)\.(\d+)", told)
    if found is None or (int(found[1]), int(found[2])) < NODE_AT_LEAST:
        return f"Node.js {told.strip() or 'of unknown version'} is too old here: {advice}."
    return None


def _build(root: Path) -> str | None:
    # Without build isolation the interpreter's own folder need not be on the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    failure = node_failure(shutil.which("node", path=path))
    if failure is not None:
        return failure
    jlpm = shutil.which("jlpm", path=path)
    if jlpm is None:
        return "Building the JupyterLab extension needs jlpm: pip install jupyter-builder."
    for arguments in (["install", "--immutable"], ["build"]):
        done = subprocess.run(  # noqa: S603
            [jlpm, *arguments], cwd=root, check=False, env={**os.environ, "PATH": path}
        )
        if done.returncode != 0:
            return (
                f"The JupyterLab extension was not built, as `jlpm {' '.join(arguments)}` failed: "
                "its output above says why."
            )
    return None
