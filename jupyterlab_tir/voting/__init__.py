"""Ballots, weights, the tally and the stop rules: pure functions, no I/O, no clock."""

from .ballots import LOST, Ballot, SampleOutcome, SampleStatus, Verification
from .stopping import StopDecision, decide
from .tally import Candidate, Tally, WithoutBallot, tally

__all__ = [
    "LOST",
    "Ballot",
    "Candidate",
    "SampleOutcome",
    "SampleStatus",
    "StopDecision",
    "Tally",
    "Verification",
    "WithoutBallot",
    "decide",
    "tally",
]
