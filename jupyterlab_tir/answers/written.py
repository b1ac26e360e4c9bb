"""Following expressions: what a value was made of, given what is known of names. Pure."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable

from .echo_conditions import Conditions
from .echo_containers import Container, contained, joined
from .echo_elements import (
    is_plain,
    iterated,
    listed,
    looked_up,
    sequence,
    several,
    sliced,
    state_of,
)
from .echo_names import Frame
from .echo_values import (
    COMPUTED,
    FOLDED,
    UNREACHED,
    WRITTEN,
    Kind,
    Shape,
    State,
    Value,
    hashable,
    known,
    made_of,
    texts,
)
from .known_conversions import NAMED_NUMBERS, is_other_base
from .known_methods import CHANGING, formatted
from .own_code import Arguments, Bound, Known, Method, Own, OwnClass

_MAX_LISTED = 40
Statement = Callable[[ast.AST], object]


class Expressions(Conditions):
    """Evaluates expressions; `flow` adds the statements."""

    @abstractmethod
    def bind(self, target: ast.expr, value: Value) -> None:
        """Bind what a target names."""

    def value(self, node: ast.expr) -> Value:
        """Evaluate an expression; what is too deep or takes too long counts as computed."""
        if not self.enter():
            return COMPUTED
        try:
            found = self.method_for(node)(node)
            return found if isinstance(found, Value) else COMPUTED
        finally:
            self.leave()

    def method_for(self, node: ast.AST) -> Statement:
        """Return the method for this kind of node."""
        found: Statement = getattr(self, f"_on_{type(node).__name__.lower()}", self._on_other)
        return found

    def binary(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Evaluate an operator: texts and lists are put together, numbers are computed."""
        if UNREACHED in (left, right):
            return UNREACHED
        kind, state = max(made_of(left), made_of(right)), state_of([left, right])
        if isinstance(operator, ast.Mod) and left.is_text:
            parts = right.container.elements() if right.container is not None else [right]
            return formatted(left, parts, kind, state)
        moves = state is not State.FIXED
        if isinstance(operator, ast.Add) and (left.is_text or right.is_text):
            known_both = left.state is State.KNOWN and right.state is State.KNOWN
            joins = texts(left.text + right.text, kind, State.KNOWN if known_both else state)
            return COMPUTED if moves and self.loops else joins
        found = listed(operator, left, right)
        if found is None:
            found = COMPUTED if moves or kind is Kind.COMPUTED else FOLDED
        return found

    def _on_other(self, node: ast.AST) -> Value:
        """Evaluate what else there is for what it does; its value counts as computed."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return COMPUTED

    def _on_constant(self, node: ast.Constant) -> Value:
        return known(node.value)

    def _on_name(self, node: ast.Name) -> Value:
        found = self.names.get(node.id)
        return named(node.id) if found is None else found

    def _on_lambda(self, node: ast.Lambda) -> Value:
        return Value(Kind.COMPUTED, callee=self.defined(node))

    def defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Own:
        """Define a function of the code's own."""
        own = Own(node, self.names.frame)
        self.functions[node] = own
        places = [*node.args.posonlyargs, *node.args.args]
        for each, default in zip(reversed(places), reversed(node.args.defaults), strict=False):
            own.defaults[each.arg] = self.value(default)
        for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if value is not None:
                own.defaults[each.arg] = self.value(value)
        return own

    def _on_namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def _on_await(self, node: ast.Await) -> Value:
        return self.value(node.value)

    def _on_starred(self, node: ast.Starred) -> Value:
        return self.value(node.value)

    def _on_binop(self, node: ast.BinOp) -> Value:
        # A sum of thousands of terms is deep to the left, and yet as simple as a short one.
        terms: list[ast.BinOp] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp):
            terms.append(first)
            first = first.left
        value = self.value(first)
        for term in reversed(terms):
            value = self.binary(term.op, value, self.value(term.right))
        return value

    def _on_unaryop(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        if value is UNREACHED:
            return value
        if isinstance(node.op, ast.Invert):
            return FOLDED if value.is_settled and made_of(value) is not Kind.COMPUTED else COMPUTED
        if isinstance(node.op, ast.Not):
            is_plain = isinstance(node.operand, ast.Name | ast.Compare)
            turns = value.state is State.VARIES or (not value.is_settled and not is_plain)
            plain = Value(made_of(value), state_of([value]), about=value.about)
            return COMPUTED if turns else plain
        number = value.constant
        if isinstance(number, int | float | complex):
            return known(-number if isinstance(node.op, ast.USub) else number)
        return Value(made_of(value), state_of([value]))

    def _on_tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Value:
        parts = node.elts
        if len(parts) > _MAX_LISTED and all(isinstance(part, ast.Constant) for part in parts):
            self.count(len(parts) // 10)
            return several(WRITTEN)
        given = self._given(parts)
        if given.others is None:
            return sequence(given.places)
        return several(joined([*given.places, given.others]))

    _on_list = _on_set = _on_tuple

    def _given(self, parts: list[ast.expr]) -> Arguments:
        """Evaluate values that stand one after the other, ``*values`` in their parts."""
        places: list[Value] = []
        others: list[Value] = []
        for part in parts:
            value = self.value(part)
            if not isinstance(part, ast.Starred):
                places.append(value)
            elif is_plain(value):
                places += value.container.elements() if value.container is not None else []
            else:
                others.append(iterated(value)._replace(state=State.FIXED))
        return Arguments(places, {}, joined(others) if others else None)

    def _on_dict(self, node: ast.Dict) -> Value:
        container = Container(Shape.MAPPING)
        for key, part in zip(node.keys, node.values, strict=True):
            at = None if key is None else self.value(key)
            value = self.value(part)
            if at is not None:
                constant = hashable(at)
                if constant is not None:
                    container.parts[constant] = value
                else:
                    container.rest = joined(
                        [value, *([] if container.rest is None else [container.rest])]
                    )
                    container.keys = joined(
                        [at, *([] if container.keys is None else [container.keys])]
                    )
            elif value.container is not None and value.container.rest is None:
                container.parts |= value.container.parts
            else:
                container.spoil()
        return contained(
            Container(Shape.MAPPING, container.parts.items(), container.rest, container.keys)
        )

    def _on_subscript(self, node: ast.Subscript) -> Value:
        value = self.value(node.value)
        self.count(0 if value.container is None else len(value.container.parts) // 8)
        if not isinstance(node.slice, ast.Slice):
            return looked_up(value, self.value(node.slice))
        lower, upper, step = (
            None if part is None else self.value(part)
            for part in (node.slice.lower, node.slice.upper, node.slice.step)
        )
        return sliced(value, lower, upper, step)

    def _on_attribute(self, node: ast.Attribute) -> Value:
        receiver = self.value(node.value)
        name, callee, container = node.attr, receiver.callee, receiver.container
        if isinstance(callee, Known):
            return named(f"stdout.{name}" if callee.name == "stdout" else name)
        if isinstance(callee, OwnClass) and name in callee.methods:
            return Value(Kind.COMPUTED, callee=callee.methods[name])
        own = None if container is None else _attribute(container, name, receiver)
        if receiver is UNREACHED or own is not None:
            return receiver if own is None else own
        if name == "T" and container is not None:
            # Rows that are turned into columns.
            return COMPUTED
        callee = Method(name, receiver)
        return Value(made_of(receiver), state_of([receiver]), callee=callee)

    def _on_joinedstr(self, node: ast.JoinedStr) -> Value:
        values = [self.value(part) for part in node.values]
        if UNREACHED in values:
            return UNREACHED
        kind, state = max(map(made_of, values), default=Kind.WRITTEN), state_of(values)
        are_known = all(value.state is State.KNOWN for value in values)
        text = "".join(value.text for value in values)
        return texts(text, kind, State.KNOWN if are_known else state)

    def _on_formattedvalue(self, node: ast.FormattedValue) -> Value:
        value = self.spelled(self.value(node.value))
        if node.format_spec is None:
            return value
        spec = self.value(node.format_spec)
        if is_other_base(spec.text):
            return COMPUTED
        return texts(value.text, max(made_of(value), made_of(spec)), state_of([value, spec]))

    def _on_comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Value:
        outer, chosen = self.names.frame, len(self.choices)
        self.names.frame = Frame(outer)
        self.loops += 1
        is_one_round = True
        for part in node.generators:
            over = self.value(part.iter)
            is_one_round = (
                is_one_round
                and not part.ifs
                and over.container is not None
                and over.container.only is not None
            )
            self.bind(part.target, self.element(over))
            for test in part.ifs:
                value = self.value(test)
                subjects = self.choice(test, value)
                if subjects is not None:
                    self.choices.append(subjects)
                for name, found in self.refined(test):
                    self.names.bind(name, found)
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        made = [self.settled(self.value(element)) for element in elements]
        del self.choices[chosen:]
        self.loops -= 1
        self.names.frame = outer
        if isinstance(node, ast.DictComp):
            key = hashable(made[0]) if is_one_round else None
            if key is not None:
                return contained(Container(Shape.MAPPING, [(key, made[1])]))
            container = Container(Shape.MAPPING, rest=made[1], keys=made[0])
            container.grows = True
            return contained(container)
        return sequence(made) if is_one_round else several(made[0])

    _on_listcomp = _on_setcomp = _on_generatorexp = _on_dictcomp = _on_comprehension

    def _on_call(self, call: ast.Call) -> Value:
        function = self.value(call.func)
        given = self._given(call.args)
        words: dict[str, Value] = {}
        others = [] if given.others is None else [given.others]
        for word in call.keywords:
            value = self.value(word.value)
            if word.arg is not None:
                words[word.arg] = value
            elif value.container is not None and value.container.rest is None:
                words |= {str(key): part for key, part in value.container.parts.items()}
            else:
                others.append(COMPUTED)
        given = Arguments(given.places, words, joined(others) if others else None)
        if function.callee == Known("zip") and _turns_rows(call):
            return COMPUTED
        method = function.callee if isinstance(function.callee, Method) else None
        if method is not None and method.name in CHANGING and method.receiver.container is None:
            self.spoil_root(call.func)
        return UNREACHED if function is UNREACHED else self.apply(function.callee, given)

    def spoil_root(self, node: ast.expr) -> None:
        """Take what has a name as computed, of which some part is changed that is not known."""
        while isinstance(node, ast.Subscript | ast.Attribute | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        root = self.names.get(node.id) if isinstance(node, ast.Name) else None
        if root is not None and root.container is not None:
            root.container.spoil()
        elif isinstance(node, ast.Name) and root is not None and root.callee is None:
            self.names.bind(node.id, root._replace(kind=Kind.COMPUTED))


def named(name: str) -> Value:
    """Return a name that the code did not bind: a library's, or Python's own."""
    kind = Kind.WRITTEN if name in NAMED_NUMBERS else Kind.COMPUTED
    return Value(kind, callee=Known(name))


def _turns_rows(call: ast.Call) -> bool:
    """Whether `zip` is given rows that it turns into columns."""
    return any(isinstance(part, ast.Starred) for part in call.args)


def _attribute(container: Container, name: str, receiver: Value) -> Value | None:
    """Return an attribute of an object of the code's own, None if it has none of that name."""
    if name in container.fields:
        return container.get(known(container.fields[name]))
    if container.shape is Shape.OBJECT and name in container.parts:
        return container.parts[name]
    if name in container.methods:
        return Value(Kind.COMPUTED, callee=Bound(container.methods[name], Arguments([receiver])))
    return None
