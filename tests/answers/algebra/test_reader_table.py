# ruff: noqa: RUF001 - texts as models write them
"""What answers read as, kind by kind: people's, LaTeX's, Python's and SymPy's spelling."""

from __future__ import annotations

import pytest

from .shown import readings

INTEGERS_AND_SEPARATORS = (
    ("-7", "(neg 7)"),
    ("004", "4"),
    ("1,234", "1234 | (bare 1 234)"),
    ("1{,}234", "1234"),
    (r"1\,234", "1234"),
    ("1 234", "1234"),
    ("1_234", "1234"),
    (r"32,\!768", "32768"),
    ("12 345 678", "12345678"),
    ("100,200", "100200 | (bare 100 200)"),
    ("1,000", "1000"),
    ("(1,000, 2,000)", "(tuple 1000 2000)"),
    ("(100,200)", "(tuple 100 200) | 100200"),
    ("63.", "63"),
    ("185\\", "185"),
    ("７", "7"),
    ("−7", "(neg 7)"),
    ("0b1011", "11"),
    ("0xff", "255"),
)

DECIMALS = (
    ("3.0", "3.0d"),
    ("-.5", "(neg .5d)"),
    ("1e-5", "1e-5d"),
    ("1.5E+10", "1.5E+10d"),
    ("12.000000000000002", "12.000000000000002d"),
    (r"0.1\overline{6}", "1/6"),
    ("0.(3)", "1/3"),
    ("0.1(6)", "1/6 | (mul 0.1d 6)"),
    (r"0.\dot{1}4285\dot{7}", "1/7"),
    (r"1.\overline{09}", "12/11"),
    ("0.1666...", "1/6"),
    (r"3.0 \cdot 10^{-2}", "(mul 3.0d (pow 10 (neg 2)))"),
    ("2 × 10^5", "(mul 2 (pow 10 5))"),
)

FRACTIONS = (
    (r"\frac12", "(div 1 2)"),
    (r"\dfrac{1}{3}", "(div 1 3)"),
    (r"\tfrac ab", "(div a b)"),
    (r"\frac{\pi}2", "(div pi 2)"),
    (r"\frac1{x+1}", "(div 1 (add x 1))"),
    (r"-\frac{3}{4}", "(neg (div 3 4))"),
    (r"{a \over b}", "(div a b)"),
    ("½", "(div 1 2)"),
    ("1½", "(add 1 (div 1 2))"),
    (r"2\frac13", "(add 2 (div 1 3))"),
    (r"-2\frac{1}{3}", "(neg (add 2 (div 1 3)))"),
    ("2 1/3", "(add 2 (div 1 3))"),
    ("7 3/4", "(add 7 (div 3 4))"),
    (r"2\frac{3}{2}", "(mul 2 (div 3 2))"),
    (r"\cfrac{1}{1+\cfrac{1}{2}}", "(div 1 (add 1 (div 1 2)))"),
    ("a/b/c", "(div a (mul b c))"),
    ("a/b*c/d", "(div (mul a c) (mul b d))"),
    ("1/2x", "(div x 2) | (div 1 (mul 2 x))"),
    ("1/2(3)", "(div 3 2) | (div 1 (mul 2 3))"),
    ("x/2y", "(div x (mul 2 y)) | (div (mul x y) 2)"),
    ("(x+1)/2", "(div (add x 1) 2)"),
)

POWERS_AND_ROOTS = (
    ("-2^2", "(neg (pow 2 2))"),
    ("2^-1", "(pow 2 (neg 1))"),
    ("a^b^c", "(pow a (pow b c))"),
    ("x^10", "(pow x 10)"),
    ("x²y³", "(mul (pow x 2) (pow y 3))"),
    ("10⁻³", "(pow 10 (neg 3))"),
    ("2**(1/3)", "(pow 2 (div 1 3))"),
    (r"\sqrt2", "(root 2 2)"),
    (r"\sqrt[3]{x}", "(root x 3)"),
    (r"\sqrt{x+\sqrt{x}}", "(root (add x (root x 2)) 2)"),
    ("√2x", "(mul (root 2 2) x)"),
    ("∛8", "(root 8 3)"),
    ("√(x+1)", "(root (add x 1) 2)"),
    (r"\sqrt 2 x", "(mul (root 2 2) x)"),
    (r"e^{i\pi}", "(pow e (mul i pi))"),
    ("e^ix", "(pow e (mul i x))"),
)

COMBINATORICS = (
    ("5!", "(factorial 5)"),
    ("5!!", "(factorial2 5)"),
    ("(n+1)!", "(factorial (add n 1))"),
    (r"\frac{n!}{k!(n-k)!}", "(div (factorial n) (mul (factorial k) (factorial (add n (neg k)))))"),
    (r"\binom{n}{k}", "(binomial n k)"),
    (r"\binom52", "(binomial 5 2)"),
    (r"{n \choose k}", "(binomial n k)"),
    ("C(5,2)", "(binomial 5 2)"),
    ("P(5,2)", "(permutations 5 2)"),
    ("binomial(n, 2)", "(binomial n 2)"),
    ("999999999!", "(factorial 999999999)"),
    ("C_{10}^{3}", "(binomial 10 3)"),
    ("C^{10}_3", "(binomial 10 3)"),
    ("C_n^k", "(binomial n k) | (pow (apply:C_ n) k)"),
    ("C_{2n}^{n}", "(binomial (mul 2 n) n) | (pow (apply:C_ 2 n) n)"),
    ("C_1^2", "(pow C_1 2)"),
    (r"5\mathrm{C}_{10}^3", "(mul 5 (binomial 10 3))"),
    ("{}_{10}C_3", "(binomial 10 3)"),
    ("^{10}C_3", "(binomial 10 3)"),
    ("{}_nP_k", "(permutations n k)"),
    ("P_5^2", "(permutations 5 2)"),
    ("A_n^k", "(permutations n k) | (pow (apply:A_ n) k)"),
    ("10C3", "(binomial 10 3) | (mul 10 C_3)"),
    ("nCr", "(binomial n r) | (mul n C r)"),
    ("2C_1 + x", "(add (mul 2 C_1) x)"),
)

