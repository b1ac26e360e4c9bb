"""A cell's output, changed from other threads while other cells run."""

from __future__ import annotations

import contextvars
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.wire import MIME
from jupyterlab_tir_kernel import display
from jupyterlab_tir_kernel.display import CellOutput
from jupyterlab_tir_kernel.live import live_bundle, live_line
from jupyterlab_tir_kernel.static_run import of_events

from .static_runs import run_events

Json = dict[str, Any]

cell = contextvars.ContextVar("cell", default="none")


class Publisher:
    """Keeps what is published, and the cell that it is published in."""

    def __init__(self) -> None:
        self.published: list[tuple[str, bool, Json]] = []

    def publish(self, *, data: Json, metadata: Json, transient: Json, update: bool) -> None:
        assert list(transient) == ["display_id"]
        assert metadata == {}
        self.published.append((cell.get(), update, data))


@pytest.fixture
def shell() -> Any:
    cell.set("none")
    return SimpleNamespace(display_pub=Publisher())


def test_output_belongs_to_its_cell_whichever_thread_changes_it(shell: Any) -> None:
    cell.set("first")
    output, publisher = CellOutput(shell, live=True), shell.display_pub
    cell.set("second")
    # As `%%capture` does it.
    shell.display_pub = Publisher()
    snapshot = of_events(run_events()[:2])
    thread = threading.Thread(target=output.open, args=(snapshot,))
    thread.start()
    thread.join()
    output.finish({"text/plain": "over"})
    assert shell.display_pub.published == []
    (first, opened), (second, over) = (
        ((where, update), data) for where, update, data in publisher.published
    )
    assert (first, second) == (("first", False), ("first", True))
    assert opened[MIME]["head"]["problem"]["text"] == "Sum?"
    assert over == {"text/plain": "over"}


def test_what_fails_at_once_shows_nothing_of_its_own(shell: Any) -> None:
    output = CellOutput(shell, live=True)
    output.wait("Finding the server")
    output.withdraw("The run did not begin.")
    assert shell.display_pub.published == []


def test_words_before_the_run_make_way_for_it(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "FIRST_S", 0.0)
    output = CellOutput(shell, live=True)
    output.wait("Finding the server")
    output.wait("Finding the server")
    output.open(of_events(run_events()[:2]))
    output.wait("Finding the server")
    kinds = [(update, MIME in data) for _, update, data in shell.display_pub.published]
    assert kinds == [(False, False), (True, True)]


def test_nothing_changes_what_stands_for_good(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "FIRST_S", 0.0)
    output = CellOutput(shell, live=True)
    output.finish({"text/plain": "over"})
    output.open(of_events(run_events()[:2]))
    output.wait("Finding the server")
    assert [data for _, _, data in shell.display_pub.published] == [{"text/plain": "over"}]


def test_shell_that_can_only_print_shows_the_end_alone(
    shell: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display, "FIRST_S", 0.0)
    output = CellOutput(shell, live=False)
    output.wait("Finding the server")
    output.open(of_events(run_events()[:2]))
    output.finish({"text/plain": "over"})
    assert shell.display_pub.published == [("none", False, {"text/plain": "over"})]


def test_live_words_say_what_the_samples_do_and_the_votes_so_far() -> None:
    made = Projection()
    # The run, all of the first sample, and the second up to its code: 10 and 6 tokens.
    for event in run_events()[:10]:
        made.take(event)
    made.count_now()
    snapshot = made.snapshot()
    assert snapshot is not None
    words = "1 finished · 1 running · 4 planned · 16 tokens · 1.2 s"
    assert live_line(snapshot, 1.23) == f"1 running code · {words}"
    assert live_line(snapshot, 1.23, stopping=True) == f"Stopping · {words}"
    bundle = live_bundle(snapshot, 1.23)
    assert bundle["text/plain"] == f"TIR run: 1 running code · {words}"
    assert "<code>385</code>" in bundle["text/html"]
    assert "100%" in bundle["text/html"]
