"""At which events of a recorded run its stop rules were asked. Pure.

A run asks them after each sample that ends, when its plan is lowered, and when it goes on: then
before its first new sample, of all that it has. It asks them no more while it is being ended, nor
when it gives up a server that lost all that was asked of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..events import AnyEvent, PlanChanged, RunContinued, RunEnded, SampleEnded, StopFired
from ..voting.ballots import UNFINISHED


def asking_places(events: Sequence[AnyEvent]) -> frozenset[int]:
    """Places of the events after which the rules were asked.

    Parameters
    ----------
    events
        All events of a record.

    Examples
    --------
    >>> asking_places([PlanChanged(planned=5), PlanChanged(planned=9)]) == {0, 1}
    True
    """
    found: set[int] = set()
    last_end: int | None = None
    for place, event in enumerate(events):
        if isinstance(event, PlanChanged):
            found.add(place)
        elif isinstance(event, RunContinued):
            found.add(_opened(events, place))
            last_end = None
        elif isinstance(event, SampleEnded) and not interrupted(event):
            found.add(place)
            last_end = place
        elif isinstance(event, RunEnded) and event.status == "server-lost" and event.stop is None:
            # With this end it gave the server up, whatever its rules would have said.
            found.discard(-1 if last_end is None else last_end)
    return frozenset(found)


def _opened(events: Sequence[AnyEvent], place: int) -> int:
    """Where a run that goes on has said how, and what became of samples that have no end yet."""
    for later in range(place + 1, len(events)):
        event = events[later]
        if not (isinstance(event, SampleEnded) and interrupted(event)):
            break
        place = later
    return place


def interrupted(event: SampleEnded) -> bool:
    """Whether the run was being ended; old records tell it by the sample's own status only."""
    return event.interrupted or event.outcome.status in UNFINISHED


def stopped_at(events: Sequence[AnyEvent], place: int) -> bool:
    """Whether the run itself was stopped by a rule after the event at `place`."""
    for event in events[place + 1 :]:
        if isinstance(event, StopFired):
            return True
        if isinstance(event, (SampleEnded, PlanChanged, RunContinued, RunEnded)):
            return False
    return False


def until_its_end(events: Sequence[AnyEvent], place: int) -> Sequence[AnyEvent]:
    """The events after the one at `place`, up to the end of the part of the run that it is in."""
    for later in range(place + 1, len(events)):
        if isinstance(events[later], (RunEnded, RunContinued)):
            return events[place + 1 : later]
    return events[place + 1 :]
