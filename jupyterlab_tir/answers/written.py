"""Whether an expression's value was only written down, given what is known of names. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .syntax import parse_quietly


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CONVERSIONS = _words("""
    int float complex str repr bool bytes tuple list set frozenset dict abs format ascii round
    floor ceil trunc iter next reversed range enumerate zip
    Fraction Decimal Integer Rational Float sympify S mpf mpz N nsimplify simplify
    array asarray int64 float64 loads display Latex Markdown Math
""")
"""Functions that give back what they are given, in another form, in parts, or counted out."""

OF_ONE = _words("max min sum prod sorted mean median fsum gcd lcm")
"""Functions that give a single number back as it is."""

METHODS = _words("""
    strip lstrip rstrip format lower upper title replace join encode decode split splitlines zfill
    ljust rjust center removeprefix removesuffix item tolist get pop keys values items copy
    evalf n simplify doit limit_denominator
""")
"""Methods that give back what they are called on, in another form or in parts."""

FILLING = _words("append extend insert add update setdefault appendleft")
"""Methods that put what they are given into what they are called on."""

EVALUATORS = _words("eval exec literal_eval sympify S parse_expr Integer int float loads")
SHOWING = _words("print display pprint")
_PRINT_OPTIONS = _words("sep end file flush")
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_SAYS_NUMBER = re.compile(r"(?:[=:≈→]|->|\b(?:is|are|be|equals?)\b)\s*[-+$(\[{\\]*(?:boxed\{)?\d")
_COMPUTED = "\0"
_EQUALITY = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_MAX_DEPTH = 50
_MAX_STEPS = 20_000


class Function(NamedTuple):
    """A function of the code's own: a list of statements, or the expression of a lambda."""

    arguments: ast.arguments
    body: list[ast.stmt] | ast.expr
    generates: bool = False


