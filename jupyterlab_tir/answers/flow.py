"""Following values through statements: which names were only written down, and what was shown.

An abstract run of code: each name is either only written down or computed, in the order of the
statements. Where paths meet, what was computed on one of them counts as computed; what a computed
condition decides is computed as well. Functions of the code's own are followed into. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .written import Function, Values

_MAX_PASSES = 5
_MAX_CALLS = 10

Left = set[str]
"""Of `return`, `break` and `continue`, those that a computed condition may have reached."""


class Flow(Values):
    """Runs cells one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._returned: list[bool] = []
        self._locals: set[str] = set()
        self._shared: set[str] = set()
        self._active: list[Function] = []

    def run_cell(self, body: list[ast.stmt]) -> tuple[bool | None, bool | None]:
        """Run a cell.

        Returns
        -------
        tuple of bool or None
            Whether the value of its last expression was only written down, None without one; and
            the same of what it showed last.
        """
        self.shown = None
        last = body[-1] if body else None
        if not isinstance(last, ast.Expr):
            self.run(body)
            return None, self.shown
        self.run(body[:-1])
        value = self.written(last.value)
        self.names["_"] = value
        return value, self.shown

    def run(self, body: list[ast.stmt]) -> Left:
        """Run statements; what follows a place that may have been left is chosen as well."""
        left: Left = set()
        if not self.enter():
            self.lost = True
            return left
        before = self.chosen
        for statement in body:
            found = self.method_for(statement)(statement)
            left |= found if isinstance(found, set) else set()
            self.chosen = before + bool(left)
            if self.lost or isinstance(statement, ast.Return | ast.Break | ast.Continue):
                break
        self.chosen = before
        self.leave()
        return left

    def bind(self, target: ast.expr, value: ast.expr | None, *, written: bool) -> None:
        """Bind a target to a value; where a computed condition leads here it counts as computed."""
        written = written and not self.chosen
        match target:
            case ast.Name(id=name):
                self.names[name] = written
                self._locals.add(name)
                self.modules.discard(name)
                self.functions.pop(name, None)
                if isinstance(value, ast.Lambda):
                    self.functions[name] = Function(value.args, value.body)
                (self.mutable.add if self.is_mutable(value) else self.mutable.discard)(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._bind_parts(parts, value, written=written)
            case ast.Starred(value=inner):
                self.bind(inner, None, written=written)
            case ast.Subscript() | ast.Attribute():
                self._fill(target, written=written)

    def _bind_parts(
        self, parts: Sequence[ast.expr], value: ast.expr | None, *, written: bool
    ) -> None:
        values: Sequence[ast.expr | None] = [None] * len(parts)
        each = [written] * len(parts)
        fits = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parts)
        if isinstance(value, ast.Tuple | ast.List) and fits:
            values = value.elts
            # All of them before any is bound: a, b = b, a.
            each = [self.written(part) for part in value.elts]
        for part, part_value, part_written in zip(parts, values, each, strict=True):
            self.bind(part, part_value, written=part_written)

    def _fill(self, target: ast.expr, *, written: bool) -> None:
        """Put a value into a part of something that has a name."""
        while isinstance(target, ast.Subscript | ast.Attribute):
            if isinstance(target, ast.Subscript):
                written = self.written(target.slice) and written
            target = target.value
        if isinstance(target, ast.Name):
            self.names[target.id] = self.names.get(target.id, False) and written

    def call_function(self, function: Function, call: ast.Call, *, method: bool) -> bool:
        """Run the function's body with its parameters bound to what was written or computed."""
        given = self._parameters(function.arguments, call, method=method)
        if function.generates or function in self._active or len(self._active) >= _MAX_CALLS:
            return False
        outer = self.names, self._locals, self._shared, self._returned
        self.names, self._locals = outer[0] | given, set(given)
        self._shared, self._returned = set(), []
        self._active.append(function)
        if isinstance(function.body, ast.expr):
            written = self.written(function.body)
        else:
            self.run(function.body)
            written = all(self._returned)
        self._active.pop()
        inner, own, shared = self.names, self._locals - self._shared, self._shared
        self.names, self._locals, self._shared, self._returned = outer
        # What it filled or declared global is changed outside as well.
        self.names.update(
            {
                name: value
                for name, value in inner.items()
                if name not in own and (name in self.names or name in shared)
            }
        )
        return written

    def _parameters(
        self, wanted: ast.arguments, call: ast.Call, *, method: bool
    ) -> dict[str, bool]:
        places = [*wanted.posonlyargs, *wanted.args]
        given = {each.arg: False for each in (wanted.vararg, wanted.kwarg) if each is not None}
        given |= {each.arg: False for each in [*places, *wanted.kwonlyargs]}
        for each, default in zip(reversed(places), reversed(wanted.defaults), strict=False):
            given[each.arg] = self.written(default)
        for each, value in zip(wanted.kwonlyargs, wanted.kw_defaults, strict=True):
            given[each.arg] = value is not None and self.written(value)
        written = [(argument, self.written(argument)) for argument in call.args]
        if not any(isinstance(argument, ast.Starred) for argument, _ in written):
            names = [each.arg for each in places][method:]
            given |= {name: value for name, (_, value) in zip(names, written, strict=False)}
        for word in call.keywords:
            value_written = self.written(word.value)
            if word.arg in given:
                given[word.arg] = value_written
        return given

    def _on_expr(self, node: ast.Expr) -> None:
        self.written(node.value)

    def _on_assign(self, node: ast.Assign) -> None:
        written = self.written(node.value)
        for target in node.targets:
            self.bind(target, node.value, written=written)

    def _on_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, node.value, written=self.written(node.value))

    def _on_augassign(self, node: ast.AugAssign) -> None:
        # s += "2" puts text together; numbers are computed.
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        text = text or isinstance(node.value, ast.JoinedStr | ast.List)
        written = self.all_written([node.value, node.target]) and text
        self.bind(node.target, node.target, written=written)

    def _on_return(self, node: ast.Return) -> Left:
        written = node.value is None or self.written(node.value)
        self._returned.append(written and not self.chosen)
        return {"return"} if self.chosen else set()

    def _on_break(self, _: ast.Break) -> Left:
        return {"break"} if self.chosen else set()

    def _on_continue(self, _: ast.Continue) -> Left:
        return {"continue"} if self.chosen else set()

    def _on_if(self, node: ast.If) -> Left:
        idle = self.written(node.test)
        if idle and not node.orelse:
            return self.run(node.body)
        self.chosen += not idle
        left = self._branches([node.body, node.orelse])
        self.chosen -= not idle
        return left

    def _on_match(self, node: ast.Match) -> Left:
        idle = self.written(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name is not None:
                    self.names[part.name] = idle
        self.chosen += not idle
        left = self._branches([case.body for case in node.cases])
        self.chosen -= not idle
        return left

    def _branches(self, bodies: Sequence[list[ast.stmt]]) -> Left:
        """Run each from here, and go on with what holds after every one of them."""
        before, shown_before = self.names, self.shown
        after: list[dict[str, bool]] = []
        shown: list[bool] = []
        left: Left = set()
        for body in bodies:
            self.names = dict(before)
            found, shows = self._shown_by(body)
            left |= found
            after.append(self.names)
            if shows is not None:
                shown.append(shows)
        self.names = _met(*after)
        self.shown = all(shown) if shown else shown_before
        return left

    def _shown_by(self, body: list[ast.stmt]) -> tuple[Left, bool | None]:
        """Run statements and say what they showed last, if anything."""
        self.shown = None
        return self.run(body), self.shown

    def _on_for(self, node: ast.For | ast.AsyncFor) -> Left:
        over = self.written(node.iter)
        left = self._loop(node.body, lambda: self.bind(node.target, None, written=over))
        return self._after_loop(node.orelse, left)

    _on_asyncfor = _on_for

    def _on_while(self, node: ast.While) -> Left:
        chosen = 0

        def test() -> None:
            nonlocal chosen
            self.chosen -= chosen
            chosen = int(not self.written(node.test))
            self.chosen += chosen

        left = self._loop(node.body, test)
        self.chosen -= chosen
        return self._after_loop(node.orelse, left)

    def _loop(self, body: list[ast.stmt], begin: Callable[[], None]) -> Left:
        """Run a loop's body until nothing changes any more."""
        left: Left = set()
        for _ in range(_MAX_PASSES):
            before, known = dict(self.names), set(left)
            # Which round is the last was chosen as well.
            self.chosen += bool(left)
            begin()
            left |= self.run(body)
            self.chosen -= bool(known)
            self.names = _met(before, self.names)
            if self.names == before and left == known:
                break
        return left

    def _after_loop(self, orelse: list[ast.stmt], left: Left) -> Left:
        self.chosen += bool(left)
        beyond = self.run(orelse)
        self.chosen -= bool(left)
        return (left & {"return"}) | beyond

    def _on_with(self, node: ast.With | ast.AsyncWith) -> Left:
        for item in node.items:
            self.written(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, None, written=False)
        return self.run(node.body)

    _on_asyncwith = _on_with

    def _on_try(self, node: ast.Try) -> Left:
        before, shown_before = dict(self.names), self.shown
        left, shown = self._shown_by([*node.body, *node.orelse])
        after = [self.names]
        for handler in node.handlers:
            self.names = _met(before, after[0])
            if handler.name is not None:
                self.names[handler.name] = False
            found, shows = self._shown_by(handler.body)
            left |= found
            # What a handler shows is what should not happen.
            shown = shows if shown is None else shown
            after.append(self.names)
        self.names = _met(*after)
        self.shown = shown_before if shown is None else shown
        return left | self.run(node.finalbody)

    _on_trystar = _on_try

    def _on_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(ast.Name(node.name), None, written=False)
        self.functions[node.name] = _function(node)

    _on_asyncfunctiondef = _on_functiondef

    def _on_classdef(self, node: ast.ClassDef) -> None:
        self.bind(ast.Name(node.name), None, written=False)
        for part in node.body:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                self.methods[part.name] = _function(part)

    def _on_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = (alias.asname or alias.name).split(".")[0]
            self.bind(ast.Name(name), None, written=False)
            self.modules.add(name)

    _on_importfrom = _on_import

    def _on_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.bind(target, None, written=False)

    def _on_global(self, node: ast.Global | ast.Nonlocal) -> None:
        self._shared.update(node.names)

    _on_nonlocal = _on_global


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
    generates = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
    return Function(node.args, node.body, generates)


def _met(*paths: dict[str, bool]) -> dict[str, bool]:
    """What holds where paths meet; a name that only some of them bind is what those say."""
    met: dict[str, bool] = {}
    for path in paths:
        for name, written in path.items():
            met[name] = met.get(name, True) and written
    return met
