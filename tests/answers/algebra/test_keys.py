r"""Keys of trees: what is one candidate, and what is not, kind by kind."""

from __future__ import annotations

from itertools import combinations

import pytest

from jupyterlab_tir.answers.algebra.dispatch import UnkeyedError
from jupyterlab_tir.answers.algebra.keys import keys_of
from jupyterlab_tir.answers.algebra.reader import ReadError, read
from jupyterlab_tir.answers.algebra.service import OPERATIONS
from jupyterlab_tir.answers.working import Request


def key(text: str) -> str:
    return keys_of(read(text))[0]


def readings(text: str) -> tuple[str, ...]:
    return keys_of(read(text))


# Each line is one candidate in several spellings; different lines of a group are different ones.
GROUPS = {
    "radicals": [
        [r"\sqrt{8}", "2*sqrt(2)", r"2\sqrt2", r"\frac{4}{\sqrt{2}}", "8^{1/2}", "√8"],
        [r"\sqrt{3+2\sqrt{2}}", r"1+\sqrt{2}", "1 + sqrt(2)"],
        [r"1-\sqrt2"],
        [r"\sqrt[3]{-8}", "-2"],
    ],
    "constants": [
        [r"2\pi", "2*pi", r"\frac{4\pi}{2}", "2π"],
        ["6.283185"],
        [r"e^{i\pi}", "-1", r"\cos\pi"],
        [r"\ln e^2", "2", r"\log_2 4"],
        [r"\infty", "oo", r"+\infty"],
        [r"-\infty", "-oo"],
    ],
    "expressions": [
        ["(x+1)^2", "x^2+2x+1", "x**2 + 2*x + 1", "(x+1)(x+1)"],
        ["x^2+1"],
        [r"\sqrt{x^2}", "|x|"],
        ["x"],
        ["2n+1", "n+n+1"],
        ["2m+1"],
        [r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}"],
        ["x - x + 5", "5", r"5\sin^2 x + 5\cos^2 x"],
    ],
    "pieces": [
        [r"|x-1000|", r"\sqrt{(x-1000)^2}", r"|1000-x|"],
        ["1000-x"],
        [r"\max(x,100)"],
        [r"\max(x,1000)-900"],
        [r"\min(x,500)"],
        ["x"],
        [r"\lceil x\rceil"],
        [r"\lfloor x\rfloor+1"],
        [r"\lfloor x/1000\rfloor"],
        [r"\lfloor x/2000\rfloor"],
        [r"n \bmod 100"],
        [r"n \bmod 200"],
        [r"\gcd(n,1000)"],
        [r"\gcd(n,2000)"],
        ["n"],
        [r"2\sqrt{x}", r"\sqrt{4x}", "2x^{1/2}"],
    ],
    "smooth": [
        ["|x-4|^2", "(x-4)^2"],
        ["|x^2+1|", "x^2+1", r"\sqrt{(x^2+1)^2}"],
        [r"\sqrt{4^n}", "2^n"],
        [r"\cos(\arctan x)", r"1/\sqrt{1+x^2}"],
        [r"\binom{n}{2}", "n(n-1)/2"],
    ],
    "told": [
        [r"20\% increase", r"20\%\text{ increase}"],
        [r"20\% decrease"],
        [r"20\%", "20"],
        ["5 km north"],
        ["5 km south"],
        [r"x \approx 3.5", "3.5"],
        [r"x \approx 2.5"],
    ],
    "alternatives": [
        [r"x=0 \text{ or } y=0", r"y=0 \text{ or } x=0"],
        ["x=0, y=0"],
        ["x=1, y=2 or x=3, y=4", "x=3, y=4 or x=1, y=2"],
        [r"\{x \mid x<-1 \text{ or } x>3\}", r"(-\infty,-1)\cup(3,\infty)"],
        [r"\frac{9}{10}\text{ or }0.9", "9/10"],
    ],
    "counters": [
        ["(-1)^n", r"\cos(n\pi)", r"\frac{1}{(-1)^n}"],
        ["(-1)^{2n}", "1"],
        [r"\lceil n/2\rceil", r"\lfloor\frac{n+1}{2}\rfloor"],
        [r"\lfloor n/1000\rfloor"],
        [r"\sin(\pi x)"],
        [r"\sin(2\pi x)"],
        ["0"],
    ],
    "equations": [
        ["y=2x+1", "2x-y+1=0", "Eq(y, 2*x + 1)", "-4x+2y=2"],
        ["y=2x-1"],
        ["x=2y+1"],
        ["x^2+y^2=1"],
        ["x=5", "5=x", "5", "f(2)=5", "[{x: 5}]", "AB = 5", "|AB| = 5"],
        ["p+q = 181+24 = 205", "205"],
        [r"A = \pi r^2 = 4\pi", r"4\pi"],
    ],
    "systems": [
        ["m=4, n=7", r"n=7 \text{ and } m=4"],
        ["m=7, n=4"],
        ["x+y=1, x-y=3"],
    ],
    "solutions": [
        ["x=1 or x=-2", r"\{-2, 1\}", "1, -2", "-2; 1"],
        ["x=-1 or x=2"],
        [r"2\pm\sqrt3", r"\{2-\sqrt3, 2+\sqrt3\}", r"x = 2 \pm \sqrt{3}"],
        [r"\frac{4\pm\sqrt{3}}{2}"],
        [r"(1,\pm 1)", "(1,1),(1,-1)"],
        [r"\emptyset", r"\{\}", "set()", "EmptySet"],
        [r"\{\emptyset\}"],
        ["0"],
    ],
    "intervals": [
        ["x<3", r"(-\infty,3)", "3 > x", "-x > -3", "Interval.open(-oo, 3)", "x-1<2"],
        [r"x\le 3", r"(-\infty,3]"],
        ["(x >= 0) & (x < 3)", "[0,3)", "0 <= x < 3", "Interval.Ropen(0, 3)"],
        [r"\mathbb{R}\setminus\{2\}", r"x\ne 2", r"(-\infty,2)\cup(2,\infty)"],
        [r"m \in [\sqrt{2}, +\infty)", r"m \geq \sqrt{2}"],
        ["x>0, x\\ne 1", r"(0,1)\cup(1,\infty)"],
        ["x^2<4", "|x|<2", "-2<x<2"],
        [r"x>7", r"x>7, x\in\mathbb{R}"],
        [r"x>7, x\in\mathbb{Z}"],
    ],
    "matrices": [
        [r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "Matrix([[1, 2], [3, 4]])"],
        [r"\begin{pmatrix}1&3\\2&4\end{pmatrix}"],
        [r"\frac12\begin{bmatrix}2\\4\end{bmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"],
        [r"\begin{pmatrix}1&2\end{pmatrix}"],
    ],
    "complex": [
        ["3+4i", "(3+4j)", "3 + 4*I", "3.0 + 4.0*I"],
        ["3-4i"],
        [r"2e^{i\pi/3}", r"1+\sqrt3 i"],
        ["a+bi"],
        ["a-bi"],
    ],
    "others": [
        ["1:2:3", "2:4:6"],
        ["1:4:9"],
        ["3:4", r"\frac34", r"75\%/100"],
        ["1011_2", "11", "0b1011"],
        ["1011_3"],
        ["(A)", r"\mathrm{A}", "A"],
        ["B"],
        [r"x \equiv 3 \pmod 7", r"x \equiv 10 \pmod{7}"],
        [r"x \equiv 3 \pmod 8"],
        ["no", "No.", r"\text{No}"],
    ],
}  # fmt: skip


