"""Answers for property tests: values with spellings that are equal, or not, by construction.

What is right comes from how an answer was built, never from the code under test.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from hypothesis import strategies as st


class Spelled(NamedTuple):
    """A mathematical value and texts that all mean it.

    Two are the same mathematics just where their kinds and values are.
    """

    kind: str
    value: Hashable
    texts: tuple[str, ...]


def over(numerator: object, denominator: int) -> str:
    return str(numerator) if denominator == 1 else rf"\frac{{{numerator}}}{{{denominator}}}"


def latex_rational(value: Fraction) -> str:
    sign = "-" if value < 0 else ""
    return sign + over(abs(value.numerator), value.denominator)


def decimal(value: Fraction) -> str | None:
    """The finite decimal of a rational, where there is one of up to six places."""
    scaled = value * 10**6
    if scaled.denominator != 1:
        return None
    digits = str(abs(scaled.numerator)).zfill(7)
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-6]}.{digits[-6:]}".rstrip("0").rstrip(".")


def _rational_texts(value: Fraction, times: int) -> tuple[str, ...]:
    p, q = value.numerator, value.denominator
    whole, rest = divmod(abs(p), q)
    sign = "-" if p < 0 else ""
    texts = [
        rf"\frac{{{p}}}{{{q}}}",
        rf"\dfrac{{{p * times}}}{{{q * times}}}",
        f"{p}/{q}",
        f"Fraction({p}, {q})",
        f"${latex_rational(value)}$",
        rf"\boxed{{{latex_rational(value)}}}",
        rf"\left({latex_rational(value)}\right)",
        f"x = {latex_rational(value)}",
    ]
    if whole and rest:
        texts += [rf"{sign}{whole}\frac{{{rest}}}{{{q}}}", f"{sign}{whole} {rest}/{q}"]
    if (finite := decimal(value)) is not None:
        texts.append(finite)
    return tuple(texts)


def _integer_texts(value: int) -> tuple[str, ...]:
    grouped = f"{value:,}"
    return (
        str(value),
        f"${value}$",
        rf"\boxed{{{value}}}",
        f"{value}.",
        # With more digits it is a float, which meets an exact value in a tally only.
        f"{value}.0" if abs(value) < 10**10 else str(value),
        f"np.int64({value})",
        f"n = {value}",
        f"{value - 7}+7",
        grouped,
        grouped.replace(",", "{,}"),
        grouped.replace(",", r"\,"),
        str(value).replace("-", "\N{MINUS SIGN}"),
    )


def _surd_texts(a: int, b: int, c: int, d: int) -> tuple[str, ...]:
    """Spell (a + b·√d)/c, d free of squares, b not zero and c positive."""
    sign = "+" if b > 0 else "-"
    size = abs(b)
    norm = a * a - b * b * d
    texts = [
        rf"\frac{{{a} {sign} {size}\sqrt{{{d}}}}}{{{c}}}",
        rf"\frac{{{a}}}{{{c}}} {sign} \frac{{{size}\sqrt{{{d}}}}}{{{c}}}",
        rf"\dfrac{{{a} {sign} \sqrt{{{b * b * d}}}}}{{{c}}}",
        f"({a} + {b}*sqrt({d}))/{c}".replace("+ -", "- "),
        rf"\frac{{{3 * a} {sign} {3 * size} \cdot {d}^{{1/2}}}}{{{3 * c}}}",
        # The same with a rational numerator: (a² - b²d) / (c·(a - b√d)).
        rf"\frac{{{norm}}}{{{c}\left({a} {'-' if b > 0 else '+'} {size}\sqrt{{{d}}}\right)}}",
    ]
    return tuple(texts)


def _pi_texts(value: Fraction) -> tuple[str, ...]:
    p, q = value.numerator, value.denominator
    return (
        rf"\frac{{{p}\pi}}{{{q}}}",
        rf"\frac{{{p}}}{{{q}}}\pi",
        f"{p}*pi/{q}",
        f"{p}π/{q}",
        rf"\pi \cdot {latex_rational(value)}" if p > 0 else rf"{latex_rational(value)} \cdot \pi",
        rf"\frac{{{2 * p}\pi}}{{{2 * q}}}",
    )


def _complex_texts(a: int, b: int) -> tuple[str, ...]:
    sign = "+" if b > 0 else "-"
    return (
        f"{a}{sign}{abs(b)}i",
        f"{b}i {'+' if a >= 0 else '-'} {abs(a)}",
        f"{a} {sign} {abs(b)}*I",
        f"({a}{sign}{abs(b)}j)",
        rf"{a} {sign} {abs(b)}\mathrm{{i}}",
    )


def _in_base(value: int, base: int) -> str:
    digits = ""
    while value:
        value, digit = divmod(value, base)
        digits = "0123456789ABCDEF"[digit] + digits
    return digits or "0"


def _based_texts(value: int, base: int) -> tuple[str, ...]:
    digits = _in_base(value, base)
    return (f"{digits}_{{{base}}}", f"({digits})_{{{base}}}", f"{value}_{{10}}", hex(value))


def _set_texts(values: frozenset[Fraction]) -> tuple[str, ...]:
    orders = list(permutations(sorted(values)))
    texts: list[str] = []
    for order in (orders[0], orders[-1], orders[len(orders) // 2]):
        listed = [latex_rational(value) for value in order]
        texts += [
            rf"\{{{', '.join(listed)}\}}",
            rf"\left\{{{','.join(listed)}\right\}}",
            "{" + ", ".join(map(str, order)) + "}",
            " , ".join(listed),
            r" \text{ or } ".join(f"x = {value}" for value in listed),
        ]
    return tuple(texts)


def _tuple_texts(values: tuple[Fraction, ...]) -> tuple[str, ...]:
    listed = [latex_rational(value) for value in values]
    return (
        f"({', '.join(listed)})",
        rf"\left({','.join(listed)}\right)",
        rf"\langle {', '.join(listed)}\rangle",
        "(" + ", ".join(map(str, values)) + ")",
    )


def _matrix_texts(rows: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    body = r" \\ ".join(" & ".join(map(str, row)) for row in rows)
    return (
        rf"\begin{{pmatrix}}{body}\end{{pmatrix}}",
        rf"\begin{{bmatrix}} {body} \\ \end{{bmatrix}}",
        rf"\left[\begin{{array}}{{cc}}{body}\end{{array}}\right]",
        f"Matrix({[list(row) for row in rows]})",
    )


def _interval_texts(low: Fraction, high: Fraction, *, low_in: bool, high_in: bool) -> list[str]:
    """Spell an interval that is half open, and so can be nothing else."""
    a, b = latex_rational(low), latex_rational(high)
    left, right = "[" if low_in else "(", "]" if high_in else ")"
    less, less_too = (r"\le" if low_in else "<"), (r"\le" if high_in else "<")
    more, more_too = (r"\ge" if high_in else ">"), (r"\geq" if low_in else ">")
    name = "Ropen" if low_in else "Lopen"
    signs = ("<=" if low_in else "<", "<=" if high_in else "<")
    return [
        f"{left}{a}, {b}{right}",
        rf"\left{left}{a},{b}\right{right}",
        f"{a} {less} x {less_too} {b}",
        f"{b} {more} x {more_too} {a}",
        rf"x \in {left}{a},{b}{right}",
        f"Interval.{name}({low}, {high})",
        f"({low} {signs[0]} x) & (x {signs[1]} {high})",
        rf"\{{x \mid {a} {less} x {less_too} {b}\}}",
    ]


def _ray_texts(end: Fraction, *, below: bool, end_in: bool) -> tuple[str, ...]:
    shown = latex_rational(end)
    if below:
        sign, python, mirrored = (r"\le", "<=", r"\ge") if end_in else ("<", "<", ">")
        bracket = "]" if end_in else ")"
        return (
            rf"(-\infty, {shown}{bracket}",
            f"x {sign} {shown}",
            f"{shown} {mirrored} x",
            f"x {python} {end}",
            f"-2x {mirrored} {latex_rational(-2 * end)}",
        )
    sign, python, mirrored = (r"\ge", ">=", r"\le") if end_in else (">", ">", "<")
    bracket = "[" if end_in else "("
    return (
        rf"{bracket}{shown}, \infty)",
        rf"\left{bracket}{shown}, +\infty\right)",
        f"x {sign} {shown}",
        f"{shown} {mirrored} x",
        f"x {python} {end}",
        f"3x+1 {sign} {latex_rational(3 * end + 1)}",
    )


def _line_texts(a: int, b: int, c: int) -> tuple[str, ...]:
    """Spell a·x + b·y = c, none of a, b zero."""
    return (
        f"{a}x + {b}y = {c}".replace("+ -", "- "),
        f"{2 * a}x + {2 * b}y - {2 * c} = 0".replace("+ -", "- ").replace("- -", "+ "),
        f"{c} = {b}y + {a}x".replace("+ -", "- "),
        f"Eq({-a}*x + {-b}*y, {-c})".replace("+ -", "- "),
        rf"y = {latex_rational(Fraction(-a, b))}x + {latex_rational(Fraction(c, b))}".replace(
            "+ -", "- "
        ),
    )


small = st.integers(-9, 9)
positive = st.integers(1, 9)
nonzero = small.filter(bool)
rationals = st.fractions(min_value=-20, max_value=20, max_denominator=12)
integers = st.one_of(st.integers(-(10**4), 10**4), st.integers(-(10**40), 10**40)).map(
    lambda n: Spelled("rational", Fraction(n), _integer_texts(n))
)
fractions = st.builds(
    lambda value, times: Spelled("rational", value, _rational_texts(value, times)),
    rationals,
    st.integers(2, 9),
)


def _surd(a: int, b: int, c: int, d: int) -> Spelled:
    value = (Fraction(a, c), Fraction(b, c), d)
    return Spelled("surd", value, _surd_texts(a, b, c, d))


surds = st.builds(_surd, small, nonzero, positive, st.sampled_from((2, 3, 5, 6, 7, 10, 13)))
multiples_of_pi = rationals.filter(bool).map(lambda q: Spelled("pi", q, _pi_texts(q)))
complexes = st.tuples(small, nonzero).map(lambda ab: Spelled("complex", ab, _complex_texts(*ab)))
# One letter with an index is a variable as well.
based = st.tuples(st.integers(16, 5000), st.sampled_from((2, 3, 5, 6, 7, 8, 9, 16))).map(
    lambda vb: Spelled("rational", Fraction(vb[0]), _based_texts(*vb))
)
sets = st.frozensets(rationals, min_size=2, max_size=4).map(
    lambda values: Spelled("set", values, _set_texts(values))
)
tuples = st.lists(rationals, min_size=3, max_size=4).map(
    lambda values: Spelled("tuple", tuple(values), _tuple_texts(tuple(values)))
)
matrices = st.lists(st.tuples(small, small), min_size=2, max_size=3).map(
    lambda rows: Spelled("matrix", tuple(rows), _matrix_texts(tuple(rows)))
)


@st.composite
def _intervals(draw: st.DrawFn) -> Spelled:
    low, high = sorted(draw(st.lists(rationals, min_size=2, max_size=2, unique=True)))
    low_in = draw(st.booleans())
    texts = _interval_texts(low, high, low_in=low_in, high_in=not low_in)
    return Spelled("interval", (low, high, low_in), tuple(texts))


@st.composite
def _rays(draw: st.DrawFn) -> Spelled:
    end, below, end_in = draw(rationals), draw(st.booleans()), draw(st.booleans())
    return Spelled("ray", (end, below, end_in), _ray_texts(end, below=below, end_in=end_in))


@st.composite
def _lines(draw: st.DrawFn) -> Spelled:
    a, b, c = draw(nonzero), draw(nonzero), draw(small)
    return Spelled("line", (Fraction(b, a), Fraction(c, a)), _line_texts(a, b, c))


intervals = st.one_of(_intervals(), _rays())
lines = _lines()
numbers = st.one_of(integers, fractions, surds, multiples_of_pi, complexes, based)
answers = st.one_of(numbers, sets, tuples, matrices, intervals, lines)