ABSOLUTE_VALUES_AND_ROUNDING = (
    ("|x-1|", "(abs (add x (neg 1)))"),
    (r"\left|x\right|", "(abs x)"),
    (r"\lvert x \rvert", "(abs x)"),
    ("2|x|+|y|", "(add (mul 2 (abs x)) (abs y))"),
    ("||x|-1|", "(abs (add (abs x) (neg 1)))"),
    ("|2-|x||", "(abs (add 2 (neg (abs x))))"),
    (r"\lfloor n/2 \rfloor + 1", "(add (floor (div n 2)) 1)"),
    ("⌈3.2⌉", "(ceiling 3.2d)"),
    ("floor(x)", "(floor x)"),
)

FUNCTIONS = (
    (r"\sin^2 x", "(pow (sin x) 2)"),
    (r"\sin^{-1} x", "(asin x)"),
    (r"\sin 2x", "(sin (mul 2 x)) | (mul (sin 2) x)"),
    (r"\sin 2(x+1)", "(sin (mul 2 (add x 1)))"),
    (r"\sin x(x+1)", "(mul (sin x) (add x 1))"),
    (r"\cos x \sin y", "(mul (cos x) (sin y))"),
    ("sin(x)cos(y)", "(mul (sin x) (cos y))"),
    ("sinx", "(sin x)"),
    ("sin x/2", "(div (sin x) 2) | (sin (div x 2))"),
    (r"\sin(x)^2", "(pow (sin x) 2)"),
    (r"\tan\left(\frac{\pi}{4}\right)", "(tan (div pi 4))"),
    (r"\log_2 8", "(log 8 2)"),
    (r"\log_{2}(8)", "(log 8 2)"),
    ("log(8, 2)", "(log 8 2)"),
    (r"\log x", "(log x) | (log x 10)"),
    (r"\ln|x| + C", "(add (log (abs x)) C)"),
    (r"\lg 100", "(log 100 10)"),
    ("log2(8)", "(log 8 2)"),
    (r"\operatorname{arcsin} x", "(asin x)"),
    (r"\arctan\frac12", "(atan (div 1 2))"),
    ("exp(16)", "(exp 16)"),
    (r"\sin 30^\circ", "(sin (mul 30 (div pi 180)))"),
    (r"\cos 60°", "(cos (mul 60 (div pi 180)))"),
    ("tan 45 degrees", "(tan (mul 45 (div pi 180)))"),
    (r"\max\{1,2\}", "(max 1 2)"),
    (r"\gcd(12, 18)", "(gcd 12 18)"),
    (r"\Gamma(1/2)", "(gamma (div 1 2))"),
    (r"\zeta(2)", "(zeta 2)"),
    ("atan2(1, 1)", "(atan2 1 1)"),
    (r"\operatorname{Re}(z)", "(re z)"),
    (r"z\bar{z}", "(mul z bar:z)"),
    (r"\overline{3+4i}", "(conjugate (add 3 (mul 4 i)))"),
    (r"\overline{z+1}", "(conjugate (add bar:z 1))"),
    ("conjugate(z)", "bar:z"),
    (r"\overline{AB}", "overline AB"),
    ("z^*+1", "(add star:z 1)"),
    (r"x^{*}", "star:x"),
    ("lnt", "(log t)"),
    ("sinx=1", "(eq (sin x) 1)"),
    ("sin2x", "(sin (mul 2 x)) | (mul (sin 2) x)"),
    ("xlnx-x", "(add (mul x (log x)) (neg x))"),
    ("cost = 5", "(eq cost 5)"),
)

PRODUCTS_WITHOUT_SIGNS = (
    ("2x", "(mul 2 x)"),
    (r"2\pi r", "(mul 2 pi r)"),
    ("x(x+1)", "(mul x (add x 1))"),
    ("x(x+1)^2", "(mul x (pow (add x 1) 2))"),
    ("(r+5)(r+5)", "(mul (add r 5) (add r 5))"),
    (r"5\sqrt2", "(mul 5 (root 2 2))"),
    ("xy", "(mul x y)"),
    ("abc(a+b+c)", "(mul a b c (add a b c))"),
    ("2πr", "(mul 2 pi r)"),
    ("αβ", "(mul alpha beta)"),
    ("3x^2y", "(mul 3 (pow x 2) y)"),
    ("n(n+1)/2", "(div (mul n (add n 1)) 2)"),
    ("2(3)", "(mul 2 3)"),
)

