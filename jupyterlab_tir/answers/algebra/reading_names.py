r"""Reading letters with all that belongs to them: index, primes, arguments, `C_n^k`.

A letter before a bracket is a function or a factor. Which one is likelier is told by the rest of
the answer, so what is met of each letter is kept for `reader`, which reads again where it must.
"""

from __future__ import annotations

from .reading_functions import Functions, label_of
from .tokens import ReadError, Token
from .tree import Call, Constant, Name, Node, call

_FUNCTION_LETTERS = frozenset("fghFGH")
_ORDERS = frozenset({"O", "Theta", "Omega"})
_INDEX_LETTERS = frozenset("ijklmn")
_COUNTING = {"C": "binomial", "P": "permutations", "A": "permutations"}
_COUNTED = frozenset("nkmrpqN")
_TOTALS = ("n", "N", "m")
_MAX_INDEX_TOKENS = 7
_MAX_ARGUMENT_TOKENS = 11
_MIN_CERTAIN_INDEX = 3
_OPENS_STATEMENT = frozenset({",", ";", "{", "\\{", "\\\\", "&"})


def defined_letters(tokens: list[Token]) -> frozenset[str]:
    """Letters that a statement's left side names as functions: T of "T(n) = 2T(n/2) + n"."""
    found: set[str] = set()
    for at, token in enumerate(tokens):
        if token.kind != "name" or tokens[at + 1].text != "(":
            continue
        before = tokens[at - 1] if at else None
        opens = before is None or token.wide or before.kind in {"words", "begin"}
        if (opens or (before is not None and before.text in _OPENS_STATEMENT)) and _is_defined(
            tokens[at + 2 : at + 3 + _MAX_ARGUMENT_TOKENS]
        ):
            found.add(token.text)
    return frozenset(found)


def _is_defined(following: list[Token]) -> bool:
    for step, token in enumerate(following[:-1]):
        if token.text == ")":
            return step > 0 and following[step + 1].text == "="
        if token.kind not in {"name", "constant", "number"} and token.text != ",":
            return False
    return False


def wrapped_arguments(tokens: list[Token]) -> frozenset[int]:
    r"""Where a group holds but a bracket: SymPy prints calls as `f{\left(x \right)}`."""
    found: set[int] = set()
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in {"(", "{"}:
            opened.append(at)
        elif token.text in {")", "}"} and opened:
            start = opened.pop()
            is_wrapped = token.text == ")" and start and tokens[start - 1].text == "{"
            if is_wrapped and tokens[at + 1].text == "}" and opened[-1:] == [start - 1]:
                found.add(start - 1)
    return frozenset(found)


