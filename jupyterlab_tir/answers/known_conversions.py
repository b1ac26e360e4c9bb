"""What conversions make of values that were only written down: another form, or something new.

Reading a number out of a text, rounding or writing it out is another form of it; a base, lowest
terms, a modulus or what a text of Python says are worked out. Pure.
"""

from __future__ import annotations

import math
import re

from .echo_elements import state_of
from .echo_interpreter import Interpreter
from .echo_values import COMPUTED, WRITTEN, Kind, State, Value, known, made_of, texts
from .own_code import Arguments, Known
from .syntax import parse_quietly


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NAMED_NUMBERS = _words("pi e E I tau oo inf nan")
SPELLERS = _words("str repr format ascii dumps latex display Latex Markdown Math pprint dedent")
"""Functions that write out what they are given."""

READERS = _words("int float complex Decimal loads literal_eval")
"""Functions that read a literal out of a text."""

EVALUATORS = _words(
    "eval exec sympify S parse_expr Integer Float Rational Fraction N nsimplify simplify"
)
"""Functions that work out what a text of Python says."""

CONVERSIONS = (READERS | EVALUATORS | SPELLERS) - {"eval", "exec"} | _words("""
    abs bool bytes round floor ceil trunc mpf mpz int64 float64
""")
"""Functions that give back what they are given, in another form."""

_RATIOS = _words("Fraction Rational nsimplify")
_RATIO = re.compile(r"\s*(-?\d{1,300})\s*/\s*(\d{1,300})\s*")


class Conversions(Interpreter):
    """Evaluates conversions."""

    def convert(self, name: str, given: Arguments) -> Value:
        """Evaluate a conversion by its name."""
        if name in SPELLERS:
            return self._spelled(name, given)
        values, only = given.values(), given.only
        if name in EVALUATORS | READERS and only is not None and isinstance(only.constant, str):
            return self.read(name, only.constant)
        kind = max(map(made_of, values), default=Kind.WRITTEN)
        state = state_of(values)
        if name in {"complex", "abs", "int"} | _RATIOS and kind is Kind.WRITTEN:
            return self._worked_out(name, given, Value(kind, state))
        if any(isinstance(value.callee, Known) for value in values):
            # The digits of pi are more than its name.
            return COMPUTED
        is_same = only is not None and (
            only.container is not None or isinstance(only.constant, int)
        )
        return only if only is not None and is_same and kind is Kind.WRITTEN else Value(kind, state)

    def _spelled(self, name: str, given: Arguments) -> Value:
        values = [self.spelled(value) for value in given.values()] or [known("")]
        first = values[0]
        if name == "format" and is_other_base(values[-1].text):
            return COMPUTED
        kind, state = max(map(made_of, values)), state_of(values)
        if name == "str" and given.only is not None and first.state is State.KNOWN:
            state = State.KNOWN
        return texts(first.text, kind, state)

    def _worked_out(self, name: str, given: Arguments, plain: Value) -> Value:
        """Evaluate what converts numbers, unless there is something to work out."""
        numbers = [value.constant for value in given.places]
        match name, numbers:
            case "complex", [int() | float() as real, int() | float() as imaginary]:
                return known(complex(real, imaginary))
            case "complex" | "abs", [complex()]:
                return COMPUTED if name == "abs" else given.places[0]
            case "Fraction" | "Rational" | "nsimplify", [float()]:
                # A fraction is worked out of a decimal.
                return COMPUTED
            case "Fraction" | "Rational", [int() as above, int() as below]:
                # In lowest terms it is as it was written.
                return plain if math.gcd(above, below) == 1 else COMPUTED
            case "int", [int()] if not given.words:
                return given.places[0]
        with_base = name == "int" and len(given.values()) > 1
        return COMPUTED if with_base else plain

    def read(self, name: str, text: str) -> Value:
        """Evaluate a text; what stands there as a number is only another form of it."""
        ratio = _RATIO.fullmatch(text)
        if ratio is not None and name in EVALUATORS - {"eval", "exec"}:
            return WRITTEN if math.gcd(int(ratio[1]), int(ratio[2])) == 1 else COMPUTED
        if name in _RATIOS and "." in text:
            return COMPUTED
        tree = parse_quietly(text.strip())
        if tree is None or not tree.body:
            return WRITTEN
        last = tree.body[-1]
        if name != "exec" and len(tree.body) == 1 and hasattr(last, "value"):
            found = self.value(last.value)
            is_literal = made_of(found) is Kind.WRITTEN
            return found if is_literal or name not in READERS else WRITTEN
        self.run(tree.body)
        return known(None)

    def evaluate(self, name: str, given: Arguments) -> Value:
        """Evaluate `eval` and `exec`, if the text is known."""
        text = given.places[0].constant if given.places else None
        return self.read(name, text) if isinstance(text, str) else COMPUTED


def is_other_base(spec: str) -> bool:
    """Whether a format asks for a number's digits in another base, or for its hundredfold.

    >>> is_other_base("08b"), is_other_base(".2f")
    (True, False)
    """
    return spec[-1:] in {"b", "o", "x", "X", "%"}
