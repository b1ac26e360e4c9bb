"""What methods of texts, lists, dicts and numbers make of values that were only written down. Pure.

A method that is named nowhere here computes, and may change what it is called on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from .echo_containers import Container, contained, joined
from .echo_elements import iterated, looked_up, sequence, several, state_of
from .echo_values import (
    COMPUTED,
    UNREACHED,
    Kind,
    Shape,
    State,
    Value,
    known,
    made_of,
    texts,
)
from .known_calls import KnownCalls
from .known_conversions import is_other_base
from .own_code import Arguments


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


REWORDING = _words("""
    strip lstrip rstrip lower upper title capitalize replace encode decode zfill ljust rjust center
    removeprefix removesuffix
""")
"""Methods that give back a text in another form."""

KEEPING = _words("item tolist copy evalf n simplify doit elements")
"""Methods that give back what they are called on, in another form."""

FILLING = _words("append appendleft add insert push")
MERGING = _words("extend update extendleft")
TAKING = _words("pop popleft popitem")
ORDERING = _words("sort reverse rotate remove discard clear")
CHANGING = FILLING | MERGING | TAKING | ORDERING
"""Methods that change what they are called on."""

LOOKUPS = _words("get values items keys")
_FIELD = re.compile(r"\{[^{}]*\}|%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]")
_MAX_PIECES = 40


class KnownMethods(KnownCalls):
    """Evaluates calls of methods that the code did not make."""

    def call_method(self, name: str, receiver: Value, given: Arguments) -> Value:
        """Evaluate a call of a method by its name."""
        values = given.values()
        if UNREACHED in (receiver, *values):
            return UNREACHED
        if name == "write":
            return self.call_known(name, given)
        of_container = self._OF_CONTAINERS.get(name)
        if receiver.container is not None and (of_container is not None or name in KEEPING):
            return (
                receiver
                if of_container is None
                else of_container(self, name, receiver.container, given)
            )
        kind, state = max(map(made_of, [receiver, *values])), state_of([receiver, *values])
        for names, way in _OF_TEXTS:
            if name in names:
                return way(name, receiver, values, Value(kind, state))
        if name in KEEPING | LOOKUPS:
            return Value(kind, state)
        self._may_call_and_change([receiver, *values], changes=True)
        return COMPUTED

    def _order(self, _: str, container: Container, __: Arguments) -> Value:
        if container.only is None or self.choices or self.loops:
            container.spoil()
        return known(None)

    def _get(self, name: str, container: Container, given: Arguments) -> Value:
        if not given.places:
            return COMPUTED
        key, *default = given.places
        if name == "setdefault" and default:
            container.put(key, self.settled(default[0]), surely=False)
            return container.get(key)
        is_there = container.place(key) in container.parts
        if default and not is_there:
            return joined([*default, *container.elements()])
        return looked_up(contained(container), key)

    def _values(self, _: str, container: Container, __: Arguments) -> Value:
        return contained(
            Container(Shape.SEQUENCE, enumerate(container.parts.values()), container.rest)
        )

    def _keys(self, _: str, container: Container, __: Arguments) -> Value:
        keys = [known(key) for key in container.parts]
        return (
            sequence(keys) if container.keys is None else several(joined([*keys, container.keys]))
        )

    def _items(self, _: str, container: Container, __: Arguments) -> Value:
        pairs = [sequence([known(key), value]) for key, value in container.parts.items()]
        if container.rest is None:
            return sequence(pairs)
        keys = COMPUTED if container.keys is None else container.keys
        return several(joined([*pairs, sequence([keys, container.rest])]))

    def _copy(self, _: str, container: Container, __: Arguments) -> Value:
        return contained(container.copy())

    def _fill(self, name: str, container: Container, given: Arguments) -> Value:
        container.grows = container.grows or self.loops > 0
        surely = not self.forks
        for value in given.values():
            if name != "append":
                container.forget_places()
            container.append(self.settled(value), surely=surely and name == "append")
        return known(None)

    def _merge(self, name: str, container: Container, given: Arguments) -> Value:
        container.grows = container.grows or self.loops > 0
        surely = not self.forks
        for value in given.places:
            other = value.container
            if other is not None and other.shape is Shape.MAPPING and other.rest is None:
                for key, part in other.parts.items():
                    container.put(known(key), self.settled(part), surely=surely)
            elif other is not None and other.rest is None and name == "extend":
                for part in other.elements():
                    container.append(self.settled(part), surely=surely)
            else:
                container.append(self.settled(iterated(value)), surely=False)
        for word, value in given.words.items():
            container.put(known(word), self.settled(value), surely=surely)
        return known(None)

    def _take(self, name: str, container: Container, given: Arguments) -> Value:
        """Take an element out; in a loop, what is left then is a matter of the steps so far."""
        if self.loops or self.choices:
            only = container.only
            container.spoil()
            return COMPUTED if only is None or self.loops else self.settled(only)
        if given.places:
            found = container.get(given.places[0])
        elif container.rest is None and container.parts:
            ends = list(container.parts)
            found = container.parts.pop(ends[0] if name == "popleft" else ends[-1])
        else:
            found = joined(container.elements()) if container.elements() else COMPUTED
        if given.places or name == "popleft":
            container.move_up()
        return found

    _OF_CONTAINERS: ClassVar[
        dict[str, Callable[[KnownMethods, str, Container, Arguments], Value]]
    ] = {
        **dict.fromkeys(FILLING, _fill),
        **dict.fromkeys(MERGING, _merge),
        **dict.fromkeys(TAKING, _take),
        **dict.fromkeys(ORDERING, _order),
        "get": _get,
        "setdefault": _get,
        "values": _values,
        "keys": _keys,
        "items": _items,
        "copy": _copy,
    }


def formatted(pattern: Value, values: list[Value], kind: Kind, state: State) -> Value:
    """Return a pattern's text with these values in it."""
    left = [value.text for value in values]
    fields = [field for field in _FIELD.findall(pattern.text) if field[0] == "%" or ":" in field]
    if any(is_other_base(field.rstrip("}")) for field in fields):
        return COMPUTED
    text = _FIELD.sub(lambda found: left.pop(0) if left else found[0], pattern.text)
    return texts(text, kind, State.FIXED if state is State.KNOWN else state)


