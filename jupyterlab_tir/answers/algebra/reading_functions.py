r"""Reading functions on their arguments: `\sin^2 x`, `log_2(8)`, `max(1, 2)`, `Fraction(1, 2)`.

Says which head a function's name and its arguments make; operands and lists are read elsewhere.
"""

from __future__ import annotations

from .python_forms import KEYWORDS, build
from .reading_cursor import Cursor
from .reading_values import conjugated, in_radians, product
from .tokens import ReadError
from .tree import Call, Constant, Name, Node, Number, Text, call, whole
from .words import DEGREES, INVERSES, TAKES_BARE_ARGUMENT

_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot", "sec", "csc"})
_ARGUMENT_COUNTS = {
    "mod": 2, "binomial": 2, "permutations": 2, "atan2": 2, "gcd": 0, "lcm": 0, "max": 0, "min": 0,
}  # fmt: skip
_EVENTS = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "and", "in", "union", "intersection", "difference"}
)
"""What only a function takes: P(X > 2), P(A and B)."""
_PAIR = 2


class Functions(Cursor):
    """Functions and calls."""

    def function(self) -> Node:
        """Read a function's name, what is written at it (base, power), and its arguments."""
        name = self.take().text
        base: Node | None = None
        power: Node | None = None
        for _ in range(2):
            if name == "log" and base is None and self.accept("_"):
                base = self.argument()
            elif power is None and self.at("^"):
                self.take()
                power = self.script()
        if name in INVERSES and power == call("neg", whole(1)):
            name, power = INVERSES[name], None
        node = self.applied(name, base, self.arguments(name))
        return node if power is None else call("pow", node, power)

    def script(self) -> Node:
        """Read what stands after `^` or `_`: a group, or one operand with its sign."""
        if self.at("{"):
            return self.braced()
        is_negative = self.at("-")
        self.accept("-", "+")
        if self.token.kind == "name":
            # A subscript that follows belongs to the sign that has the script.
            node: Node = Name(self.take().text)
        else:
            node = self.operand()
        return call("neg", node) if is_negative else node

    def arguments(self, name: str) -> list[Node]:
        """Read arguments in brackets, or one without."""
        if self.at("(", "[", "{", "\\{") and not (name == "sqrt" and self.at("[")):
            found = self.listed()
        elif name in TAKES_BARE_ARGUMENT:
            found = [self.bare_argument(name)]
        else:
            raise ReadError(f"{name} without its argument")
        return found

    def listed(self) -> list[Node]:
        """Read a list in brackets of any kind."""
        opening = self.take().text
        items, _ = self.in_brackets(opening)
        if not self.accept(")", "]", "}", "\\}"):
            raise ReadError("a bracket is not closed")
        return items

    def in_brackets(self, opening: str) -> tuple[list[Node], str]:
        """Read elements up to a closing bracket, with a context of their own."""
        saved = self.open_bars, self.pattern, self.in_cells, self.french
        is_pattern = opening == "\\{" or (opening == "{" and not self.is_latex)
        self.open_bars, self.pattern = 0, opening if is_pattern else ""
        self.in_cells, self.french = False, opening in {"]", "["}
        found = self.elements()
        self.open_bars, self.pattern, self.in_cells, self.french = saved
        return found

    def bare_argument(self, name: str) -> Node:
        r"""Read an argument without brackets: `2x` of `\sin 2x`, `|x|` of `\ln|x|`."""
        if name in {"sqrt", "cbrt"}:
            return self.operand()
        is_negative = self.accept("-")
        first = self.token
        factors = [self.power()]
        stops = first.text in {"|", "abs("} or first.kind == "function"
        while not stops and self.continues_argument(len(factors)):
            factors.append(self.power())
        node = product(factors)
        if name in _TRIGONOMETRIC and self.at_word(*DEGREES):
            self.take()
            node = call("measured", node, Text("°"))
        if self.at("/") and self.ahead(1).kind == "number" and self.chosen("quotient"):
            self.take()
            node = call("div", node, self.power())
        return call("neg", node) if is_negative else node

    def continues_argument(self, count: int) -> bool:
        """Whether the next factor belongs to an argument without brackets."""
        if not self.starts_factor() or self.is_differential():
            return False
        if self.token.kind == "function":
            return False
        if self.at("(", "[", "{", "\\{"):
            before = self.before()
            return count == 1 and before is not None and before.kind == "number"
        return self.token.kind != "sign" and not self.chosen("argument")

    def applied(self, name: str, base: Node | None, arguments: list[Node]) -> Node:
        """Tree of a function on its arguments.

        Raises
        ------
        ReadError
            Where their number is wrong.
        """
        arguments = _spread(name, arguments)
        first = arguments[0]
        if name == "log" and (base is not None or len(arguments) == _PAIR):
            return call("log", first, base if base is not None else arguments[1])
        wanted = _ARGUMENT_COUNTS.get(name, 1)
        if wanted and len(arguments) != wanted:
            raise ReadError(f"{name} takes another number of arguments")
        if name == "log":
            return call("log", first, whole(10)) if self.is_common() else call("log", first)
        if name in {"log2", "log10"}:
            return call("log", first, whole(int(name[3:])))
        if name in _TRIGONOMETRIC:
            return call(name, in_radians(first))
        if name in _OF_ONE:
            return _OF_ONE[name](first)
        renamed = {"ln": ("log",), "sqrt": ("root", 2), "cbrt": ("root", 3)}.get(name, (name,))
        extra = [whole(int(part)) for part in renamed[1:]]
        return call(str(renamed[0]), *arguments, *extra)

    def is_common(self) -> bool:
        """Whether a logarithm without base is the common one; in Python it never is."""
        return not self.is_python and self.chosen("log")

    def callable(self) -> Node:
        """Read a call as Python and SymPy print it, keywords told from equations."""
        name = self.take().text
        is_wrapped = self.position in self.wrapped
        self.position += is_wrapped
        self.expect("(")
        items, _ = self.in_brackets("(")
        self.expect(")")
        if is_wrapped:
            self.expect("}")
        arguments: list[Node] = []
        keywords: dict[str, Node] = {}
        for item in items:
            if (
                isinstance(item, Call)
                and item.head == "eq"
                and isinstance(item.args[0], Name)
                and item.args[0].name in KEYWORDS
            ):
                keywords[item.args[0].name] = item.args[1]
            else:
                arguments.append(item)
        return build(name, arguments, keywords)

    def called(self, letter: str, argument: Node) -> list[Node]:
        """What a name right before a bracket makes with it: a call, or two factors."""
        is_list = isinstance(argument, Call) and argument.head == "tuple"
        if is_list and isinstance(argument, Call):
            return [self.choose(letter, argument.args)]
        if isinstance(argument, Call) and argument.head in _EVENTS:
            return [Call(f"apply:{letter}", (argument,))]
        if self.is_python and (len(letter) > 1 or isinstance(argument, Name)):
            return [self.choose(letter, (argument,))]
        return [Name(letter), argument]

    def choose(self, letter: str, arguments: tuple[Node, ...]) -> Node:
        """`C(n, k)`, `P(n, k)`, or an unknown function of its arguments."""
        if len(letter.partition("_")[0]) > 1 and self.is_python:
            raise ReadError(f"unknown call {letter}")
        heads = {"C": "binomial", "P": "permutations"}
        if letter in heads and len(arguments) == _PAIR:
            return Call(heads[letter], arguments)
        return Call(f"apply:{letter}", arguments)


