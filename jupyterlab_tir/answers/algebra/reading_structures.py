r"""Reading LaTeX's structures: fractions, roots, sums, integrals, limits, environments."""

from __future__ import annotations

from .reading_cursor import Integral
from .reading_functions import Functions
from .reading_values import conjugated, number
from .tokens import ReadError, Token
from .tree import Call, Constant, Name, Node, Number, Text, call, whole

_MATRICES = frozenset(
    {"pmatrix", "bmatrix", "matrix", "Bmatrix", "smallmatrix", "array", "vmatrix"}
)
_LISTS = frozenset(
    {"aligned", "align", "gathered", "split", "gather", "equation", "cases", "dcases"}
)
_OVER = {"sum": "sum", "prod": "product"}
_PAIR = 2


class Structures(Functions):
    """Commands with arguments of their own, and environments."""

    def structure(self) -> Node:  # noqa: PLR0911 - one for each command
        """Read a LaTeX command that has a value."""
        name = self.take().text
        if name == "frac":
            return self.fraction()
        if name == "sqrt":
            return self.root()
        if name == "binom":
            return call("binomial", self.argument(), self.argument())
        if name in _OVER:
            return self.over_index(_OVER[name])
        if name == "int":
            return self.integral()
        if name == "lim":
            return self.limit()
        if name in {"overline", "bar"}:
            return self.conjugate()
        if name in {"angle", "triangle"}:
            return self.figure(name)
        if name in {"hat", "vec", "tilde", "widehat", "widetilde", "overrightarrow"}:
            return Name(f"{name} {self.plain_name()}")
        raise ReadError(f"\\{name} is nothing that we read here")

    def argument(self) -> Node:
        """Read a group, or one digit, letter or command."""
        if self.at("{"):
            return self.braced()
        token = self.token
        if token.kind == "number" and len(token.text) > 1:
            self.tokens[self.position] = Token("number", token.text[1:])
            return number(token.text[0])
        if token.kind == "number":
            self.take()
            return number(token.text)
        if token.kind == "name" and self.position + 1 in self.wrapped:
            return Name(self.take().text)
        return self.operand()

    def fraction(self) -> Node:
        r"""After `\frac`: a quotient, or a derivative."""
        derivative = self.derivative()
        if derivative is not None:
            return derivative
        return call("div", self.argument(), self.argument())

    def derivative(self) -> Node | None:
        r"""`{d}{dx}` of what follows, or `{dy}{dx}` as a name; None for other fractions."""
        above = self.letters_in_braces(0)
        below = self.letters_in_braces(above[1]) if above else None
        if not above or not below or above[0][:1] != "d" or below[0][:1] != "d" or self.integrals:
            return None
        function, variable = above[0][1:], below[0][1:]
        order = function.lstrip("^") if function.startswith("^") or not function else ""
        if not variable or not variable[0].isalpha() or len(function) > 3 or len(variable) > 8:  # noqa: PLR2004
            return None
        self.position += below[1]
        name, _, power = variable.partition("^")
        if function and not (order or "1").isdigit():
            return Name(f"d{function}/d{variable}")
        if function and not function.startswith("^"):
            return Name(f"d{function}/d{variable}")
        if (order or "1") != (power or "1") or not (order or "1").isdigit():
            raise ReadError("a derivative of unclear order")
        return call("derivative", self.term(), Name(name), whole(int(order or "1")))

    def letters_in_braces(self, steps: int) -> tuple[str, int] | None:
        """The letters of a short group ahead, and the step after it."""
        if self.ahead(steps).text != "{":
            return None
        letters = ""
        is_raised = False
        for step in range(steps + 1, steps + 10):
            token = self.ahead(step)
            if letters.endswith("^") and token.text == "{":
                is_raised = True
                continue
            if token.text == "}" and is_raised:
                is_raised = False
                continue
            if token.text == "}":
                return letters, step + 1
            if token.kind not in {"name", "number", "command"} and token.text != "^":
                return None
            letters += "d" if token.text == "partial" else token.text
        return None

    def root(self) -> Node:
        r"""After `\sqrt`: its degree in square brackets, and what it is taken of."""
        degree: Node = whole(2)
        if self.accept("["):
            items, _ = self.in_brackets("[")
            self.expect("]")
            if len(items) != 1:
                raise ReadError("a root without its degree")
            degree = items[0]
        if self.at("("):
            items = self.listed()
            if len(items) != 1:
                raise ReadError("a root of several values")
            return call("root", items[0], degree)
        return call("root", self.argument(), degree)

    def conjugate(self) -> Node:
        r"""After `\overline`: the conjugate of a letter or of a formula with i."""
        node = self.argument()
        parts = node.args if isinstance(node, Call) else (node,)
        if isinstance(node, Number):
            raise ReadError("a line over digits")
        if (
            isinstance(node, Call)
            and node.head == "mul"
            and all(isinstance(part, Name) for part in parts)
        ):
            return Name(
                "overline " + "".join(part.name for part in parts if isinstance(part, Name))
            )
        return conjugated(node)

    def plain_name(self) -> str:
        """Name under an accent."""
        node = self.argument()
        if isinstance(node, Name | Constant):
            return node.name
        if isinstance(node, Call) and all(isinstance(part, Name) for part in node.args):
            return "".join(part.name for part in node.args if isinstance(part, Name))
        raise ReadError("an accent over no name")

    def figure(self, name: str) -> Name:
        """The name of an angle or a triangle by its points."""
        points = ""
        while self.token.kind == "name":
            points += self.take().text
        if not points:
            raise ReadError("a figure without its points")
        return Name(f"{name} {points}")

    def over_index(self, head: str) -> Node:
        r"""After `\sum` or `\prod`: limits, and the product that is summed."""
        variable, lower, upper = self.index_limits()
        self.bound.append(variable.name)
        body = self.term()
        self.bound.pop()
        return call(head, body, variable, lower, upper)

    def index_limits(self) -> tuple[Name, Node, Node]:
        """Variable and limits of a sum, written at its sign in either order."""
        upper: Node | None = None
        if self.accept("^"):
            upper = self.script()
        self.expect("_")
        self.expect("{")
        variable = self.index_name()
        is_from = self.at(">", ">=")
        is_strict = self.at(">")
        self.expect("=", ">", ">=")
        lower = self.set_expression()
        self.expect("}")
        if upper is None and self.accept("^"):
            upper = self.script()
        if upper is None and is_from:
            upper = Constant("infinity")
        if upper is None or (is_from and upper != Constant("infinity")):
            raise ReadError("a sum without its limits")
        return variable, call("add", lower, whole(1)) if is_strict else lower, upper

    def index_name(self) -> Name:
        """Read the variable of a sum or a limit."""
        token = self.take()
        if token.kind not in {"name", "constant"}:
            raise ReadError("an index that is no name")
        return Name(token.text)

    def integral(self) -> Node:
        r"""After `\int`: limits, the integrand, and its differential."""
        limits: dict[str, Node] = {}
        for _ in range(2):
            if self.at("_", "^") and self.token.text not in limits:
                end = self.take().text
                limits[end] = self.script()
        frame = Integral(self.depth)
        self.integrals.append(frame)
        body = self.integrand(frame)
        self.integrals.pop()
        if frame.variable is None:
            raise ReadError("an integral without its differential")
        if len(limits) == 1:
            raise ReadError("an integral with one limit")
        ends = (limits["_"], limits["^"]) if limits else ()
        return call("integral", body, frame.variable, *ends)

    def integrand(self, frame: Integral) -> Node:
        """Terms up to the one that ends in the differential."""
        terms: list[Node] = []
        while True:
            is_negative = self.at("-")
            self.accept("-", "+")
            term = self.term()
            terms.append(call("neg", term) if is_negative else term)
            if frame.variable is not None or not self.at("+", "-"):
                return terms[0] if len(terms) == 1 else Call("add", tuple(terms))

    def is_differential_at(self, start: int) -> bool:
        """Whether the name just read, at a position, begins a differential that is waited for."""
        here, self.position = self.position, start
        found = self.is_differential()
        self.position = here
        return found

    def differential(self) -> Node:
        """After the d of `dx`: note the variable; the factor itself is 1."""
        frame = self.integrals[-1]
        frame.variable = Name(self.take().text)
        frame.is_over = self.depth == frame.depth + 1
        return whole(1)

    def limit(self) -> Node:
        r"""After `\lim`: the variable, its point, the side, and the product it is taken of."""
        self.expect("_")
        self.expect("{")
        variable = self.index_name()
        self.expect("->")
        self.side = "+-"
        point = self.set_expression()
        side, self.side = self.side, None
        self.expect("}")
        self.bound.append(variable.name)
        body = self.term()
        self.bound.pop()
        return call("limit", body, variable, point, Text(side))

    def environment(self) -> Node:
        r"""Read `\begin … \end`: a matrix, a piecewise value, or a list of statements."""
        name = self.take().text
        if name not in _MATRICES and name not in _LISTS:
            raise ReadError(f"an environment {name}")
        saved, self.in_cells = self.in_cells, True
        rows = self.rows()
        self.in_cells = saved
        if self.take().text != name:
            raise ReadError("an environment is not closed")
        if name == "vmatrix":
            return call("determinant", _matrix(rows))
        if name in _MATRICES and not _has_condition(rows):
            return _matrix(rows)
        if name.endswith("cases") or name == "array":
            return _cases(rows)
        return _statements([call("bare", *row) if len(row) > 1 else row[0] for row in rows if row])

    def rows(self) -> list[list[Node]]:
        """Rows of cells up to the end of the environment."""
        rows: list[list[Node]] = [[]]
        while self.token.kind not in {"end", "stop"}:
            if self.accept("\\\\"):
                rows.append([])
            elif not self.accept("&"):
                rows[-1].append(self.cell())
        return [row for row in rows if row]

    def cell(self) -> Node:
        """One cell: a value, or the condition of a case without its "if"."""
        while self.at_word("if", "for", "when", "where") or self.at(","):
            self.take()
        if self.at_word("otherwise", "else"):
            self.take()
            return Text("otherwise")
        node = self.statement()
        self.accept(",", ";", ".")
        return node


def _has_condition(rows: list[list[Node]]) -> bool:
    heads = {"lt", "le", "gt", "ge", "eq", "ne", "and", "or", "in"}
    return any(isinstance(cell, Call) and cell.head in heads for row in rows for cell in row)


def _matrix(rows: list[list[Node]]) -> Node:
    if not rows or len({len(row) for row in rows}) != 1:
        raise ReadError("rows of different lengths")
    return Call("matrix", tuple(Call("tuple", tuple(row)) for row in rows))


def _cases(rows: list[list[Node]]) -> Node:
    if rows and all(len(row) == _PAIR for row in rows):
        return Call("piecewise", tuple(Call("tuple", tuple(row)) for row in rows))
    if all(len(row) == 1 for row in rows):
        return _statements([row[0] for row in rows])
    raise ReadError("cases of unclear form")


def _statements(rows: list[Node]) -> Node:
    if not rows:
        raise ReadError("an empty environment")
    return rows[0] if len(rows) == 1 else Call("bare", tuple(rows))
