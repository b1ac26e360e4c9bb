"""A page votes again as Python does: it has what it needs, and golden vectors to be held to.

`labextension/tests/data/revote/golden.json` is what the voting room says of many small runs, and
what the TypeScript tests read. Run `python -m tests.viewing.test_revoting_data` to write it again.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from jupyterlab_tir.events import AnyEvent, RunEnded, RunStarted, SampleEnded
from jupyterlab_tir.record import Record, revote
from jupyterlab_tir.viewing.clipping import clip_key
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.revoting import Course
from jupyterlab_tir.viewing.saved import project, saved_snapshot
from jupyterlab_tir.viewing.watcher import Watcher
from jupyterlab_tir.viewing.wire import Snapshot, to_page
from jupyterlab_tir.viewing.wire_revote import ViewRevote
from jupyterlab_tir.voting import (
    PolicyName,
    Tally,
    look,
    parse_rules,
    policy_named,
)

from .revoting_cases import (
    FAMILIES,
    Run,
    courses,
    drawn,
    split,
    stopped,
)

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "labextension" / "tests" / "data" / "revote" / "golden.json"
RUNS = GOLDEN.with_name("runs.json")
MOST_BYTES = 350_000
ALL_TOKENS = 1_000_000
"""More than any sample has."""

POLICIES: tuple[PolicyName, ...] = ("weighted", "majority", "votes-first", "blocks")
RULES = (
    *("none", "share:0.75", "share:0.5", "planned:0.5", "beta:0.8", "lead:2", "window:3"),
    *("usual", "beta:0.9,lead:3", "share:0.6,window:2"),
)
ASKS: tuple[dict[str, Any], ...] = (
    {},
    {"policy": "majority", "stop": "beta:0.9"},
    {"policy": "votes-first", "stop": "lead:2"},
    {"policy": "blocks", "stop": "share:0.5", "w_code": 3.0},
    {"stop": "window:3", "w_code": 1.0},
    {"stop": "planned:0.5"},
    {"stop": "share:0.6,window:4", "entropy": False},
    {"stop": "usual", "min_answers": 3, "tau": 0.6},
    {"policy": "weighted", "stop": "usual", "w_code": 4.0},
    {"stop": "share", "tau": 0.5, "min_answers": 2},
    {"policy": "blocks", "stop": "none"},
    {"tau": 0.8},
    {"policy": "weighted", "stop": "lead:1", "entropy": False, "w_code": 1.5},
)


def record_of(events: Sequence[AnyEvent]) -> Record:
    assert isinstance(events[0], RunStarted)
    whole = isinstance(events[-1], RunEnded)
    made = Record(
        path=Path("a.jsonl"), started=events[0], events=tuple(events), cut_short=not whole
    )
    if not whole:
        return made
    ended = msgspec.structs.replace(events[-1], tally=made.replay())
    return replace(made, events=(*events[:-1], ended))


def course_of(events: Sequence[AnyEvent]) -> ViewRevote:
    made = Course()
    for event in events:
        made.take(event)
    found = made.row()
    assert found is not None
    return found


def runs() -> dict[str, Any]:
    """Whole snapshots, as saved notebooks hold them."""
    return {"split": to_page(saved(split())), "stopped": to_page(saved(stopped()))}


def saved(run: Run) -> Snapshot:
    record = record_of(run.close().events)
    decision = revote(record).decision
    ended = replace(record.events[-1], stop=decision)
    found = saved_snapshot(project([*record.events[:-1], ended]))
    assert found is not None
    return found


@cache
def cases() -> dict[str, Run]:
    found = {f"{name} {seed}": drawn(name, seed) for name in FAMILIES for seed in range(5)}
    return found | courses()


@cache
def golden() -> Any:
    number = count()
    return {
        "rules": RULES,
        "cases": [
            {
                "name": name,
                "revote": msgspec.to_builtins(course_of(run.events)),
                "prefixes": prefixes(run, next(number)),
                "asks": [asked(run, ask) for ask in chosen_asks(name, next(number), run)],
            }
            for name, run in cases().items()
        ],
    }


def chosen_asks(name: str, number: int, run: Run) -> list[dict[str, Any]]:
    # The stop rules of a first part hold for the second, where only a number of theirs is given.
    more: list[dict[str, Any]] = [{"min_answers": 6}] if name == "continued" else []
    # No rule fires for what has more weight and fewer heads.
    more += [{"stop": "window:3"}] if name == "weights against counts" else []
    windows = course_of(run.events).entropy_windows
    policies = itertools.cycle(POLICIES)
    more += [{"window": each, "policy": next(policies)} for each in windows]
    return [{}, *more] + [ASKS[1 + (number // 2 * 3 + n) % (len(ASKS) - 1)] for n in range(3)]


def prefixes(run: Run, number: int) -> dict[str, Any]:
    """What each rule says after each sample, under one policy: the order, who fires, how short."""
    fates = [event.outcome for event in run.events if isinstance(event, SampleEnded)]
    keys = course_of(run.events).keys
    place = {key.key: n for n, key in enumerate(keys)}
    name = POLICIES[number // 2 % len(POLICIES)]
    values: dict[str, Any] = {"w_code": [2.0, 1.0, 1.5][number % 3], "max_blocks": 3}
    planned = max(run.settings["samples"], len(fates))
    verifiable, measurable = number % 4 != 1, number % 6 != 3
    policy = policy_named(name, verifiable=verifiable, **values)
    said_of = []
    for end in range(len(fates) + 1):
        now = look(fates[:end], planned=planned, policy=policy, measurable=measurable)
        rules = [parse_rules(text)[-1] for text in RULES[:7]]
        said_of.append(
            [
                [place[clip_key(each.key)] for each in now.candidates],
                "".join("1" if rule.check(now) else "0" for rule in rules),
                [rule.short(now) for rule in rules],
            ]
        )
    return {
        "policy": name,
        "planned": planned,
        "verifiable": verifiable,
        "measurable": measurable,
        "wCode": values["w_code"],
        "looks": said_of,
    }


def asked(run: Run, ask: dict[str, Any]) -> dict[str, Any]:
    events = run.events
    settings = dict(ask)
    if "window" in settings:
        settings["entropy_window"] = settings.pop("window") or ALL_TOKENS
    if not settings.pop("entropy", True):
        events = [without_entropy(event) for event in events]
    found = revote(record_of(events), **settings)
    place = {key.key: n for n, key in enumerate(course_of(events).keys)}
    return {
        "ask": ask,
        "decision": None
        if found.decision is None
        else [
            found.decision.rule,
            found.decision.after,
            found.decision.sample,
            found.decision.words,
            found.decision.numbers,
        ],
        "samples": found.samples,
        "tokens": found.tokens,
        "inFlight": found.in_flight,
        "tally": tally_of(found.tally, place, measured="entropy" not in ask),
    }


def without_entropy(event: AnyEvent) -> AnyEvent:
    """The same with each ballot as sure as can be: then no weight depends on entropy."""
    if not isinstance(event, SampleEnded):
        return event
    fate = event.outcome
    ballot = fate.ballot and replace(fate.ballot, entropy=0.0)
    blocks = tuple(replace(each, ballot=replace(each.ballot, entropy=0.0)) for each in fate.blocks)
    return replace(event, outcome=replace(fate, ballot=ballot, blocks=blocks))


def tally_of(counted: Tally, place: dict[str, int], *, measured: bool) -> dict[str, Any]:
    return {
        "counts": [
            *(counted.planned, counted.finished, counted.answered),
            *(counted.lost, counted.unfinished),
        ],
        "candidates": [
            [
                *(place[clip_key(c.key)], c.shown, c.count, c.code_verified, c.weight, c.share),
                *(c.mean_entropy if measured else None, c.samples),
            ]
            for c in counted.candidates
        ],
        "without": [[each.status, each.samples] for each in counted.without_ballot],
        "tied": counted.tied,
        "remarks": counted.remarks,
    }


def written() -> str:
    """One line a case, so that a change is seen where it is."""
    made = json.loads(json.dumps(golden()))
    lines = [json.dumps(case, separators=(",", ":")) for case in made["cases"]]
    rules = json.dumps(made["rules"])
    return f'{{"rules": {rules}, "cases": [\n' + ",\n".join(lines) + "\n]}\n"


def test_golden_vectors_are_what_the_voting_room_says() -> None:
    text = GOLDEN.read_text()
    assert len(text) < MOST_BYTES
    assert json.loads(text) == json.loads(written()), (
        "the voting room or the wire changed: run `python -m tests.viewing.test_revoting_data`, "
        "then mend labextension/src/view/revote until `make test` passes"
    )


def test_golden_vectors_hold_what_is_hard() -> None:
    made = golden()["cases"]
    asks = [ask for case in made for ask in case["asks"]]
    fired = {ask["decision"][0] for ask in asks if ask["decision"]}
    assert fired == {"uncatchable", "share", "planned", "beta", "lead", "window"}
    assert {None} < {ask["decision"] and ask["decision"][0] for ask in asks}
    assert sum(ask["tally"]["tied"] for ask in asks) > 5
    assert sum(ask["inFlight"] > 0 for ask in asks) > 5
    remarks = " ".join(word for ask in asks for word in ask["tally"]["remarks"])
    for words in ("are tied at", "The weights choose", "The counts choose", "median factor"):
        assert words in remarks
    joins = [case for case in made if any(key.get("floatOf") for key in case["revote"]["keys"])]
    assert len(joins) > 5


def test_panel_has_the_runs_that_python_makes() -> None:
    assert json.loads(RUNS.read_text()) == json.loads(json.dumps(runs()))


def test_page_can_vote_again_once_the_run_is_over_and_not_before() -> None:
    events = record_of(stopped().close().events).events
    made = Projection()
    watcher = Watcher(made)
    for event in events[:-1]:
        made.take(event)
        batch = watcher.batch()
        assert batch is None or batch.revote is None
    before = made.snapshot()
    assert before is not None
    assert before.revote is None
    made.take(events[-1])
    last, after = watcher.batch(), made.snapshot()
    assert last is not None
    assert after is not None
    assert last.revote == after.revote == course_of(events)


def test_run_whose_stop_rules_are_unreadable_is_shown_but_not_voted_on_again() -> None:
    events = [*stopped().close().events]
    assert isinstance(events[0], RunStarted)
    events[0] = replace(events[0], settings=events[0].settings | {"stop": 3})
    shown = project(record_of(events).events).snapshot()
    assert shown is not None
    assert shown.revote is None
    assert shown.tally.candidates[0].count == 4


if __name__ == "__main__":
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    GOLDEN.write_text(written())
    RUNS.write_text(json.dumps(runs(), separators=(",", ":")) + "\n")
