r"""The typed key of an answer: what ballots are counted by.

Two answers are the same candidate exactly when their keys are equal, so equality is transitive by
construction. A key begins with its type:

- ``q:3/4`` an exact rational, in lowest terms (hexadecimal beyond 600 digits);
- ``f:1.4142135623730951`` a decimal of 12 to 60 significant digits, as a float prints (15 to 17,
  less the zeros at its end): it may stand for another exact number, and `float_joins` decides at
  tally time. A shorter decimal is exact mathematics: 0.5 is 1/2 and 0.333 is not 1/3;
- ``t:…`` everything else, as tidied text. Elements of sets, tuples and matrices are keyed one by
  one, so that (1, 0.5) and (1, 1/2) agree.

No SymPy here: texts that mean the same but read differently get different keys.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import itemgetter
from typing import Literal

from msgspec import Struct

from .bigint import show_integer
from .numbers import is_name, number
from .plain import plain, unwrapped
from .structure import MAX_ELEMENTS, bare_list, bracketed, matrix_rows, split_top
from .symbols import text_key

MAX_ANSWER_CHARS = 100_000
_MAX_KEY_CHARS = 4_000
_MAX_SHOWN_CHARS = 200
_MAX_CACHED_CHARS = 1_000
_MAX_NESTING = 5
_INTEGER = re.compile(r"(-?)0*(\d{1,600})")
_DECIMAL = re.compile(r"([+-]?)(\d*)\.(\d+)(?:e([+-]?\d{1,4}))?", re.IGNORECASE)
_FLOAT_DIGITS = range(12, 61)
_REPR_DIGITS = 17
_COMPLEX = re.compile(
    r"\(?\s*(?:(.*?\S)?\s*([+-]))?\s*([^+-]*?)\s*(?:\*\s*[Ii]|(?<![A-Za-z\\])(?:i|\\mathrm\{i\}|(?<=\d)j))\s*\)?"
)
_MAX_COMPLEX_CHARS = 200
_PLUS_MINUS = re.compile(r"(.*?)\\pm(.*)")
_CHOICE = re.compile(r"\(?([A-Z])\)")
_LABELLED_CHOICE = re.compile(
    r"\\text(?:bf|rm|it)?\s*\{\s*\(?([A-J])[).:]+\s*\}.*|\(([A-J])\)\s+\S.*"
)
_CHOICE_WITH_TEXT = re.compile(r"\(?([A-J])\)?(?:\s*[).:]\s*.*)?", re.IGNORECASE)


class Canonical(Struct, frozen=True):
    """An answer as mathematics.

    Attributes
    ----------
    key
        What candidates are told apart by.
    shown
        The answer as written, without delimiters, for people.
    form
        "exact", "float" or "text": the type that the key begins with.
    """

    key: str
    shown: str
    form: Literal["exact", "float", "text"]

    @property
    def value(self) -> Fraction | None:
        """The number that the key stands for (of a float, the decimal written); None for text."""
        if self.form == "text":
            return None
        numerator, _, denominator = self.key[2:].partition("/")
        if self.form == "float":
            return Fraction(numerator)
        return Fraction(int(numerator, 0), int(denominator or "1", 0))


def canonical(raw: str, *, kind: str | None = None) -> Canonical:
    r"""Read an answer as mathematics; any text has a key, and nothing raises.

    Parameters
    ----------
    raw
        The answer as written by a person, a model, Python or SymPy.
    kind
        "choice" reads the letter of "C: 3\sqrt{2}"; other kinds change nothing yet.

    >>> canonical(r"\boxed{\frac{2}{4}}").key, canonical("0.50").key, canonical("n = 1,234").key
    ('q:1/2', 'q:1/2', 'q:1234')
    """
    quick = _INTEGER.fullmatch(raw)
    if quick is not None and quick[2].isascii():
        sign = "" if quick[2] == "0" else quick[1]
        return Canonical(key=f"q:{sign}{quick[2]}", shown=raw, form="exact")
    if len(raw) > MAX_ANSWER_CHARS:
        return Canonical(key="t:#" + _digest(raw.strip()), shown=_shortened(raw), form="text")
    return _cached(raw, kind) if len(raw) <= _MAX_CACHED_CHARS else _read(raw, kind)


def _read(raw: str, kind: str | None) -> Canonical:
    shown = unwrapped(raw)
    key = _choice(shown) if kind == "choice" else None
    key = key or _key(unwrapped(plain(shown)), 0)
    if len(key) > _MAX_KEY_CHARS and key.startswith("t:"):
        key = "t:#" + _digest(key)
    form: Literal["exact", "float", "text"] = (
        "exact" if key.startswith("q:") else "float" if key.startswith("f:") else "text"
    )
    return Canonical(key=key, shown=_shortened(shown), form=form)


_cached = lru_cache(maxsize=4096)(_read)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else text[:_MAX_SHOWN_CHARS] + "…"


def _choice(text: str) -> str | None:
    labelled = _LABELLED_CHOICE.fullmatch(text)
    found = labelled or _CHOICE_WITH_TEXT.fullmatch(text_key(text))
    letter = found and next((group for group in found.groups() if group), None)
    return "t:" + letter.upper() if letter else None


def _key(text: str, depth: int) -> str:
    decimal = _float_key(text)
    if decimal is not None:
        return decimal
    outer = bracketed(text)
    # (1,234) is a pair; only without brackets is the comma one of thousands.
    value = None if outer and "," in outer[1] else number(text)
    if value is not None:
        return rational_key(value)
    if depth > _MAX_NESTING:
        return "t:" + text_key(text)
    return (
        _of_complex(text)
        or _of_matrix(text, depth)
        or _of_brackets(text, depth)
        or _of_list(text, depth)
        or _of_assignment(text, depth)
        or "t:" + text_key(_letter(text))
    )


def rational_key(value: Fraction) -> str:
    """Key of an exact rational."""
    numerator, denominator = show_integer(value.numerator), show_integer(value.denominator)
    return f"q:{numerator}" if value.denominator == 1 else f"q:{numerator}/{denominator}"


def _float_key(text: str) -> str | None:
    match = _DECIMAL.fullmatch(text)
    if match is None or not match[0].isascii():
        return None
    sign, whole, fraction, exponent = match.groups()
    digits = (whole + fraction).lstrip("0").rstrip("0")
    if len(digits) not in _FLOAT_DIGITS:
        return None
    if len(digits) <= _REPR_DIGITS:
        shortest = repr(float(text))
        if shortest not in {"inf", "-inf", "0.0", "-0.0"}:
            return "f:" + shortest
    scale = (
        int(exponent or 0)
        - len(fraction)
        + len(whole + fraction)
        - len((whole + fraction).rstrip("0"))
    )
    return f"f:{'-' if sign == '-' else ''}{digits}e{scale}"


def _inner(text: str, depth: int) -> str:
    return _key(unwrapped(text), depth + 1)[2:]


def _of_complex(text: str) -> str | None:
    match = _COMPLEX.fullmatch(text) if len(text) <= _MAX_COMPLEX_CHARS else None
    if match is None or not any(match.groups()):
        return None
    real_text, sign, imaginary_text = match.groups()
    # "14.0 + -1.0i": the second sign belongs to the number.
    if real_text and real_text[-1] in "+-":
        sign = "-" if (real_text[-1] == "-") != (sign == "-") else "+"
        real_text = real_text[:-1].strip()
    real = number(real_text) if real_text else Fraction(0)
    imaginary = number(imaginary_text) if imaginary_text else Fraction(1)
    if real is None or imaginary is None:
        return None
    imaginary = -imaginary if sign == "-" else imaginary
    if imaginary == 0:
        return rational_key(real)
    return f"t:{rational_key(real)[2:]}+({rational_key(imaginary)[2:]})i"


def _of_matrix(text: str, depth: int) -> str | None:
    rows = matrix_rows(text) if text.startswith(("\\", "[", "(", "Matrix")) else None
    if rows is None or sum(map(len, rows)) > MAX_ELEMENTS:
        return None
    return (
        "t:matrix[" + ";".join(",".join(_inner(cell, depth) for cell in row) for row in rows) + "]"
    )


def _of_brackets(text: str, depth: int) -> str | None:
    outer = bracketed(text)
    if outer is None:
        return None
    opening, inside, closing = outer
    elements = [part for part in split_top(inside, ",;") if part]
    if len(elements) > MAX_ELEMENTS:
        return None
    if opening + closing == "{}":
        return _set_key([_inner(element, depth) for element in elements])
    if len(elements) < 2:  # noqa: PLR2004 - no tuple, a bracketed value
        letter = _CHOICE.fullmatch(text)
        return "t:" + letter[1] if letter else None
    return "t:" + opening + ",".join(_inner(element, depth) for element in elements) + closing


def _set_key(keys: list[str]) -> str:
    return "t:{" + ",".join(sorted(set(keys))) + "}"


def _of_list(text: str, depth: int) -> str | None:
    spread = _PLUS_MINUS.fullmatch(text)
    if spread is not None:
        centre, radius = number(spread[1] or "0"), number(spread[2])
        if centre is None or radius is None:
            return None
        return _set_key([rational_key(centre - radius)[2:], rational_key(centre + radius)[2:]])
    elements = bare_list(text)
    if elements is None:
        return None
    names = {element.partition("=")[0].strip() for element in elements if "=" in element}
    if len(names) > 1:
        # "m = 4, n = 7" says which is which.
        return _set_key(["".join(_named(element, depth)) for element in elements])
    return _set_key([_inner(element, depth) for element in elements])


def _named(element: str, depth: int) -> tuple[str, str, str]:
    name, sign, value = element.partition("=")
    return text_key(name), sign, _inner(value, depth) if sign else ""


def _of_assignment(text: str, depth: int) -> str | None:
    """A name given to something with a structure is that thing: D = (0, 1), (a, b) = (7, 4)."""
    parts = split_top(text, "=")
    if len(parts) != 2 or not all(parts):  # noqa: PLR2004 - name = value
        return None
    for name, value in (parts[0], parts[1]), (parts[1], parts[0]):
        names = bracketed(name)
        if not is_name(name) and not (names and all(map(is_name, split_top(names[1], ",")))):
            continue
        key = _of_complex(value) or _of_matrix(value, depth) or _of_brackets(value, depth)
        if key is not None:
            return key
    return None


def _letter(text: str) -> str:
    labelled = _LABELLED_CHOICE.fullmatch(text)
    return next((group for group in labelled.groups() if group), text) if labelled else text


def is_float_of(decimal: Canonical, exact: Fraction) -> bool:
    """Whether a long decimal is the exact number as a float prints it.

    It is if both give the same float, or agree to 15 significant digits (the noise of a short
    computation), or, for more digits than a float has, to all the digits given.
    """
    value = decimal.value
    if value is None or decimal.form != "float":
        return False
    digits, _, scale = decimal.key[2:].lstrip("-").partition("e")
    if digits.isdecimal() and len(digits) > _REPR_DIGITS:
        return bool(abs(value - exact) * 2 <= Fraction(10) ** int(scale))
    try:
        rounded, written = float(exact), float(value)
    except OverflowError:
        # Beyond 1e308 there is no float that the text could have come from.
        return False
    return rounded == written or f"{rounded:.14e}" == f"{written:.14e}"


def float_joins(candidates: Iterable[Canonical]) -> Mapping[str, str]:
    """For a whole tally: the exact key that each float's ballots go to.

    A float joins an exact candidate only when it is the float of exactly one of them; a float that
    is missing from the result stays a candidate of its own. The result does not depend on order.

    >>> float_joins([canonical("0.3333333333333333"), canonical("1/3"), canonical("2")])
    {'f:0.3333333333333333': 'q:1/3'}
    """
    by_key = {candidate.key: candidate for candidate in candidates}
    floats = {key: c for key, c in by_key.items() if c.form == "float"}
    if not floats:
        return {}
    exact = sorted(
        (value, key)
        for key, c in by_key.items()
        if c.form == "exact" and (value := c.value) is not None
    )
    joins: dict[str, str] = {}
    for key, decimal in sorted(floats.items()):
        fitting = [name for value, name in _near(decimal, exact) if is_float_of(decimal, value)]
        if len(fitting) == 1:
            joins[key] = fitting[0]
    return joins


def _near(
    decimal: Canonical, exact: Sequence[tuple[Fraction, str]]
) -> Sequence[tuple[Fraction, str]]:
    """Those of the sorted exact numbers that a decimal could be the float of at all."""
    value = decimal.value
    if value is None:
        return ()
    margin = abs(value) / 10**11
    first = bisect_left(exact, value - margin, key=itemgetter(0))
    return exact[first : bisect_right(exact, value + margin, key=itemgetter(0))]
