"""Entropy from the log-probabilities that a server sends. Pure.

vLLM sends the k most likely tokens of each position and, for completions, the sampled one besides.
From the k most likely, with the rest of the mass as one outcome, comes a lower bound of the
position's entropy; it depends on k, so k is fixed in the settings and recorded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def token_entropy(logprobs: Iterable[object], k: int) -> float | None:
    """Entropy in nats of one position, from below.

    Parameters
    ----------
    logprobs
        Natural logarithms of the probabilities of some tokens, in any order. What is not a number
        is dropped; -inf and the -9999 that servers send for masked tokens have probability 0.
    k
        How many of the most likely to use; at least 1.

    Returns
    -------
    float or None
        H = -sum(p ln p), the rest of the mass being one outcome; None where nothing is readable.

    Examples
    --------
    >>> round(token_entropy([math.log(0.5), math.log(0.25)], k=5), 4)  # a rest of 0.25
    1.0397
    >>> token_entropy([0.0, -9999.0], k=5)
    0.0
    >>> token_entropy([float("nan"), None], k=5) is None
    True
    """
    readable = sorted(
        (
            # Rounding may put a probability a hair above 1; and what a broken server sends may be
            # so large that it has no exponential.
            float(max(LEAST_LOGPROB, min(value, 0)))
            for value in logprobs
            if isinstance(value, (int, float)) and -math.inf <= value < math.inf
        ),
        reverse=True,
    )[:k]
    probabilities = [math.exp(value) for value in readable]
    if not any(probabilities):
        return None
    rest = max(0.0, 1.0 - math.fsum(probabilities))
    if rest < REST_NOISE:
        rest = 0.0
    return max(0.0, -math.fsum(p * math.log(p) for p in (*probabilities, rest) if p > 0))


LEAST_LOGPROB = -9999.0
"""What vLLM writes for a probability of 0; the exponential of what is less is 0 as well."""

REST_NOISE = 1e-6
"""A rest of the mass below this is rounding of 32-bit log-probabilities, not an outcome."""
