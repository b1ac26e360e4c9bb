"""What a tally says of a claimed answer: agrees, disagrees or undecided, with its numbers.

Answers are compared as mathematics, which can take a while: on an event loop, call it in a thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ..answers import canonical, equivalent, rounds_to
from ..answers.units import unit_of, value_and_unit
from ..config import AnswerKind
from ..events import Tally, Verdict, VerdictKind
from ..in_words import part_of, percent
from ..voting import Candidate

_CUT = "…"
_LEAST_S = 0.05


def judge(
    claim: str, tally: Tally, *, kind: AnswerKind | None = None, timeout_s: float = 2.0
) -> Verdict:
    """Compare a claimed answer with the leader of a tally.

    It is undecided where nobody answered, where the lead is tied, where weights and counts
    disagree about the leader, where the leader only rounds the claim, and where the two answers
    cannot be compared, by their numbers or by their units.

    Parameters
    ----------
    claim
        The answer to check, as written.
    tally
        What the samples answered.
    kind
        Kind of answer that the problem asks for.
    timeout_s
        Seconds that hard comparisons may take together, about.
    """
    leader = tally.leader
    doubt = _doubt(tally)
    if leader is None or doubt:
        return undecided(claim, doubt)
    is_same = _comparison(claim, kind, timeout_s)
    numbers = (
        f"{part_of(leader.count, tally.finished, 'finished sample')}, {leader.code_verified} "
        f"of them code-verified, with {percent(leader.share)} of the weight"
    )
    same = is_same(leader)
    if same:
        units = _units_differ(claim, leader.shown)
        remark = f" It is the same number, but {units}." if units else ""
        return _verdict("agrees", claim, f"The samples agree with {claim}: {numbers}.{remark}")
    rounded = _when_rounded(claim, leader, numbers)
    if rounded is not None:
        return rounded
    if same is None:
        return undecided(claim, f"it cannot be compared with {leader.shown} ({numbers})")
    # Nothing is converted: an hour is sixty minutes.
    if units := _units_differ(claim, leader.shown):
        return undecided(claim, f"{units} ({numbers})")
    backing = next((other.count for other in tally.candidates if is_same(other)), 0)
    words = f"they say {leader.shown} ({numbers}); {backing} said {claim}."
    return _verdict("disagrees", claim, f"The samples disagree with {claim}: {words}")


def _when_rounded(claim: str, leader: Candidate, numbers: str) -> Verdict | None:
    """The verdict where one of the two is the other, rounded; else None."""
    if leader.shown.endswith(_CUT):
        return None
    if _rounds_to(leader.shown, claim):
        words = f"your {claim} is {leader.shown}, rounded: {numbers}."
        return _verdict("agrees", claim, f"The samples agree with {claim}: {words}")
    if _rounds_to(claim, leader.shown):
        doubt = f"the samples say {leader.shown}, which is your {claim}, rounded ({numbers})"
        return undecided(claim, doubt)
    return None


def undecided(claim: str, why: str) -> Verdict:
    """Say that nothing is known of a claim, and why."""
    return _verdict("undecided", claim, f"Undecided about {claim}: {why}.")


def _comparison(
    claim: str, kind: AnswerKind | None, timeout_s: float
) -> Callable[[Candidate], bool | None]:
    """What tells whether a candidate is the claimed answer; None where that is not known."""
    until = time.monotonic() + timeout_s
    key = canonical(claim, kind=kind).key

    def is_same(candidate: Candidate) -> bool | None:
        if candidate.key == key:
            return True
        if candidate.shown.endswith(_CUT):
            # Only numbers have one key each.
            return False if key.startswith("q:") and candidate.key.startswith("q:") else None
        left_s = max(_LEAST_S, until - time.monotonic())
        same = equivalent(claim, candidate.shown, kind=kind, timeout_s=left_s)
        ours, theirs = value_and_unit(claim), value_and_unit(candidate.shown)
        if same or ours is None or theirs is None:
            return same
        # "5 m" is read as a product, but not beside "5 cm".
        return equivalent(ours[0], theirs[0], kind=kind, timeout_s=left_s)

    return is_same


def _rounds_to(exact: str, rounded: str) -> bool:
    """Whether one answer is the other with fewer decimals; 4 is 4, and never 7/2 rounded."""
    return "." in rounded and rounds_to(exact, rounded)


def _units_differ(claim: str, shown: str) -> str:
    """What there is to say of two units, or an empty string."""
    ours, theirs = unit_of(claim), unit_of(shown)
    if ours is None or theirs is None or ours == theirs:
        return ""
    return f"the units differ: {claim} against {shown}"


def _doubt(tally: Tally) -> str:
    """Why the votes decide nothing, or an empty string."""
    leader, most = tally.leader, tally.count_leader
    if leader is None or most is None:
        return f"none of {tally.finished} finished samples gave an answer"
    if tally.tied:
        return f"{leader.shown} and {tally.candidates[1].shown} are tied"
    if leader.key != most.key:
        return f"the weights say {leader.shown}, the counts {most.shown}"
    return ""


def _verdict(verdict: VerdictKind, claim: str, words: str) -> Verdict:
    return Verdict(verdict=verdict, claim=claim, words=words)
