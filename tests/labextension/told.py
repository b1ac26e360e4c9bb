"""One run made of events by hand, as a page is told of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from jupyterlab_tir.answers import canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.events import (
    AnswerRead,
    CodeEnded,
    CodeStarted,
    Event,
    Finish,
    RuleDecision,
    RunEnded,
    RunStarted,
    RunStatus,
    SampleEnded,
    SampleStarted,
    Saved,
    ServerInfo,
    StopFired,
    TextStreamed,
    TurnEnded,
    Verdict,
    VerificationEnded,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.sandbox.result import CellResult, CellStatus
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.watcher import Watcher
from jupyterlab_tir.viewing.wire import to_page
from jupyterlab_tir.voting import (
    Ballot,
    SampleOutcome,
    SampleStatus,
    Verification,
    counting_settings,
    tally,
)

Page = dict[str, Any]


class Told:
    """One run, told event by event; each takes half a second."""

    def __init__(self, text: str, *, claim: str | None = None, **settings: Any) -> None:
        self.projection = Projection()
        self._settings = msgspec.to_builtins(Config(**{"samples": 8, **settings}))
        self._outcomes: list[SampleOutcome] = []
        self._tokens: dict[int, int] = {}
        self._seq = 0
        self.add(
            RunStarted(
                title="run 20260102-030405-abcdef",
                detail=text,
                run_id="20260102-030405-abcdef",
                created="2026-01-02T03:04:05+00:00",
                version="0.1.0",
                problem=Problem(text=text, claim=claim),
                settings=self._settings,
                sources={"samples": "option"},
                seed=7,
                temperature=0.7,
                server=_server(),
                isolation="full+ns",
            )
        )

    def add(self, event: Event) -> None:
        """Tell one more event."""
        at_s = 0.5 * self._seq
        self.projection.take(msgspec.structs.replace(event, seq=self._seq, at_s=at_s))
        self._seq += 1

    def begin(self, samples: Iterable[int]) -> None:
        """Samples start."""
        for sample in samples:
            title = f"sample {sample + 1}: started"
            self.add(SampleStarted(sample=sample, sample_seed=sample, title=title))

    def stream(self, sample: int, *texts: str, turn: int = 0, reasoning: bool = False) -> None:
        """Text arrives, a token a piece."""
        for text in texts:
            self.add(TextStreamed(sample=sample, turn=turn, text=text, reasoning=reasoning))

    def turn(self, sample: int, text: str, *, turn: int = 0, finish: Finish = "stop") -> None:
        """A turn of 100 tokens ends."""
        self._tokens[sample] = self._tokens.get(sample, 0) + 100
        self.add(
            TurnEnded(
                kind="model",
                decided_by="model",
                title=f"sample {sample + 1}, turn {turn + 1}: {finish}",
                tokens_out=100,
                ms=1234.5,
                sample=sample,
                turn=turn,
                attempt=0,
                text=text,
                finish=finish,
            )
        )

    def run_code(self, sample: int, code: str) -> None:
        """Code goes to the kernel."""
        self.add(
            CodeStarted(
                decided_by="model",
                title=f"sample {sample + 1}: code",
                sample=sample,
                turn=0,
                cell=0,
                code=code,
            )
        )

    def printed(self, sample: int, stdout: str) -> None:
        """It ran well."""
        result = CellResult(status=CellStatus.OK, duration_s=0.25, stdout=stdout)
        self._ran(sample, result)

    def raised(self, sample: int, name: str, message: str) -> None:
        """It did not."""
        result = CellResult(
            status=CellStatus.ERROR, duration_s=0.01, error_name=name, error_message=message
        )
        self._ran(sample, result)

    def _ran(self, sample: int, result: CellResult) -> None:
        title = f"sample {sample + 1}: {result.status}"
        self.add(CodeEnded(title=title, ms=250.0, sample=sample, turn=0, cell=0, result=result))

    def read(self, sample: int, answer: str) -> None:
        """It concluded."""
        self.add(
            AnswerRead(
                decided_by="model",
                title=f"sample {sample + 1}: answer",
                sample=sample,
                raw=answer,
                key=canonical(answer).key,
                shown=answer,
            )
        )

    def answer(
        self,
        sample: int,
        answer: str,
        *,
        verification: Verification = "none",
        entropy: float | None = 0.5,
    ) -> None:
        """It ends with an answer."""
        self.read(sample, answer)
        reason = "" if verification == "replayed" else "it ran no code"
        self.add(
            VerificationEnded(
                title=f"sample {sample + 1}: {verification}",
                sample=sample,
                verification=verification,
                reason=reason,
            )
        )
        ballot = Ballot(
            answer=canonical(answer),
            raw=answer,
            verification=verification,
            verification_reason=reason,
            entropy=entropy,
            tokens=self._tokens.get(sample, 0),
        )
        self._end(SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=100))

    def fail(self, sample: int, status: SampleStatus, reason: str) -> None:
        """It ends without one."""
        tokens = self._tokens.get(sample, 0)
        self._end(SampleOutcome(sample=sample, status=status, reason=reason, tokens=tokens))

    def _end(self, outcome: SampleOutcome) -> None:
        title = f"sample {outcome.sample + 1}: {outcome.status}"
        self.add(
            SampleEnded(
                title=title,
                detail=outcome.reason,
                tokens_out=outcome.tokens,
                outcome=outcome,
                turns=1,
                cells=0,
            )
        )
        self._outcomes.append(outcome)
        self.projection.count_now()

    def end(
        self,
        status: RunStatus,
        reason: str,
        *,
        answer: str | None = None,
        verdict: Verdict | None = None,
        stop: RuleDecision | None = None,
        saved: Saved | None = None,
    ) -> None:
        """The run ends."""
        if stop is not None:
            self.add(StopFired(title=f"stopped by {stop.rule}", detail=stop.words, decision=stop))
        counted = tally(
            self._outcomes,
            planned=counting_settings(self._settings).samples,
            policy=counting_settings(self._settings).policy_of_run(),
        )
        self.add(
            RunEnded(
                title=f"run ended: {status}",
                detail=reason,
                tokens_out=sum(self._tokens.values()),
                status=status,
                reason=reason,
                answer=answer,
                tally=counted,
                verdict=verdict,
                stop=stop,
                saved=saved or Saved(not_started=0, cancelled=0, wasted_tokens=0),
            )
        )

    def page(self, opened: Iterable[int] = ()) -> Page:
        """The run so far, with some transcripts."""
        watcher = Watcher(self.projection)
        watcher.open(opened)
        snapshot = watcher.snapshot()
        assert snapshot is not None
        return to_page(snapshot)


def _server() -> ServerInfo:
    return ServerInfo(
        base_url="http://127.0.0.1:8000/v1",
        source="option",
        product="vLLM",
        version="0.32.0",
        model="scripted <b>model</b>",
        context=4096,
        dialect="fenced",
        dialect_reason="asked for",
        reasoning=False,
        tokenizes=True,
    )
