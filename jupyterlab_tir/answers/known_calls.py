"""What well-known functions and methods make of values that were only written down. Pure.

A function that is named nowhere here gives what is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from .echo_containers import Container, contained, joined
from .echo_elements import iterated, picked, sequence, several
from .echo_values import (
    COMPUTED,
    COUNTED,
    UNREACHED,
    Kind,
    Shape,
    State,
    Value,
    hashable,
    known,
    made_of,
)
from .known_conversions import CONVERSIONS, Conversions
from .own_code import Arguments, Bound, Known, OwnClass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COLLECTIONS = _words("list tuple set frozenset deque iter array asarray copy deepcopy")
"""Functions that give back the elements that they are given."""

LITERALS = _words("Matrix ImmutableMatrix FiniteSet Tuple Point Interval vector")
"""SymPy's ways to write down what has elements."""

OF_ONE = _words("""
    max min sum prod sorted mean median mode fsum gcd lcm choice choices sample reversed shuffle
    heappop
""")
"""Functions that give a single element back as it is."""

MAPPINGS = _words("dict OrderedDict defaultdict Counter")
LOOKING = _words("""
    len any all isinstance issubclass type id hash hasattr callable divmod pow sqrt isqrt ord chr
    bin hex oct combinations permutations product accumulate chain
""")
"""Functions that compute, and change nothing of what they are given."""

_OUTPUT_OPTIONS = ("file", "flush", "sep", "end")
_MAX_MAPPED = 40


