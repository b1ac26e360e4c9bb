# ruff: noqa: RUF001, SIM905 - texts as models write them
"""Laws of the reader: one error, limits in time and size, equal spellings, no evaluation."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyterlab_tir.answers.algebra.reader import MAX_NODES, ReadError, read
from jupyterlab_tir.answers.algebra.reading_cursor import MAX_DEPTH
from jupyterlab_tir.answers.algebra.tree import Call, Constant, Name, Text, walk

from .shown import readings, show

SOUP = (
    r" \frac \sqrt \sin \log \ln \sum_{k=1}^{n} \int_0^1 dx \lim_{x\to0} \left( \right)"
    r" \left| \right| \begin{pmatrix} \end{pmatrix} \begin{cases} \end{cases} & \\"
    r" \text{cm} \text{or} \{ \} \mid \pm \cup \setminus \mathbb{R} \in \le \equiv \pmod{5}"
    r" \overline{6} \binom \circ \infty \pi ^ _ { } ( ) [ ] | , ; : = < > ! !! ' + - * / **"
    r" % $ 1 12 0.5 1e5 1,234 1_000 x y i e f a n and or if cm sin sqrt( Fraction("
    r" Interval( Sum( Matrix( True I E oo ½ ² √ ≤ ∪ ∞"
).split()

SAME = (
    (r"\frac{1}{2}", r"\dfrac12", r"\frac12", "½", "1/2"),
    (r"2\pi", "2pi", "2π", "2*pi", r"2 \cdot \pi", "2×π"),
    (r"x^{2}", "x^2", "x²", "x**2"),
    (r"\{1, 2\}", "{1, 2}", "FiniteSet(1, 2)", r"\left\{1,2\right\}"),
    (r"x \ge 2", r"x \geq 2", r"x \geqslant 2", "x ≥ 2", "x >= 2", "Ge(x, 2)"),
    (r"\lfloor x \rfloor", "⌊x⌋", "floor(x)", r"\left\lfloor x \right\rfloor"),
    (r"\binom{5}{2}", r"{5 \choose 2}", "binomial(5, 2)", "C(5, 2)", "comb(5, 2)"),
    (r"\sqrt{2}", r"\sqrt2", "√2", "sqrt(2)", r"\sqrt 2"),
    (r"\sum_{k=1}^{n} k", r"\sum\limits_{k=1}^n k", r"\sum^n_{k=1} k", "Sum(k, (k, 1, n))"),
    (r"|x|", r"\left|x\right|", r"\lvert x\rvert", "Abs(x)", "abs(x)"),
    ("1+2i", "1+2j", r"1+2\mathrm{i}", "1 + 2*I"),
    (r"\arcsin x", r"\sin^{-1} x", r"\operatorname{arcsin}(x)", "asin(x)"),
    (r"x_{1}", "x_1", "x₁", "x1"),
    (r"\begin{pmatrix}1&2\end{pmatrix}", "Matrix([[1, 2]])", r"\begin{bmatrix}1 & 2\end{bmatrix}"),
    (r"\mathbb{R}", r"\mathbb R", "ℝ", "Reals", "S.Reals"),
)  # fmt: skip


@pytest.mark.parametrize("spellings", SAME, ids=lambda spellings: spellings[0])
def test_spellings_of_one_thing_read_as_one_tree(spellings: tuple[str, ...]) -> None:
    assert len({show(read(spelling)[0]) for spelling in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 mod 7", "5 mod 11"),
        (r"\bar z", "z"),
        ("z^*", "z"),
        (r"\Pi", r"\pi"),
        ("3rd", "3"),
        ("7 squared", "7"),
        ("7 million", "7"),
        ("2:30 pm", "2:30 am"),
        ("3 boys and 2 girls", "2 boys and 3 girls"),
        ("1,234", "1.234"),
        ("(x+1)/2", "x+1/2"),
        ("0.1(6)", "0.16"),
        ("-2^2", "(-2)^2"),
        (r"\sin 2x", r"\sin 2 + x"),
        ("(1,2)", "[1,2]"),
        ("(1,2]", "[1,2)"),
        ("x<1 or x>3", "x<1 and x>3"),
        ("F_n", "F_m"),
        ("2 1/3", "2/3"),
        (r"\{1\}", "(1)"),
    ],
)
def test_different_things_read_differently(one: str, other: str) -> None:
    assert not set(read(one)) & set(read(other))


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "(", ")", "x=", "5 *", r"\frac{1}{2", "29_2", "1.234.567", r"\foo x",
        r"\det(A)", "5 if n is even", "1 in 4", "1+2+...+n", r"\begin{pmatrix}1&2\\3\end{pmatrix}",
        "3.14159...", r"\int x^2", r"\sum_k k", "(0,1,2]", "Fraction(1, 2, 3)",
        "len(open('/etc/hostname').read())*x", "__import__('os').system('ls')", "P(A|B)",
        "5 not", "x = 5 impossible", "5 at most", "at most 5", r"n\text{th}", "6 ft 2 in",
        "5 quarter", "5 million 3",
        r"\langle K\rangle \gg \Delta D", "1011_{99}", "Symbol(", "mpf('1.-5')", "5 + Tuesday",
    ],
)  # fmt: skip
def test_what_is_no_mathematics_is_refused(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


def test_ambiguous_forms_have_both_readings_the_likelier_first() -> None:
    assert readings("1/2x") == "(div x 2) | (div 1 (mul 2 x))"
    assert readings("a/bc") == "(div a (mul b c)) | (div (mul a c) b)"
    assert readings(r"\log x") == "(log x) | (log x 10)"
    assert len(read(r"\log 1/2x \cdot \sin 2y \cdot 0.1(6)")) == 4


def test_plain_forms_have_one_reading() -> None:
    for text in ("5", r"\frac12", "(1,2)", "x=5", "2x+1", r"\sin x", r"\log_2 x", r"\sin^{-1}x"):
        assert len(read(text)) == 1


def test_a_letter_before_a_bracket_is_a_factor_where_it_stands_as_one() -> None:
    assert readings(r"\frac13 h(a+b)") == (
        "(mul (div 1 3) (apply:h (add a b))) | (mul (div 1 3) h (add a b))"
    )
    assert readings("2h(b)") == "(mul 2 (apply:h b)) | (mul 2 h b)"
    assert readings("h(a+h)") == "(mul h (add a h)) | (apply:h (add a h))"
    assert readings("f(2)") == "(apply:f 2) | (mul f 2)"
    assert readings("f(x)g(x)") == "(mul (apply:f x) (apply:g x)) | (mul f x g x)"


def test_a_letter_that_is_defined_or_derived_is_a_function_wherever_it_stands() -> None:
    assert readings("T(n)=2T(n/2)+n") == "(eq (apply:T n) (add (mul 2 (apply:T (div n 2))) n))"
    assert readings("f(x) = 2f(1)") == "(eq (apply:f x) (mul 2 (apply:f 1)))"
    assert readings("2f(x)+f'(x)") == "(add (mul 2 (apply:f x)) (apply:f' x))"
    assert readings(r"y{\left(x \right)} = C_{1} e^{x}") == "(eq (apply:y x) (mul C_1 (pow e x)))"


def test_an_index_of_a_sum_is_a_variable_even_if_its_letter_is_i() -> None:
    (tree,) = read(r"\sum_{i=1}^{n} i^2 + i")
    assert isinstance(tree, Call)
    inside, outside = tree.args
    assert Name("i") in set(walk(inside))
    assert outside == Constant("i")


def test_a_lone_letter_of_a_choice_is_text_and_a_variable_elsewhere() -> None:
    assert read("(B)") == (Text("B"),)
    assert readings("A = 3") == "(eq A 3)"
    assert readings("A+B") == "(add A B)"


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=60))
def test_any_text_reads_or_is_refused(text: str) -> None:
    try:
        trees = read(text)
    except ReadError:
        return
    assert 1 <= len(trees) <= 4


@settings(max_examples=600, deadline=None)
@given(st.lists(st.sampled_from(SOUP), max_size=30), st.sampled_from(["", " "]))
def test_any_soup_of_tokens_reads_or_is_refused(pieces: list[str], joint: str) -> None:
    try:
        trees = read(joint.join(pieces))
    except ReadError:
        return
    assert all(sum(1 for _ in walk(tree)) <= MAX_NODES for tree in trees)


_LENGTH = 20_000
HOSTILE = {
    "digits": "9" * _LENGTH, "spaces": "1" + " " * (_LENGTH - 2) + "1", "letters": "a1" * 10_000,
    "brackets": "(" * 5_000 + "1" + ")" * 5_000, "signs": "-" * (_LENGTH - 1) + "1",
    "factorials": "1" + "!" * (_LENGTH - 1), "tower": "^".join("9" * 10_000),
    "quotient": "/".join("1" * 10_000), "list": ",".join("1" * 10_000),
    "fractions": "\\frac" * 4_000, "mixed": "2\\frac{" * 2_800, "text": "\\text{" * 3_300,
    "sines": "\\sin " * 4_000, "bars": "|x" * 10_000, "quotes": "'" * _LENGTH,
    "subscripts": "x_" * 10_000, "logarithms": "\\log_" * 4_000, "integrals": "\\int " * 4_000,
    "sums": "\\sum_{k=1}^{n}" * 1_400, "cases": "\\begin{cases}" * 1_500, "not": "~(" * 10_000,
    "backslashes": "\\" * _LENGTH, "exponents": "1e" * 10_000, "calls": "Integer(" * 2_500,
    "units": "5 cm" + " cm" * 6_000, "relations": "<".join("1" * 10_000),
    "radix": "0x" + "f" * 9_000,
    "unions": "\\cup ".join(["x"] * 3_000), "double signs": "\\pm ".join(["1"] * 3_000),
    "choices": "C_" + "{n" * 9_000, "wrapped": "f{(" * 6_000, "labels": "word: " * 3_300,
    "conditions": "1 for " * 3_300, "based": "(A" * 9_000, "remarks": "(no " * 5_000,
    "unit groups": "5\\mathrm{m/s" * 1_600, "styled units": "5\\mathrm{" + "m/" * 9_900,
    "definitions": "f(x," * 5_000, "constants": "where " * 3_300 + "constant",
    "scales": "1 million " * 1_600, "ranks": "1st " * 5_000, "raised ranks": "3^{rd" * 3_300,
    "clocks": "1:30 p. " * 2_500, "unit words": "5 cm" + " ab" * 6_600,
    "spaces ~": "1" + "~" * 9_000,
    "colours": "\\color{red}" * 1_800, "marks": "\\square " * 2_500, "stars": "z^*" * 6_600,
    "bars over": "\\bar{" * 4_000, "counts": "1 ab cd, " * 2_200, "moduli": "5 mod " * 3_300,
    "number words": "one " * 5_000, "hidden": "\u200b" * _LENGTH, "alphabets": "𝑥" * _LENGTH,
    "barred bars": "\\bar{" * 40 + "x" * 5_000 + "}" * 40, "squares": "x squared " * 2_000,
    "differentials": "\\int " + "dx" * 9_000, "over": "1\\over " * 2_500, "apply": "f(" * 10_000,
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_of_the_greatest_length_ends_in_time(text: str) -> None:
    started = time.process_time()
    with suppress(ReadError):
        read(text)
    # Linear takes a fifth of a second here; the slowest quadratic pattern took sixteen.
    assert time.process_time() - started < 3


def test_a_text_beyond_the_limit_is_refused_at_once() -> None:
    started = time.process_time()
    with pytest.raises(ReadError, match="longer than we read"):
        read("9" * 10_000_000)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("(", ")"), ("{(", ")}"), (r"\sqrt{", "}"), ("f(", ")"), ("|(", ")|"), ("2^{", "}")],
)
def test_nesting_is_read_to_the_limit_and_refused_beyond_it(opening: str, closing: str) -> None:
    levels = MAX_DEPTH // 2 - 1
    assert read(opening * levels + "x" + closing * levels)
    deep = MAX_DEPTH * 40
    with pytest.raises(ReadError):
        read(opening * deep + "x" + closing * deep)


def test_integers_of_six_thousand_digits_are_read_and_longer_ones_refused() -> None:
    tree = read("9" * 6_000)[0]
    assert show(tree.args[0] if isinstance(tree, Call) else Text("read")) == '"read"'
    with pytest.raises(ReadError, match="integer longer"):
        read("9" * 6_001)
    with pytest.raises(ReadError, match="exponent larger"):
        read("1e999999999")


def test_nothing_is_computed_while_reading() -> None:
    started = time.process_time()
    assert readings("9**9**9") == "(pow 9 (pow 9 9))"
    assert readings("999999999!") == "(factorial 999999999)"
    assert readings("Sum(k, (k, 1, 1000000))") == "(sum k k 1 1000000)"
    assert time.process_time() - started < 0.5
