"""What a run concludes, for a script as for a person."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..events import RuleDecision, RunStatus, Saved, ServerInfo, Tally, Verdict
from ..problem import Problem


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a run; `str()` is the answer.

    Parameters
    ----------
    run_id, record
        Its name for `tir show`, and the file of its record.
    status, reason
        How it ended, and in words why.
    answer
        The leader's shown form; None where no sample answered. Never invented.
    tally, verdict, stop, saved
        The votes, what they say of a claimed answer, and why and how early the run stopped.
    isolation
        How the samples' code was kept apart from the machine, or that no code was run.
    seconds, tokens
        What it took; tokens generated, those of cancelled samples included.
    continued
        Whether it went on after an end; all numbers are then those of all its parts.
    """

    run_id: str
    record: Path
    status: RunStatus
    reason: str
    problem: Problem
    answer: str | None
    tally: Tally
    verdict: Verdict | None
    stop: RuleDecision | None
    saved: Saved
    server: ServerInfo
    isolation: str
    seed: int
    seconds: float
    tokens: int
    continued: bool = False

    def __str__(self) -> str:
        return self.answer if self.answer is not None else "no answer"

    def to_json(self) -> str:
        """One line of JSON with all fields; `record` as a path."""
        return msgspec.json.encode(self, enc_hook=str).decode()
