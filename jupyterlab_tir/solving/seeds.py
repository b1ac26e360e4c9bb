"""Seeds by hash: of the run, of each sample, of each request, of each kernel. Pure.

A seeded run is reproducible as far as the server is, and no two samples are copies.
"""

from __future__ import annotations

import hashlib
import secrets

SEED_BITS = 53
"""Seeds fit a JSON number that JavaScript reads exactly."""


def draw_seed() -> int:
    """Draw the seed of a run that was given none."""
    return secrets.randbits(SEED_BITS)


def derive_seed(*parts: int | str) -> int:
    """Derive a seed from others by hash (SHA-256), in [0, 2**53).

    Examples
    --------
    >>> derive_seed(7, "sample", 0) == derive_seed(7, "sample", 0)
    True
    >>> len({derive_seed(7, "sample", k) for k in range(1000)})
    1000
    """
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
