"""Following conditions: whether they choose a value, or only look at what was written down.

A comparison is a computation: its result is computed, and so is what it chooses between. It says
nothing new of the value that it is about. A loop's bare name that is compared with an equal literal
counts to it; so does a conjunction of such. Any other condition on what a loop goes through
searches. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice

from .echo_containers import joined
from .echo_elements import state_of
from .echo_values import (
    COMPUTED,
    FOLDED,
    MATCHED,
    UNREACHED,
    WRITTEN,
    Kind,
    State,
    Subjects,
    Value,
    is_settled_within,
    is_subject,
    made_of,
)
from .known_methods import KnownMethods

_EQUALITY = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_MAX_ABOUT = 8


class Conditions(KnownMethods):
    """Evaluates conditions."""

    def choice(self, test: ast.expr, value: Value) -> Subjects | None:
        """Return what a condition is about if it chooses, None if it chooses nothing."""
        if self.is_idle(value):
            return None
        counts = made_of(value) is not Kind.COMPUTED and value.state is State.RUNNING
        subjects = [fixed for _, fixed in self.refined(test)] if counts else []
        names = _names_in(test)
        self.count(len(names))
        for name in dict.fromkeys(names):
            found = self.names.get(name)
            if found is not None and found.callee is not None:
                continue
            if found is None or made_of(found) is Kind.COMPUTED:
                return ()
            if not counts and not is_settled_within(found):
                return ()
            if counts or made_of(found) is Kind.WRITTEN:
                subjects.append(found)
            subjects += found.about
        return tuple(subjects)

    def _is_flag(self, test: ast.expr) -> bool:
        """Whether a condition is a name, or not a name, that no computed condition ever bound."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        found = self.names.get(test.id) if isinstance(test, ast.Name) else None
        return found is not None and found.container is None and made_of(found) is Kind.WRITTEN

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
        varied = [part for part in node.values if not isinstance(part, ast.Constant)]
        if kind is Kind.WRITTEN and len(varied) > 1:
            kind = Kind.FOLDED
        is_and = isinstance(node.op, ast.And)
        if is_and and self._says_last(node, values):
            return values[-1]
        return Value(kind, state, about=_about(values))

    def _says_last(self, node: ast.BoolOp, values: list[Value]) -> bool:
        """Whether a conjunction ends in the very value that its conditions are about."""
        if made_of(values[-1]) is not Kind.WRITTEN:
            return False
        tests = zip(node.values[:-1], values[:-1], strict=True)
        chosen = [self.choice(test, value) for test, value in tests]
        about = [subjects for subjects in chosen if subjects is not None]
        return bool(about) and all(is_subject(values[-1], subjects) for subjects in about)

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
            is_bare = is_bare and made_of(values[at]) is not Kind.COMPUTED
            # To be one of several is a choice among them.
            searches = any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
            searches = searches and not all(map(_holds_one, others))
            searches = searches or not all(isinstance(each, _EQUALITY) for each in node.ops)
            counts = is_bare and not searches and len(moving) == 1 and kind is Kind.WRITTEN
            return MATCHED if counts else COMPUTED
        if kind is Kind.COMPUTED:
            return COMPUTED
        return WRITTEN if _is_plain(node) else FOLDED._replace(about=self._compared(node))

    def _compared(self, node: ast.Compare) -> Subjects:
        return (self.choice(node, FOLDED) or ())[:_MAX_ABOUT]

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


def _about(values: Iterable[Value]) -> Subjects:
    return tuple(islice((each for value in values for each in value.about), _MAX_ABOUT))


def _is_plain(node: ast.Compare) -> bool:
    """Whether a comparison is that of a literal with itself, or asks how the code was started."""
    match node:
        case ast.Compare(
            left=ast.Constant(value=left),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=right)],
        ):
            return bool(left == right)
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node))


def _holds_one(value: Value) -> bool:
    if value.container is not None:
        return value.container.only is not None
    return isinstance(value.constant, str) and len(value.constant) <= 1


def _names_in(test: ast.expr) -> list[str]:
    """Return the names that a condition reads, those of what it calls left aside."""
    nodes = list(ast.walk(test))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return [node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called]
