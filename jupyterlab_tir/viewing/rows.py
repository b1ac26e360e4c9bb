"""Each part of an event as a page sees it: a row, cut to size. Pure."""

from __future__ import annotations

import sys
from typing import Any

from msgspec.structs import replace

from ..events import (
    Event,
    RuleDecision,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    Saved,
    ServerInfo,
    Tally,
    Verdict,
)
from ..in_words import number_of
from ..problem import Problem
from ..voting import Candidate, StoppingSettings
from .clipping import clip, clip_key, clip_strings
from .wire import (
    EndStatus,
    ViewCandidate,
    ViewEnd,
    ViewHead,
    ViewPoint,
    ViewProblem,
    ViewSample,
    ViewSaved,
    ViewServer,
    ViewStep,
    ViewStop,
    ViewTally,
    ViewVerdict,
    ViewWithoutBallot,
)

PROBLEM_CHARS = 20_000
ANSWER_CHARS = 1_000
MOST_CANDIDATES = 100
DETAIL_CHARS = 300


def problem_row(problem: Problem) -> ViewProblem:
    """The problem and its claim."""
    return ViewProblem(
        text=clip(problem.text, PROBLEM_CHARS),
        chars=len(problem.text),
        claim=None if problem.claim is None else clip(problem.claim),
    )


def server_row(server: ServerInfo) -> ViewServer:
    """The server, without what only a program needs."""
    return ViewServer(
        model=clip(server.model),
        base_url=clip(server.base_url),
        source=clip(server.source),
        product=clip(server.product),
        version=clip(server.version),
        dialect=server.dialect,
    )


def head_row(event: RunStarted | RunContinued, *, before: ViewHead | None = None) -> ViewHead:
    """What a page says of a run at the top; one that goes on keeps what it was `before`."""
    settings = event.settings
    changed: dict[str, Any] = {
        "server": server_row(event.server),
        "isolation": clip(event.isolation),
        "plan": plan_words(settings),
        "rule": clip(str(settings.get("stop", ""))),
        "tau": _tau_of(settings),
        "settings": clip_strings(settings),
    }
    if before is not None:
        return replace(before, continued=True, **changed)
    if isinstance(event, RunContinued):
        raise TypeError("a run that goes on has begun before")
    return ViewHead(
        run_id=event.run_id,
        version=event.version,
        created=event.created,
        problem=problem_row(event.problem),
        seed=event.seed,
        temperature=event.temperature,
        **changed,
    )


def _tau_of(settings: dict[str, Any]) -> float:
    # A record is a file that anybody may have edited; what is shown of it bears that.
    tau = settings.get("tau")
    if isinstance(tau, (int, float)) and 0 <= tau <= 1:
        return float(tau)
    return StoppingSettings().tau


def plan_words(settings: dict[str, Any]) -> str:
    """What a run means to do, from its settings.

    >>> plan_words({"samples": 8, "parallel": 16, "mode": "tir", "deadline": 600.0})
    '8 samples in mode tir, at most 16 at once, within 600 s'
    """
    samples = settings.get("samples", 1)
    words = number_of(samples, "sample")
    if "mode" in settings:
        words += f" in mode {clip(str(settings['mode']), 40)}"
    if isinstance(settings.get("parallel"), int):
        words += f", at most {settings['parallel']} at once"
    deadline = settings.get("deadline")
    # A record's integers may be greater than any float.
    if isinstance(deadline, (int, float)) and deadline <= sys.float_info.max:
        words += f", within {deadline:g} s"
    return words


def candidate_row(candidate: Candidate) -> ViewCandidate:
    """One candidate of the tally."""
    return ViewCandidate(
        key=clip_key(candidate.key),
        shown=clip(candidate.shown, ANSWER_CHARS),
        count=candidate.count,
        code_verified=candidate.code_verified,
        weight=candidate.weight,
        share=candidate.share,
        mean_entropy=candidate.mean_entropy,
        samples=candidate.samples,
    )


