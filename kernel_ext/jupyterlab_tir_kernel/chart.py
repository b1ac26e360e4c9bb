"""Where the bars and lines of a run's picture lie; it draws nothing. Pure."""

from __future__ import annotations

import msgspec

from jupyterlab_tir.config.stop_rules import parse_stop
from jupyterlab_tir.errors import UsageError
from jupyterlab_tir.in_words import percent
from jupyterlab_tir.viewing.wire import Snapshot, ViewPoint

from .wording import end_of

SHOWN_BARS = 8
SHARE_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_TICKS = 8


class Frame(msgspec.Struct, frozen=True):
    """A rectangle in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the tally; lengths are parts of the full width, 0 to 1.

    Parameters
    ----------
    code_verified, rest
        Length for the samples that code verified, and behind it for the others.
    votes
        Whether it is a candidate, and not samples without a ballot.
    leader
        Whether it is the one that wins.
    """

    label: str
    code_verified: float
    rest: float
    words: str
    votes: bool
    leader: bool = False


class ShareChart(msgspec.Struct, frozen=True, kw_only=True):
    """The leader's share of the finished samples, from the first on.

    Parameters
    ----------
    corners
        Of the line, which goes in steps.
    threshold
        Height of the share rule's threshold, and the threshold; None where no such rule was set.
    stop
        Where a rule ended the run; None where none did.
    saved, wasted
        From where to where samples were never started, or were cancelled; None where none was.
    across, up
        Ticks of the two axes with their labels.
    """

    corners: tuple[tuple[float, float], ...]
    threshold: tuple[float, float] | None
    stop: float | None
    saved: tuple[float, float] | None
    wasted: tuple[float, float] | None
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]


def tally_bars(run: Snapshot) -> list[Bar]:
    """The first candidates, then samples without a ballot, as bars by raw count."""
    candidates = run.tally.candidates[:SHOWN_BARS]
    counts = [each.count for each in candidates]
    counts += [len(each.samples) for each in run.tally.without_ballot]
    most = max(counts, default=1)
    bars = [
        Bar(
            label=each.shown,
            code_verified=each.code_verified / most,
            rest=(each.count - each.code_verified) / most,
            words=f"{each.count} ({each.code_verified} by code), "
            f"{percent(each.share)} of the weight",
            votes=True,
            leader=place == 0,
        )
        for place, each in enumerate(candidates)
    ]
    bars += [
        Bar(
            label=each.status.replace("-", " "),
            code_verified=0.0,
            rest=len(each.samples) / most,
            words=str(len(each.samples)),
            votes=False,
        )
        for each in run.tally.without_ballot
    ]
    return bars


def share_of(point: ViewPoint) -> float:
    """The leader's part of the finished samples, by raw count.

    >>> share_of(ViewPoint(finished=4, sample=3, leader="7", count=3))
    0.75
    """
    return point.count / point.finished if point.finished else 0.0


def share_rule_tau(run: Snapshot) -> float | None:
    """The threshold of the share rule that the run was held to; None without such a rule."""
    try:
        # A run whose settings are not known has no rule, which is refused as an unknown one is.
        return dict(parse_stop(run.head.rule, tau=run.head.tau)).get("share")
    except UsageError:
        return None


def share_chart(run: Snapshot, frame: Frame) -> ShareChart | None:
    """Lay out the chart in a frame; None where no sample has finished in what is known."""
    if not run.points:
        return None
    planned = max(run.planned, run.points[-1].finished, 1)
    end, tau = end_of(run), share_rule_tau(run)

    def across(samples: float) -> float:
        return frame.left + frame.width * samples / planned

    def up(share: float) -> float:
        return frame.bottom - frame.height * share

    corners: list[tuple[float, float]] = []
    for point in run.points:
        x, y = across(point.finished), up(share_of(point))
        if corners:
            corners.append((x, corners[-1][1]))
        corners.append((x, y))
    started = max(planned - end.saved.not_started, 0)
    ran = max(started - end.saved.cancelled, 0)
    return ShareChart(
        corners=tuple(corners),
        threshold=None if tau is None else (up(tau), tau),
        stop=None if end.stop is None else across(end.stop.after),
        saved=_between(across(started), across(planned)),
        wasted=_between(across(ran), across(started)),
        across=tuple((across(n), str(n)) for n in sample_ticks(planned)),
        up=tuple((up(share), percent(share)) for share in SHARE_TICKS),
    )


def _between(start: float, stop: float) -> tuple[float, float] | None:
    return (start, stop) if stop > start else None


def sample_ticks(planned: int) -> list[int]:
    """Round numbers of samples from 0 to what was planned, at most `MOST_TICKS` and the last.

    >>> sample_ticks(5), sample_ticks(64)
    ([0, 1, 2, 3, 4, 5], [0, 10, 20, 30, 40, 50, 60])
    """
    size = 1
    while planned / size > MOST_TICKS:
        size = next(n for n in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if n > size)
    return list(range(0, planned + 1, size))
