"""Which candidate each answer of a tally counts for, where that depends on the other answers.

Most answers are their own key. A float joins the exact candidate that it is the float of, if that
is exactly one; a form that can be read in several ways takes the reading that other ballots have.
Decided once for the whole tally, from the set of answers alone: neither the order of ballots nor
their number counts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter

from . import forms
from .canonical import Canonical


def candidate_keys(answers: Sequence[Canonical]) -> list[str]:
    """Key of the candidate that each answer counts for.

    Parameters
    ----------
    answers
        Of all ballots of a tally.

    >>> from jupyterlab_tir.answers import canonical
    >>> candidate_keys([canonical(raw) for raw in ("0.3333333333333333", "1/3", "2")])
    ['q:1/3', 'q:1/3', 'q:2']
    >>> candidate_keys([canonical(raw) for raw in ("(0, 1)", "[0, 1]", "x = 0, x = 1")])
    ['s:(q:0,q:1)', 'i:[q:0,q:1]', 's:{q:0,q:1}']
    """
    if all(answer.is_settled for answer in answers):
        return [answer.key for answer in answers]
    readings = chosen_readings(answers)
    chosen = [readings[answer.keys] for answer in answers]
    joins = float_joins(chosen)
    return [joins.get(key, key) for key in chosen]


def chosen_readings(answers: Iterable[Canonical]) -> dict[tuple[str, ...], str]:
    """The reading that each combination of readings takes in a tally."""
    combinations = {answer.keys for answer in answers}
    settled = {keys[0] for keys in combinations if len(keys) == 1}
    chosen: dict[tuple[str, ...], str] = {keys: keys[0] for keys in combinations if len(keys) == 1}
    wanted = {key for keys in combinations for key in keys[1:]}
    # What somebody else's second reading is goes first, so that both can meet there.
    ambiguous = sorted(
        (keys for keys in combinations if len(keys) > 1),
        key=lambda keys: (keys[0] not in wanted, keys),
    )
    for keys in ambiguous:
        others = [key for key in keys[1:] if key in settled]
        meets = keys[0] not in settled and len(others) == 1
        chosen[keys] = others[0] if meets else keys[0]
        settled.add(chosen[keys])
    return chosen


def float_joins(keys: Iterable[str]) -> Mapping[str, str]:
    """The key that each key with floats in it goes to, where that is exactly one.

    >>> float_joins(["f:0.3333333333333333", "q:1/3", "q:2"])
    {'f:0.3333333333333333': 'q:1/3'}
    """
    different = set(keys)
    floats = sorted(key for key in different if forms.has_float(key))
    if not floats:
        return {}
    numbers: list[tuple[Fraction, str]] = []
    wholes: dict[str, list[str]] = defaultdict(list)
    for key in sorted(different - set(floats)):
        value = forms.value_of(key)
        if value is None:
            wholes[forms.skeleton(key)].append(key)
        else:
            numbers.append((value, key))
    numbers.sort()
    joins: dict[str, str] = {}
    for key in floats:
        value = forms.value_of(key)
        near = wholes[forms.skeleton(key)] if value is None else _near(value, numbers)
        fitting = [other for other in near if forms.is_float_of(key, other)]
        if len(fitting) == 1:
            joins[key] = fitting[0]
    return joins


def _near(value: Fraction, numbers: Sequence[tuple[Fraction, str]]) -> list[str]:
    """Those of the sorted numbers that a decimal could be the float of at all."""
    margin = abs(value) / 10**11
    first = bisect_left(numbers, value - margin, key=itemgetter(0))
    return [
        key for _, key in numbers[first : bisect_right(numbers, value + margin, key=itemgetter(0))]
    ]
