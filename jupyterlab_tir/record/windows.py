"""Which entropy windows a record can be voted on with, and its samples as they weigh then. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RecordError
from ..events import Event, SampleEnded
from ..voting import SampleOutcome
from ..voting.windows import LEAST_WINDOW, at_entropy, windows_of


def recorded_windows(events: Sequence[Event]) -> tuple[int, ...] | None:
    """Lengths in tokens of the windows that the samples of a record have, the shortest first.

    None where a sample with a vote does not have its entropies by window, as in older records, and
    where no vote has an entropy. An empty tuple: samples so short that all tokens are the only one.
    """
    ended = [event for event in events if isinstance(event, SampleEnded)]
    weighed = [event for event in ended if _has_entropy(event.outcome)]
    if not weighed or any(event.windows is None for event in weighed):
        return None
    return windows_of(event.windows for event in ended if event.windows is not None)


def require_window(events: Sequence[Event], window: int) -> None:
    """Check that votes can be weighed by the entropies of the last so many tokens.

    Raises
    ------
    RecordError
        If the record has no such entropies.
    """
    has = recorded_windows(events)
    if has is None:
        raise RecordError(
            f"The entropy window {window} cannot be tried, since this record does not hold the "
            "entropies of its samples by window: leave --entropy-window out."
        )
    longest = has[-1] * 2 if has else LEAST_WINDOW
    if window not in has and window < longest:
        shorter = "".join(f"{length}, " for length in has) + "or " if has else ""
        raise RecordError(
            f"The entropy window {window} cannot be tried: choose {shorter}{longest} or more, "
            "which is all tokens; this record has no others."
        )


def at_window(event: SampleEnded, window: int) -> SampleOutcome:
    """How a sample ended, with the entropy of its last so many tokens in all its ballots."""
    entropy = None if event.windows is None else event.windows.mean(window)
    return at_entropy(event.outcome, entropy)


def _has_entropy(outcome: SampleOutcome) -> bool:
    own = () if outcome.ballot is None else (outcome.ballot,)
    ballots = (*own, *(each.ballot for each in outcome.blocks))
    return any(ballot.entropy is not None for ballot in ballots)
