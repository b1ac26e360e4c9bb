"""The wheel brings the built extension, and JupyterLab loads it where there is no Node.js."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from jupyterlab_tir import __version__

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = "share/jupyter/labextensions/jupyterlab-tir"
TOKEN = "only-for-this-test"  # noqa: S105


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder),
            str(ROOT),
        ],
        check=True,
        capture_output=True,
        timeout=300,
    )  # fmt: skip
    (built,) = folder.glob("*.whl")
    return built


def build_hook() -> ModuleType:
    path = ROOT / "labextension" / "build_hook.py"
    spec = importlib.util.spec_from_file_location("build_hook", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_wheel_holds_the_built_extension_once_and_no_sources(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    (data,) = {name.split("/data/")[0] for name in names if ".data/data/" in name}
    shared = {name.removeprefix(f"{data}/data/{INSTALLED}/") for name in names if data in name}
    assert {
        "package.json",
        "install.json",
        "schemas/jupyterlab-tir/settings.json",
        "static/style.js",
    } <= shared
    assert any(re.fullmatch(r"static/remoteEntry\.\w+\.js", name) for name in shared)
    assert not any(name.startswith("jupyterlab_tir/labextension") for name in names)
    assert not any(name.endswith(".ts") or "node_modules" in name for name in names)


def test_the_wheel_holds_the_widget_as_one_module_that_needs_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        script = archive.read("jupyterlab_tir_kernel/view.js").decode()
        style = archive.read("jupyterlab_tir_kernel/view.css").decode()
    assert re.search(r"export\{\w+ as default\};?\s*$", script)
    assert not re.search(r"\bimport\s*[({\"']", script)
    assert ".jp-TirRun" in style
    assert "http:" not in style
    assert "https:" not in style


@pytest.mark.parametrize("missing", ["view.js", "view.css", "package.json", None])
def test_a_build_is_up_to_date_only_with_all_its_files(missing: str | None, tmp_path: Path) -> None:
    hook = build_hook()
    for source in hook.SOURCES:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / source).touch()
    for built in [hook.BUILT / "package.json", *hook.WIDGET]:
        (tmp_path / built).parent.mkdir(parents=True, exist_ok=True)
        if built.name != missing:
            (tmp_path / built).touch()
    assert hook._is_up_to_date(tmp_path) is (missing is None)


def test_the_extension_has_the_version_of_the_package() -> None:
    assert json.loads((ROOT / "package.json").read_text())["version"] == __version__


def test_pip_and_the_front_end_ask_for_the_same_jupyterlab() -> None:
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = json.loads((ROOT / "package.json").read_text())["dependencies"]
    assert extra["lab"] == ["jupyterlab>=4.0,<5"]
    assert wanted["@jupyterlab/application"] == "^4.0.0"


def test_the_lock_file_names_no_address() -> None:
    assert "://" not in (ROOT / "yarn.lock").read_text()


def test_a_build_without_node_is_refused_in_one_sentence(tmp_path: Path) -> None:
    node_failure = build_hook().node_failure
    missing = node_failure(None)
    assert missing.startswith("Building the JupyterLab extension needs Node.js, which is not here")
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.20.4\n")
    old.chmod(0o755)
    assert node_failure(str(old)).startswith("Node.js v18.20.4 is too old here: install Node.js 20")
    old.write_text("#!/bin/sh\necho v20.19.0\n")
    assert node_failure(str(old)) is None


@contextmanager
def running_lab(python: Path, environment: dict[str, str], runtime: Path) -> Iterator[str]:
    """JupyterLab of another environment; its address."""
    process = subprocess.Popen(
        [
            python, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.port=0",
            "--ServerApp.ip=127.0.0.1", f"--IdentityProvider.token={TOKEN}",
            f"--ServerApp.root_dir={runtime.parent}",
        ],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        limit = time.monotonic() + 60
        while not (found := list(runtime.glob("jpserver-*.json"))):
            assert process.poll() is None, "JupyterLab ended at once"
            assert time.monotonic() < limit, "JupyterLab did not listen within a minute"
            time.sleep(0.1)
        time.sleep(0.2)
        yield str(json.loads(found[0].read_text())["url"])
    finally:
        process.terminate()
        process.wait(30)


def fetched(url: str) -> str:
    with urllib.request.urlopen(f"{url}?token={TOKEN}", timeout=30) as response:  # noqa: S310
        return str(response.read().decode())


@pytest.mark.slow
@pytest.mark.parametrize(
    "jupyterlab",
    ["jupyterlab>=4.6,<5", "jupyterlab==4.0.*"],
    ids=["newest", "oldest"],
)
def test_jupyterlab_of_a_clean_environment_without_node_loads_the_wheel(
    jupyterlab: str, wheel: Path, tmp_path: Path
) -> None:
    home = tmp_path / "clean"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    # Of the package only the extension is looked at here: its own requirements are left out.
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, jupyterlab], check=True, timeout=600)
    subprocess.run([*pip, "--no-deps", wheel], check=True, timeout=120)
    runtime = tmp_path / "runtime"
    environment = {
        "PATH": str(home / "bin"),
        "HOME": str(tmp_path),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
    }
    listed = subprocess.run(
        [python, "-m", "jupyter", "labextension", "list"],
        check=True, capture_output=True, text=True, env=environment, timeout=60,
    )  # fmt: skip
    assert re.search(
        rf"jupyterlab-tir v{__version__} enabled OK \(python, jupyterlab_tir\)",
        re.sub(r"\x1b\[\d*m", "", listed.stdout + listed.stderr).replace("  ", " "),
    )
    with running_lab(python, environment, runtime) as url:
        page = fetched(f"{url}lab")
        configured = re.search(
            r'<script id="jupyter-config-data" type="application/json">\s*(.*?)\s*</script>',
            page,
            re.DOTALL,
        )
        assert configured is not None
        (entry,) = [
            extension
            for extension in json.loads(configured[1])["federated_extensions"]
            if extension["name"] == "jupyterlab-tir"
        ]
        script = fetched(f"{url}lab/extensions/jupyterlab-tir/{entry['load']}")
        assert "jupyterlab-tir" in script
