r"""The typed key of an answer: what ballots are counted by.

Two answers are the same candidate exactly when their keys are equal, so equality is transitive by
construction; `forms` describes keys. Numbers and words with nothing beside them are read here, in
microseconds. Everything else is mathematics that could take for ever: a
killable worker (`worker`) reads it, and within limits of time and memory it has a key or it stays
text. What can be read in several ways has one key and further `readings`; `joining` decides between
them, for a whole tally at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
from collections import OrderedDict
from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec import Struct

from . import forms
from .arithmetic import rational
from .forms import Form
from .plain import plain, unwrapped
from .symbols import text_key
from .wording import CONSTANT_LETTERS, choice_key, chosen, plain_words
from .worker import NoProcessError, shared

MAX_ANSWER_CHARS = 20_000
"""Longest answer that is read; a longer one is told apart by its text."""

TIMEOUT_S = 1.0
"""Longest time for one answer, in seconds."""

_MAX_SIMPLE_CHARS = 2_000
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

_NOT_SIMPLE = re.compile(r"[(\[{][^()\[\]{}]*,|(?=[\d.]{13})\d*\.\d")
# A date is no difference, and a time of day no ratio.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{4}")
_CLOCK = re.compile(r"(\d{1,2}(?::\d{2})?)\s*([ap])\.?\s?m\.?", re.IGNORECASE)


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
    """What the worker found, by text: the last few thousand, shared by all threads.

    Each text is worked out by one thread at a time, so that all ballots for it have the same key.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[str, tuple[float, tuple[str, ...]]] = OrderedDict()
        self._under_way: dict[str, threading.Lock] = {}

    def keys(self, text: str, timeout_s: float) -> tuple[str, ...]:
        """Keys of a text; none where they are beyond the limits, or cannot be found now."""
        with self._lock:
            found = self._get(text, timeout_s)
            if found is not None:
                return found
            flight = self._under_way.setdefault(text, threading.Lock())
        with flight:
            with self._lock:
                found = self._get(text, timeout_s)
            if found is not None:
                return found
            try:
                return self._work_out(text, timeout_s)
            finally:
                with self._lock:
                    self._under_way.pop(text, None)

    def _work_out(self, text: str, timeout_s: float) -> tuple[str, ...]:
        try:
            reply = shared().ask("keys", text.encode(errors="replace"), timeout_s=timeout_s)
        except NoProcessError:
            return ()  # a fact about this machine, not about the text
        found = msgspec.msgpack.decode(reply, type=tuple[str, ...]) if reply else ()
        with self._lock:
            self._found[text] = timeout_s, found
            if len(self._found) > _MAX_CACHED:
                self._found.popitem(last=False)
        return found

    def _get(self, text: str, timeout_s: float) -> tuple[str, ...] | None:
        spent_s, keys = self._found.get(text, (-1.0, ()))
        # What was beyond a shorter limit is tried again within a longer one.
        return keys if keys or spent_s >= timeout_s else None

    def clear(self) -> None:
        """Forget everything."""
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
        Most work to spend on it, in seconds; an answer that takes more is its text. The call may
        take twice as long on a busy machine, and waits for its turn where others are asking.

    >>> canonical(r"\boxed{\frac{2}{4}}").key, canonical("0.50").key, canonical("n = 1,234").key
    ('q:1/2', 'q:1/2', 'q:1234')
    >>> canonical(r"\sqrt{8}").key == canonical("2*sqrt(2)").key
    True
    """
    quick = _INTEGER.fullmatch(raw) if kind != "text" else None
    if quick is not None:
        digits = "".join(filter(str.isdigit, quick[3])).lstrip("0") or "0"
        if len(digits) <= _MAX_DIGITS:
            sign = "-" if quick[2] and digits != "0" else ""
            return Canonical(key=f"q:{sign}{digits}", shown=raw.strip("$"), form="exact")
    if len(raw) > MAX_ANSWER_CHARS:
        return Canonical(key="o:#" + _digest(raw.strip()), shown=_shortened(raw), form="opaque")
    shown, keys = (_quick_cached if len(raw) <= _MAX_CACHED_CHARS else _quick_keys)(raw, kind)
    if not keys:
        keys = _kept.keys(shown, timeout_s) or (_opaque(shown),)
    keys = tuple(dict.fromkeys(map(_bounded, keys)))
    return Canonical(
        key=keys[0], shown=_shortened(shown), form=forms.form_of(keys[0]), readings=keys[1:]
    )


def prepare() -> None:
    """Start the worker, so that the first hard answer need not wait for it."""
    with contextlib.suppress(NoProcessError):  # which has said so
        shared().ask("keys", b"x", timeout_s=TIMEOUT_S)


def clear_caches() -> None:
    """Forget all answers read so far; for measurements."""
    _kept.clear()
    _quick_cached.cache_clear()


def _quick_keys(raw: str, kind: str | None) -> tuple[str, tuple[str, ...]]:
    """The answer without delimiters, and its keys if they need no algebra."""
    shown = unwrapped(raw)
    choice = chosen(shown) if kind == "choice" else choice_key(shown)
    if choice is not None and (kind == "choice" or choice not in CONSTANT_LETTERS):
        return shown, (choice,)
    clock = _CLOCK.fullmatch(shown)
    if clock is not None:
        return shown, (f"t:{clock[1].removeprefix('0')} {clock[2].lower()}m",)
    if _DATE.fullmatch(shown):
        return shown, ("t:" + shown,)
    if kind == "text":
        return shown, ("t:" + text_key(shown),)
    simple = _simple_key(shown)
    return shown, () if simple is None else (simple,)


_quick_cached = lru_cache(maxsize=_MAX_CACHED)(_quick_keys)


def _simple_key(shown: str) -> str | None:
    """Key of what can be read here at once: a number without anything beside it, or words."""
    if len(shown) > _MAX_SIMPLE_CHARS and not shown.isascii():
        return None  # one sign can become ten
    words = plain_words(shown)
    if words is not None or not shown:
        return words or "t:"
    text = unwrapped(plain(shown))
    decimal = forms.float_key(text)
    if decimal is not None:
        return decimal
    # (1,234) is a pair, and what is computed with a float is a float.
    value = None if _NOT_SIMPLE.search(text) else rational(text)
    return None if value is None else forms.rational_key(value)


def _opaque(shown: str) -> str:
    """Key of what was not understood: its text, tidied where that costs little."""
    if len(shown) > _MAX_SIMPLE_CHARS:
        return "o:#" + _digest(shown)
    return "o:" + text_key(unwrapped(plain(shown)))


def _bounded(key: str) -> str:
    """The key, or its digest behind its type where it is long."""
    if len(key) <= _MAX_KEY_CHARS or key.startswith("q:"):
        return key
    return key.partition(":")[0] + ":#" + _digest(key)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARS else text[:_MAX_SHOWN_CHARS] + "…"
