"""Elements of lists, dicts and objects that are followed without running code, and joined values.

Where the ways that code may go meet, a value is one or another: `joined` says what is known of it.
Pure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from .echo_values import (
    COMPUTED,
    COUNTING,
    UNREACHED,
    Kind,
    Shape,
    State,
    Value,
    hashable,
    is_settled_within,
    known,
    made_of,
)

if TYPE_CHECKING:
    from .own_code import Own

_MAX_PARTS = 64
_MAX_NESTING = 4
_MAX_RUNNING = 2
_MAX_ORIGINS = 30


class Container:
    """Elements of a list, dict, object and the like, changed in place as the code changes it.

    Parameters
    ----------
    shape
        What its elements are found by.
    parts
        Those that are found by a known key, in order.
    rest, keys
        What others there may be and their keys; None if there are no others.
    """

    def __init__(
        self,
        shape: Shape,
        parts: Iterable[tuple[Hashable, Value]] = (),
        rest: Value | None = None,
        keys: Value | None = None,
    ) -> None:
        self.shape = shape
        self.parts: dict[Hashable, Value] = dict(parts)
        self.rest = rest
        self.keys = keys
        self.grows = False
        """Whether a loop filled it: what stands where was computed then."""
        self.methods: dict[str, Own] = {}
        self.fields: dict[str, int] = {}
        """Names of its positions, as a named tuple has them."""
        self.origins: tuple[Container, ...] = ()
        if len(self.parts) > _MAX_PARTS:
            self.forget_places()

    def elements(self) -> list[Value]:
        """All that may be in it."""
        return [*self.parts.values(), *([] if self.rest is None else [self.rest])]

    @property
    def only(self) -> Value | None:
        """Its element, if it certainly has one and no other."""
        if len(self.parts) == 1 and self.rest is None:
            return next(iter(self.parts.values()))
        return None

    def forget_places(self) -> None:
        """Keep what is in it, and no longer where."""
        if self.shape is Shape.MAPPING and self.parts:
            self.keys = joined([*map(known, self.parts), *_given(self.keys)])
        self.rest = joined(self.elements()) if self.parts or self.rest is not None else None
        self.parts = {}

    def stands_for(self, origins: Iterable[Container]) -> None:
        """Say which containers this may be: what changes it changes them too."""
        found: dict[Container, None] = {}
        for origin in origins:
            found |= dict.fromkeys([origin, *origin.origins])
        self.origins = tuple(found)[:_MAX_ORIGINS]

    def _change_origins(self, value: Value) -> None:
        for origin in self.origins:
            if made_of(value) is Kind.WRITTEN:
                origin.rest = joined([*_given(origin.rest), value])
            else:
                origin.parts, origin.rest, origin.keys = {}, COMPUTED, COMPUTED

    def spoil(self) -> None:
        """Take all of it as computed."""
        self.parts, self.rest, self.keys = {}, COMPUTED, COMPUTED
        self._change_origins(COMPUTED)

    def get(self, key: Value) -> Value:
        """Return the element that a key finds."""
        place = self.place(key)
        if place is not None and place in self.parts:
            found = self.parts[place]
            return found if self.rest is None else joined([found, self.rest])
        all_of_it = self.elements()
        if not all_of_it or self.shape is Shape.OBJECT:
            return COMPUTED
        if self.only is not None and self.shape is Shape.SEQUENCE:
            return self.only
        counted = self.rest is not None and self.rest.constant is COUNTING
        counted = counted or (self.shape is Shape.MAPPING and self.grows)
        if counted or made_of(key) is not Kind.WRITTEN or not is_settled_within(key):
            # Which one it is, is what was computed.
            return COMPUTED
        found = joined(all_of_it)
        is_known = found.state is State.KNOWN
        return found if is_known else found._replace(state=State.FIXED)

    def place(self, key: Value) -> Hashable | None:
        """Where a known key leads, counted from the start; None if it is not known."""
        constant = hashable(key)
        if self.shape is Shape.SEQUENCE and isinstance(constant, int):
            return constant + len(self.parts) if constant < 0 and self.rest is None else constant
        return constant

    def put(self, key: Value, value: Value, *, surely: bool) -> None:
        """Put a value where a key leads; what may happen or not is added to what was there."""
        place = self.place(key)
        if key.kind is not Kind.WRITTEN or not _leads_to_one(key):
            value = COMPUTED
        self._change_origins(value)
        if place is None or (self.shape is Shape.SEQUENCE and place not in self.parts):
            self.rest = joined([*_given(self.rest), value])
            self.keys = joined([*_given(self.keys), key])
            for each, before in self.parts.items():
                self.parts[each] = joined([before, value])
        elif surely or place not in self.parts:
            self.parts[place] = value
        else:
            self.parts[place] = joined([self.parts[place], value])
        if len(self.parts) > _MAX_PARTS:
            self.forget_places()

    def move_up(self) -> None:
        """Forget places because what stood first was taken: the others' are counted anew."""
        self.forget_places()
        if self.rest is not None:
            self.rest = counted_out(self.rest)

    def append(self, value: Value, *, surely: bool) -> None:
        """Put a value behind the others."""
        self._change_origins(value)
        if surely and self.rest is None and self.shape is Shape.SEQUENCE:
            self.parts[len(self.parts)] = value
            if len(self.parts) > _MAX_PARTS:
                self.forget_places()
        else:
            counted = self.rest is not None and self.rest.constant is COUNTING
            found = joined([*_given(self.rest), value])
            self.rest = counted_out(found) if counted else found

    def copy(self, shape: Shape | None = None) -> Container:
        """Return another with the same elements."""
        container = Container(shape or self.shape, self.parts.items(), self.rest, self.keys)
        container.grows, container.methods, container.fields = self.grows, self.methods, self.fields
        return container


