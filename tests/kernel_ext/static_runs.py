"""Recorded runs for tests of what a saved notebook shows, and a parser for the HTML in it."""

from __future__ import annotations

import html.parser

from msgspec.structs import replace

from jupyterlab_tir.answers import Canonical
from jupyterlab_tir.events import (
    AnyEvent,
    CodeEnded,
    CodeStarted,
    Noticed,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    Saved,
    ServerInfo,
    TurnEnded,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.sandbox.result import CellResult
from jupyterlab_tir.solving.verdict import judge
from jupyterlab_tir.voting import Ballot, RuleDecision, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m\u202e"
    " [a](javascript:x) `|` $\\href{javascript:x}{y}$ **b** &lt; </code></pre>"
)
RUN_ID = "20260101-000000-abcdef"

KEPT_TAGS = {
    *("div", "p", "b", "i", "code", "pre", "details", "summary", "meter"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
"""What static HTML is made of: JupyterLab's sanitiser keeps all of it."""

KEPT_ATTRIBUTES = {
    "style": {
        "text-align: left",
        "white-space: pre-wrap",
        "width: 12em",
        "font-family: inherit; background-color: transparent; padding: 0",
        "color: #1b7f3b",
        "color: #c62828",
        "color: #9a6700",
    },
    "class": {"jp-TirRun", "jp-TirRun-tally"},
    "scope": {"col", "row"},
    "min": {"0"},
    "max": {"1"},
}
"""Attributes by name with all values that they may have; `NUMBERS` are free in theirs."""

NUMBERS = {"value", "title"}
VOID_TAGS = {"br", "hr", "img", "input", "link", "meta"}


def server_info(foreign: str = "tiny") -> ServerInfo:
    return ServerInfo(
        base_url=f"http://127.0.0.1:1/{foreign}",
        source="option",
        product="vLLM",
        version="0.32.0",
        model=foreign,
        context=4096,
        dialect="fenced",
        dialect_reason="by a test",
        reasoning=False,
        tokenizes=True,
    )


def outcome(sample: int, answer: str | None, foreign: str) -> SampleOutcome:
    """An answer by a sample, the first two code-verified; None is a sample without a vote."""
    if answer is None:
        return SampleOutcome(sample=sample, status="token-limit", reason=foreign, tokens=10)
    ballot = Ballot(
        answer=Canonical(key=f"t:{answer}", shown=answer, form="text"),
        raw=answer,
        verification="replayed" if sample < 2 else "none",
        entropy=0.0,
        tokens=10,
    )
    return SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=10)


def sample_events(each: SampleOutcome, at_s: float, foreign: str) -> list[AnyEvent]:
    """One sample from its start to its end: a turn, a cell, a last turn."""
    n = each.sample
    result = CellResult(status="ok", duration_s=0.25, stdout=f"{foreign} 385\n")
    return [
        SampleStarted(at_s=at_s - 0.4, sample=n, sample_seed=1),
        TurnEnded(
            at_s=at_s - 0.3,
            sample=n,
            turn=0,
            attempt=0,
            text=f"Let me see: {foreign}\n```python\nsum(range(9)) # {foreign}\n",
            finish="cut-at-code",
            tokens_out=6,
        ),
        CodeStarted(at_s=at_s - 0.2, sample=n, turn=0, cell=0, code=f"sum(range(9)) # {foreign}\n"),
        CodeEnded(at_s=at_s - 0.1, sample=n, turn=0, cell=0, result=result),
        TurnEnded(
            at_s=at_s, sample=n, turn=1, attempt=0, text="So it is.", finish="stop", tokens_out=4
        ),
        SampleEnded(at_s=at_s, outcome=each, turns=2, cells=1),
    ]


def run_events(
    answers: list[str | None] = ["385", "385", "285", None],  # noqa: B006 - only read
    *,
    planned: int | None = None,
    problem: str = "Sum?",
    claim: str | None = "385",
    foreign: str = "tiny",
    stop: str = "share:0.5",
    not_started: int = 0,
    cancelled: int = 0,
    ended: bool = True,
) -> list[AnyEvent]:
    """A run whose samples end half a second apart; `cancelled` ones end with the run."""
    planned = len(answers) + not_started + cancelled if planned is None else planned
    outcomes = [outcome(n, answer, foreign) for n, answer in enumerate(answers)]
    outcomes += [
        SampleOutcome(sample=len(answers) + n, status="cancelled", reason="stop", tokens=5)
        for n in range(cancelled)
    ]
    events: list[AnyEvent] = [
        RunStarted(
            run_id=RUN_ID,
            created="2026-01-01T00:00:00+00:00",
            version="0.1.0",
            problem=Problem(text=problem, claim=claim),
            settings={
                "samples": planned,
                "w_code": 2.0,
                "stop": stop,
                "tau": 0.75,
                "base_url": foreign,
            },
            sources={"samples": "option"},
            seed=7,
            temperature=0.7,
            server=server_info(foreign),
            isolation="none",
        )
    ]
    for place, each in enumerate(outcomes):
        events += sample_events(each, 0.5 * (place + 1), foreign)
    events.append(Noticed(title="notice", detail=foreign))
    counted = tally(outcomes, planned=planned, policy=Weighted())
    if ended:
        events.append(
            RunEnded(
                at_s=0.5 * len(outcomes) + 0.5,
                tokens_out=10 * len(answers) + 5 * cancelled,
                status="answered",
                reason=f"Because of {foreign}.",
                answer=counted.leader.shown if counted.leader else None,
                tally=counted,
                verdict=judge(claim, counted) if claim is not None else None,
                stop=RuleDecision(rule="share", words=foreign, after=counted.finished),
                saved=Saved(
                    not_started=not_started, cancelled=cancelled, wasted_tokens=5 * cancelled
                ),
            )
        )
    return in_sequence(events)


def continued(events: list[AnyEvent], answers: list[str | None]) -> list[AnyEvent]:
    """A run that went on after its end, with more samples."""
    started, ended = events[0], events[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(ended, RunEnded)
    before = [event.outcome for event in events if isinstance(event, SampleEnded)]
    more = [outcome(len(before) + n, answer, "tiny") for n, answer in enumerate(answers)]
    counted = tally([*before, *more], planned=len(before) + len(more), policy=Weighted())
    begun = RunContinued(
        at_s=ended.at_s,
        created="2026-01-02T00:00:00+00:00",
        version="0.1.0",
        planned=counted.planned,
        settings=started.settings,
        sources=started.sources,
        server=started.server,
        isolation=started.isolation,
    )
    later = [sample_events(each, ended.at_s + 0.5, "tiny") for each in more]
    end = replace(ended, tally=counted, tokens_out=10 * counted.planned, at_s=ended.at_s + 1)
    return in_sequence([*events, begun, *(event for each in later for event in each), end])


def in_sequence(events: list[AnyEvent]) -> list[AnyEvent]:
    return [replace(event, seq=seq) for seq, event in enumerate(events)]


class Page(html.parser.HTMLParser):
    """Elements, attributes, all text, and the text of the elements that are typeset."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, set[str]] = {}
        self.titles: list[str] = []
        self.open: list[str] = []
        self.typeset = ""
        self.text = ""
        self.others: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID_TAGS:
            self.open.append(tag)
        for name, value in attrs:
            if (tag, name) == ("code", "title"):
                # TeX as it was written: nothing draws it but as text.
                self.titles.append(value or "")
                continue
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID_TAGS or self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def handle_data(self, data: str) -> None:
        self.text += data
        if not {"code", "pre"} & set(self.open):
            self.typeset += data

    @property
    def foreign(self) -> list[str]:
        """Elements, attributes, values and other markup that static HTML is not made of."""
        found = [tag for tag in self.tags if tag not in KEPT_TAGS] + self.others
        for name, values in self.attributes.items():
            if name in NUMBERS:
                found += [each for each in values if not _is_number(each)]
            else:
                found += [f"{name}={value}" for value in values - KEPT_ATTRIBUTES.get(name, set())]
        return found


def _is_number(text: str) -> bool:
    return text.rstrip("%").replace(".", "", 1).isdecimal()
