"""What can keep a child kernel from starting."""

from __future__ import annotations

from jupyterlab_tir.errors import TirError


class KernelStartError(TirError):
    """A child kernel could not be started."""