NAMES_AND_CONSTANTS = (
    (r"\alpha+\beta", "(add alpha beta)"),
    ("α", "alpha"),
    ("x_1", "x_1"),
    ("x_{10}", "x_10"),
    ("x₁", "x_1"),
    (r"x_{\text{max}}", "x_max"),
    ("F_n", "(apply:F_ n)"),
    ("a_{n+1} = 2a_n", "(eq (apply:a_ (add n 1)) (mul 2 (apply:a_ n)))"),
    ("a_{ij}", "(apply:a_ 'i j)"),
    ("f'", "f'"),
    ("f(x)", "(apply:f x) | (mul f x)"),
    ("f'(x)", "(apply:f' x)"),
    ("f^{-1}(x)", "(apply:f^-1 x)"),
    ("h(n)=n^2", "(eq (apply:h n) (pow n 2))"),
    ("a(n) = 2n", "(eq (apply:a n) (mul 2 n))"),
    (r"\vec{v}", "vec v"),
    (r"\mathrm{e}^{2}", "(pow e 2)"),
    (r"\mathrm{i}", "i"),
    (r"\infty", "infinity"),
    ("-oo", "(neg infinity)"),
    ("GoldenRatio", "golden_ratio"),
    ("3+4i", "(add 3 (mul 4 i))"),
    ("(3+4j)", "(add 3 (mul 4 i))"),
    ("14.0 + -1.0i", "(add 14.0d (neg (mul 1.0d i)))"),
    (r"3\mathbf{i}+4\mathbf{j}", "(add (mul 3 'i) (mul 4 j))"),
    ("1 + I", "(add 1 i)"),
    ("5*I", "(mul 5 i)"),
    ("E**2", "(pow e 2)"),
    ("1/2 + sqrt(3)*I/2", "(add (div 1 2) (div (mul (root 3 2) i) 2))"),
    (r"\angle ABC = 90^\circ", '(eq angle ABC (measured 90 "°"))'),
    ("P(X > 2) = 0.3", "(eq (apply:P (gt X 2)) 0.3d)"),
    (r"P(A \cap B)", "(apply:P (intersection A B))"),
    (r"\mathcal{O}(n^2)", "(apply:O (pow n 2))"),
    (r"h{\left(x,y \right)}", "(apply:h x y)"),
    (r"\operatorname{Si}{\left(x \right)}", "(apply:Si x)"),
    (r"\frac x{(y+1)}", "(div x (add y 1))"),
    (r"\mathbf{x}_1", "x_1"),
)

SUMS_INTEGRALS_AND_LIMITS = (
    (
        r"\sum_{k=0}^{n-1} F_k F_{n-k-1}",
        "(sum (mul (apply:F_ k) (apply:F_ (add n (neg k) (neg 1)))) k 0 (add n (neg 1)))",
    ),
    (r"\sum_{i=1}^{10} i", "(sum 'i 'i 1 10)"),
    (r"\sum_{k=1}^n k + 1", "(add (sum k k 1 n) 1)"),
    (r"2\sum_{k=1}^n k", "(mul 2 (sum k k 1 n))"),
    (r"\sum_{n \ge 1} \frac{1}{n^2}", "(sum (div 1 (pow n 2)) n 1 infinity)"),
    (r"\sum_{i=1}^n\sum_{j=1}^i ij", "(sum (sum (mul 'i j) j 1 'i) 'i 1 n)"),
    (r"\prod_{k=1}^{n} (2k-1)", "(product (add (mul 2 k) (neg 1)) k 1 n)"),
    (r"\int_0^\infty e^{-x} dx", "(integral (pow e (neg x)) x 0 infinity)"),
    (r"\int_0^1 x^2 \, dx + 1", "(add (integral (pow x 2) x 0 1) 1)"),
    (r"\int \frac{dx}{x}", "(integral (div 1 x) x)"),
    (r"\int_0^{\pi} \sin x \, \mathrm{d}x", "(integral (sin x) x 0 pi)"),
    (r"\int_0^1\int_0^x y\,dy\,dx", "(integral (integral y y 0 x) x 0 1)"),
    (r"\lim_{x\to 0} \frac{\sin x}{x}", '(limit (div (sin x) x) x 0 "+-")'),
    (r"\lim_{x \to 0^+} \ln x", '(limit (log x) x 0 "+")'),
    (r"\frac{d}{dx} x^2", "(derivative (pow x 2) x 1)"),
    (r"\frac{dy}{dx} = 2x", "(eq dy/dx (mul 2 x))"),
    ("Sum(k, (k, 1, n))", "(sum k k 1 n)"),
    ("Integral(x**2, (x, 0, 1))", "(integral (pow x 2) x 0 1)"),
    ("Derivative(f(x), x)", "(derivative (apply:f x) x 1)"),
    ("Limit(sin(x)/x, x, 0, dir='-')", '(limit (div (sin x) x) x 0 "-")'),
    (r"\frac{d^{2}}{d x^{2}} f{\left(x \right)}", "(derivative (apply:f x) x 2)"),
    (r"\frac{d}{dx} f(x)", "(derivative (apply:f x) x 1) | (derivative (mul f x) x 1)"),
)