class KnownCalls(Conversions):
    """Evaluates calls of functions that the code did not make."""

    def call_known(self, name: str, given: Arguments) -> Value:
        """Evaluate a call of a function by its name."""
        own_way = self._WAYS.get(name)
        if own_way is not None:
            return own_way(self, given)
        values = given.values()
        if any(value is UNREACHED for value in values):
            return UNREACHED
        for names, way in self._TABLES:
            if name in names:
                return way(self, name, given)
        self._may_call_and_change(values, changes=name not in LOOKING)
        return COMPUTED

    def call_unknown(self, given: Arguments) -> Value:
        """Evaluate a call of what is not known: it may call and change what it is given."""
        self._may_call_and_change(given.values(), changes=True)
        return UNREACHED if any(value is UNREACHED for value in given.values()) else COMPUTED

    def _may_call_and_change(self, values: list[Value], *, changes: bool) -> None:
        callees = [each.callee for each in values if each.callee is not None]
        others = [value for value in values if value.callee is None]
        containers = [value.container for value in others if value.container is not None]
        # What is handed to a thread or a pool beside the function is what it is called with.
        parts = [
            part
            for container in containers
            if container.shape is Shape.SEQUENCE
            for part in container.elements()
        ]
        beside = joined([*(value for value in others if value.container is None), *parts])
        for callee in callees:
            if not isinstance(callee, Known) or callee.name in {"print", "stdout.write"}:
                self.apply(callee, Arguments(others=COMPUTED if beside is UNREACHED else beside))
        if changes:
            for container in [
                *containers,
                *(part.container for part in parts if part.container is not None),
            ]:
                container.spoil()

    def _print(self, given: Arguments) -> Value:
        options = {name: given.words.get(name, known(None)) for name in _OUTPUT_OPTIONS}
        file = options["file"]
        if file.callee == Known("stderr") or (
            file.callee != Known("stdout") and not _is_none(file)
        ):
            return known(None)
        separator, end = (
            option.text if option.is_text else default
            for option, default in ((options["sep"], " "), (options["end"], "\n"))
        )
        others = [] if given.others is None else [given.others]
        shown = [value for word, value in given.words.items() if word not in _OUTPUT_OPTIONS]
        self.show([*given.places, *others, *shown], separator, end)
        return known(None)

    def _write(self, given: Arguments) -> Value:
        self.show(given.values(), "", "")
        return COMPUTED

    def _write_somewhere(self, given: Arguments) -> Value:
        self.written_elsewhere = self.settled(joined(given.values()))
        return COMPUTED

    def _display(self, given: Arguments) -> Value:
        self.show(given.values(), "\n", "\n")
        return known(None)

    def _count(self, given: Arguments) -> Value:
        """Count: the bounds are no more than bounds, however they are spelled."""
        kinds = [made_of(value) for value in given.values()]
        fixed = max(kinds, default=Kind.WRITTEN) is not Kind.COMPUTED
        # Compared with a literal it is that; else it depends on a bound that was computed.
        return several(COUNTED if fixed else Value(Kind.FOLDED, State.RUNNING))

    def _enumerate(self, given: Arguments) -> Value:
        parts = _tracked(given.places[:1])
        if parts is not None:
            return sequence(sequence([known(at), part]) for at, part in enumerate(parts[0]))
        element = self.element(given.places[0]) if given.places else COMPUTED
        return several(sequence([COUNTED, element]))

    def _zip(self, given: Arguments) -> Value:
        parts = _tracked(given.places)
        if parts is not None:
            return sequence(map(sequence, zip(*parts, strict=False)))
        return several(sequence(map(self.element, given.places)))

    def _map(self, given: Arguments) -> Value:
        if len(given.places) < 2:  # noqa: PLR2004 - a function and what it is applied to
            return self.call_unknown(given)
        function, *over = given.places
        parts = _tracked(over)
        if parts is not None:
            rows = zip(*parts, strict=False)
            return sequence(self.apply(function.callee, Arguments(row)) for row in rows)
        element = self.apply(function.callee, Arguments([self.element(each) for each in over]))
        return several(element)

    def _filter(self, given: Arguments) -> Value:
        if len(given.places) != 2:  # noqa: PLR2004 - a function and what it is applied to
            return self.call_unknown(given)
        function, over = given.places
        element = self.element(over)
        test = self.apply(function.callee, Arguments([element]))
        searches = made_of(test) is Kind.COMPUTED or test.state is State.VARIES
        if test.state is State.RUNNING and not searches and element.container is None:
            # What equals the literal that was counted to is that literal.
            element = Value(Kind.WRITTEN)
        return several(COMPUTED if searches else element)

    def _reduce(self, given: Arguments) -> Value:
        parts = _tracked(given.places[1:2])
        if parts is None or not parts[0]:
            return self.call_unknown(given)
        first, *others = [*given.places[2:3], *parts[0]]
        for each in others:
            first = self.apply(given.places[0].callee, Arguments([first, each]))
        return first

    def _setattr(self, given: Arguments) -> Value:
        match given.places:
            case [Value(container=Container() as container), key, value]:
                container.put(key, self.settled(value), surely=not self.forks)
            case _:
                return self.call_unknown(given)
        return known(None)

    def _getattr(self, given: Arguments) -> Value:
        match given.places:
            case [Value(container=Container() as container), key, *_]:
                return container.parts.get(hashable(key), COMPUTED)
        return self.call_unknown(given)

    def _next(self, given: Arguments) -> Value:
        over = given.places[0] if given.places else COMPUTED
        container = over.container
        if container is None or not container.elements():
            return Value(made_of(over))
        if container.only is None and self.loops:
            return COMPUTED
        first = next(iter(container.elements()))
        return joined([first, *given.places[1:]])

    def _partial(self, given: Arguments) -> Value:
        function = given.places[0].callee if given.places else None
        if function is None:
            return COMPUTED
        return Value(Kind.COMPUTED, callee=Bound(function, given._replace(places=given.places[1:])))

    def _namedtuple(self, given: Arguments) -> Value:
        if len(given.places) < 2:  # noqa: PLR2004 - its name and its fields
            return COMPUTED
        wanted = given.places[1]
        if isinstance(wanted.constant, str):
            fields = wanted.constant.replace(",", " ").split()
        else:
            fields = [
                str(part.constant)
                for part in (wanted.container.elements() if wanted.container else [])
            ]
        made = OwnClass("tuple", {}, dict.fromkeys(fields))
        made.is_tuple = True
        return Value(Kind.COMPUTED, callee=made)

    def _namespace(self, given: Arguments) -> Value:
        return contained(Container(Shape.OBJECT, given.words.items()))

    def _maybe_decorated(self, given: Arguments) -> Value:
        """Give back what a library's decorator is given, or else the decorator itself."""
        only = given.only
        if only is not None and only.callee is not None:
            return only
        return self._decorator(given)

    def _decorator(self, _: Arguments) -> Value:
        return Value(Kind.COMPUTED, callee=Known("cache"))

    def _collect(self, name: str, given: Arguments) -> Value:
        if not given.places:
            return sequence([])
        value = given.places[0]
        container = value.container
        if container is None:
            if isinstance(value.constant, str) and len(value.constant) <= _MAX_MAPPED:
                return sequence(map(known, value.constant))
            return value if name == "iter" else several(iterated(value))
        if name == "iter":
            return value
        if container.shape is Shape.SEQUENCE or name in {"copy", "deepcopy"}:
            return value._replace(container=container.copy())
        keys = [
            *map(known, container.parts),
            *([] if container.keys is None else [joined([container.keys])]),
        ]
        return sequence(keys) if container.keys is None else several(joined(keys))

    def _literal(self, _: str, given: Arguments) -> Value:
        return sequence(given.values())

    def _of_one(self, name: str, given: Arguments) -> Value:
        only = given.places[0] if len(given.places) == 1 else None
        if only is None:
            return COMPUTED
        if name == "reversed" and only.container is not None and only.container.rest is not None:
            return only
        inner = only if only.container is None else only.container.only
        if inner is None or made_of(inner) is not Kind.WRITTEN:
            if name in {"shuffle", "heappop"} and only.container is not None:
                only.container.spoil()
            return COMPUTED
        if only.container is None and isinstance(only.constant, str) and len(only.constant) != 1:
            return COMPUTED
        gives_list = name in {"sorted", "reversed", "choices", "sample"}
        return only if gives_list or only.container is None else inner

    def _mapping(self, name: str, given: Arguments) -> Value:
        container = Container(Shape.MAPPING, given.words.items())
        sources = given.places[1:] if name == "defaultdict" else given.places
        for source in sources:
            if source.container is not None and source.container.shape is Shape.MAPPING:
                copied = source.container.copy()
                copied.parts.update(container.parts)
                container = copied
            elif name == "Counter":
                # How often something occurs is counted.
                return contained(Container(Shape.MAPPING, rest=COMPUTED, keys=COMPUTED))
            else:
                pairs = _tracked([source])
                keys = [hashable(picked(pair, known(0))) for pair in pairs[0]] if pairs else [None]
                if pairs and None not in keys:
                    values = [picked(pair, known(1)) for pair in pairs[0]]
                    container.parts |= zip(keys, values, strict=True)
                    continue
                pair = self.element(source)
                container.grows = True
                container.rest, container.keys = picked(pair, known(1)), picked(pair, known(0))
        return contained(container)

    _WAYS: ClassVar[dict[str, Callable[[KnownCalls, Arguments], Value]]] = {
        "print": _print,
        "display": _display,
        "pprint": _display,
        "stdout.write": _write,
        "write": _write_somewhere,
        "range": _count,
        "arange": _count,
        "count": _count,
        "enumerate": _enumerate,
        "zip": _zip,
        "map": _map,
        "filter": _filter,
        "reduce": _reduce,
        "setattr": _setattr,
        "getattr": _getattr,
        "next": _next,
        "partial": _partial,
        "namedtuple": _namedtuple,
        "SimpleNamespace": _namespace,
        "wraps": _decorator,
        **dict.fromkeys(("cache", "lru_cache", "dataclass", "njit", "jit"), _maybe_decorated),
    }
    _TABLES: ClassVar[
        list[tuple[frozenset[str], Callable[[KnownCalls, str, Arguments], Value]]]
    ] = [
        (frozenset({"eval", "exec"}), Conversions.evaluate),
        (CONVERSIONS, Conversions.convert),
        (COLLECTIONS, _collect),
        (LITERALS, _literal),
        (OF_ONE, _of_one),
        (MAPPINGS, _mapping),
    ]


def _tracked(values: Sequence[Value]) -> list[list[Value]] | None:
    """Return the elements of lists that are short and known one by one; None for others."""
    containers = [value.container for value in values]
    found = [
        list(container.parts.values())
        for container in containers
        if container is not None and container.rest is None and container.shape is Shape.SEQUENCE
    ]
    short = all(len(parts) <= _MAX_MAPPED for parts in found)
    return found if found and short and len(found) == len(values) else None


def _is_none(value: Value) -> bool:
    return value.state is State.KNOWN and value.constant is None
