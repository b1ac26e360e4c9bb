"""What the worker found is kept by text; what it could not be asked is not."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import msgspec
import pytest

from jupyterlab_tir.answers import canonical, clear_caches
from jupyterlab_tir.answers.worker import NoProcessError, Worker


class Asked:
    """In the worker's place: says what it was told to, after a while, and counts."""

    def __init__(self, reply: bytes | None) -> None:
        self.reply = reply
        self.times = 0
        self.is_there = True

    def __call__(self, operation: str, payload: bytes, *, timeout_s: float) -> bytes | None:
        assert operation == "keys"
        assert payload
        assert timeout_s > 0
        self.times += 1
        time.sleep(0.05)
        if not self.is_there:
            raise NoProcessError("none here")
        return self.reply


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    asked = Asked(msgspec.msgpack.encode(("x:5", "q:5")))
    monkeypatch.setattr(Worker, "ask", lambda _worker, *args, **options: asked(*args, **options))
    clear_caches()
    yield asked
    clear_caches()


def test_text_is_worked_out_once_however_many_ask_at_once(asked: Asked) -> None:
    found: list[tuple[str, ...]] = []
    threads = [
        threading.Thread(target=lambda: found.append(canonical("x+y").keys)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [("x:5", "q:5")] * 8
    assert asked.times == 1


def test_text_beyond_the_limits_is_tried_again_only_within_longer_ones(asked: Asked) -> None:
    asked.reply = None
    assert canonical("x+y", timeout_s=0.5).form == "opaque"
    assert canonical("x+y", timeout_s=0.5).key == "o:x+y"
    assert asked.times == 1
    asked.reply = msgspec.msgpack.encode(("x:5",))
    assert canonical("x+y", timeout_s=2.0).key == "x:5"
    assert canonical("x+y", timeout_s=0.5).key == "x:5"
    assert asked.times == 2


def test_missing_process_says_nothing_about_the_text(asked: Asked) -> None:
    asked.is_there = False
    assert canonical("x+y").key == "o:x+y"
    asked.is_there = True
    assert canonical("x+y").key == "x:5"
