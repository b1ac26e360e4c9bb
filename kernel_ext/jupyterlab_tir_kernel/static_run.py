"""The run as a saved notebook keeps it: one bounded, versioned struct for every static view. Pure.

`application/vnd.jupyterlab-tir.run+json` is this struct as JSON; HTML, Markdown and plain text are
drawn from it, and so is the front end's own view.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from jupyterlab_tir import RunResult, __version__
from jupyterlab_tir.events import RuleDecision, RunStatus, Saved, ServerInfo, Tally, Verdict
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.terminal.state import RunState

MIME = "application/vnd.jupyterlab-tir.run+json"

STATIC_SCHEMA = 1
"""Version of the form; it changes when a reader of the old one would misread the new."""

PROBLEM_CHARS = 20_000
TEXT_CHARS = 1_000
MOST_CANDIDATES = 100
MOST_NOTICES = 20
CUT_SHORT = "The record ends before the run did: its process was killed."


class StaticProblem(msgspec.Struct, frozen=True, kw_only=True):
    """The problem, cut at `PROBLEM_CHARS`; `chars` is its whole length."""

    text: str
    chars: int
    claim: str | None


class StaticRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is over, bounded in size.

    Parameters
    ----------
    settings
        The settings by name, or None where they are not known. No secret is ever among them.
    status
        How it ended; ``cut-short`` where its process died.
    tally
        The votes; at most `MOST_CANDIDATES` candidates, the first ones.
    candidates_left_out
        Candidates beyond those.
    remarks, notices
        What a reader of the numbers must know, and what the run noticed.
    """

    schema: int = STATIC_SCHEMA
    version: str
    run_id: str
    created: str | None
    problem: StaticProblem
    settings: dict[str, Any] | None
    status: RunStatus | Literal["cut-short"]
    reason: str
    answer: str | None
    verdict: Verdict | None
    tally: Tally
    candidates_left_out: int
    remarks: tuple[str, ...]
    notices: tuple[str, ...]
    stop: RuleDecision | None
    saved: Saved
    server: ServerInfo
    isolation: str
    seed: int
    seconds: float
    tokens: int

    def to_builtins(self) -> dict[str, Any]:
        """As JSON holds it."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def clip(text: str, most: int = TEXT_CHARS) -> str:
    r"""Cut a text at `most` characters and say how long it was; lone surrogates are replaced.

    >>> clip("abcdef", 4)
    'abcd… (6 characters)'
    >>> clip("\ud800")
    '?'
    """
    kept = text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
    # JSON and HTML are UTF-8, which has no place for them.
    return kept.encode("utf-8", "replace").decode()


def _clip_strings(value: Any) -> Any:  # noqa: ANN401 - anything that JSON holds
    if isinstance(value, str):
        return clip(value)
    if isinstance(value, dict):
        return {key: _clip_strings(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clip_strings(each) for each in value]
    return value


def _bounded(struct: Any, kind: Any) -> Any:  # noqa: ANN401 - any struct, returned as its own type
    return msgspec.convert(_clip_strings(msgspec.to_builtins(struct)), kind)


def _problem(problem: Problem) -> StaticProblem:
    return StaticProblem(
        text=clip(problem.text, PROBLEM_CHARS),
        chars=len(problem.text),
        claim=None if problem.claim is None else clip(problem.claim),
    )


def _votes(tally: Tally) -> dict[str, Any]:
    first = tally.candidates[:MOST_CANDIDATES]
    return {
        "tally": _bounded(msgspec.structs.replace(tally, candidates=first), Tally),
        "candidates_left_out": len(tally.candidates) - len(first),
        "remarks": tuple(clip(remark) for remark in tally.remarks),
    }


def of_result(result: RunResult) -> StaticRun:
    """The static form of a result alone: without settings and notices, which it does not hold."""
    return StaticRun(
        version=__version__,
        run_id=result.run_id,
        created=None,
        problem=_problem(result.problem),
        settings=None,
        status=result.status,
        reason=clip(result.reason),
        answer=None if result.answer is None else clip(result.answer),
        verdict=_bounded(result.verdict, Verdict | None),
        notices=(),
        stop=_bounded(result.stop, RuleDecision | None),
        saved=result.saved,
        server=_bounded(result.server, ServerInfo),
        isolation=result.isolation,
        seed=result.seed,
        seconds=result.seconds,
        tokens=result.tokens,
        **_votes(result.tally),
    )


def of_state(state: RunState) -> StaticRun:
    """The static form of a run that began, from its events; it may have been cut short.

    Raises
    ------
    ValueError
        If it did not begin.
    """
    started, begun, ended = state.started, state.begun, state.ended
    if started is None or begun is None:
        raise ValueError("a run that did not begin has no static form")
    tally = state.tally() if ended is None else ended.tally
    answer = tally.leader.shown if tally.leader is not None else None
    finished = len(state.outcomes)
    return StaticRun(
        version=started.version,
        run_id=started.run_id,
        created=started.created,
        problem=_problem(started.problem),
        settings=_clip_strings(begun.settings),
        status="cut-short" if ended is None else ended.status,
        reason=CUT_SHORT if ended is None else clip(ended.reason),
        answer=None if answer is None else clip(answer),
        verdict=None if ended is None else _bounded(ended.verdict, Verdict | None),
        notices=tuple(clip(notice) for notice in state.notices[:MOST_NOTICES]),
        stop=None if ended is None else _bounded(ended.stop, RuleDecision | None),
        saved=ended.saved
        if ended is not None
        else Saved(not_started=state.planned - finished, cancelled=0, wasted_tokens=0),
        server=_bounded(begun.server, ServerInfo),
        isolation=begun.isolation,
        seed=started.seed,
        seconds=round(state.elapsed_s, 3),
        tokens=state.tokens if ended is None else ended.tokens_out or 0,
        **_votes(tally),
    )
