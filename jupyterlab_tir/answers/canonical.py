r"""The typed key of an answer: what ballots are counted by.

Two answers are the same candidate exactly when their keys are equal, so equality is transitive by
construction; `forms` describes keys. Integers, fractions, decimals, words and plain lists of them
are read here, in a few microseconds. Everything else is mathematics that could take for ever: a
killable worker (`worker`) reads it, and within limits of time and memory it has a key or it stays
text. What can be read in several ways has one key and further `readings`; `joining` decides between
them, for a whole tally at once.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec import Struct

from . import forms
from .forms import Form
from .numbers import number
from .plain import plain, unwrapped
from .structure import MAX_ELEMENTS, bare_list, bracketed, split_top
from .symbols import text_key
from .wording import CONSTANT_LETTERS, choice_key, chosen, plain_words
from .worker import shared

MAX_ANSWER_CHARS = 100_000
"""Longest answer that is read; a longer one is told apart by its text."""

TIMEOUT_S = 1.0
"""Longest time for one answer, in seconds."""

_MAX_WORKED_CHARS = 20_000
_MAX_KEY_CHARS = 4_000
_MAX_SHOWN_CHARS = 200
_MAX_CACHED_CHARS = 2_000
_MAX_CACHED = 4_096
_MAX_DIGITS = 599  # longer ones have hexadecimal keys
# Four of five answers: an integer, perhaps with delimiters, a name or separators.
_INTEGER = re.compile(
    r"(\$?)(?:[A-Za-z]\s?=\s?)?([-\u2212]?)([0-9]{1,600}|[0-9]{1,3}(?:(?:,|\{,\}|\\,)[0-9]{3}){1,200})"
    r"(?:\.0{0,12})?\1"
)


class Canonical(Struct, frozen=True):
    """An answer as mathematics.

    Attributes
    ----------
    key
        What candidates are told apart by.
    shown
        The answer as written, without delimiters, for people.
    form
        The type that the key begins with; see `forms`.
    readings
        Keys of what else the answer can be read as: of "(0, 1)", the pair, the interval.
    """

    key: str
    shown: str
    form: Form
    readings: tuple[str, ...] = ()

    @property
    def value(self) -> Fraction | None:
        """The real number that the key stands for, to 50 digits at least; else None."""
        return forms.value_of(self.key)

    @property
    def keys(self) -> tuple[str, ...]:
        """The key and the further readings."""
        return (self.key, *self.readings)

    @property
    def is_settled(self) -> bool:
        """Whether no other answer can change what this one is counted as."""
        return not self.readings and not forms.has_float(self.key)


class _Kept:
    """What the worker found, by text: the last few thousand, shared by all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()

    def get(self, text: str, timeout_s: float) -> tuple[str, ...] | None:
        with self._lock:
            spent_s, keys = self._found.get(text, (-1.0, ()))
            # What was beyond a shorter limit is tried again within a longer one.
            return keys if keys or spent_s >= timeout_s else None

    def put(self, text: str, timeout_s: float, keys: tuple[str, ...]) -> None:
        with self._lock:
            self._found[text] = timeout_s, keys
            if len(self._found) > _MAX_CACHED:
                self._found.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._found.clear()


_kept = _Kept()


