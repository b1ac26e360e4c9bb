"""The entropy of a sample: of all its tokens, or of the last ones."""

from __future__ import annotations

import pytest

from jupyterlab_tir.backend.turns import SampleEntropy, TurnReader
from jupyterlab_tir.backend.wire import Delta
from jupyterlab_tir.config import resolve
from jupyterlab_tir.errors import UsageError


def turn(*entropies: float | None, tokens: int | None = None, window: int | None) -> TurnReader:
    """A turn whose tokens came one by one, and at its end some of which the server said nothing."""
    reader = TurnReader(scans_code=False, ends_at_answer=False, thinks=False, entropy_window=window)
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
    entropy.add(turn(0.1, 0.6, 0.6, window=window))
    entropy.add(turn(0.3, 0.9, window=window))
    assert entropy.total.mean == pytest.approx(mean)
    assert entropy.total.tokens == tokens


def test_unreadable_tokens_in_the_window_are_dropped_and_others_do_not_take_their_place() -> None:
    entropy = SampleEntropy(3)
    entropy.add(turn(0.1, 0.2, None, 0.4, window=3))
    assert (entropy.total.mean, entropy.total.tokens) == (pytest.approx(0.3), 2)
    assert entropy.total.dropped == 1


def test_tokens_of_which_the_server_says_nothing_were_generated_all_the_same() -> None:
    entropy = SampleEntropy(2)
    entropy.add(turn(0.1, 0.2, tokens=3, window=2))
    assert entropy.total.mean == pytest.approx(0.2)
    entropy.add(turn(tokens=2, window=2))
    assert entropy.total.mean is None


def test_a_turn_keeps_its_whole_entropy_and_only_the_windows_tokens() -> None:
    reader = turn(*[0.5] * 1000, 0.25, window=4)
    assert (len(reader.last), reader.entropy.tokens) == (4, 1001)
    assert len(turn(0.5, window=None).last) == 0


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_has_at_least_one_token(window: int) -> None:
    with pytest.raises(UsageError, match="entropy_window"):
        resolve({"entropy_window": window})
