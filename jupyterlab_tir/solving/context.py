"""What the samples of one run share: the problem, the server, the kernels, the settings."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..answers.expected import Expected, expect
from ..backend.discovery import Backend
from ..config import Config
from ..problem import Problem
from ..sandbox import ChildKernels
from .journal import Journal
from .reading import Reading

Ending = Literal["", "rule", "user", "deadline", "lost"]
"""Why a run is being ended before its plan is done; empty while it goes on."""

NO_CODE = "no code is run"
"""The isolation of a run of text alone."""

PLAIN_TEMPERATURE = 0.7
REASONING_TEMPERATURE = 1.0


class RunContext(msgspec.Struct, kw_only=True):
    """Shared by all samples of a run; only `ending` ever changes.

    `reading` is where answers are read and compared, which can take a while.
    `kernels` is None where the run is of text alone, and runs no code.
    `opening_tokens` is the size of the first request, which is the same for all samples; None where
    the server does not count tokens.
    """

    run_id: str
    problem: Problem
    config: Config
    backend: Backend
    kernels: ChildKernels | None
    journal: Journal
    seed: int
    opening_tokens: int | None = None
    reading: Reading = msgspec.field(default_factory=Reading)
    ending: Ending = ""

    @property
    def isolation(self) -> str:
        """How the code is confined, or that none is run."""
        return NO_CODE if self.kernels is None else self.kernels.isolation

    @property
    def expected(self) -> Expected:
        """What the settings say of answers that count."""
        return expect(self.config.answer, self.config.range, self.config.mod)

    @property
    def temperature(self) -> float:
        """The sampling temperature: the setting, else the usual one for the kind of model."""
        if self.config.temperature is not None:
            return self.config.temperature
        return REASONING_TEMPERATURE if self.backend.info.reasoning else PLAIN_TEMPERATURE

    @property
    def turn_tokens(self) -> int:
        """Most tokens of a turn: the setting, else the usual number for the dialect."""
        wanted = self.config.max_tokens_turn
        return self.backend.dialect.usual_turn_tokens if wanted is None else wanted
