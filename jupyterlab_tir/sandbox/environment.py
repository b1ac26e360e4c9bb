"""The environment that the processes of child kernels start with: no variable of the user's own."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jupyterlab_tir.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_INHERITED_VARIABLES: Final = frozenset(
    {"LANG", "LANGUAGE", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "TZ"}
)
_INHERITED_PREFIX: Final = "LC_"


def clean_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """Return what a child may know of the environment: a short list of harmless variables.

    Parameters
    ----------
    parent
        The engine's environment.
    """
    environment = {
        name: value
        for name, value in parent.items()
        if name in _INHERITED_VARIABLES or name.startswith(_INHERITED_PREFIX)
    }
    environment.setdefault("LANG", "C.UTF-8")
    environment |= {
        "MPLBACKEND": "agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": _import_path(parent),
        # One thread per kernel: many kernels share the machine.
        "MKL_NUM_THREADS": "1",
        "NUMEXPR_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        # Each arena reserves 64 MiB of the address space that the memory limit counts.
        "MALLOC_ARENA_MAX": "2",
        "NO_COLOR": "1",
    }
    if site.ENABLE_USER_SITE:
        # Packages of the user's own site must stay importable although HOME is another.
        environment["PYTHONUSERBASE"] = site.getuserbase()
    return environment


def _import_path(parent: Mapping[str, str]) -> str:
    """Return PYTHONPATH: the parent's, and this package's folder where no site folder holds it."""
    paths = [path for path in parent.get("PYTHONPATH", "").split(os.pathsep) if path]
    root = str(Path(__file__).resolve().parents[2])
    if root not in {*site.getsitepackages(), site.getusersitepackages(), *paths}:
        paths.append(root)
    # Absolute, because children start in other folders.
    return os.pathsep.join(str(Path(path).absolute()) for path in paths)


def require_own_program() -> None:
    """Refuse to go on where no process of this Python can be started.

    Raises
    ------
    UsageError
        Where Python does not know its own program: it is embedded in another one, say.
    """
    if not sys.executable:
        raise UsageError(
            "This Python does not know its own program (sys.executable is empty), so it can start "
            "no child kernels: run it as `python`, or name an installed kernel with --kernel."
        )
