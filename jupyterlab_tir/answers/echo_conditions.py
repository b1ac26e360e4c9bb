"""Following conditions: whether they choose a value, or only look at what was written down.

A loop's bare name that is compared with a literal counts to it; so does a conjunction of such. Any
other condition on what a loop goes through searches. A condition on values that were written down
chooses between two of them, and says nothing new of the one that it is about. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .echo_containers import joined
from .echo_elements import state_of
from .echo_values import (
    COMPUTED,
    COUNTED,
    FOLDED,
    UNREACHED,
    WRITTEN,
    Kind,
    State,
    Subjects,
    Value,
    is_settled_within,
    made_of,
)
from .known_methods import KnownMethods

_EQUALITY = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)


class Conditions(KnownMethods):
    """Evaluates conditions."""

    def choice(self, test: ast.expr, value: Value) -> Subjects | None:
        """Return what a condition is about if it chooses, None if it chooses nothing."""
        if self.is_idle(value):
            return None
        subjects: list[Value] = []
        names = _names_in(test)
        self.count(len(names))
        for name in dict.fromkeys(names):
            found = self.names.get(name)
            if found is not None and found.callee is not None:
                continue
            if found is None or made_of(found) is Kind.COMPUTED or not is_settled_within(found):
                return ()
            if made_of(found) is Kind.WRITTEN:
                subjects.append(found)
        return tuple(subjects)

    def refined(self, test: ast.expr) -> Iterator[tuple[str, Value]]:
        """Yield loops' names that equal a literal where a condition holds, and that literal."""
        match test:
            case ast.BoolOp(op=ast.And(), values=parts):
                for part in parts:
                    yield from self.refined(part)
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                for name, other in ((left, right), (right, left)):
                    if isinstance(name, ast.Name) and isinstance(other, ast.Constant | ast.Name):
                        moving, fixed = self.value(name), self.value(other)
                        counts = moving.state is State.RUNNING and moving.kind is not Kind.COMPUTED
                        if counts and fixed.kind is Kind.WRITTEN and fixed.state is State.KNOWN:
                            yield name.id, fixed

    def _on_boolop(self, node: ast.BoolOp) -> Value:
        values = [self.value(part) for part in node.values]
        if UNREACHED in values:
            return UNREACHED
        kind, state = max(map(made_of, values)), state_of(values)
        moving = [value for value in values if not value.is_settled]
        if isinstance(node.op, ast.Or) and len(moving) > 1:
            # One holds or the other: more than counting to both.
            return COMPUTED
        return Value(kind, state)

    def _on_compare(self, node: ast.Compare) -> Value:
        parts = [node.left, *node.comparators]
        values = [self.value(part) for part in parts]
        if UNREACHED in values:
            return UNREACHED
        moving = [at for at, value in enumerate(values) if not is_settled_within(value)]
        others = [value for at, value in enumerate(values) if at not in moving]
        kind = max(map(made_of, others), default=Kind.WRITTEN)
        if any(value.container is not None and value.container.grows for value in values):
            return COMPUTED
        if moving:
            # Only a loop's bare name beside what was written down is counting.
            at = moving[0]
            is_bare = isinstance(parts[at], ast.Name) and values[at].state is State.RUNNING
            # To be one of several is a choice among them.
            searches = any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
            searches = searches and not all(map(_holds_one, others))
            counts = is_bare and not searches and len(moving) == 1 and kind is Kind.WRITTEN
            return COUNTED if counts else COMPUTED
        if kind is not Kind.WRITTEN:
            return Value(kind)
        # What is the largest of several is computed; what is not negative is not.
        idle = all(isinstance(operator, _EQUALITY) for operator in node.ops) or any(
            isinstance(part, ast.Constant) for part in parts
        )
        return WRITTEN if idle else FOLDED

    def _on_ifexp(self, node: ast.IfExp) -> Value:
        test = self.value(node.test)
        chosen = self.choice(node.test, test)
        if chosen is not None:
            self.choices.append(())
        values = [self.value(node.body), self.value(node.orelse)]
        if chosen is not None:
            self.choices.pop()
        found = joined(values)
        if chosen is None or (found.state is State.KNOWN and found.kind is Kind.WRITTEN):
            # Both are the same, or one is not reached.
            return found
        return UNREACHED if found is UNREACHED else found._replace(kind=Kind.COMPUTED)


def _holds_one(value: Value) -> bool:
    if value.container is not None:
        return value.container.only is not None
    return isinstance(value.constant, str) and len(value.constant) <= 1


def _names_in(test: ast.expr) -> list[str]:
    """Return the names that a condition reads, those of what it calls left aside."""
    nodes = list(ast.walk(test))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return [node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called]
