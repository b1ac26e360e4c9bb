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
from .tree import Call, Constant, Name, Node, call, is_statement, whole

_MOST_PAIRS = 4
_INTERVALS = frozenset({"open", "closed", "open_closed", "closed_open"})
_ORDERED = _INTERVALS | {"tuple", "list", "bare", "matrix"}


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
    # One of them in its likeliest reading, as for keys.
    pairs = [(a, b) for a in one for b in other if a is one[0] or b is other[0]][:_MOST_PAIRS]
    found = [_agree(a, b) for a, b in pairs]
    verdict = True if True in found else None if None in found else False
    return msgspec.msgpack.encode(verdict)


def _agree(a: Node, b: Node) -> bool | None:
    """Whether values agree; of wholes, element by element; statements are as their keys say."""
    if isinstance(a, Call) and isinstance(b, Call) and (_is_whole(a) or _is_whole(b)):
        one, other = _as_interval_of(a, b), _as_interval_of(b, a)
        if one != other or len(a.args) != len(b.args):
            return False
        if one not in _ORDERED:
            return None if one == "set" else False
        found = [_agree(x, y) for x, y in zip(a.args, b.args, strict=True)]
        return False if False in found else None if None in found else True
    try:
        return values.agree(a, b)
    except fingerprint.EvaluationError:
        return None


def _is_whole(node: Call) -> bool:
    return node.head in _ORDERED or node.head == "set" or is_statement(node)


def _as_interval_of(node: Call, other: Call) -> str:
    """The node's head, which beside an interval is that of one."""
    if other.head in _INTERVALS:
        return {"tuple": "open", "list": "closed"}.get(node.head, node.head)
    return node.head


def warm() -> None:
    """Have SymPy loaded, and its first sum behind it, while nobody waits: a second in all."""
    body = call("pow", Name("k"), whole(-2))
    closed_form(call("sum", body, Name("k"), whole(1), Constant("infinity")))


OPERATIONS: Mapping[str, Callable[[Request], bytes]] = {"keys": keys, "agree": agree}