COLLECTIONS = (
    ("{1, 2}", "(set 1 2)"),
    (r"\{1,2\}", "(set 1 2)"),
    (r"\left\{ 1,2\right\}", "(set 1 2)"),
    ("{42}", "42 | (set 42)"),
    (r"\{42\}", "(set 42)"),
    (r"\{\}", "(empty)"),
    (r"\emptyset", "(empty)"),
    ("(1,2)", "(tuple 1 2)"),
    ("[1,2]", "(list 1 2)"),
    ("⟨1,2⟩", "(vector 1 2)"),
    (r"\langle 1,2\rangle", "(vector 1 2)"),
    ("<1, 2>", "(vector 1 2)"),
    (r"\{1:2, 3:4\}", "(set (ratio 1 2) (ratio 3 4))"),
    ("{1:2, 3:4}", "(set (ratio 1 2) (ratio 3 4))"),
    ("1, 2", "(bare 1 2)"),
    ("1 and 2", "(bare 1 2)"),
    (r"1 \text{ or } 2", "(bare 1 2)"),
    ("1, 2, and 3", "(bare 1 2 3)"),
    ("5;8;13", "(bare 5 8 13)"),
    (r"(2,9)\text{ or }(9,2)", "(bare (tuple 2 9) (tuple 9 2))"),
    (r"x=1 \text{ or } x=-2", "(bare (eq x 1) (eq x (neg 2)))"),
    (r"m=4 \text{ and } n=7", "(bare (eq m 4) (eq n 7))"),
    ("x = 1, 2", "(eq x (bare 1 2))"),
    (r"x = 1 \quad y = 2", "(bare (eq x 1) (eq y 2))"),
    (r"\pm 3", "(plusminus 0 3)"),
    (r"2\pm\sqrt{3}", "(plusminus 2 (root 3 2))"),
    (r"x = \pm 2", "(eq x (plusminus 0 2))"),
    ("3:4", "(ratio 3 4)"),
    ("1:2:3", "(ratio 1 2 3)"),
    (r"\{1,2,\ldots,10\}", '(set 1 2 "…" 10)'),
    ("1, 2, …, 10", '(bare 1 2 "…" 10)'),
    ("[1, 2, 3, ...]", '(list 1 2 3 "…")'),
    ("x ≠ 0, 1", "(and (ne x 0) (ne x 1))"),
)

MATRICES = (
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(matrix (tuple 1 2) (tuple 3 4))"),
    (
        r"\begin{bmatrix} \frac12 \\ -1 \\ \end{bmatrix}",
        "(matrix (tuple (div 1 2)) (tuple (neg 1)))",
    ),
    (r"\left[\begin{array}{cc}2&0\\1&5\end{array}\right]", "(matrix (tuple 2 0) (tuple 1 5))"),
    ("Matrix([[1, 2], [3, 4]])", "(matrix (tuple 1 2) (tuple 3 4))"),
    ("Matrix([1, 2])", "(matrix (tuple 1) (tuple 2))"),
    ("np.array([[1, 2], [3, 4]])", "(matrix (tuple 1 2) (tuple 3 4))"),
    ("array([[1, 2],\n       [3, 4]])", "(matrix (tuple 1 2) (tuple 3 4))"),
    ("[[1,2],[3,4]]", "(matrix (tuple 1 2) (tuple 3 4))"),
    ("[[1 2]\n [3 4]]", "(matrix (tuple 1 2) (tuple 3 4))"),
    ("[1. 2.]", "(list 1.d 2.d)"),
    ("Matrix([[1, 2], [3, 4], [5, 6]])", "(matrix (tuple 1 2) (tuple 3 4) (tuple 5 6))"),
    ("[[1, 2], [3, 4], [5, 6]]", "(matrix (tuple 1 2) (tuple 3 4) (tuple 5 6))"),
    ("np.array([[1], [2], [3]])", "(matrix (tuple 1) (tuple 2) (tuple 3))"),
    (r"\begin{vmatrix}1&2\\3&4\end{vmatrix}", "(determinant (matrix (tuple 1 2) (tuple 3 4)))"),
    (r"\det\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(determinant (matrix (tuple 1 2) (tuple 3 4)))"),
    (
        r"\left|\begin{matrix}1&2\\3&4\end{matrix}\right|",
        "(determinant (matrix (tuple 1 2) (tuple 3 4)))",
    ),
)

