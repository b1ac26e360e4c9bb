"""What an abstract run of code holds while it goes on, and how far it may go. Pure."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence

from .echo_containers import Container
from .echo_elements import iterated
from .echo_names import Names
from .echo_printing import Shown
from .echo_values import (
    COMPUTED_TEXT,
    UNREACHED,
    Kind,
    State,
    Subjects,
    Value,
    is_subject,
    known,
    made_of,
    texts,
)
from .own_code import Arguments, Callee, Own

_MAX_DEPTH = 90
_MAX_STEPS = 15_000
Left = dict[str, Subjects]
"""Of `return`, `break` and `continue`, those that a computed condition may have reached, and what
that condition was about."""


class Interpreter(ABC):
    """The state of a run; `written`, `known_calls`, `own_calls` and `flow` add the language."""

    def __init__(self) -> None:
        self.names = Names()
        self.names.bind("__name__", known("__main__"))
        self.shown = Shown()
        self.written_elsewhere: Value | None = None
        """What was written last to something that may or may not be the output."""
        self.lost = False
        """Whether the code was too much to be followed to its end."""
        self.choices: list[Subjects] = []
        """Of each computed condition that decides whether this place is reached, its subjects."""
        self.loops = 0
        """How many loops this place is in."""
        self.forks = 0
        """How many places back the code went one of several ways."""
        self.functions: dict[ast.AST, Own] = {}
        """Functions of the code's own that were not run."""
        self._depth = 0
        self._steps = 0

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """Evaluate an expression."""

    @abstractmethod
    def apply(self, callee: Callee | None, arguments: Arguments) -> Value:
        """Evaluate a call."""

    @abstractmethod
    def spelled(self, value: Value) -> Value:
        """Return what is printed for a value, which an object's own class may decide."""

    @abstractmethod
    def run(self, body: Sequence[ast.stmt]) -> Left:
        """Run statements; what follows a place that may have been left is chosen as well."""

    def enter(self, steps: int = 1) -> bool:
        """Go one level down in the code; false where it is too deep, or was too long so far."""
        self.count(steps)
        if self.lost or self._depth >= _MAX_DEPTH:
            return False
        self._depth += 1
        return True

    def count(self, steps: int) -> None:
        """Count what takes time."""
        self._steps += steps
        if self._steps > _MAX_STEPS:
            self.lost = True

    def leave(self) -> None:
        """Come back from one level down."""
        self._depth -= 1

    def element(self, value: Value) -> Value:
        """Return what a loop over a value has in hand."""
        copies: dict[Container, Container] = {}
        found = iterated(value, copies)
        joins = 0 if value.container is None else len(value.container.parts)
        self.count(2 * joins + sum(len(copy.parts) for copy in copies.values()))
        return found

    def settled(self, value: Value) -> Value:
        """Return what a value is here: computed, if a computed condition chose it."""
        if not self.choices or value is UNREACHED:
            return value
        if all(is_subject(value, subjects) for subjects in self.choices):
            return value
        return value._replace(kind=Kind.COMPUTED, state=State.FIXED, constant=None, template=None)

    def show(self, values: Sequence[Value], separator: str, end: str) -> None:
        """Print values."""
        values = [self.spelled(value) for value in values]
        text = separator.join(value.text for value in values)
        said = [*values, texts(text, Kind.WRITTEN)]
        if text.strip() and not all(_tells(values, said, subjects) for subjects in self.choices):
            text = COMPUTED_TEXT
        self.shown = self.shown.then(text + end)

    def is_idle(self, test: Value) -> bool:
        """Whether a condition only looks at what was written down, so that it chooses nothing."""
        return made_of(test) is Kind.WRITTEN and test.is_settled


def _tells(values: Sequence[Value], said: Sequence[Value], subjects: Subjects) -> bool:
    """Whether what is shown is only what a condition was about, with a label at most."""
    about = any(is_subject(value, subjects) for value in said)
    return about and all(value.is_settled or is_subject(value, subjects) for value in values)


def either_left(one: Left, other: Left) -> Left:
    """Return by what a place may have been left on one of two ways."""
    both = dict(one)
    for how, subjects in other.items():
        both[how] = subjects if both.get(how, subjects) == subjects else ()
    return both


def common(left: Left) -> Subjects:
    """Return what all conditions are about that may have left a place."""
    first, *others = left.values()
    return first if all(each == first for each in others) else ()


def beyond(left: Left) -> Left:
    """Return by what statements may have been left that changes what the next ones say.

    Who counts to a value and returns it has chosen nothing of what is returned without it.
    """
    return {
        how: subjects
        for how, subjects in left.items()
        if how != "return" or all(subject.is_settled for subject in subjects)
    }
