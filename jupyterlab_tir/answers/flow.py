"""Following values through statements: which were only written down, and what was shown.

An abstract run of code, in the order of the statements. Where paths meet, what was computed on one
of them counts as computed; what a computed condition decides is computed as well. Functions of the
code's own are followed into. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .echo_containers import joined, same
from .echo_elements import iterated, picked, sequence, several, state_of
from .echo_interpreter import Left, beyond, common, either_left
from .echo_names import Changes, Frame
from .echo_printing import Shown, either
from .echo_values import (
    COMPUTED,
    Kind,
    Shape,
    State,
    Value,
    known,
    made_of,
)
from .own_calls import OwnCalls

_MAX_PASSES = 5


class Flow(OwnCalls):
    """Runs cells one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._elements: dict[ast.AST, Value] = {}
        """What each loop had in hand."""

    def run_cell(self, body: list[ast.stmt]) -> Value | None:
        """Run a cell and return the value of its last expression, None without one."""
        self.shown = Shown()
        self.written_elsewhere = None
        last = body[-1] if body else None
        if not isinstance(last, ast.Expr):
            self.run(body)
            return None
        self.run(body[:-1])
        value = self.value(last.value)
        self.names.bind("_", value)
        return self.spelled(value)

    def run_failed_cell(self, body: list[ast.stmt]) -> None:
        """Run a cell that raised or was ended: each of its statements may have been its last.

        Its last statement did not come to its end, so that what it would have bound was not.
        """
        *done, last = body or [ast.Pass()]
        ends: dict[tuple[Frame, str], list[Value]] = {}
        self.forks += 1
        for statement in done:
            self._run_to_either_end([statement], ends)
        match last:
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                self.value(value)
            case _:
                self._run_to_either_end([last], ends)
        self.names.meet([{key: joined(values) for key, values in ends.items()}])
        self.forks -= 1

    def _run_to_either_end(
        self, body: list[ast.stmt], ends: dict[tuple[Frame, str], list[Value]]
    ) -> None:
        """Run statements, and add to what names may be bound to if the code ends here or there."""
        self.names.begin()
        self.run(body)
        changes = self.names.end()
        for (frame, name), value in changes.items():
            before = frame.names.get(name)
            ends.setdefault((frame, name), [] if before is None else [before]).append(value)
        self.names.meet([changes])

    def run(self, body: Sequence[ast.stmt]) -> Left:
        """Run statements; what follows a place that may have been left is chosen as well."""
        left: Left = {}
        if not self.enter():
            self.lost = True
            return left
        before = len(self.choices)
        for statement in body:
            self.count(1)
            found = self.method_for(statement)(statement)
            if isinstance(found, dict):
                left = either_left(left, found)
            del self.choices[before:]
            chosen = beyond(left)
            if chosen:
                self.choices.append(common(chosen))
            if self.lost or isinstance(statement, ast.Return | ast.Break | ast.Continue):
                break
        del self.choices[before:]
        self.leave()
        return left

    def bind(self, target: ast.expr, value: Value) -> None:
        """Bind a target to a value; where a computed condition leads here it counts as computed."""
        match target:
            case ast.Name(id=name):
                self.names.bind(name, self.settled(value))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._bind_parts(parts, value)
            case ast.Starred(value=inner):
                self.bind(inner, value)
            case ast.Subscript(value=owner, slice=place):
                key = COMPUTED if isinstance(place, ast.Slice) else self.value(place)
                self._put(owner, key, value, Shape.SEQUENCE)
            case ast.Attribute(value=owner, attr=name):
                self._put(owner, known(name), value, Shape.OBJECT)

    def _bind_parts(self, parts: Sequence[ast.expr], value: Value) -> None:
        starred = [at for at, part in enumerate(parts) if isinstance(part, ast.Starred)]
        behind = len(parts) - starred[0] - 1 if starred else 0
        for at, part in enumerate(parts):
            if not starred or at < starred[0]:
                found = picked(value, known(at))
            elif at > starred[0]:
                found = picked(value, known(at - len(parts)))
            elif (
                value.container is not None
                and value.container.rest is None
                and value.kind is Kind.WRITTEN
            ):
                inner = list(value.container.parts.values())
                found = sequence(inner[at : len(inner) - behind])
            else:
                found = several(iterated(value))
            if value.state is State.RUNNING and found.state is State.FIXED:
                found = found._replace(state=State.RUNNING)
            self.bind(part, found)

    def _put(self, owner: ast.expr, key: Value, value: Value, how: Shape) -> None:
        """Put a value into a part of something that has a name."""
        filled = self.value(owner)
        value = self.settled(value)
        container = filled.container
        if container is not None and (container.shape is Shape.OBJECT) == (how is Shape.OBJECT):
            container.grows = container.grows or self.loops > 0
            container.put(key, value, surely=not self.forks)
            return
        if filled.callee is None and max(made_of(value), made_of(key)) is not Kind.WRITTEN:
            self.spoil_root(owner)

    def _on_expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _on_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _on_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def _on_augassign(self, node: ast.AugAssign) -> None:
        before, value = self.value(node.target), self.value(node.value)
        container = before.container
        if (
            container is not None
            and container.shape is Shape.SEQUENCE
            and isinstance(node.op, ast.Add)
        ):
            parts = [iterated(value)] if value.container is None else value.container.elements()
            for part in parts:
                container.append(self.settled(part), surely=not self.forks)
        else:
            self.bind(node.target, self.binary(node.op, before, value))

    def _on_return(self, node: ast.Return) -> Left:
        value = known(None) if node.value is None else self.value(node.value)
        self.returned.append((value, self.chosen_since_call(value)))
        return self._leaving("return")

    def _on_break(self, _: ast.Break) -> Left:
        return self._leaving("break")

    def _on_continue(self, _: ast.Continue) -> Left:
        return self._leaving("continue")

    def _leaving(self, how: str) -> Left:
        subjects = self.inner_subjects()
        return {} if subjects is None else {how: subjects}

    def _on_if(self, node: ast.If) -> Left:
        test = self.value(node.test)
        subjects = self.choice(node.test, test)
        if subjects is None and not node.orelse and test.is_settled:
            return self.run(node.body)
        refined = list(self.refined(node.test))
        if subjects is not None:
            # One of two is chosen; one or nothing is no choice of what the condition is about.
            self.choices.append(() if node.orelse else subjects)
        left = self._branches([node.body, node.orelse], refined)
        if subjects is not None:
            self.choices.pop()
        return left

    def _on_match(self, node: ast.Match) -> Left:
        subject = self.value(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name is not None:
                    self.names.bind(part.name, Value(made_of(subject), state_of([subject])))
        # To compare is to choose, unless what is compared stands there.
        idle = self.is_idle(subject) and (
            len(node.cases) == 1 or isinstance(node.subject, ast.Constant)
        )
        if not idle:
            self.choices.append(())
        left = self._branches([case.body for case in node.cases], [])
        if not idle:
            self.choices.pop()
        return left

    def _branches(
        self, bodies: Sequence[list[ast.stmt]], refined: Sequence[tuple[str, Value]]
    ) -> Left:
        """Run each from here, and go on with what holds after every one of them."""
        before = self.shown
        after: list[Changes] = []
        shown: list[Shown] = []
        left: Left = {}
        for at, body in enumerate(bodies):
            self.shown = before
            found, changes = self._path(body, refined if at == 0 else ())
            left = either_left(left, found)
            after.append(changes)
            shown.append(self.shown)
        self.names.meet(after)
        self.shown = either(shown, before)
        return left

    def _path(
        self, body: Sequence[ast.stmt], refined: Sequence[tuple[str, Value]] = ()
    ) -> tuple[Left, Changes]:
        """Run statements that may be run or not."""
        self.forks += 1
        self.names.begin()
        before = {name: self.names.get(name) for name, _ in refined}
        for name, value in refined:
            self.names.bind(name, value)
        left = self.run(body)
        for name, value in refined:
            was = before[name]
            if was is not None and self.names.get(name) is value:
                self.names.bind(name, was)
        self.forks -= 1
        return left, self.names.end()

    def _on_for(self, node: ast.For | ast.AsyncFor) -> Left:
        over = self.value(node.iter)
        left = self._loop(node.body, lambda: self.bind(node.target, self._in_hand(node, over)))
        return self._after_loop(node.orelse, left)

    _on_asyncfor = _on_for

    def _in_hand(self, node: ast.For | ast.AsyncFor, over: Value) -> Value:
        """Return what a loop has in hand; if it is as before, the very same."""
        found, before = self.element(over), self._elements.get(node)
        if before is None or not same(before, found):
            self._elements[node] = before = found
        return before

    def _on_while(self, node: ast.While) -> Left:
        def begin() -> None:
            value = self.value(node.test)
            subjects = None if self._is_flag(node.test) else self.choice(node.test, value)
            if subjects is not None:
                self.choices.append(subjects)

        return self._after_loop(node.orelse, self._loop(node.body, begin))

    def _loop(self, body: list[ast.stmt], begin: Callable[[], None]) -> Left:
        """Run a loop's body until nothing changes any more."""
        left: Left = {}
        self.loops += 1
        self.forks += 1
        for attempt in range(_MAX_PASSES):
            known_left = dict(left)
            before = len(self.choices)
            self.names.begin()
            if left:
                # Which round is the last was chosen as well.
                self.choices.append(common(left))
            begin()
            left = either_left(left, self.run(body))
            del self.choices[before:]
            is_new = self.names.meet([self.names.end(), {}])
            if attempt and not is_new and left == known_left:
                break
        self.loops -= 1
        self.forks -= 1
        return left

    def _after_loop(self, orelse: list[ast.stmt], left: Left) -> Left:
        if not orelse:
            return {how: about for how, about in left.items() if how == "return"}
        if left:
            self.choices.append(())
        beyond = self.run(orelse)
        if left:
            self.choices.pop()
        return either_left({how: about for how, about in left.items() if how == "return"}, beyond)

    def _on_with(self, node: ast.With | ast.AsyncWith) -> Left:
        for item in node.items:
            self.value(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, COMPUTED)
        return self.run(node.body)

    _on_asyncwith = _on_with

    def _on_try(self, node: ast.Try) -> Left:
        before = self.shown
        left, changes = self._path([*node.body, *node.orelse])
        shown, after = self.shown, [changes]
        for handler in node.handlers:
            self.shown = before
            self.names.begin()
            self.names.meet([changes, {}])
            if handler.name is not None:
                self.names.bind(handler.name, COMPUTED)
            found, caught = self._path(handler.body)
            self.names.end()
            left = either_left(left, found)
            # What a handler shows is what should not happen.
            shown = self.shown if shown is before else shown
            after.append(caught)
        self.names.meet(after)
        self.shown = shown
        return either_left(left, self.run(node.finalbody))

    _on_trystar = _on_try

    def _on_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.bind(target, COMPUTED)