INTERVALS_AND_SETS = (
    ("(0, 1]", "(open_closed 0 1)"),
    ("[0, 1)", "(closed_open 0 1)"),
    ("(0,1)", "(tuple 0 1)"),
    ("]0,1[", "(open 0 1)"),
    ("[0,1[", "(closed_open 0 1)"),
    ("]0,1]", "(open_closed 0 1)"),
    ("Interval.open(0, 1)", "(open 0 1)"),
    ("Interval(0, 1)", "(closed 0 1)"),
    ("Interval.Lopen(0, oo)", "(open_closed 0 infinity)"),
    (
        r"(-\infty, -1) \cup (2, \infty)",
        "(union (tuple (neg infinity) (neg 1)) (tuple 2 infinity))",
    ),
    ("(-oo, -1) U (2, oo)", "(union (tuple (neg infinity) (neg 1)) (tuple 2 infinity))"),
    ("Union(Interval.open(-oo, 1), {3})", "(union (open (neg infinity) 1) (set 3))"),
    (r"\mathbb{R}\setminus\{2\}", "(difference (reals) (set 2))"),
    (r"\mathbb{R} - \{0\}", "(difference (reals) (set 0))"),
    ("ℝ∖{0}", "(difference (reals) (set 0))"),
    ("Complement(Reals, {2})", "(difference (reals) (set 2))"),
    (r"\mathbb{R}^+", "(open 0 infinity)"),
    (r"\mathbb{Z}_{>0}", "(intersection (integers) (open 0 infinity))"),
    ("S.Reals", "(reals)"),
    ("EmptySet", "(empty)"),
    (r"\{x \mid x>2\}", "(setof x (gt x 2))"),
    (r"\{x : x > 2\}", "(setof x (gt x 2))"),
    (r"\{x\in\mathbb{R}: x\ne 0\}", "(setof x (and (in x (reals)) (ne x 0)))"),
    ("{x | x > 2}", "(setof x (gt x 2))"),
    (r"\{2k+1: k \in \mathbb{Z}\}", "(setof (add (mul 2 k) 1) (in k (integers)))"),
    (r"]0,1[ \cup ]2,3[", "(union (open 0 1) (open 2 3))"),
    (r"\mathbf{R}", "(reals)"),
    (r"\mathbb{N}_0", "(intersection (integers) (closed_open 0 infinity))"),
    ("k in Z", "(in k (integers))"),
    ("ImageSet(Lambda(_n, 2*_n*pi), Integers)", "(setof (mul 2 n pi) (in n (integers)))"),
    ("all real numbers except 2 and 3", "(difference (reals) (set 2 3))"),
    ("Naturals0", "(naturals)"),
    ("Range(0, 4, 1)", "(set 0 1 2 3)"),
)

RELATIONS = (
    ("x=5", "(eq x 5)"),
    ("F=ma", "(eq F (mul m a))"),
    ("x ≤ 5", "(le x 5)"),
    ("0 < x < 3", "(and (lt 0 x) (lt x 3))"),
    (r"x \ne 3", "(ne x 3)"),
    (r"x \in [0,1]", "(in x (list 0 1))"),
    (r"(x,y)\in\{(1,2),(2,1)\}", "(in (tuple x y) (set (tuple 1 2) (tuple 2 1)))"),
    ("x<1 or x>3", "(or (lt x 1) (gt x 3))"),
    ("x > 1 and x < 3", "(and (gt x 1) (lt x 3))"),
    ("(x >= 0) & (x < 3)", "(and (ge x 0) (lt x 3))"),
    ("(x < 1) | (x > 2)", "(or (lt x 1) (gt x 2))"),
    ("And(x > 0, x < 1)", "(and (gt x 0) (lt x 1))"),
    ("Eq(x, 5)", "(eq x 5)"),
    ("~(x > 1)", "(not (gt x 1))"),
    ("p+q = 181+24 = 205", "(and (eq (add p q) (add 181 24)) (eq (add 181 24) 205))"),
    (r"\frac{5}{7}\approx 0.714", "(approx (div 5 7) 0.714d)"),
    (r"x = \frac57 \approx 0.714", "(eq x (approx (div 5 7) 0.714d))"),
    (r"x \equiv 3 \pmod{7}", "(congruent x 3 7)"),
    ("x ≡ 3 (mod 7)", "(congruent x 3 7)"),
    (r"3 \pmod 7", "(congruent x 3 7) | (mod 3 7)"),
    (r"7\text{ (mod 10)}", "(congruent x 7 10) | (mod 7 10)"),
    ("5 mod 7", "(congruent x 5 7) | (mod 5 7)"),
    ("12 mod 5", "(mod 12 5)"),
    (r"12 \pmod 5", "(congruent x 12 5) | (mod 12 5)"),
    ("2^10 mod 7", "(mod (pow 2 10) 7)"),
    ("x = 5 mod 7", "(congruent x 5 7) | (eq x (mod 5 7))"),
    (
        "x ≡ 2, 3 (mod 7)",
        "(bare (congruent x 2 7) (congruent x 3 7)) | (eq x (bare 2 (mod 3 7)))",
    ),
    (r"x \equiv 1 \pmod 2, y \equiv 2 \pmod 3", "(bare (congruent x 1 2) (congruent y 2 3))"),
    (r"7 \bmod 3", "(mod 7 3)"),
    (
        r"\begin{cases} x & x>0 \\ -x & \text{otherwise} \end{cases}",
        '(piecewise (tuple x (gt x 0)) (tuple (neg x) "otherwise"))',
    ),
    (
        r"\begin{cases} x^2, & \text{if } x \ge 0 \\ 0, & \text{if } x<0 \end{cases}",
        "(piecewise (tuple (pow x 2) (ge x 0)) (tuple 0 (lt x 0)))",
    ),
    (r"\begin{cases}x=1\\y=2\end{cases}", "(bare (eq x 1) (eq y 2))"),
    (r"\left\{\begin{array}{l}x=1\\y=2\end{array}\right.", "(bare (eq x 1) (eq y 2))"),
    (r"\begin{aligned} x &= 1 \\ y &= 2 \end{aligned}", "(bare (eq x 1) (eq y 2))"),
    ("Piecewise((x, x > 0), (0, True))", '(piecewise (tuple x (gt x 0)) (tuple 0 "otherwise"))'),
)

