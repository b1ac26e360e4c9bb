# ruff: noqa: SIM905 - a table of names is read as text
r"""Reading arithmetic: powers, products with and without signs, quotients, sums, `\pm`, units."""

from __future__ import annotations

import re

from .reading_groups import is_set
from .reading_operands import Operands
from .reading_values import negative, product, scaled
from .tokens import ReadError
from .tree import Call, Name, Node, Text, call, whole
from .words import CONNECTIVES, NO_UNITS

_STARTS = frozenset(
    {"name", "constant", "function", "callable", "begin", "imaginary", "repeating", "choose"}
)
_OPENINGS = frozenset({"(", "[", "{", "abs(", "floor(", "ceil("})
_VALUE_COMMANDS = frozenset(
    "frac sqrt binom sum prod int lim angle triangle overline bar hat vec tilde widehat"
    " widetilde".split()
)
_JOINING = frozenset({"for", "where", "with", "when", "if", "and", "or", "such", "so", "then"})
_MAX_POSTFIXES = 20


class Terms(Operands):
    """Arithmetic over operands."""

    def power(self) -> Node:
        """Read an operand, what stands behind it (`!`, `%`, `°`), and its exponent."""
        node = self.postfixed(self.operand())
        while self.at("^") and not self.takes_side():
            self.take()
            if self.accept("circ", "degree"):
                return self.in_degrees(node)
            if self.at("{") and self.ahead(1).text in {"circ", "degree"}:
                self.position += 2
                self.expect("}")
                return self.in_degrees(node)
            self.deeper()
            node = call("pow", node, self.exponent())
            self.depth -= 1
            node = self.postfixed(node)
        return node

    def exponent(self) -> Node:
        """Read an exponent: a group, or a power with its sign; towers stand to the right."""
        if self.at("{"):
            return self.braced()
        is_negative = False
        while self.at("-", "+"):
            is_negative ^= self.take().text == "-"
        node = self.power()
        return call("neg", node) if is_negative else node

    def in_degrees(self, node: Node) -> Node:
        """An angle in degrees; a temperature's letter is part of the unit."""
        unit = "°"
        if self.token.kind == "name" and self.token.text in {"C", "F"}:
            unit += self.take().text
        return call("measured", node, Text(unit))

    def postfixed(self, node: Node) -> Node:
        """Signs behind a value."""
        for _ in range(_MAX_POSTFIXES):
            if self.accept("!!"):
                node = call("factorial2", node)
            elif self.accept("!"):
                node = call("factorial", node)
            elif self.at("%") and not self.is_remainder():
                self.take()
                node = call("measured", node, Text("%"))
            elif self.at("degree") or (self.at("circ") and self.is_after_number()):
                self.take()
                node = self.in_degrees(node)
            elif self.token.kind == "currency":
                node = call("measured", node, Text(self.take().text))
            else:
                return node
        raise ReadError("more signs behind a value than we read")

    def is_after_number(self) -> bool:
        """Whether the token read last is a number."""
        before = self.before()
        return before is not None and before.kind == "number"

    def is_remainder(self) -> bool:
        """Whether `%` is Python's remainder rather than a percent sign."""
        following = self.ahead(1)
        if not (self.is_python or (self.token.spaced and following.spaced)):
            return False
        return following.kind in {"number", "name", "function"} or following.text == "("

    def takes_side(self) -> bool:
        r"""Read the `^+` of a one-sided limit's point."""
        if self.side is None:
            return False
        braced = self.ahead(1).text == "{"
        mark = self.ahead(1 + braced).text
        if mark not in {"+", "-"} or self.ahead(2 + braced).text != "}":
            return False
        self.position += 4 if braced else 2
        self.side = mark
        return True

    def starts_factor(self) -> bool:  # noqa: PLR0911 - one for each kind
        """Whether a factor begins here without a multiplication sign."""
        token = self.token
        if token.wide or (self.integrals and self.integrals[-1].is_over):
            return False
        kind, text = token.kind, token.text
        if kind in _STARTS:
            return True
        if kind == "number":
            before = self.before()
            return before is not None and before.kind not in {"number", "repeating", "scale"}
        if kind == "command":
            return text in _VALUE_COMMANDS
        if kind != "sign":
            return False
        if text == "|":
            return not (self.open_bars or self.pattern or self.is_python)
        if text == "[":
            return not self.french
        return text in _OPENINGS

    def cluster(self) -> list[Node]:
        """Read factors that stand side by side; a unit ends them."""
        factors = [self.power()]
        while self.starts_factor():
            start = self.token
            before = factors[-1]
            factor = self.power()
            if isinstance(before, Name) and start.text == "(" and not start.spaced:
                factors[-1:] = self.called(before.name, factor)
            else:
                factors.append(factor)
        return factors

    def term(self) -> Node:
        """Read a product, its quotients from the left, with the unit behind it."""
        above = self.signed_cluster()
        below: list[Node] = []
        while True:
            unit = self.unit()
            if unit:
                return call("measured", _quotient(above, below), Text(unit))
            if self.token.kind == "scale":
                above, below = [scaled(_quotient(above, below), self.take().text)], []
            elif self.accept("*"):
                above.extend(self.signed_cluster())
            elif self.accept("/"):
                self.divided(above, below)
            elif self.at_command("bmod") or self.at_word("mod") or self.at("%"):
                self.take()
                above = [call("mod", _quotient(above, below), product(self.signed_cluster()))]
                below = []
            else:
                return _quotient(above, below)

    def signed_cluster(self) -> list[Node]:
        """Factors, the first with its sign."""
        is_negative = False
        while self.at("-", "+"):
            is_negative ^= self.take().text == "-"
        factors = self.cluster()
        if is_negative:
            factors[0] = negative(factors[0])
        return factors

    def divided(self, above: list[Node], below: list[Node]) -> None:
        """After a slash: the divisor; whether `1/2x` divides by 2 or by 2x can be asked."""
        before = self.tokens[self.position - 2]
        first = self.token
        start = self.position
        factors = self.signed_cluster()
        if len(factors) == 1:
            below.extend(factors)
            return
        after_first = self.tokens[start + 1]
        is_number = first.kind == "number" and before.kind == "number"
        is_loose = is_number or (first.kind == "number" and after_first.spaced)
        if self.is_python or is_loose != self.chosen("slash"):
            below.append(factors[0])
            above.extend(factors[1:])
        else:
            below.extend(factors)

    def unit(self) -> str:
        """Read a unit behind a value; empty where none stands.

        Raises
        ------
        ReadError
            Where words take back what the value says.
        """
        token = self.token
        if token.kind != "words" or self.is_joining():
            return ""
        words: list[str] = []
        while True:
            token = self.token
            if token.kind == "words" and not self.is_joining():
                words.append(self.take().text)
                if NO_UNITS.intersection(words[-1].casefold().split()):
                    raise ReadError("a remark behind a value")
            elif self.at("^") and (self.ahead(1).kind == "number" or self.ahead(1).text == "{"):
                words.append("^" + self.unit_power())
            elif self.at("/", "*") and self.ahead(1).kind in {"words", "name"}:
                words.append(self.take().text + self.take().text)
            elif token.kind == "name" and words and words[-1] == "°":
                words.append(self.take().text)
            else:
                return re.sub(r" (?=[\^/*])", "", " ".join(words))

    def is_joining(self) -> bool:
        """Whether the word that comes next joins statements."""
        words = self.token.text.casefold().strip(" ,.")
        return words in CONNECTIVES or words.split()[0].strip(",") in _JOINING

    def unit_power(self) -> str:
        """The exponent of a unit."""
        self.take()
        braced = self.accept("{")
        sign = "-" if self.accept("-") else ""
        power = self.take().text
        if braced:
            self.expect("}")
        return sign + power

    def sum_(self) -> Node:
        r"""Read terms with their signs, `\pm` among them."""
        items: list[Node] = []
        is_first = True
        while is_first or self.at("+", "-", "pm", "mp"):
            if self.at("pm", "mp"):
                head = "plusminus" if self.take().text == "pm" else "minusplus"
                left = _total(items) if items else whole(0)
                items = [call(head, left, self.term())]
            elif self.at("-") and items and is_set(items[-1]):
                self.take()
                items[-1] = call("difference", items[-1], self.term())
            else:
                is_negative = False
                while self.at("-", "+"):
                    is_negative ^= self.take().text == "-"
                if is_negative and self.at("pm", "mp"):
                    raise ReadError("a sign before a double sign")
                term = self.term()
                items.append(negative(term) if is_negative else term)
            is_first = False
            if self.integrals and self.integrals[-1].is_over:
                break
        return _total(items)


def _total(items: list[Node]) -> Node:
    """Sum of terms; a unit of the last, or of all, is the sum's."""
    if len(items) == 1:
        return items[0]
    last = items[-1]
    if isinstance(last, Call) and last.head == "measured":
        unit = last.args[1]
        values: list[Node] = []
        for item in items:
            is_measured = isinstance(item, Call) and item.head == "measured"
            if is_measured and isinstance(item, Call) and item.args[1] != unit:
                return Call("add", tuple(items))
            values.append(item.args[0] if is_measured and isinstance(item, Call) else item)
        return call("measured", Call("add", tuple(values)), unit)
    return Call("add", tuple(items))


def _quotient(above: list[Node], below: list[Node]) -> Node:
    if not below:
        return product(above)
    return call("div", product(above), product(below))
