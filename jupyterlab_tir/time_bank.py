"""A budget of wall-clock time that a set of problems shares. Pure arithmetic and one clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from .errors import UsageError

MOST_BASES = 4.0
"""Shares that one problem may take at the most, its own and what is banked."""

_MOST_WRITTEN = 10**18


class TimeBank:
    """Gives each of a set of problems its share of the time; what one leaves, later ones may use.

    A problem may take its *base*, `total_s / problems`, and all that is banked: what is left beyond
    the bases of those that follow, which are never touched. One problem takes `most` bases at
    the most, so that it cannot empty the bank. Once the bank is overdrawn, the rest is divided
    equally. Where more problems come than were announced, each may take half of what is left, and
    at most a base.

    Time runs from the first `allot` on, whatever it is spent on: a competition's clock does not
    stop between two problems.

    Parameters
    ----------
    total_s
        Seconds for all problems.
    problems
        How many there will be.
    most
        Bases that one problem may take, from 1.
    clock
        Seconds that only ever grow.

    Raises
    ------
    UsageError
        If a number cannot be.

    Examples
    --------
    >>> now = [0.0]
    >>> bank = TimeBank(300, problems=3, clock=lambda: now[0])
    >>> bank.allot()
    100.0
    >>> now[0] = 20.0  # the first problem took 20 s; 80 are banked
    >>> bank.banked_s, bank.allot()
    (80.0, 180.0)
    """

    def __init__(
        self,
        total_s: float,
        problems: int,
        *,
        most: float = MOST_BASES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _require("total_s", total_s, above=0)
        _require("most", most, least=1)
        whole = isinstance(problems, int) and not isinstance(problems, bool)
        if not whole or not 1 <= problems <= _MOST_WRITTEN:
            raise UsageError(f"problems is {shown(problems)}; it must be a whole number from 1.")
        if not callable(clock):
            raise UsageError(
                f"clock is {shown(clock)}; it must be a function that returns seconds, such as "
                "time.monotonic."
            )
        self.total_s = float(total_s)
        self.problems = problems
        self.base_s = self.total_s / problems
        self.begun = 0
        self._most = most
        self._clock = clock
        self._since: float | None = None

    @property
    def spent_s(self) -> float:
        """Seconds since the first problem began."""
        return 0.0 if self._since is None else max(0.0, self._clock() - self._since)

    @property
    def left_s(self) -> float:
        """Seconds that are left for all; never below 0."""
        return max(0.0, self.total_s - self.spent_s)

    @property
    def banked_s(self) -> float:
        """Seconds beyond the bases of those that have not begun; below 0 where overdrawn."""
        return self.left_s - max(0, self.problems - self.begun) * self.base_s

    def allot(self, least_s: float = 0.0) -> float:
        """Begin the next problem and return the seconds that it may take; 0 once all are spent.

        Parameters
        ----------
        least_s
            What a problem needs at the least: it gets that while it is there, above its share too.
        """
        return max(self._share(), min(least_s, self.left_s))

    def _share(self) -> float:
        if self._since is None:
            self._since = self._clock()
        left_s, waiting = self.left_s, self.problems - self.begun
        self.begun += 1
        if waiting < 1:
            return min(self.base_s, left_s / 2)
        own_s = left_s - (waiting - 1) * self.base_s
        if own_s < self.base_s:
            return left_s / waiting
        return min(own_s, self._most * self.base_s)


def shown(value: object) -> str:
    """A value as an error shows it; Python refuses to write integers of thousands of digits.

    >>> shown("60"), shown(10**5000), shown((0, -(10**5000)))
    ("'60'", 'a huge number', '(0, a huge number)')
    """
    if isinstance(value, int) and abs(value) > _MOST_WRITTEN:
        return "a huge number"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(shown(each) for each in value)})"
    return repr(value)


def _require(
    name: str, value: object, *, least: float = -math.inf, above: float = -math.inf
) -> None:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    # Compared before all else: a huge integer has no float.
    if not known or not -_MOST_WRITTEN <= value <= _MOST_WRITTEN or value < least or value <= above:  # type: ignore[operator]
        bound = f"from {least:g}" if math.isfinite(least) else f"above {above:g}"
        raise UsageError(f"{name} is {shown(value)}; it must be a number {bound}.")