PYTHON_PRINTS = (
    ("Fraction(1, 2)", "(div 1 2)"),
    ("Rational(1, 2)", "(div 1 2)"),
    ("Rational('1/3')", "(div 1 3)"),
    ("np.int64(5)", "5"),
    ("np.float64(0.5)", "0.5d"),
    ("Decimal('0.75')", "0.75d"),
    ("mpf('1.5')", "1.5d"),
    ("mpc(real='1.0', imag='2.0')", "(add 1.0d (mul 2.0d i))"),
    ("{x: 4}", "(eq x 4)"),
    ("[{x: 4}]", "(eq x 4)"),
    ("{x: 1, y: 2}", "(and (eq x 1) (eq y 2))"),
    ("{'x': 1}", "(eq x 1)"),
    ("frozenset({1, 2})", "(set 1 2)"),
    ("set()", "(empty)"),
    ("dict_keys([1, 2])", "(list 1 2)"),
    ("(1,)", "(tuple 1)"),
    ("[np.int64(3), np.int64(8)]", "(list 3 8)"),
    ("array([1., 2.])", "(list 1.d 2.d)"),
    ("Poly(x**2 - 1, x, domain='ZZ')", "(add (pow x 2) (neg 1))"),
    ("Symbol('x')", "x"),
    ("x_1*alpha + C1", "(add (mul x_1 alpha) C_1)"),
    ("sqrt(2)/2", "(div (root 2 2) 2)"),
    ("Eq(y(x), C1*exp(x))", "(eq (apply:y x) (mul C_1 (exp x)))"),
    (r"\left\{ x : 2, \  y : 1\right\}", "(and (eq x 2) (eq y 1))"),
    ("{2: 3, 5: 1}", "(set (tuple 2 3) (tuple 5 1))"),
    ("Point2D(1/2, 3)", "(tuple (div 1 2) 3)"),
    ("erfc(x)", "(add 1 (neg (erf x)))"),
    ("Lambda(x, x**2)", "(pow x 2)"),
)

UNITS_AND_CURRENCY = (
    (r"5\text{ cm}^2", '(measured 5 "cm^2")'),
    (r"24\mbox{ cm}^3", '(measured 24 "cm^3")'),
    ("12 cm", '(measured 12 "cm")'),
    (r"12 \mathrm{~cm}", '(measured 12 "cm")'),
    (r"48\textnormal{ miles}", '(measured 48 "miles")'),
    ("5 dollars", '(measured 5 "dollars")'),
    ("60 km/h", '(measured 60 "km/h")'),
    (r"30 \mathrm{~m} / \mathrm{s}", '(measured 30 "m/s")'),
    (r"5\,\mathrm{m}", '(measured 5 "m")'),
    ("5k", "(mul 5 k)"),
    ("5 m", '(mul 5 m) | (measured 5 "m")'),
    ("5 m^2", '(mul 5 (pow m 2)) | (measured 5 "m^2")'),
    ("x = 12 g", '(eq x (mul 12 g)) | (eq x (measured 12 "g"))'),
    ("5 x", "(mul 5 x)"),
    ("5 sq. units", '(measured 5 "sq units")'),
    ("5 square units", '(measured 5 "square units")'),
    ("5 years old", '(measured 5 "years old")'),
    ("7 km due north", '(measured 7 "km due north")'),
    ("5 times a day", '(measured 5 "times a day")'),
    ("2 sec x", "(mul 2 (sec x))"),
    ("90^o", '(measured 90 "°")'),
    ("90º", '(measured 90 "°")'),
    ("25 ℃", '(measured 25 "°C")'),
    ("3 boys and 2 girls", '(bare (eq "boys" 3) (eq "girls" 2))'),
    ("7 wins, 3 losses", '(bare (eq "wins" 7) (eq "losses" 3))'),
    ("3 cm, 4 mm", '(bare (measured 3 "cm") (measured 4 "mm"))'),
    ("3 ways, 4 ways", '(bare (measured 3 "ways") (measured 4 "ways"))'),
    (r"\$10", '(measured 10 "$")'),
    (r"-\$5", '(measured (neg 5) "$")'),
    ("10€", '(measured 10 "€")'),
    (r"\$6{,}200", '(measured 6200 "$")'),
    (r"28\%", '(measured 28 "%")'),
    ("28 percent", '(measured 28 "percent")'),
    (r"33\frac13\%", '(measured (add 33 (div 1 3)) "%")'),
    (r"90^\circ", '(measured 90 "°")'),
    ("25°C", '(measured 25 "°C")'),
    (r"\frac12 cm", '(measured (div 1 2) "cm")'),
    ("5 cm + 3 cm", '(measured (add 5 3) "cm")'),
    (r"\text{Area} = 12", "(eq Area 12)"),
    (r"9.8\ \mathrm{m/s^2}", '(measured 9.8d "m/s^2")'),
    (r"9.8\frac{\text{m}}{\text{s}^2}", '(measured 9.8d "m/s^2")'),
    (r"60\,\mathrm{km\cdot h^{-1}}", '(measured 60 "km*h^-1")'),
    (r"2.5\,\mathrm{kg\,m^2\,s^{-2}}", '(measured 2.5d "kg m^2 s^-2")'),
    (r"5\ \text{m/s}", '(measured 5 "m/s")'),
    (r"12\,\text{cm}^2", '(measured 12 "cm^2")'),
    (r"3\text{ kg}\cdot\text{m}^2", '(measured 3 "kg*m^2")'),
    (r"25\ \%", '(measured 25 "%")'),
    ("9.81 m/s^2", '(div (mul 9.81d m) (pow s 2)) | (measured 9.81d "m/s^2")'),
    ("5m/s", "(div (mul 5 m) s)"),
    (r"5\mathrm{x^2}", "(mul 5 (pow x 2))"),
    (r"\$12.50 per hour", '(measured (measured 12.50d "$") "per hour")'),
)