class Values:
    """Follows expressions: what each was made of, and what it shows, binds and fills.

    `Flow` adds the statements. `written` is true for values that were only written down.
    """

    def __init__(self) -> None:
        self.names: dict[str, bool] = {"__name__": True}
        self.shown: bool | None = None
        """Whether what was shown last was only written down; None where nothing was shown."""
        self.lost = False
        """Whether the code was too much to be followed to its end."""
        self.chosen = 0
        """How many computed conditions decide whether this place is reached."""
        self.functions: dict[str, Function] = {}
        self.methods: dict[str, Function] = {}
        self.modules: set[str] = set()
        self.mutable: set[str] = set()
        self._depth = 0
        self._steps = 0

    def written(self, node: ast.expr) -> bool:
        """Evaluate an expression; what is too deep or takes too long counts as computed."""
        if not self.enter():
            return False
        try:
            return bool(self.method_for(node)(node))
        finally:
            self.leave()

    def enter(self) -> bool:
        """Go one level down in the code; false where it is too deep, or was too long so far."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            self.lost = True
        if self.lost or self._depth >= _MAX_DEPTH:
            return False
        self._depth += 1
        return True

    def leave(self) -> None:
        """Come back from one level down."""
        self._depth -= 1

    def all_written(self, nodes: Iterable[ast.expr | None]) -> bool:
        """Evaluate all of them, whatever the first are."""
        return False not in [self.written(node) for node in nodes if node is not None]

    def is_mutable(self, value: ast.expr | None) -> bool:
        """Whether a value can be filled later."""
        if isinstance(value, ast.Name):
            return value.id in self.mutable
        if isinstance(value, ast.Call):
            return called(value) in {"list", "dict", "set", "array", "asarray"}
        return isinstance(value, _MUTABLE)

    def bind(self, target: ast.expr, value: ast.expr | None, *, written: bool) -> None:
        """Bind what a target names; `Flow` does."""
        raise NotImplementedError

    def call_function(self, function: Function, call: ast.Call, *, method: bool) -> bool:
        """Evaluate a call of a function of the code's own; `Flow` does."""
        raise NotImplementedError

    def run(self, body: list[ast.stmt]) -> set[str]:
        """Run statements; `Flow` does."""
        raise NotImplementedError

    def method_for(self, node: ast.AST) -> Callable[[ast.AST], bool | set[str] | None]:
        """Return the method for this kind of node; expressions give whether they are written."""
        name = f"_on_{type(node).__name__.lower()}"
        found: Callable[[ast.AST], bool | set[str] | None] = getattr(self, name, self._on_other)
        return found

    def _on_other(self, node: ast.AST) -> bool:
        """Evaluate what else there is for what it does; its value counts as computed."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.written(child)
        return False

    def _on_constant(self, _: ast.Constant) -> bool:
        return True

    def _on_name(self, node: ast.Name) -> bool:
        return self.names.get(node.id, False)

    def _on_lambda(self, _: ast.Lambda) -> bool:
        return False

    def _on_namedexpr(self, node: ast.NamedExpr) -> bool:
        written = self.written(node.value)
        self.bind(node.target, node.value, written=written)
        return written

    def _on_binop(self, node: ast.BinOp) -> bool:
        # "4" + "2" and "%d" % 42 put text together; numbers are computed.
        joins = isinstance(node.op, ast.Add | ast.Mod) and _is_joined(node)
        return self.all_written([node.left, node.right]) and joins

    def _on_parts(self, node: ast.AST) -> bool:
        return self.all_written(
            child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)
        )

    _on_boolop = _on_unaryop = _on_ifexp = _on_parts
    _on_tuple = _on_list = _on_set = _on_dict = _on_parts
    _on_subscript = _on_slice = _on_starred = _on_attribute = _on_await = _on_parts
    _on_joinedstr = _on_formattedvalue = _on_parts

    def _on_compare(self, node: ast.Compare) -> bool:
        # What is the largest of several is computed; what is not negative is not.
        parts = [node.left, *node.comparators]
        idle = all(isinstance(operator, _EQUALITY) for operator in node.ops) or any(
            isinstance(part, ast.Constant) for part in parts
        )
        return self.all_written(parts) and idle

    def _on_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> bool:
        outer = self.names
        self.names = dict(outer)
        chosen = 0
        for part in node.generators:
            self.bind(part.target, None, written=self.written(part.iter))
            chosen += not self.all_written(part.ifs)
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        written = self.all_written(elements)
        self.names = outer
        return written and not chosen

    _on_listcomp = _on_setcomp = _on_generatorexp = _on_dictcomp = _on_comprehension

    def _on_call(self, call: ast.Call) -> bool:
        function = self._function_of(call)
        if function is None:
            return self._call_other(call)
        written = self.call_function(function[0], call, method=function[1])
        self._fill_what_is_handed(call)
        return written

    def _call_other(self, call: ast.Call) -> bool:
        name = called(call)
        arguments = [node for node in _arguments_of(call) if not isinstance(node, ast.Lambda)]
        written = self.all_written(arguments)
        source = _text_of(arguments) if name in EVALUATORS else None
        if _is_blank(call):
            pass  # what was shown before stays the last thing shown
        elif name in SHOWING or _writes_out(call):
            self.shown = not self.chosen and (written or self._says_number(arguments))
        elif source is not None:
            written = self._written_in(source)
        elif isinstance(call.func, ast.Attribute) and not self._is_module(call.func.value):
            written = self._call_method(call.func, name, written=written)
        elif not (
            (name in OF_ONE and _is_one(arguments))
            or (name in CONVERSIONS and (arguments or isinstance(call.func, ast.Name)))
        ):
            self._fill_what_is_handed(call)
            written = False
        return written

    def _function_of(self, call: ast.Call) -> tuple[Function, bool] | None:
        if isinstance(call.func, ast.Lambda):
            return Function(call.func.args, call.func.body), False
        if isinstance(call.func, ast.Name):
            found = self.functions.get(call.func.id)
            return None if found is None else (found, False)
        found = self.methods.get(called(call))
        return None if found is None else (found, True)

    def _call_method(self, method: ast.Attribute, name: str, *, written: bool) -> bool:
        receiver = self.written(method.value)
        if name in METHODS | CONVERSIONS:
            return receiver and written
        if isinstance(method.value, ast.Name):
            # It may have been changed by that.
            kept = name in FILLING and receiver and written and not self.chosen
            self.names[method.value.id] = kept
        return False

    def _fill_what_is_handed(self, call: ast.Call) -> None:
        """A list or dict that is handed to a function may come back filled."""
        for argument in _arguments_of(call):
            if isinstance(argument, ast.Name) and argument.id in self.mutable:
                self.names[argument.id] = False

    def _is_module(self, node: ast.expr) -> bool:
        """Whether it names a module: an imported one, or one that the kernel has by itself."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and (node.id in self.modules or node.id not in self.names)

    def _written_in(self, source: str) -> bool:
        """Whether the value of a text of Python is; text that is none is a literal."""
        tree = parse_quietly(source.strip())
        if tree is None or not tree.body:
            return True
        if isinstance(tree.body[0], ast.Expr) and len(tree.body) == 1:
            return self.written(tree.body[0].value)
        self.run(tree.body)
        return True

    def _says_number(self, arguments: list[ast.expr]) -> bool:
        """Whether what is printed ends by saying a number that was only written down."""
        said = " ".join("".join(self._pieces(argument)) for argument in arguments)
        last = (said.splitlines() or [""])[-1]
        return _COMPUTED not in last or bool(_SAYS_NUMBER.search(last.rpartition(_COMPUTED)[2]))

    def _pieces(self, node: ast.expr) -> Iterator[str]:
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                yield from self._pieces(part)
        elif isinstance(node, ast.Constant):
            # A long integer has no decimal text.
            yield "0" if type(node.value) is int else str(node.value)
        else:
            yield "0" if self.written(node) else _COMPUTED


