"""The entropy of a sample: of all its tokens, or of the last ones."""

from __future__ import annotations

import pytest

from jupyterlab_tir.backend.turns import SampleEntropy, TurnReader
from jupyterlab_tir.backend.wire import Delta
from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import UsageError


def turn(*entropies: float | None, tokens: int | None = None) -> TurnReader:
    """A turn whose tokens came one by one, and at its end some of which the server said nothing."""
    reader = TurnReader(scans_code=False, ends_at_answer=False, thinks=False)
    for entropy in entropies:
        reader.feed(Delta(tokens=1, entropies=(entropy,)))
    reader.feed(Delta(tokens=(tokens or len(entropies)) - len(entropies)))
    return reader


@pytest.mark.parametrize(
    ("window", "mean", "tokens"),
    [(None, 0.5, 5), (1, 0.9, 1), (2, 0.6, 2), (3, 0.6, 3), (5, 0.5, 5), (100, 0.5, 5)],
)
def test_the_window_is_the_last_tokens_over_turns(
    window: int | None, mean: float, tokens: int
) -> None:
    entropy = SampleEntropy(window)
    entropy.add(turn(0.1, 0.6, 0.6))
    entropy.add(turn(0.3, 0.9))
    assert entropy.total.mean == pytest.approx(mean)
    assert entropy.total.tokens == tokens


def test_unreadable_tokens_in_the_window_are_dropped_and_others_do_not_take_their_place() -> None:
    entropy = SampleEntropy(3)
    entropy.add(turn(0.1, 0.2, None, 0.4))
    assert (entropy.total.mean, entropy.total.tokens) == (pytest.approx(0.3), 2)
    assert entropy.total.dropped == 1


def test_tokens_of_which_the_server_says_nothing_were_generated_all_the_same() -> None:
    entropy = SampleEntropy(2)
    entropy.add(turn(0.1, 0.2, tokens=3))
    assert entropy.total.mean == pytest.approx(0.2)
    entropy.add(turn(tokens=2))
    assert entropy.total.mean is None


@pytest.mark.parametrize("window", [None, 3])
def test_shorter_windows_are_kept_whatever_the_runs_own(window: int | None) -> None:
    entropy = SampleEntropy(window)
    entropy.add(turn(*[1.0] * 24))
    # Of 40 tokens: the last 16 are 4 of 1.0, 4 of which the server said nothing, 8 of 0.25;
    # the last 32 are 16 more of 1.0.
    entropy.add(turn(*[1.0] * 4, None, None, *[0.25] * 8, tokens=16))
    assert entropy.windows is not None
    assert entropy.windows.last == (0.5, pytest.approx(22 / 28, abs=1e-6))
    assert entropy.windows.whole == pytest.approx(30 / 36)


def test_a_window_that_is_as_long_as_the_sample_is_the_whole() -> None:
    entropy = SampleEntropy()
    entropy.add(turn(*[0.5] * 16))
    assert entropy.windows is not None
    assert (entropy.windows.whole, entropy.windows.last) == (0.5, ())
    entropy.add(turn(0.5))
    assert entropy.windows is not None
    assert entropy.windows.last == (0.5,)


def test_sample_without_log_probabilities_has_no_windows() -> None:
    entropy = SampleEntropy()
    entropy.add(turn(tokens=40))
    assert entropy.windows is None
    # None of the last 16 has one, and of the last 32 one has.
    entropy.add(turn(0.5, tokens=30))
    assert entropy.windows is not None
    assert entropy.windows.last == (None, 0.5, 0.5)


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_has_at_least_one_token(window: int) -> None:
    with pytest.raises(UsageError, match="entropy_window"):
        resolve({"entropy_window": window})
