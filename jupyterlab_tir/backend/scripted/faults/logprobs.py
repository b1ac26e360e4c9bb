"""Faults of the log-probabilities: values and lists that a client must not compute with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from jupyterlab_tir.backend.scripted.faults.base import FaultBase, Positive
from jupyterlab_tir.backend.scripted.logprobs import LOWEST_LOGPROB, Candidate
from jupyterlab_tir.backend.scripted.tokens import token_id

if TYPE_CHECKING:
    from jupyterlab_tir.backend.scripted.logprobs import TokenLogprobs


class NanLogprobs(FaultBase, frozen=True, tag="nan_logprobs"):
    """Some log-probabilities are bare `NaN`, `-Infinity`, `Infinity` or `null`.

    Every `every`-th token is spoiled: its own value, and the last of its alternatives.
    """

    every: Positive = 2
    values: Annotated[
        tuple[Literal["NaN", "-Infinity", "Infinity", "null"], ...],
        Meta(min_length=1),
    ] = ("NaN", "-Infinity", "null")

    def logprobs(self, position: int, entry: TokenLogprobs) -> TokenLogprobs:
        """Replace values that a client might compute with."""
        if position % self.every:
            return entry
        word = self.values[position // self.every % len(self.values)]
        value = None if word == "null" else float(word)
        top = entry.top
        if top:
            top = (*top[:-1], msgspec.structs.replace(top[-1], logprob=value))
        return msgspec.structs.replace(entry, logprob=value, top=top)


class ClampedLogprobs(FaultBase, frozen=True, tag="clamped_logprobs"):
    """The last `count` alternatives have probability 0, written as -9999.0."""

    count: Positive = 1

    def logprobs(self, position: int, entry: TokenLogprobs) -> TokenLogprobs:
        """Add candidates that the sampler had masked."""
        del position
        names = [f"<|masked_{number}|>" for number in range(self.count)]
        masked = tuple(Candidate(name, token_id(name), LOWEST_LOGPROB) for name in names)
        return msgspec.structs.replace(entry, top=entry.top + masked)


class CollapsedLogprobs(FaultBase, frozen=True, tag="collapsed_logprobs"):
    """The sampled token's own entry is missing, so the list is shorter than asked for."""

    def logprobs(self, position: int, entry: TokenLogprobs) -> TokenLogprobs:
        """Drop the entry, as happens when two tokens have the same text."""
        del position
        return msgspec.structs.replace(entry, top=entry.top[1:])
