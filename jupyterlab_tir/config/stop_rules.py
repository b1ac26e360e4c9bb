"""Stop rules as users write them: "share:0.75,lead:3". What they do is `voting.rules`' matter.

`usual` stands for the share rule, and beside it a Beta rule where no stricter share is asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Literal, TypeGuard

from ..errors import UsageError

NumberedRule = Literal["share", "planned", "beta", "lead", "window"]
"""The stop rules that take a number."""

USUAL_TAU = 0.75
USUAL_ANSWERS = 4
"""Share of the share rule, and answers that it waits for, if nothing else is said."""

USUAL_BETA = 0.97
_MAJORITY = 0.5
_MAX_CHARS = 200
_MAX_COUNT = 1024
_MAX_SHOWN_CHARS = 40
# As many decimals as a double is written with, and some more.
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?")
_WITHOUT_NUMBER = frozenset({"none", "uncatchable"})
_WITH_NUMBER: dict[str, tuple[Callable[[float], bool], str, str]] = {
    "share": (lambda x: _MAJORITY <= x <= 1, "a share from 0.5 to 1", "share:0.75"),
    "planned": (lambda x: _MAJORITY <= x <= 1, "a share from 0.5 to 1", "planned:0.75"),
    "beta": (lambda x: _MAJORITY <= x < 1, "a probability from 0.5 to below 1", "beta:0.95"),
    "lead": (lambda x: x in range(1, _MAX_COUNT + 1), "a whole number from 1 to 1024", "lead:3"),
    "window": (
        lambda x: x in range(2, _MAX_COUNT + 1),
        "a whole number from 2 to 1024",
        "window:5",
    ),
}


def parse_stop(
    text: str, *, tau: float | None = None, min_answers: int = USUAL_ANSWERS
) -> tuple[tuple[NumberedRule, float], ...]:
    """Read "share:0.75,lead:3" as rules and their numbers; "none" has none.

    Parameters
    ----------
    text
        Names with their numbers, joined by commas.
    tau
        The number of a "share" that is written without one; if None, that is refused.
    min_answers
        Answers that "share" waits for; above the usual number "usual" is share alone, and so it is
        where `tau` is above the usual one.

    Raises
    ------
    UsageError
        If a rule is unknown, named twice, or has no number or one that cannot be.

    Examples
    --------
    >>> parse_stop("beta:0.95, share", tau=0.75), parse_stop("none")
    ((('beta', 0.95), ('share', 0.75)), ())
    >>> parse_stop("usual"), parse_stop("usual", tau=0.9)
    ((('share', 0.75), ('beta', 0.97)), (('share', 0.9),))
    """
    names: list[str] = []
    found: list[tuple[NumberedRule, float]] = []
    for part in _parts(text, tau, min_answers):
        name, colon, number = part.strip().partition(":")
        if name in names:
            of_usual = ", since usual stands for it too" if "usual" in text else ""
            raise UsageError(f"The stop rule {name} is there twice{of_usual}: name it once.")
        names.append(name)
        if name in _WITHOUT_NUMBER:
            if colon:
                raise UsageError(f"The stop rule {name} takes no number: write just {name}.")
        elif _takes_number(name):
            if name == "share" and not colon and tau is not None:
                found.append((name, tau))
            else:
                found.append((name, _number(name, number.strip())))
        else:
            raise UsageError(
                f"There is no stop rule {name[:_MAX_SHOWN_CHARS]!r}: choose from usual, "
                "share:0.75, planned:0.75, beta:0.95, lead:3, window:5, joined by commas, or none."
            )
    if "none" in names and len(names) > 1:
        raise UsageError("The stop rule none stands alone: leave it or the others out.")
    return tuple(found)


def _parts(text: str, tau: float | None, min_answers: int) -> list[str]:
    """Rules as written, with those in place of "usual" that it stands for."""
    if len(text) > _MAX_CHARS:
        return [text]
    share = USUAL_TAU if tau is None else tau
    usual = [f"share:{share!r}"]
    if share <= USUAL_TAU and min_answers <= USUAL_ANSWERS:
        usual.append(f"beta:{USUAL_BETA}")
    parts = [part.strip() for part in text.split(",")]
    return [each for part in parts for each in (usual if part == "usual" else [part])]


def _takes_number(name: str) -> TypeGuard[NumberedRule]:
    return name in _WITH_NUMBER


def _number(name: NumberedRule, written: str) -> float:
    fits, wanted, example = _WITH_NUMBER[name]
    value = float(written) if _NUMBER.fullmatch(written) else math.nan
    if not fits(value):
        said = repr(written[:20]) if written else "none"
        raise UsageError(f"The stop rule {name} takes {wanted}, as in {example}; it got {said}.")
    return value
