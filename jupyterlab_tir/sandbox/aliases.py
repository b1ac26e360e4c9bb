"""The modules that a cell may use without importing them.

Models forget the import of a module that they use under its customary name more often than they
make any other mistake of names. A child kernel therefore binds these names, to the real modules,
at the moment a cell first reads one that nothing has bound: nothing is imported that no cell asks
for. Whoever shows a sample's code on its own (an exported notebook) adds the imports from here.
"""

from __future__ import annotations

from typing import Final

MODULE_ALIASES: Final[dict[str, str]] = {
    "cmath": "cmath",
    "collections": "collections",
    "fractions": "fractions",
    "functools": "functools",
    "itertools": "itertools",
    "math": "math",
    "mpmath": "mpmath",
    "networkx": "networkx",
    "np": "numpy",
    "numpy": "numpy",
    "nx": "networkx",
    "random": "random",
    "scipy": "scipy",
    "sp": "sympy",
    "sympy": "sympy",
}
"""Name in the cell → module that it is bound to."""
