# ruff: noqa: SIM905, RUF001 - tables of words are read as text; letters look alike
r"""Words that mean something in an answer: functions, Greek letters, constants, units, plain words.

Tables and look-ups only; how words are joined to formulas is the parser's matter.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .reading_phrases import POWERS

FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc",
    "cosec": "csc", "tg": "tan", "ctg": "cot", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctg": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc",
    "asin": "asin", "acos": "acos", "atan": "atan", "acot": "acot", "asec": "asec",
    "acsc": "acsc", "atan2": "atan2", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "coth": "coth", "sech": "sech", "csch": "csch", "asinh": "asinh",
    "acosh": "acosh", "atanh": "atanh", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "sh": "sinh",
    "ch": "cosh", "exp": "exp", "ln": "ln", "log": "log", "lg": "log10", "log2": "log2",
    "log10": "log10", "sqrt": "sqrt", "cbrt": "cbrt", "abs": "abs", "Abs": "abs", "fabs": "abs",
    "floor": "floor", "ceil": "ceiling", "ceiling": "ceiling", "sgn": "sign", "sign": "sign",
    "re": "re", "im": "im", "Re": "re", "Im": "im", "conjugate": "conjugate", "arg": "arg",
    "max": "max", "min": "min", "Max": "max", "Min": "min", "gcd": "gcd", "lcm": "lcm",
    "igcd": "gcd", "ilcm": "lcm", "erf": "erf", "gamma": "gamma", "zeta": "zeta",
    "LambertW": "lambertw", "lambertw": "lambertw", "factorial": "factorial",
    "factorial2": "factorial2", "binomial": "binomial", "binom": "binomial", "comb": "binomial",
    "cis": "cis", "perm": "permutations", "Mod": "mod", "det": "determinant",
    "Determinant": "determinant",
}  # fmt: skip
"""What a function's name is in the tree; `ln`, `log`, `log2`, `log10`, `sqrt`,"
" `cbrt` are read on."""

INVERSES = {
    name: f"a{name}" for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")
}
"""Functions whose power -1 is the inverse function."""

TAKES_BARE_ARGUMENT = frozenset(
    "sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth sech csch"
    " asinh acosh"
    " atanh exp ln log log2 log10 sqrt cbrt arg re im sign gcd lcm max min cis determinant".split()
)
"""Functions that may stand before their argument without brackets."""

GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron rho sigma tau"
    " upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split()
)
VARIANTS = {
    "varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi", "varrho": "rho",
    "varsigma": "sigma", "varkappa": "kappa", "ell": "l", "hbar": "hbar",
}  # fmt: skip
GREEK_LETTERS = {
    **dict(zip("αβγδεζηθικλμνξορστυφχψω", (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron rho"
        " sigma tau upsilon phi chi psi omega").split(), strict=True)),
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", (
        "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega").split(), strict=True)),
    "ϕ": "phi", "ϵ": "epsilon", "ϑ": "theta", "µ": "mu", "ς": "sigma", "∆": "Delta", "ℓ": "l",
}  # fmt: skip

CONSTANT_WORDS = {
    "pi": "pi", "Pi": "pi", "PI": "pi", "oo": "infinity", "inf": "infinity", "Inf": "infinity",
    "infty": "infinity", "infinity": "infinity", "Infinity": "infinity", "zoo": "complex_infinity",
    "nan": "nan", "NaN": "nan", "GoldenRatio": "golden_ratio", "e": "e",
}  # fmt: skip
SET_WORDS = {
    "Reals": "reals", "Integers": "integers", "Naturals": "naturals", "Naturals0": "naturals",
    "Rationals": "rationals", "Complexes": "complexes", "EmptySet": "empty", "emptyset": "empty",
}  # fmt: skip
BLACKBOARD = {
    "R": "reals", "Z": "integers", "N": "naturals", "Q": "rationals", "C": "complexes",
}  # fmt: skip

CONNECTIVES = frozenset(
    "and or if for where otherwise else when mod base to is such of with is are so then".split()
)
"""Words that join statements, and so name no unit."""

NO_UNITS = frozenset(
    "not no never none nor neither impossible possible true false undefined unknown incorrect wrong"
    " invalid cannot can't doesn't don't isn't aren't won't except excluding but unless plus minus"
    " at than yes maybe most least th st nd rd".split()
)
"""Words that make of a value, and themselves, a remark."""

UNITS = frozenset(
    "cm mm km dm nm kg mg ml mL cl dl km mph kmh kph hr hrs min mins sec secs ft yd yds"
    " mi lb lbs oz"
    " mol Hz kHz MHz Pa kPa kJ kW kWh rad rads deg degs USD EUR GBP INR CAD AUD RMB pts"
    " sq cu am pm in cup cups gal AM"
    " PM ways inches feet".split()
)
"""Abbreviations read as units after a value; longer unknown words are units there, too."""

