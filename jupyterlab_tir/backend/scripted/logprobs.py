"""Log-probabilities with a wished entropy.

A script names an entropy in nats; a client that computes H from the k best log-probabilities,
with the rest of the mass as one further outcome, gets that number back. Pure functions.
"""

from __future__ import annotations

import functools
import math

import msgspec

from jupyterlab_tir.backend.scripted.tokens import token_id

DEFAULT_ENTROPY_NATS = 0.3
LOWEST_LOGPROB = -9999.0  # what vLLM writes for probability 0, which JSON cannot hold as -inf

_BISECTION_STEPS = 200
_ALTERNATIVES = (
    *(" the", " a", " is", " of", " so", " we", " to", " and", " that", " then", " it"),
    *(" 0", " 1", " 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9", " ="),
)


class Candidate(msgspec.Struct, frozen=True):
    """One of the likeliest tokens at a position; `logprob` None stands for JSON's null."""

    token: str
    token_id: int
    logprob: float | None


class TokenLogprobs(msgspec.Struct, frozen=True):
    """The sampled token at a position and the likeliest ones, best first."""

    token: str
    token_id: int
    logprob: float | None
    top: tuple[Candidate, ...]


@functools.lru_cache(maxsize=1024)
def best_probability(entropy_nats: float, others: int) -> float:
    """Probability of the best outcome when `others` further ones share the rest equally.

    Parameters
    ----------
    entropy_nats
        The wished entropy, in nats. Above ln(others + 1), the most that is possible, the
        distribution is uniform.
    others
        How many further outcomes there are, at least 1.

    Examples
    --------
    >>> round(best_probability(math.log(2), 1), 6)
    0.5
    """
    low, high = 1 / (others + 1), 1.0
    for _ in range(_BISECTION_STEPS):
        middle = (low + high) / 2
        if _entropy(middle, others) > entropy_nats:
            low = middle
        else:
            high = middle
    return high


def _entropy(best: float, others: int) -> float:
    rest = 1 - best
    if rest <= 0:
        return 0.0
    return -best * math.log(best) - rest * math.log(rest / others)


def logprobs_of(token: str, entropy_nats: float, k: int) -> TokenLogprobs:
    """Log-probabilities of a sampled token, which is also the likeliest one.

    Parameters
    ----------
    token
        The sampled piece.
    entropy_nats
        The entropy that the k best and the rest, as one outcome, shall have.
    k
        How many of the likeliest tokens to list, 0 to 20.
    """
    listed = max(k, 1)
    best = best_probability(entropy_nats, listed)
    other = (1 - best) / listed
    best_logprob = math.log(best)
    other_logprob = math.log(other) if other > 0 else LOWEST_LOGPROB
    alternatives = [word for word in _ALTERNATIVES if word != token][: listed - 1]
    top = (
        Candidate(token, token_id(token), best_logprob),
        *(Candidate(word, token_id(word), other_logprob) for word in alternatives),
    )
    return TokenLogprobs(token, token_id(token), best_logprob, top[:k])