def canonical(raw: str, *, kind: str | None = None, timeout_s: float = TIMEOUT_S) -> Canonical:
    r"""Read an answer as mathematics; any text has a key, and nothing raises.

    Parameters
    ----------
    raw
        The answer as written by a person, a model, Python or SymPy.
    kind
        The expected kind: "choice" reads the letter of "C: 3\sqrt{2}", "text" reads words only.
    timeout_s
        Longest time to work on it, in seconds; an answer that takes longer is its text.

    >>> canonical(r"\boxed{\frac{2}{4}}").key, canonical("0.50").key, canonical("n = 1,234").key
    ('q:1/2', 'q:1/2', 'q:1234')
    >>> canonical(r"\sqrt{8}").key == canonical("2*sqrt(2)").key
    True
    """
    quick = _INTEGER.fullmatch(raw)
    if quick is not None:
        digits = "".join(filter(str.isdigit, quick[3])).lstrip("0") or "0"
        if len(digits) <= _MAX_DIGITS:
            sign = "-" if quick[2] and digits != "0" else ""
            return Canonical(key=f"q:{sign}{digits}", shown=raw.strip("$"), form="exact")
    if len(raw) > MAX_ANSWER_CHARS:
        return Canonical(key="o:#" + _digest(raw.strip()), shown=_shortened(raw), form="opaque")
    shown, keys = (_quick_cached if len(raw) <= _MAX_CACHED_CHARS else _quick_keys)(raw, kind)
    if not keys:
        keys = _worked_out(shown, timeout_s) or ("o:" + text_key(unwrapped(plain(shown))),)
    keys = tuple(dict.fromkeys(map(_bounded, keys)))
    return Canonical(
        key=keys[0], shown=_shortened(shown), form=forms.form_of(keys[0]), readings=keys[1:]
    )


def prepare() -> None:
    """Start the worker, so that the first hard answer need not wait for it."""
    shared().ask("keys", b"x", timeout_s=TIMEOUT_S)


def clear_caches() -> None:
    """Forget all answers read so far; for measurements."""
    _kept.clear()
    _quick_cached.cache_clear()


def _quick_keys(raw: str, kind: str | None) -> tuple[str, tuple[str, ...]]:
    """The answer without delimiters, and its keys if they need no algebra."""
    shown = unwrapped(raw)
    choice = chosen(shown) if kind == "choice" else None
    if choice is not None:
        return shown, (choice,)
    if kind == "text":
        return shown, ("t:" + text_key(shown),)
    return shown, _simple_keys(unwrapped(plain(shown)))


_quick_cached = lru_cache(maxsize=_MAX_CACHED)(_quick_keys)


def _simple_keys(text: str) -> tuple[str, ...]:
    key = _simple_key(text)
    if key is not None:
        return (key,)
    if not text:
        return ("t:",)
    outer = bracketed(text)
    elements = [part for part in split_top(outer[1], ",;") if part] if outer else bare_list(text)
    if not elements or len(elements) > MAX_ELEMENTS or (outer and len(elements) == 1):
        return ()
    keys = [_simple_key(unwrapped(element)) for element in elements]
    known = [key for key in keys if key is not None]
    if len(known) < len(keys) or any("=" in element for element in elements):
        return ()
    opening, _, closing = outer or ("", "", "")
    return forms.list_readings(opening, known, closing)


def _simple_key(text: str) -> str | None:
    decimal = forms.float_key(text)
    if decimal is not None:
        return decimal
    outer = bracketed(text)
    # (1,234) is a pair; only without brackets is the comma one of thousands.
    value = None if outer and "," in outer[1] else number(text)
    if value is not None:
        return forms.rational_key(value)
    letter = choice_key(text)
    return plain_words(text) if letter is None or letter in CONSTANT_LETTERS else letter


def _worked_out(text: str, timeout_s: float) -> tuple[str, ...]:
    """Keys by the worker; none where it finds none within the limits."""
    if len(text) > _MAX_WORKED_CHARS:
        return ()
    found = _kept.get(text, timeout_s)
    if found is None:
        reply = shared().ask("keys", text.encode(errors="replace"), timeout_s=timeout_s)
        found = msgspec.msgpack.decode(reply, type=tuple[str, ...]) if reply is not None else ()
        _kept.put(text, timeout_s, found)
    return found


def _bounded(key: str) -> str:
    """The key, or its digest behind its type where it is long."""
    if len(key) <= _MAX_KEY_CHARS or key.startswith("q:"):
        return key
    return key.partition(":")[0] + ":#" + _digest(key)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else text[:_MAX_SHOWN_CHARS] + "…"
