"""Mean entropies of a sample's last tokens, so that another window can be tried later. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from .ballots import Ballot, SampleOutcome, confidence_factor

LEAST_WINDOW = 16
"""The shortest window; each further one is twice as long."""

DIGITS = 6
"""After the point, in nats: a weight does not hang on more, and a record is read by many."""

MOST_WINDOWS = 32


class WindowEntropies(msgspec.Struct, frozen=True, kw_only=True):
    """Mean token entropies of one sample in nats; None where no token of a window has one.

    Parameters
    ----------
    whole
        Over all its tokens.
    last
        Over its last 16, 32, 64, … tokens, to a millionth, as long as it has more tokens than that.

    Raises
    ------
    ValueError
        If one is negative or not finite, or there are more than a sample can have.
    """

    whole: float | None
    last: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        if len(self.last) > MOST_WINDOWS:
            raise ValueError(f"a sample has at most {MOST_WINDOWS} windows")
        for entropy in (self.whole, *self.last):
            if entropy is not None:
                confidence_factor(entropy)

    def mean(self, window: int) -> float | None:
        """Mean over the last so many tokens: a length of `windows_of`, or more than all have.

        Examples
        --------
        >>> found = WindowEntropies(whole=0.5, last=(0.25, 0.375))
        >>> found.mean(16), found.mean(32), found.mean(64)
        (0.25, 0.375, 0.5)
        """
        place = (window // LEAST_WINDOW).bit_length() - 1
        return self.last[place] if place < len(self.last) else self.whole


def window_entropies(
    entropies: Sequence[float | None], whole: float | None
) -> WindowEntropies | None:
    """Take the means of one sample.

    Parameters
    ----------
    entropies
        Of all its tokens, in nats; None where the server sent none that is readable.
    whole
        Mean of all; where it is None there is nothing to keep.

    Examples
    --------
    >>> window_entropies([1.0] * 4 + [0.5] * 8 + [0.25] * 8, 0.5)
    WindowEntropies(whole=0.5, last=(0.375,))
    """
    if whole is None:
        return None
    last: list[float | None] = []
    window = LEAST_WINDOW
    while window < len(entropies):
        known = [value for value in entropies[-window:] if value is not None]
        last.append(round(math.fsum(known) / len(known), DIGITS) if known else None)
        window *= 2
    return WindowEntropies(whole=whole, last=tuple(last))


def windows_of(samples: Iterable[WindowEntropies]) -> tuple[int, ...]:
    """Lengths of all windows that some sample has, the shortest first.

    Examples
    --------
    >>> windows_of([WindowEntropies(whole=0.5, last=(0.1, 0.2)), WindowEntropies(whole=None)])
    (16, 32)
    """
    most = max((len(sample.last) for sample in samples), default=0)
    return tuple(LEAST_WINDOW << place for place in range(most))


def at_entropy(outcome: SampleOutcome, entropy: float | None) -> SampleOutcome:
    """Give all ballots of a sample another entropy."""

    def weighed(ballot: Ballot) -> Ballot:
        return replace(ballot, entropy=entropy)

    return replace(
        outcome,
        ballot=None if outcome.ballot is None else weighed(outcome.ballot),
        blocks=tuple(replace(each, ballot=weighed(each.ballot)) for each in outcome.blocks),
    )
