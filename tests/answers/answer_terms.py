"""Expressions for property tests, built, rewritten and evaluated apart from the code under test."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import mpmath
from hypothesis import strategies as st

# Each operation: how LaTeX and Python write it, and its value.
LATEX = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": r"{} \cdot {}",
    "div": r"\frac{{{}}}{{{}}}",
    "square": "{}^{{2}}",
    "cube": "{}^3",
    "sin": r"\sin\left({}\right)",
    "cos": r"\cos({})",
    "exp": "e^{{{}}}",
}
PYTHON = {
    "add": "({} + {})",
    "sub": "({} - {})",
    "mul": "{}*{}",
    "div": "({})/({})",
    "square": "({})**2",
    "cube": "({})**3",
    "sin": "sin({})",
    "cos": "cos({})",
    "exp": "exp({})",
}
VALUES: dict[str, Callable[..., mpmath.mpf]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "square": lambda a: a * a,
    "cube": lambda a: a * a * a,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "exp": mpmath.exp,
}
SUMS = ("add", "sub")
# Operations whose LaTeX says no bracket where an operand needs one.
LATEX_BARE = {"mul": (*SUMS, "div"), "square": tuple(LATEX), "cube": tuple(LATEX)}
SLIPS = {"add": "sub", "sub": "add", "mul": "add", "sin": "cos", "cos": "sin", "square": "cube"}


class Term(NamedTuple):
    """An operation on terms, or a leaf: "leaf" with a number or a variable's name."""

    operation: str
    parts: tuple[Term, ...] = ()
    leaf: Fraction | str = ""


def number(value: int) -> Term:
    return Term("leaf", leaf=Fraction(value))


def of(operation: str, *parts: Term) -> Term:
    return Term(operation, parts)


MINUS, TWO, THREE = number(-1), number(2), number(3)
leaves = st.one_of(
    st.sampled_from(("x", "y")).map(lambda name: Term("leaf", leaf=name)),
    st.integers(1, 9).map(number),
)


def _grow(smaller: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(of, st.sampled_from(("add", "sub", "mul")), smaller, smaller),
        st.builds(of, st.just("div"), smaller, st.integers(2, 7).map(number)),
        st.builds(of, st.sampled_from(("square", "cube")), smaller),
        st.builds(of, st.sampled_from(("sin", "cos", "exp")), leaves),
    )


terms = st.recursive(leaves, _grow, max_leaves=5)


def latex(term: Term) -> str:
    if term.operation == "leaf":
        return str(term.leaf)
    parts = [_latex_part(term.operation, place, part) for place, part in enumerate(term.parts)]
    return LATEX[term.operation].format(*parts)


def _latex_part(operation: str, place: int, part: Term) -> str:
    text = latex(part)
    weaker = LATEX_BARE.get(operation, ())
    second_of_sum = operation in SUMS and place == 1
    if part.operation in weaker or (second_of_sum and part.operation in SUMS):
        return rf"\left({text}\right)"
    return f"({text})" if text.startswith("-") else text


def python(term: Term) -> str:
    if term.operation == "leaf":
        text = str(term.leaf)
        return f"({text})" if text.startswith("-") else text
    return PYTHON[term.operation].format(*map(python, term.parts))


def evaluate(term: Term, at: dict[str, mpmath.mpf]) -> mpmath.mpf:
    if isinstance(term.leaf, Fraction):
        return mpmath.mpf(term.leaf.numerator)
    if term.operation == "leaf":
        return at[term.leaf]
    return VALUES[term.operation](*(evaluate(part, at) for part in term.parts))


def agree(a: Term, b: Term) -> bool:
    """Whether two terms have the same values, to 60 digits, at five points."""
    with mpmath.workdps(150):
        for step in range(5):
            at = {"x": mpmath.sqrt(2) / 3 + step, "y": mpmath.cbrt(5) / 2 - mpmath.mpf(step) / 7}
            one, other = evaluate(a, at), evaluate(b, at)
            if abs(one - other) > mpmath.mpf(10) ** -60 * (1 + abs(one)):
                return False
    return True


def rewritten(term: Term) -> list[Term]:
    """Terms that one law of arithmetic each makes of this one."""
    if isinstance(term.leaf, Fraction):
        return [of("sub", number(int(term.leaf) + 1), number(1))]
    found = [of("div", of("mul", term, THREE), THREE)]
    match term.operation, term.parts:
        case "add", (a, b):
            found += [of("add", b, a), of("sub", a, of("mul", MINUS, b))]
        case "sub", (a, b):
            found += [of("add", of("mul", MINUS, b), a), of("mul", MINUS, of("sub", b, a))]
        case "mul", (a, b):
            found += [of("mul", b, a), of("div", of("mul", of("mul", TWO, b), a), TWO)]
            if b.operation in SUMS:
                found.append(of(b.operation, *(of("mul", a, part) for part in b.parts)))
        case "square", (a,):
            found.append(of("mul", a, a))
        case "sin", (a,):
            half = of("div", a, TWO)
            found.append(of("mul", TWO, of("mul", of("sin", half), of("cos", half))))
        case "cos", (a,):
            half = of("div", a, TWO)
            found.append(of("sub", of("square", of("cos", half)), of("square", of("sin", half))))
        case "exp", (a,):
            found.append(of("square", of("exp", of("div", a, TWO))))
    return found


def slipped(term: Term) -> list[Term]:
    """What a slip of the pen makes of a term; by luck one may be equal."""
    if isinstance(term.leaf, Fraction):
        return [number(int(term.leaf) + 1), number(-int(term.leaf))]
    found = [of("add", term, number(1)), of("mul", MINUS, term)]
    if term.operation in SLIPS:
        found.append(of(SLIPS[term.operation], *term.parts))
    if term.operation in SUMS:
        found.append(of(term.operation, *reversed(term.parts)))
    return found


def changed(term: Term, change: Callable[[Term], list[Term]]) -> list[Term]:
    """Return every result of a change at the top of a term or at one place below it."""
    results = change(term)
    for place, part in enumerate(term.parts):
        for inner in changed(part, change):
            parts = (*term.parts[:place], inner, *term.parts[place + 1 :])
            results.append(term._replace(parts=parts))
    return results


@st.composite
def equal_terms(draw: st.DrawFn) -> tuple[Term, Term]:
    """A term and another one that one to three laws of arithmetic make of it."""
    term = other = draw(terms)
    for _ in range(draw(st.integers(1, 3))):
        other = draw(st.sampled_from(changed(other, rewritten)))
    return term, other


@st.composite
def similar_terms(draw: st.DrawFn) -> tuple[Term, Term]:
    """A term and the same with one slip in it."""
    term = draw(terms)
    return term, draw(st.sampled_from(changed(term, slipped)))
