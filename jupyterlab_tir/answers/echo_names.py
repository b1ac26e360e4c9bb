"""Names of code that is followed without running it: frames, and what holds where paths meet.

Only what a path changes is kept, so that many paths through many names stay cheap. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from .echo_containers import joined, same
from .echo_values import (
    Value,
)


class Frame:
    """Names of one call, or of the module."""

    def __init__(self, around: Frame | None) -> None:
        self.around = around
        self.names: dict[str, Value] = {}
        self.elsewhere: dict[str, Frame] = {}
        """Names that were declared global or nonlocal, and whose they are."""

    def find(self, name: str) -> Frame | None:
        """Return the frame that a name is read from."""
        frame: Frame | None = self.elsewhere.get(name, self)
        while frame is not None and name not in frame.names:
            frame = frame.around
        return frame


_Key = tuple[Frame, str]
Changes = dict[_Key, Value]
"""What names are bound to at the end of a path that bound them."""


class Names:
    """Binds and finds names."""

    def __init__(self) -> None:
        self.module = Frame(None)
        self.frame = self.module
        self._before: list[dict[_Key, Value | None]] = []

    def get(self, name: str) -> Value | None:
        """Return the value of a name, None if the code did not bind it."""
        frame = self.frame.find(name)
        return None if frame is None else frame.names[name]

    def bind(self, name: str, value: Value) -> None:
        """Bind a name in the present frame, or where it was declared to be."""
        self._set((self.frame.elsewhere.get(name, self.frame), name), value)

    def declare(self, name: str, *, of_module: bool) -> None:
        """Say that a name is the module's, or an enclosing function's."""
        owner = self.module
        if not of_module and self.frame.around is not None:
            owner = self.frame.around.find(name) or self.frame.around
        self.frame.elsewhere[name] = owner

    def _set(self, key: _Key, value: Value | None) -> None:
        frame, name = key
        if self._before:
            self._before[-1].setdefault(key, frame.names.get(name))
        if value is None:
            frame.names.pop(name, None)
        else:
            frame.names[name] = value

    def begin(self) -> None:
        """Begin a path that may be taken or not."""
        self._before.append({})

    def end(self) -> Changes:
        """End the path: say what it changed, and go back to where it began."""
        before = self._before.pop()
        changes = {key: key[0].names[key[1]] for key in before if key[1] in key[0].names}
        for (frame, name), value in before.items():
            if value is None:
                frame.names.pop(name, None)
            else:
                frame.names[name] = value
        return changes

    def meet(self, paths: Sequence[Changes]) -> bool:
        """Go on with what holds after one of these paths, and say whether it is anything new.

        A name that only some of them bind is what those say.
        """
        found: dict[_Key, list[Value]] = {}
        for path in paths:
            for key, value in path.items():
                found.setdefault(key, []).append(value)
        changed = False
        for key, values in found.items():
            before = key[0].names.get(key[1])
            if len(values) < len(paths) and before is not None:
                values.insert(0, before)
            value = joined(values)
            if before is None or not same(before, value):
                changed = True
                self._set(key, value)
        return changed
