"""Runs for the what-if's golden vectors, made by seeded chance: events as records hold them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from jupyterlab_tir.answers import canonical, forms
from jupyterlab_tir.answers.canonical import Canonical
from jupyterlab_tir.config import Config
from jupyterlab_tir.events import (
    AnyEvent,
    PlanChanged,
    RunContinued,
    RunEnded,
    RunStarted,
    SampleEnded,
    SampleStarted,
    Saved,
    ServerInfo,
    StopFired,
)
from jupyterlab_tir.problem import Problem
from jupyterlab_tir.voting import Ballot, BlockBallot, RuleDecision, SampleOutcome, tally
from jupyterlab_tir.voting.policies import Weighted
from jupyterlab_tir.voting.windows import WindowEntropies

LN2 = math.log(2)


def _read(*keys: str) -> Canonical:
    """An answer with these readings; `forms` makes them, so that no process is needed."""
    return Canonical(key=keys[0], shown=keys[0][2:], form="structure", readings=keys[1:])


ENDS = ["q:0", "q:1"]
WHOLE = [canonical(str(n)) for n in (7, 9, 42)]
THIRDS = [
    canonical("1/3"),
    canonical("0.3333333333333333"),
    canonical("0.33333333333333331"),
    # Another number with the same float, so that the float can join neither.
    canonical("3333333333333333/10000000000000000"),
    canonical("7/9"),
    canonical("0.7777777777777778"),
    canonical("1e-2000"),
    canonical("0.333333333333333333333333"),
    _read("s:(q:1/3,q:1)"),
    _read("s:(f:0.3333333333333333,q:1)"),
]
AMBIGUOUS = [
    _read(*forms.list_readings("(", ENDS, ")")),
    _read(*forms.list_readings("[", ENDS, "]")),
    _read(*forms.list_readings("", ENDS, "")),
    _read(*forms.list_readings("", ["q:1", "q:0"], "")),
    _read(*forms.list_readings("{", ENDS, "}")),
    _read("i:(q:0,q:1)"),
    _read("s:(q:0,q:1)"),
    _read("s:(f:0.3333333333333333,q:1)", "i:(f:0.3333333333333333,q:1)"),
    _read("i:(q:1/3,q:1)"),
    _read("e:a", "x:b"),
    _read("x:b", "e:a"),
    # The second is read first, since somebody's second reading is its first; both meet there.
    _read("e:c", "x:d"),
    _read("x:d", "x:f"),
]
WITHOUT: list[Any] = ["no-answer", "server-lost", "cancelled", "deadline", "turn-limit"]


class Family(msgspec.Struct, frozen=True):
    """How runs of one kind are drawn."""

    answers: Sequence[Canonical]
    entropies: Callable[[Random], float | None]
    silent: float = 0.1
    blocks: bool = False
    windows: bool = False
    settings: dict[str, Any] = {}


def _halves(random: Random) -> float | None:
    return random.choice([0.0, LN2, 2 * LN2])


def _any(random: Random) -> float | None:
    return random.choice([random.random(), 2 * random.random(), random.random(), 800.0])


def _some(random: Random) -> float | None:
    return random.choice([None, None, 0.0, LN2, random.random()])


def _none(random: Random) -> None:
    del random


FAMILIES = {
    "ties": Family(WHOLE[:2], _halves),
    "measured": Family(WHOLE, _any),
    "missing": Family(WHOLE, _some),
    "unmeasurable": Family(WHOLE, _none, settings={"top_logprobs": 0}),
    "floats": Family(THIRDS, _halves),
    "joining": Family(THIRDS[:2] * 3 + THIRDS, _some),
    "ambiguous": Family(AMBIGUOUS, _halves),
    "blocks": Family([*WHOLE, *THIRDS[:2]], _some, blocks=True, settings={"mode": "blocks"}),
    "lost": Family(WHOLE[:2], _halves, silent=0.5),
    "text": Family(WHOLE[:2], _halves, settings={"mode": "text"}),
    "windows": Family(WHOLE[:2], _some, windows=True),
    "own window": Family(
        WHOLE[:2],
        _any,
        blocks=True,
        windows=True,
        settings={"mode": "blocks", "entropy_window": 32},
    ),
}


def outcome(family: Family, sample: int, random: Random) -> SampleOutcome:
    """How a sample of a family ends."""
    blocks: tuple[BlockBallot, ...] = ()
    if family.blocks:
        blocks = tuple(
            BlockBallot(block=number, ballot=_ballot(family, random))
            for number in range(4)
            if random.random() < 0.5
        )
    if random.random() < family.silent:
        status = random.choice(WITHOUT)
        return SampleOutcome(sample=sample, status=status, blocks=blocks, tokens=sample)
    return SampleOutcome(
        sample=sample,
        status="answered",
        ballot=_ballot(family, random),
        blocks=blocks,
        tokens=100 + sample,
    )


def _ballot(family: Family, random: Random) -> Ballot:
    answer = random.choice(family.answers)
    level: Any = random.choice(["none", "echo", "computed", "replayed"])
    return Ballot(
        answer=answer, raw=answer.shown, verification=level, entropy=family.entropies(random)
    )


class Run:
    """The events of a run of these settings; samples end as they are given."""

    def __init__(self, **settings: Any) -> None:
        config = Config(**settings)
        self.settings: dict[str, Any] = msgspec.to_builtins(config)
        self.events: list[AnyEvent] = [started(self.settings)]

    def begin(self, *samples: int) -> Run:
        """Launch them."""
        self.events += [SampleStarted(sample=n, sample_seed=n) for n in samples]
        return self

    def end(
        self,
        *outcomes: SampleOutcome,
        interrupted: bool = False,
        windows: Mapping[int, WindowEntropies] = {},
    ) -> Run:
        """End them, in this order; `windows` by sample."""
        self.events += [
            SampleEnded(
                outcome=o,
                turns=1,
                cells=0,
                interrupted=interrupted,
                windows=windows.get(o.sample),
            )
            for o in outcomes
        ]
        return self

    def stop(self) -> Run:
        """Have a rule fire."""
        decision = RuleDecision(rule="share", words="", after=0)
        self.events.append(StopFired(decision=decision))
        return self

    def plan(self, planned: int) -> Run:
        """Plan another number of samples."""
        self.events.append(PlanChanged(planned=planned))
        return self

    def go_on(self, planned: int, **settings: Any) -> Run:
        """Go on after an end, under other settings."""
        self.settings = self.settings | settings | {"samples": planned}
        self.events.append(
            RunContinued(
                created="",
                version="1",
                planned=planned,
                settings=self.settings,
                sources={},
                server=SERVER,
                isolation="none",
            )
        )
        return self

    def close(self, status: Any = "answered") -> Run:
        """End the run; its tally is not what is looked at."""
        counted = tally([], planned=1, policy=Weighted())
        self.events.append(
            RunEnded(
                status=status,
                reason="",
                answer=None,
                tally=counted,
                verdict=None,
                stop=None,
                saved=Saved(not_started=0, cancelled=0, wasted_tokens=0),
            )
        )
        return self


SERVER = ServerInfo(
    base_url="http://127.0.0.1:1/v1",
    source="option",
    product="vLLM",
    version="0.11",
    model="m",
    context=4096,
    dialect="fenced",
    dialect_reason="",
    reasoning=False,
    tokenizes=True,
)


def started(settings: dict[str, Any]) -> RunStarted:
    """The first event of a run."""
    return RunStarted(
        run_id="20260102-030405-abcdef",
        created="2026-01-02T03:04:05+00:00",
        version="1",
        problem=Problem(text="?"),
        settings=settings,
        sources={},
        seed=7,
        temperature=0.7,
        server=SERVER,
        isolation="none",
    )


def drawn(name: str, seed: int) -> Run:
    """A run of a family; samples end in any order, three fewer than planned where seed is odd."""
    family = FAMILIES[name]
    random = Random(f"{name} {seed}")  # noqa: S311 - the same runs each time
    count = random.randrange(6, 13)
    planned = count + 3 * (seed % 2)
    run = Run(samples=planned, stop="none", max_blocks=3, **family.settings)
    order = [*range(count)]
    random.shuffle(order)
    fates = [outcome(family, n, random) for n in order]
    windows = {n: windowed(random) for n in order} if family.windows else {}
    return run.begin(*range(count)).end(*fates, windows=windows)


def windowed(random: Random) -> WindowEntropies:
    """Entropies of a sample of any length, some of them far from those of all its tokens."""
    last = [random.choice([None, 0.0, 3 * random.random()]) for _ in range(random.randrange(4))]
    return WindowEntropies(whole=random.random(), last=tuple(last))


def said(sample: int, answer: int, entropy: float | None = 0.0) -> SampleOutcome:
    """A sample that answers."""
    ballot = Ballot(answer=WHOLE[answer], raw="", entropy=entropy)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot, tokens=10 + sample)


def cast(sample: int, answer: Canonical) -> SampleOutcome:
    """A sample that answers this."""
    ballot = Ballot(answer=answer, raw="", entropy=0.0)
    return SampleOutcome(sample=sample, status="answered", ballot=ballot)


def gone(sample: int) -> SampleOutcome:
    """A sample that the run cancelled."""
    return SampleOutcome(sample=sample, status="cancelled", tokens=3)


def split() -> Run:
    """Five of nine say 7, four 9; these are code-verified and weigh 4 · 1.3 in the end."""
    run = Run(samples=9, stop="none", w_code=1.3).begin(*range(9))
    sevens, nines = (0, 1, 2, 5, 8), (3, 4, 6, 7)
    fates = {n: said(n, 0) for n in sevens} | {n: replayed(said(n, 1)) for n in nines}
    return run.end(*[fates[n] for n in (0, 1, 3, 2, 5, 4, 6, 7, 8)])


def stopped() -> Run:
    """Share stopped it after four of nine that agree; one in flight was counted, one cancelled."""
    run = Run(samples=9, stop="share").begin(*range(6)).end(*[said(n, 0) for n in range(4)])
    return run.stop().end(said(5, 1), gone(4), interrupted=True)


def replayed(fate: SampleOutcome) -> SampleOutcome:
    """The same, code-verified."""
    if fate.ballot is None:
        raise TypeError("it has no ballot")
    ballot = msgspec.structs.replace(fate.ballot, verification="replayed")
    return msgspec.structs.replace(fate, ballot=ballot)


def courses() -> dict[str, Run]:
    """Runs that did not just go from their first sample to their last."""
    fives = [said(n, 0) for n in range(4)]
    user = Run(samples=8).begin(*range(5)).end(*fives[:3])
    user.end(fives[3], gone(4), interrupted=True).close("stopped")
    lowered = Run(samples=8, stop="none").begin(*range(5))
    lowered.end(*[said(n, a) for n, a in enumerate([0, 0, 0, 1, 1])]).begin(5).plan(6).stop()
    lowered.end(said(5, 1), interrupted=True).close()
    unstopped = Run(samples=8, stop="none").begin(*range(5)).plan(7)
    unstopped.end(*[said(n, a) for n, a in enumerate([0, 0, 0, 1, 1])]).begin(5).plan(6)
    again = Run(samples=9, stop="share").begin(0, 1, 2, 3).end(*fives).stop().close()
    again.go_on(10, stop="window:4", w_code=3.0).end(gone(8), interrupted=True)
    again.begin(*range(4, 10)).end(*[said(n, 1) for n in (4, 5, 6, 7, 9)]).close()
    given_up = Run(samples=8, stop="lead:2").begin(0, 1).end(said(0, 0))
    given_up.end(SampleOutcome(sample=1, status="server-lost")).close("server-lost")
    lost = Run(samples=4).begin(0).end(SampleOutcome(sample=0, status="server-lost"))
    float_of_leader = Run(samples=6, mode="text", stop="none").begin(*range(6))
    float_of_leader.end(said(0, 0), *[cast(n, THIRDS[n == 4]) for n in range(1, 5)])
    silent = SampleOutcome(sample=7, status="no-answer")
    against = Run(samples=12, stop="none").begin(*range(12))
    against.end(*fives[:2], silent, *fives[2:])
    against.end(*[replayed(said(n, 1)) for n in (4, 5, 6)])
    return {
        "weights against counts": against,
        "float of the leader": float_of_leader,
        "late votes": stopped().close(),
        "split": split(),
        "stopped by its user": user,
        "lowered plan": lowered,
        "plan lowered twice": unstopped,
        "continued": again,
        "server given up": given_up,
        "server lost": lost.close("server-lost"),
        "nothing ended": Run(samples=4).begin(0),
    }
