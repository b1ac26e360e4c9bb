"""Ballots, weights, the tally and the stop rules: pure functions, no I/O, no clock."""

from .ballots import LOST, Ballot, BlockBallot, SampleOutcome, SampleStatus, Verification
from .candidates import Candidate
from .policies import USUAL_POLICY, Policy, PolicyName, policy_named
from .rules import Rule, apply_rules, parse_rules, samples_short
from .rules_look import RuleDecision, look
from .settings import CountingSettings, StoppingSettings, counting_settings
from .tally import Tally, WithoutBallot, tally

__all__ = [
    "LOST",
    "USUAL_POLICY",
    "Ballot",
    "BlockBallot",
    "Candidate",
    "CountingSettings",
    "Policy",
    "PolicyName",
    "Rule",
    "RuleDecision",
    "SampleOutcome",
    "SampleStatus",
    "StoppingSettings",
    "Tally",
    "Verification",
    "WithoutBallot",
    "apply_rules",
    "counting_settings",
    "look",
    "parse_rules",
    "policy_named",
    "samples_short",
    "tally",
]
