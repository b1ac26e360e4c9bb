"""Keys by head: each room says which heads it keys, and calls the others through here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tree import Call, Node

Keys = tuple[str, ...]
"""Keys of one tree: the likeliest first, then what else it can be read as."""

_MAX_DEPTH = 60
_ANY = ""


Keying = Callable[[Any, int], Keys]
"""Keys a node (of the heads that it is for) at a depth."""

_by_head: dict[str, Keying] = {}


class UnkeyedError(Exception):
    """No key for a tree: a head without a value, or beyond what is computed."""


def keying(*heads: str) -> Callable[[Keying], Keying]:
    """Register a function that keys the calls of these heads; of none, all that have no other."""

    def register(function: Keying) -> Keying:
        for head in heads or (_ANY,):
            if head in _by_head:
                raise ValueError(f"{head!r} is keyed twice")
            _by_head[head] = function
        return function

    return register


def keys(node: Node, depth: int = 0) -> Keys:
    """Keys of a tree.

    Parameters
    ----------
    node
        The tree.
    depth
        How deep it stands in the whole.

    Raises
    ------
    UnkeyedError
        If it has none.
    """
    if depth > _MAX_DEPTH:
        raise UnkeyedError("nested too deeply")
    head = node.head if isinstance(node, Call) else _ANY
    return _by_head.get(head, _by_head[_ANY])(node, depth)


def key(node: Node, depth: int) -> str:
    """The likeliest key: what a part contributes to the key of a whole."""
    return keys(node, depth + 1)[0]


def parts_of(node: Node) -> tuple[Node, ...]:
    """Arguments of a call; of anything else, itself."""
    return node.args if isinstance(node, Call) else (node,)
