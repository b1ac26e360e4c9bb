# ruff: noqa: RUF001 - full-width and typographic signs are what models write
"""Whether two answers are the same mathematics, as far as that can be known without SymPy."""

from __future__ import annotations

import re
from fractions import Fraction

from .canonical import Canonical, canonical, is_float_of
from .plain import plain, unwrapped

_SETTLED_STRUCTURE = re.compile(r"t:(?:matrix)?[\[({][-0-9/,;()\[\]{}]*[\])}]")
_SETTLED_WORDS = re.compile(r"t:[^\W\d_](?:[^\W\d_]|[ '’-])*")
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?", re.IGNORECASE)
_CONSTANTS = frozenset({"t:pi", "t:infinity", "t:e", "t:i", "t:nan"})


def equivalent(
    a: str,
    b: str,
    *,
    kind: str | None = None,
    timeout_s: float = 1.0,  # noqa: ARG001 - part of the promise to callers; nothing here takes that long
) -> bool | None:
    r"""Whether two answers are the same mathematics; None if that is beyond what is read here.

    Parameters
    ----------
    a, b
        Answers as written.
    kind
        See `canonical`.
    timeout_s
        Longest time to think, in seconds.

    >>> equivalent("0.5", r"\frac12"), equivalent("2", "3"), equivalent("(x-1)^2", "x^2-2x+1")
    (True, False, None)
    """
    if a.strip() == b.strip():
        return True
    return same(canonical(a, kind=kind), canonical(b, kind=kind))


def same(a: Canonical, b: Canonical) -> bool | None:
    """Whether two keyed answers are the same; None if their keys do not tell."""
    if a.key == b.key:
        return True
    x, y = a.value, b.value
    if x is not None and y is not None:
        return _same_numbers(a, x, b, y)
    if _is_settled(a) and _is_settled(b):
        return None if _may_be_the_same_list(a.key, b.key) else False
    return None


def _may_be_the_same_list(a: str, b: str) -> bool:
    """Whether one is a set and the other a tuple: which of them was meant is not known here."""
    brackets = {a[2:3], b[2:3]}
    return "{" in brackets and bool(brackets & {"(", "["})


def _same_numbers(a: Canonical, x: Fraction, b: Canonical, y: Fraction) -> bool:
    if a.form == "exact" and b.form == "exact":
        return x == y
    return is_float_of(a, y) or is_float_of(b, x)


def _is_settled(c: Canonical) -> bool:
    """Whether nothing about the answer is left to be worked out."""
    if c.form != "text":
        return True
    if c.key.startswith("t:#"):
        return False
    words = _SETTLED_WORDS.fullmatch(c.key) is not None and c.key not in _CONSTANTS
    return words or _SETTLED_STRUCTURE.fullmatch(c.key) is not None


def rounds_to(a: str, b: str) -> bool:
    r"""Whether `b` is `a` rounded to the digits of `b`, and not `a` itself.

    Said in verdicts and checks by code; never used to merge ballots. Ties may go either way.

    >>> rounds_to(r"\frac13", "0.33"), rounds_to("0.33", r"\frac13"), rounds_to("1/2", "0.5")
    (True, False, False)
    """
    exact = canonical(a).value
    written = _DECIMAL.fullmatch(unwrapped(plain(unwrapped(b))).replace(",", ""))
    rounded = canonical(b).value
    if exact is None or written is None or rounded is None or exact == rounded:
        return False
    places = len(written[3] or "") - int(written[4] or 0)
    return abs(exact - rounded) * 2 <= Fraction(10) ** -places
