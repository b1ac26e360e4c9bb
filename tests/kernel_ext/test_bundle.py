"""The static bundle: what it says, and that nothing foreign in it is markup or grows it."""

from __future__ import annotations

import html.parser
import json
import re

import msgspec
import pytest

from jupyterlab_tir.answers import Canonical, canonical
from jupyterlab_tir.events import (
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    Saved,
    ServerInfo,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.solving.verdict import judge
from jupyterlab_tir.terminal.state import RunState
from jupyterlab_tir.voting import Ballot, RuleDecision, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir_kernel.bundle import static_bundle
from jupyterlab_tir_kernel.live import live_run
from jupyterlab_tir_kernel.static_run import MIME, StaticRun, of_state

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m\u202e"
    " [a](javascript:x) `|` $\\href{javascript:x}{y}$ **b** &lt; </code></pre>"
)
KEPT_BY_SANITISER = {
    *("div", "p", "b", "i", "code", "pre", "details", "summary", "meter"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
KEPT_ATTRIBUTES = {"style", "class", "title", "scope", "min", "max", "value"}


def outcome(sample: int, answer: Canonical, *, replayed: bool, entropy: float) -> SampleOutcome:
    ballot = Ballot(
        answer=answer,
        raw=answer.shown,
        verification="replayed" if replayed else "none",
        entropy=entropy,
        tokens=10,
    )
    return SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=10)


def run_state(
    *,
    answers: list[str] = ["385", "385", "285"],  # noqa: B006 - only read
    problem: str = "Sum?",
    claim: str | None = "385",
    foreign: str = "tiny",
    ended: bool = True,
) -> RunState:
    """A run of four samples: two right answers that code verified, a wrong one, one without."""
    state = RunState()
    server = ServerInfo(
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
    state.take(
        RunStarted(
            run_id="20260101-000000-abcdef",
            created="2026-01-01T00:00:00+00:00",
            version="0.1.0",
            problem=Problem(text=problem, claim=claim),
            settings={"samples": 4, "w_code": 2.0, "base_url": foreign},
            sources={"samples": "option"},
            seed=7,
            temperature=0.7,
            server=server,
            isolation="none",
        )
    )
    outcomes = [
        outcome(
            n,
            Canonical(key=answer, shown=answer, form="text")
            if len(answer) > 40
            else canonical(answer),
            replayed=n < 2,
            entropy=0.0,
        )
        for n, answer in enumerate(answers)
    ]
    outcomes.append(
        SampleOutcome(sample=len(answers), status="token-limit", reason=foreign, tokens=10)
    )
    for each in outcomes:
        state.take(SampleStarted(sample=each.sample, sample_seed=1))
        state.take(SampleEnded(outcome=each, turns=1, cells=1))
    state.notices.append(foreign)
    counted = tally(outcomes, planned=4, policy=Weighted())
    if ended:
        state.take(
            RunEnded(
                at_s=2.5,
                tokens_out=40,
                status="answered",
                reason=f"Because of {foreign}.",
                answer=counted.leader.shown if counted.leader else None,
                tally=counted,
                verdict=judge(claim, counted) if claim is not None else None,
                stop=RuleDecision(rule="share", words=foreign, after=4),
                saved=Saved(not_started=0, cancelled=0, wasted_tokens=0),
            )
        )
    return state


class Tags(html.parser.HTMLParser):
    """Tags, attributes and the text of the elements that are typeset."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.open: list[str] = []
        self.typeset = ""
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if not {"code", "pre"} & set(self.open):
            self.typeset += data


def test_the_verdict_comes_first_and_counts_and_weights_stand_side_by_side() -> None:
    text = static_bundle(of_state(run_state()))["text/plain"]
    # Two verified ballots weigh 2 each and one plain ballot 1: 4.00 and 1.00 of 5.
    assert text.splitlines()[:6] == [
        (
            "AGREES  The samples agree with 385: 2 of 4 finished samples, 2 of them code-verified, "
            "with 80% of the weight."
        ),
        "Answer: 385",
        "answer       samples  code-verified  weight  share  entropy",
        "385          2        2              4.00    80%    0.00     ████████████████░░░░",
        "285          1        0              1.00    20%    0.00     ████░░░░░░░░░░░░░░░░",
        "token limit  1",
    ]


def test_html_holds_the_same_numbers_as_text_and_as_bars() -> None:
    page = Tags(static_bundle(of_state(run_state()))["text/html"])
    assert page.text.startswith("AGREES The samples agree with 385")
    assert page.attributes["value"] == {"0.8000", "0.2000"}
    for words in ("Answer: 385", "4 of 4 samples finished", "4.00", "80%", "token limit", "seed7"):
        assert words in page.text
    assert not page.open


def test_markdown_says_the_same() -> None:
    text = static_bundle(of_state(run_state()))["text/markdown"]
    assert text.startswith("**AGREES** The samples agree with 385\\: 2 of 4")
    assert "| `385` | 2 | 2 | 4.00 | 80% | 0.00 |" in text
    assert "| token limit | 1 |  |  |  |  |" in text


def test_our_json_can_be_read_back_and_names_its_form() -> None:
    run = of_state(run_state())
    built = static_bundle(run)[MIME]
    assert built["schema"] == 1
    assert built["answer"] == "385"
    assert built["verdict"]["verdict"] == "agrees"
    assert msgspec.convert(json.loads(json.dumps(built)), StaticRun) == run


def test_html_holds_only_what_the_sanitiser_keeps_and_no_foreign_markup() -> None:
    state = run_state(answers=[HOSTILE], problem=HOSTILE, claim=HOSTILE, foreign=HOSTILE)
    bundle = static_bundle(of_state(state))
    page = Tags(bundle["text/html"])
    assert page.tags <= KEPT_BY_SANITISER
    assert set(page.attributes) <= KEPT_ATTRIBUTES
    assert not page.open
    assert "<script>alert(1)</script>" in page.text
    # What is outside of code elements is typeset, and there must be nothing of theirs.
    assert "$" not in page.typeset
    assert "script" not in page.typeset
    for form in ("text/html", "text/plain", "text/markdown"):
        assert "\x1b" not in bundle[form]
        assert "\u202e" not in bundle[form]
    assert "<U+202E>" in page.text


def test_markdown_holds_no_foreign_markup() -> None:
    state = run_state(answers=[HOSTILE], problem=HOSTILE, claim=HOSTILE, foreign=HOSTILE)
    text = static_bundle(of_state(state))["text/markdown"]
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    for mark in ("<script", "](javascript", "<img", "$"):
        assert mark not in re.sub(r"\\.", "", outside)


def test_a_megabyte_on_one_line_stays_small() -> None:
    state = run_state(
        answers=["9" * 1_000_000], problem="x" * 100_000, claim="1", foreign="m" * 1_000_000
    )
    bundle = static_bundle(of_state(state))
    assert len(json.dumps(bundle)) < 150_000
    assert bundle[MIME]["problem"]["chars"] == 100_000


def test_a_thousand_candidates_stay_small_and_say_how_many_are_left_out() -> None:
    state = run_state(answers=[str(n) for n in range(1000)])
    bundle = static_bundle(of_state(state))
    assert len(bundle[MIME]["tally"]["candidates"]) == 100
    assert bundle[MIME]["candidates_left_out"] == 900
    assert "980 more candidates are not shown." in bundle["text/plain"]


def test_a_record_that_was_cut_short_says_so() -> None:
    bundle = static_bundle(of_state(run_state(ended=False)))
    assert bundle[MIME]["status"] == "cut-short"
    assert bundle["text/plain"].startswith("Cut short\nAnswer: 385\n")


def test_a_lone_surrogate_from_a_server_is_replaced() -> None:
    bundle = static_bundle(of_state(run_state(foreign="a\ud800b")))
    json.dumps(bundle, ensure_ascii=False).encode()


def test_a_run_that_did_not_begin_has_no_static_form() -> None:
    with pytest.raises(ValueError, match="did not begin"):
        of_state(RunState())


def test_the_live_state_is_bounded_and_counts_what_it_leaves_out() -> None:
    state = run_state(answers=[str(n) for n in range(100)], ended=False)
    live = live_run(state, 2.04)
    assert len(live.candidates) == 12
    assert live.more == 88
    assert (live.finished, live.running, live.planned, live.seconds) == (101, 0, 4, 2.0)
    assert live.line.startswith("Counting · 101 finished · 0 running · 4 planned · ")
