"""Loading SymPy: half a second that most answers never need, and that no answer is charged."""

from __future__ import annotations

import importlib

from ..working import off_the_clock

_ROOMS = (
    "sympy",
    "sympy.calculus.util",
    "sympy.concrete.gosper",
    "sympy.integrals.manualintegrate",
)


def load_sympy() -> None:
    """Have SymPy loaded, with what it loads only at its first sum or integral."""
    with off_the_clock():
        for room in _ROOMS:
            importlib.import_module(room)
