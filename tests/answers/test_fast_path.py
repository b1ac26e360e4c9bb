# ruff: noqa: S311 - random texts, no secrets
"""What is read at once is read as the worker's reader does it; and the service never fails."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import msgspec
import pytest

from jupyterlab_tir.answers.algebra.dispatch import UnkeyedError
from jupyterlab_tir.answers.algebra.keys import keys_of
from jupyterlab_tir.answers.algebra.reader import ReadError, read
from jupyterlab_tir.answers.algebra.service import OPERATIONS
from jupyterlab_tir.answers.canonical import canonical, clear_caches
from jupyterlab_tir.answers.worker import Worker, shared
from jupyterlab_tir.answers.working import Request

DATA = Path(__file__).parents[1] / "data" / "answers"
PIECES = [*"0123456789.,+-*/^!(){}[]=<>|xnei %$_&:;\\", "\\frac", "\\sqrt", "\\pm", " and ", "\\pi"]
PIECES += [
    "sin",
    "\\sum",
    "\\text{",
    "\\begin{pmatrix}",
    "\\end{pmatrix}",
    "\\cup",
    "infinity",
    "oo",
]


def texts() -> list[str]:
    found: dict[str, None] = {}
    for name in ("answer_pairs.jsonl", "pairs.jsonl", "own_pairs.jsonl"):
        for line in (DATA / name).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            found.update(dict.fromkeys((case["a"], case["b"])))
    return [text for text in found if len(text) < 200]


def mutated(text: str, random: Random) -> str:
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text) + 1)
        cut = random.choice((0, 0, 1, 2))
        text = text[:at] + random.choice(PIECES) + text[at + cut :]
    return text


def test_text_that_is_read_at_once_has_the_key_that_the_reader_gives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Without the worker only what is read at once has a key.
    def nothing(self: Worker, operation: str, payload: bytes, *, timeout_s: float) -> None:
        del self, operation, payload, timeout_s

    random = Random(7)
    corpus = texts()
    corpus += [mutated(text, random) for text in corpus]
    monkeypatch.setattr(Worker, "ask", nothing)
    clear_caches()
    quick = {text: canonical(text) for text in corpus}
    clear_caches()
    different = {}
    for text, answer in quick.items():
        if answer.form == "opaque" or answer.key == "t:":
            continue
        try:
            keys = keys_of(read(answer.shown))
        except (ReadError, UnkeyedError) as error:
            keys = (repr(error),)
        if answer.key not in keys:
            different[text] = (answer.key, keys)
    assert sum(answer.form != "opaque" for answer in quick.values()) > 300
    assert different == {}


def test_service_answers_whatever_it_is_asked() -> None:
    random = Random(11)
    for text in texts():
        payload = mutated(text, random).encode()
        reply = OPERATIONS["keys"](Request(1, "keys", payload, 60.0))
        assert isinstance(msgspec.msgpack.decode(reply, type=tuple[str, ...]), tuple)


def test_keys_are_the_same_in_the_worker_and_here() -> None:
    for text in random_sample():
        reply = shared().ask("keys", text.encode(), timeout_s=10)
        assert reply == OPERATIONS["keys"](Request(1, "keys", text.encode(), 10.0))


def random_sample() -> list[str]:
    return Random(3).sample(texts(), 60)
