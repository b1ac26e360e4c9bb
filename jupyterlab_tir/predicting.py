"""A set of problems in one budget of time, as a competition's notebook calls it.

A problem that cannot be solved must not end the others: what goes wrong with one is a warning, and
its answer is the default. Only wrong settings are raised, and before the first problem.
"""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Hashable
from typing import Any, Final

import msgspec

from .answers import forms
from .config import resolve
from .errors import TirError, UsageError
from .solving import RunResult, solve
from .solving.engine import engine
from .time_bank import MOST_BASES, TimeBank, shown

USUAL_RANGE: Final = (0, 99_999)
"""Bounds of an integer answer, where nothing else is said."""

_log = logging.getLogger(__name__)

_LEAST_S: Final = 1.0
_MOST_S: Final = 86_400.0
_MOST_ID_CHARS: Final = 80
_MOST_END_DIGITS: Final = 1000
_MOST_END: Final = 10**_MOST_END_DIGITS
_ENDING_S: Final = 0.5
"""Seconds of an allotment that are kept for ending a run: cancelling, and judging what there is."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one problem.

    Parameters
    ----------
    text
        The problem.
    answer
        What `predict` gave if it was not the default.
    result
        The run; None where there was none.
    reason
        Why there is no answer, in words; empty where there is one.
    """

    text: str
    answer: int | str | None
    result: RunResult | None
    reason: str = ""

    @property
    def failed(self) -> bool:
        """Whether another try may do better: nothing was asked, or the server was lost."""
        return self.result is None or self.result.status == "server-lost"


class PredictionWarning(UserWarning):
    """A problem that has no answer, and why."""


class _Unset:
    """Stands for a default that was not given."""


_UNSET: Final = _Unset()


