"""Pools of stored samples, as arrays: which answers are equal, and how many tokens each took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from jupyterlab_tir.answers import canonical

Numbers = NDArray[np.int64]

NO_ANSWER = -1
NOBODYS = -2
"""Number of a right answer that no sample gave."""


class StoredProblem(msgspec.Struct, frozen=True):
    """One line of a pool: the right answer, and what each stored sample answered and took.

    An answer without a text is none. A sample takes at least one token.
    """

    id: str | int
    gold: str | int | float
    answers: list[str | int | float | None]
    tokens: list[Annotated[float, Meta(ge=0, le=1e12)]]

    def __post_init__(self) -> None:
        if len(self.answers) != len(self.tokens) or not self.answers:
            raise ValueError(f"{self.id}: as many token counts as answers, and at least one")


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """Problems with their stored samples.

    Parameters
    ----------
    name
        The file's name without its ending.
    stored
        Samples of each problem; the columns of `answers` and `tokens` beyond them are empty.
    answers
        Problems x samples: the number of the answer within its problem, or NO_ANSWER.
    tokens, median_tokens
        Problems x samples, and the median of each problem.
    gold
        Number of each problem's right answer, or NOBODYS.
    """

    name: str
    stored: Numbers
    answers: Numbers
    tokens: Numbers
    median_tokens: NDArray[np.float64]
    gold: Numbers

    @property
    def problems(self) -> int:
        return len(self.gold)

    def with_stored(self, least: int) -> Pool:
        """Those problems that have so many samples."""
        these = self.stored >= least
        return Pool(
            name=self.name,
            stored=self.stored[these],
            answers=self.answers[these],
            tokens=self.tokens[these],
            median_tokens=self.median_tokens[these],
            gold=self.gold[these],
        )


def numbered(gold: str | float, answers: Sequence[str | float | None]) -> tuple[int, list[int]]:
    """Number the answers of one problem by their keys, in the order in which they come up."""
    numbers: dict[str, int] = {}
    given = [
        NO_ANSWER
        if answer is None or not str(answer).strip()
        else numbers.setdefault(canonical(str(answer)).key, len(numbers))
        for answer in answers
    ]
    return numbers.get(canonical(str(gold)).key, NOBODYS), given


def pool_of(name: str, problems: Iterable[StoredProblem]) -> Pool:
    """Compare the answers of each problem, once.

    Raises
    ------
    ValueError
        If there is no problem.
    """
    stored = list(problems)
    if not stored:
        raise ValueError(f"{name}: there is no problem in it")
    sizes = [len(problem.answers) for problem in stored]
    answers = np.full((len(stored), max(sizes)), NO_ANSWER)
    tokens = np.ones_like(answers)
    golds = []
    for row, problem in enumerate(stored):
        gold, given = numbered(problem.gold, problem.answers)
        golds.append(gold)
        answers[row, : sizes[row]] = given
        tokens[row, : sizes[row]] = [max(1, round(each)) for each in problem.tokens]
    return Pool(
        name=name,
        stored=np.array(sizes),
        answers=answers,
        tokens=tokens,
        median_tokens=np.array(
            [np.median(row[:size]) for row, size in zip(tokens, sizes, strict=True)]
        ),
        gold=np.array(golds),
    )


def load_pool(path: Path) -> Pool:
    """Read a pool: one problem a line.

    Raises
    ------
    ValueError
        If a line is not a problem with its samples.
    """
    decoder = msgspec.json.Decoder(StoredProblem)
    problems = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                problems.append(decoder.decode(line))
            except msgspec.DecodeError as problem:
                raise ValueError(f"{path.name}, line {number}: {problem}") from problem
    return pool_of(path.stem, problems)
