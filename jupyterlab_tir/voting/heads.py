"""Heads: the numbers of samples by which most stop rules decide. Pure: no I/O, no clock.

*Agreed leader*: the candidate that the policy puts first, if it is not tied with the second and no
other has more samples. Its *streak* goes back from the sample that ended last, in order of
finishing, over those that finished, as long as they vote for it; what was lost or ended by the run
is passed over, and what finished without a vote for it ends the streak.
"""

from __future__ import annotations

import msgspec

from .rules_look import Look


class Heads(msgspec.Struct, frozen=True, kw_only=True):
    """What rules that count heads decide by, for one answer.

    Parameters
    ----------
    count, second
        Samples that say it, and most samples that say any one of the others.
    answered, finished, planned
        Samples that have a vote, that concluded, and that the run means to take.
    streak
        Last finished samples in a row that say it.
    """

    count: int
    second: int
    answered: int
    finished: int
    planned: int
    streak: int

    def after(self, more: int) -> Heads:
        """The same if so many more samples end, all of them for the answer."""
        return Heads(
            count=self.count + more,
            second=self.second,
            answered=self.answered + more,
            finished=self.finished + more,
            planned=self.planned,
            streak=self.streak + more,
        )


def leading_heads(now: Look) -> Heads | None:
    """Numbers of the agreed leader as they are now; None where there is none."""
    leader = now.agreed_leader
    if leader is None:
        return None
    said = set(leader.samples)
    streak = 0
    for outcome in reversed(now.outcomes):
        if outcome.finished:
            if outcome.sample not in said:
                break
            streak += 1
    return Heads(
        count=leader.count,
        second=now.second_count,
        answered=now.answered,
        finished=now.finished,
        planned=now.planned,
        streak=streak,
    )
