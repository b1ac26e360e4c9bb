"""The runs that the front end's tests read: one for each state that a page can meet."""

from __future__ import annotations

from typing import Any

from jupyterlab_tir.events import Noticed, RuleDecision, Saved, Verdict
from jupyterlab_tir.viewing.watcher import Watcher
from jupyterlab_tir.viewing.wire import to_page

from .told import Page, Told

ATTACK = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(1)</script>"
LINK = "[here](javascript:alert(1))"
TERMINAL = "\x1b[31mred\x1b[0m \x1b]0;title\x07"
REORDERED = "a\u202eb\u2066c\u200b"

CODE = "total = sum(n * n for n in range(21))\nprint(total)  # 2870"
SQUARES = "What is $1^2 + 2^2 + \\dots + 20^2$?"


def _by_code(told: Told, sample: int, answer: str) -> None:
    told.turn(sample, f"Let us compute.\n\n```python\n{CODE}\n```\n", finish="cut-at-code")
    told.run_code(sample, CODE)
    told.printed(sample, f"{answer}\n")
    told.turn(sample, f"So it is \\boxed{{{answer}}}.", turn=1)
    told.answer(sample, answer, verification="replayed", entropy=0.25)


def _by_text(told: Told, sample: int, answer: str) -> None:
    told.turn(sample, f"By the formula, \\boxed{{{answer}}}.")
    told.answer(sample, answer)


def in_progress() -> Page:
    """Three samples ended, four run and each does something else, one has not begun."""
    told = Told(SQUARES)
    told.begin(range(7))
    _by_code(told, 0, "2870")
    _by_text(told, 1, "2870")
    _by_text(told, 2, "385")
    told.stream(3, "Think", " of", " squares", reasoning=True)
    told.turn(4, f"```python\n{CODE}\n```\n", finish="cut-at-code")
    told.turn(5, f"```python\n{CODE}\n```\n", finish="cut-at-code")
    told.run_code(5, CODE)
    told.turn(6, "\\boxed{2870}")
    told.read(6, "2870")
    return told.page([0, 3])


def stopped_early() -> Page:
    """The share rule ended it after five of twelve; two were in flight, five never began."""
    told = Told(SQUARES, samples=12)
    told.begin(range(7))
    _by_text(told, 2, "385")
    for sample in (0, 1, 3, 4):
        _by_code(told, sample, "2870")
    told.stream(5, "Let")
    for sample in (5, 6):
        told.fail(sample, "cancelled", "Cancelled: a stop rule fired.")
    words = "4 of 5 finished samples (80%) say 2870: more than tau = 0.75, and the weights agree."
    told.end(
        "answered",
        f"The rule share fired after 5 of 12 samples. {words}",
        answer="2870",
        stop=RuleDecision(rule="share", words=words, after=5, sample=4, numbers={"tau": 0.75}),
        saved=Saved(not_started=5, cancelled=2, wasted_tokens=120, saved_tokens_estimated=1_234),
    )
    return told.page(range(7))


def disagreement() -> Page:
    """The samples say something else than was claimed, and one answer was out of range."""
    told = Told(SQUARES, claim="2871", samples=6, range=(0, 5000), stop="none")
    told.begin(range(6))
    for sample in (0, 1, 2):
        _by_code(told, sample, "2870")
    _by_text(told, 3, "385")
    told.turn(4, "\\boxed{99999}")
    told.fail(4, "unexpected-answer", "99999 is beyond the range 0 to 5000.")
    told.turn(5, "I do not know.")
    told.fail(5, "no-answer", "It ended without a final answer.")
    told.add(Noticed(title="noticed", detail="Answers that were not asked for: 1."))
    words = "they say 2870 (3 of 6 samples, 3 by code); 0 said 2871."
    told.end(
        "answered",
        "All 6 samples finished.",
        answer="2870",
        verdict=Verdict(
            verdict="disagrees",
            claim="2871",
            words=f"The samples disagree with 2871: {words}",
        ),
    )
    return told.page()


def agreement() -> Page:
    """The samples say what was claimed."""
    told = Told(SQUARES, claim="2870", samples=4, stop="lead:4")
    told.begin(range(4))
    for sample in range(4):
        _by_code(told, sample, "2870")
    told.end(
        "answered",
        "All 4 samples finished.",
        answer="2870",
        verdict=Verdict(
            verdict="agrees",
            claim="2870",
            words="The samples agree with 2870: 4 of 4 samples, 4 by code.",
        ),
    )
    return told.page([0])


def tie() -> Page:
    """Two answers are equal in all that counts."""
    told = Told(SQUARES, samples=2)
    told.begin(range(2))
    _by_text(told, 0, "2870")
    _by_text(told, 1, "385")
    told.end("answered", "All 2 samples finished.", answer="2870")
    return told.page()


def failed_server() -> Page:
    """No server was left."""
    told = Told(SQUARES, samples=4)
    told.begin(range(3))
    for sample in range(3):
        told.fail(sample, "server-lost", "The server at http://127.0.0.1:8000/v1 was lost.")
    told.end(
        "server-lost",
        "No server is left: http://127.0.0.1:8000/v1 does not answer.",
        saved=Saved(not_started=1, cancelled=0, wasted_tokens=0),
    )
    return told.page()


def streaming() -> dict[str, Any]:
    """Sixty-four samples write at once: a snapshot with two open transcripts, then batches."""
    told = Told(SQUARES, samples=64)
    told.begin(range(64))
    watcher = Watcher(told.projection)
    watcher.open([0, 1])
    for sample in range(64):
        told.stream(sample, "The first")
    snapshot = watcher.snapshot()
    assert snapshot is not None
    batches: list[Page] = []
    for word in (" step", " is", " this"):
        for sample in range(64):
            told.stream(sample, word)
        batch = watcher.batch()
        assert batch is not None
        batches.append(to_page(batch))
    _by_code(told, 0, "2870")
    batch = watcher.batch()
    assert batch is not None
    return {"snapshot": to_page(snapshot), "batches": [*batches, to_page(batch)]}


def hostile() -> Page:
    """Whoever can write anything has written what should not run, or hides itself."""
    everything = f"{ATTACK} {SCRIPT} {LINK} {TERMINAL} {REORDERED}"
    told = Told(everything, claim=ATTACK, samples=4)
    told.begin(range(3))
    told.turn(0, f"{everything}\n\n```python\nprint({ATTACK!r})\n```\n", finish="cut-at-code")
    told.run_code(0, f"print({ATTACK!r})")
    told.printed(0, everything)
    told.turn(0, everything, turn=1)
    told.answer(0, ATTACK)
    told.turn(1, f"```python\n{SCRIPT}\n```\n", finish="cut-at-code")
    told.run_code(1, SCRIPT)
    told.raised(1, ATTACK, everything)
    told.fail(1, "no-answer", everything)
    told.stream(2, everything)
    told.add(Noticed(title=everything, detail=everything))
    return told.page(range(3))


PAGES = {
    "in_progress": in_progress,
    "stopped_early": stopped_early,
    "disagreement": disagreement,
    "agreement": agreement,
    "tie": tie,
    "failed_server": failed_server,
    "streaming": streaming,
    "hostile": hostile,
}
"""By name of the file that holds it."""
