"""What a warm process imports, so that no kernel forked from it has to."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from typing import Final

USUAL: Final[tuple[str, ...]] = (
    "networkx",
    "numpy",
    "scipy",
    "scipy.fft",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
    "sympy",
)
"""The libraries of mathematics; mpmath comes with sympy."""

_STANDARD: Final[tuple[str, ...]] = (
    "bisect",
    "cmath",
    "collections",
    "concurrent.futures.thread",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "pprint",
    "queue",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "timeit",
    "typing",
    "uuid",
)

# Needed by few, but what cannot be imported later must be there.
_WITHOUT_FILES: Final = ("scipy.stats",)
_WALKED: Final = ("sympy",)
_NOT_WALKED: Final = ("benchmarks", "conftest", "testing", "tests")


def preload(extra: Iterable[str], *, files: bool) -> dict[str, str]:
    """Import the usual modules and `extra`; return those that failed, with the reason.

    Parameters
    ----------
    extra
        Names of modules to import beside the usual ones.
    files
        False imports every module of sympy as well: a kernel that may open no file can import
        nothing later.
    """
    missing: dict[str, str] = {}
    late = () if files else _WITHOUT_FILES
    for name in (*_STANDARD, *USUAL, *late, *extra):
        _import(name, missing)
    if not files:
        for package in _WALKED:
            _walk(package)
    return missing


def _import(name: str, missing: dict[str, str]) -> None:
    # A module may raise whatever it likes while it is imported, and the kernels go without it.
    try:
        importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 - see above
        missing[name] = f"{type(error).__name__}: {error}"[:500]


def _walk(package: str) -> None:
    """Import what a package's own parts import lazily."""
    module = sys.modules.get(package)
    if module is None:
        return
    for found in pkgutil.walk_packages(module.__path__, f"{package}.", onerror=_ignore):
        if not any(part in _NOT_WALKED for part in found.name.split(".")):
            _import(found.name, {})


def _ignore(name: str) -> None:
    """Leave out a package that cannot be imported."""


def threads() -> int:
    """Count the threads of this process."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - only their number is wanted
