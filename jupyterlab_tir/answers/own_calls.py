"""Following calls of the code's own functions and classes. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .echo_containers import Container, contained, joined, same
from .echo_elements import sequence, several
from .echo_names import Frame
from .echo_printing import either
from .echo_values import (
    COMPUTED,
    UNREACHED,
    Kind,
    Shape,
    State,
    Subjects,
    Value,
    is_subject,
    known,
)
from .own_code import Arguments, Bound, Callee, Known, Method, Own, OwnClass
from .written import Expressions, named

_MAX_PASSES = 5
_MAX_CALLS = 12


class _Activation:
    """A call that is going on, and what is known so far of those inside it of the same function."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Value]] = []
        self.result = UNREACHED


class OwnCalls(Expressions):
    """Evaluates calls of functions, those of the code's own by running them."""

    def __init__(self) -> None:
        super().__init__()
        self.returned: list[tuple[Value, bool]] = []
        """What was returned so far, and whether a computed condition of the function chose it."""
        self.choices_before = 0
        """How many choices led to the call that is going on."""
        self._active: dict[object, _Activation] = {}
        self._methods: dict[str, Own] = {}

    def apply(self, callee: Callee | None, arguments: Arguments) -> Value:
        """Evaluate a call."""
        while isinstance(callee, Bound):
            arguments = arguments.behind(callee.before)
            callee = callee.callee
        match callee:
            case Known(name=name):
                return self.call_known(name, arguments)
            case Method():
                return self._call_method_of(callee, arguments)
            case Own():
                return self._call_own(callee, arguments)
            case OwnClass():
                return self._make(callee, arguments)
        return self.call_unknown(arguments)

    def _call_method_of(self, method: Method, arguments: Arguments) -> Value:
        receiver = method.receiver
        own = self._methods.get(method.name) if receiver.kind is Kind.COMPUTED else None
        if own is not None and receiver.container is None:
            # An object that was made out of sight: it may well be of that class.
            return self._call_own(own, arguments.behind(Arguments([receiver])))
        return self.call_method(method.name, receiver, arguments)

    def spelled(self, value: Value) -> Value:
        """Return what is printed for a value, which an object's own class may decide."""
        methods = {} if value.container is None else value.container.methods
        own = methods.get("__str__", methods.get("__repr__"))
        return value if own is None else self._call_own(own, Arguments([value]))

    def run_what_was_not_run(self) -> None:
        """Run functions that no call was found of, as what calls them may be out of sight."""
        shown = []
        before = self.shown
        while self.functions and not self.lost:
            own = self.functions.pop(next(iter(self.functions)))
            self._call_own(own, Arguments(others=COMPUTED))
            shown.append(self.shown)
            self.shown = before
        self.shown = either(shown, before)

    def _call_own(self, own: Own, given: Arguments) -> Value:
        """Run a function's body with its parameters bound to what was written or computed."""
        self.functions.pop(own.name, None)
        parameters = self._parameters(own, given)
        going_on = self._active.get(own.name)
        if going_on is not None:
            going_on.calls.append(parameters)
            return going_on.result
        if len(self._active) >= _MAX_CALLS:
            return COMPUTED
        activation = self._active[own.name] = _Activation()
        try:
            for _ in range(_MAX_PASSES):
                activation.calls = []
                result = joined([activation.result, self._run_once(own, parameters)])
                wider = {
                    name: joined([value, *(each.get(name, COMPUTED) for each in activation.calls)])
                    for name, value in parameters.items()
                }
                is_stable = same(result, activation.result) and all(
                    same(value, parameters[name]) for name, value in wider.items()
                )
                if is_stable or not activation.calls:
                    return COMPUTED if result is UNREACHED or own.generates else result
                activation.result, parameters = result, wider
        finally:
            del self._active[own.name]
        return COMPUTED

    def _run_once(self, own: Own, parameters: dict[str, Value]) -> Value:
        outer = self.names.frame, self.returned, self.choices_before
        self.names.frame = Frame(own.frame)
        self.names.frame.names = dict(parameters)
        self.returned, self.choices_before = [], len(self.choices)
        if isinstance(own.body, ast.expr):
            found = self.value(own.body)
        else:
            self.run(own.body)
            found = self._result(own.body)
        self.names.frame, self.returned, self.choices_before = outer
        return found

    def _result(self, body: Sequence[ast.stmt]) -> Value:
        """Return what a function returns: computed if it was chosen, unless it is all one."""
        # None is nothing: who returns a value or nothing has not chosen the value.
        given = [each for each in self.returned if not _is_none(each[0])]
        found = joined(value for value, _ in given)
        if not given:
            return known(None)
        is_one = found is UNREACHED or (
            found.kind is Kind.WRITTEN and found.state is State.KNOWN and _always_returns(body)
        )
        if is_one:
            return found
        reached = [each for each in given if each[0] is not UNREACHED]
        chosen = any(is_chosen for _, is_chosen in reached)
        return found._replace(kind=Kind.COMPUTED) if chosen else found

    def chosen_since_call(self, value: Value) -> bool:
        """Whether a computed condition of the function that is running chose a value."""
        inner = self.choices[self.choices_before :]
        return not all(is_subject(value, subjects) for subjects in inner)

    def inner_subjects(self) -> Subjects | None:
        """Return what the function's conditions that led here are about, None without any."""
        inner = self.choices[self.choices_before :]
        if not inner:
            return None
        return inner[0] if all(each == inner[0] for each in inner) else ()

    def _parameters(self, own: Own, given: Arguments) -> dict[str, Value]:
        wanted = own.arguments
        places = [each.arg for each in (*wanted.posonlyargs, *wanted.args)]
        words = dict(given.words)
        found = dict(zip(places, given.places, strict=False))
        for name in [*places, *(each.arg for each in wanted.kwonlyargs)]:
            if name in found:
                continue
            if name in words:
                found[name] = words.pop(name)
            elif given.others is not None:
                found[name] = given.others
            else:
                found[name] = own.defaults.get(name, COMPUTED)
        if wanted.vararg is not None:
            more = list(given.places[len(places) :])
            others = given.others
            rest = sequence(more) if others is None else several(joined([*more, others]))
            found[wanted.vararg.arg] = rest
        if wanted.kwarg is not None:
            others = given.others
            found[wanted.kwarg.arg] = contained(
                Container(Shape.MAPPING, words.items(), others, others)
            )
        return found

    def _make(self, made: OwnClass, given: Arguments) -> Value:
        """Make an object: run its `__init__`, or take the fields as they are given."""
        container = Container(Shape.SEQUENCE if made.is_tuple else Shape.OBJECT)
        container.methods = dict(made.methods)
        value = contained(container)
        if "__init__" in made.methods:
            self._call_own(made.methods["__init__"], given.behind(Arguments([value])))
            return value
        for at, (name, default) in enumerate(made.fields.items()):
            found = given.places[at] if at < len(given.places) else given.words.get(name)
            if found is None:
                found = given.others if given.others is not None else default
            container.parts[at if made.is_tuple else name] = COMPUTED if found is None else found
            if made.is_tuple:
                container.fields[name] = at
        if "__post_init__" in made.methods:
            self._call_own(made.methods["__post_init__"], Arguments([value]))
        return value

    def define_class(self, node: ast.ClassDef) -> OwnClass:
        """Define a class of the code's own; values of its body are not followed."""
        methods: dict[str, Own] = {}
        fields: dict[str, Value | None] = {}
        for base in node.bases:
            callee = self.value(base).callee
            if isinstance(callee, OwnClass):
                methods |= callee.methods
                fields |= callee.fields
        is_tuple = any(
            isinstance(each, ast.Name) and each.id == "NamedTuple" for each in node.bases
        )
        for part in node.body:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
                methods[part.name] = self._methods[part.name] = self.defined(part)
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                fields[part.target.id] = None if part.value is None else self.value(part.value)
        made = OwnClass(node.name, methods, fields)
        made.is_tuple = is_tuple
        return made

    def _on_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        value = Value(Kind.COMPUTED, callee=self.defined(node))
        for decorator in reversed(node.decorator_list):
            callee = self.value(decorator).callee
            if callee is not None and not isinstance(callee, Known):
                made = self.apply(callee, Arguments([value]))
                if isinstance(made.callee, Own | Bound | OwnClass):
                    value = made
        self.names.bind(node.name, value)

    _on_asyncfunctiondef = _on_functiondef

    def _on_classdef(self, node: ast.ClassDef) -> None:
        self.names.bind(node.name, Value(Kind.COMPUTED, callee=self.define_class(node)))

    def _on_import(self, node: ast.Import) -> None:
        for alias in node.names:
            module, _, _ = alias.name.partition(".")
            self.names.bind(alias.asname or module, Value(Kind.COMPUTED, callee=Known(module)))

    def _on_importfrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.names.bind(alias.asname or alias.name, named(alias.name))

    def _on_global(self, node: ast.Global | ast.Nonlocal) -> None:
        for name in node.names:
            self.names.declare(name, of_module=isinstance(node, ast.Global))

    _on_nonlocal = _on_global


def _is_none(value: Value) -> bool:
    return value.state is State.KNOWN and value.constant is None


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    """Whether statements certainly end by returning or raising."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=yes, orelse=no):
            return _always_returns(yes) and _always_returns(no)
        case ast.While(test=ast.Constant(value=True)):
            return True
    return False
