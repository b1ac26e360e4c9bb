"""A predictor: integers or nothing, one bad problem never ends the others, time is kept."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir import Predictor, predicting
from jupyterlab_tir.errors import NoServerError, UsageError
from jupyterlab_tir.predicting import PredictionWarning
from jupyterlab_tir.solving.engine import engine

Scripted = Callable[..., str]


@pytest.fixture(autouse=True)
def own_folders(jupyter_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert jupyter_folders
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def scripted(tmp_path: Path, save_script: Scripted) -> Scripted:
    return partial(save_script, tmp_path / "script.json")


def predictor(base_url: str, **values: Any) -> Predictor:
    usual = {"total_s": 600, "problems": 5, "samples": 2, "mode": "text", "base_url": base_url}
    return Predictor(**{**usual, **values})


def test_answers_are_whole_numbers_and_kept_with_their_runs(scripted: Scripted) -> None:
    answering = predictor(scripted([r"So it is \boxed{42}."]))
    assert answering.predict("a1", "What is 6 * 7?") == 42
    kept = answering.predictions["a1"]
    assert kept.result is not None
    assert kept.result.answer == "42"
    assert kept.result.record.exists()
    assert answering.bank.begun == 1


def test_same_problem_again_is_not_solved_again(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{42}"]))
    assert answering.predict("a1", "?") == 42
    assert answering.predict("a1", "?") == 42
    assert answering.bank.begun == 1
    assert answering.predict("a1", "What else?") == 42
    assert answering.bank.begun == 2


@pytest.mark.parametrize("said", [r"\boxed{100000}", r"\boxed{-1}", r"\boxed{\frac12}", "Hm."])
def test_what_was_not_asked_for_is_no_answer(scripted: Scripted, said: str) -> None:
    answering = predictor(scripted([said]))
    with pytest.warns(PredictionWarning, match="Problem p has no answer: None of 2 finished"):
        assert answering.predict("p", "?") is None
    # The same again says it no second time, and a default of the call stands before the other.
    assert answering.predict("p", "?", default=0) == 0


def test_a_default_is_given_only_where_there_is_no_answer(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{7}"]), default=0)
    assert answering.predict("p", "?") == 7
    with pytest.warns(PredictionWarning, match="The problem is empty"):
        assert answering.predict("q", "  ") == 0
    with pytest.warns(PredictionWarning, match="The problem is empty"):
        assert answering.predict("q", "  ", default=None) is None


def test_long_integers_are_exact(scripted: Scripted) -> None:
    many = 10**399 + 7
    answering = predictor(scripted([rf"\boxed{{{many}}}"]), range=None)
    assert answering.predict("p", "?") == many


def test_other_kinds_are_given_as_shown(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{\frac12}"]), answer="expression", range=None)
    assert answering.predict("p", "?") == r"\frac12"


def test_a_problem_without_a_server_does_not_end_the_others() -> None:
    answering = predictor("http://127.0.0.1:9/v1", retries=0)
    with pytest.warns(PredictionWarning, match=r"Problem 0 has no answer: .*127\.0\.0\.1:9"):
        assert answering.predict(0, "?") is None
    assert answering.predictions[0].result is None


def test_a_server_that_hangs_takes_no_more_than_the_share(scripted: Scripted) -> None:
    answering = predictor(scripted([{"fault": {"kind": "silent"}}]), total_s=6, problems=2)
    began = time.monotonic()
    with pytest.warns(PredictionWarning, match="has no answer"):
        assert answering.predict("p", "?") is None
    # A share of 3 s; and tenfold slack for a busy machine.
    assert 2 <= time.monotonic() - began < 30
    kept = answering.predictions["p"]
    assert kept.result is not None
    assert kept.result.status == "deadline"


def test_when_the_time_is_over_nothing_is_asked(scripted: Scripted) -> None:
    now = [0.0]
    answering = predictor(scripted([r"\boxed{7}"]), total_s=100, clock=lambda: now[0])
    assert answering.predict("p", "?") == 7
    now[0] = 101
    share = r"its share of the 100 s for all problems is 0\.0 s, and a run needs 1\.5 s"
    with pytest.warns(PredictionWarning, match=share):
        assert answering.predict("q", "?") is None
    assert answering.predictions["q"].result is None


def test_a_share_too_short_for_a_run_is_what_one_needs_and_the_next_has_what_was_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[float] = []

    def solve(text: str, *, deadline: float, **settings: object) -> None:
        del text, settings
        asked.append(deadline)
        raise NoServerError("There is none.")

    monkeypatch.setattr(predicting, "solve", solve)
    answering = predictor("echo", total_s=6, clock=lambda: 0.0)
    for name in ("p", "q"):
        with pytest.warns(PredictionWarning, match="There is none"):
            assert answering.predict(name, "?") is None
    # 6 / 5 = 1.2 s would be too short: it gets 1.5 s. Nothing was used: 6 - 3 * 1.2 = 2.4 s are the
    # next one's. Half a second of each is for ending it.
    assert asked == [1.0, pytest.approx(1.9)]


def test_a_problem_that_was_never_asked_is_asked_when_it_comes_again(tmp_path: Path) -> None:
    script = tmp_path / "later.json"
    answering = predictor(f"scripted:{script}")
    with pytest.warns(PredictionWarning, match="has no answer"):
        assert answering.predict("p", "?") is None
    said = {"contains": "", "samples": [{"turns": [{"text": r"\boxed{7}"}]}]}
    script.write_text(json.dumps({"version": 1, "problems": [said]}))
    assert answering.predict("p", "?") == 7


def test_a_problem_is_asked_again_when_the_server_was_lost(scripted: Scripted) -> None:
    lost = [{"fault": {"kind": "http", "status": 500, "message": "engine dead"}}]
    answering = predictor(scripted(lost), retries=0)
    with pytest.warns(PredictionWarning, match="engine dead"):
        assert answering.predict("p", "?") is None
    scripted([r"\boxed{7}"])
    assert answering.predict("p", "?") == 7


def test_an_id_that_cannot_be_a_key_is_refused(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{7}"]))
    for unfit in (["p"], (["p"],)):
        with pytest.raises(UsageError, match=r"The problem's id is of type (list|tuple)"):
            answering.predict(unfit, "?")  # type: ignore[arg-type]
    assert answering.bank.begun == 0


@pytest.mark.parametrize(("kind", "said"), [("choice", "B"), ("text", "blue"), (None, "1/2")])
def test_the_usual_range_is_for_integers(kind: Any, said: str, scripted: Scripted) -> None:
    answering = predictor(scripted([rf"\boxed{{{said}}}"]), answer=kind)
    assert answering.predict("p", "?") == said


async def test_it_works_where_a_loop_runs_and_in_another_thread(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{7}"]))
    assert answering.predict("p", "?") == 7
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(answering.predict("q", "?")))
    thread.start()
    thread.join(60)
    assert found == [7]


class TellingLock:
    """A lock that tells of everybody who comes to it."""

    def __init__(self) -> None:
        self.came = threading.Semaphore(0)
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self.came.release()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_two_threads_with_the_same_problem_solve_it_once(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering, lock = predictor(scripted([r"\boxed{7}"])), TellingLock()
    answering._solving["p"] = lock  # type: ignore[assignment]
    going_on, asked = threading.Event(), []
    solve = predicting.solve

    def solve_when_both_wait(text: str, **settings: Any) -> Any:
        asked.append(text)
        assert going_on.wait(60)
        return solve(text, **settings)

    monkeypatch.setattr(predicting, "solve", solve_when_both_wait)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(answering.predict("p", "?"))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert lock.came.acquire(timeout=60)
    going_on.set()
    for thread in threads:
        thread.join(60)
    assert (found, asked, answering.bank.begun) == ([7, 7], ["?"], 1)


def test_two_threads_with_two_problems_solve_them_at_once(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering, both = predictor(scripted([r"\boxed{7}"])), threading.Barrier(2)
    solve = predicting.solve

    def solve_with_the_other(text: str, **settings: Any) -> Any:
        both.wait(60)
        return solve(text, **settings)

    monkeypatch.setattr(predicting, "solve", solve_with_the_other)
    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(answering.predict("q", "?")))
    other.start()
    assert answering.predict("p", "?") == 7
    other.join(60)
    assert (found, answering.bank.begun) == ([7], 2)


def test_waiting_on_the_engines_own_thread_is_refused(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{7}"]))

    async def ask() -> object:
        return answering.predict("p", "?")

    with pytest.raises(UsageError, match="This waits on the engine's thread"):
        engine().submit(ask()).result(60)
    assert answering.predict("p", "?") == 7


@pytest.mark.parametrize(
    ("given", "setting"),
    [((0, 999), "0..999"), ((None, 5), "..5"), ((-3, None), "-3.."), ("0..6", "0..6")],
)
def test_range_is_a_pair_or_the_setting(given: Any, setting: str, scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{5}"]), range=given)
    assert answering.predict("p", "?") == 5
    result = answering.predictions["p"].result
    assert result is not None
    assert f'"range":"{setting}"' in result.record.read_text()


@pytest.mark.parametrize(
    "given", [(1,), (1, 2, 3), (None, None), (0.5, 1), 7, ("0", "1"), [10**5000]]
)
def test_range_that_is_no_pair_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="write it as two whole numbers such as"):
        Predictor(total_s=60, range=given)
    with pytest.raises(UsageError, match="range is a huge number; write it as two"):
        Predictor(total_s=60, range=10**5000)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((0, 10**5000), "(0, a huge number)"),
        ((-(10**5000), 0), "(a huge number, 0)"),
        ((None, 10**1000), "(None, a huge number)"),
    ],
)
def test_range_with_a_huge_end_is_refused(given: Any, shown: str) -> None:
    with pytest.raises(UsageError) as caught:
        Predictor(total_s=60, range=given)
    assert str(caught.value) == (
        f"range is {shown}; its ends may have 1,000 digits at the most: leave one that is no bound "
        "out, as None."
    )


def test_wrong_settings_are_refused_before_the_clock_runs() -> None:
    with pytest.raises(UsageError, match="samples is 0"):
        Predictor(total_s=60, samples=0)
    with pytest.raises(UsageError, match="ends below its beginning"):
        Predictor(total_s=60, range=(5, 1))
    with pytest.raises(UsageError, match="total_s is 0"):
        Predictor(total_s=0)


def test_a_deadline_bounds_every_problem(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{5}"]), deadline=7)
    assert answering.predict("p", "?") == 5
    result = answering.predictions["p"].result
    assert result is not None
    assert '"deadline":7.0' in result.record.read_text()


def test_many_problems_in_little_time_are_answered_while_it_lasts(scripted: Scripted) -> None:
    answering = predictor(scripted([r"\boxed{5}"]), total_s=60, problems=300)
    assert answering.predict("p", "?") == 5


def test_what_nobody_foresaw_with_one_problem_does_not_end_the_others_and_is_logged(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answering = predictor(scripted([r"\boxed{5}"]))

    def broken(*_: object, **__: object) -> None:
        raise ValueError("Exceeds the limit")

    with monkeypatch.context() as patched:
        patched.setattr("jupyterlab_tir.predicting.solve", broken)
        with pytest.warns(PredictionWarning, match="failed with ValueError: Exceeds the limit"):
            assert answering.predict("p", "?", default=0) == 0
    [logged] = caplog.records
    assert logged.getMessage() == "problem p: the run failed"
    assert logged.exc_info is not None
    assert str(logged.exc_info[1]) == "Exceeds the limit"
    assert "in broken" in caplog.text
    assert answering.predict("q", "?") == 5