def _format(_: str, receiver: Value, values: list[Value], made: Value) -> Value:
    return formatted(receiver, values, made.kind, made.state) if receiver.is_text else made


def _join(_: str, receiver: Value, values: list[Value], made: Value) -> Value:
    parts = values[0] if len(values) == 1 else COMPUTED
    container = parts.container
    if container is None or container.rest is not None:
        is_text = container is None and isinstance(parts.constant, str)
        return parts if is_text else texts(parts.text, made.kind, made.state)
    text = receiver.text.join(part.text for part in container.elements())
    return texts(text, made.kind, made.state)


def _split(name: str, receiver: Value, values: list[Value], made: Value) -> Value:
    text = receiver.constant
    if isinstance(text, str) and all(isinstance(value.constant, str) for value in values):
        by = str(values[0].constant) if values else ""
        pieces = text.splitlines() if name == "splitlines" else text.split(by or None)
        if len(pieces) <= _MAX_PIECES:
            return sequence(map(known, pieces))
    return several(made)


def _reword(name: str, receiver: Value, values: list[Value], made: Value) -> Value:
    text = receiver.constant
    if receiver.state is State.VARIES:
        # What was put together step by step is more than another form of what stands there.
        return COMPUTED
    if isinstance(text, str) and not values and name in {"strip", "lower", "upper"}:
        return known({"strip": text.strip(), "lower": text.lower(), "upper": text.upper()}[name])
    return texts(receiver.text, made.kind, made.state) if receiver.is_text else made


_OF_TEXTS: list[tuple[frozenset[str], Callable[[str, Value, list[Value], Value], Value]]] = [
    (frozenset({"format"}), _format),
    (frozenset({"join"}), _join),
    (frozenset({"split", "splitlines"}), _split),
    (REWORDING, _reword),
]
