"""Keys of sets of real numbers in canonical order."""

from __future__ import annotations

from .. import forms
from .dispatch import key
from .tree import Call, Node


def key_of_set(node: Node, depth: int) -> str:
    """Key of a set of real numbers in canonical order, or of an explicit set."""
    match node:
        case Call("empty", _):
            return forms.set_key(())
        case Call("reals", _):
            return forms.interval_key("(", "k:-infinity", "k:infinity", ")")
        case Call("union", parts):
            # Points and intervals stand in order; only their keys are joined here.
            return "i:" + "".join(key_of_set(part, depth)[2:] for part in parts)
    return key(node, depth)
