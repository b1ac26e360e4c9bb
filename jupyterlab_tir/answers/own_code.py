"""What a call may run: functions and classes of the code's own, and those of libraries. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .echo_containers import joined
from .echo_values import (
    Value,
)

if TYPE_CHECKING:
    from .echo_names import Frame


class Arguments(NamedTuple):
    """What a call is given.

    Parameters
    ----------
    places, words
        The values by position and by keyword.
    others
        What may stand in any place, as of ``*values``; None if there is no such thing.
    """

    places: Sequence[Value] = ()
    words: dict[str, Value] = {}  # noqa: RUF012 - is never changed
    others: Value | None = None

    def values(self) -> list[Value]:
        """All that is given."""
        others = [] if self.others is None else [self.others]
        return [*self.places, *self.words.values(), *others]

    def behind(self, first: Arguments) -> Arguments:
        """Put others before these, as a method does with its object."""
        others = [each for each in (first.others, self.others) if each is not None]
        return Arguments(
            [*first.places, *self.places],
            first.words | self.words,
            joined(others) if others else None,
        )

    @property
    def only(self) -> Value | None:
        """The value, if it is the only one."""
        values = self.values()
        return values[0] if len(values) == 1 and self.others is None else None


class Known(NamedTuple):
    """A function, class or module that the code did not make, by its name."""

    name: str


class Method:
    """A method of something that is no object of the code's own classes."""

    def __init__(self, name: str, receiver: Value) -> None:
        self.name = name
        self.receiver = receiver


class Own:
    """A function of the code's own: a list of statements, or the expression of a lambda."""

    def __init__(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, frame: Frame
    ) -> None:
        self.name = node
        self.arguments = node.args
        self.body = node.body
        self.frame = frame
        self.generates = not isinstance(node, ast.Lambda) and _generates(node.body)
        self.defaults: dict[str, Value] = {}


class OwnClass:
    """A class of the code's own, or a named tuple."""

    def __init__(self, name: str, methods: dict[str, Own], fields: dict[str, Value | None]) -> None:
        self.name = name
        self.methods = methods
        self.fields = fields
        """Of a data class or named tuple, in order, and their defaults."""
        self.is_tuple = False


class Bound:
    """Something that is called with these arguments before others."""

    def __init__(self, callee: Callee, arguments: Arguments) -> None:
        self.name: object = callee.name
        self.callee = callee
        self.before = arguments


Callee = Known | Method | Own | OwnClass | Bound


def _generates(body: Sequence[ast.AST]) -> bool:
    """Whether statements yield, those of inner functions left aside."""
    left: list[ast.AST] = list(body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            left.extend(ast.iter_child_nodes(node))
    return False
