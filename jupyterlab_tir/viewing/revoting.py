"""What a page needs to vote again over a finished run, without Python. Pure.

Two things of the voting room rest on mathematics or on this machine, and are worked out here:

- *Which ballots are for one candidate* depends on the whole tally (`answers.joining`), so on how
  many samples are counted. That asks of keys only how their texts are ordered, which of them have a
  float in them, and which they are the float of. So keys go to the page by their place in that
  order, with these facts, and the page joins the ballots of any part of a run as `joining` does.
- *exp(-H)*, of which two libraries may differ in the last bit, and a tie with it.

All else is the ballots in the order in which the run counted them, and at which moments it asked
its rules under which settings: `record.revoting` reads the same out of a record.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from ..answers import Canonical, forms
from ..events import (
    Event,
    Noticed,
    PlanChanged,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    StopFired,
)
from ..record.moments import asking_places, stopped_at, until_its_end
from ..record.windows import recorded_windows
from ..voting import Ballot, SampleOutcome, StoppingSettings, counting_settings
from ..voting.ballots import confidence_factor
from .clipping import clip, clip_key
from .wire_revote import (
    ViewAnswer,
    ViewBallot,
    ViewBlockBallot,
    ViewEnded,
    ViewKey,
    ViewPart,
    ViewRevote,
)

ANSWER_CHARS = 300

MOST_WINDOW_ENTROPIES = 2048
"""Entropies by window that a page gets: all of 128 samples, of more a part of the windows."""

_TELLING = (
    RunStarted,
    RunContinued,
    PlanChanged,
    SampleStarted,
    SampleEnded,
    StopFired,
    Noticed,
    RunEnded,
)
"""Events that say what was counted, and at which moments the rules were asked."""


class Course:
    """The course of one run's vote; feed it every event in order with `take`."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._row: ViewRevote | None = None
        self._known = False

    def take(self, event: Event) -> None:
        """Bring it up to date with one more event."""
        if isinstance(event, _TELLING):
            self._events.append(event)
            self._known = False

    def row(self) -> ViewRevote | None:
        """All of it as a page gets it.

        None where the settings of stop rules are not such as a run writes, as in a record that was
        changed: its votes can be shown all the same, but not voted on again.
        """
        if not self._known:
            try:
                self._row = revote_row(self._events)
            except msgspec.ValidationError:
                self._row = None
            self._known = True
        return self._row


def revote_row(events: Sequence[Any]) -> ViewRevote:
    """What a page needs to vote again.

    Parameters
    ----------
    events
        Events of a run from its start on; those without a part in its vote may be missing.

    Raises
    ------
    msgspec.ValidationError
        If a setting that counts votes or stops a run is not such as a run has.
    """
    asking = asking_places(events)
    table = AnswerTable(event.outcome for event in events if isinstance(event, SampleEnded))
    windows = windows_to_try(events)
    parts: list[ViewPart] = []
    ended: list[ViewEnded] = []
    begun = 0
    for place, event in enumerate(events):
        moment: dict[str, Any] = {
            "asked": place in asking,
            "until": _until(events, place, len(ended)),
        }
        if isinstance(event, (RunStarted, RunContinued)):
            parts.append(replace(_part(event), start=len(ended), begun=begun, **moment))
        elif isinstance(event, PlanChanged):
            moment |= {"start": len(ended), "begun": begun, "planned": event.planned}
            parts.append(replace(parts[-1], continued=False, **moment))
        elif isinstance(event, SampleStarted):
            begun = max(begun, event.sample + 1)
        elif isinstance(event, SampleEnded):
            moment["until"] = moment["until"] and moment["until"] + 1
            begun = max(begun, len(ended) + 1)
            moment |= {"begun": begun, **_by_window(event, windows)}
            ended.append(replace(table.ended(event.outcome), **moment))
    return ViewRevote(
        keys=table.keys,
        answers=table.answers,
        ended=tuple(ended),
        parts=tuple(parts),
        begun=begun,
        entropy_windows=windows,
    )