@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_spellings_share_a_key_and_different_answers_do_not(group: list[list[str]]) -> None:
    keys = [{text: key(text) for text in spellings} for spellings in group]
    for found in keys:
        assert len(set(found.values())) == 1, found
    for one, other in combinations(keys, 2):
        assert not set(one.values()) & set(other.values())


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("(0, 1)", "Interval.open(0, 1)"),
        ("1, 2", "(1, 2)"),
        ("[1, 2, 3]", r"\{1,2,3\}"),
        ("y = 2x+1", "2x+1"),
        ("m=4, n=7", "(4, 7)"),
        (r"\{5\}", "5"),
        ("x=1, y=2 or x=3, y=4", "(1,2), (3,4)"),
        ("2x = 10", "5"),
        ("x^2 = 4", r"\pm 2"),
        ("a=b=4", "4"),
        (r"\log 100", "2"),
        ("1/2x", r"\frac{1}{2x}"),
        (r"\begin{pmatrix}4\\7\end{pmatrix}", "(4,7)"),
        ("no solution", r"\emptyset"),
        ("x_1=1, x_2=-2", r"\{-2, 1\}"),
        ("E", r"\mathrm{e}"),
        ("0.3333333333333333*x", r"\frac{x}{3}"),
    ],
)
def test_ambiguous_form_has_the_other_reading_too(text: str, other: str) -> None:
    assert key(text) != key(other)
    assert key(other) in readings(text)


def test_floats_keep_their_type_inside_of_wholes() -> None:
    assert key("2*1.4142135623730951") == "f:2.8284271247461903"
    assert key("(1.4142135623730951, 1)") == "s:(f:1.4142135623730951,q:1)"
    assert key("-1 + 1.2246467991473532e-16*I") == "q:-1"
    assert key("0.5 + 0.8660254037844386*I") == "c:(q:1/2,f:0.8660254037844386)"


def test_element_that_is_absorbed_by_another_counts() -> None:
    assert key(r"\pi+10^{-100}") != key(r"\pi")
    assert key("9^{9^9}").startswith("r:4.28124773175747")
    assert key(r"\frac{1}{2004!}") != key(r"\frac{1}{2006!}")


@pytest.mark.parametrize(
    "text",
    [
        "9^{9^{9^{9}}}",
        "9^{9^9}+1",
        r"\int_0^1 x^{x^x} dx",
        "1/0",
        r"\sum_{k=1}^{1000000} \sin(k^2)",
        "5 if n is even",
        "__import__('os').system('true')",
        "((((",
        r"n\ge 3 \text{ odd}",
        r"\{n \mid n \text{ is even}\}",
        r"\{1, 2, \ldots, 10\}",
    ],
)
def test_what_has_no_key_says_so(text: str) -> None:
    with pytest.raises((UnkeyedError, ReadError)):
        key(text)
    assert OPERATIONS["keys"](Request(1, "keys", text.encode(), 1.0)) == b"\x90"


def test_nesting_is_bounded() -> None:
    with pytest.raises((UnkeyedError, ReadError)):
        key(r"\{" * 100 + "1, x" + r"\}" * 100)
