"""What the killable worker works out: keys of an answer, agreement of two expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from ..working import Request
from . import fingerprint, values
from .closed import closed_form
from .keys import UnkeyedError, keys_of
from .reader import ReadError, read
from .statements import value_said
from .tree import Node

_MOST_PAIRS = 4


def keys(request: Request) -> bytes:
    """Keys of a text (UTF-8) in all its readings, the likeliest first, as MessagePack."""
    try:
        found = keys_of(read(request.payload.decode()))
    except (ReadError, UnkeyedError):
        found = ()
    return msgspec.msgpack.encode(found)


def agree(request: Request) -> bytes:
    """Whether two expressions (a pair of texts) agree wherever both are defined, as MessagePack."""
    texts = msgspec.msgpack.decode(request.payload, type=tuple[str, str])
    try:
        one, other = (
            tuple(closed_form(value_said(reading)) for reading in read(text)) for text in texts
        )
    except ReadError:
        return msgspec.msgpack.encode(None)
    pairs = [(a, b) for a in one for b in other][:_MOST_PAIRS]
    found = [_agree(a, b) for a, b in pairs]
    verdict = True if True in found else None if None in found else False
    return msgspec.msgpack.encode(verdict)


def _agree(a: Node, b: Node) -> bool | None:
    try:
        return values.agree(a, b)
    except fingerprint.EvaluationError:
        return None


def warm() -> None:
    """Import what only some answers need, while nobody waits."""
    import sympy  # noqa: F401, PLC0415 - half a second that most answers never need


OPERATIONS: Mapping[str, Callable[[Request], bytes]] = {"keys": keys, "agree": agree}