def called(call: ast.Call) -> str:
    """Name of the function or method that is called; empty for others."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_blank(call: ast.Call) -> bool:
    """Whether a call prints nothing that can be seen, as `print()` does."""
    texts = [*call.args, *(word.value for word in call.keywords if word.arg in _PRINT_OPTIONS)]
    return called(call) in SHOWING and all(
        isinstance(text, ast.Constant) and isinstance(text.value, str) and not text.value.strip()
        for text in texts
    )


def _arguments_of(call: ast.Call) -> list[ast.expr]:
    options = _PRINT_OPTIONS if called(call) in SHOWING else frozenset()
    return [*call.args, *(word.value for word in call.keywords if word.arg not in options)]


def _writes_out(call: ast.Call) -> bool:
    """Whether it is `sys.stdout.write(…)`, or `stdout.write(…)`."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="stdout"), attr="write"):
            return True
        case ast.Attribute(
            value=ast.Attribute(value=ast.Name(id="sys"), attr="stdout"), attr="write"
        ):
            return True
    return False


def _is_joined(node: ast.BinOp) -> bool:
    """Whether text or lists are put together."""
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add | ast.Mod):
        left = left.left
    text = isinstance(left, ast.Constant) and isinstance(left.value, str | bytes)
    return (
        text
        or isinstance(left, ast.JoinedStr | ast.List)
        or (isinstance(left, ast.Call) and called(left) in {"str", "repr"})
    )


def _text_of(arguments: list[ast.expr]) -> str | None:
    """The text that is the only argument, if it is one that stands there."""
    only = arguments[0] if len(arguments) == 1 else None
    return only.value if isinstance(only, ast.Constant) and isinstance(only.value, str) else None


def _is_one(arguments: list[ast.expr]) -> bool:
    """Whether a single number stands there, alone or in a list."""
    if len(arguments) != 1:
        return False
    only = arguments[0]
    if isinstance(only, ast.List | ast.Tuple | ast.Set):
        return len(only.elts) == 1
    return isinstance(only, ast.Constant)
