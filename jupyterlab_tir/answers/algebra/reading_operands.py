r"""Reading the smallest things that have a value: numbers, constants, words, named sets."""

from __future__ import annotations

from .reading_groups import Groups
from .reading_names import Names
from .reading_structures import Structures
from .reading_values import based, chosen_from, number, product, repeating_number
from .tokens import ReadError, Token
from .tree import CONSTANTS, Constant, Node, Text, call, whole

_BEFORE_WORDS = frozenset({"(", "[", "{", "\\{", ",", ";", "=", "&", "\\\\", ":", "->"})
_AFTER_WORDS = frozenset({")", "]", "}", "\\}", ",", ";", "=", "&", "\\\\"})
_MARKED_SETS = frozenset({"reals", "integers", "rationals", "naturals"})
_MARKS = frozenset({"+", "-", "*", ">", "<", ">=", "<="})


class Operands(Names, Groups, Structures):
    """Numbers and words; other operands are handed on."""

    def operand(self) -> Node:
        """Read one operand.

        Raises
        ------
        ReadError
            Where none begins.
        """
        self.deeper()
        node = self.any_operand(self.token.kind)
        self.depth -= 1
        return node

    def any_operand(self, kind: str) -> Node:  # noqa: PLR0911 - one for each kind
        """Read an operand that begins with a token of some kind."""
        token = self.token
        if kind == "number":
            return self.written_number()
        if kind == "name" or (kind == "constant" and token.text in {"i", "e"}):
            return self.name()
        if kind == "sign":
            return self.prefixed() or self.group()
        if kind == "function":
            return self.function()
        if kind == "currency":
            return self.money()
        if kind == "command":
            return self.structure()
        if kind == "callable":
            return self.callable()
        if kind == "begin":
            return self.environment()
        return self.plain_operand(self.take())

    def plain_operand(self, token: Token) -> Node:  # noqa: PLR0911 - one for each kind
        """An operand of one token."""
        kind, text = token.kind, token.text
        if kind == "repeating":
            return repeating_number(text)
        if kind == "imaginary":
            return product([number(text), Constant("i")])
        if kind == "based":
            return based(text)
        if kind == "choose":
            return chosen_from(text)
        if kind == "constant" and text in CONSTANTS:
            return Constant(text)
        if kind == "set":
            return self.known_set(text)
        if kind == "string":
            return Text(text)
        if kind == "words" and self.is_alone():
            return Text(text)
        raise ReadError(f"no value at {text!r}" if text else "the end comes too early")

    def is_alone(self) -> bool:
        """Whether the token just read is a whole element of its list."""
        before = self.tokens[self.position - 2] if self.position > 1 else None
        after = self.token
        return (before is None or before.text in _BEFORE_WORDS or before.kind == "words") and (
            after.kind in {"stop", "words"} or after.text in _AFTER_WORDS
        )

    def known_set(self, name: str) -> Node:
        r"""A named set, `\mathbb{R}^+` and `\mathbb{Z}_{>0}` too."""
        node = call(name)
        following = [self.ahead(step).text for step in range(4)]
        if following[:1] not in (["^"], ["_"]) or name not in _MARKED_SETS:
            return node
        marks = following[1:] if following[1] != "{" else following[2:]
        starts_at_zero = name == "naturals" and marks[:1] == ["0"]
        if not marks or not (marks[0] in _MARKS or starts_at_zero):
            return node
        self.take()
        closes = self.accept("{")
        mark = self.take().text
        if self.token.kind == "number":
            self.take()
        if closes:
            self.expect("}")
        zero, infinite = whole(0), Constant("infinity")
        if name == "naturals":
            part = call("closed_open" if mark == "0" else "open", zero, infinite)
            return call("intersection", call("integers"), part)
        if mark == "*":
            return call("difference", node, call("set", zero))
        if mark in {"-", "<", "<="}:
            head = "open_closed" if mark == "<=" else "open"
            part = call(head, call("neg", infinite), zero)
        else:
            part = call("closed_open" if mark == ">=" else "open", zero, infinite)
        return part if name == "reals" else call("intersection", node, part)

    def written_number(self) -> Node:
        """Read a number; with a fraction right after it, a mixed number."""
        token = self.take()
        value = number(token.text)
        if not token.text.isdigit():
            return value
        fraction = self.proper_fraction()
        return value if fraction is None else call("add", value, fraction)

    def proper_fraction(self) -> Node | None:
        r"""Read `\frac12` or ` 1/2` after a whole number, if it is less than one."""
        if self.at_command("frac"):
            steps = 1
            parts: list[str] = []
            for _ in range(2):
                braced = self.ahead(steps).text == "{"
                parts.append(self.ahead(steps + braced).text)
                if braced and self.ahead(steps + 2).text != "}":
                    return None
                steps += 3 if braced else 1
            if self.ahead(2).kind == "number" and len(self.ahead(1).text) == 2:  # noqa: PLR2004
                return None
            digits = parts[0] if self.ahead(1).text != "{" else ""
            if len(digits) == 2:  # noqa: PLR2004 - \frac12: both are in one token
                parts, steps = list(digits), 2
            return self.fraction_of(parts, steps)
        if self.token.kind == "number" and self.token.spaced and self.ahead(1).text == "/":
            if self.ahead(2).kind != "number" or self.ahead(3).text == "^":
                return None
            return self.fraction_of([self.token.text, self.ahead(2).text], 3)
        return None

    def fraction_of(self, parts: list[str], steps: int) -> Node | None:
        """The fraction of two integers, read on past it, if it is proper."""
        above, below = parts
        if not (above.isdigit() and below.isdigit()):
            return None
        numerator, denominator = number(above), number(below)
        if numerator.value >= denominator.value:
            return None
        self.position += steps
        return call("div", numerator, denominator)
