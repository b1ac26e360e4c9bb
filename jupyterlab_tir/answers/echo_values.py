"""What is known of a value without running code: what it was made of, and which elements it has.

The values of an abstract interpreter (`written` follows expressions, `flow` statements). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .echo_containers import Container
    from .own_code import Callee

COMPUTED_TEXT = "\0"
"""Stands in a text for what was computed."""

_WORDS = re.compile(r"[\w.]+")
_MAX_TEXT = 1_000
_MAX_BITS = 1_000
_MAX_SEEN = 300
_MAX_NESTING = 8
_MAX_KEY_NESTING = 2
_MAX_KEY_PARTS = 8


class Kind(IntEnum):
    """What a value was made of; of two that may be had, the greater counts."""

    WRITTEN = 0
    FOLDED = 1
    """By arithmetic of literals alone: computed, and yet as fixed as a literal."""
    COMPUTED = 2


class State(Enum):
    """How much is known of which value it is."""

    KNOWN = "known"
    FIXED = "fixed"
    RUNNING = "running"
    """Those that a loop goes through, one after the other."""
    VARIES = "varies"
    """One or another, depending on the way that led here."""


class Value(NamedTuple):
    """What is known of a value.

    Parameters
    ----------
    constant
        The value itself where `state` is `KNOWN`.
    container
        Its elements, if it has any.
    callee
        What a call of it runs, or of which library it is.
    template
        Its text where some of it was written down and some computed.
    looked_up
        Whether it was found by a key: what it finds as a key itself takes two steps.
    about
        Of the result of a comparison, what was compared.
    """

    kind: Kind
    state: State = State.FIXED
    constant: object = None
    container: Container | None = None
    callee: Callee | None = None
    template: str | None = None
    looked_up: bool = False
    about: tuple[Value, ...] = ()

    @property
    def text(self) -> str:
        """How it is printed, as far as that is known; an unknown literal prints as 0."""
        if self.template is not None:
            return self.template
        if made_of(self) is not Kind.WRITTEN:
            return COMPUTED_TEXT
        if self.state is not State.KNOWN or isinstance(self.constant, int | float | complex):
            # A long integer has no decimal text.
            return _short(self.constant) if self.state is State.KNOWN else "0"
        return str(self.constant)[-_MAX_TEXT:]

    @property
    def is_text(self) -> bool:
        """Whether it is certainly a text."""
        return self.template is not None or isinstance(self.constant, str | bytes)

    @property
    def is_settled(self) -> bool:
        """Whether it is the same value whenever the code comes here."""
        return self.state in {State.KNOWN, State.FIXED}


def _short(number: object) -> str:
    is_long = isinstance(number, int) and number.bit_length() > _MAX_BITS
    return "0" if is_long else str(number)


COMPUTED = Value(Kind.COMPUTED)
FOLDED = Value(Kind.FOLDED)
WRITTEN = Value(Kind.WRITTEN)
COUNTING = object()
"""The constant of values of which only their place, counted out, says which one it is."""

COUNTED = Value(Kind.WRITTEN, State.RUNNING, COUNTING)
MATCHED = Value(Kind.FOLDED, State.RUNNING)
"""Whether what a loop goes through is a literal."""

UNREACHED = Value(Kind.WRITTEN, State.VARIES, constant="unreached")
"""The value of a call that does not return, as a recursion at its first pass."""


def known(constant: object) -> Value:
    """Return what stands there."""
    return Value(Kind.WRITTEN, State.KNOWN, constant)


def texts(template: str, kind: Kind, state: State = State.FIXED) -> Value:
    """Return a text, of which computed parts stand as `COMPUTED_TEXT`."""
    if kind is Kind.WRITTEN and state is State.KNOWN:
        return known(template[-_MAX_TEXT:])
    state = State.FIXED if state is State.KNOWN else state
    return Value(kind, state, template=template[-_MAX_TEXT:])


class Shape(Enum):
    """What an element is found by."""

    SEQUENCE = "position"
    MAPPING = "key"
    OBJECT = "attribute"


def hashable(key: Value, depth: int = 0) -> Hashable | None:
    """Return the constant that a key is, or the tuple of constants; None if it is not known."""
    if key.state is State.KNOWN and key.container is None:
        # 1 and True are one key, as they are for Python.
        constant = key.constant
        return constant if isinstance(constant, Hashable) else None
    container = key.container
    if container is None or container.shape is not Shape.SEQUENCE or container.rest is not None:
        return None
    if depth > _MAX_KEY_NESTING or not 0 < len(container.parts) <= _MAX_KEY_PARTS:
        return None
    inner = [hashable(part, depth + 1) for part in container.parts.values()]
    return None if None in inner else tuple(inner)


def is_settled_within(value: Value) -> bool:
    """Whether it is the same, with all its elements, whenever the code comes here."""
    parts = [value] if value.container is None else value.container.elements()
    return value.is_settled and all(part.is_settled for part in parts)


def made_of(value: Value) -> Kind:
    """What a value was made of, with all its elements; what is too much to look at is computed."""
    left = _MAX_SEEN

    def look(inner: Value, depth: int) -> Kind:
        nonlocal left
        left -= 1
        if left < 0 or depth > _MAX_NESTING:
            return Kind.COMPUTED
        kind = inner.kind
        if inner.container is not None and kind is not Kind.COMPUTED:
            if inner.container.shape is Shape.MAPPING and inner.container.keys is not None:
                kind = max(kind, look(inner.container.keys, depth + 1))
            for part in inner.container.elements():
                kind = max(kind, look(part, depth + 1))
                if kind is Kind.COMPUTED:
                    break
        return kind

    return look(value, 0)


Subjects = tuple[Value, ...]
"""Values that a condition is about: that it holds says nothing new of which they are."""


def is_subject(value: Value, subjects: Subjects, depth: int = 0) -> bool:
    """Whether a value is one of those that a condition was about, made of them, or says one."""
    for subject in subjects:
        if value is subject or (
            subject.container is not None and value.container is subject.container
        ):
            return True
        if subject.state is State.KNOWN and value.state is State.KNOWN and value.container is None:
            words = _WORDS.findall(value.text) if value.is_text else [value.text]
            if subject.text in words:
                return True
    container = value.container
    if container is None or container.rest is not None or depth > _MAX_KEY_NESTING:
        return False
    parts = list(container.parts.values())
    short = 0 < len(parts) <= _MAX_KEY_PARTS
    return short and all(is_subject(part, subjects, depth + 1) for part in parts)