class Predictor:
    """Answers problems, one after the other as a rule, within `total_s` seconds for all of them.

    It may be asked from several threads: of those that ask the same problem at once one solves it,
    and the others wait for that.

    Parameters
    ----------
    total_s, problems
        Seconds for all, and how many there will be; see `TimeBank`.
    answer, range
        What is asked for, as the settings of these names; `range` also as a pair, whose ends may
        be None. Another answer counts for nobody. The usual range is for integers alone.
    default
        What `predict` returns where there is no answer. No answer is ever made up.
    most
        Bases of time that one problem may take.
    clock
        Seconds that only ever grow.
    settings
        Any other setting, such as ``samples=32`` or ``base_url=…``. A `deadline` among them bounds
        every single problem.

    Attributes
    ----------
    bank
        The time.
    predictions
        What came of each problem, by its id.

    Raises
    ------
    UsageError
        If a setting cannot be used as given.

    Examples
    --------
    >>> predictor = Predictor(total_s=60, problems=2, base_url="echo", samples=1, mode="text")
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as warned:
    ...     warnings.simplefilter("always")
    ...     print(predictor.predict("a1", "What is 2 + 2?"))  # an echo concludes nothing
    None
    >>> str(warned[0].message)
    'Problem a1 has no answer: The one finished sample gave no answer.'
    """

    def __init__(
        self,
        *,
        total_s: float,
        problems: int = 50,
        answer: str | None = "integer",
        range: str | tuple[int | None, int | None] | None = USUAL_RANGE,  # noqa: A002 - the setting's name
        default: int | str | None = None,
        most: float = MOST_BASES,
        clock: Callable[[], float] = time.monotonic,
        **settings: object,
    ) -> None:
        if range is USUAL_RANGE and answer != "integer":
            range = None  # noqa: A001 - as above
        self._settings: dict[str, Any] = {**settings, "answer": answer, "range": _range(range)}
        # Wrong ones are better said now than when the clock runs.
        config = resolve(self._settings).config
        self._most_s = config.deadline if "deadline" in settings else _MOST_S
        self._kind = answer
        self._default = default
        self.bank = TimeBank(total_s, problems, most=most, clock=clock)
        self.predictions: dict[Hashable, Prediction] = {}
        self._allotting = threading.Lock()
        self._solving: dict[Hashable, threading.Lock] = {}

    def predict(self, id: Hashable, text: str, *, default: Any = _UNSET) -> Any:  # noqa: A002, ANN401 - a competition's name; the caller's type
        """Answer one problem.

        Parameters
        ----------
        id
            Its name. The same one with the same text is not solved again, unless no run took place
            or the server was lost.
        text
            The problem.
        default
            What to return where there is no answer, instead of the predictor's own.

        Returns
        -------
        int or str or None
            For the kind ``integer`` a whole number, exactly; for others the answer as shown; the
            default where there is none, with a `PredictionWarning` that says why.

        Raises
        ------
        UsageError
            If `id` cannot be the key of a dictionary, or on the engine's own thread.
        """
        try:
            hash(id)
        except TypeError:
            raise UsageError(
                f"The problem's id is of type {type(id).__name__}, by which nothing can be kept: "
                "give a text or a number."
            ) from None
        # Who waits there for another thread would keep that one's run from going on.
        engine().require_another_thread()
        with self._solving.setdefault(id, threading.Lock()):
            before = self.predictions.get(id)
            solved = before is not None and before.text == text and not before.failed
            known = before if before is not None and solved else self._solve(id, text)
            self.predictions[id] = known
        if known.reason and not solved:
            words = f"Problem {_named(id)} has no answer: {known.reason}"
            warnings.warn(words, PredictionWarning, stacklevel=2)
        if known.answer is not None:
            return known.answer
        return self._default if isinstance(default, _Unset) else default

    def _solve(self, id: Hashable, text: str) -> Prediction:  # noqa: A002 - as of `predict`
        with self._allotting:
            allotted_s = self.bank.allot(_LEAST_S + _ENDING_S)
        seconds = min(allotted_s - _ENDING_S, self._most_s)
        if seconds < _LEAST_S:
            words = (
                f"its share of the {self.bank.total_s:g} s for all problems is {allotted_s:.1f} s, "
                f"and a run needs {_LEAST_S + _ENDING_S:g} s."
            )
            return Prediction(text=text, answer=None, result=None, reason=words)
        try:
            result = solve(text, **{**self._settings, "deadline": seconds})
        except TirError as error:
            return Prediction(text=text, answer=None, result=None, reason=str(error))
        except Exception as error:  # noqa: BLE001 - no single problem may end the others
            # Nobody foresaw it: a sentence alone would not say where to look.
            _log.exception("problem %s: the run failed", _named(id))
            words = f"the run failed with {type(error).__name__}: {error}"
            return Prediction(text=text, answer=None, result=None, reason=words)
        answer = _answer_of(result, self._kind)
        reason = "" if answer is not None else result.reason
        return Prediction(text=text, answer=answer, result=result, reason=reason)


def _named(id: Hashable) -> str:  # noqa: A002 - as of `predict`
    """A problem's id as a sentence holds it."""
    return (id if isinstance(id, str) else shown(id))[:_MOST_ID_CHARS]


def _range(given: object) -> str | None:
    """Write a pair as the setting `range` has it."""
    if given is None or isinstance(given, str):
        return given
    pair = tuple(given) if isinstance(given, tuple | list) else ()
    whole = [end for end in pair if end is None or type(end) is int]
    if len(pair) != 2 or len(whole) != 2 or pair == (None, None):  # noqa: PLR2004 - two ends
        raise UsageError(
            f"range is {shown(given)}; write it as two whole numbers such as (0, 99999), one of "
            "which may be None, or as text such as 0..99999."
        )
    if any(end is not None and abs(end) >= _MOST_END for end in pair):
        raise UsageError(
            f"range is {shown(given)}; its ends may have {_MOST_END_DIGITS:,} digits at the most: "
            "leave one that is no bound out, as None."
        )
    return "..".join("" if end is None else str(end) for end in pair)


def _answer_of(result: RunResult, kind: str | None) -> int | str | None:
    """The answer as Python has it: an integer is one exactly, whatever its size."""
    leader = result.tally.leader
    if leader is None or kind != "integer":
        return result.answer
    # From the key: what is shown of a long answer is cut.
    value = forms.value_of(leader.key)
    return int(value) if value is not None and value.denominator == 1 else None
