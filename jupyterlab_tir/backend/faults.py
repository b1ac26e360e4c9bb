"""What can go wrong between us and a server, as one typed exception that never leaves the engine.

The loop turns each fault into a status on a turn or a sample; a person only ever sees its words.
"""

from __future__ import annotations

from typing import Literal

from ..errors import TirError

FaultKind = Literal[
    "unreachable",
    "unauthorized",
    "refused",
    "context",
    "server-error",
    "logprobs",
    "cut",
    "stalled",
    "aborted",
    "malformed",
    "empty",
]
"""``refused``: the server will not take this request, now or later. ``context``: the prompt is too
long for it. ``logprobs``: it failed on the log-probabilities that were asked for. ``cut``: the
stream ended without saying that it was done. ``stalled``: no token for too long. ``aborted``: the
server gave the request up. ``malformed``: what it sent cannot be read. ``empty``: it counted tokens
and sent none of them."""

RETRIABLE: frozenset[FaultKind] = frozenset(
    {"unreachable", "server-error", "logprobs", "cut", "stalled", "aborted", "malformed", "empty"}
)
"""Faults after which the same turn may be asked again."""

ONCE: frozenset[FaultKind] = frozenset({"malformed", "empty", "logprobs"})
"""Faults that are worth one more try only: what caused them is likely to come back."""


class BackendFault(TirError):  # noqa: N818 - a fault of the server, not an error of ours
    """The server failed a request.

    Parameters
    ----------
    kind
        What happened.
    words
        One sentence with the server's own words.
    retry_after_s
        Seconds that the server asked us to wait, if it did.
    raw
        What it sent, where it could not be read (at most 2,000 characters).
    """

    def __init__(
        self, kind: FaultKind, words: str, *, retry_after_s: float | None = None, raw: str = ""
    ) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.retry_after_s = retry_after_s
        self.raw = raw[:2000]