def _given(value: Value | None) -> list[Value]:
    return [] if value is None else [value]


def counted_out(value: Value) -> Value:
    """Return what is one or another, depending on its place alone."""
    varies = value.state is State.VARIES
    return value._replace(state=State.RUNNING, constant=COUNTING) if varies else value


def contained(container: Container) -> Value:
    """Return the value that has these elements."""
    return Value(Kind.WRITTEN, container=container)


def _leads_to_one(key: Value) -> bool:
    """Whether a key is not one that the code came to by going on from another."""
    parts = [key] if key.container is None else key.container.elements()
    return all(part.state is not State.VARIES and part.kind is Kind.WRITTEN for part in parts)


_Pairs = dict[tuple[int, int], "Container"]


def same(left: Value, right: Value) -> bool:
    """Whether as much is known of both, and the same."""
    if left.container is not right.container:
        left = left._replace(container=None) if _met(left, right, {}, 0) is left else UNREACHED
        right = right._replace(container=None)
    return left is right or _alike(left, right)


def _alike(left: Value, right: Value) -> bool:
    """Whether as much is known of both, apart from what is in them."""
    return (
        left.kind is right.kind
        and left.state is right.state
        and type(left.constant) is type(right.constant)
        and left.constant == right.constant
        and left.template == right.template
        and getattr(left.callee, "name", None) == getattr(right.callee, "name", None)
    )


def joined(values: Iterable[Value]) -> Value:
    """Return what is known of a value that is one of these."""
    given = [value for value in values if value is not UNREACHED]
    if not given:
        return UNREACHED
    found = given[0]
    for value in given[1:]:
        found = _met(found, value, {}, 0)
    return found


def _met(left: Value, right: Value, pairs: _Pairs, depth: int) -> Value:
    """Join two values; the left one itself, if the right one adds nothing."""
    if left is right:
        return left
    container = left.container
    if depth > _MAX_NESTING:
        return Value(max(made_of(left), made_of(right)), State.VARIES)
    if left.container is not right.container:
        container = _containers_met(left.container, right.container, pairs, depth)
    if container is left.container and _alike(left, right):
        return left
    both = (left.state, right.state)
    if left.state is right.state and left.state is not State.KNOWN:
        state = left.state
    else:
        state = (
            State.FIXED
            if both == (State.KNOWN, State.KNOWN) and _equal(left, right)
            else State.VARIES
        )
    callee = right.callee if right.callee is not None else left.callee
    return Value(max(left.kind, right.kind), state, container=container, callee=callee)


def _equal(left: Value, right: Value) -> bool:
    return left.constant == right.constant


def _containers_met(
    left: Container | None, right: Container | None, pairs: _Pairs, depth: int
) -> Container | None:
    if left is None or right is None:
        return left if right is None else right
    found = pairs.get((id(left), id(right)))
    if found is not None:
        return found
    one, other = left, right
    if left.parts.keys() != right.parts.keys() or left.shape is not right.shape:
        one, other = left.copy(), right.copy()
        one.forget_places()
        other.forget_places()

    def meet(first: Value | None, second: Value | None) -> Value | None:
        if first is None or second is None:
            return first if second is None else second
        return _met(first, second, pairs, depth + 1)

    # One that holds itself is joined with itself no further.
    pairs[id(left), id(right)] = left
    parts = {key: _met(part, other.parts[key], pairs, depth + 1) for key, part in one.parts.items()}
    met = Container(
        left.shape, parts.items(), meet(one.rest, other.rest), meet(one.keys, other.keys)
    )
    is_new = (
        one is not left
        or met.rest is not left.rest
        or met.keys is not left.keys
        or any(met.parts.get(key) is not part for key, part in left.parts.items())
    )
    if not is_new:
        return left
    met.grows = left.grows or right.grows
    met.methods, met.fields = left.methods | right.methods, left.fields or right.fields
    met.stands_for([left, right])
    pairs[id(left), id(right)] = met
    return met


def running(
    value: Value, copies: dict[Container, Container] | None = None, depth: int = 0
) -> Value:
    """Return what a loop has in hand that goes through such values; `copies` gets what is in it."""
    copies = {} if copies is None else copies
    container = value.container
    if container is None and value.state is State.RUNNING:
        # A new object: that a condition is about one loop's name says nothing of another's.
        return value._replace(template=None)
    if container is None:
        # Which of several computed values it is, is more than arithmetic of literals.
        kind = Kind.WRITTEN if value.kind is Kind.WRITTEN else Kind.COMPUTED
        return value._replace(kind=kind, state=State.RUNNING, constant=None, template=None)
    if depth > _MAX_RUNNING:
        return Value(made_of(value), State.RUNNING)
    moving = copies.get(container)
    if moving is None:
        moving = copies[container] = Container(container.shape, keys=container.keys)
        for key, part in container.parts.items():
            moving.parts[key] = running(part, copies, depth + 1)
        if container.rest is not None:
            moving.rest = running(container.rest, copies, depth + 1)
        moving.methods, moving.fields = container.methods, container.fields
        moving.stands_for([container])
    return value._replace(container=moving, state=State.RUNNING, constant=None)
