"""Ballots, weights, the tally and the stop rules: pure functions, no I/O, no clock."""

from .ballots import LOST, Ballot, SampleOutcome, SampleStatus, Verification
from .candidates import Candidate
from .policies import USUAL_POLICY, Policy, PolicyName, policy_named
from .rules import Rule, apply_rules, parse_rules
from .rules_look import RuleDecision, look
from .tally import Tally, WithoutBallot, tally

__all__ = [
    "LOST",
    "USUAL_POLICY",
    "Ballot",
    "Candidate",
    "Policy",
    "PolicyName",
    "Rule",
    "RuleDecision",
    "SampleOutcome",
    "SampleStatus",
    "Tally",
    "Verification",
    "WithoutBallot",
    "apply_rules",
    "look",
    "parse_rules",
    "policy_named",
    "tally",
]