def tally_row(counted: Tally) -> ViewTally:
    """The votes; at most `MOST_CANDIDATES` candidates, the first ones."""
    first = counted.candidates[:MOST_CANDIDATES]
    return ViewTally(
        policy=counted.policy,
        planned=counted.planned,
        finished=counted.finished,
        answered=counted.answered,
        lost=counted.lost,
        unfinished=counted.unfinished,
        candidates=tuple(candidate_row(each) for each in first),
        left_out=len(counted.candidates) - len(first),
        without_ballot=tuple(
            ViewWithoutBallot(status=each.status, samples=each.samples)
            for each in counted.without_ballot
        ),
        tied=counted.tied,
        remarks=tuple(clip(each) for each in counted.remarks),
    )


def point_row(counted: Tally, sample: int) -> ViewPoint:
    """Where the leader stood when `sample` had ended."""
    leader = counted.leader
    if leader is None:
        return ViewPoint(finished=counted.finished, sample=sample)
    return ViewPoint(
        finished=counted.finished,
        sample=sample,
        leader=clip(leader.shown, DETAIL_CHARS),
        count=leader.count,
        weight_share=leader.share,
    )


def outcome_row(event: SampleEnded, row: ViewSample) -> dict[str, Any]:
    """The fields of a sample's row that its end changes."""
    outcome, ballot = event.outcome, event.outcome.ballot
    changed: dict[str, Any] = {
        "doing": "ended",
        "status": outcome.status,
        "reason": clip(outcome.reason),
        "entropy": event.entropy.mean if ballot is None else ballot.entropy,
        "turns": event.turns,
        "cells": event.cells,
        "seconds": round(max(0.0, event.at_s - row.started_s), 3),
    }
    if ballot is not None:
        changed |= {
            "answer": clip(ballot.answer.shown, ANSWER_CHARS),
            "verification": ballot.verification,
            "verification_reason": clip(ballot.verification_reason),
        }
    return changed


def verdict_row(verdict: Verdict | None) -> ViewVerdict | None:
    """What is said of a claim."""
    if verdict is None:
        return None
    return ViewVerdict(
        verdict=verdict.verdict, claim=clip(verdict.claim), words=clip(verdict.words)
    )


def stop_row(stop: RuleDecision | None) -> ViewStop | None:
    """Why the run ended early."""
    if stop is None:
        return None
    return ViewStop(
        rule=stop.rule,
        words=clip(stop.words),
        after=stop.after,
        sample=stop.sample,
        numbers=stop.numbers,
    )


def saved_row(saved: Saved) -> ViewSaved:
    """What ending early was worth."""
    return ViewSaved(
        not_started=saved.not_started,
        cancelled=saved.cancelled,
        wasted_tokens=saved.wasted_tokens,
        saved_tokens_estimated=saved.saved_tokens_estimated,
    )


def shown_end(event: RunEnded) -> ViewEnd:
    """How a run ended."""
    return ViewEnd(
        status=event.status,
        reason=clip(event.reason),
        answer=None if event.answer is None else clip(event.answer, ANSWER_CHARS),
        verdict=verdict_row(event.verdict),
        stop=stop_row(event.stop),
        saved=saved_row(event.saved),
    )


def end_row(status: EndStatus, reason: str, counted: Tally, not_started: int) -> ViewEnd:
    """The end of a run that has no event for it."""
    leader = counted.leader
    return ViewEnd(
        status=status,
        reason=clip(reason),
        answer=None if leader is None else clip(leader.shown, ANSWER_CHARS),
        saved=ViewSaved(not_started=not_started),
    )


def step_row(event: Event) -> ViewStep:
    """One line of the trace."""
    sample: int | None = getattr(event, "sample", None)
    if isinstance(event, SampleEnded):
        sample = event.outcome.sample
    return ViewStep(
        seq=event.seq,
        at_s=event.at_s,
        type=str(event.__struct_config__.tag),
        kind=event.kind,
        decided_by=event.decided_by,
        sample=sample,
        title=clip(event.title, DETAIL_CHARS),
        detail=clip(event.detail, DETAIL_CHARS),
        tokens_out=event.tokens_out,
        ms=event.ms,
    )