def windows_to_try(events: Sequence[Any]) -> tuple[int, ...]:
    """Windows that a page can try, 0 for all tokens; in long runs a few, for a notebook's size."""
    has = recorded_windows(events)
    if has is None:
        return ()
    started = events[0]
    own = started.settings.get("entropy_window") if isinstance(started, RunStarted) else None
    others = [window for window in (0, *has) if window != (own or 0)]
    most = max(1, MOST_WINDOW_ENTROPIES // sum(isinstance(e, SampleEnded) for e in events))
    every = -(-len(others) // most) or 1
    return tuple(others[::every])


def _by_window(event: SampleEnded, windows: Sequence[int]) -> dict[str, Any]:
    """The entropies of a sample in these windows, and their factors."""
    if event.windows is None or not _ballots(event.outcome):
        return {}
    found = [event.windows.mean(window) if window else event.windows.whole for window in windows]
    return {
        "entropies": tuple(found),
        "factors": tuple(None if each is None else confidence_factor(each) for each in found),
    }


def _until(events: Sequence[Any], place: int, ended: int) -> int:
    """Samples that had ended when the stop at this moment was done; 0 where there was none."""
    if not stopped_at(events, place):
        return 0
    return ended + sum(isinstance(e, SampleEnded) for e in until_its_end(events, place))


def _part(event: RunStarted | RunContinued) -> ViewPart:
    settings: Mapping[str, Any] = event.settings
    asking, counting = msgspec.convert(settings, StoppingSettings), counting_settings(settings)
    continued = isinstance(event, RunContinued)
    return ViewPart(
        start=0,
        continued=continued,
        planned=event.planned if isinstance(event, RunContinued) else counting.samples,
        stop=clip(asking.stop),
        tau=asking.tau,
        min_answers=asking.min_answers,
        policy=counting.policy,
        w_code=counting.w_code,
        max_blocks=counting.max_blocks,
        verifiable=counting.policy_of_run().verifiable,
        measurable=asking.measurable,
    )


class AnswerTable:
    """Answers and keys of a run by their places.

    Attributes
    ----------
    keys, answers
        As a page gets them.
    """

    def __init__(self, outcomes: Iterable[SampleOutcome]) -> None:
        ballots = [ballot for outcome in outcomes for ballot in _ballots(outcome)]
        answers = dict.fromkeys((each.answer.keys, each.answer.shown) for each in ballots)
        texts = sorted({key for keys, _ in answers for key in keys})
        place = {key: number for number, key in enumerate(texts)}
        floats = floats_of(texts)
        self._places = {answer: number for number, answer in enumerate(answers)}
        self.keys = tuple(
            ViewKey(
                key=clip_key(key),
                has_float=key in floats,
                float_of=tuple(place[other] for other in floats.get(key, ())),
            )
            for key in texts
        )
        self.answers = tuple(
            ViewAnswer(shown=clip(shown, ANSWER_CHARS), keys=tuple(place[key] for key in keys))
            for keys, shown in answers
        )

    def ended(self, outcome: SampleOutcome) -> ViewEnded:
        """A sample's vote, or its end without one."""
        return ViewEnded(
            sample=outcome.sample,
            status=outcome.status,
            tokens=outcome.tokens,
            begun=0,
            ballot=None if outcome.ballot is None else self._ballot(outcome.ballot),
            blocks=tuple(
                ViewBlockBallot(block=each.block, ballot=self._ballot(each.ballot))
                for each in outcome.blocks
            ),
        )

    def _ballot(self, ballot: Ballot) -> ViewBallot:
        answer: Canonical = ballot.answer
        entropy = ballot.entropy
        return ViewBallot(
            answer=self._places[answer.keys, answer.shown],
            replayed=ballot.verification == "replayed",
            entropy=entropy,
            factor=None if entropy is None else confidence_factor(entropy),
        )


def _ballots(outcome: SampleOutcome) -> list[Ballot]:
    own = [] if outcome.ballot is None else [outcome.ballot]
    return own + [each.ballot for each in outcome.blocks]


def floats_of(keys: Sequence[str]) -> dict[str, list[str]]:
    """By each key with a float in it, the others that it is the float of, in order.

    >>> floats_of(["f:0.3333333333333333", "q:1/3", "q:2"])
    {'f:0.3333333333333333': ['q:1/3']}
    """
    floats = [key for key in keys if forms.has_float(key)]
    numbers: list[tuple[Fraction, str]] = []
    wholes: dict[str, list[str]] = defaultdict(list)
    for key in keys if floats else ():
        value = forms.value_of(key)
        if value is None:
            wholes[forms.skeleton(key)].append(key)
        else:
            numbers.append((value, key))
    numbers.sort()
    found: dict[str, list[str]] = {}
    for key in floats:
        value = forms.value_of(key)
        near = wholes[forms.skeleton(key)] if value is None else _near(value, numbers)
        found[key] = sorted(other for other in near if forms.is_float_of(key, other))
    return found


def _near(value: Fraction, numbers: Sequence[tuple[Fraction, str]]) -> list[str]:
    """Those of the sorted numbers that agree with a decimal to eleven digits."""
    margin = abs(value) / 10**11
    first = bisect_left(numbers, value - margin, key=itemgetter(0))
    last = bisect_right(numbers, value + margin, key=itemgetter(0))
    return [key for _, key in numbers[first:last]]
