"""The canonical keys of an answer: one for each reading, the likeliest first.

Structures are keyed by their parts, scalars by `fingerprint`. An assignment is its value, units
and currency are left out, conditions on one real variable are the set that they describe, and an
equation is what stays of it up to a factor.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import elements, scalars, statements
from .dispatch import Keys, UnkeyedError, keys
from .tree import Node

__all__ = ["UnkeyedError", "elements", "keys_of", "scalars", "statements"]

_MAX_READINGS = 8


def keys_of(readings: Iterable[Node]) -> Keys:
    """Keys of an answer that can be read in several ways, without repetitions.

    Raises
    ------
    UnkeyedError
        If the likeliest reading has none.
    """
    found: dict[str, None] = {}
    for index, node in enumerate(readings):
        try:
            found.update(dict.fromkeys(keys(node)))
        except UnkeyedError:
            if index == 0:
                raise
    return tuple(found)[:_MAX_READINGS]
