"""Telling a computed value from one that was only written down.

A sample whose last cell shows a literal, or a name bound only to literals, verified nothing: its
code is an echo of what the model already believed. Found on the syntax tree; nothing runs.

Limits. Arithmetic of literals counts as computation, and so does any call of a function on them
other than conversions, so `42 + 0` is not seen through. Bindings are collected without regard to
scope or order: a name that is anywhere bound to something computed counts as computed, even if a
literal was bound to it last. A literal that a computed condition chooses ("Yes" or "No") is
computed. Values that travel through `exec`, `globals()`, `_` or a file are
not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from .syntax import parse_quietly

_CONVERSIONS = frozenset(
    [
        "int",
        "float",
        "complex",
        "str",
        "repr",
        "bool",
        "bytes",
        "tuple",
        "list",
        "set",
        "frozenset",
        "dict",
        "abs",
        "format",
        "ascii",
        "round",
        "Fraction",
        "Decimal",
        "Integer",
        "Rational",
        "Float",
        "sympify",
        "S",
        "mpf",
        "mpz",
        "N",
        "nsimplify",
        "simplify",
        "array",
        "asarray",
        "int64",
        "float64",
        "display",
        "Latex",
        "Markdown",
        "Math",
    ],
)
_EVALUATORS = frozenset(
    {"eval", "literal_eval", "sympify", "S", "parse_expr", "Integer", "int", "float"}
)
_STRING_METHODS = frozenset(
    [
        "strip",
        "lstrip",
        "rstrip",
        "format",
        "lower",
        "upper",
        "title",
        "replace",
        "join",
        "encode",
        "decode",
        "item",
        "tolist",
    ],
)
_SHOWING = frozenset({"print", "display", "pprint"})
_MUTABLE = (ast.List, ast.Dict, ast.Set)
_MAX_DEPTH = 50
_MAX_STEPS = 20_000


def is_echo(cells: Sequence[str]) -> bool:
    """Whether the value that the last cell shows is only a literal.

    Parameters
    ----------
    cells
        A sample's cells, in the order in which they ran. Shown is the last cell's last
        expression, or what its last `print` prints.

    Returns
    -------
    bool
        True too if the last cell shows nothing or does not parse: then nothing was computed.

    >>> is_echo(["x = 42", "print(x)"]), is_echo(["print(6 * 7)"])
    (True, False)
    """
    if not cells:
        return True
    last = parse_quietly(cells[-1])
    if last is None:
        return True
    earlier = [tree for cell in cells[:-1] if (tree := parse_quietly(cell)) is not None]
    bindings = _Bindings([*earlier, last])
    shown = _shown(last.body)
    if isinstance(shown, ast.Call) and isinstance(shown.func, ast.Name):
        # main() that prints: what it prints is shown.
        for body in bindings.bodies.get(shown.func.id, []):
            printed = _shown(body) if not _returns_value(body) else None
            shown = printed or shown
    return shown is None or (not bindings.is_chosen(shown) and bindings.is_literal(shown))


def _shown(body: list[ast.stmt]) -> ast.expr | None:
    """The expression whose value a body shows last, a `print` call as a whole."""
    if body and isinstance(body[-1], ast.Expr):
        return body[-1].value
    for statement in reversed(body):
        calls = [node for node in ast.walk(statement) if _is_showing(node)]
        if calls and not isinstance(
            statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
        ):
            return max(calls, key=lambda call: (call.lineno, call.col_offset))
    return None


def _is_showing(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SHOWING
    )


def _returns_value(body: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Return) and node.value
        for statement in body
        for node in ast.walk(statement)
    )


class _Bindings:
    """All bindings of all names in some cells, and what is literal by them."""

    def __init__(self, trees: Sequence[ast.Module]) -> None:
        self.values: dict[str, list[ast.expr]] = {}
        self.computed: set[str] = set()
        self.bodies: dict[str, list[list[ast.stmt]]] = {}
        self._handed: set[str] = set()
        self._tests: dict[int, list[ast.expr]] = {}
        self._steps = 0
        self._known: dict[str, bool] = {}
        for tree in trees:
            for node in ast.walk(tree):
                self._collect(node)
                self._collect_tests(node)

    def _collect(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if node.value is not None:
                self._bind(node.target, node.value)
        elif isinstance(node, ast.FunctionDef):
            self.bodies.setdefault(node.name, []).append(node.body)
            self.computed.update(argument.arg for argument in _arguments(node.args))
        elif isinstance(node, ast.Lambda):
            self.computed.update(argument.arg for argument in _arguments(node.args))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self.computed.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Call):
            self._touch_by_call(node)
        else:
            self._collect_targets(node)

    def _collect_tests(self, node: ast.AST) -> None:
        if isinstance(node, ast.If | ast.While):
            for statement in [*node.body, *node.orelse]:
                for inner in ast.walk(statement):
                    self._tests.setdefault(id(inner), []).append(node.test)

    def _collect_targets(self, node: ast.AST) -> None:
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension | ast.AugAssign):
            self._compute(node.target)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._compute(item.optional_vars)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._compute(target)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            if len(target.elts) == len(value.elts):
                for part, part_value in zip(target.elts, value.elts, strict=True):
                    self._bind(part, part_value)
            else:
                self._compute(target)
        else:
            self._compute(target)

    def _compute(self, target: ast.expr) -> None:
        """Everything that the target names has a value that came from somewhere else."""
        self.computed.update(node.id for node in ast.walk(target) if isinstance(node, ast.Name))

    def _touch_by_call(self, call: ast.Call) -> None:
        """A list or dict that is handed to a function, or whose method is called, may be filled."""
        handed: list[ast.expr] = [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(call.func, ast.Name) and call.func.id in _SHOWING | _CONVERSIONS:
            handed = []
        if isinstance(call.func, ast.Attribute):
            handed.append(call.func.value)
        for expression in handed:
            if isinstance(expression, ast.Name):
                self._handed.add(expression.id)

    def is_chosen(self, node: ast.expr) -> bool:
        """Whether a computed condition decides if the expression is reached ("Yes" or "No")."""
        return not all(self._is_idle(test) for test in self._tests.get(id(node), []))

    def _is_idle(self, test: ast.expr) -> bool:
        if isinstance(test, ast.Compare):
            return all(map(self._is_idle, [test.left, *test.comparators]))
        return (isinstance(test, ast.Name) and test.id == "__name__") or self.is_literal(test)

    def is_literal(self, node: ast.expr, depth: int = 0) -> bool:
        """Whether the value of an expression was only written down."""
        self._steps += 1
        if depth > _MAX_DEPTH or self._steps > _MAX_STEPS:
            return False
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return self._is_literal_name(node.id, depth)
        if isinstance(node, ast.Call):
            return self._is_literal_call(node, depth)
        if isinstance(node, ast.BinOp):
            # "4" + "2" and "%d" % 42 put text together; numbers are computed.
            text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            joins = text and isinstance(node.op, ast.Add | ast.Mod)
            return joins and self.is_literal(node.right, depth + 1)
        parts = _parts(node)
        return parts is not None and all(self.is_literal(part, depth + 1) for part in parts)

    def _is_literal_name(self, name: str, depth: int) -> bool:
        if name in self.computed or name in self.bodies or not self.values.get(name):
            return False
        if name in self._handed and any(isinstance(value, _MUTABLE) for value in self.values[name]):
            return False
        if len(self.values[name]) > 1 and any(map(self.is_chosen, self.values[name])):
            return False
        if name not in self._known:
            # A name that is bound through itself adds nothing to its own value.
            self._known[name] = True
            self._known[name] = all(
                self.is_literal(value, depth + 1) for value in self.values[name]
            )
        return self._known[name]

    def _is_literal_call(self, call: ast.Call, depth: int) -> bool:
        arguments = [
            *call.args,
            *(k.value for k in call.keywords if k.arg not in {"sep", "end", "file", "flush"}),
        ]
        name = _called(call)
        if name in self.bodies and isinstance(call.func, ast.Name):
            return not arguments and all(
                self._returns_literal(body, depth) for body in self.bodies[name]
            )
        if name in _EVALUATORS and len(arguments) == 1:
            written = arguments[0]
            if isinstance(written, ast.Constant) and isinstance(written.value, str):
                tree = parse_quietly(written.value.strip())
                inner = tree.body[0] if tree is not None and len(tree.body) == 1 else None
                return not isinstance(inner, ast.Expr) or self.is_literal(inner.value, depth + 1)
        if isinstance(call.func, ast.Attribute) and name in _STRING_METHODS:
            arguments = [call.func.value, *arguments]
        elif name not in _CONVERSIONS and name not in _SHOWING:
            return False
        return all(self.is_literal(argument, depth + 1) for argument in arguments)

    def _returns_literal(self, body: list[ast.stmt], depth: int) -> bool:
        returns = [
            node
            for statement in body
            for node in ast.walk(statement)
            if isinstance(node, ast.Return)
        ]
        return len(returns) == 1 and all(
            r.value is None or self.is_literal(r.value, depth + 1) for r in returns
        )


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    yield from (extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """Expressions that the value of a compound literal consists of; None if it is computed."""
    match node:
        case ast.Tuple() | ast.List() | ast.Set():
            parts = node.elts
        case ast.Dict():
            parts = [*(key for key in node.keys if key is not None), *node.values]
        case ast.JoinedStr():
            parts = node.values
        case ast.Subscript():
            parts = [node.value, node.slice]
        case ast.IfExp():
            parts = [node.test, node.body, node.orelse]
        case ast.Slice():
            parts = [part for part in (node.lower, node.upper, node.step) if part is not None]
        case ast.UnaryOp():
            parts = [node.operand]
        case ast.FormattedValue() | ast.Starred() | ast.NamedExpr() | ast.Attribute():
            parts = [node.value]
        case _:
            return None
    return parts
