"""What becomes of a run and its output when its cell leaves it, or when its view has a fault."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_tir import RunHandle, start
from jupyterlab_tir.config import ResolvedConfig, resolve
from jupyterlab_tir.events import Event, TurnEnded
from jupyterlab_tir.viewing.projection import Projection
from jupyterlab_tir.viewing.wire import MIME
from jupyterlab_tir_kernel import bundle, cell
from jupyterlab_tir_kernel.control import answer
from jupyterlab_tir_kernel.display import CellOutput
from jupyterlab_tir_kernel.driving import drive_blocking
from jupyterlab_tir_kernel.following import NOT_BEGUN, Following
from jupyterlab_tir_kernel.hub import hub

Json = dict[str, Any]
pytestmark = pytest.mark.usefixtures("jupyter_folders")


class Shell:
    """A shell that keeps what is published."""

    def __init__(self) -> None:
        self.user_ns: Json = {}
        self.execution_count = 1
        self.history_manager = SimpleNamespace(input_hist_parsed=["", "%%tir"])
        self.kernel = SimpleNamespace(get_parent=dict)
        self.published: list[Json] = []
        self.display_pub = SimpleNamespace(
            publish=lambda **about: self.published.append(about["data"])
        )


@pytest.fixture
def resolved(write_script: Callable[..., str]) -> ResolvedConfig:
    """Settings of a run that answers 4."""
    script = write_script(["It is \\boxed{4}."])
    return resolve({"base_url": script, "mode": "text", "samples": 1}, environ={})


@pytest.fixture
def slow(write_script: Callable[..., str]) -> ResolvedConfig:
    """Settings of a run that takes a second."""
    script = write_script(["so " * 100 + "\\boxed{4}"], token_ms=10)
    return resolve({"base_url": script, "mode": "text", "samples": 1}, environ={})


def begin(resolved: ResolvedConfig) -> RunHandle:
    return start("What is 2 + 2?", resolved=resolved)


def followed(shell: Any, resolved: ResolvedConfig) -> Any:
    """A cell from its settings to its result."""
    steps = cell.follow(lambda: begin(resolved), resolved, shell, out="kept")
    return drive_blocking(steps, takes_sigint=False)


def final(run_id: str) -> Json:
    return answer({"kind": "final", "run": run_id}, hub(), lambda _, __: print)


def test_run_that_is_over_before_its_cell_looks_shows_its_end(resolved: ResolvedConfig) -> None:
    shell: Any = Shell()
    published = shell.published
    handle = begin(resolved)
    following = Following(CellOutput(shell, live=True), None)
    steps = following.to_beginning(lambda: handle, resolved)
    next(steps)
    assert handle.wait(60)
    left = drive_blocking(steps, takes_sigint=False)
    assert left is hub().find(handle.run_id)
    assert ["end" in each.get(MIME, {}) for each in published] == [False]
    following.release()
    assert ["end" in each[MIME] for each in published] == [False, True]
    assert left.bundle == published[-1]


def test_fault_of_the_view_is_logged_and_does_not_end_the_run(
    resolved: ResolvedConfig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[Event] = []

    def take(made: Projection, event: Event, whole: Any = Projection.take) -> None:
        taken.append(event)
        if isinstance(event, TurnEnded):
            raise ZeroDivisionError("planted")
        whole(made, event)

    monkeypatch.setattr(Projection, "take", take)
    shell = Shell()
    result = followed(shell, resolved)
    assert (result.status, result.answer) == ("answered", "4")
    assert shell.user_ns["kept"] is result
    # What came after it is taken no more.
    assert isinstance(taken[-1], TurnEnded)
    [said] = [each for each in caplog.records if each.exc_info]
    assert "planted" in str(said.exc_info)
    words = f"a fault of jupyterlab_tir; see `%tir show {result.run_id}`."
    assert shell.published[-1]["text/plain"].endswith(words)
    assert final(result.run_id) == {"status": "refused", "words": shell.published[-1]["text/plain"]}


def test_result_that_cannot_be_drawn_is_bound_and_pages_are_told(
    resolved: ResolvedConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(bundle, "static_bundle", fail)
    shell = Shell()
    with pytest.raises(ZeroDivisionError):
        followed(shell, resolved)
    result = shell.user_ns["kept"]
    assert result.answer == "4"
    reply = final(result.run_id)
    assert reply["status"] == "refused"
    assert reply["words"] == shell.published[-1]["text/plain"]
    [listed] = [run for run in hub().runs() if run.run_id == result.run_id]
    assert listed.concluded


def test_fault_that_ends_a_run_leaves_no_live_output(
    slow: ResolvedConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(RunHandle, "result", fail)
    shell = Shell()
    with pytest.raises(ZeroDivisionError):
        followed(shell, slow)
    # A busy machine may have shown before that it waits.
    first, *_, last = [each[MIME] for each in shell.published if MIME in each]
    assert "end" not in first
    assert last["end"]["answer"] == "4"


def test_fault_before_a_run_is_there_leaves_no_live_output(resolved: ResolvedConfig) -> None:
    shell: Any = Shell()
    output = CellOutput(shell, live=True)
    output._publish({"text/plain": "Asking the server"})
    following = Following(output, None)

    def fail() -> RunHandle:
        raise ZeroDivisionError("planted")

    with pytest.raises(ZeroDivisionError):
        drive_blocking(
            cell._stoppable(following.to_end(fail, resolved), following, lambda _: None),
            takes_sigint=False,
        )
    assert shell.published[-1] == {"text/plain": NOT_BEGUN}


def test_run_in_the_background_draws_its_end_beside_the_engine(
    slow: ResolvedConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = threading.Event()
    threads: list[threading.Thread] = []

    def draw(run: Any, whole: Any = bundle.static_bundle) -> Any:
        threads.append(threading.current_thread())
        drawn.set()
        return whole(run)

    monkeypatch.setattr(bundle, "static_bundle", draw)
    shell: Any = Shell()
    following = Following(CellOutput(shell, live=True), None)
    drive_blocking(following.to_beginning(lambda: begin(slow), slow), takes_sigint=False)
    following.release()
    assert drawn.wait(60)
    [thread] = threads
    thread.join(60)
    assert thread.name == "tir-view"
    assert shell.published[-1][MIME]["end"]["answer"] == "4"
