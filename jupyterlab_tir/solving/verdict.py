"""What a tally says of a claimed answer: agrees, disagrees or undecided, with its numbers."""

from __future__ import annotations

from ..answers import equivalent, rounds_to
from ..events import Tally, Verdict, VerdictKind


def judge(claim: str, tally: Tally) -> Verdict:
    """Compare a claimed answer with the leader of a tally.

    It is undecided where nobody answered, where the lead is tied, where weights and counts
    disagree about the leader, and where the two answers cannot be compared.
    """
    leader = tally.leader
    doubt = _doubt(tally)
    if leader is None or doubt:
        return _verdict("undecided", claim, f"Undecided about {claim}: {doubt}.")
    numbers = (
        f"{leader.count} of {tally.finished} finished samples, {leader.code_verified} of them "
        f"code-verified, with {leader.share:.0%} of the weight"
    )
    same, rounded = equivalent(claim, leader.shown), rounds_to(leader.shown, claim)
    if same or rounded:
        how = "" if same else f", which is {leader.shown} rounded"
        return _verdict("agrees", claim, f"The samples agree with {claim}{how}: {numbers}.")
    if same is None:
        words = f"Undecided about {claim}: it cannot be compared with {leader.shown} ({numbers})."
        return _verdict("undecided", claim, words)
    backing = next((c.count for c in tally.candidates if equivalent(claim, c.shown)), 0)
    return _verdict(
        "disagrees",
        claim,
        f"The samples disagree with {claim}: they say {leader.shown} ({numbers}); "
        f"{backing} said {claim}.",
    )


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