BASES = (
    ("1011_2", '(based "1011" 2)'),
    ("43_{6}", '(based "43" 6)'),
    ("(1011)_2", '(based "1011" 2)'),
    (r"\text{FF}_{16}", '(based "FF" 16)'),
    ("1A3_{16}", '(based "1A3" 16)'),
    ("0.101_2", '(based "0.101" 2)'),
    (r"101_{\text{two}}", '(based "101" 2)'),
    ("(B0)_{16}", '(based "B0" 16)'),
    ("A11_{16}", '(based "A11" 16)'),
    (r"\text{B0}_{\text{sixteen}}", '(based "B0" 16)'),
    (r"(\text{b0})_{16}", '(based "B0" 16)'),
    ("2A_1", "(mul 2 A_1)"),
    ("F_{16}", "F_16"),
)

CHOICES_AND_WORDS = (
    ("(A)", '"A"'),
    ("A", '"A"'),
    ("B.", '"B"'),
    (r"\textbf{(D)}\ 12", '"D" | 12'),
    (r"C: 3\sqrt{2}", '"C" | (mul 3 (root 2 2))'),
    ("E", '"E" | e'),
    (r"\mathrm{E}", '"E" | e'),
    ("A and C", '(bare "A" "C")'),
    (r"\text{Option B}", '"B"'),
    (r"\text{Yes}", '"Yes"'),
    ("no solution", '"no solution"'),
    (r"\text{no solution}", '"no solution"'),
    ("Tuesday", '"Tuesday"'),
    (r"\text{Even}.", '"Even"'),
    ("none", '"none"'),
    ("True", '"True"'),
    ("Alice and Bob", '(bare "Alice" "Bob")'),
    ("all real numbers", "(reals)"),
    ("II", '"II"'),
    ("N/A", '"N/A"'),
    ("DNE", '"DNE"'),
    ("does not exist", '"does not exist"'),
    ("The answer is C", '"C"'),
    ("Alice is taller", '"Alice is taller"'),
    ("Choice (B)", '"B"'),
    ("Option A: 5", '"A" | 5'),
    ("N", "N"),
    ("N, O", "(bare N O)"),
    ("A, B, 3", "(bare A B 3)"),
    ("(A, B)", '(tuple "A" "B")'),
    (r"\{A, B\}", '(set "A" "B")'),
)

EVERYDAY_NUMBERS = (
    ("7 million", "(mul 7 1000000)"),
    (r"\$7\text{ million}", '(measured (mul 7 1000000) "$")'),
    ("2.5 million dollars", '(measured (mul 2.5d 1000000) "dollars")'),
    ("1/2 million", "(mul (div 1 2) 1000000)"),
    ("3 hundred thousand", "(mul 3 100 1000)"),
    ("2 dozen eggs", '(measured (mul 2 12) "eggs")'),
    ("7 lakh", "(mul 7 100000)"),
    ("7 squared", "(pow 7 2)"),
    ("x cubed + 1", "(add (pow x 3) 1)"),
    ("3 quarters", "(div 3 4)"),
    ("five tenths", "1/2"),
    ("two and a half", "5/2"),
    ("one half", "1/2"),
    ("twenty-fifth", '"twenty-fifth"'),
    ("five", '"five" | 5'),
    ("Twelve", '"Twelve" | 12'),
    ("twenty-one", '"twenty-one" | 21'),
    ("three hundred and five", '"three hundred and five" | 305'),
    ("one, two and three", '(bare "one" "two" "three")'),
    ("3rd", '"3rd"'),
    (r"3\text{rd}", '"3rd"'),
    ("3^{rd}", '"3rd"'),
    (r"21^{\text{st}}", '"21st"'),
    ("1st, 2nd", '(bare "1st" "2nd")'),
)

TIMES = (
    ("2:30 pm", '"2:30 pm"'),
    ("02:30 P.M.", '"2:30 pm"'),
    (r"12:05\text{ PM}", '"12:05 pm"'),
    ("2 p.m.", '"2 pm"'),
    ("3 pm and 4 am", '(bare "3 pm" "4 am")'),
    ("15 pm", '(measured 15 "pm")'),
    ("3:45", '"3:45" | (ratio 3 45)'),
    ("3:05", '"3:05" | (ratio 3 5)'),
    ("03:45", '"3:45" | (ratio 3 45)'),
    ("0:30", '"0:30" | (ratio 0 30)'),
    ("3:4", "(ratio 3 4)"),
    ("25:10", "(ratio 25 10)"),
    ("12:60", "(ratio 12 60)"),
    ("1:20:30", "(ratio 1 20 30)"),
)

CHARACTERS = (
    ("2𝜋𝑟", "(mul 2 pi r)"),
    ("𝟏𝟐", "12"),
    ("Ａ", '"A"'),
    ("٣٫٥", "3.5d"),
    ("5\u200e\u2060\x00", "5"),
    ("3‒2―1", "(add 3 (neg 2) (neg 1))"),
    ("x²+½", "(add (pow x 2) (div 1 2))"),
    ("cafe\u0301", '"café"'),
    ("“yes”", '"yes"'),
    (r"\Pi", "Pi"),
    ("Π", "Pi"),
    (r"\pi", "pi"),
    ("Σ", "Sigma"),
)

