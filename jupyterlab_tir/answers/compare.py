"""Whether two answers are the same mathematics, and whether one is the other, rounded."""

from __future__ import annotations

import re
import time
from fractions import Fraction

import msgspec

from . import forms
from .canonical import TIMEOUT_S, Canonical, canonical
from .plain import plain, unwrapped
from .worker import NoProcessError, shared

_DECIMAL = re.compile(
    r"(?<![\d.])(?=\.?\d)(\d{0,600})(?:\.(\d{0,600}))?(?:[eE]([+-]?\d{1,3})(?!\d))?"
)
_SCIENTIFIC = re.compile(r"\s*\*\s*10\s*\^\s*\{?\s*\(?([+-]?\d{1,4})\)?\s*\}?")


def equivalent(
    a: str,
    b: str,
    *,
    kind: str | None = None,
    timeout_s: float = TIMEOUT_S,
) -> bool | None:
    r"""Whether two answers are the same mathematics; None if they cannot be compared in time.

    Either reading of an ambiguous form counts: "(0, 1)" is the pair and the interval. Expressions
    are the same where they agree wherever both are defined.

    Parameters
    ----------
    a, b
        Answers as written.
    kind
        See `canonical`.
    timeout_s
        Most work to spend, in seconds; see `canonical`.

    >>> equivalent("0.5", r"\frac12"), equivalent("2", "3"), equivalent("(x-1)^2", "x^2-2x+1")
    (True, False, True)
    >>> equivalent(r"2\pi", "6.283185307179586"), equivalent(r"2\pi", "6.283185")
    (True, False)
    """
    if a.strip() == b.strip():
        return True
    end = time.monotonic() + timeout_s
    one = canonical(a, kind=kind, timeout_s=timeout_s)
    other = canonical(b, kind=kind, timeout_s=max(end - time.monotonic(), timeout_s / 10))
    verdict = same(one, other)
    left_s = end - time.monotonic()
    if verdict is not None or left_s <= 0:
        return verdict
    texts = sorted(text.encode(errors="replace").decode() for text in (a, b))
    payload = msgspec.msgpack.encode(texts)
    try:
        reply = shared().ask("agree", payload, timeout_s=left_s)
    except NoProcessError:
        return None
    return msgspec.msgpack.decode(reply, type=bool | None) if reply is not None else None


def same(a: Canonical, b: Canonical) -> bool | None:
    """Whether two keyed answers are the same; None if their keys do not tell.

    One of them may be read in another than its likeliest way, but not both: a column and a row are
    both a tuple at need, and not each other.
    """
    if any(same_keys(a.key, other) for other in b.keys) or any(
        same_keys(one, b.key) for one in a.readings
    ):
        return True
    kinds = {a.form, b.form}
    if len(kinds) == 1:
        # Expressions may differ only where one is undefined, also inside of wholes.
        is_open = kinds <= {"expression", "relation"} or ("x:" in a.key and "x:" in b.key)
    else:
        # What was not understood may be anything, except words.
        is_open = "opaque" in kinds and "text" not in kinds
    return None if is_open or kinds == {"opaque"} else False


def same_keys(a: str, b: str) -> bool:
    """Whether two keys are equal, or one is the other as floats print it."""
    return a == b or forms.is_float_of(a, b) or forms.is_float_of(b, a)


def rounds_to(a: str, b: str) -> bool:
    r"""Whether `b` is `a` rounded to the digits of `b`, and not `a` itself.

    Said in verdicts and checks by code; never used to merge ballots. Ties may go either way.

    >>> rounds_to(r"\frac13", "0.33"), rounds_to("0.33", r"\frac13"), rounds_to("1/2", "0.5")
    (True, False, False)
    >>> rounds_to(r"2\pi", "6.28"), rounds_to(r"2\pi", "6.27")
    (True, False)
    """
    places = _places(b)
    if places is None:
        return False
    exact, rounded = canonical(a), canonical(b)
    if exact.value is None or rounded.value is None or same(exact, rounded):
        return False
    return abs(exact.value - rounded.value) * 2 <= Fraction(10) ** -places


def _places(written: str) -> int | None:
    """Decimal places of a number as written, negative for 3.1e5; None where it is no decimal."""
    text = unwrapped(plain(unwrapped(written))).replace(",", "")
    power = _SCIENTIFIC.search(text)
    scale = int(power[1]) if power is not None else 0
    decimals = list(_DECIMAL.finditer(_SCIENTIFIC.sub("", text)))
    value = canonical(written).value
    if len(decimals) != 1 or value is None:
        return None
    # A unit or a currency may stand beside it; "5!" and "2^{1.5}" are not their one decimal.
    whole, fraction, exponent = decimals[0].groups(default="")
    digits = Fraction(int(whole + fraction or "0"))
    places = len(fraction) - int(exponent or 0) - scale
    return places if abs(value) == digits * Fraction(10) ** -places else None
