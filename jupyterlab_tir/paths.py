"""Where things lie on disk: records, the embedded server, its state and its log.

Folders follow Jupyter's conventions, so that `JUPYTER_DATA_DIR`, `JUPYTER_RUNTIME_DIR` and
`JUPYTER_CONFIG_DIR` move them like everything else of Jupyter's.
"""

from __future__ import annotations

import os
from pathlib import Path


def _private_folder(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def data_dir() -> Path:
    """Folder of everything that outlives a login (created, mode 0700)."""
    from jupyter_core.paths import jupyter_data_dir  # noqa: PLC0415 - 20 ms, only when a file is needed

    return _private_folder(Path(jupyter_data_dir()) / "tir")


def records_dir() -> Path:
    """Folder of the run records, one JSON Lines file each (created, mode 0700)."""
    return _private_folder(data_dir() / "runs")


def runtime_dir() -> Path:
    """Folder of what is true only while a process runs, such as the embedded server's state."""
    from jupyter_core.paths import jupyter_runtime_dir  # noqa: PLC0415 - see data_dir

    return _private_folder(Path(jupyter_runtime_dir()) / "tir")


def config_file() -> Path:
    """The settings file: `TIR_CONFIG` if set, else `tir.toml` in Jupyter's configuration folder."""
    named = os.environ.get("TIR_CONFIG")
    if named:
        return Path(named).expanduser()
    from jupyter_core.paths import jupyter_config_dir  # noqa: PLC0415 - see data_dir

    return Path(jupyter_config_dir()) / "tir.toml"


def embedded_dir() -> Path:
    """Folder of the embedded server's environment and model (`TIR_EMBEDDED_DIR` moves it)."""
    named = os.environ.get("TIR_EMBEDDED_DIR")
    return _private_folder(Path(named).expanduser() if named else data_dir() / "embedded")
