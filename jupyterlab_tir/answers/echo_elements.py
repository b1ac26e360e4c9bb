"""Elements of values that are followed without running code: picking them, going through them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .echo_containers import Container, contained, counted_out, joined, running
from .echo_values import (
    COMPUTED,
    UNREACHED,
    Kind,
    Shape,
    State,
    Value,
    known,
    made_of,
)


def sequence(values: Iterable[Value]) -> Value:
    """Return a list of these."""
    return contained(Container(Shape.SEQUENCE, enumerate(values)))


def several(element: Value) -> Value:
    """Return a list of any number of such elements."""
    return contained(Container(Shape.SEQUENCE, rest=element))


def iterated(value: Value, copies: dict[Container, Container] | None = None) -> Value:
    """Return what a loop over a value has in hand: the only element, or one after the other."""
    if value is UNREACHED:
        return value
    if value.container is None:
        if isinstance(value.constant, str) and len(value.constant) == 1:
            return value
        return running(Value(value.kind))
    container = value.container
    if container.shape is Shape.MAPPING:
        elements = [
            *map(known, container.parts),
            *([] if container.keys is None else [container.keys]),
        ]
    else:
        elements = container.elements()
    if not elements:
        return COMPUTED
    found = (
        elements[0]
        if len(elements) == 1 and container.rest is None
        else running(joined(elements), copies)
    )
    return found if value.kind is Kind.WRITTEN else found._replace(kind=value.kind)


def state_of(values: Iterable[Value]) -> State:
    """Return how much is known of a value that is made of these."""
    states = {
        part.state
        for value in values
        for part in ([value] if value.container is None else [value, *value.container.elements()])
    }
    for state in (State.VARIES, State.RUNNING):
        if state in states:
            return state
    return State.FIXED


def looked_up(value: Value, key: Value) -> Value:
    """Return the element that code looks up, as unpacking does not.

    In two steps, or in each of what a loop goes through, it is computed.
    """
    if UNREACHED in (value, key) or is_one(value):
        return picked(value, key)
    if key.looked_up or value.state is State.RUNNING:
        return COMPUTED
    found = picked(value, key)
    return found._replace(looked_up=True) if made_of(found) is Kind.WRITTEN else found


def is_one(value: Value) -> bool:
    """Whether there is but one element to look up."""
    if value.container is not None:
        return value.container.only is not None
    return isinstance(value.constant, str) and len(value.constant) == 1


def picked(value: Value, key: Value) -> Value:
    """Return the element of a value that a key finds."""
    if value is UNREACHED or key is UNREACHED:
        return UNREACHED
    if value.kind is Kind.COMPUTED:
        return COMPUTED
    if value.container is not None:
        return value.container.get(key)
    if isinstance(value.constant, str) and key.state is State.KNOWN:
        at = key.constant
        if isinstance(at, int) and -len(value.constant) <= at < len(value.constant):
            return known(value.constant[at])
    if key.kind is not Kind.WRITTEN or not key.is_settled or value.state is State.VARIES:
        return COMPUTED
    return Value(value.kind, state_of([value, key]))


def sliced(value: Value, lower: Value | None, upper: Value | None, step: Value | None) -> Value:
    """Return a part of a text or list; in steps, or from an end that was computed, is computed."""
    bounds = [bound for bound in (lower, upper) if bound is not None]
    if value is UNREACHED or UNREACHED in bounds:
        return UNREACHED
    stepped = step is not None and step.constant is not None
    vary = any(bound.kind is not Kind.WRITTEN or not bound.is_settled for bound in bounds)
    vary = vary or (value.state is State.RUNNING and not is_one(value))
    if value.kind is not Kind.WRITTEN or stepped or vary:
        return COMPUTED
    start, stop = (None if end is None else end.constant for end in (lower, upper))
    are_known = all(isinstance(end, int | None) for end in (start, stop))
    if value.container is not None:
        return _part_of(value.container, start, stop) if are_known else several(iterated(value))
    if isinstance(value.constant, str) and are_known:
        ends = [end if isinstance(end, int) else None for end in (start, stop)]
        return known(value.constant[slice(*ends)])
    return Value(value.kind, state_of([value, *bounds]))


def _part_of(container: Container, start: object, stop: object) -> Value:
    if container.shape is not Shape.SEQUENCE or container.rest is not None or not container.parts:
        return several(joined(container.elements()) if container.elements() else COMPUTED)
    ends = [end if isinstance(end, int) else None for end in (start, stop)]
    return sequence(list(container.parts.values())[slice(*ends)])


def is_plain(value: Value) -> bool:
    """Whether it is a list of which every element is known by its place."""
    container = value.container
    return (
        container is not None
        and container.rest is None
        and container.shape is Shape.SEQUENCE
        and value.kind is Kind.WRITTEN
    )


def listed(operator: ast.operator, left: Value, right: Value) -> Value | None:
    """Return what an operator makes of lists, None where they are none."""
    if left.container is None or left.container.shape is not Shape.SEQUENCE:
        return None
    if isinstance(operator, ast.Mult) and left.container.elements():
        # What stands where in a pattern is counted.
        return several(counted_out(joined(left.container.elements())))
    if not isinstance(operator, ast.Add) or right.container is None:
        return None
    parts = [*left.container.elements(), *right.container.elements()]
    tracked = left.container.rest is None and right.container.rest is None
    return sequence(parts) if tracked else several(joined(parts))