DEGREES = frozenset({"°", "degrees", "degree", "deg", "degs"})
_SHORT_WORDS = frozenset(
    "no yes one two six ten all odd any red blue none both dne never true false mon tue"
    " tues wed thu"
    " thur fri sat sun jan feb mar apr may jun jul aug sep sept oct nov dec even zero not"
    " boy girl cat"
    " dog black white north south east west left right up day man men won tie draw win lose the yep"
    " nope per most n/a he she it is are has was can tom bob sam ben amy ann joe jim kim max"
    " dan".split()
)
NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen".split(),
        start=2,
    )
}
_REAL_PHRASES = frozenset(
    "all reals|all real numbers|real numbers|the real numbers|every real number|any real number"
    "|all real values|set of all real numbers|the set of all real numbers".split("|")
)
# Raised and lowered digits and fractions are letters to `re`.
LETTER = r"[^\W\d_¹²³¼-¾\u2070-\u209c⅐-↉]"
_RUN = re.compile(f"{LETTER}+")
_WORDS_ONLY = re.compile(rf"{LETTER}+(?:['’\-\s]+{LETTER}+)*\s*[.!?]?")
_ROMAN = re.compile(r"[IVX]{2,6}")
_PREFIX = re.compile(
    r"(arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|ln|log|exp|sqrt)(.+)"
)
_BEFORE_FUNCTION = re.compile(r"([xyztn])((?:sin|cos|tan|ln|log)[xyztn])")
_NOT_FUNCTIONS = frozenset("cost cosy sing sink sins sine tang tank tans logo logs cots".split())
_MAX_PRODUCT_LETTERS = 3
_MAX_REMARK = 80


def is_word(run: str) -> bool:
    """Whether a run of letters is a word of prose rather than a product of letters.

    >>> [run for run in ("no", "xy", "abc", "Tuesday", "sin", "theta", "abcd") if is_word(run)]
    ['no', 'Tuesday']
    """
    if run in FUNCTIONS or run in GREEK or run in CONSTANT_WORDS or run in SET_WORDS:
        return False
    if run.casefold() in _SHORT_WORDS or run in _NOT_FUNCTIONS or _ROMAN.fullmatch(run):
        return True
    return len(run) > _MAX_PRODUCT_LETTERS and not is_product(run)


def is_product(run: str) -> bool:
    """Whether a run of letters that is no known name reads as a product of its letters.

    >>> is_product("xyz"), is_product("abcd"), is_product("dxdy"), is_product("word")
    (True, True, True, False)
    """
    if len(run) <= _MAX_PRODUCT_LETTERS:
        return True
    if re.fullmatch(r"(?:d[a-z])+", run):
        return True
    return all(first < second for first, second in pairwise(run))


def split_run(run: str) -> list[str]:
    """Names that a run of letters stands for: known ones whole, letters otherwise; [] for a word.

    >>> split_run("sinx"), split_run("xy"), split_run("pir"), split_run("apples")
    (['sin', 'x'], ['x', 'y'], ['pi', 'r'], [])
    """
    if run in FUNCTIONS or run in GREEK or run in CONSTANT_WORDS or run in SET_WORDS:
        return [run]
    prefix = None if run in _NOT_FUNCTIONS else _PREFIX.fullmatch(run)
    behind = _BEFORE_FUNCTION.fullmatch(run)
    if behind is not None:
        return [behind[1], *split_run(behind[2])]
    if prefix is not None and (len(prefix[2]) == 1 or prefix[2] in GREEK or prefix[2] == "pi"):
        return [prefix[1], prefix[2]]
    if prefix is not None and _PREFIX.match(prefix[2][1:]) and prefix[2][0] in "xyzuv":
        return [prefix[1], prefix[2][0], *split_run(prefix[2][1:])]
    if "pi" in run and len(run) <= _MAX_PRODUCT_LETTERS + 1 and run.casefold() not in _SHORT_WORDS:
        before, _, after = run.partition("pi")
        return [*before, "pi", *after]
    return list(run) if is_product(run) and not is_word(run) else []


def words_of(text: str) -> str | None:
    """The words, where a text is nothing but prose; None where it may be mathematics.

    >>> words_of("no solution"), words_of("Even."), words_of("sin x"), words_of("a b")
    ('no solution', 'Even', None, None)
    """
    if not _WORDS_ONLY.fullmatch(text):
        return None
    runs = _RUN.findall(text)
    prose = [run for run in runs if is_word(run) and not (split_run(run) or run in POWERS)]
    return " ".join(text.split()).rstrip(".!? ") if prose else None


_LABEL = re.compile(
    r"\**(?:\\(?:text|textbf|mathrm|textit|mathbf)\s?\{)?\**\s?"
    rf"(?P<words>{LETTER}+(?:['’\- ]{LETTER}+){{0,7}})\s?"
    r"(?:\}\s?:|:\s?\}|:|\s(?:is|are|equals)(?:\s?[:}]|(?=\s)))[\s*~]*"
)
_ABOUT = re.compile(
    r"(?:\\text\s?\{\s?)?(?:[Aa]pproximately|[Aa]pprox\.?|[Aa]bout|[Rr]oughly|[Aa]round)(?:\s?\}|\s)\s?"
)
_REMARK = re.compile(rf"(?:\\text\s?\{{)?\s?\(\s?({LETTER}[^(){{}}]{{2,60}})\s?\)\s?\}}?$")


def without_label(text: str) -> str:
    r"""The text without words that only introduce its value, or remark on it.

    >>> without_label("Area: 12 cm"), without_label(r"\text{Answer: }5"), without_label("a:b")
    ('12 cm', '5', 'a:b')
    >>> without_label("x = 2 (double root)"), without_label("The answer is 5")
    ('x = 2', '5')
    """
    about = _ABOUT.match(text)
    if about is not None and text[about.end() :]:
        return text[about.end() :]
    remark = _REMARK.search(text, max(0, len(text) - _MAX_REMARK))
    if remark is not None and remark.start() and words_of(remark[1]):
        text = text[: remark.start()].rstrip()
    label = _LABEL.match(text)
    if label is None:
        return text
    runs = _RUN.findall(label["words"])
    is_prose = any(is_word(run) or (run in FUNCTIONS and len(runs) == 1) for run in runs)
    return text[label.end() :] or text if is_prose else text


def means_reals(words: str) -> bool:
    """Whether the words say "every real number"."""
    return words.casefold() in _REAL_PHRASES
