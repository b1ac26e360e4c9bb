r"""Reading the smallest things that have a value: numbers, names, constants, words.

A name takes its subscript, its primes and, for the letters that name functions, its arguments.
"""

from __future__ import annotations

from .reading_functions import label_of
from .reading_groups import Groups
from .reading_structures import Structures
from .reading_values import number, product, repeating_number
from .tokens import ReadError, Token
from .tree import CONSTANTS, Call, Constant, Name, Node, Text, call, whole
from .words import NUMBER_WORDS

_FUNCTION_LETTERS = frozenset("fghFGH")
_INDEX_LETTERS = frozenset("ijklmn")
_MAX_BASE = 36
_MAX_LABEL_TOKENS = 12
_BEFORE_WORDS = frozenset({"(", "[", "{", "\\{", ",", ";", "=", "&", "\\\\", ":", "->"})
_AFTER_WORDS = frozenset({")", "]", "}", "\\}", ",", ";", "=", "&", "\\\\"})


class Operands(Groups, Structures):
    """Numbers, names and words; other operands are handed on."""

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
            return self.group()
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
            return _based(text)
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
        if following[:1] not in (["^"], ["_"]) or name not in {"reals", "integers", "rationals"}:
            return node
        marks = following[1:] if following[1] != "{" else following[2:]
        if not marks or marks[0] not in {"+", "-", "*", ">", "<", ">=", "<="}:
            return node
        self.take()
        closes = self.accept("{")
        mark = self.take().text
        if self.token.kind == "number":
            self.take()
        if closes:
            self.expect("}")
        zero, infinite = whole(0), Constant("infinity")
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

    def name(self) -> Node:
        """Read a letter with all that belongs to it."""
        start = self.position
        token = self.take()
        letter = token.text
        if self.integrals and self.is_differential_at(start):
            return self.differential()
        is_marked = self.at("_") or (self.at("'") and letter == "i")
        if token.kind == "constant" and not is_marked and not self.is_variable(letter, start):
            return Constant(letter)
        if self.at("_") and not self.is_python:
            node = self.subscripted(letter)
            if isinstance(node, Call):
                return node
            letter = node.name
        return self.with_arguments(letter + self.primes(), start)

    def primes(self) -> str:
        r"""Read `'`, `^\prime` or `^{\prime\prime}` behind a name."""
        found = ""
        is_raised = self.at("^") and self.ahead(1).text == "'"
        is_braced = self.at("^") and self.ahead(1).text == "{" and self.ahead(2).text == "'"
        if is_raised or is_braced:
            self.position += 2 if is_braced else 1
        while self.accept("'"):
            found += "'"
        if is_braced:
            self.expect("}")
        return found

    def is_variable(self, letter: str, start: int) -> bool:
        """Whether `i` or `e` names a variable here: bound by a sum, or given a value."""
        if letter in self.bound:
            return True
        before = self.tokens[start - 1].text if start else ","
        return self.at("=") and before in {",", "", ";", "(", "{"} and letter == "i"

    def with_arguments(self, name: str, start: int) -> Node:
        """The name, or an unknown function with its arguments."""
        letter = name[0]
        is_function = letter in _FUNCTION_LETTERS and (len(name) == 1 or name[1] in "'_")
        inverse = [self.ahead(step).text for step in range(6)] == ["^", "{", "-", "1", "}", "("]
        if is_function and inverse:
            self.position += 5
            return Call(f"apply:{name}^-1", tuple(self.listed()))
        if self.at("(") and (is_function or "'" in name or self.is_definition(start)):
            return Call(f"apply:{name}", tuple(self.listed()))
        return Name(name)

    def is_definition(self, start: int) -> bool:
        """Whether `a(n) =` begins a statement: the letter then names a function."""
        before = self.tokens[start - 1].text if start else ","
        if before not in {",", ";", "{", "\\{"} and start:
            return False
        for step in range(1, _MAX_LABEL_TOKENS):
            token = self.ahead(step)
            if token.text == ")":
                return self.ahead(step + 1).text == "=" and step > 1
            if token.kind not in {"name", "constant", "number"} and token.text != ",":
                return False
        return False

    def subscripted(self, letter: str) -> Name | Call:
        """A name with its subscript; an index that varies makes it a sequence's term."""
        self.take()
        following = self.ahead(1)
        if self.at("{") and self.ahead(2).text == "}" and following.kind not in {"sign", "command"}:
            self.position += 3
            return _indexed(letter, following.text)
        if not self.at("{"):
            taken = self.token
            if taken.kind in {"name", "constant", "words", "function", "number"}:
                self.take()
                return _indexed(letter, taken.text)
            raise ReadError("a subscript that is no name")
        index = self.braced()
        parts = (
            index.args if isinstance(index, Call) and index.head in {"bare", "mul"} else (index,)
        )
        labels = [label_of(part) for part in parts]
        if all(label is not None and label not in _INDEX_LETTERS for label in labels):
            between = "," if isinstance(index, Call) and index.head == "bare" else ""
            return Name(f"{letter}_{between.join(str(label) for label in labels)}")
        is_list = isinstance(index, Call) and index.head in {"bare", "mul"}
        return Call(
            f"apply:{letter}_", tuple(_as_index(part) for part in (parts if is_list else (index,)))
        )


def _indexed(letter: str, label: str) -> Name | Call:
    if label in _INDEX_LETTERS:
        return call(f"apply:{letter}_", Name(label))
    return Name(f"{letter}_{label}")


def _as_index(node: Node) -> Node:
    if isinstance(node, Constant) and node.name == "i":
        return Name("i")
    if isinstance(node, Call):
        return Call(node.head, tuple(_as_index(part) for part in node.args))
    return node


def _based(text: str) -> Call:
    digits, _, written = text.partition("|")
    base = NUMBER_WORDS.get(written) or (int(written) if written.isdigit() else 0)
    if not 1 < base <= _MAX_BASE:
        raise ReadError("no base of a number")
    for digit in digits.replace(".", "", 1):
        if not digit.isalnum() or not digit.isascii() or int(digit, 36) >= base:
            raise ReadError(f"{digit!r} is no digit in base {base}")
    return call("based", Text(digits), whole(base))
