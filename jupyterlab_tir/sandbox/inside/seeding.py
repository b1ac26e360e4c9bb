"""Seeding the global generators: at once where a library is loaded, else when it is imported.

Importing numpy and sympy only to seed them would cost a kernel half a second; a finder on
`sys.meta_path` waits for the two modules that hold a global generator.
"""

from __future__ import annotations

import random
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

SEEDING_CODE = f'__import__("{__name__}", fromlist=["seed_all"]).seed_all({{seed}})'
"""A cell that calls `seed_all`, to be formatted with the seed."""

_NUMPY_SEED_VALUES = 2**32


class _SeedingFinder(MetaPathFinder):
    """Finds the modules as usual and has them seeded right after they were executed."""

    def __init__(self, seeds: dict[str, int]) -> None:
        self._seeds = seeds

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        seed = self._seeds.pop(fullname, None)
        if seed is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_seed(module: ModuleType) -> None:
            execute(module)
            module.seed(seed)

        spec.loader.exec_module = execute_and_seed  # type: ignore[method-assign]
        return spec


def seed_all(seed: int) -> None:
    """Seed Python's, numpy's and sympy's generator; a later call replaces an earlier one.

    Parameters
    ----------
    seed
        Not negative.
    """
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if not isinstance(finder, _SeedingFinder)
    ]
    random.seed(seed)
    later: dict[str, int] = {}
    for name, value in (("numpy.random", seed % _NUMPY_SEED_VALUES), ("sympy.core.random", seed)):
        module = sys.modules.get(name)
        if module is None:
            later[name] = value
        else:
            module.seed(value)
    if later:
        sys.meta_path.insert(0, _SeedingFinder(later))