class Names(Functions):
    """Letters."""

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
        counted = self.counted(letter)
        if counted is not None:
            return counted
        if self.at("_") and not self.is_python:
            node = self.subscripted(letter)
            if isinstance(node, Call):
                return node
            letter = node.name
        if self.is_starred():
            return Name(f"star:{letter}")
        return self.with_arguments(letter + self.primes())

    def is_starred(self) -> bool:
        """Read `^*` or `^{*}` behind a name; whether it stood there."""
        following = [self.ahead(step).text for step in range(4)]
        if following[:2] == ["^", "*"]:
            self.position += 2
        elif following == ["^", "{", "*", "}"]:
            self.position += 4
        else:
            return False
        return True

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

    def with_arguments(self, name: str) -> Node:
        """The name, or an unknown function with its arguments."""
        letter = name if name in _ORDERS else name[0]
        is_function = letter in _FUNCTION_LETTERS and (len(name) == 1 or name[1] in "'_")
        inverse = [self.ahead(step).text for step in range(6)] == ["^", "{", "-", "1", "}", "("]
        if is_function and inverse:
            self.position += 5
            self.certain.add(name)
            return Call(f"apply:{name}^-1", tuple(self.listed()))
        if self.position in self.wrapped:
            self.certain.add(letter)
            self.take()
            arguments = tuple(self.listed())
            self.expect("}")
            return Call(f"apply:{name}", arguments)
        if not self.at("("):
            self.bare.add(name)
            return Name(name)
        if "'" in name or letter in self.defined or name in _ORDERS:
            self.certain.add(letter)
        elif not is_function or name in self.multiplied:
            return Name(name)
        elif len(name) == 1 and not self.is_python:
            self.standing.add(name)
        return Call(f"apply:{name}", tuple(self.listed()))

    def likely_factors(self) -> frozenset[str]:
        """Letters before brackets that are rather factors, since they also stand without one."""
        return self.possible_factors() & self.bare

    def possible_factors(self) -> frozenset[str]:
        """Letters before brackets that may be factors."""
        return frozenset(self.standing - self.certain)

    def counted(self, letter: str) -> Node | None:
        """Combinations and permutations with both indices at the letter; else None."""
        if letter not in _COUNTING or self.is_python or not self.at("_", "^"):
            return None
        is_lower_first = self.at("_")
        steps = self.index_ahead(0)
        other = self.ahead(steps)
        if not steps or other.text != ("^" if is_lower_first else "_"):
            return None
        end = steps + self.index_ahead(steps)
        if end == steps:
            return None
        tokens = [self.ahead(step) for step in range(end)]
        first = [token.text for token in tokens[:steps] if token.kind in {"name", "number"}]
        second = [token.text for token in tokens[steps:] if token.kind in {"name", "number"}]
        lower, upper = (first, second) if is_lower_first else (second, first)
        totals, is_certain = _total_of(lower, upper, is_lower_first=is_lower_first)
        if not totals or (not is_certain and self.chosen("combinations")):
            return None
        indices: list[Node] = []
        for _ in range(2):
            self.take()
            indices.append(self.script())
        if (totals == "lower") != is_lower_first:
            indices.reverse()
        return Call(_COUNTING[letter], tuple(indices))

    def index_ahead(self, start: int) -> int:
        """Tokens of an index that counts something: digits, n, k, 2n, n - 1; 0 for another."""
        if self.ahead(start).text not in {"_", "^"}:
            return 0
        first = self.ahead(start + 1)
        if first.text != "{":
            return 2 if _is_counted(first) else 0
        for step in range(start + 2, start + 3 + _MAX_INDEX_TOKENS):
            token = self.ahead(step)
            if token.text == "}":
                return step + 1 - start if step > start + 2 else 0
            if not (_is_counted(token) or token.text in {"+", "-"}):
                return 0
        return 0

    def prefixed(self) -> Node | None:
        """`{}_{10}C_3` or `^{10}P_3`: indices on both sides of the letter; else None."""
        start = 2 if self.at("{") and self.ahead(1).text == "}" else 0
        steps = self.index_ahead(start)
        letter = self.ahead(start + steps)
        if not steps or letter.text not in _COUNTING or letter.kind not in {"name", "words"}:
            return None
        if not self.index_ahead(start + steps + 1):
            return None
        self.position += start + 1
        total = self.script()
        self.position += 2
        return call(_COUNTING[letter.text], total, self.script())

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


def _is_counted(token: Token) -> bool:
    return token.kind == "number" or (token.kind == "name" and token.text in _COUNTED)


def _total_of(lower: list[str], upper: list[str], *, is_lower_first: bool) -> tuple[str, bool]:
    """Which index is the number chosen from ("" for a power of a name), and whether it is sure."""
    sides = {"lower": lower, "upper": upper}
    if all(part.isdigit() for part in lower + upper) and len(lower) == len(upper) == 1:
        low, high = int(lower[0]), int(upper[0])
        if low < high:
            # C_1^2 is the square of a name; nobody writes C^10_3 but for combinations.
            return ("", True) if is_lower_first else ("upper", True)
        return "lower", low >= _MIN_CERTAIN_INDEX
    for letter in _TOTALS:
        holders = [side for side, parts in sides.items() if letter in parts]
        if len(holders) == 1:
            return holders[0], False
    return "lower", False


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
