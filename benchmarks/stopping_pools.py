"""Pools of stored samples, as arrays: which answers are equal, and how many tokens each took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from jupyterlab_tir.answers import canonical

Numbers = NDArray[np.int64]

NO_ANSWER = -1
NOBODYS = -2
"""Number of a right answer that no sample gave."""


class StoredProblem(msgspec.Struct, frozen=True):
    """One line of a pool: the right answer, and what each stored sample answered and took."""

    id: str
    gold: str
    answers: list[str | None]
    tokens: list[int]

    def __post_init__(self) -> None:
        if len(self.answers) != len(self.tokens) or not self.answers:
            raise ValueError(f"{self.id}: as many token counts as answers, and at least one")
        if min(self.tokens) < 1:
            raise ValueError(f"{self.id}: a sample takes at least one token")


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """Problems with their stored samples.

    Parameters
    ----------
    name
        The file's name without its ending.
    answers
        Problems x samples: the number of the answer within its problem, or NO_ANSWER.
    tokens
        Problems x samples.
    gold
        Number of each problem's right answer, or NOBODYS.
    """

    name: str
    answers: Numbers
    tokens: Numbers
    gold: Numbers

    @property
    def problems(self) -> int:
        return len(self.gold)

    @property
    def stored(self) -> int:
        """Samples of each problem."""
        return int(self.answers.shape[1])


def numbered(gold: str, answers: Sequence[str | None]) -> tuple[int, list[int]]:
    """Number the answers of one problem by their keys, in the order in which they come up."""
    numbers: dict[str, int] = {}
    given = [
        NO_ANSWER if answer is None else numbers.setdefault(canonical(answer).key, len(numbers))
        for answer in answers
    ]
    return numbers.get(canonical(gold).key, NOBODYS), given


def pool_of(name: str, problems: Iterable[StoredProblem]) -> Pool:
    """Compare the answers of each problem, once.

    Raises
    ------
    ValueError
        If there is no problem, or they have not equally many samples.
    """
    stored = list(problems)
    sizes = sorted({len(problem.answers) for problem in stored})
    if len(sizes) != 1:
        raise ValueError(f"{name}: problems with one number of samples, not {sizes}")
    golds, answers = zip(*(numbered(each.gold, each.answers) for each in stored), strict=True)
    return Pool(
        name=name,
        answers=np.array(answers, dtype=np.int64),
        tokens=np.array([problem.tokens for problem in stored], dtype=np.int64),
        gold=np.array(golds, dtype=np.int64),
    )


def load_pool(path: Path) -> Pool:
    """Read a pool: one problem a line.

    Raises
    ------
    msgspec.ValidationError
        If a line is not a problem with its samples.
    """
    decoder = msgspec.json.Decoder(StoredProblem)
    return pool_of(path.stem, decoder.decode_lines(path.read_bytes()))