LABELS_AND_CONDITIONS = (
    (r"\text{Answer: }5", "5"),
    ("**Answer:** 5", "5"),
    ("Result: 3/4", "(div 3 4)"),
    ("Area: 12 cm", '(measured 12 "cm")'),
    ("Ratio: 3:4", "(ratio 3 4)"),
    ("Answer: yes", '"yes"'),
    ("The answer is $5$.", "5"),
    ("about 5", "5"),
    ("x = 2 (double root)", "(eq x 2)"),
    ("a:b", "(ratio a b)"),
    ("n^2+1 for n ≥ 1", "(given (add (pow n 2) 1) (ge n 1))"),
    (r"\frac{1}{2}, x \neq 0", "(given (div 1 2) (ne x 0))"),
    (r"2k\pi, k \in \mathbb{Z}", "(given (mul 2 k pi) (in k (integers)))"),
    (r"x = 2k\pi \quad (k \in \mathbb{Z})", "(given (eq x (mul 2 k pi)) (in k (integers)))"),
    (r"x = n\pi(n\in\mathbf{Z})", "(given (eq x (mul n pi)) (in n (integers)))"),
    ("2k, where k is an integer", "(given (mul 2 k) (in k (integers)))"),
    (r"2k \text{ for all integers } k \ge 1", "(given (mul 2 k) (and (in k (integers)) (ge k 1)))"),
    (
        r"x=k \text{ or } x=2k, k \in Z",
        "(given (bare (eq x k) (eq x (mul 2 k))) (in k (integers)))",
    ),
    ("x^2 + C, where C is a constant", "(add (pow x 2) C)"),
    ("f(x) = x for all real x", "(eq (apply:f x) x)"),
    ("y = 1/x, x > 0", "(given (eq y (div 1 x)) (gt x 0))"),
    ("x > 1, x ≠ 3", "(bare (gt x 1) (ne x 3))"),
    ("1 or x > 3", "(bare 1 (gt x 3))"),
    ("p = 3, q = 5, p < q", "(bare (eq p 3) (eq q 5) (lt p q))"),
)

ADORNMENTS = (
    ("**x = 5**", "(eq x 5)"),
    ("$x=1$ or $x=2$", "(bare (eq x 1) (eq x 2))"),
    (r"\(17\)", "17"),
    (r"\boxed{840}", "840"),
    (r"\displaystyle\frac{1}{2}", "(div 1 2)"),
    (r"\left(\tfrac12,-3\right)", "(tuple (div 1 2) (neg 3))"),
    (r"\\frac{1}{2}", "(div 1 2)"),
    (r"\text{x = 5}", "(eq x 5)"),
    (r"\text{(2,3) and (4,5)}", "(bare (tuple 2 3) (tuple 4 5))"),
    (r"\mathbf{5}", "5"),
    (r"\underline{3}", "3"),
    (r"\color{red}{3}", "3"),
    (r"{\color{red}3}", "3"),
    (r"\textcolor{red}{\frac12}", "(div 1 2)"),
    (r"\textcolor{red}{3} + 1", "(add 3 1)"),
    (r"3\ \blacksquare", "3"),
    (r"$3$ $\square$", "3"),
    (r"\boldsymbol{x}", "x"),
    ("＋5", "5"),
)


@pytest.mark.parametrize(("text", "tree"), INTEGERS_AND_SEPARATORS)
def test_reads_integers_and_separators(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), DECIMALS)
def test_reads_decimals(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), FRACTIONS)
def test_reads_fractions(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), POWERS_AND_ROOTS)
def test_reads_powers_and_roots(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), COMBINATORICS)
def test_reads_combinatorics(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), ABSOLUTE_VALUES_AND_ROUNDING)
def test_reads_absolute_values_and_rounding(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), FUNCTIONS)
def test_reads_functions(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), PRODUCTS_WITHOUT_SIGNS)
def test_reads_products_without_signs(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), NAMES_AND_CONSTANTS)
def test_reads_names_and_constants(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), SUMS_INTEGRALS_AND_LIMITS)
def test_reads_sums_integrals_and_limits(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), COLLECTIONS)
def test_reads_collections(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), MATRICES)
def test_reads_matrices(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), INTERVALS_AND_SETS)
def test_reads_intervals_and_sets(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), RELATIONS)
def test_reads_relations(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), PYTHON_PRINTS)
def test_reads_python_prints(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), UNITS_AND_CURRENCY)
def test_reads_units_and_currency(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), BASES)
def test_reads_bases(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), CHOICES_AND_WORDS)
def test_reads_choices_and_words(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), LABELS_AND_CONDITIONS)
def test_reads_labels_and_conditions(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), ADORNMENTS)
def test_reads_adornments(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), EVERYDAY_NUMBERS)
def test_reads_numbers_of_everyday_language(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), TIMES)
def test_reads_times_of_day_and_ratios(text: str, tree: str) -> None:
    assert readings(text) == tree


@pytest.mark.parametrize(("text", "tree"), CHARACTERS)
def test_reads_characters_in_all_spellings(text: str, tree: str) -> None:
    assert readings(text) == tree
