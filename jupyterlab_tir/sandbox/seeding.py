"""Seeding the global generators of libraries at the moment a cell first imports them.

Runs in the child. Importing numpy and sympy only to seed them would cost every kernel half a
second; a finder on `sys.meta_path` waits for the two modules that hold a global generator.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_NUMPY_SEED_VALUES = 2**32


class _SeedingFinder(MetaPathFinder):
    """Finds the two modules as usual and has them seeded right after they were executed."""

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


def seed_on_import(seed: int) -> None:
    """Seed `numpy.random` and `sympy.core.random` from `seed` when they are first imported."""
    seeds = {"numpy.random": seed % _NUMPY_SEED_VALUES, "sympy.core.random": seed}
    sys.meta_path.insert(0, _SeedingFinder(seeds))