def _cis(angle: Node) -> Node:
    angle = in_radians(angle)
    return call("add", call("cos", angle), call("mul", Constant("i"), call("sin", angle)))


_OF_ONE = {"conjugate": conjugated, "cis": _cis}


def _spread(name: str, arguments: list[Node]) -> list[Node]:
    """The arguments, those of a maximum taken out of the set that holds them."""
    only = arguments[0] if len(arguments) == 1 else None
    if name in {"max", "min", "gcd", "lcm"}:
        is_collection = isinstance(only, Call) and only.head in {"set", "list", "tuple", "bare"}
        arguments = list(only.args) if is_collection and isinstance(only, Call) else arguments
    if not arguments:
        raise ReadError(f"{name} without its argument")
    if name == "determinant" and not (isinstance(only, Call) and only.head == "matrix"):
        raise ReadError("a determinant of no matrix")
    return arguments


def is_whole(node: Node) -> bool:
    """Whether a node is a written integer."""
    return isinstance(node, Number) and node.value.denominator == 1 and not node.decimal


def label_of(node: Node) -> str | None:
    """Text of a node that may stand as a subscript; None for a formula."""
    if isinstance(node, Text):
        return node.words
    if isinstance(node, Name):
        return node.name
    if isinstance(node, Number) and is_whole(node):
        return str(node.value)
    return None
